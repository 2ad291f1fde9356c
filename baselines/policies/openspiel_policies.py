"""Policies of OpenSpiel, read at OpenSpiel's states, as tables by its texts of what players see."""

import importlib
import itertools
from typing import Any

from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.checks import name_of
from nashzoo.envs.core.game import Game

PREFIX = "openspiel:"


def openspiel_rows(policy: Any, game: Game) -> list[tuple[tuple[int, str], list[float]]]:
    """Returns what a policy of OpenSpiel plays, by OpenSpiel's texts of what players see.

    Raises:
        NoPolicyError: the game is not OpenSpiel's, or another one than the policy's.
    """
    import pyspiel

    made_for = getattr(policy, "game", None)
    if not game.name.startswith(PREFIX):
        own = PREFIX + ("NAME" if made_for is None else made_for.get_type().short_name)
        raise NoPolicyError(
            f"{name_of(policy)} is a policy of OpenSpiel, which reads OpenSpiel's states; measure it in {own}"
        )
    name = game.name.removeprefix(PREFIX)
    if name.startswith("python_"):
        importlib.import_module("open_spiel.python.games")  # registers them
    source = pyspiel.load_game(name)
    if made_for is not None and str(made_for) != str(source):
        raise NoPolicyError(f"{name_of(policy)} plays OpenSpiel's {made_for}, not {source}")
    by_player = not isinstance(policy, pyspiel.Policy)
    partial = source.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    rows, todo, known = [], [source.new_initial_state()], set()
    while todo:
        state = todo.pop()
        key = state.history_str() if partial or state.is_chance_node() else (str(state), state.current_player())
        if state.is_terminal() or key in known:
            continue
        known.add(key)
        if state.is_chance_node():
            todo += [state.child(action) for action, _ in state.chance_outcomes()]
            continue
        both = state.is_simultaneous_node()
        legal = [state.legal_actions(player) for player in range(2)]
        for player in (0, 1) if both else (state.current_player(),):
            text = state.information_state_string(player) if partial else str(state)
            said = policy.action_probabilities(*(state, player)[: 1 + by_player])
            rows.append(((player, text), [float(said.get(action, 0.0)) for action in legal[player]]))
        for pair in itertools.product(*legal) if both else ():
            todo.append(state.clone())
            todo[-1].apply_actions(list(pair))
        todo += [] if both else [state.child(action) for action in state.legal_actions()]
    return rows
