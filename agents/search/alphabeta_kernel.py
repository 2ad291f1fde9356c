"""Alpha-beta search of turn-based games with or without chance, compiled, for any game.

It finds the same values and the same moves as :mod:`nashzoo.agents.search.minimax_kernel`, and skips states that cannot
change them.

Extensions of plain alpha-beta, which can be combined:

- *Iterative deepening* searches to depth 1, 2, ... in turn, each time with the previous best move first.
- *Ordering* tries first the best move of the state in the table, then moves that have caused cutoffs at
  the same depth (killers), then those that have done so most often anywhere (history).
- *A transposition table* stores values, or bounds of them, by state and remaining depth. A value depends
  on nothing else, so that the table is valid for any number of searches.

With chance it is expectiminimax: the value of a chance state is the expectation over its outcomes, rounded to whole
units. Chance takes no depth: only moves of players count. All outcomes are searched, each with an open window, so that
alpha-beta prunes between two chance states, but not across one.

Sources: Knuth and Moore (1975), An analysis of alpha-beta pruning; Slate and Atkin (1977), CHESS 4.5, iterative
deepening and killers; Schaeffer (1989), The history heuristic; Zobrist (1970) and Greenblatt, Eastlake and Crocker
(1967), transposition tables; Michie (1966), Game-playing and game-learning automata, expectiminimax; Ballard (1983),
The ``*-minimax`` search procedure for trees containing chance nodes, which also prunes at chance states if all values
have known bounds.
"""

from typing import Any, NamedTuple

import numpy as np

from nashzoo.agents.search.evaluation import EVALUATE_TYPE
from nashzoo.agents.search.minimax_kernel import (
    INFINITE,
    RESULTS,
    UNIT,
    Line,
    Results,
    enter,
    evaluated,
    is_better,
    new_line,
    play,
    rewarded,
)
from nashzoo.envs.core.kernels import ROOM, Pieces, count_outcomes, pieces_of, splitmix
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, borrowed, compiled
from nashzoo.envs.jit.numba import boolean, float64, int64, types, void
from nashzoo.envs.rules.compiled_game import GAME
from nashzoo.envs.rules.pieces import CHANCE

NO_MOVE = -1

EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # kinds of stored values
CODE, VALUE, LEFT, MOVE_AND_BOUND = range(4)  # columns of the transposition table; the last is 4 * move + bound
COLUMNS = 4

KILLERS = 2
REMEMBERED, KILLER = 1 << 62, 1 << 61  # ranks of moves, above any history

BETWEEN_LOOKS = 1024  # states between two checks of the clock

IN_A_ROW = 64  # successive chance events that can be searched
NEGLIGIBLE = 2.0**-60  # probability of successive chance events that need not be searched


class Options(NamedTuple):
    """The options of alpha-beta."""

    depth: int  # moves to look ahead, at least 1
    hurry: bool  # whether earlier rewards count more
    deepening: bool  # whether to search to depth 1, 2, ... in turn, rather than to ``depth`` at once
    ordering: bool  # whether to try promising moves first, rather than moves by their number
    prune: bool  # whether to skip moves that cannot change the result


OPTIONS = types.NamedTuple((int64, boolean, boolean, boolean, boolean), Options)


class Order(NamedTuple):
    """The order of moves: by rank, the highest first, of equal ranks the lowest number first."""

    ranks: Ints  # [plies, actions], of the moves at each state of the line
    killers: Ints  # [plies, KILLERS], moves that have caused cutoffs, the latest first; NO_MOVE for none
    history: Ints  # [2, actions], sums over cutoffs by a player's moves of the square of the remaining depth


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
    options: Options
    transposition_table: Ints  # [slots, COLUMNS], see :func:`alphabeta`
    stop: Bools  # [1], see :func:`alphabeta`
    line: Line
    order: Order
    events: Events


def new_table(slots: int) -> Ints:
    """Returns an empty transposition table ``[slots, COLUMNS]``; ``slots`` is a power of two, or 0."""
    return np.zeros((slots, COLUMNS), np.int64)


