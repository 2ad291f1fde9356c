"""How Sphinx makes a site of the pages in this folder: ``make docs``."""

import os
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
os.environ["NUMBA_DISABLE_JIT"] = "1"  # nothing is compiled, and autodoc sees plain functions
sys.path[:0] = [str(DOCS / "_ext"), str(DOCS.parent), str(DOCS.parent / "tests" / "support")]

project = "nashzoo"
author = "the authors of nashzoo"
copyright = author
html_title = "nashzoo"

extensions = [
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "api_pages",
    "command_pages",
    "math_ml",
    "outside_links",
    "play_pages",
    "sidebar",
]
exclude_patterns = ["_build"]

# Pages are Markdown that GitHub shows as well: anchors are made of headings as GitHub makes them.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "amsmath"]
myst_heading_anchors = 4
myst_heading_slug_func = "github"

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_preserve_defaults = True
autodoc_use_type_comments = False  # there are none, and looking for them takes a tenth of the time
python_use_unqualified_type_names = True
napoleon_use_ivar = True
nitpicky = True
# Imported for the checker of types alone.
nitpick_ignore = [("py:class", name) for name in ("Axes", "InformationForm", "View", "csr_array")]
html_math_renderer = "mathml"

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_search_scorer = str(DOCS / "_static" / "scorer.js")
html_logo = "_static/icon.svg"
html_favicon = "_static/icon.svg"
html_copy_source = False
html_show_sourcelink = False
copybutton_prompt_text = r"\$ |>>> "
copybutton_prompt_is_regexp = True
