"""A Markov game in which a player is trusted: at each state it plays a known policy with some probability, else freely.

This is again a zero-sum Markov game: where a player 1 plays ``s`` with probability ``p``, the matrix game ``M`` of a
state becomes ``(1 - p) M + p M s 1'``. Without trust an optimal strategy of the other player is that of an equilibrium,
with full trust a best response; between them it wins more from the policy for a risk.

It is solved as others are, see :mod:`nashzoo.baselines.equilibrium`, but without a proof; what a strategy wins and
risks is measured exactly.

Sources: Johanson, Zinkevich and Bowling (2007), "Computing Robust Counter-Strategies", for trust during a whole game;
Johanson and Bowling (2009), "Data Biased Robust Counter Strategies", for trust by state.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nashzoo.baselines.equilibrium import MAX_SWEEPS, STEP_PENALTY, equilibrium_values
from nashzoo.baselines.policies.tabular import Rows, observed
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solvers.backup import Trusted, backup_equilibrium
from nashzoo.baselines.solvers.step_penalty import with_step_penalty
from nashzoo.baselines.state_values import backed_up
from nashzoo.baselines.states.restricted import RestrictedStates
from nashzoo.baselines.states.space import Numbered, StateSpace, Successors
from nashzoo.envs.core.game import Floats, Ints

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
    """

    def __init__(self, states: StateSpace, policy: Rows, trust: float | Floats, player: int) -> None:
        self.states, self.policy, self.player = states, policy, player
        self.trust: Floats = np.ascontiguousarray(np.broadcast_to(np.float64(trust), len(states)))
        self.tables: tuple[Floats, Floats] | None = None  # both players' [n, actions], where states recur
        if not states.recurs:
            self.values = backed_up(states, (policy,), lambda *at: self._solved(*at)[0]).values
            return
        everywhere, actions = np.arange(len(states)), states.game.num_actions
        trusted = Trusted(1 - player, np.ascontiguousarray(policy[everywhere]), self.trust)
        scaled, unit = RestrictedStates(states).in_units()
        values, penalty = equilibrium_values(scaled, trusted=trusted), (STEP_PENALTY, STEP_PENALTY / 100)
        first, second, _ = with_step_penalty(
            scaled.successors, scaled.layers, values, actions, *penalty, MAX_SWEEPS, trusted=trusted
        )
        self.values, self.tables = values * unit, (first, second)

    def __getitem__(self, ids: Ints) -> Floats:
        """Returns the rows of some states ``[L, actions]``."""
        return self.of(self.player, ids)

    def of(self, player: int, ids: Ints) -> Floats:
        """Returns the rows of a player at some states; the one who is trusted plays them where it is free."""
        if self.tables is not None:
            return self.tables[player][ids]
        return self._solved(ids, self.states.successors_at(ids), self.values, [self.policy[ids]])[1 + player]

    def _solved(
        self, ids: Ints, successors: Successors, values: Floats, rows: list[Floats]
    ) -> tuple[Floats, Floats, Floats]:
        """Returns the values and both players' strategies at states ``[L]``, given the policy's rows there."""
        trusted = Trusted(1 - self.player, np.ascontiguousarray(rows[0]), self.trust[ids])
        return backup_equilibrium(successors, values, self.states.game.num_actions, trusted)


@dataclass(frozen=True, eq=False)
class SolvedRows:
    """The equilibrium strategy of a player: probabilities by number, looked up in the solution of the game."""

    states: Numbered
    solution: Solution
    player: int

    def __getitem__(self, ids: Ints) -> Floats:
        """Returns the rows of some states ``[L, actions]``."""
        return self.solution.strategies(self.states.codes_at(ids))[self.player]


@dataclass(frozen=True, eq=False)
class BlendedRows:
    """Two policies of a player mixed at each state, with a share of the second: probabilities by number."""

    first: Rows
    second: Rows
    share: float

    def __getitem__(self, ids: Ints) -> Floats:
        """Returns the rows of some states ``[L, actions]``."""
        return self.first[ids] + self.share * (self.second[ids] - self.first[ids])
