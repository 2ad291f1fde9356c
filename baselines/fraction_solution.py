"""Games without recurring states in fractions: solved and measured where double precision proves too little.

Payoffs such as ``1e15`` and ``-(1e15 - 1)`` can have a value below 1, and then every rounded sum is off by as much.
Here rewards and probabilities are the fractions that they are in double precision, and nothing is rounded. What follows
on an action comes from the rules of the game alone, and both strategies prove the value of each matrix game.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from operator import mul, sub

import numpy as np

from nashzoo.baselines.certificate.bounds import Estimate
from nashzoo.baselines.certificate.checker import CertificateError, Progress
from nashzoo.baselines.certificate.steps import OVER, steps
from nashzoo.baselines.policies.tabular import Rows
from nashzoo.baselines.solution import ListedSolution
from nashzoo.baselines.solvers.matrix import ExactMatrix, solve_exactly
from nashzoo.baselines.states.space import Numbered, StoredStates
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.core.game import Floats

COARSE = 1e4  # points, beyond which rounding may be what leaves a figure unproven
MOST_ENTRIES = 4_000  # of all matrix games; so many in one take a minute
MOST_BITS = 20_000  # of a value's denominator; each stage can have four times as many as the one after it

Mixes = list[dict[int, Fraction]]  # of a player at each state
Tables = tuple[Rows | None, Rows | None]  # probabilities of player 0 and of player 1 [n, actions]; None for the best


class _TooManyBitsError(Exception):
    """The fractions grow too large."""


class FractionSolution(ListedSolution):
    """A solution whose values are known as fractions; its strategies are rounded, and the certificate says how well.

    Attributes:
        exact_values: The value of each state to player 0 ``[n]``, points.
        exact_policies: For each player and state the probabilities of its legal actions, by action.
    """

    def __init__(self, states: StoredStates) -> None:
        self.game, self.states, self.distances = states.game, states, None
        self.exact_values, self.exact_policies = _backed_up(states, (None, None))
        self.policies = self._rounded(0), self._rounded(1)
        self._values = np.array(list(map(float, self.exact_values)))
        self.certificate = self.verify()

    def _rounded(self, player: int) -> Floats:
        table = np.zeros((len(self.states), self.game.num_actions))
        for row, mix in zip(table, self.exact_policies[player], strict=True):
            row[[*mix]] = list(map(float, mix.values()))
        return table

    @property
    def exact_value(self) -> Fraction:
        """The value of the game to player 0 from its start, points, without rounding."""
        return _from_start(self.states, self.exact_values)

    @cached_property
    def start_estimate(self) -> Estimate:
        """The value of the game to player 0, with bounds."""
        return _estimate(self.exact_value)

    def verify(self, progress: Progress | None = None) -> float:
        """Proves the solution by the rules of the game alone, see :class:`nashzoo.baselines.solution.Solution`."""
        secured, _ = _backed_up(self.states, (self.policies[0], None))
        conceded, _ = _backed_up(self.states, (None, self.policies[1]))
        for code, *bounds in zip(self.states.codes.tolist(), secured, self.exact_values, conceded, strict=True):
            if bounds != sorted(bounds):
                raise CertificateError(f"{self.game.name}: the value is wrong, at {self.game.spell(code)}")
        return _estimate(max(map(sub, conceded, secured))).upper


def solved_in_fractions(states: StoredStates) -> FractionSolution | None:
    """Returns the solution; None if rounding matters little, states recur, or they or fractions grow too large."""
    return exact_solution(states) if _is_fit(states) else None


def exact_solution(states: StoredStates) -> FractionSolution | None:
    """Returns the solution of states that do not recur, however large rewards are; None if fractions grow too large."""
    try:
        return FractionSolution(states)
    except _TooManyBitsError:
        return None


def start_in_fractions(states: Numbered, tables: Tables) -> Estimate | None:
    """Returns the value of policies from the start of the game, to player 0; None as above."""
    if not (isinstance(states, StoredStates) and _is_fit(states)):
        return None
    try:
        return _estimate(_from_start(states, _backed_up(states, tables)[0]))
    except _TooManyBitsError:
        return None


def _is_fit(states: StoredStates) -> bool:
    rewards = states.successors.rewards
    return rewards.size <= MOST_ENTRIES and float(np.abs(rewards).max()) > COARSE and not states.recurs


def _from_start(states: StoredStates, values: Sequence[Fraction]) -> Fraction:
    at_starts = [values[k] for k in states.ids(states.game.start_codes).tolist()]
    return _mixed([[value] for value in at_starts], states.game.start_probabilities.tolist())[0][0]


def _estimate(exact: Fraction) -> Estimate:
    near = float(exact)
    lower, upper = (near if near == exact else math.nextafter(near, end) for end in (-math.inf, math.inf))
    return Estimate(near, lower, upper)


def _backed_up(states: StoredStates, tables: Tables) -> tuple[list[Fraction], tuple[Mixes, Mixes]]:
    """Returns the value of each state to player 0, and the best strategies of those without a table."""
    given = [None if table is None else table[np.arange(len(states))].tolist() for table in tables]
    ahead = {}
    for part in steps(states.game, states.codes, states.allowed):
        places = np.full(part.after.shape, OVER)
        places[part.after != OVER] = states.ids(part.after[part.after != OVER])
        for b, k in enumerate(part.rows.tolist()):
            legal = [side[:, b].tolist() for side in part.actions]
            weights = [
                table and [table[k][action] for action in side] for table, side in zip(given, legal, strict=True)
            ]
            if part.chances is not None:
                weights = [part.chances[:, b].tolist(), None]
            ahead[k] = legal, weights, places[:, :, b].tolist(), part.rewards[:, :, b].tolist()
    values = [Fraction(0)] * len(states)
    policies: tuple[Mixes, Mixes] = [{} for _ in values], [{} for _ in values]
    for k in (k for ids, _ in states.layers for k in ids.tolist()):
        check_time()
        legal, weights, after, rewards = ahead[k]
        matrix: ExactMatrix = [
            [Fraction(reward) + (0 if place == OVER else values[place]) for place, reward in zip(*row, strict=True)]
            for row in zip(after, rewards, strict=True)
        ]
        for own in weights:  # of player 0, and then of player 1
            matrix = list(zip(*(matrix if own is None else _mixed(matrix, own)), strict=True))
        values[k], *mixes = solve_exactly(matrix)
        if values[k].denominator.bit_length() > MOST_BITS:
            raise _TooManyBitsError
        for player, mix in enumerate(mixes):
            if len(mix) == len(legal[player]):
                policies[player][k] = dict(zip(legal[player], mix, strict=True))
    return values, policies


def _mixed(matrix: ExactMatrix, weights: Sequence[float]) -> ExactMatrix:
    """Returns the single row of a matrix whose rows are drawn in proportion to weights."""
    shares = list(map(Fraction, weights))
    return [[sum(map(mul, shares, column), Fraction(0)) / sum(shares) for column in zip(*matrix, strict=True)]]
