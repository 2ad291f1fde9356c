"""Numba's private parts are used only where they are known, and without them compiled code returns the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nashzoo.envs.jit import numba, private
from nashzoo.envs.jit.numba import PLAIN

with_jit = pytest.mark.skipif(PLAIN, reason="nothing is compiled")

# Games with simultaneous moves, in turns, and with chance and hidden information; a function as an argument.
PLAYED = """
import numpy as np
from nashzoo import agents
from nashzoo.baselines import exploitability
from nashzoo.envs import Game, footsies_v0, tictactoe_v0
from nashzoo.envs.core import kernels
from nashzoo.envs.jit import private
from nashzoo.examples import kuhn

print(private.PRIVATE)
footsies, tictactoe, poker = games = footsies_v0.game(), tictactoe_v0.game(), Game(kuhn)
for game in games:
    turns = np.empty(1, np.int64)
    kernels.turn_all(game.compiled, game.start_codes[:1], turns)
    print(*turns)
    print(float(exploitability(game, agents.make("random", game))).hex())
print(agents.make("minimax", tictactoe, depth=2).search(tictactoe.start_codes).moves)
"""


def played(folder: Path, public: str) -> tuple[str, list[str]]:
    """Returns whether private parts were used, and the results."""
    environment = {**os.environ, private.SWITCH: public}
    if public:
        environment["NUMBA_CACHE_DIR"] = str(folder)
    done = subprocess.run([sys.executable, "-c", PLAYED], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    used, *results = done.stdout.splitlines()
    return used, results


@pytest.mark.slow
@with_jit
def test_results_are_the_same_without_private_parts(tmp_path: Path) -> None:
    used, results = played(tmp_path, "1")
    assert used == "False" and [path for path in tmp_path.rglob("*.nbc")]
    assert played(tmp_path, "1") == (used, results)  # from the disk
    assert played(tmp_path, "")[1] == results


@with_jit
class TestAvailable:
    @pytest.mark.parametrize(("version", "right"), [("0.60.2", False), ("0.61.2", True), ("0.69.0rc1", False)])
    def test_only_with_releases_that_were_tried(
        self, version: str, right: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv(private.SWITCH, raising=False)
        monkeypatch.setattr(private, "VERSION", version)
        assert private.available() == right

    def test_not_without_one_of_the_names(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(numba.PRIVATE, "NoSuchName", "core.caching")
        assert not private.available()
