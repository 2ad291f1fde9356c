"""Measures the policies of a training run: exact values where possible, and games against all players."""

import math
import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import rich
from rich.progress import Progress

from nashzoo import agents
from nashzoo.agents import Agent
from nashzoo.agents.basic.deterministic import DeterministicAgent
from nashzoo.agents.learning.learner import Learner
from nashzoo.agents.learning.past_policies import KINDS, PolicyMixture, SelfPlay
from nashzoo.agents.learning.self_play_learner import SelfPlayLearner
from nashzoo.app.training.report import LEARNED, MIXED, Curve, Deterministic, Report, Row
from nashzoo.arena.match import games_of_steps, play_seats
from nashzoo.baselines.measures import best_or_none, exploitability_or_none, tabulated, value_or_none
from nashzoo.baselines.states.indexed import numbering
from nashzoo.baselines.states.listed import TooManyStatesError
from nashzoo.envs import Game
from nashzoo.envs.core.agent import FiniteMemoryAgent, NoPolicyError

QUICK = 100_000  # states; a measurement with this many takes about a second
SLOW = 1_000_000  # states; a measurement with this many takes ten seconds or more
FEW_POINTS = 10
LEAST_PATIENCE = 60.0  # seconds for exact figures, or the time of learning if that is longer
SAMPLED_STEPS = 100_000  # joint steps for a point of the curve against an opponent without an exact value
PLAYED_STEPS = 200_000  # joint steps against each player for the report

SEATS: dict[int | str, tuple[int, ...]] = {0: (0,), 1: (1,), "random": (0, 1)}


