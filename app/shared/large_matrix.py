"""Matrix games with more actions than a game has, for people and as JSON: solved, and mixed strategies measured."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import rich
from rich.markup import escape
from rich.table import Table

from nashzoo.baselines import StrategyBounds, solve_matrix, strategy_bounds
from nashzoo.envs import LargeMatrix
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import text_in
from nashzoo.envs.base.progress import working
from nashzoo.envs.base.words import counted, noun, points, printable, with_minus
from nashzoo.envs.jit.compiled import Floats

SHOWN = 20  # actions of a strategy in a table
RANDOM = "random"


def check_options(game: LargeMatrix, given: dict[str, Any]) -> None:
    """Checks that no option is given that such a game has no use for.

    Raises:
        UsageError: one is.
    """
    if named := [name for name, value in given.items() if value]:
        raise UsageError(f"{game} is a matrix played once, in memory: leave out {', '.join(named)}")


def tell_large(game: LargeMatrix, as_json: bool) -> None:
    """Solves a matrix game and prints its value, with a certificate, and the actions that both players play."""
    with working("solving"):
        _, *mixes, _ = solve_matrix(game)
        bounds = strategy_bounds(game, *mixes)
    value = (bounds.lower + bounds.upper) / 2
    shown = _shown(value, bounds)
    if as_json:
        played = {f"strategy{player}": _played(game, player, mix) for player, mix in enumerate(mixes)}
        proof = {"lower": bounds.lower, "upper": bounds.upper, "certificate": bounds.gap, "optimal": bounds.proven}
        print(json.dumps({"value": value} | proof | played, indent=2))
        return
    rich.print(f"[bold]{escape(str(game))}[/bold], solved")
    if bounds.proven:
        rich.print(f"value to the player of rows: {with_minus(shown)} {noun(float(shown), 'point')}")
    else:
        rich.print("It could not be solved to 1e-9 of the range of payoffs: some are nearly equal, or far apart.")
        least, most = (with_minus(f"{bound:.12g}") for bound in (bounds.lower, bounds.upper))
        rich.print(f"It is proven that the value lies between {least} and {most}.")
    rich.print(f"certificate (gap of both best replies): {bounds.gap:.1e}")
    for player, mix in enumerate(mixes):
        table = Table("action", "probability", title=f"equilibrium: {('rows', 'columns')[player]}")
        for name, probability in list(_played(game, player, mix).items())[:SHOWN]:
            table.add_row(escape(printable(name)), f"{probability:.4f}")
        rich.print(table)
        others, never = int(np.count_nonzero(mix)) - SHOWN, int(np.count_nonzero(mix == 0))
        if others > 0:
            least = np.sort(mix)[::-1][SHOWN]
            rich.print(f"and {counted(others, 'more action')} with probabilities up to {least:.2g}")
        if never:
            rich.print(f"and {counted(never, 'more action')} with probability 0")


def _shown(points: float, bounds: StrategyBounds) -> str:
    """Returns a figure, rounded to 1e-9 of the range of payoffs."""
    digits = 9 - math.ceil(math.log10(bounds.span)) if bounds.span > 0 else 9
    return f"{round(points, digits) + 0.0:.15g}"


def _played(game: LargeMatrix, player: int, mix: Floats) -> dict[str, float]:
    """Returns the actions with a probability, the likeliest first."""
    order = np.argsort(-mix, kind="stable")[: np.count_nonzero(mix)]
    return {game.action_name(player, int(action)): float(mix[action]) for action in order}


def tell_large_exploitability(game: LargeMatrix, named: str, as_json: bool) -> None:
    """Measures mixed strategies of both players: uniform ones for ``random``, else those of a file.

    Raises:
        UsageError: the file is no JSON with ``strategy0`` and ``strategy1``, or these are no distributions.
    """
    mixes = [np.full(count, 1 / count) for count in game.shape] if named == RANDOM else _in_file(game, Path(named))
    with working("computing best responses"):
        bounds = strategy_bounds(game, *mixes)
    row, column = game.action_name(0, bounds.row), game.action_name(1, bounds.column)
    figures: dict[str, Any] = {"exploitability": bounds.exploitability, "nash_conv": bounds.gap}
    figures |= {"secured0": bounds.lower, "best_response1": column, "conceded1": bounds.upper, "best_response0": row}
    if as_json:
        print(json.dumps(figures, indent=2))
        return
    print(f"An opponent who knows {named} wins {points(bounds.exploitability)} a game.")
    rich.print(f"[bold]{escape(named)}[/bold] in {escape(str(game))}, points per game")
    labels = "exploitability", "NashConv", "rows secure", "  against", "columns concede", "  to"
    for label, figure in zip(labels, figures.values(), strict=True):
        shown = escape(printable(figure)) if isinstance(figure, str) else with_minus(_shown(figure, bounds))
        rich.print(f"{label:<17} {shown}")


def _in_file(game: LargeMatrix, path: Path) -> list[Floats]:
    wanted = (
        f"a player of {game} is {RANDOM}, or a .json file with strategy0 and strategy1, each of the probabilities of "
        "actions by name, as nashzoo solve FILE --json prints them"
    )
    try:
        read = json.loads(text_in(path) if path.suffix == ".json" else "")
        mixes = [
            game.strategy(player, {name: float(one) for name, one in read[f"strategy{player}"].items()})
            for player in (0, 1)
        ]
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{wanted}; not {path}: {error}") from None
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None
    return mixes
