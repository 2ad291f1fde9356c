"""Minimax search of turn-based games, compiled, for any game; and what alpha-beta shares with it.

The value of a state at ``depth`` is the best, for the player to move, over its moves, of the reward plus the value of
the next state at ``depth - 1``. At the end of the game it is 0, and at depth 0 it is the evaluation, see
:mod:`nashzoo.agents.search.evaluation`. The chosen move is the first, by its number, of those with the best value.

Values are whole numbers of ``1 / UNIT`` evaluation points, so that sums are exact in any order.

Alpha-beta without pruning, :mod:`nashzoo.agents.search.alphabeta_kernel`, finds the same, with chance too; this search
of games without chance is faster.

Source: Shannon (1950), Programming a computer for playing chess, minimax and evaluation.
"""

from typing import Any, NamedTuple

import numpy as np

from nashzoo.agents.search.evaluation import EVALUATE_TYPE, HIGHEST, POINT
from nashzoo.envs.core.kernels import Pieces, pieces_of
from nashzoo.envs.jit.compiled import Floats, Ints, borrowed, compiled
from nashzoo.envs.jit.numba import boolean, float64, int64, types, void
from nashzoo.envs.rules.compiled_game import GAME

UNIT = float(1 << 20)
INFINITE = 1 << 60


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


class Results(NamedTuple):
    """The results of searches at states."""

    moves: Ints  # [B], 0 where the game is over
    values: Floats  # [B], to player 0, in the points of the evaluation
    nodes: Ints  # [B], number of states visited, the root included, by alpha-beta at each depth
    depths: Ints  # [B], depth of the last complete search, 0 where the game is over

    def part(self, rows: slice) -> "Results":
        """Returns some of the rows."""
        return Results(self.moves[rows], self.values[rows], self.nodes[rows], self.depths[rows])


RESULTS = types.NamedTuple((int64[::1], float64[::1], int64[::1], int64[::1]), Results)


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
    left: Ints  # remaining depth, for alpha-beta


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
    """Returns an empty line of ``depth`` plies."""
    return Line(
        np.empty(depth, np.int64), np.empty(depth, np.int64), np.empty(depth, np.int64), np.empty(depth, np.int64),
        np.empty(depth, np.int64), np.empty(depth, np.int64), np.empty(depth, np.int64), np.empty(depth, np.int64),
        np.empty(depth, np.int64), np.empty(depth, np.int64), np.empty(depth, np.int64), np.empty(depth, np.int64),
    )  # fmt: skip


@compiled(void(GAME, EVALUATE_TYPE, float64[::1], int64, boolean, int64[::1], RESULTS))
def minimax(game: Any, evaluate: Any, weights: Floats, depth: int, hurry: bool, codes: Ints, results: Results) -> None:
    """Searches ``depth`` moves ahead, at least 1, at every state ``[B]`` of a turn-based game, and fills the results.

    With ``hurry`` earlier rewards count more.
    """
    pieces, line = pieces_of(game), new_line(depth)
    for row in range(len(codes)):
        move, value, looked, searched = 0, 0, 1, 0
        if not pieces.terminal(pieces.params, codes[row]):
            move, value, looked = _minimax_at(pieces, evaluate, weights, depth, hurry, line, codes[row])
            searched = depth
        results.moves[row], results.values[row] = move, value / UNIT
        results.nodes[row], results.depths[row] = looked, searched
