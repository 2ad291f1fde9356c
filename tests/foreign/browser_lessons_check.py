"""The page of lessons in the browser: its links and answers, in exported pages opened from a folder.

python -m pytest tests/foreign/browser_lessons_check.py
"""

import html
import re
import shlex
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from nashzoo.app.menace.web import menace_page
from nashzoo.app.web import export
from sizes import AT_A_DESK

pytestmark = AT_A_DESK

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "lessons_in_browser.md").read_text(encoding="utf-8")
LINKS = {
    html.unescape(link[2]): html.unescape(link[1])
    for link in re.finditer(r'<a class="play" href="play/index.html(#[^"]+)">([^<]+)</a>', TEXT)
}
MINUS = "\N{MINUS SIGN}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The pages that the command on the page writes."""
    command = re.search(r"^nashzoo web --export stick (.+)$", TEXT, re.MULTILINE)
    assert command is not None
    folder = tmp_path_factory.mktemp("export") / "stick"
    export.write(shlex.split(command[1]), (), folder, [menace_page()])
    return (folder / "index.html").as_uri()


def answers(lesson: int) -> str:
    found = re.search(rf"^## Lesson {lesson}:.*?dropdown\}} Answers\n(.*?)\n:::", TEXT, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def say(lesson: int, *figures: str) -> None:
    """Asserts that the answers of a lesson have these figures."""
    for figure in figures:
        assert re.search(rf"(?<![\d./]){re.escape(figure)}(?![\d/]|\.\d)", answers(lesson)), (lesson, figure)


def open_link(page: Page, site: str, name: str) -> None:
    page.goto("about:blank")
    page.goto(site + LINKS[name])


def figure(page: Page, selector: str) -> str:
    return page.inner_text(selector).replace(MINUS, "-").split()[0]


def test_every_link_opens_and_tells_no_error(page: Page, site: str) -> None:
    assert len(LINKS) == TEXT.count('class="play"') == 19
    for name in LINKS:
        open_link(page, site, name)
        page.wait_for_selector("#gap strong, #once, [data-action], [data-target], [aria-label='Exact solution'] table")
        expect(page.locator("#error")).to_be_hidden()


def test_lessons_1_and_6_are_solved(page: Page, site: str) -> None:
    open_link(page, site, "Penalty kick")
    guarantee = "[data-guarantee='0'] strong"
    expect(page.locator("[data-guarantee='0']")).to_contain_text("7/10 = 0.7 on average; the worst case is Dive right")
    page.locator("[data-slider='0,0']").fill("38")
    say(1, "0.7", "38", page.inner_text(guarantee).split()[-1], "0.795")
    page.click("#solve")
    say(1, figure(page, "#exact"), page.inner_text("#exact").split()[-1])
    say(1, page.inner_text(".proof tbody td >> nth=0"), "23/60")
    for lesson, name, value in ((1, "Paper wins three points", "0"), (6, "The state before it", "0")):
        open_link(page, site, name)
        page.click("#solve")
        assert figure(page, "#exact") == value
        say(lesson, value)
        if lesson == 1:
            expect(page.locator(".proof table >> nth=0").locator("td:nth-child(2)")).to_have_text(
                ["20 %", "20 %", "60 %"]
            )
    say(1, "1/5", "3/5")
    open_link(page, site, "The last state of lesson 5")
    page.click("#solve")
    assert figure(page, "#exact") == "1/9"
    say(6, "1/9", "-1")
    payoffs = [one.input_value() for one in page.locator(".payoffs tbody td input").all()]
    assert all(f"{MINUS}1" in payoffs[k : k + 4] for k in range(0, 16, 4))


def test_lesson_2_has_nine_draws_one_answer_and_three_wins(page: Page, site: str) -> None:
    open_link(page, site, "Tic-tac-toe")
    best = page.locator("section[data-code] td.name:has-text('✓')")
    expect(best).to_have_count(9)
    page.click("section[data-code] button:text-is('top left')")
    expect(best).to_have_text(["middle ✓"])
    open_link(page, site, "A mistake")
    expect(best).to_have_text(["left middle ✓", "middle ✓", "bottom left ✓"])
    expect(page.locator("section[data-code]")).to_contain_text(re.compile("wins in 5 moves.*wins in 5 moves"))
    expect(page.locator("section[data-code] tr:has-text('✓')").first).to_contain_text("wins in 5 moves")
    say(2, "9", "3", "5")


def test_lesson_4_is_won_by_whoever_sees_the_pattern(page: Page, site: str) -> None:
    for name, keys, points in (
        ("The one with one idea", "2" * 20, "20"),
        ("The one with one idea", "1" * 20, "0"),
        ("The Echo", "1" + "231" * 6 + "2", "19"),
    ):
        open_link(page, site, name)
        for number, key in enumerate(keys):
            expect(page.locator("ol.log li")).to_have_count(number)
            page.wait_for_selector("[data-action]")
            page.keyboard.press(key)
        expect(page.locator("#share")).to_be_visible()
        told = page.inner_text("#told")
        won = int(found[1]) if (found := re.search(r"You won, (\d+) points\.$", told)) else 0
        assert abs(won - int(points)) <= (name == "The Echo"), told  # its first throw is drawn
        if points == "0":
            expect(page.locator("#review")).to_contain_text("20 choices")


def test_lesson_5_goes_along_blocked_attacks(page: Page, site: str) -> None:
    open_link(page, site, "Footsies")
    attack = page.locator("table.matrix tbody tr >> nth=0")
    expect(page.locator("#value")).to_have_text("0")
    expect(attack.locator("th small")).to_have_text(f"0\u00a0% {MINUS}0.3333")
    for costs in ("0.3333", "0.3333", "0.2593", None):
        code = page.get_attribute("section[data-code]", "data-code")
        page.click("[aria-label^='Attack against Block']")
        page.wait_for_function("(code) => document.querySelector('section[data-code]').dataset.code !== code", arg=code)
        expect(attack.locator("th small")).to_have_text(f"0\u00a0% {MINUS}{costs}" if costs else "33.3\u00a0%")
        if costs == "0.2593":
            expect(attack.locator("td >> nth=1")).to_have_text("+0.111")
    expect(page.locator("#value")).to_have_text("+0.1111")
    say(5, "0", "0.3333", "0.2593", "+0.111", "0.1111", "1/9", "33.3")


def test_lessons_7_and_8_have_these_gaps(page: Page, site: str) -> None:
    for lesson, name, gap in (
        (7, "Always rock", "2"),
        (7, "Rock half of the time", "1/2"),
        (8, "9 rounds of fictitious play", "4/9"),
        (8, "12 rounds", "1/3"),
        (8, "Begin with rock", "2"),
    ):
        open_link(page, site, name)
        assert figure(page, "#gap strong") == gap
        if lesson == 8:
            say(8, gap)
    for key in ("0,1", "1,1", "0,2", "1,2", "0,0", "1,0"):  # the best reply of each in turn
        if key[0] == "0":
            expect(page.locator(f"[data-pays='{key}']")).to_contain_text("best reply")
        page.fill(f"[data-share='{key}']", "1")
        page.keyboard.press("Tab")
        if key[0] == "1":
            expect(page.locator("#gap strong")).to_have_text("2")
    for rocks in (1, 2, 3):  # rock is the first best reply until there are four
        page.goto("about:blank")
        page.goto(site + LINKS["9 rounds of fictitious play"].replace("=1,3,5", f"={rocks},3,5"))
        best = page.locator(".payoffs tbody td:has(b)")
        expect(best).to_have_count(2 if rocks == 1 else 1)
        expect(best.first).to_have_attribute("data-pays", "0,0")
    say(7, "1", "1/4", "1/3")


def test_lesson_10_finds_the_bluff(page: Page, site: str) -> None:
    open_link(page, site, "Look up")
    truth = page.locator("[aria-label='Exact solution']")
    page.click("button:has-text(\"red's card is 2, blue's card is 1\")")
    truth.locator("button:text-is('Check')").click()
    page.wait_for_selector(".score:text-is('what blue sees')")
    bet = truth.locator("tr:has(button:text-is('Bet 1'))")
    expect(bet).to_contain_text("33.3\u00a0%")
    expect(bet.locator("td").last).to_have_text("0")
    expect(bet.locator("td >> nth=3")).to_have_text(f"{MINUS}1")
    bet.locator("button").click()
    page.wait_for_selector(".score:text-is('what red sees')")
    expect(truth.locator("tr:has(button:text-is('Call 1'))")).to_contain_text("33.3\u00a0%")
    expect(truth.locator('tr:has-text("blue\'s card is 3")')).to_contain_text("75\u00a0%")
    expect(truth).to_contain_text(f"the game is worth {MINUS}0.0556 points to red")
    say(10, "33.3", "0", "-1", "75", "-0.0556", "-1/18")
