"""Games with hidden information as JSON: what a seat sees of a match, and information states with their solution.

All that a seat sees is made from codes in which what it does not see is 0, so nothing else can be told.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import BOTH, Floats, Ints
from nashzoo.envs.text.steps import Step, seen_by, visible_actions

MOST_HISTORIES = 50  # listed of an information state
AS_SEEN = "as it is seen"


def seen(trajectory: Trajectory, step: Step, seats: Sequence[int]) -> tuple[Step, list[int | None], str]:
    """Returns a time step as all of ``seats`` see it, the actions that they see, and what happened, in words."""
    game, movers = trajectory.game, trajectory.game.movers(step.before)
    before, stepped, after = (seen_by(game, code, seats) for code in (step.before, step.stepped, step.after))
    actions = [action if player in movers else None for player, action in enumerate(visible_actions(game, step, seats))]
    return Step(before, step.actions, stepped, after, step.reward), actions, trajectory.event(step, seats)


def information_json(
    solution: InformationSolution, code: int, player: int, most: int | None = MOST_HISTORIES
) -> dict[str, Any]:
    """Returns an information state under the equilibrium: its histories, the strategy there, and each action's value.

    Where the other player's strategy never leads, ``reached`` is false and values are those after its fewest mistakes.

    Args:
        solution: The solution.
        code: One of its histories, or the code of what the player sees.
        player: The player.
        most: The largest number of histories, the likeliest ones; None for all.

    Raises:
        UsageError: the player does not choose there, or play never comes there.
    """
    game = solution.game
    known = game.information_state(code, player)
    codes, probabilities = _beliefs(solution, code, player)
    legal = list(game.legal_actions(known, player))
    values = solution.action_values(known, player, mistakes=True)[legal]
    shares = solution.strategies(np.array([known]))[player][0, legal]
    history = code if code in codes else int(codes[probabilities.argmax()])
    likeliest = np.argsort(-probabilities, kind="stable")[:most]
    listed = codes[likeliest].tolist()
    fields = game.view.differing(known, listed)  # in some of them, from what the player sees
    return {
        "player": player,
        "reached": solution.reached(known, player) > 0.0,
        "value": float(values.max()),
        "history": str(history),
        "other": _likeliest(solution, history, 1 - player) if game.turn(history) == BOTH else 0,
        "num_histories": len(codes),
        "histories": [
            {
                "code": str(one),
                "text": game.view.told_fields(game.params, one, fields, (), by_kind=True) if fields else AS_SEEN,
                "probability": probability,
            }
            for one, probability in zip(listed, probabilities[likeliest].tolist(), strict=True)
        ],
        "actions": [
            {"action": action, "name": game.action_label(known, action), "probability": share, "value": value}
            | {"loss": float(values.max() - value)}
            for action, share, value in zip(legal, shares.tolist(), values.tolist(), strict=True)
        ],
    }


def _beliefs(solution: InformationSolution, code: int, player: int) -> tuple[Ints, Floats]:
    """Returns the histories of an information state and their probabilities, see :func:`information_json`."""
    game = solution.game
    if player not in game.movers(code):
        raise UsageError(f"player {player} does not choose there")
    known = game.information_state(code, player)
    try:
        return solution.beliefs(known, player)
    except UsageError:
        raise UsageError(f"play never comes to what player {player} sees at {game.spell(known, [player])}") from None


def drawn(solution: InformationSolution, code: int, player: int, seed: int) -> int:
    """Returns the code of a history of an information state, drawn with its probability."""
    codes, probabilities = _beliefs(solution, code, player)
    return int(np.random.default_rng(seed).choice(codes, p=probabilities))


def _likeliest(solution: InformationSolution, code: int, player: int) -> int:
    """Returns the action that the equilibrium plays most, where both players choose."""
    known = solution.game.information_state(code, player)
    return int(solution.strategies(np.array([known]))[player][0].argmax())
