"""Makes the notebooks of the lessons and their graders, and grades what a class hands in.

python -m lessons make
python -m lessons make 05_markov_games
python -m lessons grade 05_markov_games handed_in
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import tyro

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.base.words import counted, printable

FOLDER = Path(__file__).parent
PAGES = sorted(FOLDER.glob("[0-9]*.md"))
MADE = FOLDER.parent / "build" / "lessons"
PLACE_OF_ERROR = re.compile(r" *Error at line \d+ in test .*?\n(?= *\w+: )|(?<= )AssertionError: ", re.DOTALL)
PATIENCE = 3600  # seconds for a notebook; its cells and functions have limits of their own
FIRST = """import sys
sys.path.append({folder!r})
import checks
checks.limit_cells(get_ipython(), {missing!r})"""
UTF8 = {**os.environ, "PYTHONUTF8": "1", "MPLBACKEND": "agg"}  # Windows has other encodings, and no one looks at plots
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
CONFIG = """# ASSIGNMENT CONFIG
init_cell: false
export_cell: false
tests: {files: true, ok_format: false}
generate: {pdf: false, show_hidden: true}
autograder_files: [checks.py]"""


def source(page: Path) -> Any:
    """Returns a lesson as a notebook in the source format of Otter Assign.

    A cell with ``# BEGIN SOLUTION`` is an exercise, named after its last function; the cells after it that begin with
    ``# HIDDEN`` are its tests.
    """
    import jupytext
    from nbformat.v4 import new_raw_cell

    notebook = jupytext.reads(page.read_text(encoding="utf-8"), fmt="md")
    notebook.metadata = {"kernelspec": KERNEL}
    cells, tested = [new_raw_cell(CONFIG)], False
    for cell in [*notebook.cells, None]:
        test = cell is not None and cell.source.startswith("# HIDDEN")
        if tested and not test:
            cells += [new_raw_cell("# END TESTS"), new_raw_cell("# END QUESTION")]
            tested = False
        if cell is None:
            break
        if cell.cell_type == "code" and "# BEGIN SOLUTION" in cell.source:
            name = cell.source.rpartition("\ndef ")[2].removeprefix("def ").partition("(")[0]
            question = f"# BEGIN QUESTION\nname: {name}\ncheck_cell: false"
            around = [new_raw_cell(question), new_raw_cell("# BEGIN SOLUTION")]
            cells += [*around, cell, new_raw_cell("# END SOLUTION"), new_raw_cell("# BEGIN TESTS")]
            tested = True
        else:
            cells.append(cell)
    notebook.cells = cells
    return notebook


def made(page: Path, folder: Path) -> None:
    """Makes a lesson's three files: ``student/NAME.ipynb``, ``solution/NAME.ipynb`` and ``grader/NAME.zip``."""
    import nbformat
    from otter.assign import main

    with tempfile.TemporaryDirectory() as work:
        master = Path(work, f"{page.stem}.ipynb")
        nbformat.write(source(page), master)
        shutil.copy(FOLDER / "checks.py", work)
        main(str(master), str(Path(work, "out")), no_pdfs=True, no_run_tests=True)
        assigned = Path(work, "out", "autograder")
        for kind, file in (
            ("student", Path(work, "out", "student", master.name)),
            ("solution", assigned / master.name),
        ):
            notebook = nbformat.read(file, nbformat.NO_CONVERT)
            for cell in notebook.cells:
                cell.metadata.pop("otter", None)  # it would run an exercise's tests before the cells below are run
            (folder / kind).mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, folder / kind / file.name)
        (folder / "grader").mkdir(parents=True, exist_ok=True)
        (grader,) = assigned.glob("*.zip")
        shutil.copy(grader, folder / "grader" / f"{page.stem}.zip")


class Result(NamedTuple):
    """The result of an exercise.

    Attributes:
        exercise: The name of its function.
        points: From 0 to 1.
        told: What to tell the student.
    """

    exercise: str
    points: float
    told: str


