"""A match reviewed by the exact solution: the regret of each action, how a player mixes, and one sentence on it."""

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nashzoo.agents.basic.nash import NashAgent
from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines.choices import Choice, choice_at
from nashzoo.baselines.evaluation import evaluate, outcomes
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.measures import best_or_none
from nashzoo.baselines.practice import PLAYED
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import either, of_hundred, points
from nashzoo.envs.core.game import BOTH, Floats, Game

FEWEST = 5  # choices from which on a mixture is measured
ALONE = 12  # choices of a match from which on earlier matches do not count
RARE = 0.02  # chance of a perfect player for a mix that is as uneven, below which it is told as a habit
FINE = 100  # to which part of 1 the distance of a mix is rounded
MOST_COUNTED = 20_000  # states of a game in which whole policies are measured
NO_LOSS = 5e-5  # points: a smaller regret is printed as 0
REAL = 0.01  # points: a smaller regret is no real mistake
MOST_NAMED = 4  # better actions
SAME = 9  # digits to which matrix games must agree
KEPT = 12  # digits after the point of exact figures: those behind are rounding
KNOWN = "An opponent who knew your mix would {plays}win {loss} more per {unit} than from perfect play."
BY_CHANCE = "A perfect player is this uneven in {times_in_100} of 100 cases: no habit seen."
SENTENCES = {  # the pages without a server fill them in too, see offline.js
    "worst": "{whose} worst move: {action} in move {step}. Against perfect play it costs {loss}{average}.",
    "read": "{times} of {choices} choices{where} were {action}: easy to read. " + KNOWN,
    "never": "{times} of {choices} choices{where} were {action}, which is never right here. " + KNOWN,
    "order": "After {whose} {after} you played {action} {times} of {choices} times: easy to read. An opponent who "
    "knew it would play {answer} and win {loss} more each time than from perfect play.",
    "near": "You {result}. Your mix is as close to perfect as {choices} choices{where} can be.",
    "even": "You {result}. Your mix is a little uneven. " + BY_CHANCE,
    "right": "No {real}mistake against perfect play, and you {result}.",
    "both": "Neither player made a {real}mistake.",
    "happens": " On average perfect play{seat} {wins} {points} a game against this opponent{too}.",
    "best": " A player who knows this opponent can win {points}.",
    "even_so": " {reason}, so right choices can lose.",
}
AVERAGE = " on average"  # where chance or the other's choice matters
REASONS = ("Both choose at once", "Something is hidden", "Chance decides, too")  # of which the first that holds is told
MORE = ", but wins more when it wins"
SEATS = (" going first", " going second")
WHOSE = ("the opponent's", "your own")
RESULTS = (("drew", "draws", "draw"), ("won", "wins", "win"), ("lost", "loses", "loss"))  # by the sign of the points


class Made(NamedTuple):
    """A choice: the state as from the player's seat, what the player and the other chose, the match and its step."""

    code: int
    action: int
    reply: int | None
    match: int
    step: int


def review(trajectory: Trajectory, solution: Solution, labelled: bool = False) -> dict[str, Any]:
    """Returns the regret of each action of a match against perfect play, and the values of its states, in points.

    Actions have their names for people if ``labelled``.

    What a move ``brings`` is what the player wins from there against perfect play, and without further mistakes.

    A move ``mixes`` where the equilibrium plays several actions at random, so that the regret of one says little; its
    ``probability`` is the equilibrium's. For one that costs something, ``better`` are the actions that cost nothing.

    With hidden information regrets are those of information states, None where the other player's strategy never leads,
    and states have no values. See :class:`nashzoo.baselines.choices.Choice`.
    """
    game = trajectory.game
    moves: list[dict[str, Any]] = []
    for number, step in enumerate(trajectory.steps):
        names = [game.action_label(step.before, one) for one in range(len(game.actions))] if labelled else game.actions
        for player in game.movers(step.before):
            action = step.actions[player]
            choice = choice_at(solution, step.before, player)
            regret = choice.regret(action)
            loss = None if math.isnan(regret) else regret
            better = choice.regrets <= NO_LOSS if regret > NO_LOSS else np.zeros(len(choice.actions), bool)
            brings = None if loss is None else choice.value - regret
            move = {"step": number + 1, "player": player, "action": names[action], "loss": loss, "brings": brings}
            move["better"] = [names[one] for one, good in zip(choice.actions, better, strict=True) if good]
            share = float(choice.probabilities[choice.actions.index(action)])
            moves.append(move | {"mixes": _mixes(solution, choice, step.before), "probability": share})
    totals = [sum(move["loss"] or 0.0 for move in moves if move["player"] == player) for player in (0, 1)]
    if not solution.has_values:
        return {"moves": moves, "totals": totals}
    values = [0.0 if game.terminal(code) else solution.value(code) for code in trajectory.codes]
    rewards = list(itertools.accumulate((step.reward for step in trajectory.steps), initial=0.0))
    sums = [reward + value for reward, value in zip(rewards, values, strict=True)]
    return {"moves": moves, "totals": totals, "values": values, "expected": sums}


