"""Any game as a tree, for other programs: a node for every history of play."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import BOTH, CHANCE, Game
from nashzoo.envs.imported.exact_numbers import simple_fraction
from nashzoo.envs.imported.explorer import OVER
from nashzoo.envs.imported.trees import NOTHING, ROOT, Node, Tree

MOST_NODES = 1_000_000


def unfolded(game: Game, most_nodes: int = MOST_NODES) -> Tree:
    """Returns the tree of a game. Where both players choose, player 1 chooses after player 0 and does not see it.

    Raises:
        UsageError: play can come back to a state, or there are too many nodes.
    """
    nodes: list[Node] = []
    path: list[int] = []  # states before the one that is unfolded
    todo: list[tuple[int, int, int, Any, int]] = []  # state, parent, choice, player 0's action so far, depth
    if len(game.start_codes) > 1:
        names = tuple(map(game.spell, game.start_codes.tolist()))
        nodes.append(Node(CHANCE, actions=names, chances=fractions(game.start_probabilities.tolist())))
    todo += [(int(code), len(nodes) - 1, k, None, 0) for k, code in enumerate(game.start_codes)][::-1]
    following: list[tuple[int, int, int, Any, int]]
    while todo:
        code, parent, choice, chosen, depth = todo.pop()
        del path[depth:]
        if code in path and chosen is None:
            raise UsageError(
                f"play can come back to {game.spell(code)}: a tree of {game.name} has no end; let the state count moves"
            )
        if len(nodes) >= most_nodes:
            raise UsageError(
                f"the tree of {game!r} has more than {most_nodes:,} nodes, and {depth:,} moves were reached; other "
                "parameters may have fewer"
            )
        number, turn, over = len(nodes), game.turn(code), game.terminal(code)
        starts = parent == ROOT or (parent == 0 and len(game.start_codes) > 1)
        reward = Fraction(0) if starts or chosen is not None else simple_fraction(game.payoff(code))
        path.append(code)
        if over:
            half = simple_fraction(game.constant_sum) / 2
            nodes.append(Node(OVER, parent, choice, payoffs=(half + reward, half - reward)))
            continue
        payoffs = (reward, -reward) if reward else NOTHING
        if turn == CHANCE:
            outcomes, chances = (found.tolist() for found in game.outcomes(code))
            names = tuple(game.changes(code, outcome) for outcome in outcomes)
            nodes.append(Node(turn, parent, choice, None, "", names, fractions(chances), payoffs))
            following = [(outcome, number, k, None, depth + 1) for k, outcome in enumerate(outcomes)]
        else:
            player = (0 if chosen is None else 1) if turn == BOTH else turn
            legal = game.legal_actions(code, player)
            view = game.information_state(code, player)
            seen = (player, view if game.hides else parent if chosen is not None else number)
            names = tuple(game.actions[action] for action in legal)
            name = " ".join(game.text(view, [player]).split())
            nodes.append(Node(player, parent, choice, seen, name, names, (), payoffs))
            if turn == BOTH and player == 0:
                following = [(code, number, k, action, depth) for k, action in enumerate(legal)]
            else:
                pairs = [(action, 0) if turn == 0 else (chosen or 0, action) for action in legal]
                following = [(game.step(code, *pair), number, k, None, depth + 1) for k, pair in enumerate(pairs)]
        todo += following[::-1]
    return Tree(repr(game), tuple(game.view.PLAYERS), nodes)


def fractions(chances: Sequence[float]) -> tuple[Fraction, ...]:
    """Returns probabilities as fractions whose sum is 1.

    >>> fractions([1 / 3, 1 / 3, 1 - 2 / 3])[2]
    Fraction(1, 3)
    """
    found = [simple_fraction(chance) for chance in chances]
    found[-1] = 1 - sum(found[:-1], Fraction(0))
    return tuple(found)
