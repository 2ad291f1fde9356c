"""What the pages on own games, on own learners and on the benchmark promise is done, line by line, in one folder."""

import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from nashzoo.agents.learning.registry import LEARNERS
from nashzoo.app import main

DOCS = Path(__file__).resolve().parents[2] / "docs"
PROMISES = {
    "own_game": 2,
    "reference/rules": 0,
    "reference/openspiel": 0,
    "bring_your_game": 13,
    "own_learner": 1,
    "benchmark": 2,
}  # by page
PICTURES = (
    "bench.scorecard.write",
    "results.table.draw_overview",
    "training.train.write_picture",
)  # which take two seconds each, and have tests of their own


@pytest.mark.slow
@pytest.mark.parametrize("name", PROMISES)
def test_everything_on_the_page_works(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = DOCS / f"{name}.md"
    monkeypatch.setattr("nashzoo.agents.registry.LEARNERS", dict(LEARNERS))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("nashzoo.arena.tasks.processors", lambda: 1)  # another would compile the same
    for picture in PICTURES:
        monkeypatch.setattr(f"nashzoo.app.{picture}", lambda *_: [])
    promised = 0
    for language, text in re.findall(r"^```(py|sh)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        if language == "sh":
            for line in text.splitlines():
                run(line, monkeypatch)
        elif (file := re.match(r"# (\w+\.py)\n", text)) is not None:
            (tmp_path / file[1]).write_text(text)
            monkeypatch.delitem(sys.modules, file[1].removesuffix(".py"), raising=False)  # of another test
        else:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, str(page), "exec"), {"__name__": "documentation"})
            prints = [line for line in text.splitlines() if line.startswith("print")]
            for source, line in zip(prints, out.getvalue().splitlines(), strict=True):
                result = source.partition("  # ")[2].split(":")[0]
                assert line == result or float(line) == pytest.approx(float(result), abs=1e-9)
                promised += 1
    assert promised == PROMISES[name]


def run(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a line of a shell; the command in this process, with ``> FILE`` if it has it, anything else in another.

    What trains long is shorter.
    """
    command, _, file = re.sub(r"--timesteps [12]00000", "--timesteps 20000 --games 20", line).partition(" > ")
    words = shlex.split(command)
    if words[0] != "nashzoo":
        line = line.replace("python -m", f"{shlex.quote(sys.executable)} -m")
        done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return
    monkeypatch.setattr("sys.argv", words)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main.main() in (0, None), line
    if file:
        Path(file).write_text(out.getvalue())


@pytest.mark.parametrize(("page", "name"), [("own_game", "rope"), ("own_learner", "ppo")])
def test_the_examples_fit_on_sixty_lines(page: str, name: str) -> None:
    text = re.search(rf"^```py\n# {name}\.py\n(.*?)^```$", (DOCS / f"{page}.md").read_text(), re.MULTILINE | re.DOTALL)
    assert text is not None and len([line for line in text[1].splitlines() if line]) <= 60
