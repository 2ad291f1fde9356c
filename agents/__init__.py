"""Players by name: ``agents.make("bayesian", game)``; each is an :class:`Agent`."""

from nashzoo.agents.loading import as_agent
from nashzoo.agents.registry import learners, make, names, options, title, untaught
from nashzoo.envs.core.agent import Agent, PositionAgent

__all__ = ["Agent", "PositionAgent", "as_agent", "learners", "make", "names", "options", "title", "untaught"]
