"""The built documentation in Chromium: make docs, then python -m pytest tests/foreign/browser_site_check.py"""

import importlib
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from nashzoo.app.main import SUMMARIES
from nashzoo.envs.api.module import EnvironmentModule

SITE = Path(__file__).resolve().parents[2] / "build" / "site"
PAGES = (
    "index.html",
    "theory/exploitability.html",
    "tutorials/self_play.html",
    "games.html",
    "bodega_brawl.html",
    "theory/exploitability.html",
    "tutorials/train_ppo.html",
    "development/map.html",
    "reference/files.html",
    "reference/generated/command.html",
    "reference/generated/nashzoo.baselines.html",
)


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


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_and_shows_its_pictures(page: Page, address: str, path: str) -> None:
    page.goto(f"{address}/{path}", wait_until="load")
    expect(page.locator("article h1").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    broken = page.evaluate(
        "Promise.all([...document.images].map(image => { image.loading = 'eager'; return image.decode().then("
        "() => null, () => image.src) })).then(found => found.filter(source => source))"
    )
    assert broken == []
    assert page.evaluate("[...document.images].every(image => image.alt)")


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(page: Page, address: str, theme: Any, path: str, barriers: Callable[[], object]) -> None:
    page.emulate_media(color_scheme=theme)
    page.goto(f"{address}/{path}")
    assert barriers() == {}


def test_the_first_page_leads_to_training_measuring_and_a_game_of_ones_own(page: Page, address: str) -> None:
    for title, target in (
        ("Train", "tutorials/train_ppo"),
        ("Measure", "tutorials/measure_a_model"),
        ("Bring", "own_game"),
    ):
        page.goto(f"{address}/index.html")
        page.locator(".sd-card", has=page.get_by_text(title, exact=False)).locator("a").last.click()
        page.wait_for_url(f"{address}/{target}.html")


def test_search_finds_what_a_measure_is_called(page: Page, address: str) -> None:
    page.goto(f"{address}/search.html?q=exploitability")
    result = page.locator("#search-results ul.search a")
    expect(page.locator("#search-results .search-summary")).to_contain_text("found")  # it is done
    assert "nashzoo.baselines.exploitability" in result.all_inner_texts()
    assert any("exactness.html" in str(link.get_attribute("href")) for link in result.all())


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
    for command in SUMMARIES:
        assert any(name.startswith(f"nashzoo-{command}") for name in options), command
