"""Counterfactual regret minimization in sequence form: equilibria of games with hidden information, step by step.

At each information state a regret minimizer chooses probabilities in proportion to the regrets above zero. What an
action gains there is its counterfactual value: the sequence's gain against the other player's weights plus that of all
that follows. The average of the sequence weights tends to an equilibrium. Players learn in turn.

The rules differ in what they forget. After iteration ``t`` regrets above zero count ``t**alpha / (t**alpha + 1)``
times, those below zero ``t**beta / (t**beta + 1)`` times, and iteration ``t`` counts ``t**gamma`` times in the average.
A predictive rule chooses as if the last advantages came again.

Sources: Zinkevich et al. (2007), "Regret Minimization in Games with Incomplete Information"; Tammelin (2014), "Solving
Large Imperfect Information Games Using CFR+"; Brown and Sandholm (2019), "Solving Imperfect-Information Games via
Discounted Regret Minimization", with the parameters that it recommends; Farina, Kroer and Sandholm (2021), "Faster
Game Solving via Predictive Blackwell Approachability", with its quadratic average.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.information.sequence_form import SequenceForm
from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.envs.jit.compiled import Floats, compiled
from nashzoo.envs.jit.numba import boolean, float64, int64, types, uint32, void

Indices = NDArray[np.uint32]  # half the memory of 64 bits, and no test for indices from the end


class Rule(NamedTuple):
    """What a regret minimizer forgets, see the module."""

    alpha: float = np.inf  # exponent for regrets above zero; infinite to forget nothing
    beta: float = np.inf  # exponent for those below zero; minus infinity to forget all
    gamma: float = 0.0  # exponent for the average
    predictive: bool = False  # whether the last advantages are expected again


CFR = Rule()
CFR_PLUS = Rule(beta=-np.inf, gamma=1.0)
DISCOUNTED = Rule(alpha=1.5, beta=0.0, gamma=2.0)
PREDICTIVE = Rule(beta=-np.inf, gamma=2.0, predictive=True)


class _Player(NamedTuple):
    """One player's sequences, their rewards as rows of a sparse matrix, and what is learned ``[S]``."""

    parents: Indices
    first: Indices
    starts: Indices
    columns: Indices
    entries: Floats
    regrets: Floats
    probabilities: Floats
    weights: Floats
    sums: Floats


def _rewards(plex: Treeplex, matrix: Any, sign: float) -> tuple[Any, ...]:
    """Returns the first five fields of :class:`_Player`."""
    arrays = plex.parents, plex.first, matrix.indptr, matrix.indices
    return *(np.asarray(array, np.uint32) for array in arrays), sign * matrix.data


def _player(plex: Treeplex, rewards: tuple[Any, ...]) -> _Player:
    uniform = plex.uniform()
    regrets, sums = np.zeros((2, plex.num_sequences))
    return _Player._make((*rewards, regrets, uniform, plex.weights(uniform), sums))


class RegretMinimizer:
    """Counterfactual regret minimization on a game in sequence form.

    Args:
        form: The game.
        rule: What it forgets.
        like: Another minimizer of this game, whose copy of the rewards it shares.

    Attributes:
        iterations: The number of iterations so far.
    """

    def __init__(self, form: SequenceForm, rule: Rule = CFR_PLUS, like: "RegretMinimizer | None" = None) -> None:
        self.form, self.rule = form, rule
        self.iterations = 0
        if like is None:
            signed = (form.matrix, 1.0), (form.transposed, -1.0)
            rewards = tuple(_rewards(plex, *each) for plex, each in zip(form.treeplexes, signed, strict=True))
        else:
            rewards = tuple(player[:5] for player in like._players)
        self._players: tuple[_Player, ...] = tuple(
            _player(plex, own) for plex, own in zip(form.treeplexes, rewards, strict=True)
        )

    def run(self, iterations: int) -> None:
        """Runs iterations."""
        _iterate(self.iterations, iterations, self.rule, *self._players)
        self.iterations += iterations

    def average(self) -> tuple[Floats, Floats]:
        """Returns both players' average sequence weights ``[S]``; uniform play before the first iteration."""
        first, second = (
            player.sums / player.sums[0] if self.iterations else player.weights.copy() for player in self._players
        )
        return first, second

    def arrays(self) -> dict[str, Floats]:
        """Returns the state besides the number of iterations: the minimizer's own arrays by name."""
        names = "regrets", "probabilities", "weights", "sums"
        return {f"{name}{k}": getattr(player, name) for k, player in enumerate(self._players) for name in names}


@compiled(inline=True)
def _discount(iteration: float, exponent: float) -> float:
    if np.isinf(exponent):
        return 1.0 if exponent > 0.0 else 0.0
    return float(iteration**exponent / (iteration**exponent + 1.0))


@compiled(inline=True)
def _update(
    own: Any, others: Floats, below: Floats, positive: float, negative: float, predictive: float, count: float
) -> None:
    """Updates a player's regrets, last information states first, then its weights and their sums, first ones first.

    ``others`` are the other player's weights; ``below``, zeros before and after, is what the information states after
    each sequence gain. Regrets above and below zero count ``positive`` and ``negative`` times, the last advantages
    ``predictive`` times more in the choice, and the new weights ``count`` times in the average.
    """
    parents, first, starts, columns, entries = own.parents, own.first, own.starts, own.columns, own.entries
    regrets, probabilities, weights, sums = own.regrets, own.probabilities, own.weights, own.sums
    for k in range(len(parents) - 1, -1, -1):
        begin, end = first[k], first[k + 1]
        value = 0.0
        for sequence in range(begin, end):
            gain = below[sequence]
            for entry in range(starts[sequence], starts[sequence + 1]):
                gain += entries[entry] * others[columns[entry]]
            below[sequence] = gain
            value += probabilities[sequence] * gain
        total = 0.0
        for sequence in range(begin, end):
            advantage = below[sequence] - value
            below[sequence] = 0.0
            regret = regrets[sequence] + advantage
            regret *= positive if regret > 0.0 else negative
            regrets[sequence] = regret
            share = max(regret + predictive * advantage, 0.0)
            probabilities[sequence] = share
            total += share
        below[parents[k]] += value
        scale = 1.0 / total if total > 0.0 else 0.0
        for sequence in range(begin, end):
            probabilities[sequence] = scale * probabilities[sequence] if total > 0.0 else 1.0 / (end - begin)
    below[0] = 0.0
    sums[0] += count
    for k in range(len(parents)):
        above = weights[parents[k]]
        for sequence in range(first[k], first[k + 1]):
            weights[sequence] = above * probabilities[sequence]
            sums[sequence] += count * weights[sequence]


_PLAYER = types.NamedTuple((*(uint32[::1],) * 4, *(float64[::1],) * 5), _Player)
_RULE = types.NamedTuple((float64, float64, float64, boolean), Rule)


@compiled(void(int64, int64, _RULE, _PLAYER, _PLAYER))
def _iterate(before: int, iterations: int, rule: Rule, player0: _Player, player1: _Player) -> None:
    """Runs iterations: each updates player 0 against player 1's weights, then player 1 against the new ones."""
    below0, below1 = np.zeros(len(player0.weights)), np.zeros(len(player1.weights))
    for iteration in range(before + 1, before + iterations + 1):
        t = float(iteration)
        positive, negative = _discount(t, rule.alpha), _discount(t, rule.beta)
        predictive, count = 1.0 if rule.predictive else 0.0, t**rule.gamma
        _update(player0, player1.weights, below0, positive, negative, predictive, count)
        _update(player1, player0.weights, below1, positive, negative, predictive, count)
