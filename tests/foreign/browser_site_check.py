"""The built documentation in Chromium: make docs, then python -m pytest tests/foreign/browser_site_check.py"""

import importlib
import io
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from nashzoo.app import index
from nashzoo.envs.api.module import EnvironmentModule
from nashzoo.envs.drawing.palette import GROUND, THEMES
from sizes import AT_A_DESK
from studies.game_pages import TITLES

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))
from play_pages import ALL, FURTHER, VIEWS

DESK: Any = {"width": 1280, "height": 800}
TELEPHONE: Any = {"width": 390, "height": 844}
SITE = Path(__file__).resolve().parents[2] / "build" / "site"
MOST_LINKS = 48
PAGES = (
    "index.html",
    "theory/exploitability.html",
    "tutorials/self_play.html",
    "environments.html",
    "games.html",
    "results.html",
    "lessons_in_browser.html",
    "bodega_brawl.html",
    "tutorials/train_ppo.html",
    "development/contributing.html",
    "reference/files.html",
    "reference/generated/command.html",
    "reference/generated/nashzoo.baselines.html",
)
# What is wider than its box, where neither the box nor one around it can be moved.
CUT = """() => {
  const scrolls = (one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  const moved = (one) => one && (scrolls(one) || moved(one.parentElement));
  return [...document.querySelectorAll("article :is(pre, table, div.math, img, math, code)")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !moved(one))
    .map((one) => one.outerHTML.slice(0, 80));
}"""

