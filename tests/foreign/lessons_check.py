"""The lessons: solutions pass their hidden tests, stubs and wrong answers fail them; `make lessons` runs this."""

import contextlib
import importlib
import io
import time
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pytest
from otter.test_files import TestFile
from otter.test_files.exception_test import ExceptionTestFile

from lessons import __main__ as lessons
from lessons.__main__ import PAGES, grade, graded, made
from nashzoo.envs.base.errors import UsageError

LESSONS = [page.stem for page in PAGES]
EXERCISES = 3
MOST_SECONDS = 90.0  # of one core, for all solutions and their tests


class Mutant(NamedTuple):
    """A wrong answer: a piece of a solution, and what stands there instead."""

    lesson: str
    wrong: str
    right: str
    instead: str


STAGE = "stage_matrix(game, V, s, gamma)"
SOFTMAX = "np.exp(logits - logits.max(axis=1, keepdims=True))"
MUTANTS = [
    Mutant("01_matrix_games", "best column in place of the worst", "(x @ A).min()", "(x @ A).max()"),
    Mutant("01_matrix_games", "rows and columns swapped", "(x @ A).min()", "(A @ np.resize(x, A.shape[1])).min()"),
    Mutant("01_matrix_games", "weights not normalised", "return weights / weights.sum()", "return weights"),
    Mutant("01_matrix_games", "saddle points forgotten", "if least.max() == greatest.min():", "if False:"),
    Mutant("01_matrix_games", "maximin over pure strategies", "return z[-1],", "return A.min(axis=1).max(),"),
    Mutant("01_matrix_games", "the wrong sign of the value", "return z[-1],", "return -z[-1],"),
    Mutant("01_matrix_games", "a value that cannot be negative", "[(None, None)]", "[(0, None)]"),
    Mutant("02_minimax", "diagonals forgotten", "in LINES:", "in LINES[:6]:"),
    Mutant("02_minimax", "no lines on a full board", "in LINES:", "in LINES * ('.' in board):"),
    Mutant("02_minimax", "noughts maximise as well", "else min(values)", "else max(values)"),
    Mutant("02_minimax", "winning moves alone", "== value(board)}", "== 1}"),
    Mutant("03_menace", "turned boards alone, no mirror", "for p in IMAGES)\n    #", "for p in IMAGES[:4])\n    #"),
    Mutant("03_menace", "the most beads win", "place = u * sum(beads)", "return beads.index(max(beads))"),
    Mutant("03_menace", "the last bead is taken", "max(1, boxes[board][cell] + result)", "boxes[board][cell] + result"),
    Mutant(
        "04_roshambo", "against the best answers", "return max(sum(", "return len(theirs) - got\n    return max(sum("
    ),
    Mutant(
        "03_menace",
        "a copy is changed",
        "    for board, cell in moves:",
        "    boxes = {board: list(beads) for board, beads in boxes.items()}\n    for board, cell in moves:",
    ),
    Mutant("04_roshambo", "what was predicted is thrown, not the answer", ".argmax()) + 1) % 3", ".argmax()) + 0) % 3"),
    Mutant("04_roshambo", "own throws are counted", "np.bincount(theirs,", "np.bincount(mine,"),
    Mutant("04_roshambo", "the throw of the pair, not the one after", "theirs[k + 1]", "theirs[k]"),
    Mutant("05_markov_games", "gamma forgotten", "gamma * V[after]", "V[after]"),
    Mutant("05_markov_games", "the reward of the opponent", "return game.payoff(", "return -game.payoff("),
    Mutant("05_markov_games", "the maximum in place of the value", f"solve_matrix({STAGE}).value", f"{STAGE}.max()"),
    Mutant("05_markov_games", "pure rows", f"solve_matrix({STAGE}).value", f"{STAGE}.min(axis=1).max()"),
    Mutant("05_markov_games", "a single sweep", "<= tolerance:", "<= tolerance or True:"),
    Mutant("06_minimax_q", "Q-learning: the maximum", "V[s] = solve_matrix(Q[s]).value", "V[s] = Q[s].max()"),
    Mutant("06_minimax_q", "1 - alpha forgotten", "(1 - alpha) * Q[s][a, b] +", "Q[s][a, b] +"),
    Mutant("06_minimax_q", "never explores", "if rng.random() < epsilon:", "if False:"),
    Mutant("06_minimax_q", "the next value is not discounted", "r + gamma * V[s2]", "r + V[s2]"),
    Mutant("07_exploitability", "the wrong sign of the column player", "(-(x @ A)).max()", "(x @ A).max()"),
    Mutant("07_exploitability", "not divided: NashConv", "(A, x, y)) / 2", "(A, x, y))"),
    Mutant("07_exploitability", "off by a factor of 400", "(A, x, y)) / 2", "(A, x, y)) / 800"),
    Mutant("07_exploitability", "always 0", "(A, x, y)) / 2", "(A, x, y)) * 0"),
    Mutant(
        "07_exploitability",
        "the value of the pair, twice",
        "sum(best_response_values(A, x, y))",
        "(x @ A @ y - x @ A @ y)",
    ),
    Mutant("07_exploitability", "the mean in place of the maximum", "(Q @ policy[s]).max()", "(Q @ policy[s]).mean()"),
    Mutant("08_self_play", "rows and columns swapped", "return X @ A @ X.T", "return X @ A.T @ X.T"),
    Mutant("08_self_play", "the worst response", "rows[-1]].argmax()", "rows[-1]].argmin()"),
    Mutant("08_self_play", "the last responses, no average", "return rows / rounds,", "return np.eye(m)[row],"),
    Mutant("08_self_play", "the columns maximise, too", "(rows @ A).argmin()", "(rows @ A).argmax()"),
    Mutant("09_networks", "one sum for the whole batch", "/ weights.sum(axis=1, keepdims=True)", "/ weights.sum()"),
    Mutant("09_networks", "overflow", SOFTMAX, "np.exp(logits)"),
    Mutant("09_networks", "no bias", '@ params["W2"] + params["b2"])', '@ params["W2"])'),
    Mutant("09_networks", "the wrong sign: descent", "(np.eye(p.shape[1])[actions] - p)", "(p - np.eye(4)[actions])"),
    Mutant("09_networks", "tanh is not differentiated", " * (1 - hidden**2)", ""),
    Mutant("10_kuhn_poker", "the card of the other", "deal[len(history) % 2]", "deal[1 - len(history) % 2]"),
    Mutant("10_kuhn_poker", "negative regrets count", "np.maximum(regrets, 0)", "np.abs(regrets)"),
    Mutant("10_kuhn_poker", "player 1 has the sign of player 0", "sign = 1 if player == 0 else -1", "sign = 1"),
    Mutant("10_kuhn_poker", "the own reach weighs regrets", "reach[1 - player] * sign", "reach[player] * sign"),
    Mutant("10_kuhn_poker", "the average is not weighed", "+= reach[player] * sigma", "+= sigma"),
]


