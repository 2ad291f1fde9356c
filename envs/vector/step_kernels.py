"""Compiled loops over games with an opponent, called by :class:`nashzoo.envs.vector.game_batch.GameBatch`.

``rows`` are the numbers of the games of a call, ascending. In arrays with a row per game, ``[B]``, only these
rows are read and changed, so that threads may work on different rows of the same arrays. Other arrays have a row for
each of ``rows``, ``[K]``.
"""

from typing import Any

import numpy as np

from nashzoo.envs.core.agent import DRAWS
from nashzoo.envs.core.compiled_opponent import OPPONENT
from nashzoo.envs.core.kernels import ChanceError, draw_uniform, pass_chance, play_one, write_mask
from nashzoo.envs.jit.compiled import Features, Floats, Ints, Mask, borrowed, compiled
from nashzoo.envs.jit.numba import float32, float64, int8, int64, void
from nashzoo.envs.rules.compiled_game import GAME
from nashzoo.envs.rules.pieces import CHANCE
from nashzoo.envs.vector.batch_arrays import (
    ANY_SEAT,
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

MAX_RESTARTS = 1000
NEVER_ASKED = -1


@compiled(int64(GAME, ROWS, STATE, int64[::1], float32[:, ::1], int8[:, ::1], float64[:, ::1]))
def ask(
    game: Any, rows: Ints, games: BatchState, asked: Ints, observations: Features, masks: Mask, uniforms: Floats
) -> int:
    """Fills the opponent's inputs in those of the games ``rows`` in which it is to move; returns their number.

    The arrays are as long as ``rows``: indices in ``rows`` of these games, the opponent's observations, its legal
    actions, and numbers in [0, 1), of the random streams, which advance.
    """
    turn, legal, observe, params = game.turn, game.legal, game.observe, game.params
    codes, seats, streams, views = games.codes, games.seats, games.streams, borrowed(observations)
    count = 0
    for k in range(len(rows)):
        i = rows[k]
        code, player = codes[i], 1 - seats[i]
        if turn(params, code) == seats[i]:
            continue
        asked[count] = k
        observe(params, code, player, views[count])
        mask = legal(params, code, player)
        write_mask(mask, masks, count)
        for draw in range(DRAWS):
            uniforms[count, draw] = draw_uniform(streams, i)
        count += 1
    return count


@compiled(int64(GAME, OPPONENT, ROWS, STATE, int64[::1], int64[::1]))
def ask_compiled(game: Any, opponent: Any, rows: Ints, games: BatchState, asked: Ints, replies: Ints) -> int:
    """Fills a compiled opponent's actions in those of the games ``rows`` in which it is to move; returns their number.

    ``asked`` is filled with the indices in ``rows`` of these games. The random streams advance, and the opponent's
    memory is changed.
    """
    turn, params, choose, numbers = game.turn, game.params, opponent.choose, opponent.numbers
    codes, seats, streams, memory = games.codes, games.seats, games.streams, borrowed(games.memory)
    uniforms = np.empty(DRAWS)
    count = 0
    for k in range(len(rows)):
        i = rows[k]
        if turn(params, codes[i]) == seats[i]:
            continue
        for draw in range(DRAWS):
            uniforms[draw] = draw_uniform(streams, i)
        asked[count] = k
        replies[count] = choose(params, codes[i], 1 - seats[i], numbers, memory[i], uniforms)
        count += 1
    return count


@compiled(int64(GAME, ROWS, int64[::1], int64[::1], int64[::1], CONFIG, STATE, OUTCOME, int64[::1], int64[::1]))
def advance(
    game: Any,
    rows: Ints,
    actions: Ints,
    asked: Ints,
    replies: Ints,
    config: BatchConfig,
    games: BatchState,
    outcome: StepOutcome,
    illegal: Ints,
    waiting: Ints,
) -> int:
    """Plays one joint step in the games ``rows``.

    The learner plays ``actions`` at ``rows``; the opponent ``replies`` in the games with the indices ``asked`` in
    ``rows``, ascending, and 0 in the others. The games are updated; with chance their random streams advance. The
    rewards are added to those of ``outcome``, the rest of it is filled. ``illegal`` ``[B]`` is filled with the players
    with illegal actions, see :func:`nashzoo.envs.core.kernels.play`; and ``waiting``, as long as ``rows``, with the
    numbers of the games in which only the opponent is to move next.

    Returns:
        The number of these games.

    Raises:
        ChanceError: the outcomes of chance at a state are missing or no distribution.
    """
    step, legal, payoff, terminal, turn = game.step, game.legal, game.payoff, game.terminal, game.turn
    params, num_actions = borrowed(game.params), game.num_actions
    codes, seats, cycles = games.codes, games.seats, games.cycles
    chance, has_chance, streams = game.chance, game.has_chance, games.streams
    rewards, terminated, truncated = outcome.rewards, outcome.terminated, outcome.truncated
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
            step, legal, payoff, terminal, params, num_actions, codes[i], action0, action1, config.on_illegal
        )
        if has_chance and not offenders:
            code, more = pass_chance(turn, chance, payoff, terminal, params, code, streams, i)
            reward += more
            over = terminal(params, code)
        codes[i], illegal[i], games.over[i] = code, offenders, over
        cycles[i] += 1
        rewards[i] += reward if seat == 0 else 0.0 - reward
        terminated[i] = over
        late = cycles[i] >= config.max_cycles
        truncated[i] = late & (not over)
        # Not a branch: the end of a game cannot be predicted.
        waiting[count] = i
        mover = turn(params, code)
        count += (mover == 1 - seat) & (not over) & (not late)
        if mover == CHANCE and not over:  # but the rules have no chance
            raise ChanceError(code)
    return count


