"""The player that improves another policy where something is hidden: safe resolving of subgames."""

from typing import Any

import numpy as np

from nashzoo.agents.loading import as_agent
from nashzoo.baselines.information.measures import sequence_form_of
from nashzoo.baselines.information.resolving import Resolver
from nashzoo.baselines.policies.tabular import as_policy, asked
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.checks import check_count
from nashzoo.envs.core.game import Features, Floats, Game, Mask


class ResolvingAgent(PolicyAgent):
    """Plays by a policy, and resolves each subgame when play first comes there, see the module of :class:`Resolver`.

    No opponent wins more from it than from the policy. A resolved subgame is remembered, so that the player is a policy
    of the information state, and can be measured exactly.

    Args:
        policy: The policy: anything of which :func:`nashzoo.agents.as_agent` makes a player with probabilities.
        histories: The most histories of a subgame that is resolved. Where there are more, the policy plays.
        iterations: Iterations of CFR+ in a subgame.

    Raises:
        UsageError: there is no policy, or a number is out of its range.
        NoPolicyError: the policy has no probabilities at information states.
        TooManyStatesError: the game has too many histories to keep.
    """

    slow = True

    def __init__(
        self, game: Game, seed: int | None = None, *, policy: Any = None, histories: int = 5000, iterations: int = 500
    ) -> None:
        super().__init__(game, seed)
        if policy is None:
            raise UsageError("resolving improves a policy, so name one: resolving(policy=./model.safetensors)")
        self._policy = as_policy(as_agent(policy, game), game)
        self._limits = check_count("histories", histories), check_count("iterations", iterations)
        self._form = sequence_form_of(game)
        self._resolvers: dict[int, Resolver] = {}

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]``."""
        codes, players = self.states_of(observations)
        probabilities = np.empty(action_masks.shape)
        for player in set(players.tolist()):
            rows = players == player
            probabilities[rows] = self._resolver(player).probabilities_at(codes[rows])
        return probabilities

    def _resolver(self, player: int) -> Resolver:
        if player not in self._resolvers:
            table = asked(self._policy, self._form.observed[player])
            blueprint = np.concatenate([[1.0], table.ravel()[self._form.places[player]]])
            self._resolvers[player] = Resolver(self._form, player, blueprint, *self._limits)
        return self._resolvers[player]
