"""Learners, searches and scripted players of each game, compared with the exact solution.

The entrants of each game are made and measured: their exploitability, and their points against each scripted player.
Entrants that depend on chance are made with several seeds. Every entrant with a seed is a task of its own. Results of
tasks are stored, so that an interrupted table resumes, and tasks are spread over processes or a cluster.
"""

import dataclasses
import json
import math
import shlex
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nashzoo import agents
from nashzoo.agents import Agent
from nashzoo.agents.basic.deterministic import DeterministicAgent
from nashzoo.agents.loading import fingerprint
from nashzoo.app.results.entrants import NAMED, PSRO_LEARNER, Entrant, entrants
from nashzoo.app.results.rows import ResultsRow
from nashzoo.app.results.table import DETERMINISTIC, EntrantResult, GameTable
from nashzoo.app.training import train
from nashzoo.app.training.options import Options
from nashzoo.arena.measure import QUICK, SLOW, SOLVED, Figure, measure, rivals_in
from nashzoo.arena.measurement import pacer
from nashzoo.arena.measurement.runs import FactsTask
from nashzoo.baselines.measures import states_measured
from nashzoo.envs import Game
from nashzoo.envs.base.files import file_name, written_whole
from nashzoo.envs.base.threads import processors
from nashzoo.envs.base.words import counted, lasting

ABOUT = {"table": "results", "version": version("nashzoo")}  # players and learners may differ between versions
TIMESTEPS = 300_000  # decisions, by default
CURVE_POINTS, FEW_POINTS = 10, 3
FIRST = 20_000  # decisions of the first trial that finds the pace
GAMES_AT_ONCE = 1_000  # of learners that do not use train.py