def _mixes(solution: Solution, choice: Choice, code: int) -> bool:
    # Where one player moves and sees all, any action of the equilibrium is as good.
    open_alone = solution.has_values and solution.game.turn(code) != BOTH
    return not open_alone and bool((choice.probabilities > PLAYED).sum() > 1)


def mixtures(played: Sequence[Trajectory], solution: Solution, player: int) -> list[dict[str, Any]]:
    """Returns how often a player chose each action where the equilibrium mixes; that of the latest choice first.

    The choices of the last match count alone where they are at least twelve; else those of all, and of how many
    ``games`` they are is told.

    States with the same matrix game, but for a constant, count as one: what is right in one is right in all. Each
    mixture of at least five choices has its ``price``: what an opponent that knows it wins there more than against
    perfect play, points, exact for this mixture, by its ``answer``; with hidden information for a game in which the
    rest is perfect play, without an answer. Its ``chance`` is how often the mix of a perfect player is at least as far
    from the equilibrium's, by Pearson's sum of squares; below 0.02 it is ``uneven``. If it is not, its ``order`` may
    be, see :func:`mixture`. It was ``everywhere`` if the player never had another choice.
    """
    game, kinds = solution.game, dict[int, Hashable]()
    chosen: dict[Hashable, list[Made]] = {}
    steps = ((number, k, step) for number, match in enumerate(played) for k, step in enumerate(match.steps))
    for number, k, step in steps:
        if player in game.movers(step.before):
            seen = game.information_state(step.before, player)
            if seen not in kinds:
                kinds[seen] = kind_of(solution, step.before, player)
            if kinds[seen] is not None:
                made = Made(step.before, step.actions[player], step.actions[1 - player], number, k)
                chosen[kinds[seen]] = [*chosen.pop(kinds[seen], []), made]  # the latest last
    latest = [[one for one in each if one.match == len(played) - 1] for each in chosen.values()]
    counting = [own if len(own) >= ALONE else each for own, each in zip(latest, chosen.values(), strict=True)]
    everywhere = {"everywhere": len({*kinds.values()}) == 1}
    return [mixture(solution, each, player) | everywhere for each in reversed(counting) if len(each) >= FEWEST]


def kind_of(solution: Solution, code: int, player: int) -> Hashable:
    """Returns the same for all states at which a player has the same choice; None where nothing is mixed."""
    if not _mixes(solution, choice_at(solution, code, player), code):
        return None
    if not solution.has_values:
        return solution.game.information_state(code, player)
    stage = stage_game(solution, code)
    return stage.actions, (np.round(stage.payoffs - stage.value, SAME) + 0.0).tobytes()


def mixture(solution: Solution, chosen: Sequence[Made], player: int) -> dict[str, Any]:
    """Returns one of :func:`mixtures` from choices at states of one kind, in their order; few are not uneven.

    Its ``order`` is what the player chose in the step after an action, its ``own`` or the other's, ``after`` which the
    choices are uneven; None if the mix is, or if a perfect player's choices would be as uneven in 1 of 50 cases.
    """
    game, code = solution.game, chosen[-1].code
    mix = _mix(solution, [one.action for one in chosen], code, player)
    uneven = len(chosen) >= FEWEST and mix["chance"] < RARE
    return mix | {
        "code": str(game.information_state(code, player)),
        "states": len({game.information_state(one.code, player) for one in chosen}),
        "games": len({one.match for one in chosen}),
        "unit": "choice" if solution.has_values else "game",
        "uneven": uneven,
        "order": None if uneven or not solution.has_values else _order(solution, chosen, player),
    }


def _mix(solution: Solution, chosen: Sequence[int], code: int, player: int) -> dict[str, Any]:
    choice = choice_at(solution, code, player)
    times = np.array([chosen.count(one) for one in choice.actions])
    price, answer = _price(solution, code, player, times / len(chosen))
    rows = zip(choice.actions, times.tolist(), choice.probabilities.tolist(), strict=True)
    return {
        "choices": len(chosen),
        "actions": [
            {
                "name": solution.game.action_label(code, action),
                "times": chosen_so,
                "plays": chosen_so / len(chosen),
                "probability": share,
            }
            for action, chosen_so, share in rows
        ],
        "price": price,
        "answer": answer,
        "chance": _chance(times.tolist(), choice.probabilities.tolist()),
    }


