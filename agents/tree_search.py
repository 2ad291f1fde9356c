"""Minimax and alpha-beta search of turn-based games, compiled, for any game.

The value of a position with ``depth`` moves to look ahead is the best, for the player to move, of what each move pays
plus the value of the position that follows with ``depth - 1`` moves; at the end of the game it is 0, and with no moves
left to look it is what an evaluation says, see :mod:`nashzoo.agents.evaluation`. The move found is the first, by its
number, of those with the best value. Both searches find the same values and the same moves; alpha-beta leaves out what
cannot matter for them.

Values are whole numbers of ``1 / UNIT`` evaluation points, so that sums are exact in any order.

Beyond plain alpha-beta, each alone or together:

- *Iterative deepening* searches to depth 1, 2, ... in turn, each time with the best move of the time before first.
- *Ordering* tries first what the table remembers as best at a position, then moves that have cut off others at
  the same depth (killers), then those that have done so most often anywhere (history).
- *A transposition table* remembers values, or bounds of them, by position and moves left to look. A value depends
  on nothing else, so that the table serves for as many searches as one likes.

Sources: Shannon (1950), Programming a computer for playing chess, minimax and evaluation; Knuth and Moore (1975), An
analysis of alpha-beta pruning; Slate and Atkin (1977), CHESS 4.5, iterative deepening and killers; Schaeffer (1989),
The history heuristic; Zobrist (1970) and Greenblatt, Eastlake and Crocker (1967), transposition tables.
"""

from typing import Any

import numpy as np
from numba import boolean, float64, int64, void

from nashzoo.agents.evaluation import EVALUATE_TYPE, HIGHEST, POINT
from nashzoo.envs.compiled import GAME, Bools, Floats, Ints, compiled
from nashzoo.envs.kernels import splitmix

UNIT = float(1 << 20)
INFINITE = 1 << 60
UNKNOWN = -1

EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # what a remembered value is
CODE, VALUE, LEFT, MOVE_AND_BOUND = range(4)  # columns of the transposition table; the last is 4 * move + bound
COLUMNS = 4

KILLERS = 2
REMEMBERED, KILLER = 1 << 62, 1 << 61  # ranks of moves, above any history

BETWEEN_LOOKS = 1024  # positions between two looks at the clock


@compiled(int64(float64))
def in_units(points: float) -> int:
    """Returns evaluation points as a whole number of units."""
    return int(np.rint(points * UNIT))


@compiled(int64(float64))
def evaluated(points: float) -> int:
    """Returns what an evaluation counts, in units."""
    return in_units(min(max(points, -HIGHEST), HIGHEST))


@compiled(int64(float64, int64, boolean))
def rewarded(payoff: float, left: int, hurry: bool) -> int:
    """Returns what a payment of the game counts, in units, with so many moves left to look ahead."""
    if payoff == 0.0:
        return 0
    return in_units(payoff * (POINT + left if hurry else POINT))


@compiled(void(GAME, EVALUATE_TYPE, float64[::1], int64, boolean, int64[::1], int64[::1], int64[::1], int64[::1]))
def minimax(
    game: Any,
    evaluate: Any,
    weights: Floats,
    depth: int,
    hurry: bool,
    codes: Ints,
    moves: Ints,
    values: Ints,
    nodes: Ints,
) -> None:
    """Searches at every position of a batch.

    Args:
        game: The game, a turn-based one.
        evaluate: Evaluates positions.
        weights: What ``evaluate`` takes ``[weights]``.
        depth: Moves to look ahead, at least 1.
        hurry: Whether payments count the more the sooner they come.
        codes: The positions ``[B]``.
        moves: Filled with the moves found ``[B]``, 0 where the game is over.
        values: Filled with the values to player 0 ``[B]``, in units.
        nodes: Filled with how many positions were looked at ``[B]``, the first included.
    """
    step, legal, turn, payoff, terminal = game.step, game.legal, game.turn, game.payoff, game.terminal
    params, num_actions = game.params, game.num_actions

    # One entry for each position on the way from the root to where the search is.
    position = np.empty(depth, np.int64)
    mover = np.empty(depth, np.int64)
    mask = np.empty(depth, np.int64)
    trying = np.empty(depth, np.int64)  # the move
    best = np.empty(depth, np.int64)
    best_move = np.empty(depth, np.int64)
    reward = np.empty(depth, np.int64)  # for entering it

    for row in range(len(codes)):
        looked, ply, code, value, gain = 1, -1, codes[row], 0, 0
        enter = not terminal(params, code)
        best_move[0] = 0
        while True:
            if enter:
                ply += 1
                position[ply], mover[ply], reward[ply] = code, turn(params, code), gain
                mask[ply] = legal(params, code, mover[ply])
                best[ply] = -INFINITE if mover[ply] == 0 else INFINITE
                trying[ply] = -1
            if ply < 0:
                break
            if not enter:
                better = value > best[ply] if mover[ply] == 0 else value < best[ply]
                if better:
                    best[ply], best_move[ply] = value, trying[ply]
            enter = False
            action = trying[ply] + 1
            while action < num_actions and not mask[ply] >> action & 1:
                action += 1
            if action == num_actions:
                value = best[ply] + reward[ply]
                ply -= 1
                continue
            trying[ply] = action
            looked += 1
            left = depth - ply - 1
            code = step(params, position[ply], action * (1 - mover[ply]), action * mover[ply])
            gain = rewarded(payoff(params, code), left, hurry)
            if terminal(params, code):
                value = gain
            elif left == 0:
                value = gain + evaluated(evaluate(params, weights, code))
            else:
                enter = True
        moves[row], values[row], nodes[row] = best_move[0], value, looked


