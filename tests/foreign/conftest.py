"""A browser, pages of two sizes, and a server of ``nashzoo web``; what the checks of pages share."""

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from exported import EXPORTED
from nashzoo.app.menace.web import menace_page
from nashzoo.app.web import export
from sizes import SIZES
from studies.web_server import WebServer, chromium

PATIENCE = 120_000  # milliseconds: a machine may be slow and busy
expect.set_options(timeout=PATIENCE)
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}  # those of axe's rules that depend on the theme


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., str]]:
    """Returns what begins ``nashzoo web`` with words of its command line, and returns its address."""
    servers = []

    with contextlib.ExitStack() as stack:

        def begin(*words: str) -> str:
            servers.append(stack.enter_context(WebServer(*words)))
            return servers[-1].address

        yield begin
    assert [server.returncode for server in servers] == [0] * len(servers)


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    return serve()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Returns the address of pages without a server that have some games and MENACE's boxes, written once for all."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with (shared / "export.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "export").exists():
            export.write(EXPORTED, (), shared / "export", [menace_page()])
    return (shared / "export" / "index.html").as_uri()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(params=SIZES)
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    # wait_for_function needs a function: an expression is evaluated in each frame, which the page's policy forbids.
    opened = browser.new_page(viewport=SIZES[request.param], reduced_motion="reduce")
    opened.set_default_timeout(PATIENCE)
    errors: list[str] = []
    opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    opened.close()
    assert errors == []


@pytest.fixture
def themes(page: Page) -> Iterator[str]:
    """Yields the themes that a reader can want; a page asks for it when it is opened, so it is empty before."""

    def wanted() -> Iterator[str]:
        for theme in ("light", "dark"):
            page.goto("about:blank")
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            yield theme

    return wanted()


@pytest.fixture
def barriers(page: Page) -> Callable[..., dict[str, list[str]]]:
    """Returns what lists the places of the page that break axe's rules of accessibility, by rule.

    In the dark theme these are the rules on colours: the others find the same in both.
    """

    def found(theme: str = "light") -> dict[str, list[str]]:
        served = page.url.startswith("http")  # a page from a folder may not load its style sheets once more
        options = {"preload": served, "resultTypes": ["violations"]} | (COLOURS if theme == "dark" else {})
        violations = Axe().run(page, options=options).response["violations"]
        return {one["help"]: [node["html"] for node in one["nodes"]] for one in violations}

    return found
