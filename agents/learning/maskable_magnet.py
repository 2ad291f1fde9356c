"""MaskablePPO's policy, with a magnet."""

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from nashzoo.agents.learning.magnet import Magnet


class MaskableMagnetPolicy(Magnet, MaskableActorCriticPolicy):
    """MaskablePPO's policy, with a magnet; a file of its own, for saved models say their policy's module alone."""
