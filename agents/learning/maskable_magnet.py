"""MaskablePPO's policy, with a magnet."""

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from nashzoo.agents.learning.magnet import Magnet


class MaskableMagnetPolicy(Magnet, MaskableActorCriticPolicy):
    """MaskablePPO's policy, with a magnet; in its own file, since saved models contain only their policy's module."""
