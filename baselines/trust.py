"""A Markov game in which a player is trusted: it plays a known policy in a whole game with a probability, or anything.

At each state the other player weighs both by ``t``, the probability that the policy ``s`` is played if play has come
there: its mix wins most of ``t M s + (1 - t) min M``. What follows has two values: ``M s`` is by those against the
policy, ``min M`` by those that are secured. How often play comes to a state, with the policy and with the best reply,
follows from solutions so far, so ``t`` is improved in rounds. That is no proof that no
policy by state is better; with a memory of what was played, one can be. What a policy wins and risks is exact.

Where many states recur, the player is trusted at every decision: the matrix game ``M`` of a state becomes
``(1 - p) M + p M s 1'``. So does that of a state at which a player is locked, with ``p`` 1. This is again a zero-sum
Markov game, solved as others are, see :mod:`nashzoo.baselines.equilibrium`, but without a proof.

Sources: Johanson, Zinkevich and Bowling (2007), "Computing Robust Counter-Strategies", for trust during a whole game;
Johanson and Bowling (2009), "Data Biased Robust Counter Strategies", for less where a policy is less known.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nashzoo.baselines.equilibrium import MAX_SWEEPS, STEP_PENALTY, equilibrium_values
from nashzoo.baselines.markov.likely_play import expected_visits, played_from_start
from nashzoo.baselines.policies.tabular import Rows, observed
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solvers.backup import Trusted, action_values, backup_equilibrium, evaluation
from nashzoo.baselines.solvers.step_penalty import with_step_penalty
from nashzoo.baselines.state_values import backed_up
from nashzoo.baselines.states.restricted import RestrictedStates
from nashzoo.baselines.states.space import Numbered, StateSpace, Successors
from nashzoo.envs.core.game import Floats, Ints

ROUNDS = 2  # in which the probability of trust at each state is improved
MOST_STATES = 500_000  # among which it is
MOST_RECURRING = 10_000  # states; among more, sweeps find no play that ends soon
SWEEPS = 100  # of states that recur
HALF_TRUSTED = 10  # samples at a state with which its frequencies are trusted half


def confidence(states: StateSpace, policy: Any, player: int) -> Floats | float:
    """Returns how far a policy is known at states ``[n]``: ``k / (k + 10)`` with ``k`` samples, and else 1."""
    if not hasattr(policy, "sample_counts"):
        return 1.0
    at = observed(states.game, states.codes_at(np.arange(len(states))), player)
    samples = policy.sample_counts(at.observations, at.masks).sum(axis=1)
    known: Floats = samples / (samples + HALF_TRUSTED)
    return known


class _Rows:
    """Both players' policies where one is trusted: probabilities by number, computed when needed.

    Args:
        states: The states.
        policy: The policy of the player who is trusted, by number ``[n, actions]``.
        trust: The probability that it is played, by number ``[n]``.
        player: Who trusts.
    """

    values: Floats  # of the states to player 0 [n], which the player secures
    tables: tuple[Floats, Floats] | None = None  # both players' [n, actions], if they are kept

    def __init__(self, states: StateSpace, policy: Rows, trust: Floats, player: int) -> None:
        self.states, self.policy, self.trust, self.player = states, policy, trust, player
        self.against = np.empty(0)  # the values against the policy [n], if they are others

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
        trusted = Trusted(1 - self.player, np.ascontiguousarray(rows[0]), self.trust[ids], self.against)
        return backup_equilibrium(successors, values, self.states.game.num_actions, trusted)


class LockedRows(_Rows):
    """Both players' policies where one plays a policy with the trust at each state, and else freely."""

    def __init__(self, states: StateSpace, policy: Rows, trust: Floats, player: int) -> None:
        super().__init__(states, policy, trust, player)
        if not states.recurs:
            self.values = backed_up(states, (policy,), lambda *at: self._solved(*at)[0]).values
            return
        everywhere, actions = np.arange(len(states)), states.game.num_actions
        trusted = Trusted(1 - player, np.ascontiguousarray(policy[everywhere]), trust)
        scaled, unit = RestrictedStates(states).in_units()
        values, penalty = equilibrium_values(scaled, trusted=trusted), (STEP_PENALTY, STEP_PENALTY / 100)
        first, second, _ = with_step_penalty(
            scaled.successors, scaled.layers, values, actions, *penalty, MAX_SWEEPS, trusted=trusted
        )
        self.values, self.tables = values * unit, (first, second)


class TrustingRows(_Rows):
    """Both players' policies if the trust is the probability at each state that the policy is played in the game."""

    def __init__(self, states: StateSpace, policy: Rows, trust: Floats, player: int) -> None:
        super().__init__(states, policy, trust, player)
        self.against = np.zeros(len(states))
        if not states.recurs:
            self.values = backed_up(states, (policy,), self._back_up).values
            return
        self.values = np.zeros(len(states))
        for ids, cyclic in states.layers:
            successors, rows = states.successors_at(ids), [policy[ids]]
            for _ in range(SWEEPS if cyclic else 1):
                self.values[ids] = self._back_up(ids, successors, self.values, rows)

    def _back_up(self, ids: Ints, successors: Successors, values: Floats, rows: list[Floats]) -> Floats:
        """Returns the values of states ``[L]`` that the player secures; puts those against the policy in place."""
        own, sign = self._solved(ids, successors, values, rows)[1 + self.player], 1 - 2 * self.player
        self.against[ids] = evaluation(successors, self.against, *(own, rows[0])[::sign])
        secured: Floats = -sign * action_values(successors, values, own, 1 - self.player).max(axis=1)
        return secured

    def _beside(self, other: Rows) -> tuple[Rows, Rows]:
        """Returns the policies of player 0 and of player 1, if the other player plays this one."""
        return (self, other) if self.player == 0 else (other, self)

    def visits(self) -> Floats:
        """Returns how often play comes to each state, with the policy and with the best reply ``[2, n]``."""
        found = np.zeros((2, len(self.states)))
        for count, other in zip(found, (self.policy, _Reply(self)), strict=True):
            ids, chain, begin = played_from_start(self.states, self._beside(other))
            count[ids] = expected_visits(chain, begin).reach
        return found


@dataclass(frozen=True, eq=False)
class _Reply:
    """The best reply to the player who trusts: probabilities by number."""

    rows: TrustingRows

    def __getitem__(self, ids: Ints) -> Floats:
        return self.rows.of(1 - self.rows.player, ids)


def is_by_decision(states: StateSpace) -> bool:
    """Returns whether a player is trusted at every decision, not in a whole game."""
    return len(states) > MOST_RECURRING and states.recurs


def trusting(states: StateSpace, policy: Rows, trust: float, known: Floats | float, player: int) -> Sequence[_Rows]:
    """Returns what a player does best, by rounds, if with a probability the other one plays a policy.

    Args:
        states: The states.
        policy: The policy, by number ``[n, actions]``.
        trust: The probability.
        known: How far the policy is known, see :func:`confidence`.
        player: Who trusts.
    """
    seen, belief = np.zeros((2, len(states))), np.full(len(states), trust)
    if is_by_decision(states):
        return [LockedRows(states, policy, belief * known, player)]
    found = [TrustingRows(states, policy, belief * known, player)]
    for _ in range(ROUNDS if len(states) <= MOST_STATES and 0.0 < trust < 1.0 else 0):
        seen += found[-1].visits()
        both = trust * seen[0] + (1.0 - trust) * seen[1]
        belief = np.divide(trust * seen[0], both, out=belief, where=both > 0.0)
        found.append(TrustingRows(states, policy, belief * known, player))
    return found


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
