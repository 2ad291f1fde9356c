"""The lessons have the form that their grader needs, and their page lists them; `make lessons` runs them."""

import ast
import re
from pathlib import Path

import pytest

from lessons.__main__ import PAGES, source
from lessons.checks import check, returned, same

PAGE = Path(__file__).parents[2] / "docs" / "lessons.md"
EXERCISES = 3


def test_the_page_lists_the_ten_lessons() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .+? \| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _ in rows] == [page.stem for page in PAGES] and len(rows) == 10
    assert all(30 <= int(minutes) <= 60 for _, minutes in rows)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_lesson_has_three_exercises_with_hidden_tests(page: Path) -> None:
    cells = source(page).cells
    marks = [cell.source.splitlines()[0] for cell in cells if cell.cell_type == "raw"]
    block = ["# BEGIN QUESTION", "# BEGIN SOLUTION", "# END SOLUTION", "# BEGIN TESTS", "# END TESTS", "# END QUESTION"]
    assert marks == ["# ASSIGNMENT CONFIG", *EXERCISES * block]
    names = [
        re.search(r"^name: (\w+)$", cell.source, re.MULTILINE) for cell in cells if "BEGIN QUESTION" in cell.source
    ]
    tests = [cell.source for cell in cells if cell.source.startswith("# HIDDEN")]
    assert len(tests) >= EXERCISES
    for name in names:
        assert name is not None and any(f'"{name[1]}"' in test for test in tests), "each exercise is tested by its name"
    for test in tests:
        (function,) = ast.parse(test).body
        assert isinstance(function, ast.FunctionDef) and function.args.args[0].arg == "env"


def broken(number: int) -> float:
    return 1 / number


def test_a_wrong_answer_is_explained() -> None:
    with pytest.raises(AssertionError, match=r"^broken\(4\) should return 0.5, and returned 0.25. Halve it.$"):
        check({"broken": broken}, "broken", 4, want=0.5, idea="Halve it.")
    with pytest.raises(AssertionError, match=r"^broken\(0\) stopped with ZeroDivisionError: .* at: return 1 / number$"):
        returned({"broken": broken}, "broken", 0)
    with pytest.raises(AssertionError, match="There is no function missing"):
        returned({}, "missing", 0)
    with pytest.raises(AssertionError, match="returned None: it has no return yet"):
        returned({"print": lambda: None}, "print")
    check({"broken": broken}, "broken", 4, want=0.25, idea="")


def test_results_are_compared_by_their_kind() -> None:
    assert same((1, [0.5, 0.5]), (1.0, [0.5, 0.5]), 1e-9) and not same((1, 2, 3), (1, 2), 1e-9)
    assert not same([1.0, float("nan")], [1.0, 0.0], 1e-9) and not same("0", 0, 1e-9) and not same([0.5], 0.5, 1e-9)
    assert same({"a": [1, 2]}, {"a": [1, 2]}, 0) and not same({"a": [1, 2]}, {"a": [1, 3]}, 0) and not same({1}, {2}, 0)
    assert not same("open", 0, 1e-9) and not same(0, "open", 1e-9)
