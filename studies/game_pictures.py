"""The pictures of the games in the documentation: states, matches that move, and exact solutions.

python -m studies.game_pictures

Commands draw them; the commands are on the page of the gallery, ``docs/games.md``.
"""

import contextlib
import shutil
import tempfile
from pathlib import Path

from studies.tables import DOCS, run

IMAGES = DOCS / "images"

# By game, the command that draws a state.
BOARDS = {
    "footsies": "nashzoo picture footsies_v0 --board --param rounds=3 --at last0=1,last1=3,hits0=1,blocks1=2 "
    "--out footsies.png",
    "roshambo": "nashzoo picture roshambo_v0 --board --param recall=12 rounds=20 --at played=12,recalled=51325209338 "
    "--out roshambo.png",
    "bodega_brawl": "nashzoo picture bodega_brawl_v0 --board --at body0=1,head1=1,legs1=2,body_attack0=0,legs_dual0=2,"
    "head_attack1=0,body_dual1=2 --out bodega_brawl.png",
    "soccer": "nashzoo picture soccer_v0 --board --at red_x=14,red_y=6,blue_x=16,ball=red,turn=blue --out soccer.png",
    "tictactoe": "nashzoo picture tictactoe_v0 --board --at board=x.oo..x.x --out tictactoe.png",
}

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
    "footsies": "nashzoo picture footsies_v0 --over blocks0,blocks1 --at hits0=1 --out footsies-solution.png",
    "bodega_brawl": "nashzoo picture bodega_brawl_v0 --over legs0,legs1 --out bodega_brawl-solution.png",
    "tictactoe": "nashzoo picture tictactoe_v0 --line --at board=xo....... --out tictactoe-solution.png",
    "soccer": "nashzoo picture soccer_v0 --over blue_x,blue_y --at red_x=7,red_y=7,ball=red,turn=red "
    "--out soccer-solution.png",
}


def animation_commands(game: str) -> tuple[str, str]:
    """Returns the two commands that make the moving picture of a game."""
    line, match = MATCHES[game]
    return f"{line} --save {game}.jsonl", f"nashzoo picture --replay {game}.jsonl --match {match} --out {game}.gif"


def draw_boards(images: Path = IMAGES) -> None:
    """Draws a state of each game."""
    with contextlib.chdir(images):
        for line in BOARDS.values():
            run(line)


def main() -> None:
    """Draws all of them."""
    draw_boards()
    for game in MATCHES:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for line in animation_commands(game):
                run(line)
            shutil.move(f"{game}.gif", IMAGES / f"{game}.gif")
    with contextlib.chdir(IMAGES):
        for line in SOLUTIONS.values():
            run(line)


if __name__ == "__main__":
    main()
