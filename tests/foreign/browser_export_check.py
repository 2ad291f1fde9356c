"""Pages without a server, opened from a folder: python -m pytest tests/foreign/browser_export_check.py"""

import re
from collections import defaultdict

from playwright.sync_api import Page, expect

from exported import GOOFSPIEL, KUHN, LEDUC, PIG
from sizes import AT_A_DESK
from studies.web_server import play_out

pytestmark = AT_A_DESK


def test_tic_tac_toe_is_played_taken_back_and_reviewed(page: Page, folder: str) -> None:
    page.goto(f"{folder}#play?game=tictactoe_v0&p1=perfect&seed=1")
    play_out(page, 0)
    expect(page.locator("#share")).to_be_visible()
    assert "The opponent won" in page.inner_text("#told") or "draw" in page.inner_text("#told")
    expect(page.locator("#review")).to_contain_text("Your worst move")
    page.keyboard.press("u")
    page.wait_for_selector("[data-target]")


def test_the_first_page_leads_to_menace(page: Page, folder: str) -> None:
    page.goto(folder)
    page.click("text=Against the learning matchboxes")
    page.click("[data-target='4']")
    expect(page.locator("ol.log li")).to_have_count(2)


def test_actions_have_pictures_and_drawings_move(page: Page, folder: str) -> None:
    page.emulate_media(reduced_motion="no-preference")
    page.goto(f"{folder}#play?game=footsies_v0&p1=nash&seed=2")
    expect(page.locator("[data-action] svg")).to_have_count(4)
    page.evaluate(
        "new MutationObserver(() => { window.moved ||= Boolean(document.querySelector('.motion svg')); })"
        ".observe(document.body, { childList: true, subtree: true })"
    )
    page.click("[data-action='2']")
    page.wait_for_function("() => window.moved && !document.querySelector('.motion svg')")


def test_the_same_seed_plays_the_same_match(page: Page, folder: str) -> None:
    seen = []
    for other in ("about:blank", folder):
        page.goto(other)
        page.goto(f"{folder}#watch?game=tictactoe_v0&p0=random&p1=random&seed=7")
        page.wait_for_selector("#forward")
        for number in range(1, 10):
            if page.locator("#forward").is_disabled():
                break
            page.keyboard.press("ArrowRight")
            expect(page.locator("ol.log li")).to_have_count(number)
        seen.append(page.inner_text("ol.log"))
    assert seen[0] == seen[1] and len(seen[0].splitlines()) >= 5


def test_states_are_explored(page: Page, folder: str) -> None:
    page.goto(f"{folder}#explore?game=footsies_v0")
    page.wait_for_selector("#value")
    assert page.inner_text("#value") == "0"
    page.click("table.matrix button >> nth=1")
    expect(page.locator("[role=status]")).to_contain_text("Block")
    page.select_option("select[name=blocks0]", "1")
    page.click("button:text-is('Go there')")
    expect(page.locator("img.board")).to_have_attribute("alt", re.compile("red: blocks 1"))


def test_two_people_and_chance(page: Page, folder: str) -> None:
    page.goto(f"{folder}#play?game={PIG}&p0=human player&p1=human player&truth=1")
    page.click("button[data-action='1']")
    expect(page.locator("ol.log li")).to_have_count(1)
    page.click("#theme")
    assert page.locator("img.board").get_attribute("src").startswith("data:image/svg+xml")  # type: ignore[union-attr]
    page.goto(f"{folder}#play?game=footsies_v0&p0=human player&p1=human player")
    page.click("button[data-action='3']")
    page.wait_for_selector("[aria-label='Actions of blue']")
    page.click("button[data-action='0']")
    expect(page.locator("ol.log li")).to_have_count(1)


def sight(page: Page) -> str:
    """Returns the description of the drawing."""
    return page.get_attribute("img.board", "alt") or ""


SOLVED = """() => {
    const code = (selector) => document.querySelector(selector)?.dataset.code;
    return code("[data-code]") === code("section[data-code]");
}"""


def solved_page(page: Page) -> str:
    """Returns board, solution and log, once the solution is that of the board."""
    page.wait_for_function(SOLVED)
    return page.evaluate("[...document.querySelectorAll('main > div:not(.head)')].map((one) => one.innerHTML).join()")


