"""Pages without a server, opened from a folder: python -m pytest tests/foreign/browser_export_check.py"""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from nashzoo.app.web import export

PIG = f"{Path(__file__).resolve().parents[2] / 'examples' / 'games' / 'pig.py'}(target=5)"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("export") / "site"
    export.write(("footsies_v0", "tictactoe_v0", PIG), (), folder)
    return (folder / "index.html").as_uri()


def test_tic_tac_toe_is_played_taken_back_and_reviewed(page: Page, site: str) -> None:
    page.goto(f"{site}#play?game=tictactoe_v0&p1=perfect&seed=1")
    for _ in range(5):
        page.wait_for_selector("[data-target], #review")
        if page.locator("#review").count():
            break
        before = page.locator("ol.log li").count()
        page.click("[data-target] >> nth=0")
        expect(page.locator("ol.log li").nth(before)).to_be_visible()
    expect(page.locator("#review table")).to_be_visible()
    assert "noughts won" in page.inner_text("#told") or "draw" in page.inner_text("#told")
    lost = page.inner_text("#review p >> nth=0")
    assert "noughts lost 0 points" in lost
    page.keyboard.press("u")
    page.wait_for_selector("[data-target]")


def test_the_same_seed_plays_the_same_match(page: Page, site: str) -> None:
    seen = []
    for other in ("about:blank", site):
        page.goto(other)
        page.goto(f"{site}#watch?game=tictactoe_v0&p0=random&p1=random&seed=7")
        page.wait_for_selector("#forward")
        for number in range(1, 10):
            if page.locator("#forward").is_disabled():
                break
            page.keyboard.press("ArrowRight")
            expect(page.locator("ol.log li")).to_have_count(number)
        seen.append(page.inner_text("ol.log"))
    assert seen[0] == seen[1] and len(seen[0].splitlines()) >= 5


def test_states_are_explored(page: Page, site: str) -> None:
    page.goto(f"{site}#explore?game=footsies_v0")
    page.wait_for_selector("#value")
    assert page.inner_text("#value") == "0"
    page.click("summary")
    expect(page.locator("details ol li")).not_to_have_count(0)
    page.click("table.matrix button >> nth=1")
    expect(page.locator("[role=status]")).to_contain_text("Block")
    page.fill("input[name=blocks0]", "1")
    page.click("button:text-is('Go there')")
    expect(page.locator("pre")).to_contain_text("blocks 1")
    page.click("button:text-is('Draw')")
    expect(page.locator("caption")).to_have_count(4)


def test_two_people_and_chance(page: Page, site: str) -> None:
    page.goto(f"{site}#play?game={PIG}&p0=human player&p1=human player&truth=1")
    page.click("button[data-action='1']")
    expect(page.locator("ol.log li")).to_have_count(1)
    page.click("#theme")
    assert page.locator("img.board").get_attribute("src").startswith("data:image/svg+xml")  # type: ignore[union-attr]
    page.goto(f"{site}#play?game=footsies_v0&p0=human player&p1=human player")
    page.click("button[data-action='3']")
    page.wait_for_selector("[aria-label='Actions of player 1']")
    page.click("button[data-action='0']")
    expect(page.locator("ol.log li")).to_have_count(1)


def test_what_is_not_in_the_folder_is_told(page: Page, site: str) -> None:
    for query, message in (
        ("play?game=soccer_v0", "this page has no game soccer_v0; it has footsies_v0, "),
        ("play?game=footsies_v0&p1=bayesian", "bayesian cannot be asked here; the players are "),
        ("play?game=footsies_v0&p1=nash(x=1)", "players have no options on a page without a server"),
        ("explore?game=footsies_v0&code=12345678", "this page has only the states that play reaches from the start"),
    ):
        page.goto("about:blank")
        page.goto(f"{site}#{query}")
        expect(page.locator("#error")).to_contain_text(message)
