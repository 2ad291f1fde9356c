"""The moving pictures of the games, and the pictures of their exact solutions, in the documentation.

python -m studies.game_pictures

Commands draw them; the commands are on the page of the gallery, ``docs/games.md``.
"""

import contextlib
import shutil
import tempfile
from pathlib import Path

from studies.tables import run

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"

# By game, the command that plays matches, and the number of the match that is shown.
MATCHES = {
    "footsies": ("nashzoo watch footsies_v0 nash bayesian --param rounds=3 --seed 1 --games 3", 3),
    "roshambo": ("nashzoo watch roshambo_v0 iocaine copy --param rounds=12 recall=12 --seed 0", 1),
    "bodega_brawl": ("nashzoo watch bodega_brawl_v0 'mcts(simulations=1000)' mcts --seed 1", 1),
    "tictactoe": ("nashzoo watch tictactoe_v0 perfect human --seed 1 --games 2", 2),
    "soccer": ("nashzoo watch soccer_v0 'alphabeta(depth=4)' human --seed 1 --games 2", 2),
}

# By game, the command that draws the exact solution, if there is one.
SOLUTIONS = {
    "footsies": "nashzoo picture footsies_v0 --over blocks0,blocks1 --at hits0=1",
    "bodega_brawl": "nashzoo picture bodega_brawl_v0 --over legs0,legs1",
    "tictactoe": "nashzoo picture tictactoe_v0 --line --at board=xo.......",
    "soccer": "nashzoo picture soccer_v0 --over blue_x,blue_y --at red_x=7,red_y=7,ball=red,turn=red",
}


def animation_commands(game: str) -> tuple[str, str]:
    """Returns the two commands that make the moving picture of a game."""
    line, match = MATCHES[game]
    return f"{line} --save {game}.jsonl", f"nashzoo picture --replay {game}.jsonl --match {match} --out {game}.gif"


def solution_command(game: str) -> str:
    """Returns the command that draws the exact solution of a game."""
    return f"{SOLUTIONS[game]} --out {game}-solution.png"


def main(images: Path = IMAGES) -> None:
    """Draws all of them."""
    for game in MATCHES:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for line in animation_commands(game):
                run(line)
            shutil.move(f"{game}.gif", images / f"{game}.gif")
    with contextlib.chdir(images):
        for game in SOLUTIONS:
            run(solution_command(game))


if __name__ == "__main__":
    main()
