"""Rules of a game given by arrays over its states.

States have the numbers 0, 1, 2, ..., which are their codes. The arrays are the tables of the game, so that the same
compiled functions are the rules of every such game.

With a *horizon* play ends after so many moves, and a state has a clock besides its number: twice the number of moves so
far, plus 1 where a player chooses. It grows with every move and with every outcome of chance. In some games the last
move then pays nothing.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import note
from nashzoo.envs.base.words import printable
from nashzoo.envs.jit.compiled import Features, Floats, Ints
from nashzoo.envs.rules.build import MAX_CYCLES
from nashzoo.envs.rules.observation import bit_length
from nashzoo.envs.rules.pieces import CHANCE

WORD = 62  # bits of an observation that are kept in one number
NOTHING_HIDDEN = np.empty((2, 0), np.int64)  # the views of players who see the state itself


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
    views: Ints = NOTHING_HIDDEN  # [2, n], the state that each player sees in each


class State(NamedTuple):
    """A state."""

    number: int


class TimedState(NamedTuple):
    """A state of a game with a horizon."""

    number: int
    clock: int


class Horizon(NamedTuple):
    """The limit of the length of play."""

    moves: int = 0  # after which play ends; 0 for no limit
    pays: bool = True  # whether the last move pays


NO_LIMIT = Horizon()


class Tables(NamedTuple):
    """A :class:`Graph` as the tables of a game."""

    states: int
    horizon: int  # moves after which play ends; 0 for no limit
    last_pays: int  # whether the last of them pays, 1 or 0
    shift: int  # bits of a code below those of the clock
    mask: int  # of these bits
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
    return tables.turns[code & tables.mask]  # type: ignore[no-any-return]


def legal(tables: Tables, code: int, player: int) -> int:
    """Returns the legal actions; action 0 at chance states."""
    return max(tables.legal[player, code & tables.mask], 1)  # type: ignore[no-any-return]


def late(tables: Tables, code: int) -> bool:
    """Returns whether all moves up to the horizon have been made, and chance has decided what comes of the last."""
    clock = code >> tables.shift
    return tables.horizon > 0 and clock & 1 == 1 and clock >> 1 >= tables.horizon


def terminal(tables: Tables, code: int) -> bool:
    """A state without legal actions is terminal, and one in which a player would choose after the last move."""
    return late(tables, code) or tables.legal[0, code & tables.mask] == 0


def payoff(tables: Tables, code: int) -> float:
    """Returns the reward on entering a state."""
    if tables.last_pays == 0 and late(tables, code):
        return 0.0
    return tables.payoffs[code & tables.mask]  # type: ignore[no-any-return]


def entered(tables: Tables, code: int, number: int) -> int:
    """Returns the code of the state with a number, entered from a state."""
    if tables.horizon == 0:
        return number
    moves = (code >> tables.shift) + 1 >> 1
    return number | 2 * moves + (tables.turns[number] != CHANCE) << tables.shift  # type: ignore[no-any-return]


def step(tables: Tables, code: int, action0: int, action1: int) -> int:
    """Returns the successor of a joint action; the action of a waiting player is ignored."""
    number = code & tables.mask
    mover = tables.turns[number]
    legal0, legal1 = tables.legal[0, number], tables.legal[1, number]
    row = 0 if mover == 1 else count_bits(legal0 & ((1 << action0) - 1))
    column = 0 if mover == 0 else count_bits(legal1 & ((1 << action1) - 1))
    return entered(tables, code, tables.following[tables.first[number] + row * count_bits(legal1) + column])


def chance(tables: Tables, code: int, outcomes: Ints, probabilities: Floats) -> int:
    """Fills in the outcomes of chance."""
    first = tables.first[code & tables.mask]
    count = tables.first[(code & tables.mask) + 1] - first
    for k in range(min(count, len(outcomes))):
        outcomes[k] = entered(tables, code, tables.following[first + k])
        probabilities[k] = tables.probabilities[first + k]
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
    return code & ~tables.mask | tables.views[player, code & tables.mask]  # type: ignore[no-any-return]


def observe(tables: Tables, code: int, player: int, out: Features) -> None:
    """Fills the bits of the state that the player sees, its number and its clock, the seat, and the additional bits."""
    number, clock = tables.views[player, code & tables.mask], code >> tables.shift
    length, last = number_bits(tables.states), clock_bits(tables.horizon)
    for k in range(length):
        out[k] = number >> k & 1
    for k in range(last):
        out[length + k] = clock >> k & 1
    out[length + last] = player
    for k in range(tables.bits):
        out[length + last + 1 + k] = tables.seen[2 * number + player, k // WORD] >> (k % WORD) & 1


def decode_observation(tables: Tables, observation: Features) -> tuple[TimedState, int]:
    """Returns the state and the player of an observation."""
    length, last = number_bits(tables.states), clock_bits(tables.horizon)
    number = clock = 0
    for k in range(length):
        number |= int(observation[k] > 0.5) << k
    for k in range(last):
        clock |= int(observation[length + k] > 0.5) << k
    return TimedState(number, clock), int(observation[length + last] > 0.5)


def clock_bits(horizon: int) -> int:
    """Returns the number of bits of a clock."""
    return bit_length(2 * horizon + 1) if horizon > 0 else 0


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
        horizon: The limit of the length of play.
        total: The sum of both players' payoffs in a play; the graph has player 0's, less half of it where play ends.
        environment: What another program shows the players, see :class:`nashzoo.envs.imported.shown.Shown`.
        labels: What a file calls the information set of the player to move at each state ``[n]``, empty for nothing.
        sets: The information sets in the order of their file, see :mod:`nashzoo.envs.imported.profiles`.
        notes: What users are told of the game when it is made, or read.

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
        horizon: Horizon = NO_LIMIT,
        total: float = 0.0,
        environment: Any = None,
        labels: Sequence[str] = (),
        sets: Sequence[Any] = (),
        notes: Sequence[str] = (),
    ) -> None:
        self.total, self.labels, self.sets, self.notes = total, labels, sets, [*notes]
        self.NAME, self.ACTIONS = printable(name), tuple(map(printable, actions))
        self.__name__ = self.NAME
        self.State: type[State | TimedState] = State
        self.BITS = {"number": WORD}
        if horizon.moves > 0:
            shift = number_bits(len(graph.turns))
            self.State, self.BITS, self.CLOCK = TimedState, {"number": shift, "clock": WORD - shift}, "clock"
        self.FIELDS = dict.fromkeys(self.BITS, "")  # people read the text of a state
        self.graph, self.texts, self.seen = graph, texts, tuple(seen)
        self.horizon, self.environment = horizon, environment
        _check(name, graph, len(self.ACTIONS))
        everything = (1 << len(self.ACTIONS)) - 1
        running = (graph.legal0 != 0) & (graph.turns != CHANCE)
        if (graph.turns == CHANCE).any():
            self.chance = chance
        if graph.views.size:
            self.information_state = information_state
        if any(labels):
            self.label = self._label
        self.MASKED = bool((graph.legal0[running] != everything).any() or (graph.legal1[running] != everything).any())
        self._tables = graph_tables(graph, horizon)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, GraphRules)
            and (self.NAME, self.ACTIONS, self.horizon) == (other.NAME, other.ACTIONS, other.horizon)
            and self.total == other.total
            and all(map(np.array_equal, self.graph, other.graph))
        )

    def __hash__(self) -> int:
        return hash((self.NAME, len(self.graph.following)))

    def __reduce__(self) -> tuple[Any, ...]:
        what = self.NAME, self.ACTIONS, self.graph, self.texts, self.seen, self.horizon, self.total
        return GraphRules, (*what, self.environment, self.labels, self.sets)

    def told(self) -> "GraphRules":
        """Returns the rules, and tells what is to be known of the game."""
        for text in self.notes:
            note(text)
        return self

    def tables(self) -> Tables:
        """Returns the game's arrays; there are no parameters to choose."""
        return self._tables

    def field_maxima(self, tables: Tables) -> State | TimedState:
        """Returns the largest values of a state's fields."""
        if self.horizon.moves == 0:
            return State(tables.states - 1)
        return TimedState(tables.states - 1, 2 * self.horizon.moves + 1)

    def start(self) -> list[tuple[State | TimedState, float]]:
        """Returns the states in which the game starts, and their probabilities."""
        starts = zip(self.graph.starts.tolist(), self.graph.start_probabilities.tolist(), strict=True)
        if self.horizon.moves == 0:
            return [(State(number), probability) for number, probability in starts]
        turns = self.graph.turns
        return [(TimedState(number, int(turns[number] != CHANCE)), probability) for number, probability in starts]

    def features(self, tables: Tables) -> tuple[str, ...]:
        """Returns the meaning of each number of an observation."""
        number = (f"bit {bit} of the state's number" for bit in range(number_bits(tables.states)))
        clock = (f"bit {bit} of its clock" for bit in range(clock_bits(self.horizon.moves)))
        return (*number, *clock, "own seat", *self.seen)

    def levels(self, tables: Tables) -> tuple[int, ...]:
        """Returns the number of values of each number of an observation."""
        return (2,) * len(self.features(tables))

    def at_stake(self, tables: Tables, code: int) -> float:
        """Returns the most points that play from a state can still bring to one of the players.

        With a horizon they are counted as if no move were made yet: from the start they are exact.
        """
        return float(self._stakes[code & tables.mask])

    def taken_off(self, tables: Tables, code: int) -> float:
        """Returns the sum of what was taken off from both players' payoffs in play from a state."""
        return 0.0 if terminal(tables, code) else self.total

    @cached_property
    def _stakes(self) -> Floats:
        """The largest sum of payoffs, to either player, of play from each state ``[n]``."""
        stakes: Floats = np.maximum(*(_largest_sums(self.graph, sign, self.horizon) for sign in (1.0, -1.0)))
        return stakes

    def text(self, code: int) -> str:
        """Returns the text of a state."""
        number, clock = code & self._tables.mask, code >> self._tables.shift
        text = f"state {number}" if self.texts is None else self.texts[number] or f"state {number}"
        return text if self.horizon.moves == 0 else f"{text}\nmove {clock // 2 + 1} of {self.horizon.moves}"

    def _label(self, code: int, player: int) -> str:
        """Returns the label of what a player sees where it chooses; the text of it if it has none."""
        return self.labels[code & self._tables.mask] or self.text(code)


