"""The opponents of a game in the order of their strength: what perfect play wins from each, exactly."""

from typing import Any

from nashzoo.agents.basic.nash import NashAgent
from nashzoo.agents.registry import LEVELS
from nashzoo.app.web.library import Library
from nashzoo.baselines import Solution
from nashzoo.baselines.measures import value_or_none
from nashzoo.envs import Game

MOST_MEASURED = 1_000_000  # states


def ladder(library: Library, game: Game, solution: Solution) -> list[dict[str, Any]]:
    """Returns the opponents, the weakest first, with the points per game that perfect play wins from each.

    It is the mean over both seats; None, before perfect play, for those that remember, are slow or unmeasurable.
    """
    names = [one["name"] for one in library.agents(game)]
    rungs = [
        one | {"wins": _wins(library, game, solution, one["name"])}
        for group in library.opponents(game, names)
        for one in group["players"]
    ]
    even = game.points(0.0)  # from perfect play, which stands last
    return sorted(rungs, key=lambda rung: (rung["wins"] == even, rung["wins"] is None, -(rung["wins"] or 0.0)))


def _wins(library: Library, game: Game, solution: Solution, name: str) -> float | None:
    if name in LEVELS["Perfect"]:
        return game.points(0.0)
    if solution.num_states > MOST_MEASURED or name in library.named_players:
        return None
    wins = value_or_none(game, NashAgent(game, solution=solution), library.agent(name, game, 0))
    return None if wins is None else round(game.points(wins), 9) + 0.0
