"""``nashzoo population``: scores of players against a population, as a table, a CSV file and a picture."""

from collections import Counter
from pathlib import Path
from typing import Any, Literal

import numpy as np
import rich
from rich.markup import escape
from rich.table import Table

from nashzoo.agents.loading import short_name
from nashzoo.app.commands.csv_text import write_csv
from nashzoo.app.commands.interruption import continued_in
from nashzoo.app.commands.parsing import game_of
from nashzoo.arena.heat_map import cross_table, write
from nashzoo.arena.population import Evaluation, evaluate_population, members_of
from nashzoo.envs.base.json_text import json_text
from nashzoo.envs.base.progress import progress_bar

COLUMNS = ("player", "member", "matches", "points_per_match", "standard_error", "plain_points_per_match")


def main(
    game: str,
    players: tuple[str, ...],
    population: str,
    matches: int,
    seed: int,
    param: tuple[str, ...],
    processes: int | None,
    ray: str | None,
    out: Path,
    as_json: bool = False,
    luck_adjusted: bool = False,
) -> None:
    """Plays, prints the scores, and writes the files."""
    chosen = game_of(game, param)
    members = members_of(chosen, population)
    with continued_in(out):
        with progress_bar("playing") as show:
            evaluation = evaluate_population(
                chosen, players, members, matches, seed, out, processes, show, ray, luck_adjusted
            )
        to_csv(evaluation, out / "population.csv")
        picture(evaluation, out / "population.png")
    if as_json:
        print(json_text(described(evaluation)))
        return
    for line, times in Counter(evaluation.forfeits).items():
        rich.print(f"[red]{escape(line)}{f' ({times} times)' if times > 1 else ''}[/red]")
    rich.print(scores_table(evaluation))
    rich.print(f"Written to {out / 'population.csv'} and {out / 'population.png'}.")


def described(evaluation: Evaluation) -> dict[str, Any]:
    """Returns the evaluation as a dictionary for JSON."""
    players = {
        player: {
            "population_return": score.population_return,
            "population_return_error": score.population_return_error,
            "exploitability": score.exploitability,
            "exploitability_error": float(score.errors[score.means.argmin()]),
            "exploitability_bias": score.exploitability_bias,
            "aggregate": score.aggregate,
            "members": {
                member: {"points_per_match": float(mean), "standard_error": float(error)}
                | ({} if score.plain_means is None else {"plain_points_per_match": float(score.plain_means[k])})
                for k, (member, mean, error) in enumerate(zip(score.members, score.means, score.errors, strict=True))
            },
        }
        for player, score in evaluation.scores.items()
    }
    game = evaluation.game
    return {
        "game": game.name,
        "parameters": game.options,
        "matches": evaluation.matches,
        "players": players,
        "forfeits": list(evaluation.forfeits),
    }


def scores_table(evaluation: Evaluation) -> Table:
    """Returns a table of the three measures of each player, and the member that wins most from it."""
    matches, members = evaluation.matches, len(evaluation.members)
    adjusted = any(score.plain_means is not None for score in evaluation.scores.values())
    figures = f"{'luck-adjusted ' * adjusted}points per match"
    table = Table(
        title=f"{evaluation.game}: {figures}, {matches} matches with each of {members}",
        caption="Chance raises the exploitability, the largest of many estimates, by about its bias.",
    )
    for heading in ("player", "return", "exploitability", "its bias", "aggregate", "hardest member"):
        justify: Literal["left", "right"] = "left" if heading in ("player", "hardest member") else "right"
        table.add_column(heading, justify=justify, overflow="fold", min_width=max(map(len, heading.split())))
    for player, score in evaluation.scores.items():
        hardest = int(score.means.argmin())
        plain = "" if score.plain_means is None else f"\nplain {score.plain_means.mean():.2f}"
        table.add_row(
            short_name(player),
            f"{score.population_return:.2f} ± {score.population_return_error:.2f}{plain}",
            f"{score.exploitability:.2f} ± {score.errors[hardest]:.2f}",
            f"{score.exploitability_bias:.2f}",
            f"{score.aggregate:.2f}",
            short_name(score.members[hardest]),
        )
    return table


def to_csv(evaluation: Evaluation, path: Path) -> None:
    """Writes a line for each player and member."""
    rows = []
    for player, score in evaluation.scores.items():
        for k, member in enumerate(score.members):
            plain = "" if score.plain_means is None else f"{score.plain_means[k]:.4f}"
            rows.append([player, member, evaluation.matches, f"{score.means[k]:.4f}", f"{score.errors[k]:.4f}", plain])
    write_csv(path, COLUMNS, rows)


def picture(evaluation: Evaluation, path: Path) -> None:
    """Draws the cross table: a column for each player, a row for each member, the hardest on top.

    Raises:
        ImportError: matplotlib is not installed.
    """
    # No agent plays itself: a member that is the only player has no matches, and no row.
    met = {member for score in evaluation.scores.values() for member in score.members}
    players, members = list(evaluation.scores), [member for member in evaluation.members if member in met]
    means = np.full((len(members), len(players)), np.nan)
    for column, score in enumerate(evaluation.scores.values()):
        for member, mean in zip(score.members, score.means, strict=True):
            means[members.index(member), column] = mean
    order = np.argsort(np.nanmean(means, axis=1), kind="stable")
    texts = [["" if np.isnan(mean) else f"{mean:+.1f}" for mean in row] for row in means[order]]
    labels = [
        f"{short_name(player)}\nreturn {score.population_return:.1f}\naggregate {score.aggregate:.1f}"
        for player, score in evaluation.scores.items()
    ]
    title = f"{evaluation.game}: {evaluation.matches} matches a pair"
    meaning = "points per match of the player in the column"
    write(cross_table(means[order], texts, [short_name(members[k]) for k in order], labels, title, meaning), path)
