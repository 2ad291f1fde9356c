"""Policies of OpenSpiel, read at OpenSpiel's states, as tables by its texts of what players see."""

import itertools
from typing import Any

from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.checks import name_of
from nashzoo.envs.core.game import BOTH, CHANCE, Game

PREFIX = "openspiel:"


def openspiel_rows(policy: Any, game: Game) -> list[tuple[tuple[int, str], list[float]]]:
    """Returns what a policy of OpenSpiel plays, by OpenSpiel's texts of what players see.

    Raises:
        NoPolicyError: the game is not OpenSpiel's, or another one than the policy's.
    """
    import pyspiel

    from nashzoo.envs.imported.explorer import OVER, WAITS
    from nashzoo.envs.imported.openspiel import OpenSpielSource, loaded

    made_for = getattr(policy, "game", None)
    if not game.name.startswith(PREFIX):
        own = PREFIX + ("NAME" if made_for is None else made_for.get_type().short_name)
        raise NoPolicyError(
            f"{name_of(policy)} is a policy of OpenSpiel, which reads OpenSpiel's states; measure it in {own}"
        )
    name = game.name.removeprefix(PREFIX)
    source = OpenSpielSource(loaded(name), name)
    if made_for is not None and str(made_for) != str(source.game):
        raise NoPolicyError(f"{name_of(policy)} plays OpenSpiel's {made_for}, not {source.game}")
    by_player = not isinstance(policy, pyspiel.Policy)
    rows, todo, known = [], [source.start()], set()
    while todo:
        at = todo.pop()
        if at.turn == OVER or at.identity in known:
            continue
        known.add(at.identity)
        if at.turn == CHANCE:
            todo += [at.after(outcome) for outcome, _ in at.outcomes]
            continue
        for player in (0, 1) if at.turn == BOTH else (at.turn,):
            said = policy.action_probabilities(*(at.state, player)[: 1 + by_player])
            rows.append(((player, at.told(player)), [float(said.get(action, 0.0)) for action in at.legal[player]]))
        todo += map(at.after, itertools.product(*(legal or WAITS for legal in at.legal)))
    return rows
