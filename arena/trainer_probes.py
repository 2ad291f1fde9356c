"""The probes of ``nashzoo check-trainer``: tiny games, and what a right training function reaches there.

A game is a graph of :class:`Node`. All are :class:`nashzoo.envs.imported.graph_rules.GraphRules`, and so share their
compiled functions. In most games the points of player 0 are the difference of two terms, one for each player's play, so
that one seat's mistakes do not change what the other learns.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nashzoo.envs.core.game import Features, Floats, Game, Mask
from nashzoo.envs.imported.graph_rules import Graph, GraphRules
from nashzoo.envs.rules.pieces import BOTH, CHANCE

PAIR, THREE = range(2), range(3)  # actions
FEW = 4_000  # decisions
WAITS = (0,)  # the actions of a player who does not choose
LONG = 1000  # joint steps, more than a tiny game lasts


class TinyRules(GraphRules):
    """Rules given by arrays, see there, and the number of joint steps after which a game is truncated."""

    def __init__(
        self, name: str, actions: Sequence[str], graph: Graph, seen: Sequence[str], max_cycles: int = LONG
    ) -> None:
        super().__init__(name, actions, graph, seen=seen)
        self.MAX_CYCLES = max_cycles

    def __reduce__(self) -> tuple[Any, ...]:
        return TinyRules, (self.NAME, self.ACTIONS, self.graph, self.seen, self.MAX_CYCLES)


@dataclass(frozen=True, eq=False)
class Node:
    """A state."""

    turn: int  # the player to move, BOTH, or CHANCE
    legal: tuple[Sequence[int], Sequence[int]]  # the legal actions of both players; none at the end
    following: Sequence["Node"]  # by joint actions, player 1's changing fastest; or outcomes of chance, all as likely
    reward: float = 0.0  # to player 0, on entering the state
    seen: tuple[Hashable, Hashable] | None = None  # what each player sees, as a label; None if both see the state


def end(reward: float) -> Node:
    """Returns the end of a game."""
    return Node(0, ((), ()), (), reward)


def drawn(*outcomes: Node) -> Node:
    """Returns a state in which chance draws one of the outcomes, all with the same probability."""
    return Node(CHANCE, (WAITS, WAITS), outcomes)


def both(
    legal0: Sequence[int],
    legal1: Sequence[int],
    after: Callable[[int, int], Node],
    reward: float = 0.0,
    seen: tuple[Hashable, Hashable] | None = None,
) -> Node:
    """Returns a state in which both players choose at once."""
    return Node(BOTH, (legal0, legal1), [after(a, b) for a in legal0 for b in legal1], reward, seen)


def choice(player: int, *following: Node) -> Node:
    """Returns a state in which one player chooses one of the following."""
    actions = range(len(following))
    return Node(player, (actions, WAITS) if player == 0 else (WAITS, actions), following)


def tiny_game(name: str, start: Node, starts: Sequence[Node] = (), max_cycles: int = LONG) -> Game:
    """Returns a game.

    Args:
        name: Its name.
        start: A state from which play leads to all others.
        starts: The states in which the game starts, all with the same probability; ``start`` when left out.
        max_cycles: The number of joint steps after which an unfinished game is truncated.
    """
    nodes: dict[Node, int] = {}
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node not in nodes:
            nodes[node] = len(nodes)
            waiting.extend(reversed(node.following))
    numbers = np.arange(len(nodes))
    views = np.array([_views(nodes, player) for player in range(2)])
    chance = np.array([node.turn == CHANCE for node in nodes])
    sizes = np.array([len(node.following) for node in nodes])
    legal = [[sum(1 << action for action in node.legal[player]) for node in nodes] for player in range(2)]
    first = [nodes[node] for node in starts or [start]]
    graph = Graph(
        turns=np.array([node.turn for node in nodes]),
        legal0=np.array(legal[0]),
        legal1=np.array(legal[1]),
        first=np.concatenate([[0], np.cumsum(sizes)]),
        following=np.array([nodes[after] for node in nodes for after in node.following]),
        probabilities=np.repeat(np.where(chance, 1 / np.maximum(sizes, 1), 0.0), sizes),
        payoffs=np.array([node.reward for node in nodes]),
        starts=np.array(first),
        start_probabilities=np.full(len(first), 1 / len(first)),
        seen=(views.T[:, :, None] == numbers),  # one-hot, as networks learn from it the fastest
        views=views if any(node.seen for node in nodes) else np.empty((2, 0), np.int64),
    )
    most = max(max(masks).bit_length() for masks in legal)
    names = [f"state {number}" for number in numbers]
    return Game(TinyRules(name, [f"action {action}" for action in range(most)], graph, names, max_cycles))


def _views(nodes: Mapping[Node, int], player: int) -> list[int]:
    """Returns for each state the number of the first that looks the same to a player."""
    first: dict[Hashable, int] = {}
    return [
        first.setdefault(node if node.seen is None else node.seen[player], number) for node, number in nodes.items()
    ]


@dataclass(frozen=True)
class Probe:
    """A game, and what a right training function reaches there.

    Attributes:
        name: Its name.
        about: What the game is about.
        game: Makes the game.
        decisions: For training, of both players together.
        most: The points a game that the policy may lose in each seat.
        uniform: The points a game that uniform play loses in each seat.
        opponents: Makes the policies to play against, from the training function, the game and a seed; None for
            self-play.
        opposite: More points than that a policy loses if it does the opposite of what it should; untrained ones do not.
    """

    name: str
    about: str
    game: Callable[[], Game]
    decisions: int
    most: float
    uniform: float
    opponents: Callable[[Any, Game, int], Sequence[Any]] | None = None
    opposite: float = np.inf


@dataclass(frozen=True)
class Always:
    """A policy that plays one action everywhere."""

    action: int

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probabilities ``[B, actions]``."""
        chances = np.zeros(action_masks.shape)
        chances[:, self.action] = 1.0
        return chances


