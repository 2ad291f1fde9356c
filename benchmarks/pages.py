"""``nashzoo web`` in a browser: until its first page, the answer to a click, and a state and its solution are shown."""

import random
import statistics
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser, Page

from benchmarks.report import Row
from nashzoo.baselines.store import solution_of
from nashzoo.envs import make_game
from studies.web_server import WebServer, chromium

SMALL = {
    "footsies_v0": {},
    "tictactoe_v0": {},
    "bodega_brawl_v0": {"preset": "small"},
    "roshambo_v0": {"rounds": 10},
    "soccer_v0": {"width": 11, "height": 5, "goal_height": 3},
}
LARGE = {"bodega_brawl_v0": {}, "soccer_v0": {}}  # their solutions are stored once they have been computed
LONGEST = 0.1  # seconds
SHOWN = """async ([hash, code]) => {
    const begun = performance.now();
    location.hash = hash;
    for (;;) {
        await new Promise(requestAnimationFrame);
        const image = document.querySelector("img.board"), truth = document.querySelector("section[data-code]");
        if (image?.dataset.code === code && image.src && image.complete && truth?.dataset.code === code) break;
    }
    return (performance.now() - begun) / 1000;
}"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"
PICTURED = """() => {
    const images = [...document.querySelectorAll(".cards img")];
    return images.length && images.every(image => image.src && image.complete) && performance.now() / 1000;
}"""
CLICKED = """async () => {
    const button = document.querySelector("[data-action]"), begun = performance.now();
    const seconds = async (done) => {
        while (!done()) await new Promise(requestAnimationFrame);
        return (performance.now() - begun) / 1000;
    };
    const steps = () => document.querySelectorAll("ol.log li").length, before = steps();
    button.click();
    const answered = await seconds(() => button.matches(".chosen") || !button.isConnected);
    return [answered, await seconds(() => steps() > before)];
}"""


def run(repetitions: int) -> Iterator[Row]:
    """Measures seconds: medians over loads of the first page, clicks, and states that random play reaches."""
    with WebServer() as server, chromium() as browser:
        yield from first_page(browser, server.address, repetitions)
        yield from clicks(browser, server.address, repetitions)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(server.address)
        page.wait_for_selector("img.board")
        for name, options in SMALL.items():
            yield measured(page, name, options, repetitions, LONGEST)
        for name, options in LARGE.items():
            solution_of(make_game(name, **options))
            yield measured(page, name, options, repetitions, None)


def first_page(browser: Browser, address: str, repetitions: int) -> Iterator[Row]:
    """Measures the first page, each time in a browser that has nothing of it."""
    seconds: dict[str, list[float]] = {"the first paint": [], "the games are pictured": []}
    for _ in range(repetitions + 1):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address)
        pictured = page.wait_for_function(PICTURED).json_value()
        for values, value in zip(seconds.values(), (page.evaluate(PAINTED), pictured), strict=True):
            values.append(value)
        page.close()
    for name, values in seconds.items():
        yield Row(name, statistics.median(values[1:]), "s", most=LONGEST if "paint" in name else None)


def clicks(browser: Browser, address: str, repetitions: int) -> Iterator[Row]:
    """Measures the answers to clicks on an action of Roshambo: the button's, and that of the match."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{address}#play?game=roshambo_v0&p1=random")
    page.wait_for_selector("[data-action]")
    answered, moved = zip(*[page.evaluate(CLICKED) for _ in range(repetitions + 1)], strict=True)
    page.close()
    yield Row("a click is answered", statistics.median(answered[1:]), "s", most=LONGEST)
    yield Row("the move is made", statistics.median(moved[1:]), "s", most=LONGEST)


def measured(page: Page, name: str, options: dict[str, Any], repetitions: int, most: float | None) -> Row:
    """Returns the median time until a state is shown, of states that random play reaches."""
    given = ",".join(f"{option}={value}" for option, value in options.items())
    game = f"{name}({given})" if given else name
    seconds = [
        page.evaluate(SHOWN, [f"#explore?game={game}&code={code}", code])
        for code in states(name, options, repetitions + 1)
    ]
    return Row(f"a state of {game} is shown", statistics.median(seconds[1:]), "s", most=most)


def states(name: str, options: dict[str, Any], count: int) -> list[str]:
    """Returns the codes of different states in which somebody chooses, from random play."""
    game, rng, found = make_game(name, **options), random.Random(0), dict[int, None]()
    while len(found) < count:
        code = game.first_decision
        while not game.terminal(code) and rng.random() < 0.9:
            code = game.step(code, *(rng.choice(game.legal_actions(code, player)) for player in (0, 1)))
        if not game.terminal(code):
            found[code] = None
    return [str(code) for code in found]
