"""What ``nashzoo solve --lock`` says: the game in which a player is fixed at some of its decisions."""

import json
from typing import Any, cast

import rich

from nashzoo import agents
from nashzoo.agents.basic.adapted import is_table_file
from nashzoo.agents.notation import split_options
from nashzoo.app.shared.parsing import code_of
from nashzoo.app.shared.solutions import strategy_table
from nashzoo.app.shared.words import sides, wrapped_fields
from nashzoo.baselines import LockedSolution, Policy, solve
from nashzoo.envs import Game
from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import working
from nashzoo.envs.base.words import counted, signed


def tell_locked(game: Game, policy: str, seat: int, where: str | None, at: str | None, as_json: bool) -> None:
    """Solves a game in which a seat plays a policy at some decisions; prints its value, and what is best at a state.

    Raises:
        UsageError: there is no such player, decision or state.
    """
    fields: dict[str, Any] = {} if where is None else dict(assignments(where.split(",")))
    options = {"locks": seat} if is_table_file(split_options(policy)[0]) else {}
    fixed = cast(Policy, agents.as_agent(policy, game, **options))
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