UNUSUAL = [  # right answers in another form
    Mutant("01_matrix_games", "lists", "return z[-1], z[:-1]", "return [z[-1], z[:-1].tolist()]"),
    Mutant("03_menace", "a NumPy number", "            return cell", "            return np.int64(cell)"),
    Mutant(
        "07_exploitability",
        "an array",
        "return (A @ y).max(), (-(x @ A)).max()",
        "return np.array([max(A @ y), -min(x @ A)])",
    ),
]


class Class:
    """A notebook, run in this process, and its hidden tests."""

    def __init__(self, notebook: Path, grader: Path, folder: Path) -> None:
        self.cells = [cell.source for cell in nbformat.read(notebook, 4).cells if cell.cell_type == "code"]
        self.names: dict[str, Any] = {"__name__": "student"}
        with zipfile.ZipFile(grader) as archive:
            archive.extractall(folder)
        self.tests = sorted((folder / "tests").glob("*.py"))

    def run(self, source: str) -> None:
        """Runs a cell."""
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, "cell", "exec"), self.names)

    def failures(self, first: bool = False) -> dict[str, str]:
        """Returns the messages of the exercises that fail, by exercise, or of the first alone."""
        failed: dict[str, str] = {}
        importlib.import_module("checks").spent.clear()  # each time as in a new notebook
        for path in self.tests:
            tests: TestFile = ExceptionTestFile.from_file(str(path))
            tests.run(self.names)
            messages = [result.message for result in tests.test_case_results if not result.passed]
            if messages:
                failed[path.stem] = "\n".join(messages)
                if first:
                    break
        return failed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("lessons")
    for page in PAGES:
        made(page, out)
    return out


@pytest.fixture(autouse=True)
def graders_see_their_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.syspath_prepend(str(PAGES[0].parent))


def opened(folder: Path, kind: str, lesson: str, tmp_path: Path) -> Class:
    return Class(folder / kind / f"{lesson}.ipynb", folder / "grader" / f"{lesson}.zip", tmp_path)


