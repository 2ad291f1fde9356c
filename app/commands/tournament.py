"""``nashzoo tournament``: cross table and standings, as tables, CSV files and pictures."""

import dataclasses
from pathlib import Path
from typing import Any

import rich
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from nashzoo import agents
from nashzoo.agents.loading import called
from nashzoo.app.shared import tournament_files as files
from nashzoo.app.shared.interruption import continued_in
from nashzoo.app.shared.parsing import game_of
from nashzoo.arena.match import wilson
from nashzoo.arena.records import SUFFIX, gather
from nashzoo.arena.standings import Standing, standings
from nashzoo.arena.tasks import RESULTS
from nashzoo.arena.tournament import Tournament, tournament
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import json_text
from nashzoo.envs.base.progress import progress_bar
from nashzoo.envs.base.words import counted

GAMES = 10_000  # of each pair
MOST_GAMES = 10_000_000  # of each pair that plays until its points are known
DETAILED = 7  # players whose cross table fits into 80 columns with intervals
SHOWN = 17  # players whose cross table fits into 80 columns


def main(
    game: str,
    players: tuple[str, ...],
    games: int | None,
    seed: int,
    param: tuple[str, ...],
    out: Path,
    exact: bool = False,
    processes: int | None = None,
    ray: str | None = None,
    as_json: bool = False,
    save_games: Path | None = None,
    luck_adjusted: bool = False,
    until: float | None = None,
) -> None:
    """Plays the tournament, prints its tables, and writes the files.

    Raises:
        UsageError: the folder holds another tournament.
    """
    chosen = game_of(game, param)
    games = (GAMES if until is None else MOST_GAMES) if games is None else games
    names = players or tuple(name for name in agents.names(chosen) if name != "manual")
    settings = {"game": repr(chosen), "agents": names, "games": games, "seed": seed, "exact": exact}
    settings |= {"luck_adjusted": luck_adjusted, "until": until}
    titles = [called(name) for name in names]
    if twice := [title for title in titles if titles.count(title) > 1]:
        raise UsageError(
            f"{twice[0]} takes part twice; name it once, or with other options, a language model with name="
        )
    parts = save_games
    if save_games is not None and save_games.suffix == SUFFIX:
        if save_games.exists():
            raise UsageError(f"{save_games} is there already; choose another --save-games")
        parts = save_games.with_name(f"{save_games.name}.parts")
    with continued_in(out):
        files.check_free(out, settings)
        with progress_bar("playing") as show:
            played = tournament(
                chosen, dict(zip(titles, names, strict=True)), games, seed, show,
                exact=exact, processes=processes, ray=ray, folder=out, records=parts, source=game,
                luck_adjusted=luck_adjusted, until=until,
            )  # fmt: skip
        if save_games is not None and parts is not None and parts != save_games:
            gather(parts, save_games)
        everyone = standings(played)
        files.write_settings(out, settings)  # first, so that every table has its settings beside it
        paths = files.write_tables(played, everyone, out)
        if as_json:
            print(json_text(as_dictionary(played, everyone), None))
        else:
            rich.print(standings_table(played, everyone))
            if len(played.names) <= SHOWN:
                rich.print(cross_table(played))
            else:
                rich.print(f"The cross table of {len(played.names)} players is in the files.")
            if played.wide:
                rich.print(escape(not_reached(played)))
        paths += files.write_pictures(played, everyone, out)  # last, since matplotlib may not be installed
        if not as_json:
            rich.print("Written to " + ", ".join(map(str, paths[:-1])) + f" and {paths[-1]}.")
        (out / RESULTS).unlink()  # only an interrupted tournament needs it


