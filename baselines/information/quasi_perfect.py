"""A quasi-perfect equilibrium of a game with hidden information: optimal also where mistakes of others lead.

In a *perturbed* game each sequence of ``k`` own actions has a weight of at least ``epsilon ** k``. As ``epsilon`` goes
to 0, its equilibria go to one in which nobody, wherever play has come, takes an action that is worse against mistakes
that the other player may have made; so it is sequential too. The linear program of the perturbed game has polynomials
of ``epsilon`` in its goal and in its right sides alone. The simplex method compares them as they are for all small
``epsilon``: by their first coefficients that differ. All numbers are fractions.

Source: Miltersen and Sorensen (2010), "Computing a quasi-perfect equilibrium of a two-player game".
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from nashzoo.baselines.certificate.steps import CertificateError
from nashzoo.baselines.information.fractions import Mix, payoffs
from nashzoo.baselines.information.sequence_form import SequenceForm
from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.base.errors import UsageError

MOST_SEQUENCES = 400  # of both players
STEEP = 10  # steps for each row, after which Bland's rule is used
EPSILONS = [Fraction(1, 10**k) for k in (6, 9, 12)]  # with which the result is proven

Polynomial = list[Fraction]  # the coefficients of 1, epsilon, epsilon ** 2, ...
Entries = dict[tuple[int, int], Fraction]  # of the matrix of rewards


def quasi_perfect(form: SequenceForm) -> tuple[list[Mix], list[Mix]]:
    """Returns both players' probabilities by information state, proven in perturbed games with small ``epsilon``.

    Raises:
        UsageError: the game is too large, or a probability of chance is no simple fraction.
        CertificateError: the proof fails.
    """
    sequences = sum(plex.num_sequences for plex in form.treeplexes)
    if sequences > MOST_SEQUENCES:
        raise UsageError(
            f"{form.game.name} has {sequences:,} sequences, too many: up to {MOST_SEQUENCES} can be perturbed"
        )
    entries: Entries = {}
    try:
        for i, j, reward in payoffs(form):
            entries[i, j] = entries.get((i, j), Fraction(0)) + reward
    except ArithmeticError as error:
        raise UsageError(f"{form.game.name} cannot be perturbed: {error}") from None
    weights = _Program(form.treeplexes, entries).solved()
    if any(gap(form.treeplexes, entries, weights, epsilon) for epsilon in EPSILONS):
        raise CertificateError(f"{form.game.name}: this is no equilibrium of the perturbed games")
    first, second = (_limit(plex, own) for plex, own in zip(form.treeplexes, weights, strict=True))
    return first, second


def gap(
    plexes: Sequence[Treeplex], entries: Entries, weights: Sequence[list[Polynomial]], epsilon: Fraction
) -> Fraction:
    """Returns what best responses in the perturbed game win from both players' weights, polynomials by sequence."""
    won = Fraction(0)
    values = [[sum(term * epsilon**k for k, term in enumerate(one)) for one in own] for own in weights]
    for player, (plex, own) in enumerate(zip(plexes, values, strict=True)):
        gains = [Fraction(0)] * len(own)
        for pair, reward in entries.items():
            gains[pair[player]] += (1 - 2 * player) * reward * values[1 - player][pair[1 - player]]
        bounds = [epsilon**length for length in plex.lengths.tolist()]
        won += sum(map(Fraction.__mul__, gains, bounds))
        for state in range(len(plex.parents) - 1, -1, -1):
            here, parent = range(plex.first[state], plex.first[state + 1]), plex.parents[state]
            if sum(own[k] for k in here) != own[parent] or any(own[k] < bounds[k] for k in here):
                raise CertificateError(f"player {player}'s weights are none of the perturbed game")
            best = max(gains[k] for k in here)  # for what the bounds leave
            won += (bounds[parent] - sum(bounds[k] for k in here)) * best
            gains[parent] += best
    return won


def _limit(plex: Treeplex, weights: list[Polynomial]) -> list[Mix]:
    """Returns the probabilities by information state as ``epsilon`` goes to 0."""
    mixes = []
    for state, parent in enumerate(plex.parents.tolist()):
        power = next(k for k, term in enumerate(weights[parent]) if term)
        own = weights[plex.first[state] : plex.first[state + 1]]
        mixes.append([one[power] / weights[parent][power] for one in own])
    return mixes


def _sum(first: Polynomial, *others: tuple[Fraction | int, Polynomial]) -> Polynomial:
    """Returns a polynomial plus multiples of others."""
    total = first
    for factor, other in others:
        total = [a + factor * b for a, b in zip(total, other, strict=True)]
    return total


