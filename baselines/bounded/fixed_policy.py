"""The policy in the other seat: its probabilities at nodes, and its memory, if it has any.

Its memory is a function of its observations, and where nothing is hidden these are the states. So with a player that
has memory a node is a pair of a state and the player's memory state there: the number ``code * memories + memory``.
"""

from typing import Any

import numpy as np

from nashzoo.baselines.bounded.graph import Table
from nashzoo.baselines.policies.tabular import Observed, as_policy, asked, changed, check_again, observed
from nashzoo.baselines.policies.with_memory import check_no_memory, remembered
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import FiniteMemoryAgent, NoPolicyError
from nashzoo.envs.core.checks import check_plays, name_of
from nashzoo.envs.core.code_index import Numbering
from nashzoo.envs.core.game import Floats, Game, Ints
from nashzoo.envs.core.reachable import OVER, turns_of

CHECKED = 100  # states at which the policy is asked again
MOST = 2**63 - 1  # numbers of nodes are below it


class FixedPolicy:
    """A policy that is asked once at each node at which it chooses, or at each of its information states."""

    def __init__(self, game: Game, policy: Any, player: int) -> None:
        self.game, self.player = game, player
        self.asked, self.rows = Numbering(), Table(probabilities=(np.float64, game.num_actions))
        self.entered = Table(pairs=np.int64, nodes=np.int64)  # states with memory before and after; the first ones
        if game.hides:
            check_no_memory(policy)
        check_plays(game, policy)
        remembers = isinstance(policy, FiniteMemoryAgent)
        self.policy: Any = policy if remembers else as_policy(policy, game)
        self.memories: int = policy.memory_states if remembers else 1
        self._check_size(int(game.rules.encode(game.field_maxima)))

    def _check_size(self, code: int) -> None:
        if self.memories > 1 and (code + 1) * self.memories > MOST:
            raise NoPolicyError(
                f"{name_of(self.policy)} has more memory states than {MOST // (code + 1):,}: no bounds are known"
            )

    def states(self, nodes: Ints) -> Ints:
        """Returns the states of nodes ``[n]``."""
        return nodes if self.memories == 1 else nodes // self.memories

    def nodes(self, codes: Ints, memories: Ints) -> Ints:
        """Returns the nodes of states ``[n]`` with memory states ``[n]``."""
        return codes * self.memories + memories

    def enter(self, codes: Ints, before: Ints) -> Ints:
        """Returns the nodes of states ``[n]`` that follow other nodes ``[n]``, 0 for none; OVER stays."""
        if self.memories == 1:
            return codes
        self._check_size(int(codes.max(initial=0)))
        nodes, goes_on = codes.copy(), codes != OVER
        pairs = (codes * self.memories + before % self.memories)[goes_on]
        nodes[goes_on] = after = self._after(pairs)
        if (room := CHECKED - len(self.entered)) > 0:
            self.entered.extend(pairs=pairs[:room], nodes=after[:room])
            self.check()
        return nodes

    def _after(self, pairs: Ints) -> Ints:
        """Returns nodes ``[n]`` from states with the memory states before their observation."""
        codes, memory = self.states(pairs), pairs % self.memories
        return codes * self.memories + remembered(self.policy, self.player, codes, turns_of(self.game, codes), memory)

    def at(self, nodes: Ints) -> Floats:
        """Returns its probabilities at nodes ``[n, actions]``; where a part is hidden, at states."""
        known, numbers = len(self.asked), self.asked.number(seen_by(self.game, nodes, self.player))
        if len(self.asked) > known:
            at = self._observed(self.asked.codes[known:])
            self.rows.extend(probabilities=asked(self.policy, at, known < CHECKED))
        rows: Floats = self.rows["probabilities"][numbers]
        return rows

    def _observed(self, nodes: Ints) -> Observed:
        at = observed(self.game, self.states(nodes), self.player)
        return at._replace(memory=nodes % self.memories) if isinstance(self.policy, FiniteMemoryAgent) else at

    def check(self) -> None:
        """Checks that it says the same as before at some nodes.

        Raises:
            NoPolicyError: it says something else.
        """
        rows = np.random.default_rng(0).permutation(len(self.asked))[:CHECKED]
        check_again(self.policy, self._observed(self.asked.codes[rows]), self.rows["probabilities"][rows])
        pairs, nodes = self.entered["pairs"], self.entered["nodes"]
        if len(pairs) and (differs := self._after(pairs[::-1])[::-1] != nodes).any():
            raise changed(self.policy, self._observed(pairs), int(differs.argmax()), "memory states")

    @property
    def moves_alone(self) -> bool:
        """Whether it was asked where the responder does not choose; of a game where nothing is hidden."""
        return bool((turns_of(self.game, self.states(self.asked.codes)) == self.player).any())


def seen_by(game: Game, codes: Ints, player: int) -> Ints:
    """Returns what a player sees of states ``[n]``: information states, or the states themselves."""
    if not game.hides:
        return codes
    views = np.empty(len(codes), np.int64)
    kernels.information_states(game.compiled, np.ascontiguousarray(codes), player, views)
    return views
