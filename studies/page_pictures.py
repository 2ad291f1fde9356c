"""The pictures of ``nashzoo web`` in the documentation, taken in Chromium.

python -m studies.page_pictures
"""

from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from studies.web_server import WebServer, chromium, play_out

IMAGES = Path("docs/images")
RESULTS = "docs/results"
SIZE = {"width": 1280, "height": 800}
COLOURS = 128  # as many as such a page needs, in a third of the bytes


def play(page: Page) -> None:
    """A match of Bodega Brawl with the exact solution beside it."""
    page.evaluate("location.hash = '#play?game=bodega_brawl_v0(preset=small)&p1=nash&seed=3&truth=1'")
    for number, action in enumerate((4, 2), 1):
        page.click(f"button[data-action='{action}']")
        page.locator("ol.log li").nth(number - 1).wait_for()
    page.click(".hint button")
    page.wait_for_selector(".ranges", state="attached")  # below "How sure?"


def explore(page: Page) -> None:
    """A state of Footsies: equilibrium, matrix, and the regret of each action."""
    page.evaluate("location.hash = '#explore?game=footsies_v0'")
    page.wait_for_selector("#value")
    page.select_option("select[name=blocks0]", "1")
    page.select_option("select[name=hits1]", "1")
    page.click("button:text-is('Go there')")
    page.wait_for_timeout(500)
    page.click("table.matrix button >> nth=5")


def review(page: Page) -> None:
    """The review of a match of tic-tac-toe."""
    page.evaluate("location.hash = '#play?game=tictactoe_v0&p1=perfect&seed=4'")
    play_out(page, -1)


def practice(page: Page) -> None:
    """Practice at the state of Footsies where a player that always blocks there loses most."""
    page.evaluate("location.hash = '#practise?game=footsies_v0&player=counter'")
    page.wait_for_selector("[data-action]:enabled")
    for key in "232243":
        page.keyboard.press(key)
    page.wait_for_selector("#answer")


def results(page: Page) -> None:
    """The table of results."""
    page.evaluate("location.hash = '#results?game=footsies_v0'")
    page.wait_for_selector("table.results")
    page.click("button.sort:text-is('exploitability')")
    page.click("button.sort:text-is('exploitability')")


PICTURES = {"light": (explore, practice, results), "dark": (play, review)}


def main() -> None:
    """Takes all pictures."""
    with WebServer(RESULTS) as server, chromium() as browser:
        for theme, pictures in PICTURES.items():
            for picture in pictures:
                page = browser.new_page(viewport=SIZE, color_scheme=theme, reduced_motion="reduce")  # type: ignore
                page.goto(server.address)
                page.wait_for_selector("main *")
                picture(page)
                page.wait_for_load_state("networkidle")
                page.evaluate("scrollTo(0, 0)")
                shot, path = page.screenshot(), IMAGES / f"web-{picture.__name__}.png"
                Image.open(BytesIO(shot)).convert("RGB").quantize(COLOURS).save(path, optimize=True)
                page.close()


if __name__ == "__main__":
    main()
