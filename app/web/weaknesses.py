"""Where players lose, and states worth practising, as JSON."""

import copy
from collections.abc import Hashable
from typing import Any

import numpy as np

from nashzoo.agents.basic.nash import NashAgent
from nashzoo.app.shared.weak_spots import ROUNDED, Spot, explained, losing
from nashzoo.app.shared.weaknesses import FEW, MOST_MERGED, Measured, everywhere, is_of_rounds, sampled, spots_of
from nashzoo.app.web.states import state_json
from nashzoo.arena.recorded_policy import RecordedPolicy
from nashzoo.arena.review import KEPT, MOST_COUNTED, NO_LOSS, REAL, Made, kind_of, mixture
from nashzoo.baselines import Policy, Solution, Weakness, exploitability
from nashzoo.baselines.choices import choice_at
from nashzoo.baselines.even_solution import as_found
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.measures import UNKNOWN, value_or_none
from nashzoo.baselines.practice import COUNTED, mixes_of, worth_practising
from nashzoo.baselines.weak_states import by_name
from nashzoo.envs import Game
from nashzoo.envs.core.game import Floats
from nashzoo.envs.core.reachable import TooManyStatesError, reachable

MOST = 10  # states
DRAWN = 200  # decisions, where states are too many


def weaknesses_json(solution: Solution, policy: Policy) -> dict[str, Any]:
    """Returns the states where a policy loses most, those with the same mistake as one, and what it loses in all.

    Where states are too many, it is asked at decisions that are drawn from games of the equilibrium.

    Raises:
        UsageError: it is no policy by state.
    """
    game = solution.game
    try:
        measured = everywhere(game, policy, MOST_MERGED, solution)
    except TooManyStatesError:
        measured = sampled(game, policy, DRAWN, np.random.default_rng(0), solution)
    spots = losing(spots_of(game, measured, policy, MOST, True, solution), measured.total)
    is_exact = measured.unit == "game"
    part = spots and (is_exact or sum(spot.share for spot in spots) * ROUNDED < measured.total)
    together = explained(spots, measured.total, measured.unit) if part else ""
    described = {"about": measured.about, "total": measured.total, "unit": measured.unit, "explained": together}
    if is_exact:
        perfect = value_or_none(game, NashAgent(game, solution=as_found(solution)), policy)
        described |= {"perfect": None if perfect is None else round(game.points(perfect), KEPT) + 0.0}
    return described | {"weaknesses": [_weakness_json(game, spot, measured) for spot in spots]}


def recorded_json(solution: Solution, policy: RecordedPolicy) -> dict[str, Any]:
    """Returns where a player of recorded matches lost by mistakes, and loses by habits, as their reviews tell.

    A habit is a mixture that is ``uneven`` or has an ``order``, see :func:`nashzoo.arena.review.mixtures`; ``mixes``
    are the others. A mistake costs something against perfect play; it is a ``gift`` where the other player had always
    made one before. Mistakes that are parts of a habit are told there; their ``cost`` is in points of all matches.

    What all habits lose is in points per game. Where the rounds of a game are alike whatever is chosen, it is the sum
    of what each loses ``per_game``. Else it is the exploitability of the habits, in a small game at all decisions with
    the same choice, with perfect play elsewhere; None where a game is too large for it, or a habit is an order. The
    weaknesses are by ``share``, behind all others the mistakes that were made once.
    """
    game, matches = solution.game, policy.matches
    alike: dict[tuple[int, Hashable], list[Made]] = {}
    earned: set[tuple[int, int]] = set()  # decisions to which another one came without a mistake
    for number, (steps, seat) in enumerate(policy.played):
        flawless, rival = True, 1 - seat
        for k, step in enumerate(steps):
            movers = game.movers(step.before)
            if seat in movers:
                code, player = policy.decision(step.before, seat)
                key = player, kind_of(solution, code, player) or code
                alike.setdefault(key, []).append(Made(code, step.actions[seat], step.actions[rival], number, k))
                if flawless:
                    earned.add((code, player))
            if flawless and rival in movers:
                flawless = choice_at(solution, step.before, rival).regret(step.actions[rival]) <= NO_LOSS
    habits, mixes, mistakes = list[dict[str, Any]](), list[dict[str, Any]](), list[dict[str, Any]]()
    times, cost, habitual = 0, 0.0, dict[tuple[int, int], Floats]()
    for (player, kind), chosen in alike.items():
        decisions = sorted({(made.code, player) for made in chosen})
        wrong = [_mistake_json(solution, policy, one) | {"gift": one not in earned} for one in decisions]
        wrong = [one for one in wrong if one["times"]]
        made = {"times": sum(one["times"] for one in wrong), "cost": sum(one["share"] for one in wrong) * matches}
        times, cost = times + made["times"], cost + made["cost"]
        place = {"seat": player, "everywhere": len(alike) == 1}
        mix = None if isinstance(kind, int) else mixture(solution, chosen, player) | place | made
        told = [] if mix is None else mix["order"]["after"] if mix["order"] else [mix] if mix["uneven"] else []
        loss = sum(one["price"] * one["choices"] for one in told)
        if mix and loss > NO_LOSS:
            habits.append(mix | {"share": loss / matches})
            counts = np.sum([policy.counts[one] for one in decisions], axis=0)
            habitual |= dict.fromkeys(_decisions_of(solution, player, kind) or decisions, counts)
        else:
            mistakes += wrong
            mixes += [mix] if mix and not wrong else []
    mixes = sorted(mixes, key=lambda one: -one["choices"])[:MOST]
    if rounds := bool(habits) and is_of_rounds(solution):
        for one in habits:
            one["per_game"] = one["share"]
    measured = not any(one["order"] for one in habits) and solution.num_states <= MOST_COUNTED
    exact = _exploited(policy, habitual) if measured and habits and not rounds else None
    for one in (*habits, *mixes, *mistakes):
        one["state"] = state_json(game, int(one["code"]))
    worst = sorted([*habits, *mistakes], key=lambda one: ("gift" in one and one["times"] == 1, -one["share"]))
    return {
        "matches": matches,
        "decisions": policy.decisions,
        "habits": len(habits),
        "loses": sum(one["share"] for one in habits) if rounds or not habits else exact,
        "mistakes": times,
        "cost": cost,
        "weaknesses": worst,
        "mixes": mixes,
    }


