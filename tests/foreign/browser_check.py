"""Playing, exploring and watching in Chromium: python -m pytest tests/foreign/browser_check.py"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from nashzoo.arena.review import REAL
from sizes import AT_A_DESK
from studies.web_server import play_out


def test_nothing_is_wider_than_the_window(page: Page, address: str) -> None:
    for view in ("play", "explore", "watch"):
        page.goto(f"{address}#{view}?game=bodega_brawl_v0(preset=small)")
        page.wait_for_selector("img.board")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, view


@AT_A_DESK
def test_a_game_is_played_by_keyboard_alone(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0&p1=nash&seed=4")
    page.wait_for_selector("button[data-action]")
    for _ in range(400):
        if page.locator("#review").count():
            break
        page.keyboard.press("4")
        page.wait_for_timeout(150)
    page.wait_for_selector("#share")
    costs = [float(text) for text in page.locator("#review table:not([aria-label]) td:last-child").all_text_contents()]
    assert page.locator("#review .worst").count() == (max(costs, default=0.0) >= REAL)
    assert "won" in page.inner_text("#told")
    page.keyboard.press("u")
    page.wait_for_selector("button[data-action]")


def test_tic_tac_toe_is_played_by_clicking_on_the_board(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=tictactoe_v0&p1=perfect&seed=1")
    page.click("[data-target='4']")
    expect(page.locator("ol.log li")).to_have_count(2)
    expect(page.locator("#told")).to_have_text(re.compile(r"^Noughts marked .*\.\s+Your move\.\s*$"))
    assert page.locator("[data-target]").count() == 7
    assert page.locator("img.board").get_attribute("alt").count("x") >= 1  # type: ignore[union-attr]


@AT_A_DESK
def test_two_people_choose_without_seeing_each_other(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0&p0=human player&p1=human player")
    page.click("button[data-action='3']")
    page.wait_for_selector("[aria-label='Actions of blue']")
    assert page.locator("ol.log li").count() == 0 and page.locator("button:has-text('Dragon Punch')").count() == 1
    page.click("button[data-action='0']")
    page.wait_for_selector("ol.log li")
    assert "Dragon Punch" in page.inner_text("ol.log")


def test_the_truth_is_shown_and_hidden(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0")
    page.wait_for_selector("#truth")
    assert page.locator("#value").count() == 0
    page.click("#truth")
    page.wait_for_selector("#value")
    assert page.inner_text("#value") == "0" and page.locator("table.matrix tbody tr").count() == 4
    page.select_option("text=What would another player do here? >> select", "bayesian")
    page.wait_for_selector("text=sampled")


def test_states_are_explored_by_cells_fields_and_address(page: Page, address: str) -> None:
    page.goto(f"{address}#explore?game=footsies_v0")
    page.click("table.matrix button >> nth=1")
    expect(page.locator("[role=status]")).to_contain_text("Block")
    there = page.url
    assert "code=" in there
    text = page.get_attribute("img.board", "alt")
    page.goto("about:blank")
    page.goto(there)
    page.wait_for_selector("img.board")
    assert page.get_attribute("img.board", "alt") == text
    page.select_option("select[name=blocks0]", "1")
    page.click("button:text-is('Go there')")
    expect(page.locator("img.board")).to_have_attribute("alt", re.compile("red: blocks 1"))


@AT_A_DESK
def test_agents_are_watched_step_by_step_and_a_saved_match_is_shown(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}#watch?game=tictactoe_v0&p0=perfect&p1=random&seed=3")
    for number in range(1, 4):
        page.click("#forward")
        expect(page.locator("ol.log li")).to_have_count(number)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#told")).to_contain_text("2. ")
    record = tmp_path / "match.jsonl"
    line = subprocess.run(
        [sys.executable, "-m", "nashzoo.app", "watch", "tictactoe_v0", "perfect", "random", "--seed", "1",
         "--save", str(record)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert line.returncode == 0
    page.click("#new")
    page.set_input_files("input[type=file]", str(record))
    expect(page.locator("ol.log li").nth(4)).to_be_visible()


@AT_A_DESK
def test_dark_and_light(page: Page, address: str) -> None:
    page.goto(f"{address}#play")
    light = page.locator("img.board[src]").get_attribute("src")
    page.click("#theme")
    expect(page.locator("#theme")).to_have_text("Light")
    page.wait_for_function("src => document.querySelector('img.board').src !== src", arg=light)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"


@AT_A_DESK
def test_a_match_that_was_saved_on_the_page_is_shown_on_it(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}#play?game=soccer_v0(width=11,height=5,goal_height=3)&p1=greedy&seed=1")
    page.click("[data-action] >> nth=0")
    expect(page.locator("ol.log li")).to_have_count(2)
    with page.expect_download() as download:
        page.click("text=Save the record")
    download.value.save_as(tmp_path / "match.jsonl")
    page.goto(f"{address}#watch?game=footsies_v0")
    page.wait_for_selector("#forward")
    page.click("#new")
    page.set_input_files("input[type=file]", str(tmp_path / "match.jsonl"))
    expect(page.locator(".head")).to_contain_text("A saved game of Grid soccer")
    expect(page.locator(".score")).to_have_text("manual (red) against One move ahead (blue)")
    expect(page.locator("ol.log li")).to_have_count(2)
    expect(page.locator("#error")).to_be_hidden()


@AT_A_DESK
def test_the_skip_link_keeps_the_match(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0&p1=counter&seed=2")
    page.wait_for_selector("[data-action]")
    page.keyboard.press("2")
    expect(page.locator("ol.log li")).to_have_count(1)
    page.focus(".skip")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    expect(page.locator("ol.log li")).to_have_count(1)


@AT_A_DESK
def test_a_view_that_is_left_before_it_has_loaded_changes_nothing(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=tictactoe_v0&p1=perfect")
    page.wait_for_selector("img.board")
    for place in ("explore?game=footsies_v0", "watch?game=footsies_v0", "play?game=bodega_brawl_v0(preset=small)"):
        page.evaluate("place => { location.hash = '#' + place }", place)
    expect(page).to_have_title("bodega_brawl_v0: play · nashzoo")
    page.wait_for_selector("[data-action]")
    page.wait_for_load_state("networkidle")
    assert page.evaluate("location.hash").startswith("#play")
    assert "bodega_brawl" in (page.get_attribute("img.board", "data-game") or "")


@AT_A_DESK
def test_a_player_that_is_watched_shows_its_policy_and_what_it_wins_in_many_games(page: Page, address: str) -> None:
    page.goto(f"{address}#watch?game=footsies_v0&p0=random&p1=nash&seed=1")
    plays = page.locator(".mixes[aria-label='What Beginner plays, red']")
    expect(plays.locator("tr")).to_have_count(4)
    expect(plays).to_contain_text("25 %")
    expect(page.locator(".mixes[aria-label^='What Perfect plays']")).to_have_count(0)  # the solution says it
    for _ in range(100):
        if page.locator("#forward").is_disabled():
            break
        page.click("#forward")
        page.wait_for_timeout(100)
    expect(page.locator(".side")).to_contain_text(
        re.compile(
            r"Of 1,000 such games Beginner \(red\) wins \d+ and loses \d+\. On average it loses 0\.\d+ points a game"
        )
    )


@AT_A_DESK
def test_at_the_end_a_watched_game_has_its_buttons_its_last_choice_and_its_points(page: Page, address: str) -> None:
    page.goto(f"{address}#watch?game=nashzoo.examples.kuhn&seed=1")
    page.wait_for_selector("[aria-label='Exact solution'][data-code] table")
    places = [page.locator(".actionbar .actions > *").nth(k).bounding_box() for k in range(4)]
    while page.locator("#forward").is_enabled():
        moves = page.locator("ol.log li").count()
        page.click("#forward")
        expect(page.locator("ol.log li")).to_have_count(moves + 1)
    assert [page.locator(".actionbar .actions > *").nth(k).bounding_box() for k in range(4)] == places
    expect(page.locator("#next")).to_have_text("Next game")
    won = re.findall(r"won (\d) point", page.inner_text("#told"))[0]
    expect(page.locator(".score")).to_contain_text(
        re.compile(f"{won} : .{won} Beginner \\(blue\\) points after 1 game")
    )
    expect(page.locator(".side")).to_contain_text("Before the last move:")
    expect(page.locator("[aria-label='Exact solution'] table").first).to_be_visible()


@AT_A_DESK
def test_keys_do_nothing_before_a_match_is_there(page: Page, address: str) -> None:
    held: list[Route] = []
    page.route("**/api/matches", lambda route: held.append(route))  # it takes no built-in function
    page.goto(f"{address}#watch?game=footsies_v0&p0=random&p1=random&seed=1")
    page.wait_for_function("() => document.querySelector('main').classList.contains('watch')")
    while not held:
        page.wait_for_timeout(20)
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    held[0].continue_()
    page.wait_for_selector("#run:has-text('Run')")
    assert page.locator("#error:visible").count() == 0


@AT_A_DESK
def test_the_page_says_what_is_waited_for_and_how_long(page: Page, address: str) -> None:
    held: list[Route] = []
    solving = {"solving": "solving the game"}
    page.route(re.compile("/api$"), lambda route: held.append(route))
    page.route("**/api/matches", lambda route: held.append(route))
    page.route("**/api/compiling", lambda route: route.fulfill(json=True))
    page.goto(f"{address}#watch?game=roshambo_v0(rounds=1)&p0=random&p1=constant&seed=1")
    expect(page.locator("main")).to_have_text("Opening the page …")
    held.pop().continue_()
    expect(page.locator("#told")).to_have_text(re.compile("The game is being prepared, [1-9]"))
    expect(page.locator("#told")).to_contain_text("The first use is slow: nashzoo compiles itself once.")
    held.pop().fulfill(json=solving)
    expect(page.locator("#told")).to_have_text(re.compile(r"^Solving the game, \d+ s so far\.$"))
    page.wait_for_timeout(1000)  # until it is asked again
    held.pop().continue_()
    page.click("#forward")
    expect(page.locator("#next")).to_be_visible()
    expect(page.get_by_label("Exact solution", exact=True)).to_contain_text("Rock")  # of the last choice


@AT_A_DESK
@pytest.mark.parametrize(
    ("view", "waits", "comes"),
    [
        ("play?game=footsies_v0&p1=nash", "/matches", "[data-action='3']"),
        ("practise?game=footsies_v0", "/solution", "[data-action='3']"),
        ("watch?game=footsies_v0", "/matches", "#forward"),
    ],
)
def test_the_board_is_there_while_the_rest_is_computed(
    page: Page, address: str, view: str, waits: str, comes: str
) -> None:
    held: list[Route] = []
    page.route(re.compile(rf"/api{waits}($|\?)"), lambda route: route.continue_() if held else held.append(route))
    page.goto(f"{address}#{view}")
    expect(page.locator("#told")).to_contain_text("s so far.")
    expect(page.locator("img.board[src]")).to_be_visible()
    held[0].continue_()
    expect(page.locator(comes)).to_be_visible()


@AT_A_DESK
def test_opponents_are_listed_while_they_are_measured(page: Page, address: str) -> None:
    held: list[Route] = []
    page.route(re.compile(r"/api/ladder\?"), lambda route: route.continue_() if held else held.append(route))
    page.goto(f"{address}#ladder?game=tictactoe_v0")
    beginner = page.locator("table.ladder tr:has-text('Beginner')")
    expect(beginner.get_by_role("link")).to_be_visible()
    expect(page.locator("[role=status]")).to_contain_text("s so far.")
    rows = page.locator("table.ladder tr")
    listed = rows.locator("b, .group").all_inner_texts()
    held[0].continue_()
    expect(beginner).to_contain_text("+0.9")
    assert rows.locator("b, .group").all_inner_texts()[: len(listed)] == listed


@AT_A_DESK
def test_a_review_appears_when_it_is_ready(page: Page, address: str) -> None:
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) < 3:
            route.fulfill(json={"solving": f"The game is solved, {len(asked)} of 2."})
        else:
            route.continue_()

    page.route(re.compile(r"/review\?"), answer)
    page.goto(f"{address}#play?game=tictactoe_v0&p1=random&seed=1")
    play_out(page, 0)  # which waits for the review
    assert len(asked) == 3