seconds: dict[str, float] = {}


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_solution_passes_and_wrong_answers_fail(folder: Path, lesson: str, tmp_path: Path) -> None:
    began = time.process_time()
    taken = opened(folder, "solution", lesson, tmp_path)
    for cell in taken.cells:
        taken.run(cell)
    assert len(taken.tests) == EXERCISES and taken.failures() == {}
    seconds[lesson] = time.process_time() - began
    missed = []
    for mutant in (mutant for mutant in MUTANTS if mutant.lesson == lesson):
        (cell,) = [cell for cell in taken.cells if mutant.right in cell]
        taken.run(cell.replace(mutant.right, mutant.instead))
        if not taken.failures(first=True):
            missed.append(mutant.wrong)
        taken.run(cell)
    assert missed == [] and taken.failures() == {}
    for other in (other for other in UNUSUAL if other.lesson == lesson):
        (cell,) = [cell for cell in taken.cells if other.right in cell]
        taken.run(cell.replace(other.right, other.instead))
        assert taken.failures() == {}, other.wrong
        taken.run(cell)


def test_all_solutions_take_little_time() -> None:
    assert len(seconds) == len(LESSONS) and sum(seconds.values()) < MOST_SECONDS, seconds


def test_there_are_twenty_wrong_answers_and_more() -> None:
    assert len(MUTANTS) >= 20 and {mutant.lesson for mutant in MUTANTS} == set(LESSONS)


@pytest.mark.parametrize("lesson", LESSONS)
def test_stubs_fail_and_are_told_so(folder: Path, lesson: str, tmp_path: Path) -> None:
    taken = opened(folder, "student", lesson, tmp_path)
    for cell in taken.cells:
        with contextlib.suppress(Exception):
            taken.run(cell)
    failed = taken.failures()
    assert len(failed) == EXERCISES
    for exercise, message in failed.items():
        assert f"{exercise}(" in message and "it has no return yet" in message, message
    text = (folder / "student" / f"{lesson}.ipynb").read_text()
    assert "BEGIN SOLUTION" not in text and "HIDDEN" not in text and "from checks import" not in text


def test_a_class_is_graded(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson = "07_exploitability"
    right = (folder / "solution" / f"{lesson}.ipynb").read_text()
    wrong = right.replace("(A, x, y)) / 2", "(A, x, y)) / 800")
    assert wrong != right
    (tmp_path / "anna.ipynb").write_text(right)
    (tmp_path / "ben.ipynb").write_text(wrong)
    grade(lesson, tmp_path, folder / "grader")
    assert (tmp_path / "points.csv").read_text().splitlines() == [
        "student,points,best_response_values,exploitability,best_response_value",
        "anna,3.0,1.0,1.0,1.0",
        "ben,2.5,1.0,0.5,1.0",
    ]
    told = (tmp_path / "ben.txt").read_text()
    assert "should return 1, and returned 0.0025. Rock loses 1 point" in told
    assert "Error" not in told and "check(env" not in told


def test_tests_are_run_after_all_cells(folder: Path) -> None:
    lesson = "10_kuhn_poker"  # its tests use names of cells below its exercises
    results = graded(folder / "solution" / f"{lesson}.ipynb", folder / "grader" / f"{lesson}.zip")
    assert [result.points for result in results] == [1.0, 1.0, 1.0], results


def test_an_endless_exercise_costs_itself_alone(folder: Path, tmp_path: Path) -> None:
    text = (folder / "solution" / "07_exploitability.ipynb").read_text()
    notebook = tmp_path / "carl.ipynb"
    notebook.write_text(text.replace("    return sum(best_response_values(A, x, y)) / 2", "    while True: pass"))
    assert notebook.read_text() != text
    results = graded(notebook, folder / "grader" / "07_exploitability.zip")
    assert sorted(result.points for result in results) == [0.0, 1.0, 1.0], results
    (lost,) = (result for result in results if not result.points)
    assert lost.exercise == "exploitability" and "did not end" in lost.told


def test_what_cannot_be_run_is_not_graded(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = "07_exploitability"
    right = (folder / "solution" / f"{lesson}.ipynb").read_text()
    (tmp_path / "dora.ipynb").write_text("{")
    (tmp_path / "emil.ipynb").write_text(right.replace("import numpy as np", "import numpy as np, no_such_package", 1))
    with pytest.raises(UsageError, match="2 notebooks of 2 could not be graded"):
        grade(lesson, tmp_path, folder / "grader")
    _, dora, emil = (tmp_path / "points.csv").read_text().splitlines()
    assert (dora, emil) == ("dora,,,,", "emil,,,,")
    assert "dora: not graded: it is no notebook" in (printed := capsys.readouterr().out)
    assert "emil: not graded: it needs the package no_such_package, which is not installed" in printed
    monkeypatch.setattr(lessons.sys, "executable", "/bin/false")
    with pytest.raises(UsageError, match="its tests could not be run"):
        graded(folder / "solution" / f"{lesson}.ipynb", folder / "grader" / f"{lesson}.zip")
