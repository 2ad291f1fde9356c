"""What ``nashzoo solve --all`` says: all equilibria, for people and as JSON."""

import json
from pathlib import Path
from typing import Any

from nashzoo.app.shared.parsing import code_of
from nashzoo.app.shared.solutions import solved_with
from nashzoo.app.shared.words import sided
from nashzoo.baselines import Decision, Equilibria, equilibria, solve
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import showing, working
from nashzoo.envs.base.words import wrapped


def tell_all(game: Game, at: str | None, as_json: bool, out: Path | None, tolerance: float | None) -> None:
    """Solves a game and prints its equilibria: those at a state, or the decisions at which they differ.

    Raises:
        UsageError: the game has no optimal strategies, is too large, or there is no such state.
    """
    code = int(game.start_codes[0]) if at is None else code_of(game, at)
    with working("solving"):
        if game.hides:
            if out is not None:
                raise UsageError(f"solutions of {game.name} are not kept in files")
            with showing() as show:
                found = equilibria(game, solve(game, progress=show, tolerance=tolerance))
        else:
            found = equilibria(game, solved_with(game, code, out))
        if at is not None and not game.movers(code):
            raise UsageError(f"nobody chooses at {game.spell(code)}")
        here = None if at is None else [found.at(code, player) for player in game.movers(code)]
        if as_json:
            unique = {"unique": found.unique} if here is None else {}
            told = [_described(found, each) for each in here or found]
            answer = json.dumps(unique | {"decisions": told, "lost": found.lost}, indent=2)
        else:
            answer = wrapped(sided(game, str(found) if here is None else found.text(here)), indent="    ")
    print(answer)


def _described(found: Equilibria, decision: Decision) -> dict[str, Any]:
    names = [found.game.actions[action] for action in decision.actions]
    ends = zip(names, decision.lower, decision.upper, strict=True)
    described: dict[str, Any] = {
        "player": decision.player,
        "state": found.place(decision),
        "reached": decision.reached,
        "ranges": {name: [float(low), float(high)] for name, low, high in ends},
        "never": [found.game.actions[action] for action in decision.never],
    }
    if decision.vertices is not None:
        shares = [dict(zip(names, map(str, vertex), strict=True)) for vertex in decision.vertices]
        described["vertices"] = [{name: share for name, share in vertex.items() if share != "0"} for vertex in shares]
    if decision.formulas is not None:
        described["formulas"] = dict(zip(names, decision.formulas, strict=True))
    return described