@compiled(int64(GAME, ROWS, CONFIG, STATE, int64[::1]))
def start(game: Any, rows: Ints, config: BatchConfig, games: BatchState, waiting: Ints) -> int:
    """Starts new games in the rows ``rows``, at the first decision of a player.

    ``games`` is filled with new games, whose random streams advance; ``waiting`` is as in :func:`advance`.

    Returns:
        As in :func:`advance`.
    """
    turn, params = game.turn, game.params
    start_codes, thresholds, learner = config.start_codes, borrowed(config.thresholds), config.learner
    codes, seats, cycles, over, memory, streams = games
    chance, payoff, terminal, has_chance = game.chance, game.payoff, game.terminal, game.has_chance
    count = 0
    for k in range(len(rows)):
        i = rows[k]
        codes[i] = start_codes[np.searchsorted(thresholds, draw_uniform(streams, i), side="right")]
        heads = draw_uniform(streams, i) < 0.5
        seats[i] = int(heads) if learner == ANY_SEAT else learner
        cycles[i], over[i] = 0, False
        if has_chance:
            codes[i], _ = pass_chance(turn, chance, payoff, terminal, params, codes[i], streams, i)
        for number in range(memory.shape[1]):
            memory[i, number] = 0.0
        if turn(params, codes[i]) == 1 - seats[i]:
            waiting[count] = i
            count += 1
    return count


@compiled(void(GAME, ROWS, STATE, VIEW))
def look(game: Any, rows: Ints, games: BatchState, view: BatchObservation) -> None:
    """Fills the learner's observations of the games ``rows``; ``view`` has a row for each of them."""
    observe, legal, params = game.observe, game.legal, game.params
    codes, seats, masks, players = games.codes, games.seats, view.masks, view.seats
    observations = borrowed(view.observations)
    for k in range(len(rows)):
        code, seat = codes[rows[k]], seats[rows[k]]
        observe(params, code, seat, observations[k])
        mask = 0 if games.over[rows[k]] else legal(params, code, seat)
        write_mask(mask, masks, k)
        players[k] = seat


# Whole turns in games with a compiled opponent; for other opponents ``GameBatch`` does the same in Python.


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

    ``outcome`` has zeros before. ``ended``, as long as ``rows``, is filled with the numbers of the finished games,
    ``last`` with their final observations, and ``view`` with the learner's present observations at ``rows``.

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