def always(train: Any, game: Game, seed: int) -> Sequence[Any]:
    """Returns two policies, each of which plays one action everywhere."""
    return [Always(0), Always(1)]


def earlier(train: Any, game: Game, seed: int) -> Sequence[Any]:
    """Returns a policy that the training function itself has learned, in a short time."""
    return [train(game, FEW, seed)]


def one_state() -> Game:
    """The higher of three actions wins, by half a point for each step between them."""
    return tiny_game("one_state_v0", both(THREE, THREE, lambda a, b: end((a - b) / 2)))


def seats() -> Game:
    """Player 0 wins a point by action 0, player 1 wins one by action 1."""
    return tiny_game("seats_v0", both(PAIR, PAIR, lambda a, b: end((a == 0) - float(b == 1))))


def card() -> Game:
    """Each player sees a card of its own, and wins a point by the action with the card's number."""

    def deal(card0: int, card1: int) -> Node:
        return both(
            THREE, THREE, lambda a, b: end((a == card0) - float(b == card1)), seen=(("card", card0), ("card", card1))
        )

    return tiny_game("card_v0", drawn(*(deal(card0, card1) for card0 in THREE for card1 in THREE)))


def chance() -> Game:
    """Action 0 is worth half a point; action 1 is worth one point in three games of four, and -3 in the other."""

    def outcomes(action: int) -> list[float]:
        return [1.0, 1.0, 1.0, -3.0] if action else [0.5] * 4

    def after(a: int, b: int) -> Node:
        return drawn(*(end(x - y) for x in outcomes(a) for y in outcomes(b)))

    return tiny_game("chance_v0", both(PAIR, PAIR, after))


def delay(steps: int = 5) -> Game:
    """Who takes 0.3 points in the first step loses one after the last; actions between are without effect."""

    def later(step: int, taken: int, reward: float) -> Node:
        if step == steps:
            return end(-1.0 * taken)
        following = later(step + 1, taken, 0.0)
        return both(PAIR, PAIR, lambda a, b: following, reward)

    return tiny_game("delay_v0", both(PAIR, PAIR, lambda a, b: later(1, a - b, 0.3 * (a - b))))


