"""``nashzoo verify``: proves a solution by the rules of the game alone."""

import json
import sys
from pathlib import Path
from typing import Any

import rich

from nashzoo.app.shared.parsing import game_in_file, game_of
from nashzoo.baselines.certificate.checker import CertificateError
from nashzoo.baselines.store import game_in, open_solution, solution_of
from nashzoo.envs import Game, games
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import showing, working
from nashzoo.envs.base.words import counted
from nashzoo.envs.registry import MATRICES

DOES_NOT_HOLD = 1  # exit code
OF_GAMES = (".py", *MATRICES)  # files that are games, and not their solutions


def main(target: str, param: tuple[str, ...] = (), as_json: bool = False, game_of_file: str | None = None) -> None:
    """Verifies a solution, computed or from a file, and prints its certificate; exits with 1 if it does not hold."""
    game, path = _named(target, param, game_of_file)
    figures: dict[str, Any] = {"game": game.name, "parameters": game.options}
    try:
        with working("solving"):
            solution = solution_of(game) if path is None else open_solution(game, path)
        figures |= {"states": solution.num_states, "claimed": solution.certificate}
        with showing() as progress:
            figures["certificate"] = solution.verify(progress)
        figures["holds"] = True
    except CertificateError as error:
        figures |= {"holds": False, "objection": str(error)}
    if as_json:
        print(json.dumps(figures, indent=2, default=int))  # json refuses NumPy's numbers
    elif figures["holds"]:
        rich.print(f"[bold]{game}[/bold], {counted(figures['states'], 'state')}: the solution holds")
        rich.print(f"certificate, proven: {figures['certificate']:.1e}")
    else:
        print(f"nashzoo: the solution does not hold: {figures['objection']}", file=sys.stderr)
    if not figures["holds"]:
        sys.exit(DOES_NOT_HOLD)


def _named(target: str, param: tuple[str, ...], game_of_file: str | None) -> tuple[Game, Path | None]:
    """Returns the game with the name ``target``, or the game whose solution is in the file ``target``, and the file.

    Raises:
        FileNotFoundError: ``target`` has a suffix, but there is no such file.
        UsageError: there is no such game, or the file is damaged; or parameters are given with a file, or the game of
            a file with a game.
    """
    path = Path(target)
    if target in games() or path.suffix in OF_GAMES or not (path.exists() or path.suffix):
        if game_of_file is not None:
            raise UsageError(f"{target} is a game; --game is for the file of a solution")
        return game_of(target, param), None
    if param:
        raise UsageError(f"{target} contains the parameters of its game; leave out --param")
    return game_in(path, game_in_file(game_of_file)), path
