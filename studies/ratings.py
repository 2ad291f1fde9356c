"""The ratings of all five games: writes ``docs/ratings.md`` and its picture.

python -m studies.ratings
python -m studies.ratings --games 200 --out runs/ratings
"""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import tyro
from matplotlib.figure import Figure
from rich.progress import Progress

from nashzoo.agents.registry import scripted
from nashzoo.app.commands.parsing import game_of
from nashzoo.app.commands.tournament_files import MEANING, draw_ratings
from nashzoo.arena import heat_map
from nashzoo.arena.standings import Standing, standings
from nashzoo.arena.tournament import tournament
from nashzoo.envs import Game
from studies.tables import markdown, write_page

ROW = 0.23  # inches


class Field(NamedTuple):
    """A game and its players."""

    title: str
    game: str
    param: tuple[str, ...]
    others: tuple[str, ...]  # besides the scripted players and the exact solution
    share: float = 1.0  # of the number of games in the options; less in slow games


FIELDS = (
    Field("Footsies", "footsies_v0", (), ("mcts(simulations=10)", "mcts(simulations=100)", "mcts(simulations=1000)")),
    Field("Roshambo, 1,000 rounds", "roshambo_v0", (), (), 0.1),
    Field("Bodega Brawl, small", "bodega_brawl_v0", ("preset=small",), ("mcts(simulations=100)",), 0.2),
    Field(
        "tic-tac-toe",
        "tictactoe_v0",
        (),
        ("minimax(depth=2)", "minimax(depth=4)", "perfect", "mcts(simulations=10)", "mcts(simulations=100)"),
    ),
    Field(
        "soccer, 11 x 5",
        "soccer_v0",
        ("width=11", "height=5", "goal_height=3"),
        ("alphabeta(depth=2)", "alphabeta(depth=4)", "mcts(simulations=100)"),
        0.05,
    ),
)


@dataclasses.dataclass
class Options:
    """Rate all players in every game."""

    games: int = 2000
    """Games of each pair; fewer in slow games."""
    seed: int = 0
    """Seed of everything random."""
    out: Path = Path("docs")
    """Folder of the page; its picture is in images."""
    work: Path = Path("runs/ratings")
    """Folder of stored results, to resume after an interruption."""
    processes: int | None = None
    """Number of processes; one when left out."""


def rated(field: Field, options: Options, progress: Progress) -> tuple[Game, int, list[Standing]]:
    """Returns a game, the number of games of each pair, and the standings."""
    game = game_of(field.game, field.param)
    names = *scripted(game), "nash", *field.others
    games = max(2, 2 * round(options.games * field.share / 2))
    bar = progress.add_task(field.title, total=None)
    played = tournament(
        game, dict(zip(names, names, strict=True)), games, options.seed,
        lambda done, total: progress.update(bar, completed=done, total=total),
        exact=True, processes=options.processes, folder=options.work / field.game,
    )  # fmt: skip
    return game, games, standings(played)


def page(results: Sequence[tuple[Field, Game, int, list[Standing]]]) -> str:
    """Returns the page with all tables."""
    parts = [
        "# Ratings\n",
        "Made by `python -m studies.ratings`. [Tournaments](tournaments.md) defines the columns. Players are ordered",
        "by their points, and intervals are of 95 %.\n",
        "![Ratings of all players in all games](images/ratings.png)\n",
    ]
    for field, game, games, everyone in results:
        parts += [f"## {field.title}\n", f"`{game}`, {games:,} games a pair.\n", markdown(rows(everyone), left=2), ""]
    return "\n".join(parts)


def rows(everyone: Sequence[Standing]) -> Iterator[Sequence[str]]:
    """Yields the rows of a table."""
    yield "", "player", "points per game", "Elo", "Nash average", "won, drawn, lost", "exploitability"
    for rank, one in enumerate(everyone, 1):
        (low, high), shares = one.nash_interval, ", ".join(f"{100 * share:.1f}" for share in one.shares)
        interval = "" if low == high else f", {100 * low:.0f} to {100 * high:.0f}"
        exploitability = "" if one.exploitability is None else f"{one.exploitability:.4f}"
        points, rating = f"{one.points:+.3f}", f"{one.rating:+.0f} ± {one.rating_error:.0f}"
        nash = f"{100 * one.nash:.1f} %{interval}"
        yield str(rank), f"`{one.player}`", points, rating, nash, f"{shares} %", exploitability


def draw(results: Sequence[tuple[Field, Game, int, list[Standing]]], path: Path) -> None:
    """Draws the ratings and their intervals, a panel a game; players that may be in the Nash average are filled."""
    heights = [len(everyone) + 3 for _, _, _, everyone in results]
    figure = Figure(figsize=(8, ROW * sum(heights)), layout="constrained")
    panels = figure.subplots(len(results), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (field, _, _, everyone) in zip(panels, results, strict=True):
        draw_ratings(axes, everyone)
        axes.set_title(field.title, size=10, loc="left")
    panels[-1].set_xlabel(MEANING)
    path.parent.mkdir(parents=True, exist_ok=True)
    heat_map.write(figure, path, dpi=110)


def main(options: Options) -> None:
    """Plays the missing games, and writes the page."""
    results = []
    with Progress() as progress:
        for field in FIELDS:
            results.append((field, *rated(field, options, progress)))
    draw(results, options.out / "images" / "ratings.png")
    write_page(options.out / "ratings.md", page(results))


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
