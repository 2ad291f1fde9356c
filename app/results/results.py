"""Learners, searches and scripted players of each game, compared with the exact solution.

The entrants of each game are made and measured: their exploitability, and their points against each scripted player.
Entrants that depend on chance are made with several seeds. Every entrant with a seed is a task of its own. Results of
tasks are stored, so that an interrupted table resumes, and tasks are spread over processes or a cluster.
"""

import dataclasses
import math
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nashzoo import agents
from nashzoo.agents.basic.deterministic import DeterministicAgent
from nashzoo.agents.learning.own_class import learner_of
from nashzoo.agents.learning.past_policies import SELF
from nashzoo.agents.loading import fingerprint
from nashzoo.agents.registry import learner_entries
from nashzoo.app.results.entrants import NAMED, PSRO_LEARNER, Entrant, entrants
from nashzoo.app.results.rows import ResultsRow
from nashzoo.app.results.table import DETERMINISTIC, EntrantResult, GameTable
from nashzoo.app.training.options import Options
from nashzoo.app.training.ppo_config import POPULATION
from nashzoo.arena.measure import QUICK, SEARCHED, SLOW, SOLVED, Figure, measure, rivals_in
from nashzoo.arena.measurement.checkpoints import Learns, Run
from nashzoo.arena.measurement.classes import ClassContestant
from nashzoo.arena.measurement.contestants import Taught, contestant
from nashzoo.arena.measurement.learning import Learning, Point
from nashzoo.arena.measurement.pacer import Schedule, among, apart, every, usual
from nashzoo.arena.measurement.points import Points, bounds_in, point_of
from nashzoo.arena.measurement.runs import FactsTask
from nashzoo.baselines.measures import states_measured
from nashzoo.envs import Game
from nashzoo.envs.base.files import file_name
from nashzoo.envs.base.threads import processors
from nashzoo.envs.base.words import counted, lasting

ABOUT = {"table": "results", "version": version("nashzoo")}  # players and learners may differ between versions
TIMESTEPS = 300_000  # decisions, by default
PACE = 50_000  # decisions a second, the mean of the learners in Footsies
CURVE_POINTS, FEW_POINTS = 10, 3


