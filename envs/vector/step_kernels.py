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


@compiled(int64(GAME, ROWS, STATE, int64[::1], float32[:, ::1], int8[:, ::1], float64[:, ::1]))
def ask(
    game: Any, rows: Ints, games: BatchState, asked: Ints, observations: Features, masks: Mask, uniforms: Floats
) -> int:
    """Fills the opponent's inputs in those of the games ``rows`` in which it is to move.

    Args:
        game: The game.
        rows: Numbers of games.
        games: The running games; the random streams advance.
        asked: Filled with the indices in ``rows`` of these games; it and the next three are as long as ``rows``.
        observations: Filled with the opponent's observations.
        masks: Filled with its legal actions.
        uniforms: Filled with numbers in [0, 1).

    Returns:
        The number of these games, which is the number of filled rows.
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
    """Computes the actions of a compiled opponent in those of the games ``rows`` in which it is to move.

    Args:
        game: The game.
        opponent: The opponent, see :func:`nashzoo.envs.core.compiled_opponent.pack_opponent`.
        rows: Numbers of games.
        games: The running games; the random streams advance, and the opponent's memory is changed.
        asked: Filled with the indices in ``rows`` of these games; it and the next are as long as ``rows``.
        replies: Filled with its actions.

    Returns:
        The number of these games, which is the number of filled rows.
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

    Args:
        game: The game.
        rows: Numbers of games.
        actions: The learner's actions at ``rows``.
        asked: Indices in ``rows`` of the games in which the opponent acts, ascending.
        replies: Its actions there; it plays 0 in the other games.
        config: The settings of the games.
        games: The running games, updated; with chance their random streams advance.
        outcome: The step's rewards are added to the rewards; the rest is filled.
        illegal: Filled with the players with illegal actions ``[B]``, see :func:`nashzoo.envs.core.kernels.play`.
        waiting: As long as ``rows``; filled with the numbers of the games in which only the opponent is to move next.

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
