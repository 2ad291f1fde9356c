"""How play goes on from a state if both play perfectly."""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.solution import Solution
from nashzoo.envs.core.game import BOTH, CHANCE


class Move(NamedTuple):
    """A step of play.

    Attributes:
        before: Code of the state.
        actions: What both players did; None where chance decided.
        after: Code of the state that followed.
    """

    before: int
    actions: tuple[int, int] | None
    after: int


def principal_variation(solution: Solution, code: int, most: int = 100) -> list[Move]:
    """Returns how play goes on from a state if both play perfectly.

    Where players move in turn, the winner hurries and the loser delays. Where they move at once, both do what is most
    probable in equilibrium; what is most probable happens where chance decides. It ends with the game, when a state
    comes again, or after so many steps.

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
