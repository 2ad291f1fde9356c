"""Rules of a game given by arrays over its states.

States have the numbers 0, 1, 2, ..., which are their codes. The arrays are the tables of the game, so that the same
compiled functions are the rules of every such game.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.jit.compiled import Features, Floats, Ints
from nashzoo.envs.rules.observation import bit_length
from nashzoo.envs.rules.pieces import CHANCE

WORD = 62  # bits of an observation that are kept in one number


class Graph(NamedTuple):
    """A game with ``n`` states.

    A state's joint actions are numbered as in :class:`nashzoo.baselines.states.space.Successors`: if player 1 has
    ``m`` legal actions, player 0's ``i``-th and player 1's ``j``-th together have the number ``m i + j``.
    """

    turns: Ints  # [n], the player to move: 0, 1, BOTH or CHANCE
    legal0: Ints  # [n], player 0's legal actions as bit masks; 1 if it waits; 0 for terminal states
    legal1: Ints  # [n]
    first: Ints  # [n + 1], index of the first successor of each state
    following: Ints  # [e], successors, by joint actions or by chance
    probabilities: Floats  # [e], of outcomes of chance; 0 elsewhere
    payoffs: Floats  # [n], rewards to player 0 on entering, in points
    starts: Ints  # [S]
    start_probabilities: Floats  # [S]
    seen: NDArray[np.bool_]  # [n, 2, bits], additional bits of the players' observations; 0 bits for none
    views: Ints | None = None  # [2, n], the state that each player sees in each, with hidden information


class State(NamedTuple):
    """A state."""

    number: int


class Tables(NamedTuple):
    """A :class:`Graph` as the tables of a game."""

    states: int
    bits: int  # additional bits of an observation
    turns: Ints
    legal: Ints  # [2, n]
    first: Ints
    following: Ints
    probabilities: Floats
    payoffs: Floats
    seen: Ints  # [2 n, words], the additional bits, WORD in each word, by state and player
    views: Ints  # [2, n]


def turn(tables: Tables, code: int) -> int:
    """Returns the player to move."""
    return tables.turns[code]  # type: ignore[no-any-return]


def legal(tables: Tables, code: int, player: int) -> int:
    """Returns the legal actions; action 0 at chance states."""
    return max(tables.legal[player, code], 1)  # type: ignore[no-any-return]


def terminal(tables: Tables, code: int) -> bool:
    """A state without legal actions is terminal."""
    return tables.legal[0, code] == 0  # type: ignore[no-any-return]


def payoff(tables: Tables, code: int) -> float:
    """Returns the reward on entering a state."""
    return tables.payoffs[code]  # type: ignore[no-any-return]


def step(tables: Tables, code: int, action0: int, action1: int) -> int:
    """Returns the successor of a joint action; the action of a waiting player is ignored."""
    mover = tables.turns[code]
    legal0, legal1 = tables.legal[0, code], tables.legal[1, code]
    row = 0 if mover == 1 else count_bits(legal0 & ((1 << action0) - 1))
    column = 0 if mover == 0 else count_bits(legal1 & ((1 << action1) - 1))
    return tables.following[tables.first[code] + row * count_bits(legal1) + column]  # type: ignore[no-any-return]


def chance(tables: Tables, code: int, outcomes: Ints, probabilities: Floats) -> int:
    """Fills in the outcomes of chance."""
    first = tables.first[code]
    count = tables.first[code + 1] - first
    for k in range(min(count, len(outcomes))):
        outcomes[k], probabilities[k] = tables.following[first + k], tables.probabilities[first + k]
    return count  # type: ignore[no-any-return]


def count_bits(mask: int) -> int:
    """Returns the number of bits that are set."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


def information_state(tables: Tables, code: int, player: int) -> int:
    """Returns the state that a player sees."""
    return tables.views[player, code]  # type: ignore[no-any-return]


