"""Whole turns in games with a compiled opponent; for other opponents ``GameBatch`` does the same in Python.

``rows`` and the arrays are as in :mod:`nashzoo.envs.vector.step_kernels`.
"""

from typing import Any

import numpy as np

from nashzoo.envs.core.compiled_opponent import OPPONENT
from nashzoo.envs.jit.compiled import Ints, compiled
from nashzoo.envs.jit.numba import int64
from nashzoo.envs.rules.compiled_game import GAME
from nashzoo.envs.vector.batch_arrays import (
    CONFIG,
    OUTCOME,
    ROWS,
    STATE,
    VIEW,
    BatchConfig,
    BatchObservation,
    BatchState,
    StepOutcome,
)
from nashzoo.envs.vector.step_kernels import advance, ask_compiled, look, start

MAX_RESTARTS = 1000

NEVER_ASKED = -1


@compiled()
def _until_asked(
    game: Any, opponent: Any, rows: Ints, actions: Ints, config: BatchConfig, games: BatchState, outcome: StepOutcome
) -> None:
    """Plays the learner's actions, and then the opponent's until the learner is to move."""
    asked, replies, waiting = np.empty_like(rows), np.empty_like(rows), np.empty_like(rows)
    illegal = np.empty(len(games.codes), np.int64)
    while len(rows):
        count = ask_compiled(game, opponent, rows, games, asked, replies)
        count = advance(game, rows, actions, asked[:count], replies[:count], config, games, outcome, illegal, waiting)
        rows, actions = waiting[:count], np.zeros(count, np.int64)


@compiled()
def _restart(game: Any, opponent: Any, rows: Ints, config: BatchConfig, games: BatchState) -> bool:
    """Starts new games, up to the learner's first decision; returns whether every game reaches one."""
    waiting = np.empty_like(rows)
    for _ in range(MAX_RESTARTS):
        count = start(game, rows, config, games, waiting)
        if count == 0:
            return True
        num_games = len(games.codes)
        outcome = StepOutcome(np.zeros(num_games), np.zeros(num_games, np.bool_), np.zeros(num_games, np.bool_))
        _until_asked(game, opponent, waiting[:count], np.zeros(count, np.int64), config, games, outcome)
        rows = rows[(outcome.terminated | outcome.truncated)[rows]]
    return len(rows) == 0


@compiled(int64(GAME, OPPONENT, ROWS, int64[::1], CONFIG, STATE, OUTCOME, ROWS, VIEW, VIEW))
def step_and_restart(
    game: Any,
    opponent: Any,
    rows: Ints,
    actions: Ints,
    config: BatchConfig,
    games: BatchState,
    outcome: StepOutcome,
    ended: Ints,
    last: BatchObservation,
    view: BatchObservation,
) -> int:
    """Plays the learner's actions and the opponent's in the games ``rows``, and restarts finished games.

    Args:
        game: The game.
        opponent: The opponent, see :func:`nashzoo.envs.core.compiled_opponent.pack_opponent`.
        rows: Numbers of games.
        actions: The learner's actions.
        config: The settings of the games.
        games: The running games, updated.
        outcome: Zeros, filled with the outcome.
        ended: Filled with the numbers of the finished games; as long as ``rows``.
        last: Filled with the final observations of these games.
        view: Filled with the learner's present observations at ``rows``.

    Returns:
        The number of finished games; or ``NEVER_ASKED``, if a new game ends before the learner's first decision.
    """
    _until_asked(game, opponent, rows, actions, config, games, outcome)
    count = 0
    for i in rows:
        ended[count] = i
        count += outcome.terminated[i] | outcome.truncated[i]
    over = ended[:count]
    look(game, over, games, last)
    if not _restart(game, opponent, over, config, games):
        return NEVER_ASKED
    look(game, rows, games, view)
    return count
