"""Gambit's lists of probabilities, which its programs print: ``NE``, and a number for each action.

They are in the order of players, of information sets in the tree, and of actions. Sets to which play does not lead may
have zeros alone.

Source: "Command-line tools" in Gambit's documentation.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import counted
from nashzoo.envs.imported.exact_numbers import SHOWN, SIMPLE, number_in, simple_fraction
from nashzoo.envs.jit.compiled import Floats

MARK = "NE"  # the first field
PRINTED = "a number for each, as Gambit prints it without -S"
SAME = 1e-9  # difference of probabilities


class InformationSet(NamedTuple):
    """An information set of a tree."""

    player: int  # who chooses
    number: int  # its number, in order of appearance
    actions: tuple[int, ...]  # numbers in the game, in their order in the tree; -1 for one that is never played
    codes: tuple[int, ...]  # its information states, several if the player forgets; none if chance never leads there


def read_profile(line: list[str], rules: Any, num_actions: int) -> list[tuple[tuple[int, str], list[float]]]:
    """Returns the rows of a list of probabilities, ``[actions]``, by player and code.

    Raises:
        UsageError: the game has no such order, or the list is none of its.
    """
    sets, fields = _sets(rules), [field.strip() for field in line[1:]]
    if len(fields) != (wanted := sum(len(each.actions) for each in sets)):
        raise UsageError(
            f"after {MARK} there are {counted(len(fields), 'field')}, and the {counted(len(sets), 'information set')} "
            f"of the game have {counted(wanted, 'action')}: {PRINTED}"
        )
    numbers = [number_in(field, "probabilities") for field in fields]
    if None in numbers:
        wrong = fields[place := numbers.index(None)][:SHOWN]
        raise UsageError(f"field {place + 1} after {MARK} is {wrong!r}, and must be a probability: {PRINTED}")
    rows, left = [], [float(number) for number in numbers if number is not None]
    for each in sets:
        chances, left = left[: len(each.actions)], left[len(each.actions) :]
        row = [0.0] * num_actions
        for action, chance in zip(each.actions, chances, strict=True):
            row[action] = chance
        rows += [((each.player, str(code)), row) for code in each.codes if any(chances)]
    return rows


def profile(rules: Any, row_at: Callable[[int, int], Floats], reach: Callable[[int], Mapping[int, float]]) -> str:
    """Returns the list of a policy.

    Where a player forgets its past, its row is that of the past to which its own choices lead most.

    Args:
        rules: The game's.
        row_at: Returns probabilities ``[actions]`` by player and code.
        reach: Returns the probability of a player's own choices up to each of its codes.

    Raises:
        UsageError: the game has no such order, or the policy tells apart what an information set does not.
    """
    fields = [MARK]
    for each in _sets(rules):
        codes = each.codes
        if len(codes) > 1:
            own = reach(each.player)
            first, *others = sorted(codes, key=own.__getitem__, reverse=True)
            codes = first, *(code for code in others if own[code] > SAME)
        rows = [row_at(each.player, code) for code in codes]
        if any((abs(row - rows[0]) > SAME).any() for row in rows):
            raise UsageError(f"player {each.player} does not forget what it should at information set {each.number}")
        chances = [float(rows[0][action]) if rows else 1.0 / len(each.actions) for action in each.actions]
        fields += [str(near) if (near := simple_fraction(one)).denominator <= SIMPLE else repr(one) for one in chances]
    return ",".join(fields) + "\n"


def _sets(rules: Any) -> list[InformationSet]:
    sets: list[InformationSet] | None = getattr(rules, "sets", None)
    if sets == []:
        raise UsageError("nobody chooses in this game: it has no list of Gambit, and every player plays it alike")
    if sets is None:
        raise UsageError("lists of Gambit are of games in its files, .efg and .gbt: export the game as efg first")
    return sets
