"""With ``NUMBA_DISABLE_JIT=1`` the same rules run as plain Python, with the same results."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nim
import repeated_rps
from benchmarks.random_kernel import random_play
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, tictactoe_v0
from nashzoo.envs.api.aec import GameAECEnv
from nashzoo.envs.api.parallel_env import GameParallelEnv
from nashzoo.envs.core.seeds import streams
from nashzoo.envs.vector.game_batch import GameBatch
from opponents import Counting, Roaming
from traces import AECGame, ParallelGame, choices, trace

GAMES = [
    footsies_v0.game(),
    footsies_v0.game(rounds=2, max_turns=3, exhausted_block="free"),
    bodega_brawl_v0.game(preset="small", double_ko="sudden_death"),
    tictactoe_v0.game(),
    Game(nim, heap=12, first="random"),
    Game(repeated_rps, rounds=4, recall=2),
]


def results() -> list[Any]:
    """Plays some of everything; returns what came of it."""
    found: list[Any] = []
    for game in GAMES:
        parallel, aec = ParallelGame(GameParallelEnv(game, max_cycles=20)), AECGame(GameAECEnv(game, max_cycles=20))
        for seed in range(3):
            found += [repr(trace(env, seed, choices(seed))) for env in (parallel, aec)]

        batch = GameBatch(game, 3, Counting(), "random", max_cycles=9)
        batch.seed(0)
        batch.restart(np.arange(3))
        for k in range(6):
            outcome = batch.step(np.array([k, 1, 2]))
            found += [batch.codes.tolist(), batch.observations().tolist(), batch.masks().tolist()]
            found += [column.tolist() for column in outcome]
            batch.restart(np.flatnonzero(outcome.terminated | outcome.truncated))

        if game.name == nim.NAME:
            batch = GameBatch(game, 3, Roaming(game), "random", max_cycles=5)
            batch.seed(0)
            batch.restart(np.arange(3))
            for k in range(9):
                turn = batch.step_and_restart(np.array([k, 1, 0]) % 3)
                found += [column.tolist() for column in (*turn.outcome, turn.ended, *turn.last, *turn.view)]

        codes = np.repeat(game.start_codes[:1], 4)
        seeds, views = streams(1, 4), np.zeros((4, game.num_features), np.float32)
        ended = random_play(game.compiled, codes, codes.copy(), seeds, 30, views)
        found += [int(ended), codes.tolist(), seeds.tolist(), views.tolist()]
    return found


@pytest.mark.slow
def test_plain_python_gives_the_same_results() -> None:
    program = (
        "import json, numba, test_without_jit\n"
        "assert numba.config.DISABLE_JIT\n"
        "print(json.dumps(test_without_jit.results()))\n"
    )
    path = os.pathsep.join([str(Path(__file__).resolve().parents[2] / "support"), *sys.path])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", program],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == results()
