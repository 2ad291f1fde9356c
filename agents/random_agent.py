"""The player to beat first: any legal action with the same probability, in any game."""

from nashzoo.envs.agent import PositionAgent, uniform_over
from nashzoo.envs.game import Features, Floats, Mask


class RandomAgent(PositionAgent):
    """Plays uniformly at random ("The Chaotic")."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns equal probabilities over the legal actions ``[B, actions]``."""
        return uniform_over(action_masks)
