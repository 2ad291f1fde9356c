"""``nashzoo tournament``: all against all, as a table, a CSV file and a picture."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import rich
from rich.table import Table

from nashzoo import agents
from nashzoo.app.command_line.csv_text import csv_text
from nashzoo.app.command_line.parsing import game_of
from nashzoo.app.command_line.progress import progress_bar
from nashzoo.arena import heat_map
from nashzoo.arena.match import wilson
from nashzoo.arena.tasks import RESULTS
from nashzoo.arena.tournament import Tournament, tournament
from nashzoo.envs.base.files import written_whole

COLUMNS = (
    "player", "opponent", "games", "wins", "draws", "losses", "unfinished",
    "win_share", "win_low", "win_high", "draw_share", "draw_low", "draw_high", "loss_share", "loss_low", "loss_high",
    "points_per_game", "standard_error", "exact_points_per_game",
)  # fmt: skip
CELL = (0.95, 0.62)  # inches, width and height in the picture


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
    with progress_bar("playing") as show:
        played = tournament(
            chosen, dict(zip(names, names, strict=True)), games, seed, show,
            exact=exact, processes=processes, ray=ray, folder=out,
        )  # fmt: skip
    rich.print(cross_table(played))
    to_csv(played, out / "cross_table.csv")
    picture(played, out / "cross_table.png")
    rich.print(f"Written to {out / 'cross_table.csv'} and {out / 'cross_table.png'}.")
    (out / RESULTS).unlink()  # it was there for a tournament that is interrupted to go on


def cross_table(played: Tournament) -> Table:
    """Returns the cross table for the terminal; the last column is points per game over all opponents."""
    table = Table(title=_heading(played), show_lines=True, padding=(0, 1, 0, 0))  # seven players fit into 80 columns
    table.add_column("player")
    for name in played.names:
        table.add_column(name, justify="center")
    table.add_column("points", justify="right")
    for player in played.names:
        cells = []
        for other in played.names:
            cell = "" if other == player else _cell(played, player, other, 0)
            if (player, other) in played.exact:
                cell += f"\n{played.results[player, other].mean:+.4f}\nexact {played.exact[player, other]:+.4f}"
            cells.append(cell)
        table.add_row(player, *cells, f"{played.score(player):+.3f}")
    return table


def to_csv(played: Tournament, path: Path) -> None:
    """Writes a line for each player and opponent; shares come with the ends of their 95 % intervals."""
    with written_whole(path) as temporary:
        temporary.write_text(csv_text(COLUMNS, _rows(played)))


def _rows(played: Tournament) -> Iterator[list[object]]:
    for player, opponent in itertools.permutations(played.names, 2):
        result = played.results[player, opponent]
        outcomes = result.wins, result.draws, result.losses
        shares = [number for count in outcomes for number in (count / result.games, *wilson(count, result.games))]
        figures = [f"{number:.6f}" for number in (*shares, result.mean, result.standard_error)]
        exact = f"{played.exact[player, opponent]:.9f}" if (player, opponent) in played.exact else ""
        yield [player, opponent, result.games, *outcomes, result.unfinished, *figures, exact]


def picture(played: Tournament, path: Path) -> None:
    """Draws the cross table, coloured by points per game; the file's ending says the format.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    names, results = played.names, played.results
    means = np.array([[np.nan if a == b else results[a, b].mean for b in names] for a in names])
    texts = [["" if a == b else _cell(played, a, b, 1) for b in names] for a in names]
    labels = [f"{name}\n{played.score(name):+.3f}" for name in names]
    meaning = "points per game of the player on the left"
    heat_map.write(heat_map.cross_table(means, texts, labels, names, _heading(played), meaning, CELL), path)


def _heading(played: Tournament) -> str:
    games = max(result.games for result in played.results.values())
    return f"{played.game.name}: games won and 95 % interval, {games} games a pair"


def _cell(played: Tournament, player: str, opponent: str, digits: int) -> str:
    result = played.results[player, opponent]
    low, high = wilson(result.wins, result.games)
    return f"{100 * result.wins / result.games:.{digits}f} %\n{100 * low:.{digits}f}-{100 * high:.{digits}f}"
