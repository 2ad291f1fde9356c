"""Prove that a solution is right, by the rules of the game alone.

Checks every state, uses no result of the solver, and prints the certificate. If the solution does not hold,
prints a state where it fails; the exit code is 1. A file of nashzoo solve --certificate is checked without the game.

Example: nashzoo verify footsies_v0
"""

import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import rich
from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import GameOfFile, Json, Param, Quiet, be_quiet
from nashzoo.app.shared.errors import WRONG

if TYPE_CHECKING:  # the help does without them
    from nashzoo.envs import Game


def main(
    target: Annotated[
        Positional[str],
        arg(metavar="FILE|GAME", help="Certificate, file of a large solution, or name of a game."),
    ],
    /,
    param: Param = (),
    game: GameOfFile = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Verifies a solution, computed or from a file, and prints its certificate; exits with 1 if it does not hold."""
    from nashzoo.baselines.certificate.steps import CertificateError
    from nashzoo.baselines.store import open_solution, solution_of
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.base.progress import say, showing, working
    from nashzoo.envs.base.words import counted

    be_quiet(quiet)
    if _is_certificate(path := Path(target)):
        if game is not None or param:
            raise UsageError("a certificate is checked without its game: leave out --game and --param")
        _check(path, as_json)
        return
    chosen, stored = _named(target, param, game)
    figures: dict[str, Any] = {"game": chosen.name, "parameters": chosen.options}
    try:
        with working("solving"):
            solution = solution_of(chosen) if stored is None else open_solution(chosen, stored)
        figures |= {"states": solution.num_states, "claimed": solution.certificate}
        with showing() as progress:
            figures["certificate"] = solution.verify(progress)
        figures["holds"] = True
    except CertificateError as error:
        figures |= {"holds": False, "objection": str(error)}
    if as_json:
        print(json.dumps(figures, indent=2, default=int))  # json refuses NumPy's numbers
    elif figures["holds"]:
        rich.print(f"[bold]{chosen}[/bold], {counted(figures['states'], 'state')}: the solution holds")
        rich.print(f"certificate, proven: {figures['certificate']:.1e}")
    else:
        say(f"the solution does not hold: {figures['objection']}")
    if not figures["holds"]:
        sys.exit(WRONG)


def _is_certificate(path: Path) -> bool:
    from nashzoo.baselines.certificate.check_certificate import FORMAT

    with contextlib.suppress(OSError), path.open("rb") as file:
        return FORMAT.encode() in file.read(100)
    return False


def _check(path: Path, as_json: bool) -> None:
    from nashzoo.baselines.certificate.check_certificate import REFUSED, check
    from nashzoo.envs.base.progress import say, working

    try:
        with working("checking"):
            head = check(str(path))
    except REFUSED as error:
        say(f"the certificate does not hold: {error}")
        figures: dict[str, Any] = {"holds": False, "objection": str(error)}
    else:
        lower, upper = head["value"]
        figures = {"game": head["game"], "value": [lower, upper], "holds": True}
        if not as_json:
            rich.print(f"[bold]{head['game']}[/bold]: the certificate holds, in exact fractions")
            near = " to ".join(dict.fromkeys(head["about"]))
            between = f"is {lower}" if lower == upper else f"lies between {lower} and {upper}"
            rich.print(f"the value to player 0 {between}, about {near} points")
    if as_json:
        print(json.dumps(figures, indent=2))
    if not figures["holds"]:
        sys.exit(WRONG)


def _named(target: str, param: tuple[str, ...], game_of_file: str | None) -> "tuple[Game, Path | None]":
    """Returns the game with the name ``target``, or the game whose solution is in the file ``target``, and the file."""
    from nashzoo.app.shared.parsing import game_in_file, game_of
    from nashzoo.baselines.store import SUFFIX, game_in
    from nashzoo.envs import games
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.registry import GAME_FILES

    path = Path(target)
    if target in games() or path.suffix in (".py", *GAME_FILES) or not (path.exists() or path.suffix == SUFFIX):
        if game_of_file is not None:
            raise UsageError(f"{target} is a game; --game is for the file of a solution")
        return game_of(target, param), None
    if param:
        raise UsageError(f"{target} contains the parameters of its game; leave out --param")
    return game_in(path, game_in_file(game_of_file)), path
