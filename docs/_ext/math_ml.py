"""Formulas as MathML, which browsers show without a script from elsewhere."""

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def _markup(text: str, block: bool) -> str:
    return latex2mathml.tex2mathml(text, as_block=block)


def _inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(_markup(node.astext(), block=False))
    raise nodes.SkipNode


def _block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{_markup(node.astext(), block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects to Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True}
