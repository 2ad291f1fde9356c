"""Hands on what models that were saved before learners had a room of their own ask for here."""

from nashzoo.agents.learning.maskable_dqn import LegalQNetwork, MaskableDQN, MaskableDQNPolicy

__all__ = ["LegalQNetwork", "MaskableDQN", "MaskableDQNPolicy"]
