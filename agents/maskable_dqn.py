"""Compatibility: models saved by version 0.1.0 look for their policy here."""

from nashzoo.agents.learning.maskable_dqn import LegalQNetwork, MaskableDQN, MaskableDQNPolicy

__all__ = ["LegalQNetwork", "MaskableDQN", "MaskableDQNPolicy"]
