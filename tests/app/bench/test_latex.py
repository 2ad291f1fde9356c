"""Tables of LaTeX: what a name contains is printed, and commands nothing."""

import re

import pytest

from nashzoo.app.bench.latex import escaped, tabular


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("a_b & 50 % #1", r"a\_b \& 50 \% \#1"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("0.1 ± 0.2 ≤ 1", r"0.1 $\pm$ 0.2 $\leq$ 1"),
        ("$x^2$ ~ <y>", r"\$x\textasciicircum{}2\$ \textasciitilde{} \textless{}y\textgreater{}"),
        ("two\nlines", "two lines"),
    ],
)
def test_special_letters_are_escaped(text: str, source: str) -> None:
    assert escaped(text) == source


def test_a_table_has_a_column_for_each_cell_and_a_comment_of_one_line() -> None:
    table = tabular("made by\n\\input{x}", [["game", "score"], ["a & b", "1"], ["mean", "2"]])
    comment, *lines = table.splitlines()
    assert comment == r"% made by \input{x}"
    assert lines == [
        r"\begin{tabular}{lr}", r"\hline", r"game & score \\", r"\hline", r"a \& b & 1 \\", r"\hline",
        r"mean & 2 \\", r"\hline", r"\end{tabular}",
    ]  # fmt: skip
    assert not re.search(r"(?<!\\)%", "\n".join(lines))


@pytest.mark.parametrize("name", ["[1pt] mine", "*mine"])
def test_a_row_that_begins_like_an_argument_of_the_line_before_is_a_row(name: str) -> None:
    table = tabular("made", [["game", "score"], ["a", "1"], [name, "2"], ["mean", "2"]])
    assert f"{{}}{name} & 2" in table
    assert not re.search(r"\\\\\s*[\[*]", table)  # a distance follows a bracket there, and no page break a star