def _decisions_of(solution: Solution, player: int, kind: Hashable) -> list[tuple[int, int]]:
    """Returns all decisions at which a player has the same choice; none if the game has too many states."""
    if solution.num_states > FEW:
        return []
    choosing = [code for code in reachable(solution.game).tolist() if player in solution.game.movers(code)]
    return [(code, player) for code in choosing if kind_of(solution, code, player) == kind]


def _exploited(policy: RecordedPolicy, counts: dict[tuple[int, int], Floats]) -> float | None:
    """Returns the exploitability of a player who chooses so often at these decisions, and perfectly at others."""
    habits = copy.copy(policy)
    habits.counts = counts
    try:
        return exploitability(policy.game, habits)
    except UNKNOWN:
        return None


def _mistake_json(solution: Solution, policy: RecordedPolicy, decision: tuple[int, int]) -> dict[str, Any]:
    """Returns what the wrong choices of a player at a state cost, and how many ``times`` there was one."""
    game, (code, seat), counts = solution.game, decision, policy.counts[decision]
    choice = choice_at(solution, code, seat)
    wrong = counts[list(choice.actions)] * (choice.regrets >= REAL)
    times, cost = int(wrong.sum()), float(wrong @ choice.regrets)
    if not times:
        return {"times": 0}
    plays, best = counts / counts.sum(), solution.strategies(np.array([code]))[seat][0]
    right = tuple(game.actions[one] for one in np.array(choice.actions)[choice.regrets <= NO_LOSS])
    state = Weakness(
        seat, code, game.spell(code), times / policy.matches, cost / times, cost / policy.matches,
        by_name(game, plays, code, seat), by_name(game, best, code, seat), punished_by="",
    )  # fmt: skip
    spot = Spot((state,), policy.decisions_at(decision), right)
    return spot.labelled(game).as_json(game) | {"code": str(code), "times": times}


def _weakness_json(game: Game, spot: Spot, measured: Measured) -> dict[str, Any]:
    code = spot.worst.code
    return spot.labelled(game).as_json(game) | {
        "code": str(code),
        "state": state_json(game, code),
        "happens": spot.happens(measured.total, measured.unit),
    }


def spots_json(solution: Solution) -> list[dict[str, Any]]:
    """Returns the states worth practising, and who chooses there; with hidden information what each mix costs."""
    solution = as_found(solution)
    return [
        {"code": str(code), "player": player} | _prices_json(solution, code, player)
        for code, player in worth_practising(solution)
    ]


def _prices_json(solution: Solution, code: int, player: int) -> dict[str, Any]:
    if not isinstance(solution, InformationSolution):
        return {}
    mixes = mixes_of(len(solution.game.legal_actions(code, player)))
    prices = solution.exploited(code, player, mixes / COUNTED)
    return {"prices": {",".join(map(str, mix)): price for mix, price in zip(mixes, prices.tolist(), strict=True)}}
