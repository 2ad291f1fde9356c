"""The scripted player of Bodega Brawl."""

from typing import Any

import numpy as np

from nashzoo.agents.basic.entry import Entry
from nashzoo.agents.loading import as_agent
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import PolicyAgent, uniform_over
from nashzoo.envs.core.checks import name_of
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.games.bodega_brawl import rules as bodega_brawl
from nashzoo.envs.games.bodega_brawl.codes import sides
from nashzoo.envs.games.bodega_brawl.rules import ATTACK, COUNTER, DUAL_ATTACK, REGIONS

TIE = 1e-9  # probabilities that differ by no more are equal: strategies have rounding errors
FAR = 1 << 10  # more strikes than any knock-out takes


class ArgmaxCounterAgent(PolicyAgent):
    """Expects the likeliest action of a policy that the other player may follow.

    1. If that action attacks a region and a dual card of the region is in hand, counters there.
    2. Else attacks the region where the fewest strikes are missing to the region's limit, among those where at least
       as many cards are in hand (attack-only and dual together), with an attack-only card if there is one. In sudden
       death one strike is missing in every region. The limit of all strikes is ignored.
    3. If there is no such region, plays every legal action with the same probability.

    Of actions equally likely, and of regions equally near, the one that ``ACTIONS`` names first.

    Args:
        policy: The expected policy of the other player: a :class:`PolicyAgent`, or an argument for
            :func:`nashzoo.agents.as_agent`. The exact solution by default.

    Raises:
        UsageError: the game is not Bodega Brawl, or the policy is of another game.
        UsageTypeError: the policy does not choose by the state alone.
    """

    def __init__(self, game: Game, seed: int | None = None, *, policy: Any = "nash") -> None:
        if game.name != bodega_brawl.NAME:
            raise UsageError(f"{type(self).__name__} plays {bodega_brawl.NAME}, not {game.name}")
        super().__init__(game, seed)
        agent = as_agent(policy, game)
        if not isinstance(agent, PolicyAgent):
            raise UsageTypeError(f"the policy must choose by the state alone; {name_of(agent)} does not")
        self.policy = agent

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probabilities ``[B, actions]``: one action, or all legal ones equally."""
        codes, players = self.states_of(observations)
        counters = np.array([3 * region + COUNTER for region in range(len(REGIONS))])
        expected = self._expected(codes, 1 - players)
        answers = counters[expected // 3]
        rows = np.arange(len(codes))
        can_counter = (expected % 3 != COUNTER) & (action_masks[rows, answers] != 0)

        missing = np.where(players[:, None] == 0, *self._missing(codes))
        regions = missing.argmin(axis=1)
        attacks = 3 * regions + np.where(action_masks[rows, 3 * regions + ATTACK] != 0, ATTACK, DUAL_ATTACK)
        can_attack = missing[rows, regions] < FAR

        probabilities = uniform_over(action_masks)
        decided = can_counter | can_attack
        actions = np.where(can_counter, answers, attacks)
        probabilities[decided] = np.eye(self.game.num_actions)[actions[decided]]
        return probabilities

    def _expected(self, codes: Ints, players: Ints) -> Ints:
        """Returns the likeliest actions ``[B]`` of the policy in these players' place."""
        observations = np.empty((len(codes), self.game.num_features), np.float32)
        masks = np.empty((len(codes), self.game.num_actions), np.int8)
        kernels.observe_all(self.game.compiled, codes, players, observations)
        kernels.legal_all(self.game.compiled, codes, players, masks)
        probabilities = self.policy.action_probabilities(observations, masks)
        likeliest: Ints = (probabilities >= probabilities.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
        return likeliest

    def _missing(self, codes: Ints) -> tuple[Ints, Ints]:
        """Returns the missing strikes ``[B, regions]``, of player 0 on player 1 and of player 1 on player 0.

        They are ``FAR`` where the cards are not enough for them.
        """
        s = self.game.rules.decode(codes)  # works on arrays too
        limits = self.game.rules.tables_of(self.game.params).limits

        def missing(strikes: tuple[int, ...], attacks: tuple[int, ...], duals: tuple[int, ...]) -> Ints:
            needed = np.where(np.asarray(s.sudden_death)[:, None] == 1, 1, limits - np.stack(strikes, axis=1))
            enough = np.stack(attacks, axis=1) + np.stack(duals, axis=1) >= needed
            return np.where(enough, needed, FAR)

        (strikes0, *cards0), (strikes1, *cards1) = sides(s)
        return missing(strikes1, *cards0), missing(strikes0, *cards1)


PLAYERS = {
    "argmax_counter": Entry(
        "The Counterpuncher", ArgmaxCounterAgent, bodega_brawl.NAME, does="Counters the likeliest move of perfect play."
    )
}
