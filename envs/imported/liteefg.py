"""Files of games in extensive form as LiteEFG reads them, ``.game``: a line for each node and information set.

Source: Liu, Farina and Ozdaglar (2024), "LiteEFG: an efficient Python library for solving extensive-form games".
"""

from typing import Any

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.exact_numbers import distribution, number_in
from nashzoo.envs.imported.explorer import OVER
from nashzoo.envs.imported.trees import ROOT, Node, Tree, check_players
from nashzoo.envs.rules.pieces import CHANCE

NODE = "node PATH chance actions NAME=PROBABILITY ..., player 1 actions NAME ..., or leaf payoffs 1=POINTS 2=POINTS"


def read_liteefg(text: str) -> Tree:
    """Returns the tree of a file.

    Raises:
        UsageError: it is no such file, or its game is not of two players.
    """
    found: dict[str, tuple[int, list[str]]] = {}
    sets: dict[str, str] = {}
    for line, content in enumerate(text.splitlines(), 1):
        match content.split():
            case ["node", path, *words]:
                if path in found:
                    raise UsageError(f"line {line}: the node {path} was described before")
                found[path] = line, words
            case ["infoset", name, "nodes", *paths]:
                for path in paths:
                    if sets.setdefault(path, name) != name:
                        raise UsageError(f"line {line}: {path} is in the information set {sets[path]} already")
            case [first, *_] if not first.startswith("#"):
                raise UsageError(f"line {line}: a line begins with node, infoset or #, not {first}")
    nodes: list[Node] = []
    todo = [("/", ROOT, 0)]
    while todo:
        path, parent, choice = todo.pop()
        if path not in found:
            before = f", which follows {nodes[parent].label} (line {nodes[parent].line})" if nodes else ""
            raise UsageError(f"there is no line for the node {path}{before}")
        line, words = found.pop(path)
        try:
            node = _node(words, path, sets)
        except UsageError as error:
            raise UsageError(f"line {line}: {error}") from None
        mark = "C" if node.mover == CHANCE else f"P{node.mover + 1}"
        below = [f"{path.rstrip('/')}/{mark}:{action}" for action in node.actions]
        todo += [(child, len(nodes), number) for number, child in enumerate(below)][::-1]
        nodes.append(node._replace(parent=parent, choice=choice, line=line))
    for path, (line, _) in found.items():
        raise UsageError(f"line {line}: no action leads to the node {path}")
    movers = {node.label: node.mover for node in nodes}
    owners: dict[str, int] = {}
    for path, name in sets.items():
        if movers.get(path) not in (0, 1) or owners.setdefault(name, movers[path]) != movers[path]:
            raise UsageError(f"the information set {name} has {path}, where its player does not choose")
    return Tree("", ("Player 1", "Player 2"), nodes)


def _node(words: list[str], path: str, sets: dict[str, str]) -> Node:
    match words:
        case ["leaf", "payoffs", *paid]:
            pairs = dict(word.split("=", 1) for word in paid if "=" in word)
            check_players(sorted(pairs))
            own, other = (number_in(pairs.get(player, "")) for player in "12")
            if own is None or other is None or len(pairs) < len(paid):
                raise UsageError(f"payoffs are 1=POINTS 2=POINTS, not {' '.join(paid)}")
            return Node(OVER, payoffs=(own, other), label=path)
        case ["chance", "actions", *outcomes] if outcomes and all("=" in one for one in outcomes):
            names, chances = zip(*(one.rsplit("=", 1) for one in outcomes), strict=True)
            return Node(CHANCE, actions=names, chances=distribution(chances), label=path)
        case ["player", player, "actions", *actions] if actions:
            if player not in ("1", "2"):
                raise UsageError(f"a game here has the players 1 and 2, and no player {player}")
            name = sets.get(path, "")
            seen: Any = (player, name, "" if name else path)
            return Node(int(player) - 1, seen=seen, name=name, actions=tuple(actions), label=path)
    raise UsageError(f"a node is written {NODE}")
