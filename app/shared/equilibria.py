"""What ``nashzoo solve`` says of all equilibria, and of a game in which a player is fixed: for people and as JSON."""

import json
from pathlib import Path
from typing import Any, cast

import rich

from nashzoo import agents
from nashzoo.agents.basic.adapted import is_table_file
from nashzoo.agents.notation import split_options
from nashzoo.app.shared.parsing import code_of
from nashzoo.app.shared.solutions import solved_with, strategy_table
from nashzoo.app.shared.words import sided, sides, wrapped_fields
from nashzoo.baselines import Decision, Equilibria, LockedSolution, Policy, equilibria, solve
from nashzoo.envs import Game
from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import showing, working
from nashzoo.envs.base.words import counted, signed, wrapped


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


def tell_locked(game: Game, policy: str, seat: int, where: str | None, at: str | None, as_json: bool) -> None:
    """Solves a game in which a seat plays a policy at some decisions; prints its value, and what is best at a state.

    Raises:
        UsageError: there is no such player, decision or state.
    """
    fields: dict[str, Any] = {} if where is None else dict(assignments(where.split(",")))
    here = {"locks": seat} if is_table_file(split_options(policy)[0]) else {}
    fixed = cast(Policy, agents.as_agent(policy, game, **here))
    code = game.first_decision if at is None else code_of(game, at)
    with working("solving"):
        found = cast(LockedSolution, solve(game, locked=fixed, player=seat, where=fields))
        free = solve(game).start_value
    movers = game.movers(code)
    if not movers:
        raise UsageError(f"nobody chooses at {game.spell(code)}")
    strategies = {
        f"strategy{player}": {game.actions[a]: float(mix[a]) for a in game.legal_actions(code, player)}
        for player in movers
        for mix in [found.strategy(code, player)]
    }
    described = {"value": game.points(found.start_value), "unlocked": game.points(free)}
    described |= {"certificate": found.certificate, "decisions": len(found.mixes)}
    if as_json:
        print(json.dumps(described | strategies, indent=2))
        return
    who, first = sides(game)[seat], sides(game)[0]
    rich.print(f"[bold]{game}[/bold]: {who} plays like {policy} at {counted(len(found.mixes), 'decision')}")
    rich.print(
        f"value to {first}: {signed(described['value'])} points, {signed(described['unlocked'])} without the lock"
    )
    rich.print(f"certificate: {found.certificate:.1e}")
    seen = game.information_state(code, movers[0])
    rich.print(wrapped_fields(game.spell(seen, movers if game.hides else (0, 1))))
    turn = {"turn": movers[0]} if len(movers) == 1 else {}
    rich.print(strategy_table(game, strategies | turn, "locked"))
