"""Everyone who can sit at a table: ``agents.make("bayesian", game)``; each is an :class:`Agent`."""

from nashzoo.agents.agent import Agent, PositionAgent
from nashzoo.agents.registry import as_agent, make, names, options, title

__all__ = ["Agent", "PositionAgent", "as_agent", "make", "names", "options", "title"]
