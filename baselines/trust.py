"""A Markov game in which a player is trusted: at each state it plays a known policy with some probability, else freely.

This is again a zero-sum Markov game: where a player 1 plays ``s`` with probability ``p``, the matrix game ``M`` of a
state becomes ``(1 - p) M + p M s 1'``. Without trust an optimal strategy of the other player is that of an equilibrium,
with full trust a best response; between them it wins more from the policy for a risk.

Values are those of value iteration. Where states recur Newton's method jumps, as in
:mod:`nashzoo.baselines.equilibrium`: both players' strategies are played in the game itself, that of the trusted player
mixed with its policy. The values are found without a proof; what a strategy wins and risks is measured exactly.

Sources: Johanson, Zinkevich and Bowling (2007), "Computing Robust Counter-Strategies", for trust during a whole game;
Johanson and Bowling (2009), "Data Biased Robust Counter Strategies", for trust by state.
"""

from typing import Any

import numpy as np

from nashzoo.baselines.markov.markov_chain import chain_values
from nashzoo.baselines.markov.transitions import within
from nashzoo.baselines.policies.tabular import Rows, observed
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solvers.backup import Trusted, backup_equilibrium
from nashzoo.baselines.solvers.step_penalty import PENALTY_SWEEPS, ROUNDED
from nashzoo.baselines.state_values import backed_up
from nashzoo.baselines.states.space import Numbered, StateSpace, Successors
from nashzoo.envs.core.game import Floats, Ints

TOLERANCE = 1e-13  # a sweep that changes no value by more has converged, for values around 1
PENALTY = 1e-11  # of a step to the player who trusts, see :mod:`nashzoo.baselines.solvers.step_penalty`
SWEEPS_PER_JUMP = 24
MOST_BACKUPS = 100_000_000  # of the states of a layer
HALF_TRUSTED = 10  # samples at a state with which its frequencies are trusted half


def confidence(states: StateSpace, policy: Any, player: int) -> Floats | float:
    """Returns how far a policy is known at states ``[n]``: ``k / (k + 10)`` with ``k`` samples, and else 1."""
    if not hasattr(policy, "sample_counts"):
        return 1.0
    at = observed(states.game, states.codes_at(np.arange(len(states))), player)
    samples = policy.sample_counts(at.observations, at.masks).sum(axis=1)
    known: Floats = samples / (samples + HALF_TRUSTED)
    return known


class TrustingRows:
    """The policy of the player who trusts the other one: probabilities by number, computed when needed.

    Args:
        states: The states.
        policy: The policy of the player who is trusted, by number ``[n, actions]``.
        trust: The probability that it is played, at all states or by number ``[n]``.
        player: Who trusts.
        hurries: The player whose strategy ends play for sure if it wins by that; the one who trusts when None.
    """

    def __init__(
        self, states: StateSpace, policy: Rows, trust: float | Floats, player: int, hurries: int | None = None
    ) -> None:
        self.states, self.policy, self.player = states, policy, player
        self.sign = 1 - 2 * (player if hurries is None else hurries)
        self.trust: Floats = np.broadcast_to(np.float64(trust), len(states))
        if not states.recurs:
            self.values = backed_up(states, (policy,), lambda *at: self._solved(*at)[0]).values
            return
        self.values = np.zeros(len(states))
        for ids, cyclic in states.layers:
            at = ids, states.successors_at(ids), self.values, [policy[ids]]
            if cyclic:
                self._iterate(*at)
            else:
                self.values[ids] = self._solved(*at)[0]

    def __getitem__(self, ids: Ints) -> Floats:
        """Returns the rows of some states ``[L, actions]``."""
        return self.of(self.player, ids)

    def of(self, player: int, ids: Ints) -> Floats:
        """Returns the rows of a player at some states; the one who is trusted plays them where it is free."""
        return self._solved(ids, self.states.successors_at(ids), self.values, [self.policy[ids]])[1 + player]

    def _solved(
        self, ids: Ints, successors: Successors, values: Floats, rows: list[Floats]
    ) -> tuple[Floats, Floats, Floats]:
        """Returns the values and both players' strategies at states ``[L]``, given the policy's rows there."""
        trusted = Trusted(1 - self.player, np.ascontiguousarray(rows[0]), self.trust[ids])
        return backup_equilibrium(successors, values, self.states.game.num_actions, trusted)

    def _iterate(self, ids: Ints, successors: Successors, values: Floats, rows: list[Floats]) -> None:
        """Fills in the values of states that can recur, less a small penalty for every step."""
        most_sweeps, largest = max(1, MOST_BACKUPS // len(ids)), np.abs(successors.rewards).max()
        unit = 1.0
        for sweep in range(1, most_sweeps + 1):
            swept, *strategies = self._solved(ids, successors, values, rows)
            change = np.abs(swept - values[ids]).max()
            values[ids] = swept
            unit = max(largest, np.abs(values).max())
            if change <= TOLERANCE * unit:
                break
            if sweep % SWEEPS_PER_JUMP == 0:
                free, jumped = strategies[1 - self.player], values.copy()
                free += self.trust[ids, None] * (rows[0] - free)
                jumped[ids] = chain_values(within(successors, ids, values, (strategies[0], strategies[1]))).values
                if np.abs(self._solved(ids, successors, jumped, rows)[0] - jumped[ids]).max() < change / 2:
                    values[:] = jumped
        penalty = self.sign * PENALTY * unit
        behind = np.sign(penalty) * values[ids] <= ROUNDED * abs(penalty)
        for sweep in range(most_sweeps):
            change = self._solved(ids, successors, values, rows)[0] - penalty - values[ids]
            if sweep >= PENALTY_SWEEPS:
                change[behind] = 0.0
            values[ids] += change
            if np.abs(change).max() <= ROUNDED * abs(penalty):
                break


class SolvedRows:
    """The equilibrium strategy of a player: probabilities by number, looked up in the solution of the game."""

    def __init__(self, states: Numbered, solution: Solution, player: int) -> None:
        self.states, self.solution, self.player = states, solution, player

    def __getitem__(self, ids: Ints) -> Floats:
        """Returns the rows of some states ``[L, actions]``."""
        return self.solution.strategies(self.states.codes_at(ids))[self.player]


class BlendedRows:
    """Two policies of a player mixed at each state, with a share of the second: probabilities by number."""

    def __init__(self, policies: tuple[Rows, Rows], share: float) -> None:
        self.policies, self.share = policies, share

    def __getitem__(self, ids: Ints) -> Floats:
        """Returns the rows of some states ``[L, actions]``."""
        first, second = self.policies
        return first[ids] + self.share * (second[ids] - first[ids])
