"""Players by name: ``agents.make("bayesian", game)``; each is an :class:`Agent`."""

from nashzoo.agents.loading import as_agent
from nashzoo.agents.registry import learners, make, names, options, register, register_learner, title, untaught
from nashzoo.envs.core.agent import Agent, PolicyAgent

PositionAgent = PolicyAgent  # its former name, a base class of users' own classes

__all__ = ["Agent", "PolicyAgent", "PositionAgent", "as_agent", "learners", "make", "names", "options", "title"]
__all__ += ["register", "register_learner", "untaught"]