def observe(tables: Tables, code: int, player: int, out: Features) -> None:
    """Fills the bits of the number of the state that the player sees, the player's seat, and the additional bits."""
    code = tables.views[player, code]
    length = number_bits(tables.states)
    for k in range(length):
        out[k] = code >> k & 1
    out[length] = player
    for k in range(tables.bits):
        out[length + 1 + k] = tables.seen[2 * code + player, k // WORD] >> (k % WORD) & 1


def decode_observation(tables: Tables, observation: Features) -> tuple[State, int]:
    """Returns the state and the player of an observation."""
    length = number_bits(tables.states)
    number = 0
    for k in range(length):
        number |= int(observation[k] > 0.5) << k
    return State(number), int(observation[length] > 0.5)


def number_bits(states: int) -> int:
    """Returns the number of bits of a state's number."""
    return max(bit_length(states - 1), 1)


class GraphRules:
    """The rules of a game given by arrays: a rules file as an object.

    Args:
        name: The name of the game.
        actions: The names of the actions, one for each bit of the masks.
        graph: The game.
        texts: The text of each state for people ``[n]``; its number when left out.
        seen: The names of the additional bits of observations ``[bits]``.

    Raises:
        UsageError: an array does not fit the others.
    """

    step, legal, turn = staticmethod(step), staticmethod(legal), staticmethod(turn)
    payoff, terminal = staticmethod(payoff), staticmethod(terminal)
    observe, decode_observation = staticmethod(observe), staticmethod(decode_observation)

    def __init__(
        self,
        name: str,
        actions: Sequence[str],
        graph: Graph,
        texts: Sequence[str] | None = None,
        seen: Sequence[str] = (),
    ) -> None:
        self.NAME, self.ACTIONS, self.State, self.BITS = name, tuple(actions), State, {"number": WORD}
        self.__name__ = name
        self._graph, self._texts, self._seen = graph, texts, tuple(seen)
        _check(name, graph, len(self.ACTIONS))
        everything = (1 << len(self.ACTIONS)) - 1
        running = (graph.legal0 != 0) & (graph.turns != CHANCE)
        if (graph.turns == CHANCE).any():
            self.chance = chance
        if graph.views is not None:
            self.information_state = information_state
        self.MASKED = bool((graph.legal0[running] != everything).any() or (graph.legal1[running] != everything).any())
        self._tables = graph_tables(graph)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, GraphRules)
            and (self.NAME, self.ACTIONS) == (other.NAME, other.ACTIONS)
            and all(map(np.array_equal, self._graph, other._graph))
        )

    def __hash__(self) -> int:
        return hash((self.NAME, len(self._graph.following)))

    def __reduce__(self) -> tuple[Any, ...]:
        return GraphRules, (self.NAME, self.ACTIONS, self._graph, self._texts, self._seen)

    def tables(self) -> Tables:
        """Returns the game's arrays; there are no parameters to choose."""
        return self._tables

    def field_maxima(self, tables: Tables) -> State:
        """Returns the largest number of a state."""
        return State(tables.states - 1)

    def start(self) -> list[tuple[State, float]]:
        """Returns the states in which the game starts, and their probabilities."""
        starts = zip(self._graph.starts.tolist(), self._graph.start_probabilities.tolist(), strict=True)
        return [(State(number), probability) for number, probability in starts]

    def features(self, tables: Tables) -> tuple[str, ...]:
        """Returns the meaning of each number of an observation."""
        bits = number_bits(tables.states)
        return (*(f"bit {bit} of the state's number" for bit in range(bits)), "own seat", *self._seen)

    def levels(self, tables: Tables) -> tuple[int, ...]:
        """Returns the number of values of each number of an observation."""
        return (2,) * len(self.features(tables))

    def text(self, code: int) -> str:
        """Returns the text of a state."""
        return f"state {code}" if self._texts is None else self._texts[code] or f"state {code}"


def graph_tables(graph: Graph) -> Tables:
    """Returns a game as the tables of its rules."""
    states, players, bits = graph.seen.shape
    words = np.zeros((states, players, -(-bits // WORD)), np.int64)
    for bit in range(bits):
        words[:, :, bit // WORD] |= graph.seen[:, :, bit].astype(np.int64) << bit % WORD
    ints = (
        np.asarray(array, np.int64)
        for array in (graph.turns, [graph.legal0, graph.legal1], graph.first, graph.following)
    )
    turns, legal, first, following = ints
    probabilities, payoffs = np.asarray(graph.probabilities, np.float64), np.asarray(graph.payoffs, np.float64)
    seen = words.reshape(2 * states, words.shape[2])
    views = np.array([np.arange(states)] * 2 if graph.views is None else graph.views, np.int64)
    return Tables(states, bits, turns, legal, first, following, probabilities, payoffs, seen, views)


def _check(name: str, graph: Graph, num_actions: int) -> None:
    """Checks that the arrays describe a game."""
    states = len(graph.turns)
    over = graph.legal0 == 0
    chance = ~over & (graph.turns == CHANCE)
    counts = np.bitwise_count(graph.legal0).astype(np.int64) * np.bitwise_count(graph.legal1)
    lengths = np.diff(graph.first)
    problems: Mapping[str, Any] = {
        "there are no states": states == 0,
        "a payoff is not finite": not np.isfinite(graph.payoffs).all(),
        "an action has no name": ((graph.legal0 | graph.legal1) >> num_actions).any(),
        "a state has not one that follows for every joint action": (lengths != counts)[~over & ~chance].any(),
        "something follows where the game is over": lengths[over].any(),
        "a state follows that there is not": len(graph.following)
        and not (graph.following.min() >= 0 and graph.following.max() < states),
    }
    if any(problems.values()):
        raise UsageError(f"{name} is no game: {'; '.join(problem for problem, holds in problems.items() if holds)}")