@compiled(
    void(
        GAME, EVALUATE_TYPE, float64[::1], int64, boolean, boolean, boolean, int64[:, ::1], boolean[::1],
        int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],
    )
)  # fmt: skip
def alphabeta(
    game: Any,
    evaluate: Any,
    weights: Floats,
    depth: int,
    hurry: bool,
    deepening: bool,
    ordering: bool,
    table: Ints,
    stop: Bools,
    codes: Ints,
    moves: Ints,
    values: Ints,
    nodes: Ints,
    depths: Ints,
) -> None:
    """Searches at every position of a batch.

    Args:
        game: The game, a turn-based one.
        evaluate: Evaluates positions.
        weights: What ``evaluate`` takes ``[weights]``.
        depth: Moves to look ahead, at least 1.
        hurry: Whether payments count the more the sooner they come.
        deepening: Whether to search to depth 1, 2, ... in turn, rather than to ``depth`` at once.
        ordering: Whether to try first what seems best, rather than moves by their number.
        table: A transposition table ``[2**k, COLUMNS]``, zeros when new; ``[0, COLUMNS]`` for none. It can be used
            again, as long as game, evaluation, weights and ``hurry`` stay the same.
        stop: Its one element can be set from outside, to end the search with what the last depth has brought that was
            searched in full; depth 1 always is, with ``deepening``, and nothing is otherwise.
        codes: The positions ``[B]``.
        moves: Filled with the moves found ``[B]``, 0 where the game is over.
        values: Filled with the values to player 0 ``[B]``, in units.
        nodes: Filled with how many positions were looked at ``[B]``, the first included at each depth.
        depths: Filled with the depth that was searched in full ``[B]``, 0 where the game is over.
    """
    step, legal, turn, payoff, terminal = game.step, game.legal, game.turn, game.payoff, game.terminal
    params, num_actions = game.params, game.num_actions
    slots = len(table)

    # One entry for each position on the way from the root to where the search is.
    position = np.empty(depth, np.int64)
    mover = np.empty(depth, np.int64)
    untried = np.empty(depth, np.int64)  # moves, as a bit mask
    trying = np.empty(depth, np.int64)  # the move
    best = np.empty(depth, np.int64)
    best_move = np.empty(depth, np.int64)
    reward = np.empty(depth, np.int64)  # for entering it
    low, high = np.empty(depth, np.int64), np.empty(depth, np.int64)  # what matters lies between
    first_low, first_high = np.empty(depth, np.int64), np.empty(depth, np.int64)  # the same when it was entered
    slot = np.empty(depth, np.int64)
    ranks = np.zeros((depth, num_actions), np.int64)
    killers = np.empty((depth, KILLERS), np.int64)
    history = np.empty((2, num_actions), np.int64)

    for row in range(len(codes)):
        looked, favourite = 0, UNKNOWN
        moves[row], values[row], depths[row] = 0, 0, 0
        killers[:] = UNKNOWN
        history[:] = 0
        stopped = terminal(params, codes[row])
        limit = 1 if deepening else depth
        while limit <= depth and not stopped:
            looked += 1
            ply, code, value, gain, enter = -1, codes[row], 0, 0, True
            alpha, beta = -INFINITE, INFINITE
            while True:
                if enter:
                    ply += 1
                    left = limit - ply
                    remembered = favourite if ply == 0 else UNKNOWN
                    enter = False
                    known = False
                    if slots > 0:
                        # A position's slots for different depths are neighbours.
                        hashed = np.int64(splitmix(code) >> np.uint64(1))
                        slot[ply] = (hashed + left) & (slots - 1)
                        k = slot[ply]
                        if table[k, CODE] == code and table[k, LEFT] == left:
                            remembered, bound = table[k, MOVE_AND_BOUND] >> 2, table[k, MOVE_AND_BOUND] & 3
                            value = table[k, VALUE]
                            known = bound == EXACT or (value >= beta if bound == AT_LEAST else value <= alpha)
                            known = known and ply > 0  # of equal moves the table may remember another than the first
                        elif remembered == UNKNOWN:
                            k = (hashed + left - 1) & (slots - 1)
                            if table[k, CODE] == code and table[k, LEFT] == left - 1:
                                remembered = table[k, MOVE_AND_BOUND] >> 2
                    if known:
                        ply -= 1
                        value += gain
                    else:
                        position[ply], mover[ply], reward[ply] = code, turn(params, code), gain
                        untried[ply] = legal(params, code, mover[ply])
                        best[ply] = -INFINITE if mover[ply] == 0 else INFINITE
                        best_move[ply] = num_actions
                        low[ply], high[ply], first_low[ply], first_high[ply] = alpha, beta, alpha, beta
                        value = best[ply]  # no better than nothing
                        trying[ply] = num_actions
                        if ordering:
                            for action in range(num_actions):
                                ranks[ply, action] = history[mover[ply], action]
                            for k in range(KILLERS):
                                if killers[ply, k] != UNKNOWN:
                                    ranks[ply, killers[ply, k]] = KILLER - k
                            if remembered != UNKNOWN:
                                ranks[ply, remembered] = REMEMBERED

                better = value > best[ply] if mover[ply] == 0 else value < best[ply]
                if better or (ply == 0 and value == best[ply] and trying[ply] < best_move[ply]):
                    best[ply], best_move[ply] = value, trying[ply]
                    if mover[ply] == 0:
                        low[ply] = max(low[ply], value)
                    else:
                        high[ply] = min(high[ply], value)

                action = UNKNOWN
                if low[ply] < high[ply]:
                    for other in range(num_actions):
                        if untried[ply] >> other & 1 and (action == UNKNOWN or ranks[ply, other] > ranks[ply, action]):
                            action = other
                elif ordering and untried[ply]:
                    cut = best_move[ply]
                    history[mover[ply], cut] += (limit - ply) * (limit - ply)
                    if killers[ply, 0] != cut:
                        killers[ply, 1], killers[ply, 0] = killers[ply, 0], cut

                if action == UNKNOWN:
                    if slots > 0:
                        bound = EXACT
                        if best[ply] <= first_low[ply]:
                            bound = AT_MOST
                        elif best[ply] >= first_high[ply]:
                            bound = AT_LEAST
                        k = slot[ply]
                        table[k, CODE], table[k, VALUE], table[k, LEFT] = position[ply], best[ply], limit - ply
                        table[k, MOVE_AND_BOUND] = best_move[ply] << 2 | bound
                    if ply == 0:
                        break
                    value = best[ply] + reward[ply]
                    ply -= 1
                    continue

                trying[ply] = action
                untried[ply] &= ~(1 << action)
                looked += 1
                if looked % BETWEEN_LOOKS == 0 and limit > 1 and deepening and stop[0]:
                    stopped = True
                    break
                left = limit - ply - 1
                code = step(params, position[ply], action * (1 - mover[ply]), action * mover[ply])
                gain = rewarded(payoff(params, code), left, hurry)
                if terminal(params, code):
                    value = gain
                elif left == 0:
                    value = gain + evaluated(evaluate(params, weights, code))
                else:
                    enter = True
                    alpha, beta = low[ply] - gain, high[ply] - gain
                    if ply == 0 and action < best_move[0] < num_actions:  # as good would be better
                        alpha -= 1 - mover[0]
                        beta += mover[0]
            if not stopped:
                favourite = best_move[0]
                moves[row], values[row], depths[row] = favourite, best[0], limit
                limit += 1
        nodes[row] = looked