def _order(solution: Solution, chosen: Sequence[Made], player: int) -> dict[str, Any] | None:
    code, found = chosen[-1].code, []
    for own in (True, False):
        then: dict[Any, list[int]] = {}
        for before, one in itertools.pairwise(chosen):
            if (before.match, before.step + 1) == (one.match, one.step):
                then.setdefault(before.action if own else before.reply, []).append(one.action)
        mixes = {first: _mix(solution, each, code, player) for first, each in then.items()}
        # Fisher (1925): the chance that so many independent chances have a product as small.
        product = math.prod(mix["chance"] for mix in mixes.values())
        terms = ((-math.log(product)) ** k / math.factorial(k) for k in range(max(1, len(mixes)))) if product else ()
        rows = [
            {"after": solution.game.action_label(code, first)} | mix
            for first, mix in mixes.items()
            if mix["chance"] < RARE and mix["choices"] >= FEWEST
        ]
        found.append({"own": own, "chance": 2 * product * sum(terms), "after": rows})
    surest = min(found, key=lambda one: one["chance"])  # of two, for which the chance is doubled
    return surest if surest["after"] and surest["chance"] < RARE else None


def _chance(times: Sequence[int], shares: Sequence[float]) -> float:
    """Returns how often choices with these probabilities are at least as far from them as ``times`` are.

    Exact, but that the distance from each probability is rounded. It is 1 if no choices are nearer.
    """
    if any(count and not share for count, share in zip(times, shares, strict=True)):
        return 0.0
    number, usual = sum(times), [sum(times) * share for share in shares if share]
    logs = [0.0, *itertools.accumulate(math.log(count) for count in range(1, number + 1))]  # of factorials

    def far(count: int, mean: float) -> int:
        return int(FINE * (count - mean) ** 2 / mean + 0.5)

    def poisson(count: int, mean: float) -> float:  # with a given sum, such numbers are those of choices
        return math.exp(count * math.log(mean) - mean - logs[count])

    most = sum(far(count, number * share) for count, share in zip(times, shares, strict=True) if share)
    nearer = {(0, 0): 1.0}  # by the number of choices so far and their distance
    for place, mean in enumerate(usual):
        before, nearer = nearer, {}
        for (made, distance), weight in before.items():
            for count in range(number - made if place == len(usual) - 1 else 0, number - made + 1):
                reached = made + count, distance + far(count, mean)
                if reached[1] < most:
                    nearer[reached] = nearer.get(reached, 0.0) + weight * poisson(count, mean)
                elif count > mean:
                    break
    return max(0.0, 1.0 - sum(nearer.values()) / poisson(number, number))


def _price(solution: Solution, code: int, player: int, shares: Floats) -> tuple[float, str | None]:
    if solution.has_values:
        price, answer = stage_game(solution, code).exploited(player, shares)
        return price, solution.game.action_label(code, answer)
    assert isinstance(solution, InformationSolution)
    return float(solution.exploited(solution.game.information_state(code, player), player, shares[None])[0]), None


def chances(game: Game, players: Sequence[Any], person: int, solution: Solution) -> dict[str, Any] | None:
    """Returns how often perfect play wins, draws and loses in the place of a person, and its mean points per game.

    The ``best`` are the most points that a player wins there who knows the other, None where they cannot be computed.
    None if the other player is no policy, or the game is large or pays before its end.
    """
    if solution.num_states > MOST_COUNTED:
        return None
    one, other = (NashAgent(game, solution=solution) if seat == person else one for seat, one in enumerate(players))
    found: dict[str, Any] | None = between(game, one, other)
    if found is None:
        return None
    best = best_or_none(game, players[1 - person], (person,))
    found |= {"best": None if best is None else round(game.points(best), KEPT) + 0.0}
    if not person:
        return found
    return found | {"win": found["loss"], "loss": found["win"], "points": 2 * game.points(0.0) - found["points"]}


def between(game: Game, one: Any, other: Any) -> dict[str, float] | None:
    """Returns how often player 0 of two policies wins, draws and loses, and its mean points per game.

    None if one is no policy, or the game pays before its end.
    """
    try:
        win, draw, loss = outcomes(game, one, other)
    except UsageError:
        return None
    found = {"win": win, "draw": draw, "loss": loss, "points": game.points(evaluate(game, one, other))}
    return {name: round(figure, KEPT) + 0.0 for name, figure in found.items()}


