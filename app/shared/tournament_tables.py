"""Cross table and standings of a tournament: for the terminal, as JSON, as CSV and as pictures."""

import dataclasses
import itertools
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.markup import escape
from rich.table import Table

from nashzoo.app.shared.csv_text import write_csv
from nashzoo.app.shared.words import of_draws
from nashzoo.arena import pictures
from nashzoo.arena.match import Z, wilson
from nashzoo.arena.measure import stake_of
from nashzoo.arena.standings import Standing
from nashzoo.arena.tournament import Tournament
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import write_text
from nashzoo.envs.base.json_text import json_value
from nashzoo.envs.base.words import counted, differences, signed

PAIR_COLUMNS = (
    "player", "opponent", "games", "wins", "draws", "losses", "unfinished",
    "win_share", "win_low", "win_high", "draw_share", "draw_low", "draw_high", "loss_share", "loss_low", "loss_high",
    "points_per_game", "standard_error", "exact_points_per_game",
    "luck_adjusted_points_per_game", "luck_adjusted_standard_error", "half_width",
)  # fmt: skip
STANDING_COLUMNS = (
    "rank", "player", "points_per_game", "rating", "rating_low", "rating_high", "nash", "nash_low", "nash_high",
    "against_nash", "win_share", "draw_share", "loss_share", "exploitability", "plain_points_per_game", "forfeits",
    "points_without_forfeits",
)  # fmt: skip
CROSS_TABLE, SETTINGS = "cross_table.csv", "settings.json"
CELL, MARGINS, LOWEST = (0.95, 0.62), (3.2, 1.9), 4.2  # inches, of a cell, around the cells, and in all
IN_SUPPORT = 0.001  # probability of the Nash average above which a player may be in it
MEANING = "Filled: perhaps in the Nash average, a mix of players that none of them beats. In"
WIDTH, ROW = 7.0, 0.36  # inches, of the picture of ratings, and of a player in it
LARGE = 11  # points, of its letters
DETAILED = 7  # players whose cross table fits into 80 columns with intervals
SHOWN = 17  # players whose cross table fits into 80 columns


