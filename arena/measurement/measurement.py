"""What is measured of a policy: exploitability, points against others, and the states where it loses most.

Figures are exact where that is possible and does not take minutes, else from games, with their standard error; and None
where neither is.
"""

from collections.abc import Mapping
from typing import Any

from nashzoo import agents
from nashzoo.agents import Agent
from nashzoo.agents.registry import scripted
from nashzoo.arena.luck import solved
from nashzoo.arena.match import games_of_steps, play_seats
from nashzoo.baselines import Weakness, weaknesses
from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.baselines.measures import (
    UNKNOWN,
    best_or_none,
    exploitability_or_none,
    states_measured,
    tabulated,
    value_or_none,
)
from nashzoo.envs import Game

QUICK = 100_000  # states; a measurement with this many takes about a second
SLOW = 1_000_000  # states; a measurement with this many takes ten seconds or more
SOLVED = 1e-9  # exploitability, as a share of the stake, at which learning ends
SAMPLED_GAMES = 10_000  # at most, against a player without an exact value
SAMPLED_STEPS = 200_000  # largest number of joint steps in these


def rivals_in(game: Game, seed: int) -> dict[str, Agent]:
    """Returns the scripted players of a game by name, as tables where exact figures are quick."""
    rivals: dict[str, Agent] = {name: agents.make(name, game, seed) for name in scripted(game)}
    exact = states_measured(game) <= SLOW
    return {name: tabulated(game, rival) for name, rival in rivals.items()} if exact else rivals


def best_responses(game: Game) -> dict[str, float | None]:
    """Returns the points per game of the best response to each scripted player; None where it cannot be computed."""
    return {name: best_or_none(game, tabulated(game, agents.make(name, game, 0))) for name in scripted(game)}


def figures(
    game: Game,
    player: Agent,
    rivals: Mapping[str, Agent],
    seed: int,
    known: Mapping[str, Any] | None = None,
    games: int = SAMPLED_GAMES,
) -> dict[str, Any]:
    """Returns a player's exploitability, and its points against each rival with their standard errors.

    In points per game, on average over both seats. The error is 0 where the value is computed. Where that is impossible
    or would take minutes, games are played; if the game is solved in seconds their points are luck-adjusted, and the
    plain points follow. The exploitability is None where it is unknown.

    Args:
        game: The game.
        player: The player.
        rivals: The rivals, by name.
        seed: Seed of the games.
        known: A point of a learning curve with the player's exploitability; None to compute it.
        games: The largest number of games against a rival.
    """
    exact = states_measured(game) <= SLOW  # in larger games each of these figures would take minutes
    quick = states_measured(game) <= QUICK and not game.hides
    asked = tabulated(game, player) if exact else player
    values = {}
    for name, rival in rivals.items():
        value, error = value_or_none(game, asked, rival) if exact else None, 0.0
        plain = []
        if value is None:
            sampled = games_of_steps(game, SAMPLED_STEPS, games)
            result = play_seats(game, player, rival, sampled, seed, solution=solved(game) if quick else None)
            value, error = result.adjusted_mean, result.adjusted_error
            plain = [] if result.luck is None else [result.mean]
        values[name] = [value, error, *plain]
    exploitability = exploitability_or_none(game, asked) if known is None else known["exploitability"]
    return {"exploitability": exploitability, "values": values}


def worst_of(game: Game, policy: Any, count: int, exploited: float | None, player: int | None = None) -> list[Weakness]:
    """Returns the ``count`` states where a policy loses most, in one seat or in both; none if they are not known."""
    if game.hides or not exploited or exploited <= PROVEN:
        return []
    try:
        return weaknesses(game, tabulated(game, policy), count, player=player)
    except UNKNOWN:
        return []
