"""Learners of one seat, such as MENACE, as classes of two methods."""

from nashzoo import agents
from nashzoo.arena.measure import rivals_in
from nashzoo.envs.core.game import Game

GAMES_AT_ONCE = 1_000


class Taught:
    """A learner that plays against the scripted players of its game, of which one is drawn for every game.

    Args:
        seed: Seed of everything random.
        learner: Its name, one of ``agents.learners(game)``.
    """

    def __init__(self, game: Game, seed: int, learner: str = "menace") -> None:
        rivals = rivals_in(game, seed).values()
        teachers = agents.as_agent({agents.as_agent(rival, game): 1 for rival in rivals}, game)
        self.policy = agents.untaught(learner, game, teachers, "random", seed)
        self.num_timesteps = self.num_games = 0

    def learn(self, num_timesteps: int) -> None:
        """Learns from at least so many more decisions, to the end of a thousand games."""
        goal = self.num_timesteps + num_timesteps
        while self.num_timesteps < goal:
            self.num_timesteps += self.policy.learn(GAMES_AT_ONCE)
            self.num_games += GAMES_AT_ONCE
