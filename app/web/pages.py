"""Pages that others add to the application: this package knows none of them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # a page can be described where Starlette is not installed
    from nashzoo.app.web.routes import Asked

Answer = Callable[["Asked"], Any]


class Page(NamedTuple):
    """A page, and what it asks the server.

    Attributes:
        name: Its view in the address, ``/#NAME``.
        title: In the navigation.
        static: A folder with ``NAME.js``, which exports ``show(main, given)`` as the views do, and what that loads;
            at ``/pages/NAME/``.
        get: What answers ``GET``, by what stands behind ``/api/NAME``.
        post: What answers ``POST``.
    """

    name: str
    title: str
    static: Path
    get: Mapping[str, Answer]
    post: Mapping[str, Answer]
