"""What a given response wins from a policy: all games of the two are walked, as far as they are not too many."""

from typing import Any

import numpy as np

from nashzoo.baselines.bounded.fixed_policy import FixedPolicy
from nashzoo.baselines.bounded.search import Frontier, Moves, ResponseSearch, Tally
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.checks import name_of
from nashzoo.envs.core.game import BOTH, Bools, Floats, Game, Ints
from nashzoo.envs.core.reachable import turns_of

MOST = 200_000  # histories, merged where the state is the same
MOST_SLOW = 500  # of a response or policy whose decisions take long
MOVES = 500  # at most: play may recur


class Walk(ResponseSearch):
    """A search in which the responder does not choose: one node, with all games of both policies.

    Its bounds meet, but for rounding, where the games of the two are few; of what was not walked, all that is at stake
    lies between them.

    Raises:
        NoPolicyError: the response or the policy has no probabilities by state.
        UsageError: as from :class:`nashzoo.baselines.bounded.search.ResponseSearch`.
    """

    def __init__(self, game: Game, policy: Any, response: Any, player: int) -> None:
        self.own = FixedPolicy(game, response, player)
        if self.own.memories > 1:
            raise NoPolicyError(f"{name_of(response)} remembers more than the state: its games are not walked")
        slow = any(getattr(one, "slow", False) for one in (policy, response))
        self._left, self._moves_left = MOST_SLOW if slow else MOST, MOVES
        super().__init__(game, policy, player)

    def _stops(self, turns: Ints) -> Bools:
        self._left, self._moves_left = self._left - len(turns), self._moves_left - 1
        return np.full(len(turns), min(self._left, self._moves_left) < 0)

    def _moves(self, nodes: Ints) -> Moves:
        moves, turns = super()._moves(nodes), turns_of(self.game, self.opponent.states(nodes))
        chances, chooses = np.eye(1, self.game.num_actions).repeat(len(nodes), axis=0), turns == self.player
        chooses |= turns == BOTH
        if chooses.any():
            ranks = np.argsort(1 - moves.legal[self.player][chooses], axis=1, kind="stable")
            own = self.own.at(self.opponent.states(nodes[chooses]))
            chances[chooses] = np.take_along_axis(own, ranks, axis=1)
        shares = chances[moves.row, moves.own]
        moves = moves._replace(probabilities=moves.probabilities * shares, own=np.zeros_like(moves.own))
        return moves.at(np.flatnonzero(shares))

    def _add(self, reached: Frontier, tally: Tally, waves: int) -> None:
        super()._add(reached, tally, 2 * waves)  # probabilities of two policies are multiplied

    def _at_once(self, nodes: Ints) -> tuple[Floats, Ints]:
        return np.full(len(nodes), -np.inf), np.zeros(len(nodes), np.int64)  # it does what it does
