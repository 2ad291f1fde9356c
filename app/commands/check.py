"""Look for what is wrong with the rules of a game.

Lists all reachable states and checks their codes, observations, legal actions, rewards and mirror images, and
whether the game can end; of games with too many states those that games at random come to. Prints a sentence for each
kind of problem; the exit code is 1 if there is any.

Example: nashzoo check footsies_v0
"""

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import rich
from tyro.conf import arg

from nashzoo.app.shared.arguments import GameName, Json, Param, Quiet, be_quiet
from nashzoo.app.shared.errors import WRONG

if TYPE_CHECKING:  # the help does without them
    from nashzoo.envs import Game


GAMES = 1_000  # at random, of a game with too many states


def main(
    game: GameName,
    /,
    param: Param = (),
    states: Annotated[int, arg(help="Largest number of states to list.")] = 2_000_000,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Checks all states of a game and prints the problems; the exit code is 1 if there is any."""
    from nashzoo.app.shared.parsing import game_of
    from nashzoo.baselines.game_problems import game_problems, problems_in_play
    from nashzoo.envs.base.progress import say, working
    from nashzoo.envs.base.words import counted
    from nashzoo.envs.core.checks import check_count
    from nashzoo.envs.core.reachable import TooManyStatesError

    be_quiet(quiet)
    check_count("states", states)
    chosen = game_of(game, param)
    try:
        with working("listing states"):
            problems, games = game_problems(chosen, states), 0
    except TooManyStatesError:
        with working("playing at random"):
            problems, games = problems_in_play(chosen, GAMES), GAMES
    described = None if problems else describe(chosen, games)
    if as_json:
        about = {"game": chosen.name, "parameters": chosen.options, "problems": list(problems)}
        print(json.dumps(about | (described or {}), indent=2, default=int))
    elif described is not None:
        kind = "players move in turn" if chosen.turn_based else "both players choose at once"
        kind += ", with chance" if chosen.has_chance else ""
        kind += ", and can be swapped" if chosen.symmetric else ""
        kind += f", with {described['symmetries']} symmetries" * chosen.has_symmetries
        sizes = {"state": described["states"], "action": chosen.num_actions, "feature": chosen.num_features}
        many = [counted(size, name) if size else "too many states to list" for name, size in sizes.items()]
        rich.print(f"[bold]{chosen}[/bold]: {kind}; {', '.join(many)}.")
        if hidden := getattr(chosen.rules, "SEEN_BY", {}):
            rich.print("Hidden: " + "; ".join(_unseen(field, players) for field, players in hidden.items()) + ".")
        where = f" in {counted(games, 'game')} at random; whether play can always end was not checked" if games else ""
        rich.print(f"Nothing is wrong with its rules{where}.")
    else:
        for problem in problems:
            say(problem)
    if problems:
        sys.exit(WRONG)


def _unseen(field: str, players: tuple[int, ...]) -> str:
    left_out = [f"player {player}" for player in range(2) if player not in players]
    return f"{field} from {' and '.join(left_out) or 'nobody'}"


def describe(game: "Game", games: int) -> dict[str, Any]:
    """Returns the properties of a game without problems, whose states were not listed if games were played."""
    from nashzoo.baselines.states.indexed import numbering

    return ({"games": games} if games else {}) | {
        "states": None if games else len(numbering(game)),
        "actions": game.num_actions,
        "features": game.num_features,
        "turn_based": game.turn_based,
        "chance": game.has_chance,
        "symmetric": game.symmetric,
        "symmetries": len(game.images(game.first_decision)),
    }
