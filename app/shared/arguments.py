"""How a player, and the parameters of a game, are given on the command line, with the help."""

from typing import Annotated

from tyro.conf import arg

LOADS_CODE = "a .zip runs code when it is loaded: load only what you trust"
PLAYER = f"an agent's name, a saved model ({LOADS_CODE}), or a class (./bots.py:Mine)"
Param = Annotated[
    tuple[str, ...], arg(metavar="NAME=VALUE ...", help="Parameters of the game, such as rounds=3 blocks=2.")
]
