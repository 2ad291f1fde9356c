"""Runs the code of the tutorials, keeps its outputs and pictures, and writes notebooks.

python -m studies.tutorials
python -m studies.tutorials train_ppo
python -m studies.tutorials --notebooks
"""

import base64
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
from typing import Annotated, Any, NamedTuple

import tyro

from studies.tables import write_page

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "tutorials"
IMAGES = FOLDER.parent / "images" / "tutorials"
PAGES = sorted(page for page in FOLDER.glob("*.md") if page.stem != "index")
NOTEBOOKS = ("train_ppo", "self_play", "leduc", "measure_a_model", "measure_a_learner",
             "footsies", "menace", "bodega_brawl", "roshambo", "soccer")  # fmt: skip
FILE = re.compile(r"# (\w+\.py)\n")  # the first line of a block that is a file
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```\n(?:\n```output\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"^!\[[^\]]*\]\(\.\./images/tutorials/(\S+?)\)\n", re.MULTILINE)
PROMISE = re.compile(r"^print\(.*  # (True|-?[\d.]+)\b", re.MULTILINE)  # what a line prints, and tests hold
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https://)(\w*)[^)]*\)")
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


class Block(NamedTuple):
    """A block of code that has run."""

    code: str
    shown: str | None  # the block `output` below it on the page, if any
    printed: str


def run(page: Path) -> list[Block]:
    """Runs the code of a page in the current folder, block by block, but blocks that are files.

    The examples lie there too, as in the folder of nashzoo.
    """
    Path("examples").symlink_to(ROOT / "examples")
    names = {"__name__": "documentation"}
    blocks: list[Block] = []
    for match in BLOCK.finditer(page.read_text()):
        language, text, shown = match.groups()
        if (file := FILE.match(text)) is not None:
            Path(file[1]).write_text(text)
            continue
        out = io.StringIO()
        if language == "sh":
            out.writelines(map(_run_command, text.splitlines()))
        else:
            with contextlib.redirect_stdout(out):
                exec(compile(text, str(page), "exec"), names)
        blocks.append(Block(text, shown, out.getvalue()))
    return blocks


def _run_command(line: str) -> str:
    line = re.sub(r"\bnashzoo(?= )", f"{sys.executable} -m nashzoo.app", line)
    done = subprocess.run(line, shell=True, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{line}: {done.stderr}")
    return done.stdout


def with_outputs(page: Path, blocks: list[Block]) -> str:
    """Returns a page with what its code has printed in its blocks ``output``."""
    printed = iter(blocks)

    def anew(match: re.Match[str]) -> str:
        if FILE.match(match[2]) is not None:
            return match[0]
        block = next(printed)
        return match[0] if block.shown is None else f"```{match[1]}\n{block.code}```\n\n```output\n{block.printed}```\n"

    return BLOCK.sub(anew, page.read_text())


def notebook(page: Path) -> str:
    """Returns a page as a notebook, with its pictures and outputs: blocks ``output``, or what comments promise."""
    import jupytext
    import nbformat

    text = page.read_text()
    outputs = {match[2].rstrip("\n"): match[3] for match in BLOCK.finditer(text)}
    shown = pictures(page)
    bare = BLOCK.sub(lambda match: f"```{match[1]}\n{match[2]}```\n", PICTURE.sub("", text))
    made = jupytext.reads(LINK.sub(_link, bare), fmt="md")
    for number, cell in enumerate(made.cells):
        cell["id"] = f"cell-{number}"
        if cell.cell_type == "code":
            cell["outputs"] = _outputs(outputs[cell.source.removeprefix("%%sh\n")], cell.source, shown)
            if FILE.match(cell.source) is not None:
                cell["source"] = f"%%writefile {cell.source.splitlines()[0][2:]}\n{cell.source}"
    made.metadata = nbformat.from_dict({"kernelspec": KERNEL})
    return str(nbformat.writes(made)) + "\n"


def _link(match: re.Match[str]) -> str:
    """Returns the link to another notebook, or of a page the text alone."""
    return f"[{match[1]}]({match[2]}.ipynb)" if match[2] in NOTEBOOKS else match[1]


def _outputs(text: str | None, code: str, shown: list[str]) -> list[Any]:
    """Returns the outputs of a cell: its text, and those of the pictures that it saves."""
    import nbformat

    promised = PROMISE.findall(code)
    if text is None and len(promised) == len(re.findall("^ *print", code, re.MULTILINE)):
        text = "".join(f"{line}\n" for line in promised)
    found = [nbformat.v4.new_output("stream", name="stdout", text=text)] if text else []
    for name in shown:
        if f'savefig("{name}"' in code:
            data = base64.b64encode((IMAGES / name).read_bytes()).decode()
            found.append(nbformat.v4.new_output("display_data", data={"image/png": data}))
    return found


def main(options: Options) -> None:
    """Runs pages, keeps their outputs and pictures, and writes notebooks."""
    for page in () if options.notebooks else (FOLDER / f"{name}.md" for name in options.pages):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            blocks = run(page)
            for block in blocks:
                print(block.code, block.printed, sep="\n")
            write_page(page, with_outputs(page, blocks))
            for name in pictures(page):
                IMAGES.mkdir(exist_ok=True)
                shutil.copy(os.path.join(folder, name), IMAGES / name)
    for name in NOTEBOOKS:
        write_page(FOLDER / f"{name}.ipynb", notebook(FOLDER / f"{name}.md"))


if __name__ == "__main__":
    main(tyro.cli(Options))
