"""Tables of LaTeX, which need no package."""

import re
from collections.abc import Sequence

SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "±": r"$\pm$", "≤": r"$\leq$", "…": r"\dots{}",
}  # fmt: skip


def escaped(text: str) -> str:
    r"""Returns a text that LaTeX prints as it is; unknown letters are left to its encoding, UTF-8.

    >>> escaped("50 % of my_learner")
    '50 \\% of my\\_learner'
    """
    return re.sub(r"[#$%&_{}\\~^<>|±≤…]", lambda found: SPECIAL.get(found[0], "\\" + found[0]), " ".join(text.split()))


def tabular(about: str, rows: Sequence[Sequence[str]]) -> str:
    """Returns a table whose first row has the headings, whose last one is a sum, and whose first column has names.

    What the figures are ``about`` becomes a comment; the cells are plain text.
    """
    lines = ["{}" * row[0].startswith(("[", "*")) + " & ".join(map(escaped, row)) + r" \\" for row in rows]
    body = [r"\hline", lines[0], r"\hline", *lines[1:-1], r"\hline", lines[-1], r"\hline"]
    begin = rf"\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}"
    return "\n".join([f"% {' '.join(about.split())}", begin, *body, r"\end{tabular}", ""])
