"""Pages that other packages add to the application."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from nashzoo.app.web.requests import ApiRequest

Answer = Callable[[ApiRequest], Any]


class Page(NamedTuple):
    """A page and the handlers of its requests.

    Attributes:
        name: Its view in the address, ``/#NAME``.
        title: Its title in the navigation.
        static: A folder with ``NAME.js``, which exports ``show(main, given)`` as the views do, and the files it loads;
            served at ``/pages/NAME/``.
        get: The handlers of ``GET``, by the path after ``/api/NAME``.
        post: The handlers of ``POST``, likewise.
        game: The name of the game in whose export it is included; none if it needs the server.
        exported: Computes its data there, with which ``NAME_offline.js`` of its folder answers in place of the server.
    """

    name: str
    title: str
    static: Path
    get: Mapping[str, Answer]
    post: Mapping[str, Answer]
    game: str = ""
    exported: Callable[[], Any] = dict


def navigation(pages: Iterable[Page]) -> list[dict[str, str]]:
    """Returns the names and titles of pages."""
    return [{"name": page.name, "title": page.title} for page in pages]
