"""Compiled loops over tables at which an opponent sits; :class:`nashzoo.envs.tables.Tables` calls them.

``rows`` are the numbers of the tables to work on, ascending. Of the arrays with a row per table, ``[B]``, only these
rows are read and changed, so that threads may work on different rows of the same arrays. Other arrays have a row for
each of ``rows``, ``[K]``.
"""

from typing import Any

import numpy as np
from numba import boolean, float32, float64, int8, int64, uint64, void

from nashzoo.envs.batch import Seeds, draw_uniform, play_one
from nashzoo.envs.compiled import GAME, Bools, Features, Floats, Ints, Mask, compiled

ANY_SEAT = -1  # the learner's seat is drawn at every start

ROWS, CODES, SEATS = int64[::1], int64[::1], int64[::1]


@compiled(int64(GAME, ROWS, CODES, SEATS, uint64[::1], int64[::1], float32[:, ::1], int8[:, ::1], float64[:, ::1]))
def ask(
    game: Any,
    rows: Ints,
    codes: Ints,
    seats: Ints,
    streams: Seeds,
    asked: Ints,
    observations: Features,
    masks: Mask,
    uniforms: Floats,
) -> int:
    """Prepares what the opponent is to decide by, at those of the tables ``rows`` where it is to move.

    Args:
        game: The game.
        rows: Numbers of tables.
        codes: Positions ``[B]``.
        seats: The learner's seats ``[B]``.
        streams: Random streams ``[B]``, moved on.
        asked: Filled with where in ``rows`` the opponent is to move; it and the next three are as long as ``rows``.
        observations: Filled with what the opponent sees.
        masks: Filled with its legal actions.
        uniforms: Filled with numbers in [0, 1).

    Returns:
        At how many tables; so many rows are filled.
    """
    turn, legal, observe, params = game.turn, game.legal, game.observe, game.params
    count = 0
    for k in range(len(rows)):
        i = rows[k]
        code, player = codes[i], 1 - seats[i]
        if turn(params, code) == seats[i]:
            continue
        asked[count] = k
        observe(params, code, player, observations[count])
        mask = legal(params, code, player)
        for action in range(masks.shape[1]):
            masks[count, action] = mask >> action & 1
        for draw in range(uniforms.shape[1]):
            uniforms[count, draw] = draw_uniform(streams, i)
        count += 1
    return count


@compiled(
    int64(
        GAME, ROWS, int64[::1], int64[::1], int64[::1], CODES, SEATS, int64[::1], int64, int64,
        float64[::1], boolean[::1], boolean[::1], int64[::1], int64[::1],
    )
)  # fmt: skip
def advance(
    game: Any,
    rows: Ints,
    actions: Ints,
    asked: Ints,
    replies: Ints,
    codes: Ints,
    seats: Ints,
    cycles: Ints,
    max_cycles: int,
    on_illegal: int,
    rewards: Floats,
    terminated: Bools,
    truncated: Bools,
    illegal: Ints,
    waiting: Ints,
) -> int:
    """Plays one joint step at the tables ``rows``.

    Args:
        game: The game.
        rows: Numbers of tables.
        actions: The learner's actions at ``rows``.
        asked: Where in ``rows`` the opponent was asked, ascending.
        replies: Its actions there; it plays 0 elsewhere.
        codes: Positions ``[B]``, moved on.
        seats: The learner's seats ``[B]``.
        cycles: Joint steps of the running games ``[B]``, counted.
        max_cycles: After how many a game is truncated.
        on_illegal: ``LOSE`` or ``NOOP``, see :func:`nashzoo.envs.batch.play`.
        rewards: To the learner ``[B]``, added up.
        terminated: Whether the rules ended the game ``[B]``.
        truncated: Whether ``max_cycles`` did ``[B]``.
        illegal: Filled with which players acted illegally ``[B]``, see :func:`nashzoo.envs.batch.play`.
        waiting: As long as ``rows``; filled with the numbers of the tables where now the opponent alone is to move.

    Returns:
        How many these are.
    """
    step, legal, payoff, terminal, turn = game.step, game.legal, game.payoff, game.terminal, game.turn
    params, num_actions = game.params, game.num_actions
    next_asked, count = 0, 0
    for k in range(len(rows)):
        i = rows[k]
        reply = 0
        if next_asked < len(asked) and asked[next_asked] == k:
            reply = replies[next_asked]
            next_asked += 1
        seat = seats[i]
        action0, action1 = (actions[k], reply) if seat == 0 else (reply, actions[k])
        code, reward, over, offenders = play_one(
            step, legal, payoff, terminal, params, num_actions, codes[i], action0, action1, on_illegal
        )
        codes[i], illegal[i] = code, offenders
        cycles[i] += 1
        rewards[i] += reward if seat == 0 else 0.0 - reward
        terminated[i] = over
        late = cycles[i] >= max_cycles
        truncated[i] = late & (not over)
        # Not a branch: when games end cannot be predicted.
        waiting[count] = i
        count += (turn(params, code) == 1 - seat) & (not over) & (not late)
    return count


@compiled(
    int64(
        GAME, ROWS, int64[::1], float64[::1], int64, uint64[::1], CODES, SEATS, int64[::1], float64[:, ::1], int64[::1]
    )
)  # fmt: skip
def start(
    game: Any,
    rows: Ints,
    start_codes: Ints,
    thresholds: Floats,
    learner: int,
    streams: Seeds,
    codes: Ints,
    seats: Ints,
    cycles: Ints,
    memory: Floats,
    waiting: Ints,
) -> int:
    """Starts new games at the tables ``rows``.

    Args:
        game: The game.
        rows: Numbers of tables.
        start_codes: Where games start ``[S]``.
        thresholds: The sums of their probabilities but the last ``[S - 1]``.
        learner: The learner's seat, or ``ANY_SEAT``.
        streams: Random streams ``[B]``, moved on.
        codes: Filled with positions ``[B]``.
        seats: Filled with the learner's seats ``[B]``.
        cycles: Set to 0 ``[B]``.
        memory: The opponent's ``[B, memory_size]``, set to 0.
        waiting: As in :func:`advance`.

    Returns:
        As in :func:`advance`.
    """
    turn, params = game.turn, game.params
    count = 0
    for k in range(len(rows)):
        i = rows[k]
        codes[i] = start_codes[np.searchsorted(thresholds, draw_uniform(streams, i), side="right")]
        heads = draw_uniform(streams, i) < 0.5
        seats[i] = int(heads) if learner == ANY_SEAT else learner
        cycles[i] = 0
        for number in range(memory.shape[1]):
            memory[i, number] = 0.0
        if turn(params, codes[i]) == 1 - seats[i]:
            waiting[count] = i
            count += 1
    return count


@compiled(void(GAME, ROWS, CODES, SEATS, float32[:, ::1], int8[:, ::1], int64[::1]))
def look(
    game: Any, rows: Ints, codes: Ints, seats: Ints, observations: Features, masks: Mask, players: Ints
) -> None:  # fmt: skip
    """Fills what the learner sees at the tables ``rows``: observations, legal actions, and its seats.

    These three have a row per table of ``rows``.
    """
    observe, legal, params = game.observe, game.legal, game.params
    for k in range(len(rows)):
        code, seat = codes[rows[k]], seats[rows[k]]
        observe(params, code, seat, observations[k])
        mask = legal(params, code, seat)
        for action in range(masks.shape[1]):
            masks[k, action] = mask >> action & 1
        players[k] = seat
