"""``nashzoo bench``: a learner in the games of the protocol, measured exactly, beside those of this package.

Every run is a task of its own: a game and a seed. Results are stored, so that an interrupted benchmark resumes, and
tasks are spread over processes or a cluster.
"""

import shutil
import statistics
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nashzoo.agents.basic.checks import check_positive
from nashzoo.app.bench import scorecard
from nashzoo.app.bench.checkpoints import Contestant
from nashzoo.app.bench.comparison import Comparison, Improvement, Ranked, compare
from nashzoo.app.bench.contestants import contestant, located
from nashzoo.app.bench.held_out import held_out as held_out_games
from nashzoo.app.bench.intervals import Estimate
from nashzoo.app.bench.outcomes import RunOutcome, SizeOutcome
from nashzoo.app.bench.protocol import HELD_OUT, SECONDS, SEEDS, VERSION, Size, sizes_of
from nashzoo.app.bench.reference import others_than
from nashzoo.app.bench.runs import BenchTask, FactsTask
from nashzoo.app.commands.check import WRONG
from nashzoo.app.commands.interruption import continued_in
from nashzoo.arena.tasks import ResultStore, run_missing
from nashzoo.envs.base.json_text import json_text
from nashzoo.envs.base.progress import note, progress_bar
from nashzoo.envs.base.threads import processors
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.checks import check_count


def main(
    place: str,
    games: Sequence[str] = (),
    every: bool = False,
    held_out: int | None = None,
    seeds: int = SEEDS,
    seconds: float = SECONDS,
    processes: int | None = None,
    ray: str | None = None,
    out: Path = Path("bench"),
    files: Sequence[Path] = (),
    retry: bool = False,
    as_json: bool = False,
) -> None:
    """Does the runs that are missing, prints what was reached, and writes the scorecard.

    Raises:
        UsageError: a number is out of its range, there is no such learner or game, the learner breaks the contract,
            the folder holds results of another learner or protocol, or a file to compare with does not have such.
    """
    check_count("seeds", seeds)
    check_positive("seconds", seconds)
    learner = contestant(place)
    others = others_than(learner.name, files)
    sizes = sizes_of(games, every)
    if held_out is not None:
        sizes += [Size("held out", row) for row in held_out_games(check_count("held-out", held_out, 0), HELD_OUT)]
    learner.check(sizes[0].row)
    runs = None if ray else out / "runs"  # the machines of a cluster need not share a folder
    tasks = [BenchTask(located(place), size, seed, seconds, runs) for size in sizes for seed in range(seeds)]
    with continued_in(out):
        store = ResultStore(out, about(learner, seconds))
        if retry:
            for task in tasks:
                if store.get(task.key, {}).get("error"):
                    del store[task.key]
                    shutil.rmtree(out / "runs" / task.name, ignore_errors=True)
        missing = [task for task in tasks if task.key not in store]
        if missing:
            note(_duration(missing, processes or processors(), seconds, bool(ray)))
        with progress_bar("measuring") as show:
            run_missing(tasks, store, processes, ray, show, BenchTask.failed)
        with progress_bar("computing best responses") as show:
            run_missing([FactsTask(size.row) for size in sizes], store, processes, ray, show)
        comparison = compare(outcomes_of(learner, tasks, store), others)
        paths = scorecard.write(comparison, out)
    if as_json:
        print(json_text(described(comparison.own) | compared(comparison)))
    else:
        for line in summary(comparison):
            print(line)
        print(f"Written to {', '.join(map(str, paths))}.")
    if any(run.error for outcome in comparison.own for run in outcome.runs):
        sys.exit(WRONG)


def about(learner: Contestant, seconds: float) -> dict[str, Any]:
    """Returns what results must have in common to be compared: other code, time or protocol gives other ones."""
    return {
        "protocol": VERSION,
        "learner": learner.fingerprint,
        "seconds": seconds,
        "version": version("nashzoo"),
    }


