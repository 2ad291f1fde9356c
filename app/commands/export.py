"""Write a game, or a player's policy, as a file of other programs; or a Roshambo player as a script without nashzoo.

A game is written for Gambit, as a tree (efg) or as the matrix of all plans (nfg), or that matrix as csv. A player's
policy is a csv: its probabilities by state; for games in Gambit's files also as its programs print them. A script
makes the same throws as the player with the same random numbers.

Example: nashzoo export roshambo_v0 random --format kaggle
"""

import sys
from functools import cache, partial
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import rich
from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import RUN_DIR, GameName, Option, Param

if TYPE_CHECKING:
    from nashzoo.envs import Game

GAMES, TABLES, SCRIPTS = ("efg", "nfg", "csv"), ("csv", "gambit"), ("rpscontest", "kaggle")  # formats


def main(
    game: GameName,
    agent: Annotated[Positional[str | None], arg(metavar="PLAYER", help="A player; the game when left out.")] = None,
    /,
    format: Annotated[
        str | None, arg(help="Of a game efg, nfg, csv; of a player rpscontest, kaggle, csv, gambit.")
    ] = None,
    param: Param = (),
    option: Option = (),
    seed: Annotated[int | None, arg(help="Seed of its random numbers; a new one in every match when left out.")] = None,
    out: Annotated[
        Path | None, arg(aliases=RUN_DIR, help="File to write; named after the game or player if left out.")
    ] = None,
) -> None:
    """Writes the file.

    Raises:
        UsageError: the game or the player cannot be written in this format, a script would hide a module, or there is
            another file.
    """
    from nashzoo import agents
    from nashzoo.app.shared.parsing import game_of
    from nashzoo.envs.base.assignments import assignments
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.base.files import check_file, file_name, write_text
    from nashzoo.envs.base.progress import working

    format = format or (GAMES[0] if agent is None else SCRIPTS[0])
    allowed = GAMES if agent is None else (*SCRIPTS, *TABLES)
    if format not in allowed:
        raise UsageError(
            f"a {'game' if agent is None else 'player'} is written as {', '.join(allowed)}, not {format!r}"
        )
    is_script = format in SCRIPTS
    suffix = TABLES[0] if format == TABLES[1] else format
    name = f"{agent}_player.py" if is_script else f"{file_name(agent or Path(game).stem)}.{suffix}"
    path = Path(name) if out is None else out
    if is_script:
        _check_script(path)
    elif path.exists():
        raise UsageError(f"{path} exists; choose another --out")
    check_file(path)
    chosen = game_of(game, param)
    if agent is None:
        if option or seed is not None:
            raise UsageError("--option and --seed are of a player; name one after the game")
        with working("writing"):
            text = _game(chosen, format)
    else:
        player = agents.as_agent(agent, chosen, seed, **assignments(option))
        if is_script:
            from nashzoo.agents.bots.roshambo.export import export

            text = export(player, format, agent, seed)
        else:
            text = _policy(chosen, player, format)
    write_text(path, text)
    rich.print(f"Written to {path}.")


def _game(game: "Game", format: str) -> str:
    """Returns the file of a game."""
    from nashzoo.app.shared.csv_text import csv_text
    from nashzoo.baselines import strategic_form
    from nashzoo.envs.imported.efg import efg
    from nashzoo.envs.imported.exact_numbers import simple_fraction
    from nashzoo.envs.imported.nfg import nfg
    from nashzoo.envs.imported.unfolded import unfolded

    if format == "efg":
        return efg(unfolded(game))
    form = strategic_form(game)
    half = simple_fraction(game.constant_sum) / 2
    if format == "nfg":
        return nfg(repr(game), game.view.PLAYERS, *form, game.constant_sum)
    points = [[float(simple_fraction(one) + half) for one in row] for row in form.payoffs.tolist()]
    rows = ([row, *map(repr, payoffs)] for row, payoffs in zip(form.rows, points, strict=True))
    return csv_text(["", *form.columns], rows)


def _policy(game: "Game", player: Any, format: str) -> str:
    """Returns a table of a player's probabilities at every state at which it chooses; in Gambit's form a list."""
    import numpy as np

    from nashzoo.app.shared.csv_text import policy_text
    from nashzoo.baselines.forms import form_of
    from nashzoo.baselines.information.measures import own_reach
    from nashzoo.envs.imported.profiles import profile

    policy = form_of(game).tabulated(player)
    if format == "gambit":
        reach = cache(partial(own_reach, game, policy))
        return profile(game.rules.written, lambda seat, at: policy.probabilities_at(np.array([at]), seat)[0], reach)
    return policy_text(game, policy)


def _check_script(path: Path) -> None:
    """Checks that no module has the name of a script, and that it would replace no file, or an exported script.

    Python would import the script in the place of a module of the standard library or of an installed package.
    """
    from nashzoo.agents.bots.roshambo.export import MARK
    from nashzoo.envs.base.errors import UsageError

    modules = sys.stdlib_module_names | packages_distributions().keys() | {"nashzoo"}
    if path.suffix == ".py" and path.stem in modules:
        raise UsageError(
            f"{path} would hide the module {path.stem} from all scripts in its folder; choose another --out"
        )
    if path.exists() and not (path.is_file() and MARK.encode() in path.read_bytes().partition(b"\n")[0]):
        raise UsageError(f"{path} exists and is no exported player; choose another --out")
