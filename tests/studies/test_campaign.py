"""The campaign against the edges: it reports nothing where all is right, and something where it is not."""

from pathlib import Path

import numpy as np
import pytest

from studies.campaign import arguments, files, programs


@pytest.mark.parametrize("kind", files.KINDS)
def test_damage_that_is_not_noticed_is_reported(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(bytes(range(256)))
    failures = list(files.try_damaged(path, kind, 30, 0, lambda path: np.frombuffer(path.read_bytes(), np.uint8)))
    assert len(failures) > 25 and all("is taken for another numbers" in failure for failure in failures)


def test_commands_that_show_a_traceback_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    assert arguments.problem_of(["solve", "nothing"]) == arguments.problem_of(["--nothing"]) == ""

    def bug() -> None:
        raise KeyError("a bug")

    monkeypatch.setattr("nashzoo.app.commands.list.main", bug)
    assert arguments.problem_of(["list"]) == "KeyError: 'a bug'"


def test_a_program_that_cannot_be_run_again_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "run", lambda *arguments: (2, "a damaged file"))
    for row in programs.kills(1, 0):
        assert [failure.split(": ", 1)[1] for failure in row.failures] == [
            "after a kill it ends with 2: a damaged file",
            "at last it ends with 2: a damaged file",
        ]
