"""Where players lose, and states worth practising, as JSON."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from nashzoo.app.shared.weak_spots import Spot, explained, losing
from nashzoo.app.shared.weaknesses import MOST_MERGED, Measured, everywhere, sampled, spots_of
from nashzoo.app.web.states import state_json
from nashzoo.arena.recorded_policy import RecordedPolicy
from nashzoo.arena.review import NO_LOSS, REAL, kind_of, mixture
from nashzoo.baselines import Policy, Solution, Weakness
from nashzoo.baselines.choices import choice_at
from nashzoo.baselines.practice import worth_practising
from nashzoo.baselines.weak_states import by_name
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
    together = explained(spots, measured.total, measured.unit) if spots and seen_all else ""
    described = {"about": measured.about, "total": measured.total, "unit": measured.unit, "explained": together}
    return described | {"weaknesses": [_weakness_json(game, spot, measured) for spot in spots]}


def recorded_json(solution: Solution, policy: RecordedPolicy) -> dict[str, Any]:
    """Returns where a player of recorded matches lost by mistakes, and loses by habits, as their reviews tell.

    A habit is a mixture that is ``uneven``, see :func:`nashzoo.arena.review.mixtures`; ``mixes`` are the others. A
    mistake costs something against perfect play; it is a ``gift`` where the other player had always made one before. A
    ``share`` is in points per game, as often as the player came there.
    """
    game, matches = solution.game, policy.matches
    alike: dict[tuple[int, Hashable], list[tuple[int, int, int]]] = {}
    earned: set[tuple[int, int]] = set()  # decisions to which another one came without a mistake
    for number, (steps, seat) in enumerate(policy.played):
        flawless, rival = True, 1 - seat
        for step in steps:
            movers = game.movers(step.before)
            if seat in movers:
                code, player = policy.decision(step.before, seat)
                alike.setdefault((player, kind_of(solution, code, player) or code), []).append(
                    (code, step.actions[seat], number)
                )
                earned |= {(code, player)} if flawless else set()
            if flawless and rival in movers:
                flawless = choice_at(solution, step.before, rival).regret(step.actions[rival]) <= NO_LOSS
    found, mixes, losses = list[dict[str, Any]](), list[dict[str, Any]](), list[Weakness]()
    for (player, kind), chosen in alike.items():
        mix = None if isinstance(kind, int) else mixture(solution, chosen, player) | {"seat": player}
        if mix and mix["uneven"] and mix["price"] > NO_LOSS:
            found.append(mix | {"share": mix["price"] * len(chosen) / matches})
            continue
        wrong = [_mistake(solution, policy, code, player) for code in sorted({code for code, _, _ in chosen})]
        losses += (costly := [one for one in wrong if one.share])
        mixes += [mix] if mix and not costly else []
    loses = sum(one["share"] for one in found)
    for one in losses:
        decision, choice = (one.code, one.seat), choice_at(solution, one.code, one.seat)
        right = tuple(game.actions[action] for action in np.array(choice.actions)[choice.regrets <= NO_LOSS])
        spot = Spot((one,), policy.decisions_at(decision), right).labelled(game)
        found.append(spot.as_json(game) | {"code": str(one.code), "gift": decision not in earned})
    mixes = sorted(mixes, key=lambda one: -one["choices"])[:MOST]
    for one in (*found, *mixes):
        one["state"] = state_json(game, int(one["code"]))
    return {
        "matches": matches,
        "decisions": policy.decisions,
        "loses": loses,
        "mistakes": round(sum(one.reach for one in losses) * matches),
        "cost": float(sum(one.share for one in losses) * matches),
        "weaknesses": sorted(found, key=lambda one: -one["share"]),
        "mixes": mixes,
    }


def _mistake(solution: Solution, policy: RecordedPolicy, code: int, seat: int) -> Weakness:
    """Returns what the wrong choices of a player cost at a state."""
    game, choice, counts = solution.game, choice_at(solution, code, seat), policy.counts[code, seat]
    wrong = counts[list(choice.actions)] * (choice.regrets >= REAL)
    times, cost = float(wrong.sum()), float(wrong @ choice.regrets)
    best = solution.strategies(np.array([code]))[seat][0]
    return Weakness(
        seat, code, game.spell(code), times / policy.matches, cost / max(times, 1.0), cost / policy.matches,
        by_name(game, counts / counts.sum(), code, seat), by_name(game, best, code, seat), punished_by="",
    )  # fmt: skip


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
