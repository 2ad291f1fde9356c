"""What people read in the views: names, cards, short rules: python -m pytest tests/foreign/browser_words_check.py"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

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
    expect(page.locator("ol.log li").first).to_contain_text("crosses marked")
    expect(page.locator(".score")).to_have_text("Perfect crosses against Beginner noughts")
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
    expect(page.locator("form label")).to_have_count(4)  # and none for the round or the lead
    page.goto(f"{address}#explore?game={GAMES / 'kuhn.py'}")
    expect(page.locator("img.board")).to_have_attribute("alt", re.compile("before the cards are dealt"))
    page.goto(f"{address}#explore?game=tictactoe_v0")  # whose fields are sets of cells, as numbers that nobody knows
    page.wait_for_selector("[aria-label='Exact solution'][data-code]")
    assert page.locator("main :is(input, select)").count() == 0
