"""``nashzoo web`` in a process of its own, and a browser that shows its pages."""

import contextlib
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

# The first shows pages alone: without the parts around a page it takes a third of the processor time.
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


class WebServer(subprocess.Popen[str]):
    """A server that is ready after its construction, and is interrupted at the end of a ``with`` block.

    Args:
        words: The arguments of ``nashzoo web``.

    Attributes:
        address: Its address, such as ``http://127.0.0.1:8000/``.
    """

    def __init__(self, *words: str) -> None:
        super().__init__(
            [sys.executable, "-m", "nashzoo.app", "web", "--no-browser", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip
        assert self.stdout is not None and self.stderr is not None
        address = re.search(r"http://[\d.:]+/", self.stdout.readline())
        if address is None:
            self.kill()
            raise RuntimeError(self.stderr.read())
        self.address = address[0]

    def __exit__(self, *raised: Any) -> None:
        self.send_signal(signal.SIGINT)
        self.errors = self.communicate(timeout=30)[1]
        super().__exit__(*raised)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Yields the Chromium of this machine, without a window."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def play_out(page: Page, place: int) -> None:
    """Plays a match of tic-tac-toe to its end, and always chooses the cell at this place among the free ones."""
    for _ in range(5):
        page.wait_for_selector("[data-target], #review")
        if page.locator("#review").count():
            break
        before = page.locator("ol.log li").count()
        page.locator("[data-target]").nth(place).click()
        page.locator("ol.log li").nth(before).wait_for()
    page.wait_for_selector("#share")
