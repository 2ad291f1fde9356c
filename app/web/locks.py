"""Locks of the pages: decisions at which a player is fixed, and the game that is solved with them, as JSON."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nashzoo.app.web.states import choosers, code_in, solution_json
from nashzoo.baselines import Solution
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.locked import LockedSolution, changes
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import with_suits
from nashzoo.envs.core.game import BOTH, Floats

EXAMPLE = "a lock is a player, a state, and a share for each of its legal actions, as in 1,0,50,50"
MOST_CHANGES = 5


def locks_in(game: Game, text: str) -> tuple[int, dict[int, Floats]]:
    """Returns the player who is fixed, and its probabilities ``[actions]`` by what it sees, from their text.

    Raises:
        UsageError: it is no list of locks of one player.
    """
    mixes: dict[int, Floats] = {}
    players = set()
    for lock in text.split(";"):
        try:
            who, where, *given = lock.split(",")
            player, shares = int(who), list(map(float, given))
        except ValueError:
            raise UsageError(f"{EXAMPLE}, not {lock!r}") from None
        code = code_in(game, where)
        if player not in game.movers(code):
            raise UsageError(f"player {player} does not choose at {game.spell(code)}")
        legal, total = game.legal_actions(code, player), sum(shares)
        if len(shares) != len(legal) or min(shares) < 0.0 or not 0.0 < total < math.inf:
            raise UsageError(f"{EXAMPLE}, not {lock!r}")
        mix = np.zeros(game.num_actions)
        mix[list(legal)] = np.array(shares) / total
        mixes[game.information_state(code, player)] = mix
        players.add(player)
    if len(players) > 1:
        raise UsageError("locks are of one player: release those of the other")
    return players.pop(), mixes


def locked_json(found: LockedSolution, free: float, code: int, seats: Sequence[int] = ()) -> dict[str, Any]:
    """Returns the solution at a state with locks, as :func:`nashzoo.app.web.states.solution_json`, and the locks.

    Args:
        found: The solution.
        free: The value of the game without locks.
        code: The state.
        seats: The player whose information state it is; all who choose there when empty.
    """
    game = found.game
    here = game.information_state(code, found.player) in found.mixes
    told: dict[str, Any] = {"value": found.start_value, "free": free, "player": found.player}
    told["here"] = found.player if here else None
    told["locks"] = [_lock(found, view) for view in found.mixes]
    if found.has_values and not game.terminal(code) and code not in found.states:
        raise UsageError(f"play never comes to {game.spell(code)}")
    if found.has_values or not game.movers(code):
        described = solution_json(found, code)
        if here and found.has_values:
            for one in described["players"][found.player]:
                one["loss"] = None  # it does not choose
        return described | {"locked": told}
    sides = []
    for player in choosers(game, code, seats):
        mix, known = found.strategy(code, player), game.information_state(code, player)
        actions: list[dict[str, Any]] = [
            {
                "action": action,
                "name": game.action_label(known, action),
                "probability": float(mix[action]),
                "loss": None,
            }
            for action in game.legal_actions(known, player)
        ]
        sides.append({"player": player, "reached": True, "actions": actions})
    described = {"certificate": found.certificate, "states": found.num_states, "turn_based": game.turn(code) != BOTH}
    return described | {"locked": told, "sides": sides}


def changes_json(found: LockedSolution, free: Solution) -> list[dict[str, Any]]:
    """Returns the choices that have to change because of locks, those that matter most first."""
    game, told = found.game, []
    for one in changes(found, free)[:MOST_CHANGES]:
        code, seats = one.code, [one.player] if game.hides else (0, 1)
        if isinstance(free, InformationSolution):
            codes, chances = free.beliefs(one.code, one.player)
            code = int(codes[chances.argmax()])
        place = {"code": str(code), "seen": str(one.code), "text": with_suits(game.text(one.code, seats))}
        told.append(one._asdict() | {"name": game.action_label(one.code, one.action)} | place)
    return told


def _lock(found: LockedSolution, view: int) -> dict[str, Any]:
    """Returns where a lock is, and what it says."""
    game, player = found.game, found.player
    likely = [(action, round(100 * found.mixes[view][action], 1)) for action in game.legal_actions(view, player)]
    mix = ", ".join(f"{game.action_label(view, action)} {percent:g} %" for action, percent in likely if percent)
    private = game.view.differing(view, [game.information_state(view, 1 - player)]) if game.hides else []
    only = f", only if {game.view.told_fields(game.params, view, private, [player])}" * bool(private)
    return {"code": str(view), "text": f"player {player}: {mix}{only}"}
