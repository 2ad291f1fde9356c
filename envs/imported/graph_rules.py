"""Rules of a game given by arrays over its states.

States have the numbers 0, 1, 2, ..., which are their codes. The game's parameters contain all arrays, one after the
other, so that the same compiled functions are the rules of every such game.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64
from numpy.typing import NDArray

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.compilation.compiled import Features, Floats, Ints, compiled, rule
from nashzoo.envs.core.kernels import count_actions
from nashzoo.envs.core.rules import CHANCE
from nashzoo.envs.derivation.codes import packing

WORD = 62  # bits of an observation that are kept in one number


class Graph(NamedTuple):
    """A game with ``n`` states.

    A state's joint actions are numbered as in :class:`nashzoo.baselines.states.listed.Successors`: if player 1 has
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


class State(NamedTuple):
    """A state."""

    number: int


encode, decode = packing(State, number=WORD)

# The content of ``params``: these numbers, and then the arrays.
STATES, ACTIONS, EDGES, SEEN, HEADER = range(5)


def packed(graph: Graph, num_actions: int) -> Ints:
    """Returns the parameters with a game's arrays."""
    states, players, bits = graph.seen.shape
    words = np.zeros((states, players, -(-bits // WORD)), np.int64)
    for bit in range(bits):
        words[:, :, bit // WORD] |= graph.seen[:, :, bit].astype(np.int64) << bit % WORD
    header = np.array([states, num_actions, len(graph.following), bits])
    arrays = (
        header, graph.turns, graph.legal0, graph.legal1, graph.payoffs.view(np.int64), graph.first, graph.following,
        graph.probabilities.view(np.int64), words.reshape(-1),
    )  # fmt: skip
    return np.concatenate([np.asarray(array, np.int64) for array in arrays])


@compiled(float64(int64[::1], int64))
def _number(params: Ints, place: int) -> float:
    """Returns the float whose bits are at a place."""
    return params[place : place + 1].view(np.float64)[0]  # type: ignore[no-any-return]


@compiled(int64(int64[::1], int64))
def _first(params: Ints, code: int) -> int:
    """Returns the place of the first successor of a state."""
    states = params[STATES]
    return int(HEADER + 5 * states + 1 + params[HEADER + 4 * states + code])


@rule
def turn(params: Ints, code: int) -> int:
    """The player to move."""
    return int(params[HEADER + code])


@rule
def legal(params: Ints, code: int, player: int) -> int:
    """The legal actions; action 0 at chance states."""
    return int(max(params[HEADER + (1 + player) * params[STATES] + code], 1))


@rule
def terminal(params: Ints, code: int) -> bool:
    """A state without legal actions is terminal."""
    return bool(params[HEADER + params[STATES] + code] == 0)


@rule
def payoff(params: Ints, code: int) -> float:
    """The reward on entering a state."""
    return _number(params, HEADER + 3 * params[STATES] + code)


@rule
def step(params: Ints, code: int, action0: int, action1: int) -> int:
    """The successor of a joint action; the action of a waiting player is ignored."""
    mover = turn(params, code)
    legal0, legal1 = legal(params, code, 0), legal(params, code, 1)
    row = 0 if mover == 1 else count_actions(legal0 & ((1 << action0) - 1))
    column = 0 if mover == 0 else count_actions(legal1 & ((1 << action1) - 1))
    return int(params[_first(params, code) + row * count_actions(legal1) + column])


@rule
def chance(params: Ints, code: int, outcomes: Ints, probabilities: Floats) -> int:
    """The outcomes of chance."""
    first = _first(params, code)
    count = int(params[HEADER + 4 * params[STATES] + code + 1] - params[HEADER + 4 * params[STATES] + code])
    for k in range(min(count, len(outcomes))):
        outcomes[k], probabilities[k] = params[first + k], _number(params, first + params[EDGES] + k)
    return count


@compiled()
def _bits(number: int) -> int:
    bits = 1
    while number >> bits:
        bits += 1
    return bits


@rule
def observe(params: Ints, code: int, player: int, out: Features) -> None:
    """Fills the bits of the state's number, the player's seat, and the additional bits."""
    states, edges, bits = params[STATES], params[EDGES], params[SEEN]
    length = _bits(states - 1)
    for k in range(length):
        out[k] = code >> k & 1
    out[length] = player
    words = (bits + WORD - 1) // WORD
    at = HEADER + 5 * states + 1 + 2 * edges + (2 * code + player) * words
    for k in range(bits):
        out[length + 1 + k] = params[at + k // WORD] >> (k % WORD) & 1


@rule
def decode_observation(params: Ints, observation: Features) -> tuple[int, int]:
    """Returns the code and the player of an observation."""
    length = _bits(params[STATES] - 1)
    code = 0
    for k in range(length):
        code |= int(observation[k] > 0.5) << k
    return code, int(observation[length] > 0.5)


class GraphRules:
    """The rules of a game given by arrays, as in :class:`nashzoo.envs.core.rules.Rules`.

    Args:
        name: The name of the game.
        actions: The names of the actions, one for each bit of the masks.
        graph: The game.
        texts: The text of each state for people ``[n]``; its number when left out.
        seen: The names of the additional bits of observations ``[bits]``.

    Raises:
        UsageError: an array does not fit the others.
    """

    MASKED = True
    encode, decode = staticmethod(encode), staticmethod(decode)
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
        self.NAME, self.ACTIONS = name, tuple(actions)
        self.__name__ = name
        self.State = State
        self._graph, self._texts, self._seen = graph, texts, tuple(seen)
        _check(name, graph, len(self.ACTIONS))
        everything = (1 << len(self.ACTIONS)) - 1
        running = (graph.legal0 != 0) & (graph.turns != CHANCE)
        if (graph.turns == CHANCE).any():
            self.chance = chance
        self.MASKED = bool((graph.legal0[running] != everything).any() or (graph.legal1[running] != everything).any())
        self._params = packed(graph, len(self.ACTIONS))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, GraphRules)
            and (self.NAME, self.ACTIONS) == (other.NAME, other.ACTIONS)
            and np.array_equal(self._params, other._params)
        )

    def __hash__(self) -> int:
        return hash((self.NAME, len(self._params)))

    def __reduce__(self) -> tuple[Any, ...]:
        return GraphRules, (self.NAME, self.ACTIONS, self._graph, self._texts, self._seen)

    def parameters(self) -> Ints:
        """Returns the game's arrays; there are no parameters to choose."""
        return self._params

    def field_maxima(self, params: Ints) -> State:
        """Returns the largest number of a state."""
        return State(int(params[STATES]) - 1)

    def start(self, params: Ints) -> tuple[Ints, Floats]:
        """Returns the states in which the game starts ``[S]``, and their probabilities ``[S]``."""
        return self._graph.starts, self._graph.start_probabilities

    def features(self, params: Ints) -> tuple[str, ...]:
        """Returns the meaning of each number of an observation."""
        bits = _bits(int(params[STATES]) - 1)
        return (*(f"bit {bit} of the state's number" for bit in range(bits)), "own seat", *self._seen)

    def levels(self, params: Ints) -> tuple[int, ...]:
        """Returns the number of values of each number of an observation."""
        return (2,) * len(self.features(params))

    def text(self, params: Ints, code: int) -> str:
        """Returns the text of a state."""
        return f"state {code}" if self._texts is None else self._texts[int(code)] or f"state {code}"


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
    wrong = [problem for problem, found in problems.items() if found]
    if wrong:
        raise UsageError(f"{name} is no game: {'; '.join(wrong)}")