@dataclasses.dataclass(frozen=True)
class EntrantTask:
    """An entrant, made with one seed and measured; on all machines the result is the same, except for the seconds."""

    row: ResultsRow  # the game, with its parameters
    entrant: Entrant
    seed: int  # seed of everything random
    timesteps: int | None  # decisions to learn from; None to learn for seconds
    folder: Path | None  # folder of the training runs, to resume them after an interruption; None to keep none
    seconds: float | None = None  # time to learn; None to learn from timesteps decisions

    @property
    def key(self) -> str:
        """What the result is kept under."""
        times = self.entrant.times
        budget = f" {self.timesteps}" if self.seconds is None else f" {self.seconds:g} s"
        budget += f" x{times}" if times > 1 else ""
        learned = budget if self.entrant.kind == "learned" else ""
        chosen = dict(self.entrant.options)
        if chosen.get("algorithm"):
            chosen["algorithm"] = fingerprint(chosen["algorithm"])
        options = "".join(f" {name}={value!r}" for name, value in sorted(chosen.items()))
        name = fingerprint(self.entrant.name) if self.entrant.kind == NAMED else self.entrant.name
        return f"{self.row.key} {name}{options}{learned} {self.seed}"

    def __call__(self) -> dict[str, Any]:
        """Returns the figures of each policy of the entrant, by name, and its learning curve, games and time."""
        game, name = self.row.make(), self.entrant.name
        rivals = rivals_in(game, self.seed)
        if self.entrant.kind == "learned":
            with tempfile.TemporaryDirectory() if self.folder is None else nullcontext(self.folder) as folder:
                players, made = self._learned(Path(folder), game)
        else:
            chosen = dict(self.entrant.options)
            if self.entrant.seeded:
                chosen["search_seed"] = self.seed
            players, made = {name: agents.as_agent(self.entrant.player, game, self.seed, **chosen)}, {}
        last = made["curve"][-1] if made else {}
        known = {name: Figure(last["exploitability"], bounds=bounds_in(last))} if made else {}
        measured = {
            name: measure(game, player, rivals=rivals, seed=self.seed, known=known.get(name), seconds=SEARCHED).stored
            for name, player in players.items()
        }
        return {"players": measured, **made}

    def _learned(self, folder: Path, game: Game) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the policies that were learned, by name, and what it took."""
        entrant, options = self.entrant, self.entrant.options
        opponent = options.get("opponent", SELF) if entrant.player is None else POPULATION
        asked = {"algorithm": entrant.name, "opponent": opponent, "game": self.row.name}
        run = Run(folder / file_name(self.key), asked | {"seed": self.seed, "key": self.key})
        seconds = math.inf if self.seconds is None else entrant.times * self.seconds
        timesteps = None if self.timesteps is None else entrant.times * self.timesteps
        learner, point, plan = self._prepared(run, game, timesteps, seconds)
        learning = Learning(run, point, SOLVED * self.row.stake, keeps=learner.resumes)
        last = learning.learn(learner, self.row, self.seed, plan)
        players = {entrant.name: last.policy}
        known = learner_entries().get(options.get("algorithm", ""))
        if known and known.gives_distributions and game.perfect_information and entrant.name != PSRO_LEARNER:
            players[entrant.name + DETERMINISTIC] = DeterministicAgent(last.policy)
        if isinstance(point, Points) and point.self_play is not None:
            players[f"{entrant.name}, mixed"] = point.self_play.mixed
        made = {"timesteps": last.timesteps, "games": run.effort.games, "seconds": run.effort.seconds}
        return players, made | {"curve": run.curve}

    def _prepared(self, run: Run, game: Game, timesteps: int | None, seconds: float) -> tuple[Learns, Point, Schedule]:
        """Returns the learner, what measures its curve, and when."""
        options = self.entrant.options
        if self.entrant.player is not None:
            taught = ClassContestant(self.entrant.player, learner_of(Taught), {"learner": self.entrant.player})
            marks = among(()) if timesteps is None else every(max(1, timesteps // CURVE_POINTS))
            shares = [k / CURVE_POINTS for k in range(1, CURVE_POINTS + 1)]
            plan = Schedule(marks, timesteps or math.inf, seconds, shares, untrained=False, late=math.inf)
            return taught, partial(point_of, game), plan
        if "opponent" not in options:
            learner, points = contestant(options["algorithm"]), Points(game)
            return learner, points, usual(learner.first_point, points.acceptable, timesteps, seconds)
        from nashzoo.app.training.sb3_training import ModelContestant, decisions_in

        chosen = Options(self.row.game, param=self.row.param, seed=self.seed, run_dir=run.folder, **options)
        budget = chosen.timesteps = timesteps or decisions_in(seconds, chosen, self.row, run)
        model, states = ModelContestant(chosen, game), states_measured(game)
        number = CURVE_POINTS if states <= QUICK else FEW_POINTS if states <= SLOW else 1  # few where it takes long
        distance = max(1, budget // number) if number > 1 else math.inf
        return model, model.points, apart(distance, budget)


Task = EntrantTask | FactsTask


def budget_text(tasks: Sequence[Task], processes: int | None, ray: str | None) -> str:
    """Returns how much learners will learn, and about how long it takes, in words; empty if nobody learns."""
    learners = [task for task in tasks if isinstance(task, EntrantTask) and task.entrant.kind == "learned"]
    if not learners:
        return ""
    seconds, timesteps = learners[0].seconds, learners[0].timesteps or 0
    budget = f"{timesteps:,} decisions" if seconds is None else f"{seconds:g} s"
    runs = f"{counted(len(learners), 'learning run')} of {budget}"
    if ray:
        return runs
    times, workers = [task.entrant.times for task in learners], processes or processors()
    least = max(max(times), sum(times) / workers) * (timesteps / PACE if seconds is None else seconds)
    learning = f" take at least {lasting(least)}" if least >= 1.0 else ""
    return f"{runs}{learning} in {counted(workers, 'process')}; compiling, searching and measuring take minutes more"


def tasks_of(
    row: ResultsRow,
    seeds: int,
    timesteps: int | None,
    folder: Path | None,
    seconds: float | None = None,
    named: Sequence[str] = (),
    learners: Sequence[str] = (),
) -> list[Task]:
    """Returns the tasks of one game, also for players that are ``named``, and for more ``learners``."""
    made = [
        EntrantTask(row, entrant, seed, timesteps, folder, seconds)
        for entrant in entrants(row, named, learners)
        for seed in range(seeds if entrant.seeded else 1)
    ]
    return [*made, FactsTask(row)]


def is_named(task: Task) -> bool:
    """Returns whether the user named the entrant; then it is measured first."""
    return isinstance(task, EntrantTask) and task.entrant.named


def table_of(row: ResultsRow, tasks: Sequence[Task], results: Mapping[str, Any]) -> GameTable:
    """Returns one game's table from the results of its tasks."""
    measured = []
    best: dict[str, float | None] = {}
    for task in tasks:
        result = results[task.key]
        if isinstance(task, FactsTask):
            best = result.get("best", result)  # the committed table stores these alone
            continue
        made = {name: value for name, value in result.items() if name != "players"}
        entrant = task.entrant
        measured += [
            EntrantResult(name, entrant.kind, entrant.given, task.seed, figures, made, entrant.unit)
            for name, figures in result["players"].items()
        ]
    return GameTable(row, measured, best)


def command_of(games: Sequence[str], **options: Any) -> str:
    """Returns the line that computes the same table."""
    words = ["nashzoo", "results", *games]
    for name, value in options.items():
        values = value if isinstance(value, tuple) else [f"{value:g}" if isinstance(value, float) else str(value)]
        words += [f"--{name}", *values] * (value is not None and value != ())
    return shlex.join(words)
