"""The campaign against the edges: it finds nothing where all is right, and something where it is not."""

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
from studies.campaign import arguments, faces, files, tally

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
        def changed(self: Any, *given: Any) -> Any:
            outcome = play(self, *given)
            if isinstance(outcome, StepOutcome):
                return outcome._replace(rewards=2 * outcome.rewards)
            return 2 * outcome[0], *outcome[1:]

        return changed

    monkeypatch.setattr(faces, "NUM_ENVS", 16)
    for kind, name in ((PettingZooBase, "_play"), (GameBatch, "step")):
        monkeypatch.setattr(kind, name, twice(getattr(kind, name)))
    for kind in ("ParallelEnv", "AECEnv"):
        assert any("other rewards" in told for told in faces.fuzz_pettingzoo(game, kind, 100, "lose", 1).failures)
    assert any("other rewards" in told for told in faces.fuzz_single(game, 100, "lose", 1).failures)
    assert any("other rewards" in told for told in faces.fuzz_tables(game, "GameBatch, step", 320, "lose", 1).failures)


@pytest.mark.parametrize("kind", files.KINDS)
def test_damage_that_is_not_noticed_is_found(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(bytes(range(256)))
    told = list(files.try_damaged(path, kind, 30, 0, lambda path: np.frombuffer(path.read_bytes(), np.uint8)))
    assert len(told) > 25 and all("is taken for another numbers" in line for line in told)


def test_commands_that_show_a_traceback_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert arguments.outcome(["solve", "nothing"]) == "" == arguments.outcome(["--nothing"])

    def bug() -> None:
        raise KeyError("a bug")

    monkeypatch.setitem(arguments.COMMANDS, "list", bug)
    assert arguments.outcome(["list"]) == "KeyError: 'a bug'"


def test_the_table() -> None:
    rows = [tally.Row("steps", 1200, ()), tally.Row("kills", 3, ("one", "two"))]
    assert tally.table(rows) == "| what | tried | failed |\n|---|--:|--:|\n| steps | 1,200 | 0 |\n| kills | 3 | 2 |"