@compiled(inline=True)
def slot_of(table: Ints, code: int, left: int) -> int:
    """Returns the slot of a state in the table; its slots for different depths are neighbours."""
    return (np.int64(splitmix(code) >> np.uint64(1)) + left) & (len(table) - 1)  # type: ignore[return-value]


@compiled(inline=True)
def probe(table: Ints, code: int, left: int, alpha: int, beta: int) -> tuple[bool, int]:
    """Returns whether the table has the value of a state, or a bound outside of alpha and beta; and that number."""
    if len(table) == 0:
        return False, 0
    slot = slot_of(table, code, left)
    if table[slot, CODE] != code or table[slot, LEFT] != left:
        return False, 0
    value, bound = table[slot, VALUE], table[slot, MOVE_AND_BOUND] & 3
    return bound == EXACT or (value >= beta if bound == AT_LEAST else value <= alpha), value


@compiled(inline=True)
def remembered_move(table: Ints, code: int, left: int, other: int) -> int:
    """Returns the best move in the table at this remaining depth, or else ``other``.

    If ``other`` is ``NO_MOVE``, the best move at a remaining depth less by one is used if it is in the table.
    """
    if len(table) > 0:
        slot = slot_of(table, code, left)
        if table[slot, CODE] == code and table[slot, LEFT] == left:
            return table[slot, MOVE_AND_BOUND] >> 2  # type: ignore[no-any-return]
        slot = slot_of(table, code, left - 1)
        if other == NO_MOVE and table[slot, CODE] == code and table[slot, LEFT] == left - 1:
            return table[slot, MOVE_AND_BOUND] >> 2  # type: ignore[no-any-return]
    return other


@compiled(inline=True)
def store(table: Ints, code: int, left: int, best: int, best_move: int, alpha: int, beta: int) -> None:
    """Stores the result of the search of a state, which was done with the window from alpha to beta."""
    if len(table) == 0:
        return
    bound = EXACT
    if best <= alpha:
        bound = AT_MOST
    elif best >= beta:
        bound = AT_LEAST
    slot = slot_of(table, code, left)
    table[slot, CODE], table[slot, VALUE], table[slot, LEFT] = code, best, left
    table[slot, MOVE_AND_BOUND] = best_move << 2 | bound


@compiled(inline=True)
def rank_moves(order: Order, ply: int, mover: int, remembered: int) -> None:
    """Ranks the moves at a state: the remembered one, then killers, then by history."""
    for move in range(order.ranks.shape[1]):
        order.ranks[ply, move] = order.history[mover, move]
    for k in range(KILLERS):
        if order.killers[ply, k] != NO_MOVE:
            order.ranks[ply, order.killers[ply, k]] = KILLER - k
    if remembered != NO_MOVE:
        order.ranks[ply, remembered] = REMEMBERED


@compiled(inline=True)
def next_move(line: Line, order: Order, ply: int, ordering: bool) -> int:
    """Returns the move to try next, NO_MOVE if none is left."""
    best = NO_MOVE
    if not ordering:
        if line.untried[ply]:
            best = 0
            while not line.untried[ply] >> best & 1:
                best += 1
        return best
    for move in range(order.ranks.shape[1]):
        if line.untried[ply] >> move & 1 and (best == NO_MOVE or order.ranks[ply, move] > order.ranks[ply, best]):
            best = move
    return best


@compiled(inline=True)
def note_cutoff(order: Order, line: Line, ply: int, left: int) -> None:
    """Updates history and killers with the move that caused a cutoff."""
    move = line.best_move[ply]
    order.history[line.mover[ply], move] += left * left
    if order.killers[ply, 0] != move:
        order.killers[ply, 1], order.killers[ply, 0] = order.killers[ply, 0], move