def graph_tables(graph: Graph, horizon: Horizon = NO_LIMIT) -> Tables:
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
    views = np.asarray(graph.views if graph.views.size else [np.arange(states)] * 2, np.int64)
    shift = number_bits(states) if horizon.moves > 0 else WORD
    clock = horizon.moves, int(horizon.pays), shift, (1 << shift) - 1
    return Tables(states, *clock, bits, turns, legal, first, following, probabilities, payoffs, seen, views)


def _largest_sums(graph: Graph, sign: float, horizon: Horizon) -> Floats:
    """Returns the largest sum of payoffs, times ``sign``, of play from each state ``[n]``, by backward induction.

    Where play can come back to a state and is paid each time, a game without a horizon has as many moves as a match.
    """
    running = np.flatnonzero(np.diff(graph.first))
    by_chance = graph.turns[running] == CHANCE
    payoffs = sign * np.asarray(graph.payoffs, np.float64)
    last = payoffs if horizon.pays else np.where(graph.turns == CHANCE, payoffs, 0.0)  # those of the last move

    def after_step(sums: Floats, paid: Floats, chance: bool) -> Floats:
        best = np.maximum.reduceat((paid + sums)[graph.following], graph.first[running])
        own = by_chance == chance
        sums = sums.copy()
        sums[running[own]] = best[own]
        return sums

    def after_chance(sums: Floats, paid: Floats) -> Floats:
        for _ in range(by_chance.sum()):  # outcomes follow each other
            before, sums = sums, after_step(sums, paid, chance=True)
            if np.array_equal(sums, before):
                break
        return sums

    sums = after_chance(np.zeros(len(payoffs)), last)
    for moves_left in range(1, (horizon.moves or MAX_CYCLES) + 1):
        before = sums
        sums = after_step(sums, last if moves_left == 1 else payoffs, chance=False)
        sums = after_chance(sums, payoffs)
        if np.array_equal(sums, before):
            break
    return sums


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