def worst_of(reviewed: Mapping[str, Any], you: int | None) -> Mapping[str, Any] | None:
    """Returns the first of the moves that cost most, of the person in a seat or of both; None if none is a mistake."""
    moves = [move for move in reviewed["moves"] if you in (None, move["player"]) and (move["loss"] or 0.0) >= REAL]
    most = max((move["loss"] for move in moves), default=0.0)
    return next((move for move in moves if move["loss"] > most - NO_LOSS), None)


def lesson(
    trajectory: Trajectory, solution: Solution, won: float, you: int | None, players: Sequence[Any] = (),
    earlier: Sequence[Trajectory] = (), before: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """Returns the review of a match for people, see :func:`review`, with the step of the ``worst`` move and a headline.

    What would have been ``better`` is a sentence of its own, empty without a mistake.

    Args:
        trajectory: The match.
        solution: The solution of its game.
        won: Player 0's points.
        you: The seat of the person who is told, of whom it has ``mixtures``; None for two people.
        players: Both players, for the ``chances`` of perfect play in the place of the person; none to leave them out.
        earlier: Earlier matches of the person in this seat, which count for how the person mixes.
        before: Moves that were made before the match, which continues another one.
    """
    told = review(trajectory, solution, labelled=True)
    worst = worst_of(told, you)
    told["worst"] = worst["step"] if worst else None
    told["chances"] = chances(trajectory.game, players, you, solution) if players and you is not None else None
    told["mixtures"] = [] if you is None else mixtures([*earlier, trajectory], solution, you)
    better = f"Better: {either(worst['better'], most=MOST_NAMED)}." if worst else ""
    return told | {"headline": headline(trajectory.game, told, you, won, before), "better": better}


def too_often(mix: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the ``action`` that a mix has most too often, how many ``times``, and its perfect ``probability``."""
    most = max(mix["actions"], key=lambda one: one["times"] - mix["choices"] * one["probability"])
    return {"action": most["name"], "times": most["times"], "probability": most["probability"]}


def headline(game: Game, reviewed: Mapping[str, Any], you: int | None, won: float, before: int = 0) -> str:
    """Returns what a review says, in a sentence or two, see :func:`lesson`."""
    worst = worst_of(reviewed, you)
    holds = not game.turn_based, game.hides, game.has_chance
    reason = next(itertools.compress(REASONS, holds), "")
    if worst is not None:
        words = {"whose": "The" if you is None else "Your", "action": worst["action"], "step": worst["step"] + before}
        return SENTENCES["worst"].format(**words, loss=points(worst["loss"]), average=AVERAGE if reason else "")
    past, present, key = RESULTS[int(np.sign(-won if you else won))]
    order = next((one["order"] for one in reviewed["mixtures"] if one["order"]), None)
    if order:
        row = max(order["after"], key=lambda one: one["price"] * one["choices"])
        words = {"whose": WHOSE[order["own"]], "loss": points(row["price"])}
        return SENTENCES["order"].format(**row, **words, **too_often(row))
    priced = [one for one in reviewed["mixtures"] if one["price"] > NO_LOSS]
    if priced:
        read = max(priced, key=lambda one: (one["uneven"], one["price"]))
        words = too_often(read) | {"loss": points(read["price"]), "result": past}
        words["where"] = f" in {read['games']} games" if read["games"] > 1 else ""
        never = read["uneven"] and not words["probability"]
        words["plays"] = f"play {read['answer']} and " if read["answer"] and not never else ""
        name = "never" if never else "read" if read["uneven"] else "even" if read["chance"] < 1.0 else "near"
        return SENTENCES[name].format(**read, **words, times_in_100=min(99, round(100 * read["chance"])))
    cost = any((move["loss"] or 0.0) > NO_LOSS for move in reviewed["moves"] if you in (None, move["player"]))
    real = "real " if cost else ""
    if you is None:
        return SENTENCES["both"].format(real=real)
    chances = reviewed["chances"] or {}
    happens = ""
    if share := chances.get(key, 0.0):
        words = {"wins": "loses" if chances["points"] < -NO_LOSS else "wins", "points": points(abs(chances["points"]))}
        words["too"] = "" if key == "win" else f"; it {present} {of_hundred(share)} games"
        if key == "loss" and words["wins"] == "wins" and share > chances["win"]:
            words["too"] += MORE
        order = SEATS[you not in game.movers(game.first_decision)] if game.turn_based else ""
        words["seat"] = order or " in your seat" * (not game.symmetric)
        happens = SENTENCES["happens"].format(**words)
        if (chances["best"] or 0.0) > max(chances["points"], 0.0) + NO_LOSS:
            happens += SENTENCES["best"].format(points=points(chances["best"]))
    elif key == "loss" and reason:
        happens = SENTENCES["even_so"].format(reason=reason)
    return SENTENCES["right"].format(real=real, result=past) + happens