@compiled(inline=True)
def back_up(line: Line, ply: int, value: int) -> None:
    """Updates the best value and the window with the value of the tried move."""
    first_of_equals = ply == 0 and value == line.best[0] and line.trying[0] < line.best_move[0]
    if is_better(line, ply, value) or first_of_equals:
        line.best[ply], line.best_move[ply] = value, line.trying[ply]
        if line.mover[ply] == 0:
            line.alpha[ply] = max(line.alpha[ply], value)
        else:
            line.beta[ply] = min(line.beta[ply], value)


@compiled(inline=True)
def window(line: Line, ply: int, num_actions: int) -> tuple[int, int]:
    """Returns the window of the move that is being tried."""
    alpha, beta = line.alpha[ply], line.beta[ply]
    if ply == 0 and line.trying[0] < line.best_move[0] < num_actions:  # an equal value at a lower number is better
        return alpha - (1 - line.mover[0]), beta + line.mover[0]
    return alpha, beta


@compiled(inline=True)
def expand(search: Search, ply: int, code: int, reward: int, alpha: int, beta: int, left: int, favourite: int) -> None:
    """Sets a state at which a player moves at this ply, with its window, and ranks its moves."""
    line = search.line
    enter(search.game, line, ply, code, reward)
    line.alpha[ply], line.beta[ply], line.first_alpha[ply], line.first_beta[ply] = alpha, beta, alpha, beta
    line.left[ply] = left
    if search.options.ordering:
        remembered = remembered_move(search.transposition_table, code, left, favourite)
        rank_moves(search.order, ply, line.mover[ply], remembered)


@compiled(inline=True)
def expand_chance(search: Search, ply: int, code: int, reward: int, left: int, probability: float) -> None:
    """Sets a chance state at this ply."""
    game, line, events = search.game, search.line, search.events
    events.in_a_row[ply] = 1 + (events.in_a_row[ply - 1] if line.mover[ply - 1] == CHANCE else 0)
    if events.in_a_row[ply] > IN_A_ROW:
        raise ManyEventsError(code)
    outcomes, chances = borrowed(events.outcomes)[ply], borrowed(events.chances)[ply]
    events.number[ply] = count_outcomes(game.chance, game.params, code, outcomes, chances)
    events.searched[ply], events.expected[ply], events.probability[ply] = 0, 0.0, probability
    line.code[ply], line.mover[ply], line.reward[ply], line.left[ply] = code, CHANCE, reward, left
    line.alpha[ply], line.beta[ply] = -INFINITE, INFINITE


@compiled()
def _search_at(search: Search, root: int, limit: int, favourite: int, looked: int) -> tuple[int, bool]:
    """Searches one state, not terminal, to a depth; the result is in the first entry of the line.

    Args:
        search: The inputs and the state of the search.
        root: The state.
        limit: The depth.
        favourite: The move to try first, NO_MOVE for any.
        looked: Number of states visited before.

    Returns:
        Number of states visited so far; and whether the search is complete.
    """
    search = borrowed(search)
    game, options, line, order, events = search.game, search.options, search.line, search.order, search.events
    table, has_chance = search.transposition_table, game.has_chance != 0
    expand(search, 0, root, 0, -INFINITE, INFINITE, limit, favourite)
    looked, ply = looked + 1, 0
    while True:
        by_chance = has_chance and line.mover[ply] == CHANCE
        move, left = NO_MOVE, line.left[ply] if has_chance else limit - ply
        if by_chance:
            is_searched = events.searched[ply] == events.number[ply]
        else:
            if line.alpha[ply] < line.beta[ply]:
                move = next_move(line, order, ply, options.ordering)
            elif options.ordering and line.untried[ply]:
                note_cutoff(order, line, ply, left)
            is_searched = move == NO_MOVE
        if is_searched:
            if by_chance:
                value = int(np.rint(events.expected[ply]))
            else:
                value = line.best[ply]
                first_alpha, first_beta = line.first_alpha[ply], line.first_beta[ply]
                store(table, line.code[ply], left, value, line.best_move[ply], first_alpha, first_beta)
            if ply == 0:
                return looked, True
            value += line.reward[ply]
            ply -= 1
        else:
            looked += 1
            if looked % BETWEEN_LOOKS == 0 and limit > 1 and options.deepening and search.stop[0]:
                return looked, False
            if by_chance:
                code = events.outcomes[ply, events.searched[ply]]
            else:
                code, left = play(game, line, ply, move), left - 1
            value = rewarded(game.payoff(game.params, code), left, options.hurry)
            if game.terminal(game.params, code):
                pass
            elif has_chance and game.turn(game.params, code) == CHANCE:
                probability = 1.0
                if by_chance:
                    probability = events.probability[ply] * events.chances[ply, events.searched[ply]]
                if probability >= NEGLIGIBLE:
                    ply += 1
                    expand_chance(search, ply, code, value, left, probability)
                    continue
            elif left == 0:
                value += evaluated(search.evaluate(game.params, search.weights, code))
            else:
                alpha, beta = window(line, ply, game.num_actions)
                alpha, beta = alpha - value, beta - value
                known, worth = probe(table, code, left, alpha, beta)
                if not known:
                    ply += 1
                    expand(search, ply, code, value, alpha, beta, left, NO_MOVE)
                    continue
                value += worth
        if has_chance and line.mover[ply] == CHANCE:
            events.expected[ply] += events.chances[ply, events.searched[ply]] * value
            events.searched[ply] += 1
        else:
            back_up(line, ply, value)
            if not options.prune:
                line.alpha[ply], line.beta[ply] = -INFINITE, INFINITE