def masks(states: int = 4) -> Game:
    """In the second of two steps each player wins a point by one of its two legal actions, others in every state.

    Besides, one player, which the state says, loses three points: so much that an illegal action would be better.
    """

    def pair(number: int) -> tuple[int, int]:
        return 2 * number, 2 * number + 1

    def state(number: int) -> Node:
        second0, second1 = pair(2 + number), pair(2 + (number + 1) % states)
        base = 3.0 if number % 2 else -3.0
        right0, right1 = second0[number // 2], second1[1 - number // 2]
        last = both(second0, second1, lambda a, b: end(base + (a == right0) - float(b == right1)))
        return both(pair(0), pair(1), lambda a, b: last)

    return tiny_game("masks_v0", drawn(*map(state, range(states))))


def reply() -> Game:
    """The first to move, who is drawn, loses a quarter of a point, or leaves it to the other who loses a whole one."""

    def leads(player: int) -> Node:
        sign = 1 - 2 * player
        return choice(
            player,
            choice(1 - player, end(sign), end(-sign)),
            choice(1 - player, end(-0.25 * sign), end(-0.25 * sign)),  # also two actions, so that all are legal
        )

    return tiny_game("reply_v0", drawn(leads(0), leads(1)))


def ending(steps: int = 6) -> Game:
    """Player 0 wins 0.4 points at once, or one after some steps; which player decides is drawn.

    The start has a value, unlike that of most games: a value that goes on over the end makes short games better for
    player 0, and long ones for player 1.
    """

    def later(step: int) -> Node:
        if step == steps:
            return end(1.0)
        following = later(step + 1)
        return both(PAIR, PAIR, lambda a, b: following)

    slow = later(0)

    def decides(player: int) -> Node:
        return both(PAIR, PAIR, lambda a, b: slow if (a, b)[player] else end(0.4))

    return tiny_game("ending_v0", drawn(decides(0), decides(1)))


def truncation(steps: int = 6) -> Game:
    """One player walks towards a point, and may stop for 0.3 before.

    Play starts anywhere, and is cut off after two steps: the value of the first places is learned from that of the
    later ones alone.
    """

    def place(player: int, step: int) -> list[Node]:
        sign = 1.0 - 2 * player
        if step == steps:
            return [end(sign)]
        further = place(player, step + 1)
        return [both(PAIR, PAIR, lambda a, b: further[0] if (a, b)[player] else end(0.3 * sign)), *further]

    places = [node for player in PAIR for node in place(player, 0) if node.following]
    return tiny_game("truncation_v0", drawn(*places), places, max_cycles=2)


def cycle() -> Game:
    """Rock, paper, scissors, where uniform play is optimal, and every pure policy loses a point.

    Only pure play fails: right code with a small entropy bonus goes in circles here, through play that is nearly pure.
    """
    return tiny_game("cycle_v0", both(THREE, THREE, lambda a, b: end((0.0, 1.0, -1.0)[(a - b) % 3])))


def signal(steps: int = 2) -> Game:
    """After the last step player 0 wins a point if both played the same, and player 1 wins one if not.

    Players remember the first step; what they play there, and between, is without effect.
    """

    def later(step: int, first: tuple[int, int]) -> Node:
        if step == steps:
            return both(PAIR, PAIR, lambda a, b: end(1.0 if a == b else -1.0))
        following = later(step + 1, first)
        return both(PAIR, PAIR, lambda a, b: following)

    return tiny_game("signal_v0", both(PAIR, PAIR, lambda a, b: later(1, (a, b))))


PROBES = (
    Probe("one_state", "one state, one right action", one_state, 20_000, 0.2, 0.5, opposite=0.75),
    Probe("seats", "another right action in each seat", seats, 20_000, 0.2, 0.5),
    Probe("card", "the right action is that of the own hidden card", card, 20_000, 0.2, 2 / 3),
    Probe("chance", "what is good with probability 3/4 is bad on average", chance, 30_000, 0.12, 0.25),
    Probe("delay", "what pays now costs more five steps later", delay, 30_000, 0.15, 0.35),
    Probe("masks", "other legal actions in every state", masks, 40_000, 0.2, 0.5),
    Probe("reply", "players move in turn, and the reply decides", reply, 20_000, 0.1, 0.3125),
    Probe("ending", "a long game is worth more than a short one", ending, 20_000, 0.1, 0.15),
    Probe("truncation", "play goes on where a game is cut off", truncation, 60_000, 0.18, 0.292578125),
    Probe("cycle", "play must be mixed", cycle, 50_000, 0.999999, 0.0),
    Probe("opponents", "an opponent is known by its first action", signal, 60_000, 0.2, 1.0, always),
    Probe("frozen", "an opponent stays as it is", one_state, 20_000, 0.2, 0.5, earlier),
)
