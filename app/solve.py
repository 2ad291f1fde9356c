"""``nashzoo solve``: the exact solution of a game, as a table or as JSON."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import rich
from rich.table import Table

from nashzoo.app.names import code_of, game_of
from nashzoo.baselines import Solution, solve
from nashzoo.baselines.store import solution_of
from nashzoo.envs import Game


def solved_with(game: Game, code: int, out: Path | None = None) -> Solution:
    """Returns the solution of the game, extended to a position that play from the start does not lead to.

    Raises:
        ValueError: there is no such position, or the solution's file is not good.
    """
    solution = solution_of(game, out)
    if code in solution.positions:
        return solution
    if hasattr(game.rules, "index"):
        raise ValueError(f"{game.name} has no position {game.state(code)}")
    return solve(game, roots=[*game.start_codes, code])


def describe(solution: Solution, code: int) -> dict[str, Any]:
    """Returns value, certificate and both strategies at a position, and the distance where play is turn-based."""
    game = solution.game
    described: dict[str, Any] = {"value": solution.value(code), "certificate": solution.certificate}
    for player, strategies in enumerate(solution.strategies(np.array([code]))):
        legal = game.legal_actions(code, player)
        described[f"strategy{player}"] = {game.actions[a]: float(strategies[0, a]) for a in legal}
    if solution.distances is not None:
        described["distance"] = solution.distance(code)
    return described


def main(
    game: str, param: tuple[str, ...] = (), at: str | None = None, as_json: bool = False, out: Path | None = None
) -> None:
    """Solves a game and prints value, certificate and both strategies at a position."""
    chosen = game_of(game, param)
    if at is None and len(chosen.start_codes) > 1:
        solution = solution_of(chosen, out)
        described: dict[str, Any] = {"value": solution.start_value, "certificate": solution.certificate}
        place = "its random start"
    else:
        code = int(chosen.start_codes[0]) if at is None else code_of(chosen, at)
        solution = solved_with(chosen, code, out)
        described = describe(solution, code)
        place = str(chosen.state(code))
    if as_json:
        print(json.dumps(described, indent=2))
        return
    rich.print(f"[bold]{chosen}[/bold], {solution.num_positions:,} positions solved, at\n{place}")
    rich.print(f"value to player 0: {round(described['value'], 9) + 0.0:.9g} points")
    rich.print(f"certificate (largest gap at any position): {solution.certificate:.1e}")
    if "distance" in described:
        end = described["distance"]
        rich.print("moves to the end: " + ("neither can force a win" if end is None else str(end)))
    if "strategy0" in described:
        rich.print(strategy_table(described))


def strategy_table(described: dict[str, Any]) -> Table:
    """Returns both strategies as a table."""
    table = Table("action", "player 0", "player 1", title="equilibrium")
    both = [described["strategy0"], described["strategy1"]]
    for action in dict.fromkeys([*both[0], *both[1]]):
        table.add_row(action, *(f"{side[action]:.4f}" if action in side else "" for side in both))
    return table
