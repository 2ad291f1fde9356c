"""Gambit's files of games in extensive form, ``.efg``, read and written.

Source: "The extensive game (.efg) file format" in Gambit's documentation.
"""

from fractions import Fraction
from typing import Any

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.exact_numbers import distribution
from nashzoo.envs.imported.explorer import OVER
from nashzoo.envs.imported.gambit import OPEN, TEXT, Words, quoted
from nashzoo.envs.imported.trees import ROOT, Node, Tree, check_players, distinct
from nashzoo.envs.rules.pieces import CHANCE

KINDS = {"c": CHANCE, "p": 0, "t": OVER}


def read_efg(text: str) -> Tree:
    """Returns the tree of a file.

    Information sets are numbered by player, so their ``seen`` is a pair of both. What the file leaves out of an
    information set or an outcome is what it said of it first.

    Raises:
        UsageError: it is no such file, or its game is not of two players.
    """
    words = Words(text)
    title, players = words.header("EFG", "2")
    check_players(players)
    if words.next(TEXT):
        words.take(TEXT)
    nodes: list[Node] = []
    sets: dict[Any, tuple[str, tuple[str, ...], tuple[Fraction, ...]]] = {}
    outcomes: dict[int, tuple[Fraction, ...]] = {0: (Fraction(0), Fraction(0))}
    open_nodes = [[ROOT, 0, 1]]  # number, nodes that follow so far, and all of them
    while open_nodes:
        parent, choice, count = open_nodes[-1]
        if choice == count:
            open_nodes.pop()
            continue
        open_nodes[-1][1] += 1
        line, kind = words.line, words.word("a node, c, p or t,")
        if kind not in KINDS:
            raise UsageError(f"line {line}: a node begins with c, p or t, not {kind}")
        mover, label, key = KINDS[kind], words.text("the label of a node"), None
        if kind == "p":
            mover = words.whole("the number of a player") - 1
            if mover not in (0, 1):
                raise UsageError(f"line {line}: there is no player {mover + 1}; they are 1 and 2")
        if kind != "t":
            key = mover, words.whole("the number of an information set")
            _declare(sets, key, _information_set(words, mover), f"line {line}: information set {key[1]}")
        number = words.whole("the number of an outcome")
        if words.next(TEXT):
            words.take(TEXT)
            words.take(OPEN)
            _declare(
                outcomes, number, tuple(words.listed(words.number, "a payoff", 2)), f"line {line}: outcome {number}"
            )
        if number not in outcomes:
            raise UsageError(f"line {line}: outcome {number} has no payoffs so far")
        name, actions, chances = sets.get(key, ("", (), ()))
        seen, own, other = None if mover == CHANCE else key, *outcomes[number]
        open_nodes.append([len(nodes), 0, len(actions)])
        nodes.append(Node(mover, parent, choice, seen, name, actions, chances, (own, other), label, line))
    if words:
        raise words.error("the end, as the tree is complete,")
    return Tree(title, players, nodes)


def _information_set(words: Words, mover: int) -> tuple[str, tuple[str, ...], tuple[Fraction, ...]] | None:
    """Returns the name, the actions and the probabilities of an information set; None if they are left out."""
    line, name = words.line, words.text("a name") if words.next(TEXT) else None
    if name is None and not words.next(OPEN):
        return None
    words.take(OPEN, "a list of actions")
    chances: list[str] = []

    def action(what: str) -> str:
        name = words.text(what)
        if mover == CHANCE:
            chances.append(words.word("a probability"))
        return name

    actions = words.listed(action, "the name of an action")
    if not actions:
        raise UsageError(f"line {line}: an information set needs an action")
    try:
        return name or "", tuple(actions), distribution(chances) if chances else ()
    except UsageError as error:
        raise UsageError(f"line {line}: {error}") from None


def _declare(known: dict[Any, Any], key: Any, said: Any, what: str) -> None:
    """Keeps what is said of something; it must not differ from before, and something must be known."""
    if said is None and key not in known:
        raise UsageError(f"{what} is not described so far: its name and its actions are wanted")
    if said is not None and known.setdefault(key, said) != said:
        raise UsageError(f"{what} was described differently before")


def efg(tree: Tree) -> str:
    """Returns the file of a tree; labels are different, as Gambit wants them."""
    lines = [f"EFG 2 R {quoted(tree.title)} {{ {' '.join(map(quoted, tree.players))} }}"]
    sets: dict[Any, int] = {}
    names: set[Any] = set()
    outcomes: dict[Any, int] = {(0, 0): 0}
    for node in tree.nodes:
        own, other = node.payoffs
        known = node.payoffs in outcomes
        outcome = str(outcomes.setdefault(node.payoffs, len(outcomes)))
        outcome += "" if known else f' "{own} {other}" {{ {own} {other} }}'
        if node.mover == OVER:
            lines.append(f't "" {outcome}')
            continue
        key = node.seen or len(lines)
        described, number = key in sets, sets.setdefault(key, len(sets) + 1)
        kind = 'c ""' if node.mover == CHANCE else f'p "" {node.mover + 1}'
        said = ""
        if not described:
            name = node.name if (node.mover, node.name) not in names else f"{node.name} ({number})"
            names.add((node.mover, node.name))
            chances = [f" {chance}" for chance in node.chances] or [""] * len(node.actions)
            actions = (quoted(one) + chance for one, chance in zip(distinct(node.actions), chances, strict=True))
            said = f" {quoted(name if node.mover != CHANCE else f'chance {number}')} {{ {' '.join(actions)} }}"
        lines.append(f"{kind} {number}{said} {outcome}")
    return "\n".join([*lines, ""])
