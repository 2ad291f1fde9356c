"""Weaknesses and practice in Chromium: python -m pytest tests/foreign/browser_weaknesses_check.py"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest
from browser_layout_check import BELOW_THE_FOLD, COVERED, KUHN, PIG
from playwright.sync_api import Browser, Page, expect

from nashzoo.arena.records import TERMINATED, Record
from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines import solve
from nashzoo.baselines.practice import worth_practising
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs import Game, bodega_brawl_v0, make_game, tictactoe_v0
from sizes import AT_A_DESK
from studies.web_server import play_out

ATTACK, BLOCK, GRAB, PUNCH = "1", "2", "3", "4"  # keys
SHORT = {"roshambo_v0": {"rounds": 20}, "bodega_brawl_v0": {"preset": "small"}}
WEAK = {
    "footsies_v0": "random", "roshambo_v0(rounds=20)": "copy", "bodega_brawl_v0(preset=small)": "random",
    "tictactoe_v0": "human", "soccer_v0(width=11,height=5,goal_height=3)": "random", f"{PIG}(target=10)": "random",
}  # fmt: skip


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    return serve(KUHN, PIG)


@pytest.fixture
def refused(browser: Browser) -> Iterator[Page]:
    """Returns a page whose browser may note on its console that a request was refused."""
    opened = browser.new_page()
    yield opened
    opened.close()


def answer(page: Page, *keys: str) -> None:
    page.wait_for_selector("[data-action]:enabled")
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_selector("#answer, #next")


def answer_all(page: Page, place: int) -> None:
    """Chooses the same action until that is answered."""
    page.wait_for_selector("[data-action]:enabled")
    for _ in range(12):
        if page.locator("#next").count():
            break
        page.locator("[data-action]:enabled").nth(place).click()
    page.wait_for_selector("#next")


def test_a_state_is_practised_by_keyboard_until_it_is_done(page: Page, address: str) -> None:
    # By hand: always Block loses a point to Grab. Block, Grab and Dragon Punch, each twice, lose nothing.
    page.goto(f"{address}#weaknesses?game=footsies_v0&player=counter")
    expect(page.locator(".states h2")).to_have_text(
        "It plays Grab too often in an even position: every time, a perfect mix 1 time in 3"
    )
    expect(page.locator("h1")).to_have_text("Weaknesses of the Simple-Minded in Footsies")
    expect(page.locator("[role=status]")).to_have_text(
        "Loses 0.5 points per game to an opponent who knows how it plays (exact)."
    )
    expect(page.locator("main > div.wide > p.soft")).to_have_text(
        "No other mistake costs anything. Perfect play, which does not know how it plays, wins 0.15 points per game."
    )
    expect(page.locator(".states p").first).to_have_text(  # of its first moves Block and Attack are answered by Block
        "Costs 0.5 points per game: 1 point each time, 1 time in 2 games. "
        "The same mistake at 1 more position. They differ only in the opponent's blocks."
    )
    assert ">it<" in page.locator(".states img").evaluate("img => img.svg")  # a long name runs into other words
    expect(page.locator(".states")).to_contain_text("Punished by Dragon Punch: try it.")
    expect(page.locator(".states img")).to_have_attribute("alt", re.compile("last move Block"))
    expect(page.locator(".states pre")).to_have_count(0)  # it is drawn, once
    expect(page.get_by_text("Practise")).to_have_count(0)  # the mistake is another's
    page.goto(f"{address}#practise?game=footsies_v0&player=counter")
    answer(page, *[BLOCK] * 4, GRAB)
    page.click("#undo")
    assert page.evaluate(BELOW_THE_FOLD) == [] and not page.evaluate(COVERED)
    expect(page.locator("#answer tr")).to_have_count(1)  # what else perfect play chooses would be the answer
    expect(page.locator("#told")).to_have_text("4 of 6 chosen. How often you choose each counts, not the order.")
    assert "%" not in page.inner_text("main") and not page.locator("[data-action] small").count()
    answer(page, BLOCK, BLOCK)
    expect(page.locator("#told")).to_have_text(
        "✗ Wrong. Too much Block: 6 of 6; perfect play 2. "
        "An opponent who knows this plays Grab and wins 1 point from you each time."
    )
    expect(page.locator("#next")).to_have_text("Once more")
    page.keyboard.press("Enter")  # which has the focus
    answer(page, BLOCK, BLOCK, BLOCK, GRAB, GRAB, PUNCH)
    expect(page.locator("#told")).to_have_text(
        "✗ Wrong. Too much Block: 3 of 6; perfect play 2. "
        "An opponent who knows this plays Grab and wins 0.33 points from you each time."
    )
    expect(page.locator("#summary")).to_have_text(
        "Your answer cost 1 point at first, now 0.33, to an opponent who knows it."
    )
    page.keyboard.press("Enter")
    answer(page, ATTACK, BLOCK, BLOCK, BLOCK, GRAB, PUNCH)  # each is one off; Grab wins against Block alone
    expect(page.locator("#told")).to_contain_text(
        "✗ Wrong. Attack is never right here: you played it 1 time of 6. Too much Block: 3 of 6; perfect play 2."
    )
    page.keyboard.press("Enter")
    answer(page, BLOCK, GRAB, PUNCH, BLOCK, GRAB, PUNCH)
    expect(page.locator("#told")).to_have_text("✓ Correct: your mix is perfect.")
    expect(page.locator("#summary")).to_contain_text("Your answer cost 1 point at first, now 0,")
    expect(page.locator("#answer td:not(.name)")).to_have_text(["22"] * 3)  # chosen, and by perfect play
    assert page.evaluate("document.activeElement.id") == "next"
    page.click("text=All weaknesses")
    expect(page.locator(".states .done")).to_have_text("✓ practised")


def test_a_weakness_of_a_program_is_punished_from_its_position(page: Page, address: str) -> None:
    page.goto(f"{address}#weaknesses?game=footsies_v0&player=counter")
    code = page.get_attribute(".states img[src]", "data-code")
    page.click("text=Play from here")
    page.wait_for_selector("[data-action]:enabled")
    assert page.get_attribute("img.board", "data-code") == code
    page.keyboard.press(PUNCH)
    expect(page.locator("ol.log li")).to_have_count(1)
    expect(page.locator("main")).to_contain_text("You won")


def test_three_cards_are_shown_and_images_of_a_position_are_one(page: Page, address: str) -> None:
    page.goto(f"{address}#weaknesses?game=tictactoe_v0&player=human")
    cards = page.locator(".states > li:visible")
    expect(cards).to_have_count(3)
    page.click("summary:text-is('7 more')")
    expect(cards).to_have_count(10)
    game = tictactoe_v0.game()
    codes = page.locator(".states img").evaluate_all("all => all.map((one) => Number(one.dataset.code))")
    assert len({game.canonical(code) for code in codes}) == 10
    page.goto(f"{address}#weaknesses?game=soccer_v0&player=random")
    expect(page.locator(".states h2").filter(has_text="Kick is bad here: played 1 time in 7").first).to_be_attached()
    assert " + " not in page.inner_text("main")  # the board in letters, beside its drawing
    assert "you's" not in (page.text_content("main") or "").lower()


def test_of_a_player_that_remembers_it_is_said_plainly(refused: Page, address: str) -> None:
    refused.goto(f"{address}#weaknesses?game=footsies_v0&player=bluff")
    expect(refused.locator(".states")).to_have_text(
        "This player remembers earlier moves, or searches at random: where it loses is not computed; choose another."
    )


@AT_A_DESK
@pytest.mark.parametrize("player", [0, 1])
def test_what_a_mix_loses_is_what_is_computed_in_python(page: Page, address: str, player: int) -> None:
    game = bodega_brawl_v0.game(preset="tiny")
    solution = solve(game)
    codes = [code for code, _ in worth_practising(solution)]
    stages = [(code, stage_game(solution, code)) for code in codes]
    for code, stage in stages[:3]:
        actions = stage.actions[player]
        page.goto(f"{address}#practise?game=bodega_brawl_v0(preset=tiny)&code={code}&player={player}")
        page.wait_for_selector(f"img.board[data-code='{code}']")
        page.wait_for_selector("[data-action]:enabled")
        asked = int(re.findall(r"Choose (\d+) times", page.inner_text("#told"))[0])
        chosen = [actions[k * k % len(actions)] for k in range(asked)]
        for action in chosen:
            page.click(f"[data-action='{action}']")
        shares = np.array([chosen.count(action) / len(chosen) for action in actions])
        regret, _ = stage.exploited(player, shares)
        expect(page.locator("#told")).to_contain_text("An opponent who knows this")
        wins = float(re.findall(r"wins ([\d.]+) points? ", page.inner_text("#told"))[0])
        assert wins == pytest.approx(regret, abs=5e-3)  # shown to two digits
        bars = page.locator("#answer .pright").evaluate_all(
            "all => all.map(one => one.style.getPropertyValue('--share'))"
        )
        times = page.locator("#answer small").all_inner_texts()
        assert list(map(float, bars)) == pytest.approx([int(one) / asked for one in times], abs=1e-4)


@AT_A_DESK
def test_a_mistake_is_told_at_once_and_states_come_back(page: Page, address: str) -> None:
    page.goto(f"{address}#weaknesses?game=tictactoe_v0&player=human")
    expect(page.locator(".states > li")).to_have_count(10)
    expect(page.locator("[role=status]")).to_have_text(re.compile(r"^Loses 0.48 points .* it plays \(exact\).$"))
    expect(page.locator(".states > li >> nth=0").locator(".mark.right")).to_have_count(4)  # the corners
    expect(page.locator("main > div.wide > p.soft")).to_have_text(
        "These 10 mistakes cost 67% of the 0.48 points per game."
        " Perfect play, which does not know how it plays, wins 0.44 points per game."
    )
    expect(page.locator(".states p").first).to_contain_text("It plays as noughts. Costs ")
    expect(page.locator(".states h2").nth(1)).to_have_text(
        re.compile(r"^Only bottom (middle|right) is best here: missed 1 time in 4$")
    )
    expect(page.locator(".states table >> nth=1").locator("tr")).to_have_text([re.compile("✓75\xa0%"), "others25\xa0%"])
    page.goto(f"{address}#practise?game=tictactoe_v0&player=human")
    page.click("[data-action='1']")  # beside the cross in the middle
    expect(page.locator("#told")).to_have_text(
        "✗ Wrong: top middle costs 1 point; it loses in 6 moves. "
        "Better: top left, top right, bottom left or bottom right."
    )
    expect(page.locator("[data-action='1'] .cost")).to_have_text("\N{MINUS SIGN}1")
    green = page.locator("#next").evaluate("() => getComputedStyle(document.body).getPropertyValue('--good')")
    share = "button => getComputedStyle(button).getPropertyValue('--weigher')"
    assert {page.locator(f"[data-action='{action}']").evaluate(share) for action in (0, 2, 6, 8)} == {green}
    shown = "small => getComputedStyle(small, '::before').content"
    crossed = [page.locator(f"[data-action='{action}'] small").evaluate(shown) for action in (1, 3, 0)]
    assert crossed == ['"✗ "', "none", "none"]  # the wrong choice alone, beside the ticks of the right ones
    seen = [page.get_attribute("img.board", "data-code")]
    for _ in range(10):
        page.get_by_role("button", name=re.compile("Next position|the 9 missed")).click()
        page.wait_for_selector("[data-action]:enabled")
        seen.append(page.get_attribute("img.board:not(.past)", "data-code"))
        page.click("[data-action] >> nth=0")
        page.wait_for_selector("#next")
    assert len(set(seen[:10])) == 10 and seen[10] == seen[0]
    expect(page.locator("#told")).to_have_text(
        "✓ Correct: top left loses nothing; it draws. Just as good: top right, bottom left or bottom right."
    )
    summary = page.locator("#summary")
    expect(summary).to_contain_text("2 of 10 positions are right")  # the first free cell, twice right
    expect(summary).to_contain_text("On average an answer cost 0.9 points at first, now 0.8.")
    expect(summary.get_by_role("button")).to_have_text([f"{k + 1} {'✗✓'[k in (0, 6)]}" for k in range(10)])
    page.click("text=Explore this position")
    page.wait_for_selector("#value")
    assert f"code={seen[0]}" in page.url


@AT_A_DESK
def test_where_places_are_small_all_are_marked(page: Page, address: str) -> None:
    page.goto(f"{address}#practise?game=soccer_v0")
    expect(page.locator("#told")).to_contain_text("What do you play?")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#next")
    assert page.locator("[data-target]").count() == page.locator(".stage .mark").count() > 2


def play_rounds(page: Page, address: str, throws: str) -> None:
    page.goto(f"{address}#play?game=roshambo_v0(rounds={len(throws.split())})&p1=constant&seed=1")
    for number, throw in enumerate(throws.split(), 1):
        page.click(f"[data-action='{throw}']")
        expect(page.locator("ol.log li")).to_have_count(number)
    page.wait_for_selector("#share")


@pytest.mark.parametrize(
    ("throws", "told", "heading"),
    [
        ("0 1 2 0 1", "No mistake in 1 game, and no clear habit yet.", "You have no clear habit"),
        ("0 0 0 0 0", "You lose 5 points per game to an opponent who knows what is told here, if you go on like this.",
         "You favour Rock: 100 % (even would be 33.3 %)"),
    ],
)  # fmt: skip
def test_the_same_choice_at_many_positions_is_one_mix_as_in_the_review(
    page: Page, address: str, throws: str, told: str, heading: str
) -> None:
    play_rounds(page, address, throws)
    page.goto(f"{address}#weaknesses?game=roshambo_v0(rounds=5)&own=1")
    expect(page.locator("[role=status]")).to_have_text(told)
    expect(page.locator(".states h2")).to_have_text(heading)
    expect(page.locator(".states tr")).to_have_count(3)
    expect(page.locator(".states")).to_contain_text("Counted: 5 choices.")
    page.goto(f"{address}#practise?game=roshambo_v0(rounds=5)")  # the weakness, or the start
    expect(page.locator("#told")).to_contain_text("Choose 6 times. How often you choose each counts")


def keep_own(page: Page, address: str, game: Game, *played: list[tuple[int, int]]) -> None:
    """Keeps matches of the person with these actions in the browser, and opens their weaknesses."""
    name, lines = f"{game.name}({','.join(f'{one}={value}' for one, value in SHORT[game.name].items())})", []
    for pairs in played:
        match = Trajectory(game, game.first_decision)
        for pair in pairs:
            match.follow(*pair)
        lines.append(json.dumps(Record(match, ("manual", "random"), TERMINATED).as_json()))
    page.goto(f"{address}#lobby")
    page.evaluate("([name, lines]) => localStorage.setItem(name, JSON.stringify(lines))", [f"matches {name}", lines])
    page.goto(f"{address}#weaknesses?game={name}&own=1")


def test_an_order_is_told_with_its_shares_and_not_practised_as_a_mix(page: Page, address: str) -> None:
    # By hand: after Paper 0.8 and after Scissors 7/8 more, (10 * 0.8 + 8 * 7/8) / 2 games; after Rock it is no habit.
    rounds = ["RRRRRRRPRRSPRRPSRRPS", ("RPS" * 7)[:20]]
    keep_own(
        page, address, make_game("roshambo_v0", rounds=20), *[[("RPS".index(one), 0) for one in own] for own in rounds]
    )
    expect(page.locator("[role=status]")).to_have_text(
        "You lose 7.5 points per game to an opponent who knows what is told here, if you go on like this."
    )
    expect(page.locator(".states h2")).to_have_text("After your own Paper you play Scissors: 8 of 10")
    own = page.locator(".states td:not(.name)").evaluate_all("all => all.map((one) => one.firstChild.textContent)")
    assert own == [f"{each}\xa0%" for each in ("20", "0", "80", "87.5", "12.5", "0")]
    expect(page.locator("#practise")).to_have_count(0)


def test_where_the_best_is_a_mix_a_mistake_has_no_right_action(page: Page, address: str) -> None:
    # By the exact solution: at the start three attacks are played a third each; a counter costs something.
    game = bodega_brawl_v0.game(preset="small")
    keep_own(page, address, game, [(2, 1), *[(one, one) for one in (1, 4, 4, 7, 7)]])
    expect(page.locator("h1")).to_have_text("Your weaknesses in Bodega Brawl, small")
    card = page.locator(".states > li").filter(has_text="Head Counter is bad here")
    expect(card.locator(".marks span")).to_have_text("Head Counter")
    expect(card).not_to_contain_text("Here:")  # it is drawn
    played = parse_qs(card.get_by_role("link", name="Play from here").get_attribute("href") or "")
    assert (played["p0"], played["p1"], played["start"]) == (["human player"], ["random"], [str(game.start_codes[0])])
    expect(card).to_contain_text("A perfect mix: Head Dual Attack 33.3\xa0%, Body Dual Attack 33.3\xa0%, Legs")


def test_habits_in_time_say_after_what(page: Page, address: str) -> None:
    page.goto(f"{address}#weaknesses?game=roshambo_v0(rounds=20)&player=copy")
    expect(page.locator(".states h2").first).to_have_text(
        "After the opponent's Rock it plays Rock too often: every time, a perfect mix 1 time in 3"
    )
    expect(page.locator(".states p").first).to_contain_text("They differ only in throws played and last throws.")
    page.goto(f"{address}#weaknesses?game=roshambo_v0(rounds=20)&player=rotating")
    expect(page.locator(".states h2").first).to_have_text(
        re.compile("^At the start and after its Scissors it plays Rock too often: every time")
    )
    expect(page.get_by_text("Goes round all throws in the same order.")).to_be_visible()
    page.goto(f"{address}#weaknesses?game=roshambo_v0(rounds=20)&player=habits")
    whens = "After its Scissors and the opponent's Rock", "After its Rock and the opponent's Rock", "At the start"
    expect(page.locator(".states h2")).to_have_text(  # what costs less than 1 part in 100 is left out
        [re.compile(f"^{when} it plays Scissors too often: about") for when in whens]
    )


@AT_A_DESK
def test_ones_own_matches_are_kept_and_measured(page: Page, address: str) -> None:
    play_rounds(page, address, "0 0")
    page.wait_for_function("() => localStorage.getItem('matches roshambo_v0(rounds=2)')")
    page.click("nav [data-view=weaknesses]")
    expect(page.locator("h1")).to_have_text("Your weaknesses in Roshambo")
    expect(page.locator("[role=status]")).to_have_text("Too few choices yet (2 of 5).")
    expect(page.locator(".states h2")).to_have_text("2 of 5 choices")
    expect(page.locator(".states .bar")).to_have_count(0)  # of 100 %
    expect(page.get_by_role("link", name="Play on")).to_have_attribute("href", re.compile("p1=constant"))
    page.click("#new")
    expect(page.locator("dialog")).to_contain_text("Roshambo: 1 now")
    page.click("dialog >> text=Forget them")
    expect(page.locator(".states")).to_contain_text("You have finished no game here")
    page.click("#new")
    expect(page.locator("dialog >> text=Forget them")).to_have_count(0)
    page.click("#own")
    expect(page.locator(".states")).to_contain_text("You have finished no game here")


@AT_A_DESK
def test_a_bare_address_has_the_game_that_a_person_plays(page: Page, address: str) -> None:
    page.goto(f"{address}#weaknesses?game=roshambo_v0")
    page.click("text=Play from here")
    page.wait_for_selector("[data-action]:enabled")
    expect(page).to_have_url(re.compile("rounds%3D20"))


@AT_A_DESK
def test_saved_matches_are_added(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}#play?game=tictactoe_v0&p1=perfect&seed=1")
    page.click("[data-action='1']")
    expect(page.locator("ol.log li")).to_have_count(2)
    with page.expect_download() as download:
        page.click("text=Save the record")
    download.value.save_as(tmp_path / "match.jsonl")
    page.goto(f"{address}#weaknesses?game=tictactoe_v0&player=nash")
    expect(page.locator("[role=status]")).to_contain_text("nothing costs it anything.")
    page.click("#new")
    page.set_input_files("dialog input[type=file]", str(tmp_path / "match.jsonl"))
    expect(page.locator("h1")).to_have_text("Your weaknesses in Tic-tac-toe")
    expect(page.locator("[role=status]")).to_contain_text("in 1 game")


@AT_A_DESK
def test_the_mistakes_of_the_review_are_listed(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=tictactoe_v0&p1=perfect&seed=4")
    play_out(page, -1)
    expect(page.locator("#review .marks")).to_be_visible()
    marks = page.locator("#review .marks span").all_inner_texts()
    costs = re.findall(r"costs? (\d)", page.inner_text("#review h2 >> nth=0"))
    page.click("nav [data-view=weaknesses]")
    expect(page.locator("[role=status]")).to_have_text(
        f"You made 1 mistake in 1 game: it cost {costs[0]} point against perfect play."
    )
    expect(page.locator(".states .marks span")).to_have_text(marks)
    expect(page.locator(".states h2")).to_have_text(re.compile("^Only .* is best here: you played .*[a-z]$"))
    expect(page.locator(".states")).to_contain_text("It cost 1 point.")
    expect(page.locator(".states .boardbox .mark")).to_have_count(len(marks))
    page.click("#practise")
    page.click("[data-action] >> nth=0")
    expect(page.locator("#told")).to_have_text(re.compile("Correct:|Wrong:"))


@AT_A_DESK
def test_players_that_are_not_computed_cannot_be_chosen(page: Page, address: str) -> None:
    page.goto(f"{address}#weaknesses?game=footsies_v0")
    page.click("#new")
    casual = page.locator("dialog option").filter(has_text="Casual")
    expect(casual).to_be_disabled()
    expect(casual).to_have_text("Casual: searches afresh each time")
    expect(page.locator("dialog")).to_contain_text("Where a grey player loses is not computed.")
    roller = page.locator("dialog option").filter(has_text="The High Roller")
    expect(roller).to_have_text("The High Roller: remembers earlier moves")


@AT_A_DESK
def test_a_state_of_the_review_is_practised(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=tictactoe_v0&p1=perfect&seed=4")
    play_out(page, -1)
    match = page.url
    page.click("text=Practise it")
    page.wait_for_selector("[data-action]:enabled")
    expect(page.locator("#back")).to_have_text("Back to the match")
    expect(page.locator("nav [aria-current]")).to_have_text("Play")
    page.click("[data-action] >> nth=0")
    expect(page.locator("#told")).to_have_text(re.compile("Correct:|Wrong:"))
    assert page.get_attribute("img.board", "data-code") == re.findall(r"code=(\d+)", page.url)[0]
    page.click("#back")
    page.wait_for_selector("#share")
    assert page.url == match
    game = tictactoe_v0.game()
    page.goto(f"{address}#explore?game=tictactoe_v0&code={game.code(board='x...o....')}")
    page.click(".tools >> text=Practise")
    expect(page.locator("#told")).to_contain_text("You are crosses. What do you play?")
    page.click("[data-action] >> nth=0")
    page.click("text=Next position")
    expect(page.locator(".score")).to_contain_text("position 2 of ")


@AT_A_DESK
def test_what_perfect_play_rarely_chooses_is_not_called_never(page: Page, address: str) -> None:
    page.goto(f"{address}#practise?game=bodega_brawl_v0&code=6333002949192&player=0")
    answer(page, *"33333333")
    solution = page.request.get(f"{address}api/solution?game=bodega_brawl_v0&code=6333002949192").json()
    (share,) = (one["probability"] for one in solution["players"][0] if one["name"] == "Head Counter")
    assert 0.0 < 8 * share < 0.5  # so that the whole number nearest to it is 0
    told = f"Too much Head Counter: 8 of 8; perfect play {100 * share:.1f}\xa0%."
    expect(page.locator("#told")).to_contain_text(told)


def test_practice_without_a_player_is_at_the_states_worth_it(page: Page, address: str) -> None:
    page.goto(f"{address}#practise?game=tictactoe_v0")
    worth = [str(code) for code, _ in worth_practising(solve(tictactoe_v0.game()))]
    expect(page.locator(".score")).to_have_text(f"position 1 of {len(worth)}, 0 right")
    expect(page.locator("img.board")).to_have_attribute("data-code", worth[0])
    page.goto(f"{address}#practise?game=tictactoe_v0&code={tictactoe_v0.game().start_codes[0]}&player=0")
    expect(page.locator("img.board")).to_have_attribute("data-code", worth[0])  # at the start no choice loses


@pytest.mark.parametrize("game", WEAK)
def test_nothing_needed_is_below_the_fold(page: Page, address: str, game: str) -> None:
    page.goto(f"{address}#practise?game={game}&player={WEAK[game]}")
    page.wait_for_selector("[data-action]:enabled")
    for _ in range(2):
        assert page.evaluate(BELOW_THE_FOLD) == []
        assert not page.evaluate(COVERED)
        answer_all(page, 0)
        assert page.evaluate(BELOW_THE_FOLD) == []
        assert not page.evaluate(COVERED)
        page.click("#next")
        page.wait_for_selector("#next", state="detached")  # it stays until the next state has come
        if "#practise" not in page.url:  # all are done, and a match may be over before one has chosen
            break
        page.wait_for_selector("[data-action]:enabled")


def test_many_actions_are_practised_above_the_fold(page: Page, address: str) -> None:
    medium = bodega_brawl_v0.game(preset="medium")
    page.goto(f"{address}#practise?game=bodega_brawl_v0(preset=medium)&code={medium.start_codes[0]}&player=0")
    for _ in range(2):
        answer_all(page, -1)
        assert page.evaluate(BELOW_THE_FOLD) == [] and not page.evaluate(COVERED)
        page.click("#next")


def test_explore_with_its_further_link(page: Page, address: str) -> None:
    page.goto(f"{address}#explore?game=footsies_v0")
    page.wait_for_selector("#value")
    assert page.evaluate(BELOW_THE_FOLD) == []


def test_axe_finds_nothing(page: Page, address: str, themes: Iterator[str], barriers: Callable[[str], object]) -> None:
    for theme in themes:
        page.goto(f"{address}#weaknesses?game=footsies_v0&player=counter")
        page.wait_for_selector(".states img[src]")
        page.wait_for_load_state("networkidle")
        assert barriers(theme) == {}
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        nav, here = page.locator("nav").bounding_box(), page.locator("nav [aria-current]").bounding_box()
        assert nav and here and nav["x"] <= here["x"] and here["x"] + here["width"] <= nav["x"] + nav["width"]
        page.goto(f"{address}#practise?game=footsies_v0&player=counter")
        page.wait_for_selector("[data-action]:enabled")
        assert barriers(theme) == {}
        answer(page, BLOCK)
        page.wait_for_load_state("networkidle")
        assert barriers(theme) == {}


def test_refusals_are_sentences(refused: Page, address: str, tmp_path: Path) -> None:
    refused.goto(f"{address}#weaknesses?game={KUHN}")
    expect(refused.locator(".states")).to_have_text(
        "Something is hidden in this game. For such games there is no list of weaknesses yet."
        " Play a match: the review after it shows what your moves cost."
    )
    expect(refused.locator(".tools a")).to_have_text(["Play", "Opponents"])
    refused.goto(f"{address}#weaknesses?game=footsies_v0&player=bayesian")
    expect(refused.locator(".states")).to_contain_text("This player remembers earlier moves")
    (tmp_path / "broken.jsonl").write_text("{}\n")
    refused.click("#new")
    refused.set_input_files("dialog input[type=file]", str(tmp_path / "broken.jsonl"))
    expect(refused.locator("#error")).to_contain_text("this is no record of a match")


@AT_A_DESK
def test_a_mix_is_practised_where_something_is_hidden(page: Page, address: str) -> None:
    # Kuhn (1950): both mix two to one. Who never bluffs saves the middle card 2 points of 3 times in 6 deals: 1/9.
    page.goto(f"{address}#explore?game=nashzoo.examples.kuhn")
    page.get_by_role("link", name="Practise").click()
    for correct in (True, False):
        for place in (0, 0, 0, 0, -1, -1) if correct else [0] * 6:
            page.locator("[data-action]:enabled").nth(place).click()
        if correct:
            expect(page.locator("#told")).to_have_text("✓ Correct: your mix is perfect.")
            expect(page.locator("#answer")).to_contain_text(
                "Green is the best mix of 6 choices, with perfect play elsewhere."
            )
            page.get_by_role("button", name="Next position").click()
    expect(page.locator("#told")).to_have_text(
        "✗ Wrong. Too much Check: 6 of 6; perfect play 4. "
        "An opponent who knows this wins 0.11 points more from you per game."
    )
    expect(page.locator("#summary h2")).to_have_text("1 of 2 positions are right")
    page.get_by_role("button", name="Once more").click()
    for place in (0, 0, 0, 0, -1, -1):
        page.locator("[data-action]:enabled").nth(place).click()
    expect(page.locator("#told")).to_have_text("✓ Correct: your mix is perfect.")
    expect(page.locator("#summary")).to_contain_text(  # half of 1/9
        "On average an answer cost 0.06 points at first, now 0, to an opponent who knows it."
    )
    expect(page.locator("#next")).to_contain_text("Play against ")


def test_perfect_play_has_nothing_to_practise(page: Page, address: str) -> None:
    page.goto(f"{address}#practise?game=footsies_v0&player=nash")
    expect(page.locator("#told")).to_contain_text("Nothing is lost anywhere: there is nothing to practise.")
    page.click("#told >> text=Choose another player")
    page.wait_for_selector("#new")
