"""Games that a test makes: on a graph, or by rules that are changed."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import graph_game
from nashzoo.envs.core.game import Game

# A walk to either end, one step or none a turn: the text of a rules file, for :func:`written`.
WALK = """from typing import NamedTuple

NAME = "walk_v0"
ACTIONS = ("left", "right")

class State(NamedTuple):
    place: int
    turns: int

def field_maxima():
    return State(4, 7)

def start():
    return State(2, 0)

def step(state, action0, action1):
    return State(state.place + action0 - action1, state.turns + 1)

def terminal(state):
    return state.place == 0 or state.place == 4 or state.turns == 7

def payoff(state):
    return 1.0 if state.place == 4 else -1.0 if state.place == 0 else 0.0
"""


def graph(tables: Any, pays: Mapping[int, float], start: int = 0) -> Game:
    """Returns a game on a graph, see ``graph_game``, that pays only at some nodes."""
    return Game(graph_game, tables=tables, pays=[pays.get(k, 0.0) for k in range(len(tables))], start=start)


def with_rules(rules: Any, *without: str, **others: Any) -> SimpleNamespace:
    """Returns rules without some pieces, and with others exchanged or added."""
    return SimpleNamespace(**{name: piece for name, piece in vars(rules).items() if name not in without} | others)


def written(folder: Path, rules: str, *changes: tuple[str, str]) -> Path:
    """Writes the text of a rules file with some texts replaced; returns its path, another one each time."""
    for old, new in changes:
        assert old in rules
        rules = rules.replace(old, new)
    path = folder / f"rules{len(list(folder.iterdir()))}.py"
    path.write_text(rules)
    return path