def standings_table(played: Tournament, everyone: list[Standing]) -> Table:
    """Returns the standings as a table for the terminal."""
    measured, adjusted = any(one.exploitability is not None for one in everyone), played.luck_adjusted
    table = Table(
        title=f"{played.game}: {games_of_pairs(played)}",
        caption=standings_caption(played),
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("", justify="right")
    table.add_column("player", overflow="fold")
    headings = ["points", *["plain"] * adjusted, "Elo", "", "Nash %", "", "won", "drawn", "lost %"]
    forfeits = any(one.forfeits for one in everyone)
    for heading in headings + ["exploit."] * measured + ["forfeits"] * forfeits:
        table.add_column(heading, justify="right", no_wrap=True)
    for number, one in enumerate(everyone, 1):
        low, high = one.nash_interval
        cells = [f"{one.points:+.3f}", *[f"{one.plain_points:+.3f}"] * adjusted]
        cells += [f"{one.rating:+.0f}", f"± {one.rating_error:.0f}", f"{100 * one.nash:.0f}"]
        cells += ["" if low == high else f"{100 * low:.0f}-{100 * high:.0f}", *(f"{100 * s:.0f}" for s in one.shares)]
        cells += ["?" if one.exploitability is None else f"{one.exploitability:.4f}"] * measured
        table.add_row(str(number), escape(one.player), *cells, *[str(one.forfeits)] * forfeits)
    return table


def standings_caption(played: Tournament) -> str:
    """Returns what the figures of the standings are, in a sentence."""
    points = ", luck-adjusted and plain" * played.luck_adjusted
    elo = " of games won and drawn, not luck-adjusted," * (played.luck_adjusted and not played.luck_adjusted_ratings)
    fixed = " for a fixed number of games" * (played.until is not None)
    intervals = f"with 95 % intervals{fixed}"
    return f"Points per game{points}; Elo{elo} with a mean of 0, and share of the Nash average, {intervals}."


def not_reached(played: Tournament) -> str:
    """Returns the pairs whose points are not known as well as wanted, in a sentence; empty if there are none."""
    pairs = ", ".join(f"{player} - {other}" for player, other in played.wide)
    return f"Not known to ± {played.until:g} after the most games allowed: {pairs}." if pairs else ""


def games_of_pairs(played: Tournament) -> str:
    """Returns the number of games a pair in words."""
    games = {result.games for result in played.results.values()}
    several = "" if len(games) == 1 else f"{min(games):,} to "
    return f"{several}{counted(max(games), 'game')} a pair"


def cross_table(played: Tournament) -> Table:
    """Returns the cross table for the terminal; numbers stand for the opponents in its columns."""
    detailed = len(played.names) <= DETAILED
    table = Table(
        title="games won by the player on the left, %" + " with 95 % interval" * detailed,
        caption=_points_caption(played) if detailed else None,
        show_lines=detailed,
        padding=(0, 1, 0, 0),
    )
    table.add_column("", justify="right")
    for number in range(len(played.names)):
        table.add_column(str(number + 1), justify="center")
    for number, player in enumerate(played.names, 1):
        cells = ["" if other == player else _cell(played, player, other, detailed) for other in played.names]
        table.add_row(str(number), *cells)
    return table


def _points_caption(played: Tournament) -> str | None:
    """Returns what the points with their interval are, in a sentence; None if there are none."""
    if not played.luck_adjusted and played.until is None:
        return None
    interval = "95 % interval" if played.until is None else "95 % interval valid at any time"
    return f"Below: {'luck-adjusted ' * played.luck_adjusted}points per game ± half of the {interval}."


def _cell(played: Tournament, player: str, other: str, detailed: bool) -> str:
    result = played.results[player, other]
    if not detailed:
        return f"{100 * result.wins / result.games:.0f}"
    cell = files.share_and_interval(played, player, other, 0)
    if result.luck is not None or played.until is not None:
        cell += f"\n{result.adjusted_mean:+.4f}\n± {played.half_width(player, other):.4f}"
    if result.luck is not None:
        cell += f"\nplain {result.mean:+.4f}"
    if (player, other) in played.exact:
        plain = "" if result.luck is not None or played.until is not None else f"\n{result.mean:+.4f}"
        cell += f"{plain}\nexact {played.exact[player, other]:+.4f}"
    return cell


def as_dictionary(played: Tournament, everyone: list[Standing]) -> dict[str, Any]:
    """Returns the tournament as a dictionary for JSON."""
    pairs = [
        {
            "player": player,
            "opponent": opponent,
            "games": result.games,
            "wins": result.wins,
            "draws": result.draws,
            "losses": result.losses,
            "win_interval": wilson(result.wins, result.games),
            "points_per_game": result.mean,
            "standard_error": result.standard_error,
            **files.luck_figures(played, player, opponent),
            "exact_points_per_game": played.exact.get((player, opponent)),
        }
        for (player, opponent), result in played.results.items()
    ]
    return {
        "game": repr(played.game),
        "until": played.until,
        "not_reached": played.wide,
        "standings": [dataclasses.asdict(one) for one in everyone],
        "pairs": pairs,
    }
