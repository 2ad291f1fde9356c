"""The sidebar shows the pages in the toctrees of the front page, and below the present one those of its own."""

from typing import Any

from sphinx.application import Sphinx


def _shorten(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: object) -> None:
    if (toctree := context.get("toctree")) is not None:
        context["toctree"] = lambda **options: toctree(**options | {"collapse": True, "maxdepth": 2})


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects to Sphinx."""
    app.connect("html-page-context", _shorten, priority=400)  # before the theme asks for the tree
    return {"parallel_read_safe": True, "parallel_write_safe": True}