class Evaluator:
    """Measures policies in one game against one training opponent.

    Args:
        game: The game.
        name: The training opponent's name.
        opponent: The training opponent; or a learner that plays both seats itself, which has no opponent.
        player: The learner's seat, 0, 1 or ``"random"``; figures are means over the seats it learns to play.
        seed: Seed of the sampled games.
        trained: The names of the players that the training opponent is a mixture of.
        held_out: The names of those held out.
        self_play: The source of the training opponent if it consists of the learner's past policies; then policies are
            measured against their mixture.
    """

    def __init__(
        self,
        game: Game,
        name: str,
        opponent: Agent,
        player: int | str,
        seed: int,
        trained: Sequence[str] = (),
        held_out: Sequence[str] = (),
        self_play: SelfPlay | PolicyMixture | None = None,
    ) -> None:
        self.game = game
        self.trained = dict.fromkeys(trained, True) | dict.fromkeys(held_out, False)
        self.name = name
        self.opponent = opponent if self_play is None else self_play.mixed
        self.self_play = self_play
        self.itself = isinstance(opponent, SelfPlayLearner)
        self.player = player
        self.seats = SEATS[player]
        self.seed = seed
        fixed = self_play is None and not self.itself
        self._fixed = fixed
        self.learners = self._untaught() if fixed else {}
        self.taught = 0  # games that self.learners have learned from
        self.made = time.monotonic()

    @cached_property
    def opponent_table(self) -> Agent:
        """The training opponent, as a table if it does not change."""
        table: Agent = tabulated(self.game, self.opponent) if self._fixed else self.opponent
        return table

    @cached_property
    def optimum(self) -> float | None:
        """The value of the best response to the training opponent; None if that is unknown, or the opponent changes."""
        return best_or_none(self.game, self.opponent_table, self.seats) if self._fixed else None

    @property
    def points(self) -> float:
        """The number of points of the learning curve whose time is acceptable; 0 for its end alone."""
        memories = self.opponent.memory_states if isinstance(self.opponent, FiniteMemoryAgent) else 1
        try:
            effort = len(numbering(self.game)) * memories
        except TooManyStatesError:
            return math.inf  # nothing is exact, and a few games are quick
        return math.inf if effort <= QUICK else FEW_POINTS if effort <= SLOW else 0

    def point(self, policy: Agent, timesteps: int, games: int) -> dict[str, Any]:
        """Returns a point of the learning curve; ``games`` must not decrease."""
        policy_table = tabulated(self.game, policy)
        rival = self.opponent if self.self_play is not None else self.opponent_table
        value = value_or_none(self.game, policy_table, rival, self.seats)
        if value is None:
            value = self._sampled(policy)
        for learner in self.learners.values():
            learner.learn(games - self.taught)
        self.taught = games
        others: dict[str, Any] = {
            LEARNED + name: exploitability_or_none(self.game, learner, self.seats)
            for name, learner in self.learners.items()
        }
        exploitability = exploitability_or_none(self.game, policy_table, self.seats)
        if self.self_play is not None:
            others[MIXED] = self.self_play.exploitability
        return {"timesteps": timesteps, "games": games, "value": value, "exploitability": exploitability} | others

    def _sampled(self, policy: Agent) -> float:
        games = games_of_steps(self.game, SAMPLED_STEPS, 4_000)
        return play_seats(self.game, policy, self.opponent, games, self.seed, self.seats).mean

    def _untaught(self) -> dict[str, Learner]:
        try:
            return {
                name: agents.untaught(name, self.game, self.opponent, self.player, self.seed)
                for name in agents.learners(self.game)
            }
        except NoPolicyError:  # they learn from policies alone
            return {}

    def report(
        self,
        policy: Agent,
        algorithm: str,
        timesteps: int,
        played: int,
        curve: Curve,
        games: int | None,
        progress: Progress,
        deterministic: bool = False,
    ) -> Report:
        """Plays the policy against all players and returns the report.

        Args:
            policy: The policy.
            algorithm: Its learning algorithm.
            timesteps: Number of decisions that it learned from.
            played: Number of games of training.
            curve: Its learning curve.
            games: Games against each player; when None 10,000, and fewer where games are long.
            progress: Shows the progress.
            deterministic: Whether to measure the policy's most likely actions, too.
        """
        games = games_of_steps(self.game, PLAYED_STEPS, 10_000) if games is None else games
        begun = time.monotonic()
        patience = max(begun - self.made, LEAST_PATIENCE)
        known = [name for name in agents.names(self.game) if name != "manual"]
        rivals = {} if self.itself else {self.name: self.opponent}
        rivals |= {name: agents.make(name, self.game) for name in known if name != self.name}
        policy_table = tabulated(self.game, policy)
        last = curve[-1] if curve and curve[-1]["timesteps"] == timesteps else self.point(policy, timesteps, played)
        if self.self_play is not None:
            self.optimum = best_or_none(self.game, self.opponent, self.seats)  # of the last mixture
        measured = [(policy, policy_table)]
        if deterministic:
            likeliest = DeterministicAgent(policy)
            measured.append((likeliest, tabulated(self.game, likeliest)))
        rows: list[list[Row]] = [[] for _ in measured]
        left_out = []
        for name, rival in progress.track(rivals.items(), total=len(rivals), description="measuring"):
            exact = time.monotonic() - begun <= patience
            trains = name == self.name and self.self_play is None
            asked = self.opponent_table if trains else tabulated(self.game, rival) if exact else rival
            best = self.optimum if trains else best_or_none(self.game, asked, self.seats) if exact else None
            if not exact and not trains:
                left_out.append(name)
            title = agents.title(name) if name in agents.names(self.game) else KINDS.get(name, name)
            for place, (player, table) in enumerate(measured):
                value = None
                if trains and place == 0:
                    value = last["value"] if best is not None and last["exploitability"] is not None else None
                elif exact:
                    value = value_or_none(self.game, table, asked, self.seats)
                result = play_seats(self.game, player, rival, games, self.seed, self.seats)
                rows[place].append(Row(name, title, result, value, best, self.trained.get(name)))
        if left_out:
            rich.print(
                f"Exact figures against {', '.join(left_out)} are left out: they would take too long to compute."
            )
        return Report(
            self.game,
            algorithm,
            self.name,
            self.player,
            timesteps,
            games=played,
            seed=self.seed,
            optimum=self.optimum,
            exploitability=last["exploitability"],
            learners={name: last[LEARNED + name] for name in self.learners},
            rows=rows[0],
            curve=curve,
            mixed_exploitability=last.get(MIXED),
            unit=self.opponent.UNIT if isinstance(self.opponent, SelfPlayLearner) else "decisions",
            deterministic=Deterministic(exploitability_or_none(self.game, measured[1][1], self.seats), rows[1])
            if deterministic
            else None,
        )