def graded(notebook: Path, grader: Path) -> list[Result]:
    """Runs a notebook and its hidden tests in a process of its own, and returns the results of its exercises.

    Each cell, and each function in all its calls by the tests, has ``checks.MOST_SECONDS`` of the processor.

    Raises:
        UsageError: the notebook cannot be run; the message says why.
    """
    import nbformat
    from nbformat.v4 import new_code_cell

    with tempfile.TemporaryDirectory() as out:
        limited, missing, results = Path(out, notebook.name), Path(out, "missing"), Path(out, "results.json")
        try:
            handed_in = nbformat.read(notebook, 4)
            first = FIRST.format(folder=str(FOLDER), missing=str(missing))
            handed_in.cells = [new_code_cell(first), *handed_in.cells, new_code_cell("get_ipython().unlimited()")]
            nbformat.write(handed_in, limited)
        except (ValueError, AttributeError, KeyError, TypeError) as error:
            raise UsageError(f"it is no notebook: {error}") from None
        command = [sys.executable, "-m", "otter", "run", "--no-logo", "-a", str(grader), "-o", out, str(limited)]
        try:
            done = subprocess.run(
                command, capture_output=True, encoding="utf-8", env=UTF8, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            raise UsageError(f"it ran for {PATIENCE} seconds") from None
        if missing.exists():
            raise UsageError(f"it needs the package {missing.read_text(encoding='utf-8')}, which is not installed")
        tests = json.loads(results.read_text(encoding="utf-8"))["tests"] if results.exists() else []
        if done.returncode or not any(test.get("max_score") for test in tests):
            reason = (done.stderr.strip() or "its tests could not be run").splitlines()[-1]
            raise UsageError(printable(reason))
    return [
        Result(test["name"], float(test["score"]), PLACE_OF_ERROR.sub("", test["output"]))
        for test in tests
        if test.get("max_score")
    ]


def make(lessons: Annotated[tuple[str, ...], tyro.conf.Positional] = (), out: Path = MADE) -> None:
    """Makes the notebooks of the students, the solutions and the graders.

    Args:
        lessons: Names of lessons; all without any.
        out: The folder.
    """
    for page in [_page(name) for name in lessons] or PAGES:
        made(page, out)
        print(f"{page.stem}: {out / 'student' / page.stem}.ipynb")


def grade(
    lesson: tyro.conf.Positional[str], handed_in: tyro.conf.Positional[Path], graders: Path = MADE / "grader"
) -> None:
    """Grades all notebooks in a folder: a text for each student beside its notebook, and ``points.csv``.

    Args:
        lesson: The name of the lesson.
        handed_in: The folder with the notebooks; each has the name of its student.
        graders: The folder with the graders.
    """
    grader = graders / f"{_page(lesson).stem}.zip"
    if not grader.exists():
        raise UsageError(f"make the grader first: python -m lessons make {lesson}")
    notebooks = sorted(handed_in.glob("*.ipynb"))
    if not notebooks:
        raise UsageError(f"there is no notebook in {handed_in}")
    names = re.findall(r"^name: (\w+)$", "\n".join(cell.source for cell in source(_page(lesson)).cells), re.MULTILINE)
    rows, ungraded = [], 0
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:  # a notebook has two processes
        for notebook, results in zip(notebooks, pool.map(partial(_tried, grader), notebooks), strict=True):
            if isinstance(results, UsageError):
                by_name, text = {}, f"not graded: {results}"
                ungraded += 1
            else:
                by_name = {result.exercise: result for result in results}
                text = "\n\n".join(f"{name}: {by_name[name].points:g} of 1\n{by_name[name].told}" for name in names)
            points = [by_name[name].points if by_name else "" for name in names]
            total = sum(result.points for result in by_name.values()) if by_name else ""
            with written_whole(notebook.with_suffix(".txt")) as file:
                file.write_text(text + "\n", encoding="utf-8")
            rows.append((notebook.stem, total, *points))
            print(f"{printable(notebook.stem)}: {f'{total:g} points' if by_name else text}")
    with written_whole(handed_in / "points.csv") as file, file.open("w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows([("student", "points", *names), *rows])
    if ungraded:
        raise UsageError(f"{counted(ungraded, 'notebook')} of {len(rows)} could not be graded; {handed_in} says why")


def _tried(grader: Path, notebook: Path) -> list[Result] | UsageError:
    try:
        return graded(notebook, grader)
    except UsageError as error:
        return error


def _page(name: str) -> Path:
    page = FOLDER / f"{name}.md"
    if page not in PAGES:
        raise UsageError(f"there is no lesson {name}; the lessons are {', '.join(page.stem for page in PAGES)}")
    return page


if __name__ == "__main__":
    try:
        tyro.extras.subcommand_cli_from_dict({"make": make, "grade": grade})
    except UsageError as error:
        sys.exit(str(error))
