"""Write a Roshambo player as a single file that runs without nashzoo.

With the same random numbers it makes the same throws as the player.

Example: nashzoo export roshambo_v0 random --format kaggle
"""

import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Annotated

import rich
from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import RUN_DIR, GameName, Option, Param


def main(
    game: GameName,
    agent: Annotated[Positional[str], arg(metavar="AGENT", help="The player's name.")],
    /,
    format: Annotated[str, arg(help="rpscontest or kaggle.")] = "rpscontest",
    param: Param = (),
    option: Option = (),
    seed: Annotated[int | None, arg(help="Seed of its random numbers; a new one in every match when left out.")] = None,
    out: Annotated[Path | None, arg(aliases=RUN_DIR, help="File to write; AGENT_player.py when left out.")] = None,
) -> None:
    """Writes the script.

    Raises:
        UsageError: the player cannot be written as a script, the file would hide a module, or it is another file.
    """
    from nashzoo import agents
    from nashzoo.agents.bots.roshambo.export import export
    from nashzoo.app.shared.parsing import game_of
    from nashzoo.envs.base.assignments import assignments
    from nashzoo.envs.base.files import check_file, written_whole

    path = Path(f"{agent}_player.py") if out is None else out
    check_no_module(path)
    check_replaceable(path)
    check_file(path)
    chosen = game_of(game, param)
    player = agents.as_agent(agent, chosen, seed, **assignments(option))
    text = export(player, format, agent, seed)
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    rich.print(f"Written to {path}.")


def check_no_module(path: Path) -> None:
    """Checks that no module has the name of a script: Python would import the script in its place.

    Raises:
        UsageError: a module of the standard library or of an installed package has this name.
    """
    from nashzoo.envs.base.errors import UsageError

    modules = sys.stdlib_module_names | packages_distributions().keys() | {"nashzoo"}
    if path.suffix == ".py" and path.stem in modules:
        raise UsageError(
            f"{path} would hide the module {path.stem} from all scripts in its folder; choose another --out"
        )


def check_replaceable(path: Path) -> None:
    """Checks that a script would replace no file, or an exported script.

    Raises:
        UsageError: it would replace another file.
    """
    from nashzoo.agents.bots.roshambo.export import MARK
    from nashzoo.envs.base.errors import UsageError

    if path.exists() and not (path.is_file() and MARK.encode() in path.read_bytes().partition(b"\n")[0]):
        raise UsageError(f"{path} exists and is no exported player; choose another --out")
