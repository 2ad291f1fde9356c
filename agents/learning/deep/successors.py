"""The successors of states given by their codes, and their values.

States are not listed beforehand. In a symmetric game a state and its mirror image share the value of one of them, the
*representative*: the one with the smaller code. Where chance decides, the value is the expectation over the outcomes,
down to the states at which a player moves: only these have given values. Chance takes no time, so that nothing is
discounted there.
"""

from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.solvers.backup import expectation
from nashzoo.baselines.states.space import CHANCES, FOLLOWING, REWARDS, Successors
from nashzoo.envs.core.code_index import Numbering, Numbers
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.kernels import MOST_IN_A_ROW, ChanceError
from nashzoo.envs.core.reachable import by_chance, expand
from nashzoo.envs.jit.compiled import Floats, Ints, compiled
from nashzoo.envs.jit.numba import float64, int64, void
from nashzoo.envs.rules.compiled_game import GAME

CONVERGED = 2.0**-40  # change of the values of chance states that can recur, where the largest value is 1


@compiled(void(GAME, int64[::1], float64[::1]))
def _represent(game: Any, codes: Ints, signs: Floats) -> None:
    """Replaces codes by those of their representatives; negative marks stay."""
    swap_players, params = game.swap_players, game.params
    for i in range(len(codes)):
        if codes[i] >= 0:
            other = swap_players(params, codes[i])
            if other < codes[i]:
                codes[i], signs[i] = other, -1.0
            elif other == codes[i]:
                signs[i] = 0.0


def represented(game: Game, codes: Ints) -> tuple[Ints, Floats]:
    """Returns the codes ``[n]`` of the representatives of states ``[n]``, and the signs of the states' values ``[n]``.

    The sign is -1 if the state is the mirror image of its representative, and 0 if it is its own mirror image: its
    value is 0. In a game that is not symmetric every state is its own representative.
    """
    representatives, signs = codes.copy(), np.ones(len(codes))
    if game.symmetric:
        _represent(game.compiled, representatives, signs)
    return representatives, signs


def as_played(strategies: tuple[Floats, Floats], signs: Floats) -> tuple[Floats, Floats]:
    """Returns the players' strategies at states from those at their representatives ``[n, actions]``.

    ``signs`` ``[n]`` are those of :func:`represented`.
    """
    swapped = (signs < 0.0)[:, None]
    own, other = strategies
    return np.where(swapped, other, own), np.where(swapped, own, other)


class ChanceStates(NamedTuple):
    """Chance states among representatives."""

    codes: Ints  # [c]
    rows: Ints  # [c], their places among the representatives
    successors: Successors  # [c]


class Followed(NamedTuple):
    """The successors of ``B`` states.

    All states among and below them up to the next move of a player have ``m`` representatives. The ``k``-th has the
    number ``2 k``, and its mirror image ``2 k + 1``.
    """

    successors: Successors  # of the states [B]
    codes: Ints  # of the representatives at which a player moves [n], each once
    decisions: Ints | None  # [n], their places among all representatives; None in games without chance
    chance: tuple[ChanceStates, ...]  # later ones follow on earlier ones


def followed(game: Game, codes: Ints) -> Followed:
    """Returns the successors of states ``[B]``, which are not terminal, and at which a player moves.

    Raises:
        UsageError: the outcomes of chance at a successor are no distribution.
    """
    legal0, legal1, after, rewards, _ = expand(game, codes)
    numbering = Numbering()
    successors = Successors(legal0, legal1, _number(game, numbering, after), rewards)
    if not game.has_chance:
        return Followed(successors, numbering.codes, None, ())
    decisions, chance = _below(game, numbering)
    return Followed(successors, numbering.codes[decisions], decisions, chance)


def first_decisions(game: Game) -> Ints:
    """Returns the representatives of the states ``[n]`` at which a player moves first, each once."""
    numbering = Numbering()
    _number(game, numbering, game.start_codes)
    decisions, _ = _below(game, numbering)
    return numbering.codes[decisions]


def _number(game: Game, numbering: Numbering, codes: Ints) -> Numbers:
    """Returns the numbers of states ``[...]``, see :class:`Followed`; leaves marks, which are negative."""
    representatives, signs = represented(game, codes.reshape(-1))
    numbers = numbering.number(representatives)
    numbers = np.where(numbers >= 0, 2 * numbers + (signs < 0.0), numbers).astype(np.int32)
    return numbers.reshape(codes.shape)


def _below(game: Game, numbering: Numbering) -> tuple[Ints, tuple[ChanceStates, ...]]:
    """Returns the places of the numbered states at which a player moves, and the chance states.

    What chance leads to is numbered as well.
    """
    decisions, chance, known = [], [], 0
    while known < len(numbering):
        events = by_chance(game, numbering.codes[known:])
        decisions.append(known + np.flatnonzero(~events))
        rows = known + np.flatnonzero(events)
        known = len(numbering)
        if len(rows) > 0:
            codes = numbering.codes[rows]
            legal0, legal1, after, rewards, chances = expand(game, codes)
            successors = Successors(legal0, legal1, _number(game, numbering, after), rewards, chances)
            chance.append(ChanceStates(codes, rows, successors))
    return np.concatenate(decisions) if decisions else np.empty(0, np.int64), tuple(chance)


def numbered(game: Game, after: Followed, values: Floats) -> Floats:
    """Returns the values ``[2 m]`` by number, from those of ``after.codes`` ``[n]``, to player 0.

    Raises:
        UsageError: the values of chance states do not converge, as chance goes on without end.
    """
    if after.decisions is None:
        return np.stack([values, -values], axis=1).reshape(-1)
    by_number = np.zeros(2 * (len(values) + sum(len(part.rows) for part in after.chance)))
    by_number[2 * after.decisions], by_number[2 * after.decisions + 1] = values, -values
    for _ in range(MOST_IN_A_ROW):
        change = 0.0
        for _, rows, successors in reversed(after.chance):
            _, _, following, rewards, chances = successors
            change = max(change, _take_expectations(rows, following, rewards, chances, by_number))
        if change <= CONVERGED * np.abs(by_number).max(initial=0.0):
            return by_number
    raise game.chance_error(ChanceError(int(after.chance[0].codes[0])))


@compiled(float64(int64[::1], FOLLOWING, REWARDS, CHANCES, float64[::1]))
def _take_expectations(rows: Ints, following: Numbers, rewards: Floats, chances: Floats, values: Floats) -> float:
    """Writes the values of chance states ``[c]`` into the values by number; returns the largest change."""
    change = 0.0
    for k in range(len(rows)):
        place, value = 2 * rows[k], expectation(following, rewards, chances, values, k)
        change = max(change, abs(value - values[place]))
        values[place], values[place + 1] = value, -value
    return change
