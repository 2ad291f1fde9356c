"""``nashzoo tournament``: all against all, as a table, a CSV file and a picture."""

from pathlib import Path

import rich
from rich.progress import Progress

from nashzoo import agents
from nashzoo.agents.tasks import RESULTS
from nashzoo.agents.tournament import tournament
from nashzoo.app.names import game_of


def main(
    game: str,
    players: tuple[str, ...],
    games: int,
    seed: int,
    param: tuple[str, ...],
    out: Path,
    exact: bool = False,
    processes: int | None = None,
    ray: str | None = None,
) -> None:
    """Plays the tournament, prints its table, and writes the files."""
    chosen = game_of(game, param)
    names = players or tuple(name for name in agents.names(chosen) if name != "manual")
    with Progress(console=rich.get_console()) as progress:
        bar = progress.add_task("playing", total=None)

        def show(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        result = tournament(
            chosen, dict(zip(names, names, strict=True)), games, seed, show,
            exact=exact, processes=processes, ray=ray, folder=out,
        )  # fmt: skip
    rich.print(result.table())
    result.to_csv(out / "cross_table.csv")
    result.picture(out / "cross_table.png")
    rich.print(f"Written to {out / 'cross_table.csv'} and {out / 'cross_table.png'}.")
    (out / RESULTS).unlink()  # it was there for a tournament that is interrupted to go on
