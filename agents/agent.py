"""What a player is; defined next to the tables it sits at, so that exact solvers can return players too."""

from nashzoo.envs.agent import Agent, PositionAgent, sample, uniform_over

__all__ = ["Agent", "PositionAgent", "sample", "uniform_over"]
