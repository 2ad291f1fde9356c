"""A browser, pages of two sizes, and a server of ``nashzoo web``; what the checks of pages share."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

SIZES = {"desk": {"width": 1280, "height": 800}, "telephone": {"width": 390, "height": 844}}


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., str]]:
    """Returns what begins ``nashzoo web`` with words of its command line, and returns its address."""
    servers = []

    def begin(*words: str) -> str:
        server = subprocess.Popen(
            [sys.executable, "-m", "nashzoo.app.main", "web", "--no-browser", *words],
            stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip
        servers.append(server)
        assert server.stdout is not None
        found = re.search(r"http://[\d.:]+/", server.stdout.readline())
        assert found is not None
        return found[0]

    yield begin
    for server in servers:
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0
        assert server.stdout is not None
        server.stdout.close()


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    return serve()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(params=SIZES)
def page(browser: Any, request: pytest.FixtureRequest) -> Iterator["Page"]:
    opened = browser.new_page(viewport=SIZES[request.param])
    wrong: list[str] = []
    opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    yield opened
    opened.close()
    assert wrong == []
