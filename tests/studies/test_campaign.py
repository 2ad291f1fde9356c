"""The campaign against the edges: it reports nothing where all is right, and something where it is not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.core.game import Game
from nashzoo.envs.vector.game_batch import GameBatch
from studies.campaign import arguments, faces, files, programs

GAMES = [footsies_v0.game(), tictactoe_v0.game()]


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("on_illegal", faces.ILLEGAL)
def test_environments_that_keep_the_rules_pass(game: Game, on_illegal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faces, "NUM_ENVS", 16)
    for kind in ("ParallelEnv", "AECEnv"):
        assert faces.fuzz_pettingzoo(game, kind, 60, on_illegal, 1).failures == ()
    for kind in ("GameEnv", *faces.MANY):
        row = faces.fuzz_single_agent(game, kind, 160, on_illegal, 1)
        assert (row.tried, row.failures) == (160, ())


@pytest.mark.parametrize("kind", ["GameEnv", "GameBatch, step", "GameVectorEnv NEXT_STEP", "GameVectorEnv DISABLED"])
def test_an_environment_that_breaks_the_rules_is_reported(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(step: Callable[..., Any]) -> Callable[..., Any]:
        def changed(self: Any, *arguments: Any) -> Any:
            outcome = step(self, *arguments)
            return outcome._replace(rewards=2 * outcome.rewards)

        return changed

    monkeypatch.setattr(faces, "NUM_ENVS", 16)
    monkeypatch.setattr(GameBatch, "step", twice(GameBatch.step))
    row = faces.fuzz_single_agent(GAMES[0], kind, 320, "lose", 1)
    assert any("other rewards" in failure for failure in row.failures)


@pytest.mark.parametrize("kind", files.KINDS)
def test_damage_that_is_not_noticed_is_reported(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(bytes(range(256)))
    failures = list(files.try_damaged(path, kind, 30, 0, lambda path: np.frombuffer(path.read_bytes(), np.uint8)))
    assert len(failures) > 25 and all("is taken for another numbers" in failure for failure in failures)


def test_commands_that_show_a_traceback_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    assert arguments.outcome(["solve", "nothing"]) == arguments.outcome(["--nothing"]) == (2, "", "")

    def bug() -> None:
        raise KeyError("a bug")

    monkeypatch.setitem(arguments.COMMANDS, "list", bug)
    assert arguments.outcome(["list"]).problem == "KeyError: 'a bug'"


def test_a_program_that_cannot_be_run_again_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "run", lambda *arguments: (2, "a damaged file"))
    for row in programs.kills(1, 0):
        assert [failure.split(": ", 1)[1] for failure in row.failures] == [
            "after a kill it ends with 2: a damaged file",
            "at last it ends with 2: a damaged file",
        ]
