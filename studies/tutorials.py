"""Runs the code of the tutorials, saves its pictures, and writes notebooks.

python -m studies.tutorials
python -m studies.tutorials train_ppo
python -m studies.tutorials --notebooks
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from studies.tables import write_page

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "tutorials"
IMAGES = FOLDER.parent / "images" / "tutorials"
PAGES = sorted(page for page in FOLDER.glob("*.md") if page.stem != "index")
NOTEBOOKS = ("train_ppo", "self_play", "leduc", "measure_a_model", "measure_a_learner")
FILE = re.compile(r"# (\w+\.py)\n")  # the first line of a block that is a file
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"^!\[[^\]]*\]\(\.\./images/tutorials/(\S+?)\)\n", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https://)[^)]*\)")
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


@dataclass
class Options:
    """Run tutorials and save their pictures; write the notebooks."""

    pages: Annotated[tuple[str, ...], tyro.conf.Positional] = tuple(page.stem for page in PAGES)
    """Tutorials, by the names of their files."""
    notebooks: bool = False
    """Write the notebooks and run nothing."""


def pictures(page: Path) -> list[str]:
    """Returns the names of a page's pictures, as in its code."""
    return PICTURE.findall(page.read_text())


def run(page: Path) -> list[tuple[str, str]]:
    """Runs the code of a page in the current folder, block by block; returns each ``print`` and its output.

    The examples lie there too, as in the folder of nashzoo.
    """
    Path("examples").symlink_to(ROOT / "examples")
    names = {"__name__": "documentation"}
    printed: list[tuple[str, str]] = []
    for language, text in BLOCK.findall(page.read_text()):
        if language == "sh":
            for line in text.splitlines():
                _run_command(line)
        elif (file := FILE.match(text)) is not None:
            Path(file[1]).write_text(text)
        else:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, str(page), "exec"), names)
            prints = [line for line in text.splitlines() if line.startswith("print(")]
            printed += zip(prints, out.getvalue().splitlines(), strict=True)
    return printed


def _run_command(line: str) -> None:
    line = re.sub(r"^nashzoo\b", f"{sys.executable} -m nashzoo.app", line)
    done = subprocess.run(line, shell=True, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{line}: {done.stderr}")


def notebook(page: Path) -> str:
    """Returns a page as a notebook that has not been run, without the pictures, which its code makes."""
    import jupytext
    import nbformat

    text = LINK.sub(r"\1", PICTURE.sub("", page.read_text()))
    made = jupytext.reads(text, fmt="md")
    for number, cell in enumerate(made.cells):
        cell["id"] = f"cell-{number}"
    made.metadata = nbformat.from_dict({"kernelspec": KERNEL})
    return str(nbformat.writes(made)) + "\n"


def main(options: Options) -> None:
    """Writes notebooks, runs pages and saves their pictures."""
    for name in NOTEBOOKS:
        write_page(FOLDER / f"{name}.ipynb", notebook(FOLDER / f"{name}.md"))
    if options.notebooks:
        return
    for page in (FOLDER / f"{name}.md" for name in options.pages):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for line, output in run(page):
                print(f"{page.stem}: {line}\n    {output}")
            for name in pictures(page):
                IMAGES.mkdir(exist_ok=True)
                shutil.copy(os.path.join(folder, name), IMAGES / name)


if __name__ == "__main__":
    main(tyro.cli(Options))