def test_matches_that_look_alike_to_a_person_have_the_same_page(page: Page, folder: str) -> None:
    pages, cards = defaultdict(set), defaultdict(set)
    for seed in range(10):
        page.goto("about:blank")
        page.goto(f"{folder}#play?game={KUHN}&p1=nash&seed={seed}&truth=1")
        page.wait_for_selector("#value")
        own = sight(page).splitlines()[0]
        pages[own].add(solved_page(page))
        page.keyboard.press("1")  # pass
        page.wait_for_selector("#share, ol.log li >> nth=1")
        if page.locator("#review").count() == 0:
            pages[own, "bet"].add(solved_page(page))
            page.keyboard.press("2")  # call
            page.wait_for_selector("#share")
        cards[own].add(sight(page).splitlines()[1])
        assert "?" not in sight(page) and page.locator("button:has-text('Undo')").is_disabled()
    assert {len(texts) for texts in pages.values()} == {1}
    assert max(len(others) for others in cards.values()) > 1


def test_a_public_card_is_turned_and_a_hand_is_not(page: Page, folder: str) -> None:
    page.goto(f"{folder}#play?game={LEDUC}&p0=random&p1=human player&seed=3")
    while page.locator("#share").count() == 0:
        page.wait_for_selector("[data-action], #share")
        if page.locator("[data-action]").count():
            assert "opponent: card ?" in sight(page)
            before = page.inner_text("ol.log")
            page.keyboard.press("2")  # call
            page.wait_for_function("before => document.querySelector('ol.log').innerText !== before", arg=before)
    assert "; the public card is " in page.inner_text("ol.log") and "?" not in sight(page)
    first = page.locator("ol.log button").first
    first.click()
    expect(page.locator("#told")).to_contain_text(first.inner_text())
    page.click("#explore")
    page.wait_for_selector("#value")
    assert "card ?" in sight(page)


def test_two_people_turn_the_screen(page: Page, folder: str) -> None:
    page.goto(f"{folder}#play?game={GOOFSPIEL}&p0=human player&p1=human player")
    for name in ("red", "blue"):
        page.wait_for_selector(f"#see:has-text('{name}')")
        assert page.locator("img.board, [data-action]").count() == 0
        page.click("#see")
        page.click("[data-action='1']")
    page.click("#see")
    expect(page.locator("ol.log li")).to_have_text(["red played card 2, blue played card 2"])


def test_information_states_are_explored_and_played_from(page: Page, folder: str) -> None:
    page.goto(f"{folder}#explore?game={KUHN}")
    page.click("button:text-is(\"red's card is 2, blue's card is 3\")")
    page.wait_for_selector("#value")
    page.click("button:text-is('Check')")
    page.wait_for_selector(".score:text-is('what blue sees')")
    expect(page.locator("caption:text('does not see')")).to_contain_text("What blue does not see")
    page.click("#seat")
    expect(page.locator("[aria-label='Exact solution']")).to_contain_text("Red does not choose here.")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".score:text-is('what blue sees')")
    expect(page.locator("img.board").first).to_have_attribute("alt", re.compile("blue: card 3"))
    page.click("text=Play from here")
    page.wait_for_selector("[aria-label='Your actions']")
    assert "opponent: card ?" in sight(page) and "you: card 3" in sight(page)


def test_programs_are_watched_with_open_cards(page: Page, folder: str) -> None:
    page.goto(f"{folder}#watch?game={LEDUC}&p0=nash&p1=random&seed=1")
    page.click("#forward")
    expect(page.locator("ol.log li")).to_have_count(1)
    assert "card ?" not in sight(page)


def test_what_is_not_in_the_folder_is_told(page: Page, folder: str) -> None:
    for query, message in (
        ("play?game=soccer_v0", "this page has no game soccer_v0; it has footsies_v0, "),
        ("play?game=footsies_v0&p1=bayesian", "bayesian cannot be asked here; the players are "),
        ("play?game=footsies_v0&p1=nash(x=1)", "players have no options on a page without a server"),
        ("explore?game=footsies_v0&code=12345678", "this page has only the states that play reaches from the start"),
    ):
        page.goto("about:blank")
        page.goto(f"{folder}#{query}")
        expect(page.locator("#error")).to_contain_text(message)
