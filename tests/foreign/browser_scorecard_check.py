"""The scorecard of a learner in Chromium: python -m pytest tests/foreign/browser_scorecard_check.py"""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page

from nashzoo.app.bench.scorecard import write
from nashzoo.arena.measurement.comparison import compare
from nashzoo.arena.measurement.reference import reference


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> str:
    own = [one._replace(learner="mine") for one in reference() if one.learner == "policy_gradient"]
    return write(compare(own, reference()), tmp_path_factory.mktemp("card"))[0].as_uri()


def test_everyone_can_read_it(page: Page, card: str, themes: Iterator[str], barriers: Callable[[str], object]) -> None:
    for theme in themes:
        page.goto(card)
        assert barriers(theme) == {}
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        ink, paper = page.evaluate("[getComputedStyle(document.querySelector('svg text')).fill, "
                                   "getComputedStyle(document.body).backgroundColor]")  # fmt: skip
        brightness = [sum(map(int, colour[4:-1].split(","))) / 3 for colour in (ink, paper)]
        assert abs(brightness[0] - brightness[1]) > 150


def test_pictures_are_neither_cut_nor_tiny(page: Page, card: str) -> None:
    page.goto(card)
    heights, outside = page.evaluate("""() => {
        const texts = [...document.querySelectorAll('svg text')]
        const place = element => element.getBoundingClientRect()
        const isInside = (text, box) => box.left <= text.left + 1 && text.right <= box.right + 1
        const outside = texts.filter(text => !isInside(place(text), place(text.closest('svg'))))
        return [texts.map(text => place(text).height), outside.map(text => text.textContent)]
    }""")
    assert outside == []
    assert min(heights) >= 8  # pixels
