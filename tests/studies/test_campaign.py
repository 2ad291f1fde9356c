"""The campaign against the edges: it finds nothing where all is right, and something where it is not."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.api.pettingzoo_base import PettingZooBase
from nashzoo.envs.core.game import Game
from nashzoo.envs.vector.batch_arrays import StepOutcome
from nashzoo.envs.vector.game_batch import GameBatch
from studies.campaign import arguments, faces, files, folders, kills, options, streams, tally

GAMES = [footsies_v0.game(), tictactoe_v0.game()]


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("on_illegal", faces.ILLEGAL)
def test_environments_that_keep_the_rules_pass(game: Game, on_illegal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faces, "NUM_ENVS", 16)
    for kind in ("ParallelEnv", "AECEnv"):
        assert faces.fuzz_pettingzoo(game, kind, 60, on_illegal, 1).failures == ()
    assert faces.fuzz_single(game, 60, on_illegal, 1).failures == ()
    for kind in ("GameBatch, step", "GameBatch, step_and_restart", "GameVecEnv", "GameVectorEnv DISABLED"):
        row = faces.fuzz_tables(game, kind, 160, on_illegal, 1)
        assert (row.tried, row.failures) == (160, ())


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_environments_that_break_the_rules_are_found(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(play: Callable[..., Any]) -> Callable[..., Any]:
        def changed(self: Any, *arguments: Any) -> Any:
            outcome = play(self, *arguments)
            if isinstance(outcome, StepOutcome):
                return outcome._replace(rewards=2 * outcome.rewards)
            return 2 * outcome[0], *outcome[1:]

        return changed

    monkeypatch.setattr(faces, "NUM_ENVS", 16)
    for kind, name in ((PettingZooBase, "_play"), (GameBatch, "step")):
        monkeypatch.setattr(kind, name, twice(getattr(kind, name)))
    for kind in ("ParallelEnv", "AECEnv"):
        assert any("other rewards" in failure for failure in faces.fuzz_pettingzoo(game, kind, 100, "lose", 1).failures)
    assert any("other rewards" in failure for failure in faces.fuzz_single(game, 100, "lose", 1).failures)
    assert any(
        "other rewards" in failure for failure in faces.fuzz_tables(game, "GameBatch, step", 320, "lose", 1).failures
    )


@pytest.mark.parametrize("kind", files.KINDS)
def test_damage_that_is_not_noticed_is_found(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(bytes(range(256)))
    failures = list(files.try_damaged(path, kind, 30, 0, lambda path: np.frombuffer(path.read_bytes(), np.uint8)))
    assert len(failures) > 25 and all("is taken for another numbers" in failure for failure in failures)


def test_commands_that_show_a_traceback_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert arguments.outcome(["solve", "nothing"]) == arguments.outcome(["--nothing"]) == (2, "", "")

    def bug() -> None:
        raise KeyError("a bug")

    monkeypatch.setitem(arguments.COMMANDS, "list", bug)
    assert arguments.outcome(["list"]).problem == "KeyError: 'a bug'"


def test_the_lines_that_must_do_the_same_have_the_same_words() -> None:
    rng, refused = np.random.default_rng(0), 0
    for _ in range(100):
        repeated, once = options.case(rng)
        words = [word.partition("=")[0] for word in repeated if "=" in word]
        if once is None:  # a name or an option of one value is there twice
            refused += 1
            assert len(set(words)) < len(words) or repeated[-4] == repeated[-2]
        else:
            option = repeated[-2]
            assert repeated.count(option) > once.count(option) == 1
            assert [word for word in repeated if word != option] == [word for word in once if word != option]
    assert 20 < refused < 80


def test_an_option_that_is_dropped_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def last(line: list[str], seconds: float) -> arguments.Outcome:
        return arguments.Outcome(0, line[-1] if line.count("--param") > 1 else "all", "")

    def right(line: list[str], seconds: float) -> arguments.Outcome:
        return arguments.Outcome(2, "", "")

    monkeypatch.setattr(options, "outcome", last)
    (row,) = options.rows(50, 0)
    assert any("is not refused" in failure for failure in row.failures)
    assert any("does something else than" in failure for failure in row.failures)
    monkeypatch.setattr(options, "outcome", right)
    assert next(options.rows(50, 0)).failures == ()


@pytest.mark.parametrize(
    ("stream", "code", "errors", "right"),
    [
        ("closed standard input", 0, "", True),
        ("closed standard input", 2, "nashzoo: there is no input\n", True),
        ("closed standard input", 2, "", False),
        ("closed standard input", 1, "Traceback (most recent call last):\nRuntimeError\n", False),
        ("closed pipe", 141, "", True),
        ("closed pipe", 2, "nashzoo: [Errno 32] Broken pipe\n", False),
        ("full disk", 0, "", False),
        ("full disk", 120, "Exception ignored in: <stdout>\n", False),
        ("full disk", 2, "nashzoo: [Errno 28] No space left on device\n", True),
        ("ASCII", None, "", False),
    ],
)
def test_what_is_right_with_an_odd_stream(stream: str, code: int | None, errors: str, right: bool) -> None:
    assert (streams.problem(stream, code, errors) == "") == right


@pytest.mark.parametrize(
    ("stream", "program", "code"),
    [
        ("closed standard input", "import sys; sys.exit(sys.stdin is not None)", 0),
        ("closed standard output", "import sys; sys.exit(sys.stdout is not None)", 0),
        ("closed standard error", "import sys; sys.exit(sys.stderr is not None)", 0),
        ("full disk", "import os; os.write(1, b'x')", 1),
        ("ASCII", "import sys; sys.exit(sys.stdout.encoding != 'ascii')", 0),
    ],
)
def test_streams_are_as_they_are_called(stream: str, program: str, code: int) -> None:
    words = ["bash", "-c", streams.STREAMS[stream], "bash", sys.executable, "-c", program]
    assert subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode == code


def test_two_that_work_in_one_folder_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def both(line: str, folder: Path, seconds: float) -> tuple[int, str]:
        with (folder / "results.csv").open("a") as file:
            file.write("a game\n")
        return 0, ""

    monkeypatch.setattr(folders, "run", both)
    for row in folders.rows(1, 0):
        assert "two at once end with 0 and 0" in row.failures[0]
        assert "its results are other ones" in row.failures[1]


def test_a_program_that_cannot_be_run_again_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kills, "run", lambda line, folder, seconds: (2, "a damaged file"))
    for row in kills.rows(1, 0):
        assert [failure.split(": ", 1)[1] for failure in row.failures] == [
            "after a kill it ends with 2: a damaged file",
            "at last it ends with 2: a damaged file",
        ]


def test_the_table() -> None:
    rows = [tally.Row("steps", 1200, ()), tally.Row("kills", 3, ("one", "two"))]
    assert tally.table(rows) == "| what | tried | failed |\n|---|--:|--:|\n| steps | 1,200 | 0 |\n| kills | 3 | 2 |"
