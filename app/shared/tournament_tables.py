"""Cross table and standings of a tournament for the terminal, and as JSON."""

import dataclasses
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.markup import escape
from rich.table import Table

from nashzoo.app.shared import tournament_files as files
from nashzoo.app.shared.words import of_draws
from nashzoo.arena.match import wilson
from nashzoo.arena.standings import Standing
from nashzoo.arena.tournament import Tournament
from nashzoo.envs.base.words import counted, signed

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
