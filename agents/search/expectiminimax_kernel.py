"""Expectiminimax: minimax and alpha-beta search of turn-based games with chance, compiled, for any game.

As in :mod:`nashzoo.agents.search.alphabeta_kernel`, but the value of a chance state is the expectation over its
outcomes. Chance takes no depth: only moves of players count. All outcomes are searched, each with an open window, so
that alpha-beta prunes between two chance states, but not across one. Moves are tried by number.

Expectations are rounded to whole units, so that both searches find the same values and the same moves.

Sources: Michie (1966), Game-playing and game-learning automata, expectiminimax; Ballard (1983), The ``*-minimax``
search procedure for trees containing chance nodes, which also prunes at chance states if all values have known bounds.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float64, int64, void

from nashzoo.agents.search.alphabeta_kernel import (
    FOUND,
    INFINITE,
    OPTIONS,
    UNIT,
    Found,
    Line,
    Options,
    back_up,
    enter,
    evaluated,
    new_line,
    play,
    probe,
    rewarded,
    store,
)
from nashzoo.agents.search.evaluation import EVALUATE_TYPE
from nashzoo.envs.core.kernels import ROOM, Pieces, count_outcomes, pieces_of
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, borrowed, compiled
from nashzoo.envs.rules.compiled_game import GAME
from nashzoo.envs.rules.pieces import CHANCE

IN_A_ROW = 64  # successive chance events that can be searched
NEGLIGIBLE = 2.0**-60  # probability of successive chance events that need not be searched


class ManyEventsError(Exception):
    """More than ``IN_A_ROW`` chance events follow each other; the argument is the code of the last."""


class Events(NamedTuple):
    """The chance states of the line: an entry for each ply, without a meaning where a player moves."""

    outcomes: Ints  # [plies, ROOM], codes
    chances: Floats  # [plies, ROOM], their probabilities
    number: Ints  # [plies], of outcomes
    searched: Ints  # [plies], number of outcomes with known values
    expected: Floats  # [plies], sum over these of probability times value, in units
    probability: Floats  # [plies], of the chance events before this one since the last move
    in_a_row: Ints  # [plies], number of chance events since the last move, this one included


class Search(NamedTuple):
    """The inputs and the state of a search."""

    game: Pieces
    evaluate: Any  # the evaluation function
    weights: Floats  # [weights], its weights
    hurry: bool  # whether earlier rewards count more
    prune: bool  # whether to skip moves that cannot change the result
    transposition_table: Ints  # [slots, COLUMNS]
    line: Line
    left: Ints  # [plies], remaining depth at each ply of the line
    events: Events


@compiled(inline=True)
def enter_state(search: Search, ply: int, code: int, reward: int, left: int, alpha: int, beta: int) -> None:
    """Sets a state at which a player moves at this ply of the line, with its window."""
    line = search.line
    enter(search.game, line, ply, code, reward)
    line.alpha[ply], line.beta[ply], line.first_alpha[ply], line.first_beta[ply] = alpha, beta, alpha, beta
    search.left[ply] = left


@compiled(inline=True)
def enter_chance(search: Search, ply: int, code: int, reward: int, left: int, probability: float) -> None:
    """Sets a chance state at this ply of the line."""
    game, line, events = search.game, search.line, search.events
    events.in_a_row[ply] = 1 + (events.in_a_row[ply - 1] if line.mover[ply - 1] == CHANCE else 0)
    if events.in_a_row[ply] > IN_A_ROW:
        raise ManyEventsError(code)
    outcomes, chances = borrowed(events.outcomes)[ply], borrowed(events.chances)[ply]
    events.number[ply] = count_outcomes(game.chance, game.params, code, outcomes, chances)
    events.searched[ply], events.expected[ply], events.probability[ply] = 0, 0.0, probability
    line.code[ply], line.mover[ply], line.reward[ply] = code, CHANCE, reward
    search.left[ply] = left


@compiled(inline=True)
def next_successor(search: Search, ply: int) -> int:
    """Returns the code of the successor to search next."""
    line, events = search.line, search.events
    if line.mover[ply] == CHANCE:
        return events.outcomes[ply, events.searched[ply]]  # type: ignore[no-any-return]
    move = 0
    while not line.untried[ply] >> move & 1:
        move += 1
    return play(search.game, line, ply, move)


@compiled(inline=True)
def is_searched(search: Search, ply: int) -> bool:
    """Returns whether the value of the state at this ply is known."""
    line, events = search.line, search.events
    if line.mover[ply] == CHANCE:
        return events.searched[ply] == events.number[ply]  # type: ignore[no-any-return]
    return line.untried[ply] == 0 or line.alpha[ply] >= line.beta[ply]  # type: ignore[no-any-return]


@compiled(inline=True)
def result(search: Search, ply: int) -> int:
    """Returns the value of the state at this ply, and stores it in the table if a player moves there."""
    line = search.line
    if line.mover[ply] == CHANCE:
        return int(np.rint(search.events.expected[ply]))
    first_alpha, first_beta = line.first_alpha[ply], line.first_beta[ply]
    code, best, move = line.code[ply], line.best[ply], line.best_move[ply]
    store(search.transposition_table, code, search.left[ply], best, move, first_alpha, first_beta)
    return best  # type: ignore[no-any-return]


@compiled(inline=True)
def take(search: Search, ply: int, value: int) -> None:
    """Updates the state at this ply with the value of its successor."""
    line, events = search.line, search.events
    if line.mover[ply] == CHANCE:
        events.expected[ply] += events.chances[ply, events.searched[ply]] * value
        events.searched[ply] += 1
        return
    back_up(line, ply, value)
    if not search.prune:
        line.alpha[ply], line.beta[ply] = -INFINITE, INFINITE


@compiled()
def _search_at(search: Search, root: int, limit: int, stop: Bools) -> tuple[int, bool]:
    """Searches one state, not terminal, to a depth; the result is in the first entry of the line.

    Returns:
        Number of states visited; and whether the search is complete.
    """
    search, stop = borrowed(search), borrowed(stop)
    game, line, events = search.game, search.line, search.events
    enter_state(search, 0, root, 0, limit, -INFINITE, INFINITE)
    looked, ply = 1, 0
    while not stop[0]:
        if is_searched(search, ply):
            value = result(search, ply)
            if ply == 0:
                return looked, True
            value += line.reward[ply]
            ply -= 1
        else:
            by_chance = line.mover[ply] == CHANCE
            code = next_successor(search, ply)
            looked += 1
            left = search.left[ply] - (not by_chance)
            value = rewarded(game.payoff(game.params, code), left, search.hurry)
            if game.terminal(game.params, code):
                pass
            elif game.turn(game.params, code) == CHANCE:
                probability = 1.0
                if by_chance:
                    probability = events.probability[ply] * events.chances[ply, events.searched[ply]]
                if probability >= NEGLIGIBLE:
                    ply += 1
                    enter_chance(search, ply, code, value, left, probability)
                    continue
            elif left == 0:
                value += evaluated(search.evaluate(game.params, search.weights, code))
            else:
                alpha, beta = -INFINITE, INFINITE
                if not by_chance:
                    alpha, beta = line.alpha[ply] - value, line.beta[ply] - value
                known, worth = probe(search.transposition_table, code, left, alpha, beta)
                if not known:
                    ply += 1
                    enter_state(search, ply, code, value, left, alpha, beta)
                    continue
                value += worth
        take(search, ply, value)
    return looked, False


@compiled(void(GAME, EVALUATE_TYPE, float64[::1], OPTIONS, boolean, int64[:, ::1], boolean[::1], int64[::1], FOUND))
def expectiminimax(
    game: Any,
    evaluate: Any,
    weights: Floats,
    options: Options,
    prune: bool,
    transposition_table: Ints,
    stop: Bools,
    codes: Ints,
    found: Found,
) -> None:
    """Searches at every state of a batch.

    Args:
        game: The game, a turn-based one.
        evaluate: The evaluation function.
        weights: Its weights ``[weights]``.
        options: The options; ``ordering`` has no effect.
        prune: Whether to skip moves that cannot change the result, as alpha-beta does.
        transposition_table: See :func:`nashzoo.agents.search.alphabeta_kernel.alphabeta`.
        stop: See there.
        codes: The states ``[B]``, at which a player moves or the game is over.
        found: Filled with the results.

    Raises:
        ChanceError: the outcomes at a state are no distribution.
        ManyEventsError: there are too many chance events in a row.
    """
    pieces, depth, never = pieces_of(game), options.depth, np.zeros(1, np.bool_)
    plies = depth * (1 + IN_A_ROW)
    events = Events(
        np.empty((plies, ROOM), np.int64), np.empty((plies, ROOM)), np.empty(plies, np.int64),
        np.empty(plies, np.int64), np.empty(plies), np.empty(plies), np.empty(plies, np.int64),
    )  # fmt: skip
    line, left = new_line(plies), np.empty(plies, np.int64)
    search = Search(pieces, evaluate, weights, options.hurry, prune, transposition_table, line, left, events)
    for row in range(len(codes)):
        found.moves[row], found.values[row], found.nodes[row], found.depths[row] = 0, 0.0, 0, 0
        limit = 1 if options.deepening else depth
        complete = not pieces.terminal(pieces.params, codes[row])
        while limit <= depth and complete:
            stopped = stop if options.deepening and limit > 1 else never
            looked, complete = _search_at(search, codes[row], limit, stopped)
            found.nodes[row] += looked
            if complete:
                found.moves[row], found.values[row], found.depths[row] = line.best_move[0], line.best[0] / UNIT, limit
                limit += 1
