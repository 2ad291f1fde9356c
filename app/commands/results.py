"""Measure all learners, searches and scripted players of a game: the table of results.

Prints the exploitability of each, and writes all figures as CSV, as text and as pictures. Without a game it prints what
this package's learners are known to reach, and measures nothing.

Example: nashzoo results tictactoe_v0 --seeds 1 --timesteps 5000
"""

import itertools
from pathlib import Path
from typing import Annotated

import rich
from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import LEARNER, PLAYER, RUN_DIR, Json, Processes, Quiet, Ray, be_quiet


def main(
    games: Annotated[
        Positional[tuple[str, ...]],
        arg(metavar="[GAME ...]", help="Names, modules or files, with parameters as in footsies_v0:rounds=3."),
    ] = (),
    /,
    agents: Annotated[
        tuple[str, ...], arg(help=f"More players to measure, also 'mcts(simulations=50)'. Each is {PLAYER}.")
    ] = (),
    learner: Annotated[
        tuple[str, ...], arg(help=f"More learners that play both seats. Each is {LEARNER}. They are measured first.")
    ] = (),
    seeds: Annotated[int, arg(help="Number of seeds for each player that depends on chance.")] = 3,
    timesteps: Annotated[int | None, arg(help="Decisions each learner learns from; 300,000 when left out.")] = None,
    seconds: Annotated[float | None, arg(help="Processor seconds of each learner, instead of --timesteps.")] = None,
    processes: Processes = None,
    ray: Ray = None,
    out: Annotated[Path, arg(aliases=RUN_DIR, help="Folder for results, tables and pictures; resumes.")] = Path(
        "results"
    ),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Computes the missing results, and writes the table.

    Raises:
        UsageError: a number is out of its range, both a time and a number of decisions are given, there is no such game
            in the table, or a named player does not play it or a learner cannot learn it.
    """
    from nashzoo.agents import as_agent
    from nashzoo.agents.basic.checks import check_positive
    from nashzoo.app.results.entrants import rows_of
    from nashzoo.app.results.results import ABOUT, TIMESTEPS, budget_text, command_of, is_named, table_of, tasks_of
    from nashzoo.app.results.table import described, known, printed, write
    from nashzoo.app.shared.interruption import continued_in
    from nashzoo.arena.measurement.contestants import contestant
    from nashzoo.arena.pictures import need_matplotlib
    from nashzoo.arena.tasks import ResultStore, run_missing
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.base.json_text import json_text
    from nashzoo.envs.base.progress import note, progress_bar
    from nashzoo.envs.core.checks import MOST_SEEDS, check_count, check_whole

    be_quiet(quiet)
    need_matplotlib()
    check_whole("seeds", seeds, 1, MOST_SEEDS)
    if seconds is not None:
        check_positive("seconds", seconds)
        if timesteps is not None:
            raise UsageError("learners learn for so many seconds or from so many decisions; leave out one of the two")
    else:
        timesteps = check_count("timesteps", TIMESTEPS if timesteps is None else timesteps)
    if not games:
        if as_json or agents or learner:
            raise UsageError("name the games to measure in, such as footsies_v0")
        rich.print(known())
        return
    chosen = rows_of(games)
    for row, name in itertools.product(chosen, agents):
        as_agent(name, row.make())
    for row, name in itertools.product(chosen, learner):
        contestant(name).check(row)
    runs = None if ray else out / "runs"  # the machines of a cluster need not share a folder
    tasks = [tasks_of(row, seeds, timesteps, runs, seconds, agents, learner) for row in chosen]
    in_order = sorted(itertools.chain(*tasks), key=lambda task: not is_named(task))
    with continued_in(out):
        store = ResultStore(out, ABOUT)
        if budget := budget_text([task for task in in_order if task.key not in store], processes, ray):
            note(budget)
        with progress_bar("measuring") as show:
            run_missing(in_order, store, processes, ray, show)
        tables = [table_of(row, some, store) for row, some in zip(chosen, tasks, strict=True)]
        options = {"agents": agents, "learner": learner, "seeds": seeds, "timesteps": timesteps, "seconds": seconds}
        paths = write(tables, out, command_of(games, **options, out=out))
    if as_json:
        print(json_text(described(tables)))
        return
    for table in tables:
        rich.print(printed(table))
    rich.print(f"Written to {', '.join(map(str, paths))}.")
