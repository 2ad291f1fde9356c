"""MENACE's page in Chromium, with a server and without: python -m pytest tests/foreign/browser_menace_check.py"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from sizes import AT_A_DESK


@pytest.fixture(scope="module", params=["server", "folder"])
def address(request: pytest.FixtureRequest, serve: Callable[..., str]) -> str:
    return serve() if request.param == "server" else str(request.getfixturevalue("folder"))


def menace(page: Page, address: str) -> None:
    page.goto(f"{address}#menace")
    page.wait_for_selector("#tallies strong")


def finished(page: Page, mark: Callable[[int], None]) -> str:
    """Marks the first empty cell as long as the game goes on; returns what is told then."""
    while True:
        page.locator("[data-cell]:enabled, #told:has-text('MENACE has')").first.wait_for()
        text = page.inner_text("#told")
        if "MENACE has" in text:
            return text
        mark(int(page.locator("[data-cell]:enabled").first.get_attribute("data-cell") or 0))
        expect(page.locator("#told")).not_to_have_text(text)


def test_menace_is_trained_while_one_watches(page: Page, address: str) -> None:
    menace(page, address)
    before = page.url
    page.click("summary")
    page.get_by_label("Seed").fill("1")
    page.click("#fill")
    expect(page).not_to_have_url(before)
    page.click("summary")
    beads, bars = page.locator("svg.matchbox .bead"), page.locator("#curve polyline").first
    expect(page.locator("#curve p")).to_have_text(["Train it, and its curve begins here."] * 2)  # not an empty chart
    expect(page.get_by_label("Logarithmic axis")).to_be_hidden()
    assert beads.count() == 36 and page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.focus("#menace-speed")
    page.keyboard.press("End")
    expect(page.locator("#pace")).to_have_text("Speed: 10,000 games a second")
    page.keyboard.press("t")
    expect(page.locator("#tallies")).to_contain_text(re.compile(r"in [1-9]\d,\d{3} games"))
    page.keyboard.press("t")
    page.wait_for_timeout(500)
    stopped = page.inner_text("#tallies")
    page.wait_for_timeout(500)
    assert page.inner_text("#tallies") == stopped and beads.count() > 36
    assert len((bars.get_attribute("points") or "").split()) >= 3
    page.click("#once")
    expect(page.locator("#tallies")).not_to_have_text(stopped)
    before = bars.get_attribute("points")
    page.click("#logarithmic")
    assert bars.get_attribute("points") != before
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_beads_are_added_and_taken_after_games_with_the_mouse_and_the_keyboard(page: Page, address: str) -> None:
    menace(page, address)
    page.click("summary")
    page.select_option("text=Preset >> select", "michie")
    page.click("#fill")
    expect(page.locator("#told")).to_contain_text("12 beads")
    page.click("summary")
    page.click("#noughts")
    text = finished(page, lambda cell: page.click(f"[data-cell='{cell}']"))
    change = "+3" if "won" in text else "+1" if "drawn" in text else "\N{MINUS SIGN}1"
    expect(page.locator(".strip .change").first).to_have_text(change)
    assert re.search(r"(One bead was|3 beads were) (added in|taken from) (each of \d boxes|one box)\.$", text)
    page.keyboard.press("x")
    expect(page.locator("#told")).to_contain_text("You are crosses")
    finished(page, lambda cell: page.keyboard.press(str(cell)))
    expect(page.locator("#tallies")).to_contain_text("MENACE in 2 games against you")
    page.reload()  # the address says which MENACE it is
    expect(page.locator("#tallies")).to_contain_text("MENACE in 2 games against you")


def test_what_a_game_did_not_change_is_no_progress(page: Page, address: str) -> None:
    page.goto(f"{address}#menace?seed=2")
    page.click("#crosses")
    finished(page, lambda cell: page.keyboard.press(str(cell)))
    expect(page.locator("#learned")).to_contain_text("No change yet: as noughts it wins")
    expect(page.locator("#curve figure")).to_have_count(2)
    for chart in page.locator("#curve figure").all():  # noughts alone have learned, and keep their colour
        expect(chart.locator("polyline")).to_have_attribute("style", re.compile("--one"))
        expect(chart).not_to_contain_text("as crosses")


def test_where_every_move_loses_none_is_best(page: Page, address: str) -> None:
    menace(page, address)
    for cell in "01432":  # two lines are open
        page.keyboard.press(cell)
    expect(page.locator("#moves caption")).to_contain_text("Every move loses.")
    expect(page.locator("#moves .kept")).to_have_count(0)


@AT_A_DESK
def test_menaces_boxes_are_looked_into_saved_and_loaded(page: Page, address: str, tmp_path: Path) -> None:
    menace(page, address)
    page.keyboard.press("0")
    expect(page.locator("#moves tbody tr")).to_have_count(5)  # up to symmetry, with a corner marked
    expect(page.locator("#moves .kept")).to_have_count(1)
    page.keyboard.press("b")
    expect(page.locator("#moves tbody tr")).to_have_count(3)
    expect(page.locator("#told")).to_contain_text("36 beads")  # as in the boxes of the command
    page.click("summary")
    with page.expect_download() as waiting:
        page.click("#save")
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    assert path.name == "boxes.json"
    page.select_option("text=Preset >> select", "michie")
    page.click("#fill")
    expect(page.locator("#told")).to_contain_text("12 beads")
    page.set_input_files("input[type=file]", str(path))
    expect(page.locator("#told")).to_contain_text("36 beads")
    expect(page.locator("#tallies")).to_contain_text("MENACE in 0 games of training after loading")
    expect(page).to_have_url(re.compile("loaded=1"))
    page.reload()
    expect(page.locator("#tallies")).to_contain_text("MENACE in 0 games of training after loading")


def test_axe_finds_nothing(page: Page, address: str, themes: Iterator[str], barriers: Callable[[str], object]) -> None:
    for theme in themes:
        menace(page, address)
        page.click("#noughts")
        page.locator("[data-cell]:enabled").first.wait_for()
        page.click("summary")
        assert barriers(theme) == {}


@AT_A_DESK
def test_only_the_human_has_a_share_of_best_moves(page: Page, address: str) -> None:
    menace(page, address)
    expect(page.get_by_label("Best moves, %")).to_be_visible()
    page.locator("label:has-text('Against') select").select_option("perfect")
    expect(page.get_by_label("Best moves, %")).to_be_hidden()


@AT_A_DESK
@pytest.mark.parametrize(
    ("label", "value", "message"),
    [
        (
            "Beads of a move at first",
            "four",
            "“Beads of a move at first” must be a whole number from 1 to 1,000,000, not",
        ),
        ("Beads of a move at first", "1, 2", "“Beads of a move at first” must be one number or 4"),
        ("Taken when lost", "", "“Taken when lost” is empty; it must be a whole number from 0 to 1,000,000"),
        ("Always kept", "9", "“Always kept” must be at most 4, the fewest beads of a move at first, not 9"),
        ("Seed", "-1", "“Seed” must be a whole number from 0"),
        ("Best moves, %", "200", "“Best moves, %” must be a number from 0 to 100, not 200"),
        ("Best moves, %", "", "“Best moves, %” is empty"),
    ],
)
def test_numbers_that_cannot_be(page: Page, address: str, label: str, value: str, message: str) -> None:
    menace(page, address)
    page.click("summary")
    page.get_by_label(label).fill(value)
    page.click("#once" if "%" in label else "#fill")
    expect(page.locator("#error")).to_contain_text(message)
    page.get_by_label(label).fill("50" if "%" in label else "1")  # what is mended is no longer named
    expect(page.locator("#error")).to_be_hidden()


@AT_A_DESK
def test_settings_of_ones_own_are_in_the_address_and_in_the_form(page: Page, address: str) -> None:
    page.goto(f"{address}#menace?preset=michie&seed=3&alpha=5,4,3,2&gamma=2")
    page.wait_for_selector("#tallies strong")
    preset = page.locator("text=Preset >> select")
    expect(page.locator("main")).to_contain_text("draws a bead, whose colour is its move")  # before anything is opened
    expect(page.locator("#curve")).to_contain_text(re.compile(r"as crosses 0\.\d\d?$|as crosses 0\.\d\d?\D"))
    expect(page).to_have_url(re.compile("seed=3&preset=michie&alpha=5,4,3,2&gamma=2$"))
    page.reload()
    page.wait_for_selector("#tallies strong")
    page.click("summary")
    assert [page.get_by_label(label).input_value() for label in ("Beads of a move at first", "Taken when lost")] == [
        "5, 4, 3, 2",
        "2",
    ]
    assert preset.input_value() == ""
    page.select_option("text=Preset >> select", "classroom")
    page.click("#fill")
    expect(page).to_have_url(re.compile("preset=classroom$"))
    assert preset.input_value() == "classroom"


@AT_A_DESK
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("preset=foo", "There is no preset “foo”; there are classroom, michie"),
        ("seed=abc", "In the address “Seed” must be a whole number"),
        ("alpha=x", "In the address “Beads of a move at first” must be a whole number"),
        ("per=box", "In the address “for every” must be one of"),
    ],
)
def test_an_address_with_nonsense_is_told(page: Page, address: str, query: str, message: str) -> None:
    page.goto(f"{address}#menace?{query}")
    expect(page.locator("#error")).to_contain_text(message)
    expect(page.locator("#tallies")).to_contain_text("MENACE in 0 games")
    page.keyboard.press("0")
    expect(page.locator("#error")).to_be_hidden()


def test_a_lesson_is_one_click_and_what_it_taught_is_seen(page: Page, address: str) -> None:
    page.goto(f"{address}#menace?seed=1")
    page.click("text=Train 500 games")
    expect(page.locator("#tallies")).to_contain_text("in 500 games")
    heights = [float(one.split(",")[1]) for one in page.get_attribute("#curve polyline", "points").split()]
    assert heights[-1] < min(heights[:5])  # it wins more from random moves than at first
    expect(page.locator("#moves td small").first).to_contain_text("was ")
    expect(page.locator("#learned")).to_have_text(
        re.compile(r"^It got better: as crosses .* 11.1\xa0% → .* “Was” in the box: before this training\.$")
    )
    compared = [re.findall(r"\d+", one) for one in page.locator("#tallies strong").all_inner_texts()]
    won = [int(counts[0]) for counts in compared]
    assert [sum(map(int, counts)) for counts in compared] == [100, 100, 500] and won[0] < won[1] < won[2]
    expect(page.locator("#curve")).to_contain_text("Points a game against random moves")
    for ticks in page.locator("#curve svg").all():
        expect(ticks.locator("text").filter(has_text=re.compile("^0$"))).to_have_count(2)  # on both axes
    if page.viewport_size and page.viewport_size["width"] > 1000:  # on a telephone the curve is below the edge
        assert page.evaluate("scrollY") == 0
    expect(page.locator(".tray .change")).to_contain_text([r"(was 16)", r"(was 16)", r"(was 4)"])
    expect(page.locator("#curve")).to_be_in_viewport()
    beyond = "panel => panel.scrollWidth - panel.clientWidth"
    assert page.locator("#moves").evaluate(beyond) <= 0
    expect(page.locator("#noughts")).to_have_class("primary")  # against the side that has learned
    page.click("#crosses")
    expect(page.locator("#told")).to_contain_text("MENACE is not trained as noughts.")
