"""Where players lose, and states worth practising, as JSON."""

from typing import Any

import numpy as np

from nashzoo.app.shared.weak_spots import Spot, explained, losing
from nashzoo.app.shared.weaknesses import MOST_MERGED, Measured, everywhere, sampled, spots_of
from nashzoo.app.web.states import state_json
from nashzoo.arena.recorded_policy import RecordedPolicy
from nashzoo.baselines import Policy, Solution
from nashzoo.baselines.practice import worth_practising
from nashzoo.envs import Game
from nashzoo.envs.core.reachable import TooManyStatesError

MOST = 10  # states
DRAWN = 200  # decisions, where states are too many


def weaknesses_json(solution: Solution, policy: Policy) -> dict[str, Any]:
    """Returns the states where a policy loses most, those with the same mistake as one, and what it loses in all.

    Where states are too many, it is asked at decisions that are drawn from games of the equilibrium.

    Raises:
        UsageError: it is no policy by state.
    """
    game = solution.game
    seen_all = True
    try:
        measured = everywhere(game, policy, MOST_MERGED, solution)
    except TooManyStatesError:
        seen_all = False
        measured = sampled(game, policy, DRAWN, np.random.default_rng(0), solution)
    spots = losing(spots_of(game, measured, policy, MOST, True, solution))
    known = {"decisions": policy.decisions, "matches": policy.matches} if isinstance(policy, RecordedPolicy) else {}
    together = explained(spots, measured.total, measured.unit) if spots and seen_all else ""
    described = {"about": measured.about, "total": measured.total, "unit": measured.unit, "explained": together}
    return described | known | {"weaknesses": [_weakness_json(game, spot, measured) for spot in spots]}


def _weakness_json(game: Game, spot: Spot, measured: Measured) -> dict[str, Any]:
    code = spot.worst.code
    return spot.labelled(game).as_json(game) | {
        "code": str(code),
        "state": state_json(game, code),
        "happens": spot.happens(measured.total, measured.unit),
    }


def spots_json(solution: Solution) -> list[dict[str, Any]]:
    """Returns the states worth practising, and who chooses there."""
    return [{"code": str(code), "player": player} for code, player in worth_practising(solution)]