# Parts of names, between the marks after which they may break, that take more than one line.
BROKEN = """() => [...document.querySelectorAll("td code span")].flatMap((name) => [...name.childNodes])
  .filter((part) => part.data && !/[\\s-]/.test(part.data))
  .filter((part) => { const range = new Range(); range.selectNode(part); return range.getClientRects().length > 1; })
  .map((part) => part.data)"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    assert (SITE / "index.html").exists(), "build the site first: make docs"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def page(page: Page, address: str) -> Iterator[Page]:
    """A page whose requests to anywhere else fail the test, as its errors do."""
    elsewhere: list[str] = []
    page.on("request", lambda asked: None if _own(asked.url, address) else elsewhere.append(asked.url))
    yield page
    assert elsewhere == []


def _own(url: str, address: str) -> bool:
    return url.startswith(address) or urlsplit(url).scheme in ("data", "blob")


def check_that_it_fits_and_shows_its_pictures(page: Page) -> None:
    expect(page.locator("article h1").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    code = page.locator(".highlight pre").evaluate_all("all => all.map((one) => one.scrollWidth - one.clientWidth)")
    assert page.evaluate("innerWidth") < DESK["width"] or max(code, default=0) <= 0  # on a telephone it can be moved
    broken = page.evaluate(
        "Promise.all([...document.images].map(image => { image.loading = 'eager'; return image.decode().then("
        "() => null, () => image.src) })).then(found => found.filter(source => source))"
    )
    assert broken == []
    assert page.evaluate("[...document.images].every(image => image.alt)")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_and_shows_its_pictures_and_axe_finds_nothing(
    page: Page, address: str, path: str, themes: Iterator[str], barriers: Callable[[str], object]
) -> None:
    for theme in themes:
        page.goto(f"{address}/{path}")
        assert barriers(theme) == {}
        check_that_it_fits_and_shows_its_pictures(page)


def test_the_first_page_leads_to_games_to_training_and_measuring_and_to_a_game_of_ones_own(
    page: Page, address: str
) -> None:
    for title, number, target in (
        ("Play", 0, "play/index"),
        ("Train", 0, "tutorials/train_ppo"),
        ("Train", 1, "tutorials/measure_a_model"),
        ("Bring", 0, "own_game"),
    ):
        page.goto(f"{address}/index.html")
        page.locator(".sd-card", has=page.get_by_text(title, exact=False)).locator("a").nth(number).click()
        page.wait_for_url(f"{address}/{target}.html")


def test_no_page_is_wider_than_a_telephone_and_no_box_in_it_is_cut(browser: Browser) -> None:
    wide, cut = [], []
    page = browser.new_page(viewport=TELEPHONE)
    for file in sorted(SITE.rglob("*.html")):
        if {"_static", "play"} & set(file.parts):
            continue
        page.goto(file.as_uri(), wait_until="load")
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wide.append(file.name)
        cut += [(file.name, text) for text in page.evaluate(CUT)]
    assert (wide, cut) == ([], [])
    page.close()


@AT_A_DESK
@pytest.mark.parametrize("path", ["benchmark", "deep_minimax", "language_models", "results/results", "roshambo_theory"])
def test_wide_tables_fit(page: Page, address: str, path: str) -> None:
    page.goto(f"{address}/{path}.html")
    moved = "all => all.filter((one) => one.scrollWidth > one.clientWidth).length"
    assert page.locator(".table-wrapper").evaluate_all(moved) == 0


@pytest.mark.parametrize("game", [*TITLES, *VIEWS, ALL])
def test_a_page_of_a_game_has_a_button_that_opens_it_from_a_folder(browser: Browser, game: str) -> None:
    page = browser.new_page(viewport=TELEPHONE)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((SITE / f"{game}.html").as_uri())
    play = page.locator("a.play")
    box = play.bounding_box()
    assert box is not None and box["y"] + box["height"] < TELEPHONE["height"]  # on the first screen
    play.click()
    if game == ALL:
        expect(page.locator("main a[href*='#play']:has(h2)")).to_have_count(len(TITLES) + len(FURTHER))
        expect(page.get_by_text("More games")).to_have_count(0)
    elif game in VIEWS:
        page.locator("#once").click()
        expect(page.locator("#tallies")).to_contain_text("in 1 game of training:")
    else:
        page.locator("[data-action], [data-target]").first.click()
        expect(page.locator("ol.log li").first).to_be_attached()
    assert errors == []
    page.close()


def test_on_a_desk_the_button_opens_the_game_in_the_page_and_then_on_a_page_of_its_own(browser: Browser) -> None:
    page = browser.new_page(viewport=DESK)
    page.goto((SITE / "tictactoe.html").as_uri())
    expect(page.locator("iframe")).to_have_count(0)  # nothing is loaded before
    page.locator("a.play").click()
    game = page.frame_locator("iframe.game")
    game.locator("[data-action], [data-target]").first.click()
    expect(game.locator("ol.log li").first).to_be_attached()
    page.locator("a.play").click()
    page.wait_for_url("**/play/index.html#play*")
    page.click("nav >> text=Documentation")
    page.wait_for_url(f"**/{SITE.name}/index.html")
    page.close()


@AT_A_DESK
def test_pictures_that_know_both_themes_follow_the_switch_of_the_page(page: Page, address: str) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(f"{address}/results.html")
    grounds = []
    for theme in THEMES:
        page.evaluate("theme => { document.body.dataset.theme = theme }", theme)
        with Image.open(io.BytesIO(page.locator("article img").first.screenshot())) as drawn:
            ground = drawn.convert("RGB").getpixel((drawn.width // 2, 3))
        grounds.append("#" + "".join(f"{part:02x}" for part in ground))
    assert grounds == [colours[GROUND] for colours in THEMES.values()]


def test_names_in_tables_break_only_after_marks(page: Page, address: str) -> None:
    for path in ("lessons", "results", "coming_from", "development/licenses", "reference/files"):
        page.goto(f"{address}/{path}.html")
        assert page.evaluate(BROKEN) == [], path


def test_the_first_picture_begins_whole_and_then_moves(browser: Browser) -> None:
    page = browser.new_page(viewport=TELEPHONE)
    page.goto((SITE / "_images" / "reward-and-truth.svg").as_uri())
    page.evaluate("document.getAnimations().forEach((one) => one.pause())")
    shown = "[...document.querySelectorAll('g.words')].map((one) => getComputedStyle(one).opacity)"
    at = "time => document.getAnimations().forEach((one) => { one.currentTime = time })"
    seen = []
    for time in (0, 4000, 9000, 14000):
        page.evaluate(at, time)
        seen.append(page.evaluate(shown))
    assert seen == [["1", "1"], ["0", "0"], ["1", "0"], ["1", "1"]]
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate("document.getAnimations().length") == 0
    page.close()


def found(page: Page, address: str, words: str) -> Locator:
    """Returns the results of the search, the best first."""
    page.goto(f"{address}/search.html?q={words}")
    expect(page.locator("#search-results .search-summary")).to_contain_text("found")  # it is done
    return page.locator("#search-results ul.search li")


@AT_A_DESK
@pytest.mark.parametrize(
    ("words", "first", "says"),
    [
        ("exploitability", "theory/exploitability.html", "How good is a policy"),
        ("best response", "theory/exploitability.html#best-response", "wins the most against a fixed policy"),
        ("regret", "theory/exploitability.html", "egret"),
        ("nash", "theory/markov_games.html", "Nash equilibrium"),
        ("minimax", "minimax_q.html", "learn a policy for both"),
        ("menace", "menace.html", "matchboxes learn"),
        ("ppo", "tutorials/train_ppo.html", "You train PPO"),
        ("gambit", "bring_your_game.html", "Gambit"),
        ("openspiel", "reference/openspiel.html", "pip install"),
        ("kuhn", "theory/hidden_information.html", "Kuhn"),
        ("install", "index.html#install", "pip install"),
        ("nash_conv", "reference/generated/nashzoo.baselines.html#nashzoo.baselines.nash_conv", "Python function"),
    ],
)
def test_search_finds_first_what_a_word_means(page: Page, address: str, words: str, first: str, says: str) -> None:
    best = found(page, address, words).first
    assert best.locator("a").get_attribute("href") == first
    expect(best).to_contain_text(says)


@AT_A_DESK
def test_search_finds_the_function_and_all_pages_that_speak_of_it(page: Page, address: str) -> None:
    results = found(page, address, "exploitability").locator("a")
    assert "nashzoo.baselines.exploitability" in results.all_inner_texts()
    assert any("exactness.html" in str(link.get_attribute("href")) for link in results.all())


def test_no_page_has_more_links_in_its_sidebar_than_one_can_look_through() -> None:
    for file in (*SITE.glob("*.html"), *SITE.glob("[!_p]*/**/*.html")):
        sidebar = file.read_text().split('<aside class="sidebar-drawer">')[1].split("</aside>")[0]
        assert sidebar.count("<a ") <= MOST_LINKS, file


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_ground_is_as_the_reader_wants_it(page: Page, address: str, theme: Any) -> None:
    page.emulate_media(color_scheme=theme)
    page.goto(f"{address}/games.html")
    red = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]")
    assert (int(red) < 128) == (theme == "dark")


def test_every_command_and_every_public_name_has_an_entry() -> None:
    from sphinx.util.inventory import InventoryFile

    listed = InventoryFile.loads((SITE / "objects.inv").read_bytes(), uri="")
    names = {item for kind, items in listed.data.items() if kind.startswith("py:") for item in items}
    for package in ("nashzoo.envs", "nashzoo.baselines", "nashzoo.agents"):
        module = importlib.import_module(package)
        offered = {name for name in module.__all__ if not isinstance(getattr(module, name), type(pytest))}
        offered -= {"PositionAgent"}  # its former name
        assert {f"{package}.{name}" for name in offered} <= names
    assert {f"nashzoo.envs.soccer_v0.{name}" for name in EnvironmentModule._fields} <= names
    hidden = [name for name in names if any(part.startswith("_") for part in name.split("."))]
    assert hidden == []
    options = listed.data["std:cmdoption"]
    for command in index.names():
        assert any(name.startswith(f"nashzoo-{command}") for name in options), command
