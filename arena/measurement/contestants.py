"""The learners that are measured, by name: those of this package, classes and functions of others, and scripts."""

from typing import Any

from nashzoo import agents
from nashzoo.agents.learning.own_class import learner_of
from nashzoo.agents.registry import self_play_learner
from nashzoo.arena.measure import rivals_in
from nashzoo.arena.measurement.checkpoints import Contestant
from nashzoo.arena.measurement.classes import ClassContestant
from nashzoo.arena.measurement.scripts import ScriptContestant
from nashzoo.envs.base.modules import is_path
from nashzoo.envs.core.game import Game

GAMES_AT_ONCE = 1_000


def contestant(place: str | type[Any], settings: dict[str, Any] | None = None) -> Contestant:
    """Returns the learner with a name, ``module:Class``, ``./file.py:train`` or ``./script.py``; or of a class itself.

    Raises:
        UsageError: there is no such learner, class or file; or the class lacks what the contract demands.
    """
    if not isinstance(place, str):
        kind: Any = place
        return ClassContestant(kind.__name__, learner_of(kind), settings)
    return ScriptContestant(place) if is_path(place) else ClassContestant(place, self_play_learner(place), settings)


class Taught:
    """A learner of one seat, such as MENACE, against the scripted players, of which one is drawn for every game.

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
