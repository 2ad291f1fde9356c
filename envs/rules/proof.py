"""Checks of a game when it is made: its start, its first decisions, outcomes of chance, and the proof of symmetry.

The argument ``game`` is a :class:`nashzoo.envs.core.game.Game`.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.jit.compiled import Floats, Ints
from nashzoo.envs.rules.pieces import CHANCE, MAX_OUTCOMES, ROOM, SUM_TOLERANCE

SAME_PROBABILITY = 1e-12  # tolerance between the probabilities of a start and of its mirror image
MOST_ACTIONS = 62  # bits of the masks of legal actions
CHECKED_STARTS = 16  # starts that are checked when a game is made
CHECKED_CHANCE = 1000  # states before the first decision that are checked when a game is made


def check_actions(game: Any) -> None:
    """Raises a UsageError for two actions of the same name, for none, or for too many."""
    twice = sorted({name for name in game.actions if game.actions.count(name) > 1})
    if twice:
        raise UsageError(f"every action of {game.name} needs a name of its own; two are called {twice[0]}")
    if not 1 <= game.num_actions <= MOST_ACTIONS:
        raise UsageError(f"a game has from 1 to {MOST_ACTIONS} actions; {game.name} has {game.num_actions}")


def check_start(game: Any) -> None:
    """Checks the values that the rules return at the starts, before compiled code uses them.

    Raises:
        UsageError: one of them is invalid.
    """
    shapes = np.shape(game.start_codes), np.shape(game.start_probabilities)
    if shapes[0] != shapes[1] or len(shapes[0]) != 1 or not shapes[0][0]:
        raise UsageError(f"start of {game.name} must return codes [S] and probabilities [S], not {shapes}")
    chances = np.asarray(game.start_probabilities)
    if not (chances > 0.0).all() or abs(chances.sum() - 1.0) > SUM_TOLERANCE:
        raise UsageError(f"start of {game.name} must give probabilities above 0 that add up to 1, not {chances}")
    everything = (1 << game.num_actions) - 1
    for code in game.start_codes[:CHECKED_STARTS].tolist():
        if game.terminal(code):
            raise UsageError(f"{game.name} is over where it starts, at {game.spell(code)}")
    for code in first_decisions(game):
        for player in (0, 1):
            legal = game.rules.legal(game.params, code, player)
            if not 0 < legal <= everything or not (game.masked or legal == everything):
                least = "a bit" if game.masked else "every bit, as MASKED is False,"
                raise UsageError(
                    f"legal of {game.name} must have {least} of its {game.num_actions} actions and no other, "
                    f"not {legal:#b}, for player {player} at {game.spell(code)}"
                )


def first_decisions(game: Any) -> list[int]:
    """Returns the codes of some states of a first decision.

    Raises:
        UsageError: the game can end or pay a reward before the first decision, when environments have no step to
            return it; or the outcomes of chance are no distribution.
    """
    starts = game.start_codes[: CHECKED_CHANCE if game.has_chance else CHECKED_STARTS]
    return [code for code in _opening(game, starts) if game.turn(code) != CHANCE]


def _opening(game: Any, starts: Ints) -> Iterator[int]:
    """Yields starts, and some states to which chance leads before the first decision."""
    waiting, seen = starts.tolist(), set[int]()
    while waiting:
        code = waiting.pop(0)
        if code in seen:
            continue
        seen.add(code)
        if game.terminal(code):
            raise UsageError(f"chance can end {game.name} before anybody chooses, at {game.spell(code)}")
        if game.turn(code) == CHANCE and len(seen) <= CHECKED_CHANCE:
            outcomes = game.outcomes(code)[0].tolist()
            if any(game.payoff(outcome) != 0.0 for outcome in outcomes):
                raise UsageError(f"chance pays in {game.name} before anybody chooses, after {game.spell(code)}")
            waiting += outcomes
        yield code


def outcomes_of(game: Any, code: int) -> tuple[Ints, Floats]:
    """Returns the codes of the outcomes of a chance state ``[k]``, and their probabilities ``[k]``.

    Raises:
        UsageError: the rules have no ``chance``, or its outcomes are no distribution.
    """
    outcomes, probabilities = np.empty(ROOM, np.int64), np.zeros(ROOM)
    where = f"of {game.name} at {game.spell(code)}"
    if not game.has_chance:
        raise UsageError(f"it is the turn of chance {where}, but the rules have no function chance")
    try:
        count = game.rules.chance(game.params, code, outcomes, probabilities)
    except IndexError:
        count = ROOM
    if not 1 <= count <= MAX_OUTCOMES:
        number = f"more than {MAX_OUTCOMES}" if count > MAX_OUTCOMES else count
        raise UsageError(f"chance must give from 1 to {MAX_OUTCOMES} outcomes, not {number}, {where}")
    if (outcomes[:count] < 0).any():
        raise UsageError(f"chance leads to a field out of its range, {where}")
    chances = probabilities[:count]
    if not (np.isfinite(chances) & (chances > 0)).all():
        raise UsageError(f"probabilities of chance must be above 0, not {chances.tolist()}, {where}")
    if not abs(chances.sum() - 1) <= SUM_TOLERANCE:
        raise UsageError(f"the probabilities of chance must sum to 1, not to {chances.sum()}, {where}")
    return outcomes[:count].copy(), chances.copy()


def check_symmetry(game: Any) -> None:
    """Checks that swapping the players gives the same game: at the start, and one step on from the first of them.

    If chance decides at these, its outcomes are checked too, up to a number of states.

    Raises:
        ValueError: it does not.
    """
    if difference := _asymmetric_start(game) or _asymmetric_opening(game):
        raise ValueError(
            f"{game.name} has swap_players, but swapping the players does not give the same game: {difference}"
        )


def _asymmetric_start(game: Any) -> str:
    likely = dict(zip(game.start_codes.tolist(), game.start_probabilities, strict=True))
    for code, probability in likely.items():
        if abs(likely.get(game.rules.swap_players(game.params, code), 0.0) - probability) > SAME_PROBABILITY:
            return f"the start {game.spell(code)} has no mirror image among the starts that is as likely"
    return ""


def _asymmetric_opening(game: Any) -> str:
    for code in _opening(game, game.start_codes[:CHECKED_STARTS]):
        if difference := asymmetry(game, code, game.rules.swap_players(game.params, code)):
            return difference
    return ""


def asymmetry(game: Any, code: int, other: int) -> str:
    """Returns the difference of a state and its mirror image after one step, in words; empty if there is none."""
    swap_players = game.rules.swap_players
    if swap_players(game.params, other) != code:
        return f"the mirror image of the mirror image of {game.spell(code)} is another state"
    if CHANCE in (game.turn(code), game.turn(other)):
        return _asymmetric_chance(game, code, other)
    actions0, actions1 = (game.legal_actions(code, player) for player in range(2))
    if (actions1, actions0) != tuple(game.legal_actions(other, player) for player in range(2)):
        return f"the legal actions at {game.spell(code)} are not swapped"
    for action0 in actions0:
        for action1 in actions1:
            after = game.rules.step(game.params, code, action0, action1)
            after_other = game.rules.step(game.params, other, action1, action0)
            if swap_players(game.params, after) != after_other or game.terminal(after) != game.terminal(after_other):
                return f"actions {action0} and {action1} at {game.spell(code)} lead elsewhere in the mirror"
            if _pays_otherwise(game, after, after_other):
                return f"actions {action0} and {action1} at {game.spell(code)} pay other points in the mirror"
            by_chance = not game.terminal(after) and CHANCE in (game.turn(after), game.turn(after_other))
            if by_chance and (difference := _asymmetric_chance(game, after, after_other)):
                return difference
    return ""


def _asymmetric_chance(game: Any, code: int, other: int) -> str:
    """Returns the difference of two chance states from mirror images, in words; empty if there is none."""
    if game.turn(code) != game.turn(other):
        return f"chance decides at {game.spell(code)} but not in the mirror"
    likely, likely_other = _distribution(game, code), _distribution(game, other)
    for after, probability in likely.items():
        mirrored = game.rules.swap_players(game.params, after)
        same = game.terminal(after) == game.terminal(mirrored)
        if not same or abs(likely_other.get(mirrored, 0.0) - probability) > SAME_PROBABILITY:
            return f"what may follow by chance on {game.spell(code)} is not as likely in the mirror"
        if _pays_otherwise(game, after, mirrored):
            return f"chance at {game.spell(code)} pays other points in the mirror"
    return ""


def broken_symmetry(game: Any, code: int) -> str:
    """Returns why the images of a state are not the same up to the names of actions, in words; empty if they are."""
    images, where, rules, by_chance = game.images(code), game.spell(code), game.rules, game.turn(code) == CHANCE
    among = {image for image, _ in images}
    if code not in among or any({other for other, _ in game.images(image)} != among for image in among):
        return f"the images of the images of {where} are other states, or it is not one of its own"
    if any(sorted(renamed) != [*range(game.num_actions)] for _, renamed in images):
        return f"the new numbers of the actions at {where} are no permutation"
    movers = game.movers(code)
    joint = [] if by_chance else [*product(*(game.legal_actions(code, player) for player in range(2)))]
    likely = _distribution(game, code) if by_chance else {}
    followed = [*likely] or [rules.step(game.params, code, *actions) for actions in joint]
    seen = [game.information_state(code, player) for player in range(2)]
    images_of = {one: game.images(one) for one in (*followed, *seen)}
    if any(len(moved) != len(images) for moved in images_of.values()):
        return f"there are other symmetries at {where} than at the states that follow"
    for number, (image, renamed) in enumerate(images):
        moved = {one: at[number][0] for one, at in images_of.items()}
        if game.turn(image) != game.turn(code):
            return f"it is another's turn at {game.spell(image)}, an image of {where}"
        new = [tuple(renamed[a] if p in movers else a for p, a in enumerate(one)) for one in joint]
        if joint and {*new} != {*product(*(game.legal_actions(image, player) for player in range(2)))}:
            return f"the legal actions at {where} are not those at {game.spell(image)}"
        likely_there = _distribution(game, image) if by_chance else {}
        if {moved[one] for one in likely} != likely_there.keys() or any(
            abs(likely_there[moved[one]] - probability) > SAME_PROBABILITY for one, probability in likely.items()
        ):
            return f"what may follow by chance on {where} is not as likely at {game.spell(image)}"
        arrived = [moved[one] for one in likely] or [rules.step(game.params, image, *actions) for actions in new]
        for after, other in zip(followed, arrived, strict=True):
            if moved[after] != other or game.terminal(after) != game.terminal(other):
                return f"the same choices lead from {where} and {game.spell(image)} to states that are not the same"
            if game.payoff(after) != game.payoff(other):
                return f"the same choices pay other points at {where} and {game.spell(image)}"
        for player in range(2):
            if moved[seen[player]] != game.information_state(image, player):
                return f"player {player} does not see the same at {where} and {game.spell(image)}"
    return ""


def _pays_otherwise(game: Any, code: int, other: int) -> bool:
    """Returns whether two states do not pay opposite points; infinite ones are refused elsewhere."""
    return bool(0 < abs(game.payoff(code) + game.payoff(other)) < np.inf)


def _distribution(game: Any, code: int) -> dict[int, float]:
    """Returns the outcomes of a chance state, by code, with their probabilities."""
    likely: dict[int, float] = {}
    for after, probability in zip(*game.outcomes(code), strict=True):
        likely[int(after)] = likely.get(int(after), 0.0) + float(probability)
    return likely
