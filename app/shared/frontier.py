"""How much to win from a known player for which risk: in words, as JSON and as a picture."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import rich
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from nashzoo.agents import make
from nashzoo.agents.loading import called
from nashzoo.agents.registry import scripted
from nashzoo.arena import pictures
from nashzoo.baselines import Frontier, exploitability
from nashzoo.baselines.exploitation import Point
from nashzoo.baselines.measures import UNKNOWN, value_or_none
from nashzoo.baselines.sampled_policies import value_interval
from nashzoo.envs.base.words import figure, noun, wrapped
from nashzoo.envs.core.game import Game

PROVEN_DIGITS, SHOWN = 9, 6  # digits after the point


def as_json(found: Frontier, chosen: Point | None) -> dict[str, Any]:
    """Returns all points, and the one that was chosen."""
    efficient = list(map(id, found.efficient))
    told: dict[str, Any] = {"trust": found.form.trust}
    told["points"] = [_figures(found, point) | {"efficient": id(point) in efficient} for point in found.points]
    return told if chosen is None else told | {"chosen": _figures(found, chosen) | interval(found, chosen)}


def _figures(found: Frontier, point: Point) -> dict[str, Any]:
    trust = None if math.isnan(point.trust) else point.trust
    return {"trust": trust, "wins": found.game.points(point.wins), "risk": point.risk}


def interval(found: Frontier, point: Point) -> dict[str, float]:
    """Returns the 95 % interval of what a point wins from a player that is known by samples; of others nothing."""
    opponent: Any = found.opponent
    if not hasattr(opponent, "sample_counts"):
        return {}
    lower, upper = value_interval(found.game, point.policy, opponent, found.seats)
    return {"interval_lower": found.game.points(lower), "interval_upper": found.game.points(upper)}


def tell(found: Frontier, opponent: str, about: str, chosen: Point | None) -> None:
    """Prints the points of the frontier, and what the one that was chosen wins and risks."""
    game = found.game
    rich.print(f"[bold]{escape(opponent)}[/bold] in {escape(str(game))}, {about}, trusted {found.form.trust}")
    table = Table("risk", "wins", "trust", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for point in found.efficient:
        table.add_row(_digits(point.risk), _digits(game.points(point.wins)), f"{point.trust:.4f}")
    rich.print(table)
    if chosen is not None:
        ends = interval(found, chosen)
        between = f" (95 % interval {' to '.join(map(figure, ends.values()))})" if ends else ""
        won, risk = _digits(game.points(chosen.wins)), _digits(chosen.risk)
        unit = noun(round(game.points(chosen.wins), PROVEN_DIGITS), "point")
        print(wrapped(f"With a risk of {risk} it wins {won} {unit} per game from {opponent}{between}."))


def _digits(number: float) -> str:
    return figure(round(number, PROVEN_DIGITS), SHOWN)


@pictures.style()
def draw(found: Frontier, opponent: str, about: str, path: Path) -> None:
    """Draws what is won against what is risked, with the scripted players beside it.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    game, name = found.game, called(opponent)
    drawn = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = drawn.add_subplot(xlabel="exploitability, points per game", ylabel="wins, points per game")
    others = [point for point in found.points if point not in found.efficient]
    line: dict[str, Any] = {"color": pictures.OWN, "marker": "o"}
    axes.plot(*_places(game, found.efficient), **line)
    axes.plot(*_places(game, others), linestyle="", alpha=0.3, **line)
    for player, (risk, wins) in _scripted(found).items():
        axes.plot(risk, wins, marker="s", color=pictures.OTHER)
        axes.annotate(pictures.shortened(player), (risk, wins), (5, -3), textcoords="offset points", size=pictures.NAME)
    least, most = found.efficient[0], found.efficient[-1]
    headline = f"From {name} one wins {figure(game.points(least.wins))} points a game without a risk"
    if most is not least:
        headline += f", and {figure(game.points(most.wins))} at a risk of {figure(most.risk)}"
    note = f"In {game}, {about}, trusted {found.form.trust}. Pale: blends win more. Squares: scripted players."
    pictures.headed(drawn, f"{headline}.", note)
    pictures.write(drawn, path)


def _places(game: Game, some: list[Point]) -> tuple[list[float], list[float]]:
    return [point.risk for point in some], [game.points(point.wins) for point in some]


def _scripted(found: Frontier) -> Mapping[str, tuple[float, float]]:
    """Returns what scripted players risk, and what they win from the opponent, as far as both are exact."""
    places = {}
    for name in scripted(found.game):
        try:
            player = make(name, found.game)
            wins = value_or_none(found.game, player, found.opponent, found.seats)
            risk = exploitability(found.game, player)
        except UNKNOWN:
            continue
        if wins is not None:
            places[name] = risk, found.game.points(wins)
    return places
