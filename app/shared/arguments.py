"""Options that several commands have, with their help, for tyro."""

from typing import Annotated

from tyro.conf import Positional, arg

LOADS_CODE = "a .zip or .pt runs code when it is loaded: load only what you trust"
PLAYER = (
    f"a player's name, a saved model ({LOADS_CODE}), a table (.json, .csv, .npz), or a class or a function of "
    "observations (./bots.py:Mine)"
)
LEARNER = (
    "a class (my_module:MyLearner, ./file.py:MyLearner), a function (./file.py:train), a script (./train.py), or a name"
)
RUN_DIR = ("--run-dir",)  # another name of --out, as train calls its folder

NAMED = arg(
    metavar="GAME",
    help="Name of the game, such as footsies_v0; or its module, or its file: ./goofspiel.py; or what makes an "
    "environment: ./my_env.py:MyEnv. The code of a module or file is run.",
)
GameName = Annotated[Positional[str], NAMED]
GameOfFile = Annotated[
    str | None, arg(metavar="GAME", help="Module or file of the file's game, if the game has no registered name.")
]
Param = Annotated[
    tuple[str, ...], arg(metavar="NAME=VALUE ...", help="Parameters of the game, such as rounds=3 blocks=2.")
]
Option = Annotated[
    tuple[str, ...], arg(metavar="NAME=VALUE ...", help="Options of the player, such as simulations=1000.")
]
Agents = Annotated[
    tuple[str, ...], arg(help=f"Models ({LOADS_CODE}), scripts and classes of your own that may be played.")
]
Delay = Annotated[
    float | None, arg(help="Seconds between time steps; when left out half a second at a terminal, else none.")
]
LuckAdjusted = Annotated[bool, arg(help="Solve the game, and say after each match what of its points was luck.")]
Processes = Annotated[int | None, arg(help="Number of processes; all processors when left out.")]
Ray = Annotated[str | None, arg(metavar="HOST:PORT", help="Ray cluster to work on instead; also auto, or local.")]
Json = Annotated[bool, arg(name="json", help="Print JSON.")]
Quiet = Annotated[bool, arg(help="Show no progress.")]


def be_quiet(quiet: bool) -> None:
    """Shows no progress from now on, or shows it again."""
    from nashzoo.envs.base.progress import set_quiet

    set_quiet(quiet)
