"""The value of a small game with hidden information as a fraction, proven without any rounding.

The probabilities that a solver found, and those of chance, are replaced by the nearest fractions with small
denominators. If both best responses to these win exactly as much as the strategies themselves, the value is exact.
"""

from collections.abc import Sequence
from fractions import Fraction

from nashzoo.baselines.information.sequence_form import SequenceForm, levels
from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.envs.jit.compiled import Floats

DENOMINATOR = 10_000  # the largest of a probability
OF_CHANCE = 1_000_000  # the largest of a product of the probabilities of chance
ROUNDED = Fraction(1, 2**48)  # how far the floating-point number of such a product may be from it, relative
MOST_ENTRIES = 100_000  # of the matrix; more take too long

Row = list[tuple[int, Fraction]]


def exact_value(form: SequenceForm, probabilities: tuple[Floats, Floats]) -> Fraction | None:
    """Returns the value to player 0, points; None if no fractions near these strategies ``[S]`` are optimal."""
    if form.matrix.nnz > MOST_ENTRIES:
        return None
    rows: list[list[Row]] = [[[] for _ in range(plex.num_sequences)] for plex in form.treeplexes]
    for level in levels(form.game):
        for i, j, reward, reach in zip(*level.paid.tolist(), level.rewards.tolist(), level.reach.tolist(), strict=True):
            chance = Fraction(reach).limit_denominator(OF_CHANCE)
            if abs(chance - Fraction(reach)) > ROUNDED * chance:
                return None
            earned = Fraction(reward) * chance
            rows[0][i].append((j, earned))
            rows[1][j].append((i, -earned))
    weights = [_weights(plex, each) for plex, each in zip(form.treeplexes, probabilities, strict=True)]
    won = [_best(plex, rows[player], weights[1 - player]) for player, plex in enumerate(form.treeplexes)]
    return won[0] if won[0] == -won[1] else None


def _weights(plex: Treeplex, probabilities: Floats) -> list[Fraction]:
    """Returns the sequence weights ``[S]`` of the nearest fractions, divided by their sum."""
    weights = [Fraction(1)] * plex.num_sequences
    for parent, first, last in zip(
        plex.parents.tolist(), plex.first[:-1].tolist(), plex.first[1:].tolist(), strict=True
    ):
        near = [Fraction(each).limit_denominator(DENOMINATOR) for each in probabilities[first:last].tolist()]
        for sequence, share in enumerate(near, first):
            weights[sequence] = weights[parent] * share / sum(near)
    return weights


def _best(plex: Treeplex, rows: list[Row], weights: Sequence[Fraction]) -> Fraction:
    """Returns what a best response wins from the other player's sequence weights."""
    gains = [sum((reward * weights[k] for k, reward in row), Fraction(0)) for row in rows]
    for number in range(len(plex.parents) - 1, -1, -1):
        gains[plex.parents[number]] += max(gains[plex.first[number] : plex.first[number + 1]])
    return gains[0]
