"""The course of perfect play from a state."""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.solution import Solution
from nashzoo.envs.core.game import BOTH, CHANCE


class Move(NamedTuple):
    """A step of play."""

    before: int  # code of the state
    actions: tuple[int, int] | None  # both players' actions; None for a chance event
    after: int  # code of the next state


def principal_variation(solution: Solution, code: int, most: int = 100) -> list[Move]:
    """Returns the steps of perfect play from a state.

    In turn-based games the winner wins as soon as possible, and the loser delays. With simultaneous moves both play
    their most probable action in equilibrium; chance events have their most probable outcome. The steps end with the
    game, when a state recurs, or after ``most`` steps.

    Raises:
        KeyError: the state is not part of the solution.
    """
    game, moves, seen = solution.game, list[Move](), {code}
    while not game.terminal(code) and len(moves) < most:
        actions = None
        if game.turn(code) == CHANCE:
            codes, probabilities = game.outcomes(code)
            after = int(codes[np.argmax(probabilities)])
        else:
            actions = _most_probable(solution, code)
            after = game.step(code, *actions)
        moves.append(Move(code, actions, after))
        if after in seen:
            break
        seen.add(after)
        code = after
    return moves


def _most_probable(solution: Solution, code: int) -> tuple[int, int]:
    game, turn = solution.game, solution.game.turn(code)
    if solution.distances is not None and turn != BOTH:
        best = int(np.argmax(solution.optimal_actions(np.array([code]))[0]))
        return (best, 0) if turn == 0 else (0, best)
    strategies = solution.strategies(np.array([code]))
    first, second = (
        max(game.legal_actions(code, player), key=lambda action: strategies[player][0, action]) for player in (0, 1)
    )
    return first, second
