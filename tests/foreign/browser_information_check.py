"""Games with hidden information in Chromium: python -m pytest tests/foreign/browser_information_check.py"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from nashzoo.envs import make_game
from sizes import AT_A_DESK

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"
KUHN, LEDUC, DICE, GOOFSPIEL = GAMES = [
    str(EXAMPLES / f"{name}.py") for name in ("kuhn", "leduc", "liars_dice", "hidden_goofspiel")
]
NAMES = "red", "blue"  # of players without names, by the colours of the drawings


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    return serve(*GAMES)


def sight(page: Page) -> str:
    """Returns the description of the drawing."""
    return page.get_attribute("img.board", "alt") or ""


@pytest.mark.parametrize(
    "view", [f"#play?game={LEDUC}&truth=1", f"#explore?game={LEDUC}&code=DEAL", f"#watch?game={DICE}"]
)
def test_the_pages_have_no_barriers_and_fit(
    page: Page, address: str, view: str, themes: Iterator[str], barriers: Callable[[str], object]
) -> None:
    deal = make_game(LEDUC).code(card0=1, card1=4, dealing=0)
    for theme in themes:
        page.goto(address + view.replace("DEAL", str(deal)))
        page.wait_for_selector("#value")
        page.wait_for_load_state("networkidle")
        assert barriers(theme) == {}
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@AT_A_DESK
def test_no_share_of_perfect_play_is_told_where_it_never_gets(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game={LEDUC}&p1=random&seed=11")
    for _ in range(2):
        page.wait_for_selector("[data-action]:enabled")
        before = page.locator("ol.log li").count()
        page.keyboard.press("2")  # check
        expect(page.locator("ol.log li").nth(before)).to_be_visible()
    page.click("#review summary:text-is('All moves')")
    cells = page.locator("#review tr:has(td a) td:last-child")
    expect(cells.nth(1)).to_have_text("0\xa0%")  # the opponent's first check costs points
    expect(cells.last).to_have_text("\N{EN DASH}")
    expect(page.locator("#review caption")).to_have_text("\N{EN DASH}: perfect play never gets there.")


@AT_A_DESK
def test_a_number_repeats_a_match_but_no_deal_of_it(page: Page, address: str) -> None:
    def deals() -> list[str]:
        page.goto(f"{address}#play?game={KUHN}&p1=random&seed=4")
        seen = []
        for game in range(5):
            while page.locator("button:text-matches('Next game|New match')").count() == 0:
                page.locator("[data-action]:enabled, button:text-matches('Next game|New match')").first.click(
                    trial=True
                )
                if page.locator("[data-action]:enabled").count():
                    page.locator("[data-action]:enabled").first.click()
            seen.append(sight(page))
            if game < 4:
                page.click("button:text-is('Next game')")
                expect(page.locator("ol.log li")).to_have_count(0)
        return seen

    first = deals()
    assert len(set(first)) > 1 and deals() == first


@AT_A_DESK
def test_a_mistake_is_told_with_what_was_hidden(page: Page, address: str) -> None:
    middle = make_game(KUHN).code(dealt=1, card0=2)
    page.goto(f"{address}#play?game={KUHN}&p1=random&start={middle}&player=0")
    page.click("button:text-is('Bet 1')")  # which only the 3 calls
    expect(page.locator("#review h2").first).to_contain_text("Your worst move: Bet 1 in move 1.")
    rows, card = page.locator("table[aria-label*='to expect there'] tr"), re.compile(r"card is (\d)")
    expect(rows).to_have_text([re.compile(f"The opponent's card is {one}.*50\xa0%") for one in (1, 3)])
    expect(rows.filter(has_text="as it was")).to_have_count(1)
    (real,) = card.findall(rows.filter(has_text="as it was").inner_text())
    assert f"card {real}" in sight(page)


@AT_A_DESK
def test_a_card_is_face_down_until_the_match_is_over(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game={LEDUC}&p1=random&seed=3&truth=1")
    for _ in range(8):
        page.wait_for_selector("[data-action], #share")
        if page.locator("#review").count():
            break
        assert "opponent: card ?" in sight(page) and page.locator("text=Save the record").count() == 0
        page.wait_for_selector("#value")
        (caption,) = page.locator("caption:text('not see')").all_inner_texts()
        assert caption == "What you do not see, if the opponent plays perfectly"
        before = page.locator("ol.log li").count()
        page.keyboard.press("2")  # call
        expect(page.locator("ol.log li").nth(before)).to_be_visible()
    page.wait_for_selector("#share")
    assert "?" not in sight(page) and page.locator("button:has-text('Undo')").is_disabled()
    page.click("ol.log button >> nth=0")
    page.click("#explore")
    page.wait_for_selector("#value")
    assert "&player=0" in page.url


@AT_A_DESK
def test_two_people_turn_the_screen(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game={KUHN}&p0=human player&p1=human player&seed=1")
    for player in (0, 1):
        page.wait_for_selector(f"#see:has-text('{NAMES[player]}')")
        assert page.locator("img.board, [data-action]").count() == 0
        page.keyboard.press("1")
        page.keyboard.press("s")
        page.wait_for_selector("[data-action]")
        assert sight(page).count("?") == 1 and f"{NAMES[1 - player]}: card ?" in sight(page)
        page.keyboard.press("1")
    page.wait_for_selector("#share")
    assert "?" not in sight(page)


@AT_A_DESK
def test_two_people_choose_at_once_behind_their_hands(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game={GOOFSPIEL}(cards=3)&p0=human player&p1=human player")
    for player in (0, 1):
        page.click(f"#see:has-text('{NAMES[player]}')")
        page.click("[data-action='1']")
    page.click("#see")
    expect(page.locator("ol.log li")).to_have_text(["red played card 2, blue played card 2"])


@AT_A_DESK
def test_information_states_are_explored_from_the_deal(page: Page, address: str) -> None:
    page.goto(f"{address}#explore?game={KUHN}")
    expect(page.locator("main button:has-text('card is')")).to_have_count(6)
    assert page.locator("main input").count() == 0  # the history of a game is no number that anybody knows
    page.click('button:has-text("red\'s card is 2") >> nth=0')
    page.wait_for_selector("img.board[alt*='red: card 2'][alt*='blue: card ?']")
    page.click("button:text-is('Check')")
    page.wait_for_selector(".score:text-is('what blue sees')")
    page.click("#seat")
    page.wait_for_selector(".score:text-is('what red sees')")
    expect(page.locator("[aria-label='Exact solution']")).to_contain_text("Red does not choose here.")
    expect(page.locator("#best")).to_be_disabled()
    expect(page.locator("#best")).to_have_attribute("title", "See it as blue, who chooses.")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".score:text-is('what blue sees')")
    there = page.url
    page.click("button:text-is('Bet 1')")
    expect(page.locator("caption:text('does not see')")).to_contain_text("What red does not see")
    page.goto("about:blank")
    page.goto(there)
    page.wait_for_selector(".score:text-is('what blue sees')")
    page.click("text=Play from here")
    page.wait_for_selector("[aria-label='Your actions']")
    page.wait_for_selector("img.board[alt*='opponent: card ?'][alt*='checked']")


@AT_A_DESK
def test_marks_show_from_where_to_where_equilibria_go(page: Page, address: str) -> None:
    # The lowest card is bet with a probability up to 1/3 (Kuhn 1950); the middle one is never bet.
    lowest, middle = (make_game(KUHN).code(dealt=1, card0=card) for card in (1, 2))
    page.goto(f"{address}#explore?game={KUHN}&code={lowest}&player=0")
    expect(page.locator(".bar.ranged")).to_have_count(2)
    expect(page.locator(".ranges")).to_have_text(
        "Marks on the bars: perfect players may choose Check from 66.7 % to 100 %, Bet 1 from 0 % to 33.3 %."
    )
    ends = {page.locator(f".bar.ranged >> nth={k}").get_attribute("title") for k in (0, 1)}
    told = "perfect players may choose"
    assert ends == {f"{told} Bet 1 with probability 0 to 1/3", f"{told} Check with probability 2/3 to 1"}
    page.goto(f"{address}#explore?game={KUHN}&code={middle}&player=0")
    expect(page.locator(".ranges")).to_have_text("All perfect players choose so here.")
    assert page.locator(".bar.ranged").count() == 0


def test_best_play_goes_on_once_cards_are_dealt(page: Page, address: str) -> None:
    # By hand: with 2 against 3 red passes, blue bets, and red gives in to it or calls.
    page.goto(f"{address}#explore?game={KUHN}")
    page.click("button:has-text(\"red's card is 2, blue's card is 3\")")
    for told in ("red checked", "blue bet"):
        page.wait_for_selector("#value")
        fits = "[aria-label='Exact solution']", "panel => panel.scrollWidth <= panel.clientWidth"
        assert page.eval_on_selector(*fits)
        page.click("#best:enabled")
        expect(page.locator("#told")).to_have_text(told)


@AT_A_DESK
def test_programs_are_watched_with_open_cards(page: Page, address: str) -> None:
    page.goto(f"{address}#watch?game={LEDUC}&p0=nash&p1=random&seed=1")
    page.click("#forward")
    expect(page.locator("ol.log li")).to_have_count(1)
    assert "card ?" not in sight(page)