@compiled(void(GAME, EVALUATE_TYPE, float64[::1], OPTIONS, int64[:, ::1], boolean[::1], int64[::1], RESULTS))
def alphabeta(
    game: Any,
    evaluate: Any,
    weights: Floats,
    options: Options,
    transposition_table: Ints,
    stop: Bools,
    codes: Ints,
    results: Results,
) -> None:
    """Searches at every state of a batch.

    Args:
        game: The game, a turn-based one.
        evaluate: The evaluation function.
        weights: Its weights ``[weights]``.
        options: The options; ``ordering`` is for games without chance.
        transposition_table: ``[2**k, COLUMNS]``, zeros when new; ``[0, COLUMNS]`` for none. It can be used again, as
            long as game, evaluation, weights and ``hurry`` stay the same.
        stop: Another thread can set its one element to end the search. With ``deepening`` the result is then that of
            the last complete depth, at least 1; without it ``stop`` has no effect.
        codes: The states ``[B]``, at which a player moves or the game is over.
        results: Filled with the results.

    Raises:
        ChanceError: the outcomes at a state are no distribution.
        ManyEventsError: there are too many chance events in a row.
    """
    pieces, depth = pieces_of(game), options.depth
    plies = depth * (1 + IN_A_ROW) if pieces.has_chance else depth
    by_chance = plies if pieces.has_chance else 0
    line, killers = new_line(plies), np.empty((plies, KILLERS), np.int64)
    history = np.empty((2, pieces.num_actions), np.int64)
    order = Order(np.zeros((plies, pieces.num_actions), np.int64), killers, history)
    events = Events(
        np.empty((by_chance, ROOM), np.int64), np.empty((by_chance, ROOM)), np.empty(by_chance, np.int64),
        np.empty(by_chance, np.int64), np.empty(by_chance), np.empty(by_chance), np.empty(by_chance, np.int64),
    )  # fmt: skip
    search = Search(pieces, evaluate, weights, options, transposition_table, stop, line, order, events)
    for row in range(len(codes)):
        results.moves[row], results.values[row], results.depths[row] = 0, 0.0, 0
        killers[:] = NO_MOVE
        history[:] = 0
        looked, favourite = 0, NO_MOVE
        limit = 1 if options.deepening else depth
        complete = not pieces.terminal(pieces.params, codes[row])
        while limit <= depth and complete:
            looked, complete = _search_at(search, codes[row], limit, favourite, looked)
            if complete:
                favourite = line.best_move[0]
                results.moves[row], results.values[row], results.depths[row] = favourite, line.best[0] / UNIT, limit
                limit += 1
        results.nodes[row] = looked
