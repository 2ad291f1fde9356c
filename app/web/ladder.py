"""The opponents of a game in the order of their strength: what can be won from each, exactly or from games."""

from collections.abc import Sequence
from typing import Any

from nashzoo.agents.basic.nash import NashAgent
from nashzoo.agents.registry import LEVELS
from nashzoo.app.web.library import Library
from nashzoo.arena.match import Z, play_in_parts, play_seats
from nashzoo.baselines import Solution
from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.choices import choice_at
from nashzoo.baselines.even_solution import as_found
from nashzoo.baselines.measures import EITHER, best_or_none, value_or_none
from nashzoo.envs import Game
from nashzoo.envs.core.reachable import reachable

MOST_MEASURED = 1_000_000  # states
MOST_LOOKED_AT, EVEN = 10_000, 1e-9  # states, and points of a loss
MOST_GAMES, SECONDS, USUAL, FEWEST = 50_000, 1.5, 1000, 100  # against a player without an exact figure


def ladder(
    library: Library, game: Game, solution: Solution, names: Sequence[str], show: Progress = lambda *_: None
) -> list[dict[str, Any]]:
    """Returns the opponents by strength, then others, the weakest first, with what perfect play wins from each, points.

    It is the mean per game over both seats; where it is sampled, ``within`` is its 95 % interval. It is None for those
    of the command line, which stand before others that are perfect. Where it is the same for all, they also have their
    ``best``, what wins most from them; None where it is not known, of players who ``learn`` or search at random.
    """
    solution = as_found(solution)  # whose play can be measured whole
    every = _wins_from_all(game, solution)
    levels, *others = library.opponents(game, names)
    players = levels["players"] + [
        one for group in others for one in group["players"] if one["name"] not in LEVELS["Perfect"]
    ]
    even, count, key = game.points(0.0), len(levels["players"]), "best" if every else "wins"
    rungs = []
    for number, one in enumerate(players):
        show(f"measuring the opponents, {number + 1} of {len(players)}, {one['title']}", 0, 1)
        measured = _best(library, game, one["name"]) if every else _wins(library, game, solution, one["name"])
        rungs.append(one | {"level": number < count} | measured)
    others = rungs[count:]
    easiest = [one if every else "" for one in names]  # the simplest habit first, as the registry has them

    def place(one: dict[str, Any]) -> tuple[bool, bool, float, int]:
        known = easiest.index(one["name"]) if one["name"] in easiest else 0
        return one[key] == even and "within" not in one, one[key] is None, -(one[key] or 0.0), known

    others.sort(key=place)
    return rungs[:count] + others


def _wins_from_all(game: Game, solution: Solution) -> bool:
    """Returns whether perfect play wins its value from everybody, since no action costs anything against it."""
    if not solution.has_values or solution.num_states > MOST_LOOKED_AT:
        return False
    choices = (choice_at(solution, code, seat) for code in reachable(game).tolist() for seat in game.movers(code))
    return all(choice.regrets.max() <= EVEN for choice in choices)


def _best(library: Library, game: Game, name: str) -> dict[str, Any]:
    even = {"wins": game.points(0.0), "best": game.points(0.0), "learns": False}
    if name in LEVELS["Perfect"]:
        return even
    if name in library.named_players:
        return even | {"best": None}
    rival = library.agent(name, game, 0)
    best = best_or_none(game, rival)
    if best is None:
        return even | {"best": None, "learns": rival.memory_size > 0}
    return even | {"best": round(game.points(best), 9) + 0.0}


def _wins(library: Library, game: Game, solution: Solution, name: str) -> dict[str, Any]:
    if name in LEVELS["Perfect"]:
        return {"wins": game.points(0.0)}
    if name in library.named_players:  # a script may never answer
        return {"wins": None}
    perfect, rival = NashAgent(game, solution=solution), library.agent(name, game, 0)
    wins = value_or_none(game, perfect, rival) if solution.num_states <= MOST_MEASURED else None
    if wins is not None:
        return {"wins": round(game.points(wins), 9) + 0.0}
    *_, played = play_in_parts(game, perfect, rival, MOST_GAMES, 0, EITHER, SECONDS)
    if played.games < USUAL:  # on a busy machine
        *_, played = play_in_parts(game, perfect, rival, USUAL, 0, EITHER, 2 * SECONDS)
    if played.games < FEWEST:  # however long they take
        played = play_seats(game, perfect, rival, FEWEST, 0)
    most = abs(played.mean) + game.at_stake(int(game.start_codes[0]))
    error = (
        Z * played.standard_error or 3 * most / played.games
    )  # of another end than all the chance is below 3 / games
    return {"wins": game.points(played.mean), "within": [game.points(played.mean + sign * error) for sign in (-1, 1)]}
