"""Who cannot see well, or has no mouse: axe's rules on all views, and the order of the focus.

python -m pytest tests/foreign/browser_access_check.py
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"
VIEWS = {
    "lobby": "#lobby",
    "play": "#play?game=footsies_v0&p1=nash&truth=1",
    "play turn-based": "#play?game=tictactoe_v0&p1=perfect&truth=1",
    "explore": "#explore?game=bodega_brawl_v0(preset=small)",
    "explore turn-based": "#explore?game=tictactoe_v0",
    "watch": "#watch?game=footsies_v0&p0=nash&p1=counter&seed=1",
    "results": "#results?game=footsies_v0",
}


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    return serve(str(RESULTS))


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(
    page: Page, address: str, view: str, themes: Iterator[str], barriers: Callable[[str], object]
) -> None:
    for theme in themes:
        page.goto(address + VIEWS[view])
        page.wait_for_selector("#value, table.results, .cards img[src]")
        page.wait_for_load_state("networkidle")
        assert barriers(theme) == {}


def test_the_focus_goes_from_the_top_to_the_actions(page: Page, address: str) -> None:
    page.goto(address + VIEWS["play"])
    page.wait_for_selector("button[data-action]")
    seen = []
    for _ in range(30):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("[document.activeElement.textContent, document.activeElement.id].join(' ').trim()"))
        if page.evaluate("'action' in document.activeElement.dataset"):
            break
    views = ["Play", "Watch"] if "Watch" in seen else ["Menu menu"]  # on a telephone behind a button
    places = [seen.index(one) for one in ("Skip to the board", *views)]
    assert places[0] == 0 and places == sorted(places) and places[-1] < len(seen) - 1
    page.keyboard.press("Enter")
    page.wait_for_selector("ol.log li")
