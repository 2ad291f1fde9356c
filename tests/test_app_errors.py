"""What programs do with errors: one line for wrong use, a traceback for bugs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nashzoo import agents
from nashzoo.app.errors import run_program
from nashzoo.envs import footsies_v0


def interrupted() -> None:
    raise KeyboardInterrupt


def test_work_that_is_done_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program("program", lambda: None) == 0
    assert capsys.readouterr() == ("", "")


def test_an_interruption_has_the_shells_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program("program", interrupted) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda: footsies_v0.game(rounds=0), "rounds must be a whole number from 1 to 63, not 0"),
        (lambda: agents.make("counter", footsies_v0.game(), speed=1), "counter has no option speed; it has none"),
        (lambda: Path("/nowhere/to/be/found").read_text(), "[Errno 2] No such file or directory"),
    ],
)
def test_wrong_use_is_told_in_one_line(
    work: Callable[[], Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_program("program", work) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"program: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("work", "error"),
    [(lambda: json.loads("{"), ValueError), (lambda: {}["missing"], KeyError)],
)
def test_bugs_keep_their_traceback(work: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        run_program("program", work)
