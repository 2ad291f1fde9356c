"""Pages that other packages add to the application, and a certificate to try."""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from nashzoo.baselines import solve
from nashzoo.baselines.certificate_file import certificate_text
from nashzoo.envs import make_game

SAMPLE = "nashzoo.examples.kuhn"


class Page(NamedTuple):
    """A page and its data.

    Attributes:
        name: Its view in the address, ``/#NAME``.
        title: Its title in the navigation.
        static: A folder with ``NAME.js``, which exports ``show(main, given)`` as the views do, and the files it loads;
            served at ``/pages/NAME/``.
        data: Computes what it loads from ``/api/NAME``, with a server and without.
        game: The name of the game in whose export it is included; none if it is in none.
    """

    name: str
    title: str
    static: Path
    data: Callable[[], Any]
    game: str = ""


@cache
def sample_certificate() -> str:
    """Returns the text of a small certificate to try."""
    return certificate_text(solve(make_game(SAMPLE)))


def navigation(pages: Iterable[Page]) -> list[dict[str, str]]:
    """Returns the names and titles of pages."""
    return [{"name": page.name, "title": page.title} for page in pages]
