"""The ``nashzoo`` command, run in the process of the tests."""

import io
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import rich

from nashzoo.app import main
from nashzoo.envs.base.progress import set_quiet

ROOT = str(Path(__file__).resolve().parents[2])  # which may have spaces
PLACE = "\ue000"  # stands for it: a character of no text


class Printed(NamedTuple):
    """What a command returned and printed."""

    code: int
    out: str
    err: str


def interrupt(*_: Any, **__: Any) -> Any:
    """Stands in the place of a function during which somebody presses Ctrl-C."""
    raise KeyboardInterrupt


def words_of(line: str) -> list[str]:
    """Returns the words of a command line, also where the path of this repository has spaces."""
    return [word.replace(PLACE, ROOT) for word in line.replace(ROOT, PLACE).split()]


class Command:
    """Runs the command in this process and keeps what it printed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch = monkeypatch
        self.capsys = capsys

    def __call__(self, line: str, answers: str = "") -> tuple[int, str, str]:
        """Returns exit code, output with all white space made single, and errors."""
        code, out, err = self.raw(line, answers)
        return code, " ".join(out.split()), err

    def raw(self, line: str, answers: str = "") -> "Printed":
        """Returns exit code, output and errors."""
        self.monkeypatch.setattr(sys, "argv", ["nashzoo", *words_of(line)])
        self.monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        rich.reconfigure()  # reads the width of the terminal, as a new process does
        try:
            code = main.main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            set_quiet(False)  # as in a new process
        return Printed(code, *self.capsys.readouterr())

    def prints(self, line: str, answers: str = "") -> str:
        """Returns the output, with all white space made single, of a command that succeeds without a complaint."""
        code, out, err = self(line, answers)
        assert (code, err) == (0, ""), (code, err)
        return out

    def refused(self, line: str) -> str:
        """Returns the message, a line without the command's name, with which a command refuses to do anything."""
        code, out, err = self.raw(line)
        assert (code, out, err.count("\n")) == (2, "", 1) and err.startswith("nashzoo: "), (code, out, err)
        return err.removeprefix("nashzoo: ").rstrip("\n")

    def json(self, line: str) -> Any:
        """Returns what a command prints with ``--json``."""
        code, out, err = self(f"{line} --json")
        assert (code, err) == (0, "")
        return json.loads(out)
