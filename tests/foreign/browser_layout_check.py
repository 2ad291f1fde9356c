"""What is needed to play lies on the screen: python -m pytest tests/foreign/browser_layout_check.py"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from nashzoo.envs import soccer_v0
from nashzoo.envs.drawing.palette import HIGHLIGHT, LIGHT, shade
from sizes import AT_A_DESK
from studies.web_server import play_out

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"
KUHN, PIG, GOOFSPIEL = (str(EXAMPLES / f"{name}.py") for name in ("kuhn", "pig", "goofspiel"))
GAMES = (
    "footsies_v0", "roshambo_v0(rounds=20)", "bodega_brawl_v0", "tictactoe_v0",
    "soccer_v0(width=11,height=5,goal_height=3)", KUHN, f"{PIG}(target=30)", GOOFSPIEL,
)  # fmt: skip
STEPS = 4
BOARD_ON_A_DESK = 560  # pixels
THUMB = 40  # pixels, the least height of a button on a telephone
BELOW_THE_FOLD = """() => {
    const outside = (one) => {
        const box = one.getBoundingClientRect();
        return box.top < 0 || box.left < 0 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5;
    };
    const needed = document.querySelectorAll(
        "header, .head, .boardbox, #told, .actionbar, .actionbar button, [data-action], .tools button");
    const bar = document.querySelector(".actions");
    return [...needed].filter(outside).map((one) => one.outerHTML.slice(0, 80))
        .concat(bar && bar.scrollHeight > bar.clientHeight + 1 ? ["actions are scrolled"] : [])
        .concat(scrollY ? ["the page is scrolled"] : []);
}"""
IN_SIGHT = """one => {
    const box = document.querySelector(one).getBoundingClientRect();
    const bar = innerWidth > 1000 ? { top: 0 } : document.querySelector(".actionbar").getBoundingClientRect();
    return box.top >= 0 && box.bottom <= (bar.top > box.top ? bar.top : innerHeight);
}"""
COVERED = """() => {
    const bar = document.querySelector(".actionbar").getBoundingClientRect();
    const told = document.querySelector("#told").getBoundingClientRect();
    return getComputedStyle(document.querySelector(".actionbar")).display !== "none" && told.bottom > bar.top + 0.5;
}"""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    return serve(KUHN, PIG, GOOFSPIEL)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("truth", ["0", "1"])
def test_nothing_needed_is_below_the_fold(page: Page, address: str, game: str, truth: str) -> None:
    page.goto(f"{address}#play?game={game}&p1=random&seed=3&truth={truth}")
    for _ in range(STEPS):
        page.wait_for_selector("[data-action], #review")
        if truth == "1" and not page.locator("#review").count():
            page.wait_for_selector("[data-action] small")
        assert page.evaluate(BELOW_THE_FOLD) == []
        assert not page.evaluate(COVERED)
        if page.locator("#review").count():
            break
        before = page.inner_text(".side ol, .side .soft >> nth=0")
        page.locator("[data-action]").first.click()
        page.wait_for_function("() => !document.querySelector('.chosen')")
        expect(page.locator(".side")).not_to_have_text(before)


def test_the_board_is_large_and_buttons_suit_a_thumb(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0&p1=counter&seed=4")
    page.wait_for_selector("[data-action]")
    board, bar = page.locator(".boardbox").bounding_box(), page.locator(".actionbar").bounding_box()
    button, header = page.locator("[data-action]").first.bounding_box(), page.locator("header").bounding_box()
    assert board and bar and button and header and page.viewport_size
    if page.viewport_size["width"] > 1000:
        assert board["width"] >= BOARD_ON_A_DESK and board["y"] + board["height"] <= bar["y"]
    else:
        side = page.locator(".side").bounding_box()
        assert side and bar["y"] + bar["height"] <= side["y"]  # and lies over nothing that one reads
        assert button["height"] >= THUMB
    heights = page.evaluate("[...document.querySelectorAll('[data-action]')].map((one) => one.offsetHeight)")
    assert len(set(heights)) == 1  # also that of a name of two lines
    assert header["height"] <= 50


def test_the_lobby_shows_the_games_and_goes_on_with_a_match(page: Page, address: str) -> None:
    page.goto(address)
    cards = page.locator(".cards >> nth=0").locator("h2")
    expect(cards).to_have_text(["Footsies", "Roshambo", "Bodega Brawl", "Tic-tac-toe", "Grid soccer"])
    more = page.locator(".cards >> nth=1").locator("h2")
    expect(more).to_have_text(["Kuhn poker", "The dice game Pig", "Goofspiel", "Leduc poker"])
    expect(page.locator(".cards img[src]")).to_have_count(9)
    go_on = page.locator(".continue:has-text('Go on')")
    expect(go_on).to_have_count(0)
    page.click("h2:text-is('Tic-tac-toe')")
    page.click("[data-action='4']")
    expect(page.locator("ol.log li")).to_have_count(2)
    page.click(".brand")
    go_on.click()
    expect(page.locator("ol.log li")).to_have_count(2)
    page.reload()
    expect(page.locator("ol.log li")).to_have_count(2)


@AT_A_DESK
def test_opponents_are_chosen_by_strength_and_the_score_goes_on(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=roshambo_v0(rounds=1)")
    page.wait_for_selector("[data-action]")
    page.click("#new")
    options = page.locator("dialog optgroup >> nth=0").locator("option")
    expect(options).to_have_text(["Beginner", "Casual", "Strong", "Perfect"])
    page.select_option("dialog select >> nth=0", "constant")
    page.select_option("dialog label:has-text('Match') select", "0")
    page.click("dialog button:text-is('Play')")
    expect(page.locator(".score")).to_have_text("You 0 : 0 The one with one idea")
    for number in (1, 2, 3):
        page.keyboard.press("2")  # Paper, against Rock always
        expect(page.locator("#told")).to_contain_text("You won, 1 point.")
        expect(page.locator(".score")).to_have_text(f"You {number} : 0 The one with one idea")
        page.click("button:text-is('Play again')")
        expect(page.locator("[data-action]")).to_have_count(3)


@AT_A_DESK
def test_a_game_has_the_length_that_suits_a_person_unless_another_is_chosen(page: Page, address: str) -> None:
    for view in ("play", "watch"):
        page.goto(f"{address}#{view}?game=roshambo_v0&p1=constant")
        expect(page.locator("img.board")).to_have_attribute("alt", re.compile("of 20 throws"))
    page.goto(f"{address}#play?game=roshambo_v0&p1=constant")
    for rounds in ("1000", "20", "7"):
        page.click("#new")
        page.click("dialog summary:text-is('Rules of your own')")
        page.fill("dialog input[name=rounds]", rounds)
        page.click("dialog button:text-is('Play')")
        expect(page.locator("img.board")).to_have_attribute("alt", re.compile(f"of {rounds} throws"))


@AT_A_DESK
def test_a_new_game_asks_only_for_what_a_person_can_choose(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=bodega_brawl_v0(preset=small)&p1=nash")
    page.wait_for_selector("[data-action]")
    page.click("#new")
    folds = ["Rules of your own", "A game that can be repeated"]
    expect(page.locator("dialog summary")).to_have_text(folds)
    assert page.locator("dialog select[name]").evaluate_all("all => all.map(one => one.name)") == [
        "preset",
        "double_ko",
    ]
    page.goto(f"{address}#play?game=footsies_v0&p1=mcts(simulations=7)")
    page.wait_for_selector("[data-action]")
    page.click("#new")
    expect(page.locator("dialog input[name=simulations]")).to_have_value("7")
    expect(page.locator("dialog input[name=threads]")).to_have_count(0)


def test_the_rules_stand_beside_the_first_choice_and_figures_at_the_end(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=roshambo_v0(rounds=1)&p1=constant&seed=5")
    expect(page.locator(".side h2")).to_have_text("The rules")
    expect(page.locator(".side")).to_contain_text("Rock beats")
    expect(page.locator(".side")).not_to_contain_text(re.compile("Seed|points 0|time step"))
    page.click("[data-action='1']")
    expect(page.locator(".side")).to_contain_text("What happened")


def test_the_solution_and_the_lesson_of_the_review_are_in_sight(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0&p1=counter&seed=4")
    page.wait_for_selector("[data-action]")
    page.click("#truth")
    page.wait_for_selector("table.matrix")
    page.wait_for_function(IN_SIGHT, arg="table.matrix tbody")
    panel = page.locator("[aria-label='Exact solution']")
    assert panel.evaluate("one => one.scrollWidth <= one.clientWidth")
    panel.evaluate("one => one.scrollIntoView({ block: 'end' })")
    assert panel.evaluate("""one => {
        const box = one.getBoundingClientRect();
        return one.contains(document.elementFromPoint(box.left + box.width / 2, box.bottom - 20));
    }""")  # no bar lies over it
    page.goto(f"{address}#play?game=tictactoe_v0&p1=perfect&seed=1")
    play_out(page, 1)  # each time the second of the free cells, which loses
    for lesson in ("#review h2", "#review .boardbox", "#mistake"):
        assert page.evaluate(f"({IN_SIGHT})({lesson!r})"), lesson
    expect(page.locator("#review .mark.wrong")).to_have_count(1)
    expect(page.locator("#review .mark.right")).not_to_have_count(0)


def test_what_was_played_and_what_was_better_are_pictures(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0&p0=human player&p1=human player")
    for action in ("Attack", "Dragon Punch"):  # perfect play never begins with an Attack
        page.click(f"[data-action]:has-text('{action}')")
    told = "The worst move: Attack in move 1. Against perfect play it costs 0.33 points on average."
    expect(page.locator("#review h2").first).to_contain_text(told)
    expect(page.locator("#review .marks .wrong svg")).to_have_count(1)
    expect(page.locator("#review .marks .wrong")).to_have_text("Attack", use_inner_text=True)
    expect(page.locator("#review .marks .free")).to_have_text(["Block", "Grab", "Dragon Punch"], use_inner_text=True)
    expect(page.locator("#review .marks")).to_contain_text("cost nothing:")  # perfect play mixes them


def test_a_large_matrix_fits_beside_the_board(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=bodega_brawl_v0&p1=random&seed=3&truth=1")
    page.wait_for_selector("table.matrix")
    table, panel = (page.locator(one).bounding_box() for one in ("table.matrix", "[aria-label='Exact solution']"))
    assert table and panel and page.viewport_size
    if page.viewport_size["width"] > 1000:
        assert table["x"] + table["width"] <= panel["x"] + panel["width"]
    expect(page.locator("table.matrix th[scope=row] .cost").first).to_be_attached()
    heads = page.locator("table.matrix th[scope=row]")
    expect(heads.filter(visible=True)).to_have_count(5)  # perfect play never chooses the other four
    page.check("label:has-text('never chooses') input")
    expect(heads.filter(visible=True)).to_have_count(9)
    page.locator("[data-action]:enabled").first.click()
    expect(page.locator("ol.log li")).to_have_count(1)
    expect(page.locator("label:has-text('never chooses') input")).to_be_checked()


def test_equal_shares_have_bars_of_one_length(page: Page, address: str) -> None:
    page.goto(f"{address}#explore?game=footsies_v0")
    page.wait_for_selector("table.matrix")
    heads = page.locator("table.matrix th:has-text('33.3')")
    expect(heads).to_have_count(6)
    assert len({head.evaluate("one => getComputedStyle(one).backgroundSize") for head in heads.all()}) == 1


def test_best_play_waits_for_the_solution(page: Page, address: str) -> None:
    held: list[Route] = []
    page.route(re.compile(r"/api/solution"), lambda route: route.continue_() if held else held.append(route))
    page.goto(f"{address}#explore?game=nashzoo.examples.kuhn")
    expect(page.locator("#best")).to_have_text("→Deal", use_inner_text=False)
    expect(page.locator("#best")).to_be_disabled()
    held[0].continue_()
    page.click("#best")
    expect(page.locator(".score")).to_have_text("what red sees")


def test_a_matrix_whose_played_cells_are_all_alike_is_shown_whole(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=bodega_brawl_v0(preset=small)&p1=random&truth=1")
    expect(page.locator("table.matrix th[scope=row]").filter(visible=True)).to_have_count(6)  # else nine zeros
    expect(page.locator("label:has-text('never chooses')")).to_have_count(0)
    expect(page.locator(".ranges")).to_contain_text("The marks show how far a share may go.")
    page.click(".ranges summary")
    expect(page.locator(".ranges")).to_contain_text("Legs Dual Attack from 14.6 % to 42.7 %.", use_inner_text=True)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    table, panel = (page.locator(one).bounding_box() for one in ("table.matrix", "[aria-label='Exact solution']"))
    assert table and panel and table["x"] + table["width"] <= panel["x"] + panel["width"]
    expect(page.locator("table.matrix thead th").first).to_contain_text("Head Dual Attack", use_inner_text=True)


@AT_A_DESK
def test_sound_says_whether_it_is_on(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0")
    for text, pressed in (("♪ off", "false"), ("♪ on", "true")):
        expect(page.locator("#sound")).to_have_text(text)
        expect(page.locator("#sound")).to_have_attribute("aria-pressed", pressed)
        page.click("#sound")
    expect(page.locator("#sound")).to_have_text("♪ off")


@AT_A_DESK
def test_short_games_are_played_in_a_series(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=roshambo_v0(rounds=1)&p1=constant")
    expect(page.locator(".score")).to_have_text("You 0 : 0 The one with one idea first to 2")
    for key, score, button in (("2", "1 : 0", "Next game"), ("3", "1 : 1", "Next game"), ("1", "1 : 1", "Next game")):
        page.keyboard.press(key)  # against Rock always: won, lost, drawn
        expect(page.locator(".score b")).to_have_text(score)
        expect(page.locator("#told")).not_to_contain_text("match")
        page.click(f"button:text-is('{button}')")
        expect(page.locator("[data-action]")).to_have_count(3)
    expect(page.locator(".score > small")).to_have_text("first to 2, 1 drawn")
    page.keyboard.press("2")
    expect(page.locator("#told")).to_contain_text("You have won the match, 2 : 1.")
    page.reload()
    expect(page.locator("#told")).to_contain_text("You have won the match, 2 : 1.")
    series = [*"1234", "all", "won", "lost", "drawn", "won", "2 : 1", *"00000"]
    expect(page.locator(".series td")).to_have_text(series)  # each throw is in some perfect play
    for name in ("Your weaknesses", "All opponents"):
        expect(page.get_by_role("link", name=name)).to_be_visible()
    for number, result in (("2", "The opponent won"), ("1", "You won")):
        page.click(f".series a:text-is('{number}')")
        expect(page.locator("#told")).to_contain_text(f"Game {number}: {result}, 1 point.")
        expect(page.locator(".result .wrong")).to_have_count(int(number == "2"))  # the match is won in both
        expect(page.locator(".series b")).to_have_text(number)
        expect(page.locator("#review h2").nth(1)).to_have_text(re.compile(f"Game {number}: "))
    page.click("button:text-is('New match')")
    expect(page.locator(".score b")).to_have_text("0 : 0")


def test_actions_keep_their_places(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=bodega_brawl_v0(preset=small)&p1=nash&seed=2")
    places = page.locator(".actions button")
    expect(places).to_have_count(6)
    names = places.locator("span:not(.icon)").all_inner_texts()
    for _ in range(2):
        page.locator("[data-action='1']").click()
        page.wait_for_function("() => !document.querySelector('.chosen')")
    expect(places).to_have_count(6)
    expect(places.locator("span:not(.icon)")).to_have_text(names)
    expect(page.locator(".actions button:disabled")).not_to_have_count(0)


def test_directions_lie_on_a_compass(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=soccer_v0&p1=random&seed=1")
    expect(page.locator("[data-action='4']")).to_have_count(1)
    up, down = (page.locator(f"[data-action='{action}']").first.bounding_box() for action in (3, 4))
    left, right = (page.locator(f"[data-action='{action}']").first.bounding_box() for action in (2, 1))
    assert up and down and left and right
    assert up["y"] < left["y"] == right["y"] < down["y"] and left["x"] < up["x"] == down["x"] < right["x"]
    expect(page.locator(".compass button")).to_have_count(9)
    back = page.get_by_role("button", name="Left Up")
    expect(back).to_be_disabled()
    expect(back).to_have_attribute("title", re.compile("Diagonal moves lead forward only"))


@AT_A_DESK
def test_moves_that_are_equally_good_stand_together(page: Page, address: str) -> None:
    size = {"width": 11, "height": 5, "goal_height": 3}
    start = soccer_v0.game(**size).code(red_x=4, red_y=1, blue_x=1, blue_y=1, ball=1)
    game = f"soccer_v0({','.join(f'{name}={value}' for name, value in size.items())})"
    page.goto(f"{address}#play?game={game}&p1=random&start={start}&truth=1")
    ends = page.locator("[aria-label='Exact solution'] tbody tr")
    expect(ends.first).to_contain_text("Right ✓")
    expect(ends.nth(1)).to_contain_text("Right Up ✓")
    moves = [int(words[2]) for words in map(str.split, ends.locator("td:last-child").all_inner_texts()) if words[1:]]
    assert len(moves) > 2 and moves == sorted(moves)


def test_a_wide_field_is_drawn_wide_and_its_cells_are_where_they_are_seen(page: Page, address: str) -> None:
    page.goto(f"{address}#watch?game=soccer_v0&seed=1")
    expect(page.locator("[aria-label='Exact solution']")).to_contain_text("red wins in")  # there is an end to watch
    expect(page.locator(".boardbox .mark.right")).not_to_have_count(0)  # where the best moves lead
    ticks = page.locator(".boardbox .mark.right").evaluate_all(
        "all => all.map(one => parseFloat(getComputedStyle(one, '::before').fontSize) / one.offsetWidth)"
    )
    assert min(ticks) >= 0.75  # of a cell
    expect(page.locator("#told")).to_contain_text("✓")
    page.locator("[type=range]").fill("2000")
    page.click("#run")
    expect(page.locator("#next")).to_be_visible()
    expect(page.locator("img.board[src]")).to_have_attribute("alt", re.compile("red has scored"))
    page.goto(f"{address}#play?game=soccer_v0&p1=random&seed=1")
    page.wait_for_selector("[data-target]")
    board, right = (page.locator(one).bounding_box() for one in ("img.board", "[data-target='1']"))
    page.click("#truth")
    expect(page.locator("[data-target='1']")).to_have_class("pright")
    expect(page.locator("[data-action='1']")).to_contain_text("✓")
    assert board and right and board["height"] < 0.9 * board["width"]
    svg = page.locator("img.board").evaluate("image => image.svg")
    top, rows = map(float, re.findall(r'viewBox="0 ([\d.]+) 100 ([\d.]+)"', svg)[0])
    ring = rf'cx="([\d.]+)" cy="([\d.]+)" r="[\d.]+" fill="{shade(HIGHLIGHT, LIGHT)}"'
    stands = [float(one) for one in re.findall(ring, svg)[0]]
    x, y = board["x"] + board["width"] * stands[0] / 100, board["y"] + board["height"] * (stands[1] - top) / rows
    assert right["y"] < y < right["y"] + right["height"] and right["x"] == pytest.approx(x + right["width"] / 2, abs=2)


@AT_A_DESK
def test_the_pictures_of_the_last_turn_stand_beside_what_happened(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=bodega_brawl_v0(preset=small)&p1=random&seed=1")
    expect(page.locator("p.short", has_text="Head Counter beats Head Dual Attack")).to_be_visible()
    page.locator("[data-action]:enabled").first.click()
    expect(page.locator(".recent .icon")).to_have_count(2)
    expect(page.locator("#told .asks")).to_have_text("Choose.")


@AT_A_DESK
def test_the_lobby_leads_to_a_learner(page: Page, address: str) -> None:
    page.goto(address)
    page.click("text=Against the learning matchboxes")
    expect(page.locator(".score")).to_contain_text("The learning matchboxes")
    expect(page.locator(".side")).to_contain_text("It learned from 1,000 games, not from yours.")
    page.click(".side >> text=MENACE")
    expect(page.locator("#tallies strong").first).to_be_visible()


@AT_A_DESK
def test_the_review_of_a_series_opens_with_its_costliest_game(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0&p1=counter&seed=1")
    page.click("[data-action]:has-text('Attack')")  # perfect play never begins so
    for _ in range(40):
        page.wait_for_selector("[data-action='1']:not(:disabled), #told .result")
        if page.locator("#told .result:has-text('the match')").count():
            break
        page.locator("button:text-is('Next game'), [data-action='1']").first.click()  # Block
        page.wait_for_timeout(100)
    headline = page.locator("#review h2").nth(1)
    expect(headline).to_contain_text("Game 1: Your worst move: Attack in move 1.")
    expect(page.locator(".series td:not(:has(a))").first).to_have_text("1")
    page.locator(".series a").last.click()
    expect(headline).not_to_contain_text("Game 1")
    page.go_back()
    page.click("#mistake")
    expect(page.locator("#told")).to_contain_text("Better than Attack?")
    page.click("text=Back to the review")
    expect(headline).to_contain_text("Game 1: Your worst move")


def test_a_long_match_is_told_within_its_panel(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=roshambo_v0(rounds=1)&p1=constant&wins=2")
    for number in range(14):
        page.wait_for_selector("[data-action]")
        page.keyboard.press("2" if number > 11 else "1")  # against Rock always: won, drawn
        page.wait_for_selector("#told .result")
        if number < 13:
            page.click("button:text-is('Next game')")
            expect(page.locator("#told .result")).to_have_count(0)
    expect(page.locator(".series tr").first.locator("td")).to_have_count(15)
    assert page.locator("#review").evaluate("panel => panel.scrollWidth <= panel.clientWidth")


@AT_A_DESK
def test_a_long_game_is_no_series(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=roshambo_v0(rounds=20)&p1=constant")
    expect(page.locator(".score")).to_have_text("You 0 : 0 The one with one idea")


@AT_A_DESK
def test_actions_have_the_pictures_of_the_game_in_the_theme(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0&p1=counter")
    expect(page.locator("[data-action] svg")).to_have_count(4)
    first = page.locator("[data-action] svg [fill*=player-0]").first
    before = first.evaluate("one => getComputedStyle(one).fill")
    page.click("#theme")
    page.wait_for_function(
        "before => getComputedStyle(document.querySelector('[data-action] svg [fill*=player-0]')).fill !== before",
        arg=before,
    )
    page.goto(f"{address}#play?game={PIG}")
    expect(page.locator("[data-action]")).not_to_have_count(0)
    expect(page.locator("[data-action] svg")).to_have_count(0)


@pytest.mark.parametrize("game", ["soccer_v0", "bodega_brawl_v0"])
def test_who_watches_sees_the_board_what_can_be_done_and_the_solution(page: Page, address: str, game: str) -> None:
    page.goto(f"{address}#watch?game={game}&p0=random&p1=random&seed=1")
    page.wait_for_selector("#value")
    assert page.evaluate(BELOW_THE_FOLD) == [] and not page.evaluate(COVERED)
    value, size = page.locator("#value").bounding_box(), page.viewport_size
    assert value and size and value["y"] + value["height"] < size["height"]
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@AT_A_DESK
def test_a_kick_is_explained_and_the_ball_runs_into_the_goal(page: Page, address: str) -> None:
    def drawn() -> Any:
        return page.evaluate("decodeURIComponent(document.querySelector('img.board').src)")

    start = soccer_v0.game().code(red_x=15, red_y=7, blue_x=17, blue_y=7, ball=1)
    page.goto(f"{address}#play?game=soccer_v0&p1=random&start={start}")
    expect(page.locator("img.board[src]")).to_have_count(1)
    assert "Kick: blocked, the ball goes to blue" in drawn()
    start = soccer_v0.game().code(red_x=16, red_y=7, blue_x=3, blue_y=3, ball=1)
    page.goto(f"{address}#play?game=soccer_v0&p1=random&start={start}")
    expect(page.locator("img.board[src]")).to_have_count(1)
    expect(page.locator("[data-action]").first).to_contain_text("Kick")
    expect(page.locator("dialog pre, .side pre")).to_have_count(0)  # the goals are drawn
    assert "Kick: a goal" in drawn() and ">you to move, you have the ball<" in drawn()
    page.click("[data-action='0']")
    expect(page.locator("#told")).to_contain_text("You won")
    expect(page.locator("img.board")).to_have_attribute("alt", re.compile("red has scored"))


def test_a_touch_beside_a_small_cell_chooses_the_nearest(page: Page, address: str) -> None:
    start = soccer_v0.game().code(red_x=5, red_y=7, blue_x=16, blue_y=3, ball=2)
    page.goto(f"{address}#play?game=soccer_v0&p1=random&start={start}")
    box = page.locator("[data-target='4'] >> nth=0").bounding_box()  # Down
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] + 12)
    expect(page.locator("ol.log li").first).to_contain_text("went down")


@AT_A_DESK
def test_rules_name_the_side_that_one_plays(page: Page, address: str) -> None:
    for game, told in (
        ("footsies_v0", "Both choose a move"),
        ("soccer_v0", "You are blue and attack the goal on the left"),
    ):
        page.goto(f"{address}#play?game={game}&p0=random&p1=human player")
        page.wait_for_selector("[data-action]")
        page.click("button:text-is('Rules')")
        expect(page.locator("dialog p").first).to_have_text(re.compile(f"^{told}"))
        page.keyboard.press("Escape")


def test_rules_and_parameters_are_in_sheets(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0")
    page.wait_for_selector("[data-action]")
    page.click("button:text-is('Rules')")
    expect(page.locator("dialog")).to_contain_text("Grab wins the round at once against Block")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.click("#new")
    assert page.evaluate("document.querySelector('dialog').scrollWidth <= document.querySelector('dialog').clientWidth")
    page.click("dialog summary")
    expect(page.locator("dialog")).to_contain_text("Attacks that each player can block in a round")
    page.fill("dialog input[name=blocks]", "1")
    page.click("dialog button:text-is('Play')")
    expect(page.locator("img.board")).to_have_attribute("alt", re.compile("blocks 1"))


@AT_A_DESK
def test_all_moves_that_cost_nothing_are_marked(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=tictactoe_v0&p1=nash&seed=1&truth=1")
    expect(page.locator("[data-action] small")).to_have_text(["✓"] * 9)  # play from the empty board is a draw
    page.goto(f"{address}#play?game=tictactoe_v0&p0=nash&p1=human%20player&seed=2&truth=1")
    expect(page.locator("[data-action='4'] small")).to_have_text("✓")  # nash began in a corner; only the centre draws
    expect(page.locator("[data-action] small .cost")).to_have_count(7)


@AT_A_DESK
def test_results_without_folders_are_the_opponents_and_an_example(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=roshambo_v0(rounds=1)&p1=constant")
    page.wait_for_selector("[data-action]")
    page.keyboard.press("2")
    page.wait_for_selector("#share")
    page.goto(f"{address}#results?game=roshambo_v0")
    expect(page.locator("#record td")).to_have_text(["1", "0", "0"])
    page.goto(f"{address}#results?game=footsies_v0")
    expect(page.locator("h1")).to_have_text("Footsies: results")
    expect(page.locator("#record")).to_contain_text("None yet.")
    expect(page.locator("table.ladder a.button").first).to_be_visible()
    expect(page.locator("main pre").first).to_be_hidden()  # commands are for who asks for them
    page.click("summary:text-is('Results of your own, by commands')")
    expect(page.locator("main pre").first).to_contain_text("nashzoo web runs/footsies")
    expect(page.locator("main pre").first).to_contain_text("train footsies_v0 --opponent counter --timesteps 20000")
    keys = page.locator("figcaption")  # both curves of this very command
    won, lost = "0.037 → 0.47the most that can be won", "0.33 → 0.67perfect play"
    expect(keys).to_have_text([re.compile(won), re.compile(lost)])
    page.click("text=Watch two players")
    page.wait_for_selector("#run")