def standings_table(played: Tournament, everyone: list[Standing]) -> Table:
    """Returns the standings as a table for the terminal."""
    measured, adjusted = any(one.exploitability is not None for one in everyone), played.luck_adjusted
    title, caption = f"{played.game}: {games_of_pairs(played)}", standings_caption(played)
    table = Table(title=title, caption=caption, caption_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("", justify="right")
    table.add_column("player", overflow="fold")
    headings = ["points", *["plain"] * adjusted, "Elo", "", "Nash %", "", "won", "drawn", "lost %"]
    forfeits = any(one.forfeits for one in everyone)
    for heading in headings + ["exploit."] * measured + ["forfeits"] * forfeits:
        table.add_column(heading, justify="right", no_wrap=True)
    for number, one in enumerate(everyone, 1):
        low, high = (f"{100 * share:.0f}" for share in one.nash_interval)
        cells = [signed(one.points, ".3f"), *[signed(one.plain_points, ".3f")] * adjusted]
        cells += [signed(round(one.rating), "d"), f"± {one.rating_error:.0f}"]
        share = [f"{100 * one.nash:.0f}", f"{low}-{high}" * (low != high)]
        if (low, high) == ("0", "100"):
            share, table.caption = ["?", ""], f"{caption} Nash ?: more games are needed."
        cells += share
        cells += [f"{100 * share:.0f}" for share in one.shares]
        cells += ["?" if one.exploitability is None else f"{one.exploitability:.4f}"] * measured
        table.add_row(str(number), escape(one.player), *cells, *[str(one.forfeits)] * forfeits)
    return table


def standings_caption(played: Tournament) -> str:
    """Returns what the figures of the standings are, in a sentence."""
    points = ", luck-adjusted and plain" * played.luck_adjusted
    elo = " of games won and drawn, not luck-adjusted," * (played.luck_adjusted and not played.luck_adjusted_ratings)
    fixed = " for a fixed number of games" * (played.until is not None)
    intervals = f"with 95 % intervals{fixed}.{of_draws(played.game)}"
    return f"Points per game{points}; Elo{elo} with a mean of 0, and share of the Nash average, {intervals}"


def not_reached(played: Tournament) -> str:
    """Returns the pairs whose points are not known as well as wanted, in a sentence; empty if there are none."""
    pairs = ", ".join(f"{player} - {other}" for player, other in played.wide)
    return f"Not known to ± {played.until:g} after the most games allowed: {pairs}." if pairs else ""


def games_of_pairs(played: Tournament) -> str:
    """Returns the number of games a pair in words."""
    games = {result.games for result in played.results.values()}
    several = "" if len(games) == 1 else f"{min(games):,} to "
    return f"{several}{counted(max(games), 'game')} a pair"


def cross_table(played: Tournament) -> Group:
    """Returns the cross table for the terminal; numbers stand for the opponents in its columns."""
    detailed = len(played.names) <= DETAILED
    table = Table(show_lines=detailed, padding=(0, 1, 0, 0))
    table.add_column("", justify="right")
    for number in range(len(played.names)):
        table.add_column(str(number + 1), justify="center")
    for number, player in enumerate(played.names, 1):
        cells = ["" if other == player else _cell(played, player, other, detailed) for other in played.names]
        table.add_row(str(number), *cells)
    title = "Games won by the player on the left, %" + ", with 95 % intervals" * detailed
    if not detailed or (not played.luck_adjusted and played.until is None):
        return Group(title, table)
    interval = "95 % interval" if played.until is None else "95 % interval valid at any time"
    adjusted = "luck-adjusted " * played.luck_adjusted
    return Group(title, table, f"Below: {adjusted}points per game ± half of the {interval}.")


def _cell(played: Tournament, player: str, other: str, detailed: bool) -> str:
    result = played.results[player, other]
    if not detailed:
        return f"{100 * result.wins / result.games:.0f}"
    low, high = wilson(result.wins, result.games)
    cell = f"{100 * result.wins / result.games:.0f} %\n{100 * low:.0f}-{100 * high:.0f}"
    if result.luck is not None or played.until is not None:
        cell += f"\n{signed(result.adjusted_mean)}\n± {played.half_width(player, other):.4f}"
    if result.luck is not None:
        cell += f"\nplain {signed(result.mean)}"
    if (player, other) in played.exact:
        plain = "" if result.luck is not None or played.until is not None else f"\n{signed(result.mean)}"
        cell += f"{plain}\nexact {signed(played.exact[player, other])}"
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
            **luck_figures(played, player, opponent),
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


def write_tables(played: Tournament, everyone: Sequence[Standing], folder: Path) -> list[Path]:
    """Writes both tables as CSV; returns their paths."""
    paths = [folder / CROSS_TABLE, folder / "standings.csv"]
    cross_table_csv(played, paths[0])
    write_csv(paths[1], STANDING_COLUMNS, _standing_rows(everyone))
    return paths


def check_free(folder: Path, settings: dict[str, Any]) -> None:
    """Checks that a folder holds no finished tournament with other settings.

    Raises:
        UsageError: it holds one.
    """
    if not (folder / CROSS_TABLE).exists():
        return
    advice = "choose another --out, or remove it"
    try:
        before = dict(json_value((folder / SETTINGS).read_bytes()))
    except (OSError, ValueError, TypeError):
        raise UsageError(f"the folder {folder} has a tournament without its settings; {advice}") from None
    if changed := differences(before, json.loads(json.dumps(settings))):
        raise UsageError(f"the folder {folder} has a tournament with other settings: {changed}; {advice}")


def write_settings(folder: Path, settings: dict[str, Any]) -> None:
    """Writes the settings of a tournament; :func:`check_free` reads them."""
    write_text(folder / SETTINGS, json.dumps(settings, indent=2) + "\n")


def cross_table_csv(played: Tournament, path: Path) -> None:
    """Writes a line for each player and opponent; shares come with the ends of their 95 % intervals."""
    write_csv(path, PAIR_COLUMNS, _pair_rows(played))


def _pair_rows(played: Tournament) -> Iterator[list[object]]:
    for player, opponent in itertools.permutations(played.names, 2):
        result = played.results[player, opponent]
        outcomes = result.wins, result.draws, result.losses
        shares = [number for count in outcomes for number in (count / result.games, *wilson(count, result.games))]
        figures = [f"{number:.6f}" for number in (*shares, result.mean, result.standard_error)]
        exact = f"{played.exact[player, opponent]:.9f}" if (player, opponent) in played.exact else ""
        luck = ["" if one is None else f"{one:.6f}" for one in luck_figures(played, player, opponent).values()]
        yield [player, opponent, result.games, *outcomes, result.unfinished, *figures, exact, *luck]


def luck_figures(played: Tournament, player: str, opponent: str) -> dict[str, float | None]:
    """Returns luck-adjusted points per game, None where luck was not measured, and half of the 95 % interval."""
    result = played.results[player, opponent]
    measured = result.luck is not None
    return {
        "luck_adjusted_points_per_game": result.adjusted_mean if measured else None,
        "luck_adjusted_standard_error": result.adjusted_error if measured else None,
        "half_width": played.half_width(player, opponent),
    }


def _standing_rows(everyone: Sequence[Standing]) -> Iterator[list[object]]:
    for rank, one in enumerate(everyone, 1):
        rating = one.rating, one.rating - one.rating_error, one.rating + one.rating_error
        figures = [one.nash, *one.nash_interval, one.against_nash, *one.shares]
        exploitability = "" if one.exploitability is None else f"{one.exploitability:.9f}"
        ratings, rest = [f"{number:.2f}" for number in rating], [f"{number:.6f}" for number in figures]
        plain = f"{one.plain_points:.6f}"
        without = "" if math.isnan(one.without_forfeits) else f"{one.without_forfeits:.6f}"
        yield [rank, one.player, f"{one.points:.6f}", *ratings, *rest, exploitability, plain, one.forfeits, without]


@pictures.style()
def cross_table_picture(played: Tournament, path: Path) -> list[Path]:
    """Draws the cross table, blue where the player on the left wins points, and red where it loses them."""
    from matplotlib.figure import Figure

    names, results, pairs = played.names, played.results, list(itertools.permutations(played.names, 2))
    means = played.matrix(lambda result: result.adjusted_mean, own=np.nan)
    texts = [["" if np.isnan(mean) else signed(mean, ".2f") for mean in row] for row in means]
    short = pictures.all_shortened(names)
    sure = {pair for pair in pairs if abs(results[pair].adjusted_mean) > Z * results[pair].adjusted_error}
    best = max(names, key=played.score)
    ahead = sum((best, other) in sure and results[best, other].adjusted_mean > 0 for other in names)
    size = MARGINS[0] + CELL[0] * len(names), max(MARGINS[1] + CELL[1] * len(names), LOWEST)
    figure = Figure(figsize=size, layout="constrained")
    table = f"of {ahead} of {counted(len(names) - 1, 'opponent')}" if len(names) > 2 else "of its opponent"
    headline = f"{best} has the most points, and is {'not ' * (ahead == 0)}surely ahead {table}."
    games = counted(max(result.games for result in results.values()), "game")
    meaning = f"{'luck-adjusted ' * played.luck_adjusted}points per game of the player on the left"
    pictures.headed(
        figure, headline, f"{played.game.name}: {meaning}, {games} a pair; bold: surely not 0 (95\N{NO-BREAK SPACE}%)"
    )
    axes, stake = figure.add_subplot(), stake_of(played.game)
    # The darkest shades would hide the numbers.
    pictures.draw_cells(axes, means, texts, 1.25 * stake, size=9, aspect="auto")
    for text, pair in zip(axes.texts, pairs, strict=True):
        text.set_fontweight("bold" if pair in sure else "normal")
    axes.set_xticks(range(len(names)), short, rotation=30, ha="left")
    axes.set_yticks(
        range(len(names)),
        [f"{one}  {signed(played.score(name), '.2f')}" for name, one in zip(names, short, strict=True)],
    )
    axes.xaxis.tick_top()
    return pictures.write_each(figure, path)


@pictures.style()
def ratings_picture(everyone: Sequence[Standing], game: str, path: Path) -> list[Path]:
    """Draws ratings with their intervals, the strongest on top; players that may be in the Nash average are filled."""
    from matplotlib.figure import Figure

    ranked = sorted(everyone, key=lambda one: one.rating)
    figure = Figure(figsize=(WIDTH, 2 + ROW * len(everyone)), layout="constrained")
    *others, best = ranked
    unsure = any(one.rating + one.rating_error >= best.rating - best.rating_error for one in others)
    highest = f"{signed(best.rating, '.0f')} ± {best.rating_error:.0f}".replace(" ", "\N{NO-BREAK SPACE}")
    rated = f"{best.player} is rated highest in {game.partition('(')[0]}, {highest} Elo."
    pictures.headed(figure, "Nobody is surely best; " * unsure + rated, f"{MEANING} {game}.")
    axes = figure.add_subplot()
    for height, one in enumerate(ranked):
        inside = one.nash_interval[1] > IN_SUPPORT
        axes.errorbar(
            one.rating, height, xerr=one.rating_error, color=pictures.OTHER, capsize=4, linewidth=3,
            marker="o", markersize=6, markerfacecolor=pictures.OTHER if inside else "white",
        )  # fmt: skip
        said, end = f"{signed(one.rating, '.0f')} ± {one.rating_error:.0f}", (one.rating + one.rating_error, height)
        axes.annotate(said, end, (8, 0), textcoords="offset points", va="center", size=LARGE)
    axes.set_yticks(range(len(ranked)), pictures.all_shortened([one.player for one in ranked]), size=LARGE)
    axes.margins(y=0.5 / len(ranked))
    axes.set_xlim(right=axes.get_xlim()[0] + 1.25 * np.ptp(axes.get_xlim()))  # the last figure has room
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("Elo, mean 0, with 95\N{NO-BREAK SPACE}% intervals", size=LARGE)
    return pictures.write_each(figure, path)
