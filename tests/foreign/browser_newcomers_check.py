"""What brings people back, in Chromium: first hints, the spot of the day, opponents by strength.

python -m pytest tests/foreign/browser_newcomers_check.py
"""

import re
from collections.abc import Callable, Iterator

import pytest
from browser_layout_check import BELOW_THE_FOLD, COVERED
from playwright.sync_api import Page, expect

from sizes import AT_A_DESK

DAY = "2026-03-{:02}T23:30:00Z"
GROUPS = ["Levels, the easiest first", "Characters and programs, the easiest first"]
NO_STORAGE = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("no", "SecurityError"); },
})"""


def answered(page: Page) -> str:
    """Returns what is said of the spot, once it is answered, in any case by the first actions in turn."""
    page.wait_for_selector("[data-action]")
    for number in range(20):
        if page.locator("#next").count():
            break
        page.locator("[data-action]:enabled").nth(number % page.locator("[data-action]:enabled").count()).click()
    page.wait_for_selector("#next")
    return page.inner_text("#told")


def test_a_first_match_has_two_hints_and_no_more(page: Page, address: str) -> None:
    page.goto(address)
    page.click("text=Begin here")
    expect(page.locator(".hint")).to_contain_text("1 of 2")
    assert page.evaluate(BELOW_THE_FOLD) == [] and not page.evaluate(COVERED)
    page.locator("[data-action]:enabled").first.click()
    expect(page.locator(".hint")).to_contain_text("2 of 2")
    page.click("#truth")
    expect(page.locator(".hint")).to_have_count(0)  # it has said what it had to
    while not page.locator("#review").count():
        page.wait_for_selector("[data-action]:enabled, #review")
        if page.locator("[data-action]:enabled").count():
            page.locator("[data-action]:enabled").first.click()
            page.wait_for_function("() => !document.querySelector('.chosen')")
    expect(page.locator(".hint")).to_have_count(0)  # the review leads on
    page.goto(f"{address}#play?game=footsies_v0&p1=random&t=1")
    page.wait_for_selector("[data-action]")
    assert not page.locator(".hint").count()
    page.goto(f"{address}#lobby")
    page.wait_for_selector(".cards")
    assert not page.locator("text=Begin here").count()


def test_hints_are_closed_for_ever(page: Page, address: str) -> None:
    for game in ("bodega_brawl_v0", "footsies_v0"):
        page.goto(f"{address}#play?game={game}&p1=random")
        page.wait_for_selector("[data-action]")
        assert page.evaluate(BELOW_THE_FOLD) == [] and not page.evaluate(COVERED)
        assert page.locator(".hint").count() == (game == "bodega_brawl_v0")
        assert not page.locator(".hint:has-text('on the board')").count()  # it has no places there
        for close in page.locator(".hint button").all():
            close.click()
        expect(page.locator(".hint")).to_have_count(0)


@AT_A_DESK
def test_the_spot_is_that_of_the_day_and_has_one_try(page: Page, address: str) -> None:
    seen = {}
    for day in (1, 2, 3):
        page.clock.set_fixed_time(DAY.format(day))
        page.goto(f"{address}#lobby")
        page.reload()
        page.click("a[href='#spot']")
        told = answered(page)
        seen[day] = page.get_attribute("img.board:not(.past)", "data-code"), told
        page.reload()  # as it was left
        page.wait_for_selector("#next")
        assert (page.get_attribute("img.board", "data-code"), page.inner_text("#told")) == seen[day]
        assert not page.locator("[data-action]:enabled").count()
        page.goto(f"{address}#lobby")
        expect(page.locator("a[href='#spot']")).to_contain_text("played")
    assert len({code for code, _ in seen.values()}) > 1


@AT_A_DESK
def test_days_in_succession_are_counted(page: Page, address: str) -> None:
    for day, kept, streak in ((10, 3, "streak 3"), (10, None, ""), (11, 3, "streak 3"), (12, 3, "")):
        page.clock.set_fixed_time(DAY.format(day))
        page.goto(address)
        page.evaluate(f"localStorage.setItem('streak', JSON.stringify({{day: '2026-03-10', length: {kept or 0}}}))")
        page.reload()
        expect(page.locator("a[href='#spot']")).to_have_text(re.compile(f"what is right here\\?(, )?{streak}$"))


@AT_A_DESK
def test_the_rules_stand_beside_the_spot_and_a_streak_goes_on_or_ends(page: Page, address: str) -> None:
    page.clock.set_fixed_time(DAY.format(11))
    page.goto(address)
    page.evaluate("localStorage.setItem('streak', JSON.stringify({day: '2026-03-10', length: 3}))")
    page.goto(f"{address}#spot")
    page.wait_for_selector("[data-action]")
    expect(page.locator(".side")).to_contain_text("The rules")
    while not page.locator("#next").count():
        page.locator("[data-action]:enabled").last.click()
    solved = page.evaluate("JSON.parse(localStorage.getItem('streak')).length") == 4
    expect(page.locator(".score")).to_have_text("streak 4" if solved else "")
    expect(page.locator(".side")).to_contain_text("A new spot tomorrow.")
    code = page.get_attribute("img.board", "data-code")
    page.click("text=Explore this position")  # the same position for whoever gets the address
    page.click(".tools >> text=Practise")
    expect(page.locator("h1")).to_contain_text("Practise")
    expect(page.locator("img.board")).to_have_attribute("data-code", code or "")


@AT_A_DESK
def test_without_a_place_to_keep_it_the_spot_can_be_played(page: Page, address: str) -> None:
    page.add_init_script(NO_STORAGE)
    page.goto(f"{address}#spot")
    assert re.search("right|costs|loses|An opponent who knew", answered(page))


@AT_A_DESK
def test_without_a_server_it_is_the_same(page: Page, address: str, folder: str) -> None:
    page.clock.set_fixed_time(DAY.format(5))
    answers = []
    for where in (folder, address):
        page.goto(f"{where}#spot")
        told = answered(page)
        answers.append(
            (page.get_attribute("img.board", "data-game"), page.get_attribute("img.board", "data-code"), told)
        )
    assert answers[0] == answers[1]


def test_opponents_by_strength_and_whom_one_has_beaten(page: Page, address: str, folder: str) -> None:
    for where in (address, folder):
        page.goto(f"{where}#lobby")
        page.evaluate("localStorage.setItem('beaten tictactoe_v0', '[\"random\"]')")
        page.goto(f"{where}#ladder?game=tictactoe_v0")
        rows = page.locator("table.ladder tbody tr:has(td)")
        beginner = rows.filter(has_text="Beginner")
        expect(beginner).to_contain_text("✓ won")
        expect(beginner).to_contain_text("+0.9")
        levels = [rows.nth(place).locator("th b").inner_text() for place in range(4)]
        played = (
            ["Beginner", "Casual", "Strong", "Perfect"] if where == address else ["Beginner"]
        )  # searches need a server
        assert levels[: len(played)] == played
        expect(page.locator("th.group")).to_have_text(GROUPS)
        expect(rows.filter(has_text="The exact solution")).to_have_count(0)  # it is the perfect one
        expect(page.locator("thead")).to_contain_text("perfect play wins")
        expect(page.locator("main")).to_contain_text("perfect play wins from each per game, in points")
        expect(page.locator("td small", has_text=re.compile("±(?! 0.0)"))).to_have_count(0)  # an error has a figure
        width = rows.filter(has_text="Beginner").locator("td:has(.bar)").bounding_box()["width"]  # type: ignore[index]
        assert width > 200
        expect(beginner).to_contain_text("Moves at random.")
        assert not page.locator("table.ladder:has-text('not measured')").count()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    rows.first.locator("a").click()
    expect(page.locator("h1")).to_have_text("Tic-tac-toe")
    page.goto(f"{address}#ladder?game=roshambo_v0")  # where no figure differs from another
    expect(page.locator("main")).to_contain_text("wins as much as it loses")
    expect(page.locator("th.group")).to_have_text(
        [GROUPS[0], "With a habit, the easiest first", "Without a fixed habit"]
    )
    expect(rows.filter(has_text="Beginner")).to_contain_text("+5.00")
    expect(rows.filter(has_text="Copies your last throw.")).to_contain_text("+19")
    expect(rows.filter(has_text="Random moves")).to_contain_text("0")
    told = [row.locator("td").first.inner_text() for row in rows.all()]
    assert {"learns from you", "searches afresh each time"} < set(told) and "" not in told


def test_a_match_that_is_won_is_kept(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=roshambo_v0(rounds=1)&p1=constant&seed=1&wins=2")
    for kept in (None, '["constant"]'):
        page.wait_for_selector("[data-action]")
        page.keyboard.press("2")  # Paper, against always Rock
        expect(page.locator("#told")).to_contain_text("You won")
        assert page.evaluate("localStorage.getItem('beaten roshambo_v0(rounds=1)')") == kept
        page.locator(".primary").first.click()
        expect(page.locator("#told")).not_to_contain_text("You won")


def test_after_a_win_the_next_level_is_a_click_away(page: Page, address: str) -> None:
    for seed in range(9):  # until the favourite throw comes
        page.goto(f"{address}#play?game=roshambo_v0(rounds=1)&p1=biased&wins=0&seed={seed}&t={seed}")
        page.wait_for_selector("[data-action]")
        page.keyboard.press("2")
        page.wait_for_selector("#share")
        if "You won" in page.inner_text("#told"):
            break
    page.click("button:text-is('Against Casual')")
    expect(page.locator(".score")).to_contain_text("You 0 : 0 Casual")
    page.evaluate("localStorage.setItem('beaten roshambo_v0(rounds=20)', '[\"biased\"]')")
    page.click(".brand")
    expect(page.locator(".continue").first).to_have_text("Play: Roshambo against Casual")
    levels = page.locator(".cards li:has(h2:text-is('Roshambo')) .levels a")
    expect(levels).to_have_text(["Beginner ✓", "Casual", "Strong", "Perfect"])
    page.evaluate("localStorage.setItem('rival roshambo_v0(rounds=1)', '\"iocaine\"')")
    page.reload()
    expect(page.locator(".continue").first).to_have_text("Try an easier opponent: Roshambo against Casual")
    expect(page.locator(".continue").first).to_have_attribute("href", re.compile(r"rounds%3D1%29"))  # as it was played
    for rounds in (1, 20):
        page.evaluate(f"localStorage.setItem('beaten roshambo_v0(rounds={rounds})', '[\"frequency\"]')")
    page.reload()
    expect(page.locator(".continue").first).to_have_text("Play: Roshambo against Strong")  # not the weaker one
    levels.nth(2).click()
    expect(page.locator(".score")).to_contain_text("You 0 : 0 Strong")
    page.click("#new")
    expect(page.locator("dialog .levels [aria-pressed=true]")).to_have_text("Strong")
    page.click("dialog .levels >> text=Beginner")
    expect(page.locator("dialog")).to_contain_text("Has a favourite throw")
    page.click("dialog button:text-is('Play')")
    expect(page.locator(".score")).to_contain_text("You 0 : 0 Beginner")


@pytest.mark.parametrize("view", ["lobby", "ladder?game=footsies_v0", "spot"])
def test_axe_finds_nothing(
    page: Page, address: str, themes: Iterator[str], barriers: Callable[[str], object], view: str
) -> None:
    for theme in themes:
        page.goto(f"{address}#{view}")
        page.wait_for_selector(".cards img[src], table.ladder, [data-action]:enabled")
        page.wait_for_load_state("networkidle")
        assert barriers(theme) == {}
