"""``nashzoo check``: problems of a game's rules."""

import json
import sys
from typing import Any

import rich

from nashzoo.app.shared.parsing import game_of
from nashzoo.baselines.game_problems import game_problems
from nashzoo.baselines.states.indexed import numbering
from nashzoo.envs import Game
from nashzoo.envs.base.progress import working
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.checks import check_count

WRONG = 1  # exit code


def main(name: str, param: tuple[str, ...], states: int, as_json: bool = False) -> None:
    """Checks all states of a game and prints the problems; the exit code is 1 if there is any."""
    check_count("states", states)
    game = game_of(name, param)
    with working("listing states"):
        problems = game_problems(game, states)
    described = None if problems else describe(game)
    if as_json:
        about = {"game": game.name, "parameters": game.options, "problems": list(problems)}
        print(json.dumps(about | (described or {}), indent=2, default=int))
    elif described is not None:
        kind = "players move in turn" if game.turn_based else "both players choose at once"
        kind += ", with chance" if game.has_chance else ""
        kind += ", and can be swapped" if game.symmetric else ""
        kind += f", with {described['symmetries']} symmetries" * game.has_symmetries
        sizes = {"state": described["states"], "action": game.num_actions, "feature": game.num_features}
        rich.print(f"[bold]{game}[/bold]: {kind}; {', '.join(counted(size, name) for name, size in sizes.items())}.")
        if hidden := getattr(game.rules, "SEEN_BY", {}):
            rich.print("Hidden: " + "; ".join(_unseen(field, players) for field, players in hidden.items()) + ".")
        rich.print("Nothing is wrong with its rules.")
    else:
        for problem in problems:
            print(f"nashzoo: {problem}", file=sys.stderr)
    if problems:
        sys.exit(WRONG)


def _unseen(field: str, players: tuple[int, ...]) -> str:
    left_out = [f"player {player}" for player in range(2) if player not in players]
    return f"{field} from {' and '.join(left_out) or 'nobody'}"


def describe(game: Game) -> dict[str, Any]:
    """Returns the properties of a game without problems."""
    return {
        "states": len(numbering(game)),
        "actions": game.num_actions,
        "features": game.num_features,
        "turn_based": game.turn_based,
        "chance": game.has_chance,
        "symmetric": game.symmetric,
        "symmetries": len(game.images(game.first_decision)),
    }
