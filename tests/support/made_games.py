"""Games that a test makes: on a graph, or by rules that are changed."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import graph_game
from nashzoo.envs.core.game import Game


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