class _Program:
    """The linear program of the perturbed game: a row for each equation, and a right side.

    Columns are player 0's weights above their bounds, player 1's values, which are free, and what each of its sequences
    gives up. The goal is the value at the start, plus what sequences give up with the weights that they must have.
    """

    def __init__(self, plexes: Sequence[Treeplex], entries: Entries) -> None:
        plex, other = plexes
        lengths = [each.lengths.tolist() for each in plexes]
        terms = max(map(max, lengths)) + 1
        self.bounds = [[[Fraction(k == power) for k in range(terms)] for power in each] for each in lengths]
        self.zero, one, (low, goal) = [Fraction(0)] * terms, Fraction(1), self.bounds
        self.free, self.slack = plex.num_sequences, plex.num_sequences + len(other.parents) + 1
        self.rows: list[dict[int, Fraction]] = [{0: one}]
        self.right = [self.zero]
        for state, parent in enumerate(plex.parents.tolist()):
            own = range(plex.first[state], plex.first[state + 1])
            self.rows.append(dict.fromkeys(own, one) | {parent: -one})
            self.right.append(_sum(low[parent], *((-1, low[k]) for k in own)))
        owners = other.by_sequence(np.arange(len(other.parents)) + 1, 0).tolist()
        replies = [{self.free + owner: one, self.slack + k: one} for k, owner in enumerate(owners)]
        for state, parent in enumerate(other.parents.tolist()):
            replies[parent][self.free + state + 1] = -one
        pays = [self.zero] * len(replies)  # of the bounds
        for (i, j), reward in entries.items():
            replies[j][i], pays[j] = -reward, _sum(pays[j], (reward, low[i]))
        self.goal = {self.slack + k: bound for k, bound in enumerate(goal)} | {self.free: goal[0]}
        # Player 0 begins with its first actions, player 1 with the replies that are best for it.
        begun = len(self.rows)
        self.rows, self.right = self.rows + replies, self.right + pays
        self.basis = [0, *plex.first[:-1].tolist()] + [-1] * len(replies)
        for row, column in enumerate(self.basis[:begun]):
            self._pivot(row, column)
        for state in range(len(other.parents), 0, -1):
            own = range(other.first[state - 1], other.first[state])
            self._pivot(begun + min(own, key=lambda k: self.right[begun + k]), self.free + state)
        self._pivot(begun, self.free)
        for row, column in enumerate(self.basis):
            if column < 0:
                self._pivot(row, self.slack + row - begun)

    def solved(self) -> tuple[list[Polynomial], list[Polynomial]]:
        """Returns both players' sequence weights in the perturbed game, by sequence."""
        steps = 0
        while rising := [column for column, rises in self.goal.items() if rises > self.zero]:
            check_time()
            steps += 1  # the steepest column is quick; Bland's rule ends for sure
            entering = max(rising, key=self.goal.__getitem__) if steps < STEEP * len(self.rows) else min(rising)
            ratios = {}
            for k, (row, right, basic) in enumerate(zip(self.rows, self.right, self.basis, strict=True)):
                if (entry := row.get(entering, 0)) > 0 and not self.free <= basic < self.slack:
                    ratios[k] = [term / entry for term in right], basic
            self._pivot(min(ratios, key=lambda k: ratios[k]), entering)
        found = dict(zip(self.basis, self.right, strict=True))
        mine = [_sum(low, (1, found.get(k, self.zero))) for k, low in enumerate(self.bounds[0])]
        theirs = [_sum(low, (-1, self.goal.get(self.slack + k, self.zero))) for k, low in enumerate(self.bounds[1])]
        return mine, theirs

    def _pivot(self, row: int, column: int) -> None:
        """Makes a column the basic one of a row."""
        factor = self.rows[row][column]
        chosen = {k: entry / factor for k, entry in self.rows[row].items()}
        right = [term / factor for term in self.right[row]]
        self.rows[row], self.right[row], self.basis[row] = chosen, right, column
        for other, entries in enumerate(self.rows):
            if other != row and (factor := entries.get(column, Fraction(0))):
                for k, entry in chosen.items():
                    entries[k] = entries.get(k, 0) - factor * entry
                    if not entries[k]:
                        del entries[k]
                self.right[other] = _sum(self.right[other], (-factor, right))
        if (goal := self.goal.get(column, self.zero)) != self.zero:
            for k, entry in chosen.items():
                self.goal[k] = _sum(self.goal.get(k, self.zero), (-entry, goal))
