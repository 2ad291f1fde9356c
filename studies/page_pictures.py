"""The pictures of ``nashzoo web`` in the documentation, taken in Chromium.

python -m studies.page_pictures
"""

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

IMAGES = Path("docs/images")
RESULTS = "docs/results"
SIZE = {"width": 1200, "height": 800}


def play(page: Page) -> None:
    """A match of Bodega Brawl with the exact solution beside it."""
    page.evaluate("location.hash = '#play?game=bodega_brawl_v0(preset=small)&p1=nash&seed=3&truth=1'")
    for action in (4, 2):
        page.click(f"button[data-action='{action}']")
        page.wait_for_timeout(500)


def explore(page: Page) -> None:
    """A state of Footsies: equilibrium, matrix, and what each action loses."""
    page.evaluate("location.hash = '#explore?game=footsies_v0'")
    page.wait_for_selector("#value")
    page.fill("input[name=blocks0]", "1")
    page.fill("input[name=hits1]", "1")
    page.click("button:text-is('Go there')")
    page.wait_for_timeout(500)
    page.click("table.matrix button >> nth=5")


def review(page: Page) -> None:
    """The review of a match of tic-tac-toe."""
    page.evaluate("location.hash = '#play?game=tictactoe_v0&p1=perfect&seed=4'")
    for _ in range(5):
        page.wait_for_selector("[data-target], #review")
        if page.locator("#review").count():
            break
        page.click("[data-target] >> nth=-1")
        page.wait_for_timeout(400)
    page.wait_for_selector("#review table")


def results(page: Page) -> None:
    """The table of results."""
    page.evaluate("location.hash = '#results?game=footsies_v0'")
    page.wait_for_selector("table.results")
    page.click("button.sort:text-is('exploitability')")
    page.click("button.sort:text-is('exploitability')")


PICTURES = {"light": (explore, results), "dark": (play, review)}


def main() -> None:
    """Takes all pictures."""
    server = subprocess.Popen(
        [sys.executable, "-m", "nashzoo.app.main", "web", "--no-browser", RESULTS],
        stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert server.stdout is not None
    found = re.search(r"http://[\d.:]+/", server.stdout.readline())
    assert found is not None
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for theme, pictures in PICTURES.items():
            for picture in pictures:
                page = browser.new_page(viewport=SIZE, color_scheme=theme)  # type: ignore[arg-type]
                page.goto(found[0])
                page.wait_for_selector("main *")
                picture(page)
                page.wait_for_load_state("networkidle")
                page.evaluate("scrollTo(0, 0)")
                page.screenshot(path=IMAGES / f"web-{picture.__name__}.png")
                page.close()
        browser.close()
    server.send_signal(signal.SIGINT)
    server.wait()
    server.stdout.close()


if __name__ == "__main__":
    main()
