"""The random player: every legal action with the same probability, in any game."""

import numpy as np

from nashzoo.envs.core.agent import PolicyAgent, uniform_over
from nashzoo.envs.core.game import Features, Floats, Ints, Mask
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.jit.numba import float64, int8, int64, void


@compiled(void(int8[:, ::1], float64[:, ::1], int64[::1]))
def _choose(masks: Mask, uniforms: Floats, actions: Ints) -> None:
    for i in range(len(actions)):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[i, action]
        left = int(uniforms[i, 0] * count)  # legal actions before the one to choose
        chosen = 0
        while left > 0 or masks[i, chosen] == 0:
            left -= masks[i, chosen]
            chosen += 1
        actions[i] = chosen


class RandomAgent(PolicyAgent):
    """Plays uniformly at random ("Beginner" in the browser)."""

    thread_safe = True

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns equal probabilities over the legal actions ``[B, actions]``."""
        return uniform_over(action_masks)

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Chooses by the first of the uniform numbers."""
        actions = np.empty(len(masks), np.int64)
        _choose(masks, uniforms, actions)
        return actions, memory
