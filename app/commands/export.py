"""``nashzoo export``: a player of Roshambo as a script that runs elsewhere."""

import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import rich

from nashzoo import agents
from nashzoo.agents.bots.roshambo.export import MARK, export
from nashzoo.app.shared.parsing import game_of
from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import check_file, written_whole


def main(
    game: str,
    agent: str,
    format: str,
    param: tuple[str, ...],
    option: tuple[str, ...],
    seed: int | None,
    out: Path | None,
) -> None:
    """Writes the script.

    Raises:
        UsageError: the player cannot be written as a script, the file would hide a module, or it is another file.
    """
    path = Path(f"{agent}_player.py") if out is None else out
    check_hides_nothing(path)
    check_replaceable(path)
    check_file(path)
    chosen = game_of(game, param)
    player = agents.as_agent(agent, chosen, seed, **assignments(option))
    text = export(player, format, agent, seed)
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    rich.print(f"Written to {path}.")


def check_hides_nothing(path: Path) -> None:
    """Checks that no module has the name of a script: Python would import the script in its place.

    Raises:
        UsageError: a module of the standard library or of an installed package has this name.
    """
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
    if path.exists() and not (path.is_file() and MARK.encode() in path.read_bytes().partition(b"\n")[0]):
        raise UsageError(f"{path} exists and is no exported player; choose another --out")
