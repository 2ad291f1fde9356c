"""Values of games with hidden information in fractions, proven without any rounding.

Small probabilities that a solver found, and those of chance, are replaced by the nearest fractions with small
denominators. If both best responses to these win exactly as much as the strategies themselves, the value is exact.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from nashzoo.baselines.information.sequence_form import SequenceForm, levels
from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.envs.jit.compiled import Floats

DENOMINATOR = 10_000  # the largest of a probability
DYADIC = 2**52  # the denominator of probabilities that are near no such fraction
OF_CHANCE = 1_000_000  # the largest of a product of the probabilities of chance
ROUNDED = Fraction(1, 2**48)  # how far the floating-point number of such a product may be from it, relative
MOST_ENTRIES = 100_000  # of the matrix; more take too long

Mix = list[Fraction]  # probabilities at an information state
Payoff = tuple[int, int, Fraction]  # both players' last sequences, and the reward times the probability of chance


def exact_value(form: SequenceForm, probabilities: tuple[Floats, Floats]) -> Fraction | None:
    """Returns the value to player 0, points; None if no fractions near these strategies ``[S]`` are optimal."""
    if form.matrix.nnz > MOST_ENTRIES:
        return None
    mixes = [near_mixes(plex, each) for plex, each in zip(form.treeplexes, probabilities, strict=True)]
    try:
        lower, upper = secured(form, payoffs(form), mixes)
    except ArithmeticError:
        return None
    return lower if lower == upper else None


def payoffs(form: SequenceForm, strict: bool = True) -> Iterator[Payoff]:
    """Yields what is paid.

    Raises:
        ArithmeticError: a probability of chance is no simple fraction; it stays as it is if ``strict`` is false.
    """
    for level in levels(form.game):
        for i, j, reward, reach in zip(*level.paid.tolist(), level.rewards.tolist(), level.reach.tolist(), strict=True):
            chance = Fraction(reach).limit_denominator(OF_CHANCE)
            if abs(chance - Fraction(reach)) > ROUNDED * chance:
                if strict:
                    raise ArithmeticError("chance has probabilities that are no simple fractions")
                chance = Fraction(reach)
            yield i, j, Fraction(reward) * chance


def near_mixes(plex: Treeplex, probabilities: Floats) -> list[Mix]:
    """Returns the nearest simple fractions to probabilities ``[S]``, divided by their sums, by information state."""
    near = [Fraction(each).limit_denominator(DENOMINATOR) for each in probabilities.tolist()]
    return [[share / sum(mix) for share in mix] for mix in _by_state(plex, near)]


def dyadic_mixes(plex: Treeplex, probabilities: Floats) -> list[Mix]:
    """Returns probabilities ``[S]`` rounded to fractions with one denominator, by information state."""
    floors = [Fraction(int(each * DYADIC), DYADIC) for each in probabilities.tolist()]
    mixes = _by_state(plex, floors)
    for mix in mixes:
        mix[mix.index(max(mix))] += 1 - sum(mix)
    return mixes


def _by_state(plex: Treeplex, shares: Sequence[Fraction]) -> list[Mix]:
    return [list(shares[begin:end]) for begin, end in pairwise(plex.first.tolist())]


def secured(form: SequenceForm, paid: Iterable[Payoff], mixes: Sequence[list[Mix]]) -> tuple[Fraction, Fraction]:
    """Returns what player 0's strategy secures, and what player 1's concedes, points."""
    weights = [_weights(plex, each) for plex, each in zip(form.treeplexes, mixes, strict=True)]
    gains = [[Fraction(0)] * len(each) for each in weights]
    for i, j, reward in paid:
        gains[0][i] += reward * weights[1][j]
        gains[1][j] -= reward * weights[0][i]
    for plex, own in zip(form.treeplexes, gains, strict=True):
        for number in range(len(plex.parents) - 1, -1, -1):
            own[plex.parents[number]] += max(own[plex.first[number] : plex.first[number + 1]])
    return -gains[1][0], gains[0][0]


def _weights(plex: Treeplex, mixes: Sequence[Mix]) -> list[Fraction]:
    weights = [Fraction(1)]
    for parent, mix in zip(plex.parents.tolist(), mixes, strict=True):
        weights += [weights[parent] * share for share in mix]
    return weights
