"""Moves are seen, heard and answered at once: python -m pytest tests/foreign/browser_motion_check.py"""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from sizes import AT_A_DESK

AT_ONCE = 6  # frames, a tenth of a second
# The page's clock goes on by a frame whenever it is asked, however long a frame takes here.
WATCHED = """() => {
    let time = performance.now();
    performance.now = () => time += 16;
    window.frames = [];
    const look = () => {
        const layer = document.querySelector(".motion svg");
        if (layer) {
            const places = [...layer.querySelectorAll("[points]")].map((one) => one.getAttribute("points"));
            window.frames.push([places.join(";"), layer.querySelectorAll(".comes").length]);
        }
        requestAnimationFrame(look);
    };
    look();
}"""
CLICKED = """(selector) => new Promise((done) => {
    const button = document.querySelector(selector);
    let frames = 0;
    button.click();
    const look = () => {
        frames += 1;
        return button.matches(".chosen") || !button.isConnected ? done(frames) : requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
})"""
TONES = """() => {
    window.tones = [];
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...given) {
        window.tones.push(this.frequency.value);
        return start.apply(this, given);
    };
}"""


@pytest.fixture
def moving(page: Page) -> Page:
    page.emulate_media(reduced_motion="no-preference")
    return page


def watched(page: Page, address: str, game: str, action: int, moves: bool = True) -> list[Any]:
    """Returns the frames of the motion after an action: the points of lines, and how many shapes come."""
    page.goto(f"{address}#play?game={game}&p1=random&seed=3")
    expect(page.locator("img.board[src]")).to_have_count(1)
    page.evaluate(WATCHED)
    page.locator(f"[data-action='{action}']").click()
    expect(page.locator("ol.log li")).not_to_have_count(0)
    page.wait_for_load_state("networkidle")
    if moves:
        page.wait_for_function("() => window.frames.length > 0")
    expect(page.locator(".motion svg")).to_have_count(0)
    frames: list[Any] = page.evaluate("window.frames")
    return frames


@AT_A_DESK
def test_limbs_move_from_one_picture_to_the_next(moving: Page, address: str) -> None:
    frames = watched(moving, address, "footsies_v0", 3)
    assert len({places for places, _ in frames}) > 3


@AT_A_DESK
def test_a_mark_comes_and_nothing_else_moves(moving: Page, address: str) -> None:
    frames = watched(moving, address, "tictactoe_v0", 4)
    assert max(coming for _, coming in frames) >= 1


@AT_A_DESK
def test_who_wants_no_motion_sees_none(page: Page, address: str) -> None:
    assert watched(page, address, "footsies_v0", 3, moves=False) == []


@AT_A_DESK
def test_matches_go_on_while_pictures_move(moving: Page, address: str) -> None:
    moving.goto(f"{address}#play?game=roshambo_v0(rounds=20)&p1=random&seed=1")
    expect(moving.locator("[data-action]")).to_have_count(3)
    for number in range(1, 7):
        moving.keyboard.press(str(1 + number % 3))
        expect(moving.locator("ol.log li")).to_have_count(number)
    expect(moving.locator(".motion svg")).to_have_count(0)
    expect(moving.locator("img")).to_have_count(1)


@pytest.mark.parametrize(
    ("game", "selector"),
    [("footsies_v0", "[data-action='1']"), ("tictactoe_v0", "[data-target='4']"), ("soccer_v0", "[data-target='1']")],
)
def test_a_click_is_answered_at_once(moving: Page, address: str, game: str, selector: str) -> None:
    moving.goto(f"{address}#play?game={game}&p1=random")
    expect(moving.locator(selector)).not_to_have_count(0)
    assert moving.evaluate(CLICKED, selector) <= AT_ONCE


def test_sound_is_off_until_it_is_wanted(page: Page, address: str, barriers: Callable[[], object]) -> None:
    page.add_init_script(f"({TONES})()")
    page.goto(f"{address}#play?game=roshambo_v0(rounds=1)&p1=constant")
    expect(page.locator("#sound")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("1")
    expect(page.locator("#told")).to_contain_text("A draw")
    assert page.evaluate("window.tones") == []
    page.click("#sound")
    expect(page.locator("#sound")).to_have_attribute("aria-pressed", "true")
    page.click("button:text-is('Next game')")
    expect(page.locator("[data-action]")).to_have_count(3)
    page.keyboard.press("2")
    expect(page.locator("#told")).to_contain_text("You won")
    rising = page.evaluate("window.tones")[-3:]
    assert rising == sorted(rising) and len(set(rising)) == 3
    assert barriers() == {}
    page.reload()
    expect(page.locator("#sound")).to_have_attribute("aria-pressed", "true")
