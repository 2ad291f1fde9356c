"""Runs, tournaments and results in Chromium: python -m pytest tests/foreign/browser_results_check.py"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from sizes import AT_A_DESK

MINUS = "\N{MINUS SIGN}"
RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    run, tournament = (tmp_path_factory.mktemp(name) for name in ("run", "tournament"))
    for words in (
        f"train footsies_v0 --algorithm minimax_q --timesteps 3000 --run-dir {run}",
        f"tournament footsies_v0 --agents nash counter random --games 100 --out {tournament}",
    ):
        subprocess.run([sys.executable, "-m", "nashzoo.app", *words.split(), "--quiet"], check=True)
    return run, tournament


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], folders: tuple[Path, Path]) -> str:
    return serve(*map(str, folders), str(RESULTS))


def test_a_run_is_followed_until_its_report(page: Page, address: str, folders: tuple[Path, Path]) -> None:
    report, aside = folders[0] / "report.json", folders[0] / "aside.json"
    report.rename(aside)
    page.goto(address)
    page.wait_for_selector("svg.chart")
    expect(page.locator("[role=status]")).to_contain_text("Training goes on")
    assert page.locator("table").count() == 0
    shutil.copy(aside, report)
    aside.unlink()
    expect(page.locator("table")).to_have_count(1)
    assert "at the end: " in (page.locator("svg.chart >> nth=1").get_attribute("aria-label") or "")
    assert page.locator("tbody th").all_inner_texts()[0] in (
        "Random moves (random)", "The Simple-Minded (counter)"
    )  # fmt: skip
    expect(page.locator("thead th")).not_to_contain_text(["drawn"])  # no game of Footsies is
    beyond = "table => table.getBoundingClientRect().right - table.parentElement.getBoundingClientRect().right"
    assert page.locator("table.results").evaluate(beyond) <= 0  # regret, which matters most, is in the last column
    expect(page.locator("#results p.soft").first).to_have_text("minimax_q in self-play in Footsies")
    inside = """svg => [...svg.querySelectorAll('text')].map((one) => one.getBBox())
        .filter((box) => box.x < -0.5 || box.x + box.width > svg.viewBox.baseVal.width + 0.5).length"""
    expect(page.locator("#headline")).to_contain_text("An opponent who knows minimax_q wins")
    page.click("summary:text-is('Settings')")
    expect(page.locator("dl.facts")).to_contain_text("report.pdf, report.png, report.svg")
    expect(page.locator("a.button:text-is('Play against it')")).to_have_attribute("href", re.compile("learner"))
    charts = page.locator("svg.chart")
    assert [charts.nth(k).evaluate(inside) for k in range(charts.count())] == [0, 0]


@AT_A_DESK
def test_tables_are_sorted_by_their_columns(page: Page, address: str, folders: tuple[Path, Path]) -> None:
    page.goto(address)
    page.select_option("#main select", str(folders[1]))
    expect(page.locator("h2")).to_have_text(["Standings", "Cross table"])
    points = page.locator("table >> nth=0").locator("tbody td:nth-child(3)")
    page.click("th button:text-is('points')")
    falling = [float(text.replace(MINUS, "-")) for text in points.all_inner_texts()]
    page.click("th button:text-is('points')")
    rising = [float(text.replace(MINUS, "-")) for text in points.all_inner_texts()]
    assert falling == sorted(falling, reverse=True) and rising == falling[::-1]
    assert page.locator("th[aria-sort=ascending]").count() == 1


def test_results_are_filtered_and_grouped(page: Page, address: str) -> None:
    page.goto(f"{address}#results?game=tictactoe_v0&folder={RESULTS}")
    expect(page.locator("#results h2")).to_have_text("Tic-tac-toe")
    groups = page.locator("th.group")
    expect(groups).to_have_text(
        [
            "Learn from the games that they play",
            "May try every move in every state",
            "Written by hand",
            "Know all the rules",
        ]
    )
    expect(page.locator("thead th", has_text="given")).to_have_count(0)
    page.fill("#player", "MINIMAX")
    names = page.locator("th[scope=row]")
    expect(names.first).to_contain_text("minimax")
    assert all("minimax" in name for name in names.all_inner_texts())
    page.select_option("#of", "")
    expect(page.locator("#results h2")).to_have_count(7)
    page.uncheck("#grouped")
    expect(groups).to_have_count(0)
    expect(page.locator("thead th", has_text="given").first).to_be_visible()
    page.fill("#player", "nobody of this name")
    expect(page.locator("text=No player of this name.").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_table_of_results_has_every_game(page: Page, address: str) -> None:
    page.goto(f"{address}#results?game=footsies_v0&folder={RESULTS}")
    expect(page.locator("h2").first).to_contain_text("Footsies: rounds 1")
    assert page.locator("small").count() > 10
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
