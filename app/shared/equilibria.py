"""What ``nashzoo solve --all`` says: all equilibria, for people and as JSON."""

import itertools
import json
from pathlib import Path
from typing import Any

from nashzoo.app.shared.parsing import code_of
from nashzoo.app.shared.solutions import solved_with
from nashzoo.app.shared.words import sides, wrapped_fields
from nashzoo.baselines import Decision, Equilibria, equilibria, solve
from nashzoo.baselines.equilibrium_sets import number_text
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import showing, working
from nashzoo.envs.base.words import wrapped

SHOWN = 12  # decisions, and vertices of one
INDENT = "  "


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
        if at is not None:
            if not game.movers(code):
                raise UsageError(f"nobody chooses at {game.spell(code)}")
            decisions = [found.at(code, player) for player in game.movers(code)]
        elif as_json:
            decisions = list(found)
        else:
            decisions = list(itertools.islice(found.choices(), SHOWN + 1)) or list(itertools.islice(found, 2))
    if as_json:
        described = {"decisions": [_described(found, each) for each in decisions]} | {"lost": found.lost}
        unique = {} if at is not None else {"unique": all(decision.unique for decision in decisions)}
        print(json.dumps(unique | described, indent=2))
        return
    if at is None:
        print(wrapped(_summary(found, decisions)))
    before = None
    for decision in decisions[:SHOWN]:
        if (place := found.place(decision)) != before:
            print(wrapped_fields(place))
        before = place
        never = "" if decision.reached else "; its own optimal play never leads here"
        print(wrapped(f"{INDENT}{sides(game)[decision.player]}: {decision.text(game)}{never}", indent=2 * INDENT))
        _tell_vertices(game, decision)
    if len(decisions) > SHOWN:
        print("and more; --json has all")


def _summary(found: Equilibria, decisions: list[Decision]) -> str:
    game = found.game
    if all(decision.unique for decision in decisions):
        return f"{game} has one equilibrium: all play alike wherever they lead, to within 0.00003, proven."
    of = "over all equilibria that lead there" if game.hides else "of play that is optimal from there on"
    near = f", and strategies that lose at most {found.lost:.0e} points come to its ends" if found.lost else ""
    return (
        f"{game} has several equilibria. They differ at these decisions, the first in the order of play. A range is "
        f"{of}{near}; actions that are left out are never taken."
    )


def _tell_vertices(game: Game, decision: Decision) -> None:
    """Prints the vertices of the strategies of a mixed decision, if they say more than the ranges."""
    vertices = decision.vertices or []
    if len(vertices) < 2 or all(max(vertex) == 1 for vertex in vertices):
        return
    for vertex in vertices[:SHOWN]:
        mixed = zip(decision.actions, vertex, strict=True)
        told = ", ".join(f"{game.actions[a]} {number_text(share)}" for a, share in mixed if share)
        print(wrapped(f"{2 * INDENT}vertex: {told}", indent=3 * INDENT))
    if len(vertices) > SHOWN:
        print(f"{2 * INDENT}and more; --json has all {len(vertices):,}")


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
