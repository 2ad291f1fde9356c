"""Minimax and alpha-beta search of turn-based games, compiled, for any game.

The value of a state at ``depth`` is the best, for the player to move, over its moves, of the reward plus the value of
the next state at ``depth - 1``. At the end of the game it is 0, and at depth 0 it is the evaluation, see
:mod:`nashzoo.agents.search.evaluation`. The move found is the first, by its number, of those with the best value. Both
searches find the same values and the same moves; alpha-beta skips states that cannot change them.

Values are whole numbers of ``1 / UNIT`` evaluation points, so that sums are exact in any order.

Extensions of plain alpha-beta, which can be combined:

- *Iterative deepening* searches to depth 1, 2, ... in turn, each time with the previous best move first.
- *Ordering* tries first the best move of the state in the table, then moves that have caused cutoffs at
  the same depth (killers), then those that have done so most often anywhere (history).
- *A transposition table* stores values, or bounds of them, by state and remaining depth. A value depends
  on nothing else, so that the table is valid for any number of searches.

Sources: Shannon (1950), Programming a computer for playing chess, minimax and evaluation; Knuth and Moore (1975), An
analysis of alpha-beta pruning; Slate and Atkin (1977), CHESS 4.5, iterative deepening and killers; Schaeffer (1989),
The history heuristic; Zobrist (1970) and Greenblatt, Eastlake and Crocker (1967), transposition tables.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float64, int64, types, void

from nashzoo.agents.search.evaluation import EVALUATE_TYPE, HIGHEST, POINT
from nashzoo.envs.core.kernels import Pieces, pieces_of, splitmix
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, borrowed, compiled
from nashzoo.envs.rules.compiled_game import GAME

UNIT = float(1 << 20)
INFINITE = 1 << 60
NO_MOVE = -1

EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # kinds of stored values
CODE, VALUE, LEFT, MOVE_AND_BOUND = range(4)  # columns of the transposition table; the last is 4 * move + bound
COLUMNS = 4

KILLERS = 2
REMEMBERED, KILLER = 1 << 62, 1 << 61  # ranks of moves, above any history

BETWEEN_LOOKS = 1024  # states between two checks of the clock


@compiled(int64(float64))
def in_units(points: float) -> int:
    """Returns evaluation points as a whole number of units."""
    return int(np.rint(points * UNIT))


@compiled(int64(float64))
def evaluated(points: float) -> int:
    """Returns an evaluation in units, cut at ``HIGHEST``."""
    return in_units(min(max(points, -HIGHEST), HIGHEST))


@compiled(int64(float64, int64, boolean))
def rewarded(payoff: float, left: int, hurry: bool) -> int:
    """Returns a reward of the game in units, with ``left`` moves of remaining depth."""
    if payoff == 0.0:
        return 0
    return in_units(payoff * (POINT + left if hurry else POINT))


class Found(NamedTuple):
    """The results of searches at states."""

    moves: Ints  # [B], 0 where the game is over
    values: Floats  # [B], to player 0, in the points of the evaluation
    nodes: Ints  # [B], number of states visited, the root included, by alpha-beta at each depth
    depths: Ints  # [B], depth of the last complete search, 0 where the game is over

    def part(self, rows: slice) -> "Found":
        """Returns some of the rows."""
        return Found(self.moves[rows], self.values[rows], self.nodes[rows], self.depths[rows])


class Options(NamedTuple):
    """The options of alpha-beta."""

    depth: int  # moves to look ahead, at least 1
    hurry: bool  # whether earlier rewards count more
    deepening: bool  # whether to search to depth 1, 2, ... in turn, rather than to ``depth`` at once
    ordering: bool  # whether to try promising moves first, rather than moves by their number


FOUND = types.NamedTuple((int64[::1], float64[::1], int64[::1], int64[::1]), Found)
OPTIONS = types.NamedTuple((int64, boolean, boolean, boolean), Options)


class Line(NamedTuple):
    """The states from the root to the current state of the search: an entry for each ply ``[depth]``."""

    code: Ints  # of the state
    mover: Ints
    untried: Ints  # moves, as a bit mask
    trying: Ints  # the move
    best: Ints  # value so far
    best_move: Ints
    reward: Ints  # for entering the state
    alpha: Ints  # lower end of the window
    beta: Ints  # upper end
    first_alpha: Ints  # the same when the state was entered
    first_beta: Ints


class Order(NamedTuple):
    """The order of moves: by rank, the highest first, of equal ranks the lowest number first."""

    ranks: Ints  # [depth, actions], of the moves at each state of the line
    killers: Ints  # [depth, KILLERS], moves that have caused cutoffs, the latest first; NO_MOVE for none
    history: Ints  # [2, actions], sums over cutoffs by a player's moves of the square of the remaining depth


class Search(NamedTuple):
    """The inputs and the state of an alpha-beta search."""

    game: Pieces
    evaluate: Any  # the evaluation function
    weights: Floats  # [weights], its weights
    options: Options
    transposition_table: Ints  # [slots, COLUMNS], see :func:`alphabeta`
    stop: Bools  # [1], see :func:`alphabeta`
    line: Line
    order: Order


@compiled(inline=True)
def enter(game: Pieces, line: Line, ply: int, code: int, reward: int) -> None:
    """Sets the state at this ply of the line, with no move tried yet."""
    mover = game.turn(game.params, code)
    line.code[ply], line.mover[ply], line.reward[ply] = code, mover, reward
    line.untried[ply] = game.legal(game.params, code, mover)
    line.best[ply] = -INFINITE if mover == 0 else INFINITE
    line.best_move[ply] = line.trying[ply] = game.num_actions  # above any move


@compiled(inline=True)
def play(game: Pieces, line: Line, ply: int, move: int) -> int:
    """Returns the code of the state after a move at this ply, and marks the move as tried."""
    line.trying[ply] = move
    line.untried[ply] &= ~(1 << move)
    mover = line.mover[ply]
    return game.step(game.params, line.code[ply], move * (1 - mover), move * mover)  # type: ignore[no-any-return]


@compiled(inline=True)
def is_better(line: Line, ply: int, value: int) -> bool:
    """Returns whether a value is better for the player to move than the best so far."""
    return value > line.best[ply] if line.mover[ply] == 0 else value < line.best[ply]  # type: ignore[no-any-return]


@compiled()
def _minimax_at(
    game: Pieces, evaluate: Any, weights: Floats, depth: int, hurry: bool, line: Line, root: int
) -> tuple[int, int, int]:
    """Searches one state, not terminal; returns the move, the value in units and the number of visited states."""
    game, weights, line = borrowed(game), borrowed(weights), borrowed(line)
    enter(game, line, 0, root, 0)
    looked, ply = 1, 0
    while True:
        if line.untried[ply] == 0:
            if ply == 0:
                return line.best_move[0], line.best[0], looked
            value = line.best[ply] + line.reward[ply]
            ply -= 1
        else:
            move = 0
            while not line.untried[ply] >> move & 1:
                move += 1
            code = play(game, line, ply, move)
            looked += 1
            left = depth - ply - 1
            value = rewarded(game.payoff(game.params, code), left, hurry)
            if not game.terminal(game.params, code):
                if left > 0:
                    ply += 1
                    enter(game, line, ply, code, value)
                    continue
                value += evaluated(evaluate(game.params, weights, code))
        if is_better(line, ply, value):
            line.best[ply], line.best_move[ply] = value, line.trying[ply]


@compiled(inline=True)
def new_line(depth: int) -> Line:
    """Returns an empty line for a search to ``depth``."""
    return Line(
        np.empty(depth, np.int64), np.empty(depth, np.int64), np.empty(depth, np.int64), np.empty(depth, np.int64),
        np.empty(depth, np.int64), np.empty(depth, np.int64), np.empty(depth, np.int64), np.empty(depth, np.int64),
        np.empty(depth, np.int64), np.empty(depth, np.int64), np.empty(depth, np.int64),
    )  # fmt: skip


@compiled(void(GAME, EVALUATE_TYPE, float64[::1], int64, boolean, int64[::1], FOUND))
def minimax(game: Any, evaluate: Any, weights: Floats, depth: int, hurry: bool, codes: Ints, found: Found) -> None:
    """Searches at every state of a batch.

    Args:
        game: The game, a turn-based one.
        evaluate: The evaluation function.
        weights: Its weights ``[weights]``.
        depth: Moves to look ahead, at least 1.
        hurry: Whether earlier rewards count more.
        codes: The states ``[B]``.
        found: Filled with the results.
    """
    pieces, line = pieces_of(game), new_line(depth)
    for row in range(len(codes)):
        move, value, looked, searched = 0, 0, 1, 0
        if not pieces.terminal(pieces.params, codes[row]):
            move, value, looked = _minimax_at(pieces, evaluate, weights, depth, hurry, line, codes[row])
            searched = depth
        found.moves[row], found.values[row], found.nodes[row], found.depths[row] = move, value / UNIT, looked, searched


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
def next_move(line: Line, order: Order, ply: int) -> int:
    """Returns the move to try next, NO_MOVE if none is left."""
    found = NO_MOVE
    for move in range(order.ranks.shape[1]):
        if line.untried[ply] >> move & 1 and (found == NO_MOVE or order.ranks[ply, move] > order.ranks[ply, found]):
            found = move
    return found


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
    """Sets the state at this ply with its window, and ranks its moves."""
    line = search.line
    enter(search.game, line, ply, code, reward)
    line.alpha[ply], line.beta[ply], line.first_alpha[ply], line.first_beta[ply] = alpha, beta, alpha, beta
    if search.options.ordering:
        remembered = remembered_move(search.transposition_table, code, left, favourite)
        rank_moves(search.order, ply, line.mover[ply], remembered)


@compiled()
def _alphabeta_at(search: Search, root: int, limit: int, favourite: int, looked: int) -> tuple[int, bool]:
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
    game, options, line, order = search.game, search.options, search.line, search.order
    table = search.transposition_table
    expand(search, 0, root, 0, -INFINITE, INFINITE, limit, favourite)
    looked, ply = looked + 1, 0
    while True:
        move = NO_MOVE
        if line.alpha[ply] < line.beta[ply]:
            move = next_move(line, order, ply)
        elif options.ordering and line.untried[ply]:
            note_cutoff(order, line, ply, limit - ply)
        if move == NO_MOVE:
            first_alpha, first_beta = line.first_alpha[ply], line.first_beta[ply]
            store(table, line.code[ply], limit - ply, line.best[ply], line.best_move[ply], first_alpha, first_beta)
            if ply == 0:
                return looked, True
            value = line.best[ply] + line.reward[ply]
            ply -= 1
        else:
            looked += 1
            if looked % BETWEEN_LOOKS == 0 and limit > 1 and options.deepening and search.stop[0]:
                return looked, False
            code, left = play(game, line, ply, move), limit - ply - 1
            value = rewarded(game.payoff(game.params, code), left, options.hurry)
            if game.terminal(game.params, code):
                pass
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
        back_up(line, ply, value)


@compiled(void(GAME, EVALUATE_TYPE, float64[::1], OPTIONS, int64[:, ::1], boolean[::1], int64[::1], FOUND))
def alphabeta(
    game: Any,
    evaluate: Any,
    weights: Floats,
    options: Options,
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
        options: The options.
        transposition_table: ``[2**k, COLUMNS]``, zeros when new; ``[0, COLUMNS]`` for none. It can be used again, as
            long as game, evaluation, weights and ``hurry`` stay the same.
        stop: Another thread can set its one element to end the search. With ``deepening`` the result is then that of
            the last complete depth, at least 1; without it ``stop`` has no effect.
        codes: The states ``[B]``.
        found: Filled with the results.
    """
    pieces, depth = pieces_of(game), options.depth
    line, killers = new_line(depth), np.empty((depth, KILLERS), np.int64)
    history = np.empty((2, pieces.num_actions), np.int64)
    order = Order(np.zeros((depth, pieces.num_actions), np.int64), killers, history)
    search = Search(pieces, evaluate, weights, options, transposition_table, stop, line, order)
    for row in range(len(codes)):
        found.moves[row], found.values[row], found.depths[row] = 0, 0.0, 0
        killers[:] = NO_MOVE
        history[:] = 0
        looked, favourite = 0, NO_MOVE
        limit = 1 if options.deepening else depth
        complete = not pieces.terminal(pieces.params, codes[row])
        while limit <= depth and complete:
            looked, complete = _alphabeta_at(search, codes[row], limit, favourite, looked)
            if complete:
                favourite = line.best_move[0]
                found.moves[row], found.values[row], found.depths[row] = favourite, line.best[0] / UNIT, limit
                limit += 1
        found.nodes[row] = looked
