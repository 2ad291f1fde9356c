"""What people read in the views: names, cards, short rules: python -m pytest tests/foreign/browser_words_check.py"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

GAMES = Path(__file__).resolve().parents[2] / "examples" / "games"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    return serve(str(GAMES / "leduc.py"), str(GAMES / "kuhn.py"))


def test_rules_are_a_short_picture_before_they_are_a_text(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0&seed=1")
    page.click("button:text-is('Rules')")
    expect(page.locator("dialog p.short").first).to_have_text("Block beats Dragon Punch", use_inner_text=True)
    assert page.locator("dialog p.short").first.locator("svg").count() == 2
    expect(page.locator("dialog details")).not_to_have_attribute("open", "")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_letter_chooses_as_in_the_terminal(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0&seed=1")
    page.wait_for_selector("button[data-action]")
    page.keyboard.press("b")
    expect(page.locator("ol.log li")).to_have_count(1)
    expect(page.locator("ol.log")).to_contain_text("Block")


def test_who_plays_is_named_and_the_value_has_a_curve(page: Page, address: str) -> None:
    page.goto(f"{address}#watch?game=tictactoe_v0&p0=perfect&p1=random&seed=3")
    for number in (1, 2, 3):
        page.wait_for_selector("[aria-label='Exact solution'][data-code] #value")
        page.keyboard.press("ArrowRight")
        expect(page.locator("ol.log li")).to_have_count(number)
    expect(page.locator("ol.log li").first).to_contain_text("Crosses marked")
    expect(page.locator(".score")).to_have_text("Perfect (crosses) against Beginner (noughts)")
    expect(page.locator("svg.spark")).to_have_attribute("aria-label", re.compile("What crosses can expect"))


def test_best_play_leads_on_and_chance_is_told_in_words(page: Page, address: str) -> None:
    page.goto(f"{address}#explore?game=tictactoe_v0")
    page.wait_for_selector("[aria-label='Exact solution'][data-code]")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#told")).to_contain_text("crosses marked")
    page.goto(f"{address}#explore?game={GAMES / 'leduc.py'}")
    expect(page.locator('button:has-text("red\'s card is J♥")')).to_have_count(1)
    assert "card0=" not in page.inner_text("main")


def test_fields_have_names(page: Page, address: str) -> None:
    page.goto(f"{address}#explore?game=footsies_v0")
    expect(page.locator("form label:has(select[name=blocks0])")).to_contain_text("red's blocks")
    expect(page.locator("form label:has(select)")).to_have_count(4)  # and none for the round or the lead
    page.goto(f"{address}#explore?game={GAMES / 'kuhn.py'}")
    expect(page.locator("img.board").first).to_have_attribute("alt", re.compile("before the cards are dealt"))
    page.goto(f"{address}#explore?game=tictactoe_v0")  # whose fields are sets of cells, as numbers that nobody knows
    page.wait_for_selector("[aria-label='Exact solution'][data-code]")
    assert page.locator(".side :is(input, select):not(#locks *)").count() == 0


def test_a_move_that_is_seen_is_told_once_and_a_long_wait_has_a_reason(page: Page, address: str) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)
        if len(held) == 1:  # one's own move, which is shown; the second is the answer to it
            route.continue_()

    page.route("**/step", hold)
    page.route("**/compiling", lambda route: route.fulfill(json=len(held) > 1))
    page.goto(f"{address}#play?game=tictactoe_v0&seed=1&wins=0")
    page.click("[data-action='6']")
    expect(page.locator("#told")).to_have_text(
        "You marked bottom left. The opponent is choosing … The first use is slow: nashzoo compiles itself once."
    )
    held[1].continue_()
    expect(page.locator("ol.log li")).to_have_count(2)
    page.unroute("**/step")


def test_in_kuhn_poker_moves_are_verbs_and_the_rules_are_short_sentences(page: Page, address: str) -> None:
    kuhn = GAMES / "kuhn.py"
    page.goto(f"{address}#play?game={kuhn}&seed=1&p1=random")
    expect(page.locator("#told")).to_have_text("You are red and act first. Your move.")
    expect(page.locator(".tools button").first).to_have_text("nRestart")
    expect(page.locator("p.short")).to_have_count(5)
    expect(page.locator("[data-action]")).to_have_text(["1Check", "2Bet 1"])
    page.click("[data-action='1']")
    expect(page.locator("ol.log li").first).to_have_text("You bet")
    page.goto(f"{address}#play?game={kuhn}&seed=1&p0=random&p1=human player")
    expect(page.locator("[data-action]")).to_have_text(["1Fold", "2Call 1"])  # after a bet
    page.goto(f"{address}#explore?game={kuhn}")
    expect(page.locator("#told")).to_have_text("Chance decides: choose one of its outcomes in the list.")
    page.click("button:has-text(\"red's card is 1, blue's card is 2\")")
    expect(page.locator("section[data-code]")).to_contain_text("1 point, from what it sees.")
    expect(page.locator("table:has-text('does not see') .bar.p1")).to_have_count(2)  # the cards of blue


def test_in_leduc_poker_moves_are_verbs_and_points_are_counted(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game={GAMES / 'leduc.py'}&seed=4&p1=random")
    for action, moves in ((2, 2), (1, 3), (2, 5)):  # raise, call, raise
        page.click(f"[data-action='{action}']:enabled")
        expect(page.locator("ol.log li")).to_have_count(moves)
    expect(page.locator("ol.log li")).to_have_text(
        [
            "You bet",
            "The opponent raised",
            re.compile("^You called; the public card is"),
            "You bet",
            re.compile("^The opponent called; .* beats "),
        ]
    )
    won = re.findall(r"You won, (\d+) points", page.inner_text("#told"))
    score = f"You +{won[0]} : \N{MINUS SIGN}{won[0]} Beginner (blue) points after 1 of 5 games"
    expect(page.locator(".score")).to_have_text(score)


def test_where_perfect_play_never_gets_it_says_what_is_best_and_no_mix(page: Page, address: str) -> None:
    page.goto(f"{address}#watch?game={GAMES / 'leduc.py'}&p0=nash&p1=random&seed=1")
    for number in (1, 2, 3):
        page.wait_for_selector("[aria-label='Exact solution'][data-code] table")
        page.keyboard.press("ArrowRight")
        expect(page.locator("ol.log li")).to_have_count(number)
    solution = page.locator("[aria-label='Exact solution']")
    expect(solution).to_contain_text("Perfect play never gets here. Against a perfect opponent, Check is best.")
    hidden = solution.locator("table:has-text('does not see') td.name:first-child")
    expect(hidden).to_have_text(["red's card is J", "red's card is Q", "red's card is K"])  # suits do not matter
    expect(solution.locator("thead >> nth=0")).not_to_contain_text("plays")
    page.goto(f"{address}#watch?game={GAMES / 'leduc.py'}&p0=random&p1=nash&seed=3")
    for number in range(1, 6):
        page.wait_for_selector("[aria-label='Exact solution'][data-code] table")
        page.keyboard.press("ArrowRight")
        expect(page.locator("ol.log li")).to_have_count(number)
    expect(solution).to_contain_text("never leads here. The figures suppose the fewest mistakes that do")
    expect(solution.locator("thead >> nth=0")).to_have_text(re.compile("action.*expects.*cost"))
    expect(solution.locator("td:text-is('\N{MINUS SIGN}2.41')")).to_have_count(1)  # as nashzoo solve --at has it


def test_dual_cards_are_in_the_short_rules_and_a_matrix_is_tinted(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=bodega_brawl_v0(preset=tiny)&seed=1")
    told = "A card can be Head Dual Attack or Head Counter."
    expect(page.locator("p.short:has-text('A card')")).to_have_text(told, use_inner_text=True)
    page.click("#truth")
    page.wait_for_selector("table.matrix td.p0")
    cell = page.locator("table.matrix td.p0").first
    assert cell.evaluate("(one) => getComputedStyle(one).backgroundImage") == "none"
    page.goto(f"{address}#play?game=roshambo_v0(rounds=1)&p1=constant&truth=1")
    page.wait_for_selector("table.matrix:has-text('Rock')")
    page.keyboard.press("2")
    expect(page.locator("#truth")).to_be_disabled()  # nothing is chosen after the end
    expect(page.locator("#truth")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#truth")).to_have_attribute("title", re.compile("^The game is over"))
    page.wait_for_selector("#share")
    expect(page.locator("#review table")).to_have_count(0)  # nothing was better


def test_no_answer_has_the_focus_before_one_has_chosen(page: Page, address: str) -> None:
    page.goto(f"{address}#practise?game=footsies_v0")
    page.wait_for_selector("[data-action]:enabled")
    assert page.evaluate("document.activeElement.dataset.action") is None
    for key in "234234":  # Block, Grab and Dragon Punch, each twice
        page.keyboard.press(key)
    expect(page.locator("#next")).to_be_focused()
    expect(page.locator("[data-action]")).to_have_count(0)  # the mix is read, which they would cover