@dataclasses.dataclass(frozen=True)
class EntrantTask:
    """An entrant, made with one seed and measured; on all machines the result is the same, except for the seconds.

    Attributes:
        row: The game, with its parameters.
        entrant: The entrant.
        seed: Seed of everything random.
        timesteps: Decisions to learn from; None to learn for ``seconds``.
        seconds: Time to learn; None to learn from ``timesteps`` decisions.
        folder: Folder of the training runs, to resume them after an interruption; None to keep none.
    """

    row: ResultsRow
    entrant: Entrant
    seed: int
    timesteps: int | None
    folder: Path | None
    seconds: float | None = None

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
        game = self.row.make()
        rivals = rivals_in(game, self.seed)
        if self.entrant.player is None:
            with tempfile.TemporaryDirectory() if self.folder is None else nullcontext(self.folder) as folder:
                players, made = self._trained(Path(folder), game)
        elif self.entrant.kind == "learned":
            players, made = self._taught(game, rivals)
        else:
            chosen = dict(self.entrant.options)
            if self.entrant.seeded:
                chosen["search_seed"] = self.seed
            players, made = {self.entrant.name: agents.as_agent(self.entrant.player, game, self.seed, **chosen)}, {}
        known = _last_point(made)
        measured = {
            name: measure(
                game, player, rivals=rivals, seed=self.seed, known=known if name == self.entrant.name else None
            ).stored
            for name, player in players.items()
        }
        return {"players": measured, **made}

    def _trained(self, folder: Path, game: Game) -> tuple[dict[str, Agent], dict[str, Any]]:
        run_dir = folder / file_name(self.key)
        options = Options(
            self.row.game, param=self.row.param, seed=self.seed, run_dir=run_dir, resume=run_dir.exists(),
            report_seconds=math.inf, **self.entrant.options,
        )  # fmt: skip
        if self.seconds is not None:
            kept = run_dir.with_name(run_dir.name + ".decisions.json")
            timesteps = decisions_in(self.entrant.times * self.seconds, options, kept)
        else:
            timesteps = self.entrant.times * (self.timesteps or TIMESTEPS)
        points = 1 if options.is_self_play_learner else curve_points(game)  # they measure at moments of their own
        options.timesteps, options.stop_at = timesteps, SOLVED * self.row.stake
        options.measure_every = max(1, timesteps // points) if points > 1 else None
        learned = train.learn(options)
        players = {self.entrant.name: learned.policy}
        pure = game.perfect_information and self.entrant.name != PSRO_LEARNER
        if options.entry.gives_distributions and pure:
            players[self.entrant.name + DETERMINISTIC] = DeterministicAgent(learned.policy)
        if learned.evaluator.self_play is not None:
            players[f"{self.entrant.name}, mixed"] = learned.evaluator.self_play.mixed
        made = {"timesteps": learned.timesteps, "games": learned.games, "seconds": learned.seconds}
        return players, made | {"curve": learned.curve}

    def _taught(self, game: Game, rivals: Mapping[str, Agent]) -> tuple[dict[str, Agent], dict[str, Any]]:
        """Trains a learner that does not use ``train.py``, against players that are drawn for every game."""
        assert self.entrant.player is not None
        teachers = agents.as_agent({agents.as_agent(rival, game): 1 for rival in rivals.values()}, game)
        learner = agents.untaught(self.entrant.player, game, teachers, "random", self.seed)
        decisions = games = 0
        curve: list[dict[str, Any]] = []
        seconds = share = 0.0
        while share < 1.0:
            begun = time.process_time()
            decisions += learner.learn(GAMES_AT_ONCE)
            seconds += time.process_time() - begun
            games += GAMES_AT_ONCE
            share = decisions / self.timesteps if self.timesteps is not None else seconds / (self.seconds or 1.0)
            if share >= (len(curve) + 1) / CURVE_POINTS:
                exploited = measure(game, learner).exploitability.value
                curve.append({"timesteps": decisions, "seconds": seconds, "exploitability": exploited})
        made = {"timesteps": decisions, "games": games, "seconds": seconds}
        return {self.entrant.name: learner}, made | {"curve": curve}


def decisions_in(seconds: float, options: Options, kept: Path) -> int:
    """Returns the number of decisions that a run would learn from in ``seconds``, estimated by shorter runs.

    The time of measuring does not count. The file ``kept`` stores the number for a run that is resumed.
    """
    if kept.exists():
        return int(json.loads(kept.read_text(encoding="utf-8")))

    def trial(decisions: int) -> tuple[int, float]:
        with tempfile.TemporaryDirectory() as folder:
            short = dataclasses.replace(options, timesteps=decisions, run_dir=Path(folder) / "trial", resume=False)
            learned = train.learn(short, measure=False)
        return learned.timesteps, learned.seconds

    settings = options.settings()
    first = max(FIRST, settings.num_envs * (settings.n_steps or 1))
    trial(first)  # its time includes compilation
    decisions = pacer.decisions_in(seconds, trial, first)
    with written_whole(kept) as path:
        path.write_text(json.dumps(decisions), encoding="utf-8")
    return decisions


Task = EntrantTask | FactsTask


def curve_points(game: Game) -> int:
    """Returns the number of points of a model's learning curve: few in games where measuring takes long."""
    states = states_measured(game)
    return CURVE_POINTS if states <= QUICK else FEW_POINTS if states <= SLOW else 1


def _last_point(made: Mapping[str, Any]) -> Figure | None:
    """Returns the exploitability at the last point of a learning curve, if it is of the last policy."""
    last = made["curve"][-1] if made.get("curve") else None
    return Figure(last["exploitability"]) if last is not None and last["timesteps"] == made["timesteps"] else None


def budget_text(tasks: Sequence[Task], processes: int | None, ray: str | None) -> str:
    """Returns how much learners will learn, and about how long it takes, in words; empty if nobody learns."""
    learners = [task for task in tasks if isinstance(task, EntrantTask) and task.entrant.kind == "learned"]
    if not learners:
        return ""
    seconds, number = learners[0].seconds, counted(len(learners), "learning run")
    if seconds is None:
        return f"{number} of {learners[0].timesteps:,} decisions; --seconds limits their time"
    if ray:
        return f"{number} of {seconds:g} s"
    times, workers = [task.entrant.times for task in learners], processes or processors()
    least = max(max(times), sum(times) / workers) * seconds
    return (
        f"{number} of {seconds:g} s take at least {lasting(least)} in {counted(workers, 'process')}; compiling and "
        "measuring come on top"
    )


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


def table_of(row: ResultsRow, tasks: Sequence[Task], results: Mapping[str, Any]) -> GameTable:
    """Returns one game's table from the results of its tasks."""
    measured = []
    best: dict[str, float | None] = {}
    for task in tasks:
        result = results[task.key]
        if isinstance(task, FactsTask):
            best = result.get("best", result)  # version 0.2 stored these alone
            continue
        made = {name: value for name, value in result.items() if name != "players"}
        entrant = task.entrant
        measured += [
            EntrantResult(name, entrant.kind, entrant.given, task.seed, figures, made, entrant.unit)
            for name, figures in result["players"].items()
        ]
    return GameTable(row, measured, best)


def command_of(
    games: Sequence[str],
    seeds: int,
    timesteps: int | None,
    seconds: float | None,
    out: Path,
    named: Sequence[str],
    learners: Sequence[str],
) -> str:
    """Returns the line that computes the same table."""
    budget = f"--timesteps {timesteps}" if seconds is None else f"--seconds {seconds:g}"
    lists = (("--agents", named), ("--learner", learners))
    others = [word for option, names in lists if names for word in (option, *map(shlex.quote, names))]
    return " ".join(["nashzoo results", *games, *others, f"--seeds {seeds} {budget} --out {out}"])