def outcomes_of(learner: Contestant, tasks: Sequence[BenchTask], results: Mapping[str, Any]) -> list[SizeOutcome]:
    """Returns what a learner reached in each game, from the results of its runs."""
    outcomes = []
    for size in {task.size.row.key: task.size for task in tasks}.values():
        facts = results[FactsTask(size.row).key]
        runs = [RunOutcome(task.seed, **results[task.key]) for task in tasks if task.size is size]
        known = learner.name, learner.given, learner.unit, size
        outcomes.append(SizeOutcome(*known, facts["states"], runs, facts["best"], tasks[0].seconds))
    return outcomes


def summary(comparison: Comparison) -> list[str]:
    """Returns two tables in lines: what was reached in each game, and from what; and other learners in these games."""
    outcomes, place = comparison.own, comparison.place
    width = max(len(outcome.size.row.title) for outcome in outcomes)
    lines = [f"{'game':<{width}}  {'exploitability':<16}  {outcomes[0].unit:>12}  seconds"]
    for outcome in outcomes:
        scores = outcome.scores
        spread = f" ± {statistics.stdev(scores):.3f}" if len(scores) > 1 else ""
        ends = [run.curve[-1] for run in outcome.runs if run.curve]
        timesteps, seconds = (
            statistics.fmean(point[name] for point in ends) if ends else 0.0 for name in ("timesteps", "seconds")
        )
        figures = f"{statistics.fmean(scores):.3f}{spread}"
        lines.append(f"{outcome.size.row.title:<{width}}  {figures:<16}  {timesteps:>12,.0f}  {seconds:7.3g}")
    ranked = len(comparison.ranking)
    rank = f": rank {place.rank} of {ranked}" * (ranked > 1)
    lines.append(f"{counted(len(comparison.titles), 'game')} together: {place.mean}, interquartile mean{rank}")
    if comparison.improvements:
        width = max(len("other learner"), *(len(row.learner) for row in comparison.improvements))
        lines.append(f"{'other learner':<{width}}  {'exploitability':<24}  games  probability that it is worse")
        lines += [
            f"{row.learner:<{width}}  {row.theirs!s:<24}  {row.games:>5}  {row.probability}"
            for row in comparison.improvements
        ]
    lines += [
        f"{outcome.size.row.title}, seed {run.seed}: {run.error}"
        for outcome in outcomes
        for run in outcome.runs
        if run.error
    ]
    return lines


def compared(comparison: Comparison) -> dict[str, Any]:
    """Returns for JSON by what the figures are made, and how the learner compares with others."""
    return {
        "version": version("nashzoo"),
        "deviations": scorecard.deviations(comparison.own),
        "scores": {one.size.row.title: one.scores for one in comparison.own},
        "ranked_in": comparison.titles,
        "ranking": [_plain(row) for row in comparison.ranking],
        "improvements": [_plain(row) for row in comparison.improvements],
    }


def _plain(row: Ranked | Improvement) -> dict[str, Any]:
    return {name: one._asdict() if isinstance(one, Estimate) else one for name, one in row._asdict().items()}


def described(outcomes: Sequence[SizeOutcome]) -> dict[str, Any]:
    """Returns the outcomes of a learner for JSON."""
    return {
        "protocol": VERSION,
        "learner": outcomes[0].learner,
        "given": outcomes[0].given,
        "unit": outcomes[0].unit,
        "seconds": outcomes[0].seconds,
        "games": [
            {
                "title": outcome.size.row.title,
                "family": outcome.size.family,
                "game": outcome.size.row.name,
                "states": outcome.states,
                "stake": outcome.size.row.stake,
                "best_responses": outcome.best,
                "runs": [run._asdict() for run in outcome.runs],
            }
            for outcome in outcomes
        ],
    }


def _duration(missing: Sequence[BenchTask], workers: int, seconds: float, is_cluster: bool) -> str:
    """Returns about how long runs take, in words."""
    runs = f"{counted(len(missing), 'run')} of {seconds:g} s"
    if is_cluster:
        return runs
    least = max(len(missing) / workers, 1.0) * seconds
    duration = f"{least:.0f} s" if least < 120 else f"{least / 60:,.0f} min"
    return (
        f"{runs} take about {duration} in {counted(workers, 'process')}, less if games are solved; measuring "
        "comes on top, and compiling the first time, about a minute"
    )
