"""What an environment shows its players, by state and seat, and whether that is enough to tell states apart."""

import inspect
from array import array as numbers
from collections import deque
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.explorer import Explored, listed
from nashzoo.envs.imported.graph_rules import Graph
from nashzoo.envs.jit.compiled import Ints
from nashzoo.envs.rules.pieces import BOTH

CONTAINERS = dict, list, tuple, set, frozenset


class Shown(NamedTuple):
    """An environment's own observations."""

    observations: NDArray[Any]  # what each player sees where it chooses [n, 2, ...]; 0 elsewhere
    blurred: str  # two sequences of actions that lead to one state with different observations; empty if there are none

    @staticmethod
    def of(explored: Explored) -> "Shown | None":
        """Returns what an explored environment shows; None if its observations are no arrays of one shape."""
        rows = [(k, player) for k, turn in enumerate(explored.turns) for player in range(2) if turn in (player, BOTH)]
        try:
            arrays = [np.asarray(explored.shown[k][player]) for k, player in rows]
        except ValueError:  # parts of different shapes
            return None
        kinds = {(array.shape, array.dtype) for array in arrays}
        if len(kinds) != 1 or arrays[0].dtype.kind not in "biuf" or explored.local:
            return None
        observations = np.zeros((len(explored.turns), 2, *arrays[0].shape), arrays[0].dtype)
        for (k, player), array in zip(rows, arrays, strict=True):
            observations[k, player] = array
        return Shown(observations, explored.blurred)

    def at(self, numbers: Ints, players: Ints) -> NDArray[Any]:
        """Returns the observations ``[B, ...]`` of players ``[B]`` in states ``[B]``.

        Raises:
            UsageError: states have several observations.
        """
        if self.blurred:
            raise UsageError(f"a state has two observations, those {self.blurred}: choose a key that tells them apart")
        return self.observations[numbers, players]


def check_seen(explored: Explored, graph: Graph) -> None:
    """Checks that play goes on alike wherever a player sees the same.

    States go on alike if the same players have the same actions, and these lead to equal payoffs and to states that go
    on alike: the coarsest such partition is found by refinement. Source: Hopcroft (1971).

    Raises:
        UsageError: it does not, as two sequences of actions show.
    """
    classes = _classes(graph)
    known: dict[Any, tuple[int, int]] = {}
    for number, turn in enumerate(explored.turns):
        for player in range(2):
            if turn not in (player, BOTH) or explored.shown[number][player] is None:
                continue
            seen = frozen((explored.shown[number][player], explored.legal[number][player]))
            other, group = known.setdefault((player, seen), (number, int(classes[number])))
            if group != classes[number]:
                raise UsageError(
                    f"player {player} of {explored.source.name} sees the same after {listed(explored.path(other))} and "
                    f"after {listed(explored.path(number))}, where play goes on differently: say hidden=True, so that "
                    "states are histories"
                )


def _classes(graph: Graph) -> Ints:
    """Returns the class of each state ``[n]``: states of one class go on alike."""
    degrees = np.diff(graph.first)
    groups = []  # states with as many successors, and the indices of these
    for degree in np.unique(degrees):
        rows = np.flatnonzero(degrees == degree)
        groups.append((rows, graph.first[rows][:, None] + np.arange(degree)))

    def refined(state: Ints, *following: Ints) -> Ints:
        """Returns classes of states that have the same numbers, and whose successors have the same."""
        found, count = np.empty(len(state), np.int64), 0
        for rows, edges in groups:
            table = np.column_stack([state[rows], *(ends[edges] for ends in following)])
            different, places = np.unique(table, axis=0, return_inverse=True)
            found[rows] = count + places.ravel()
            count += len(different)
        return found

    kinds = np.unique([graph.turns, graph.legal0, graph.legal1], axis=1, return_inverse=True)[1].ravel()
    payoffs, chances = (np.unique(one, return_inverse=True)[1] for one in (graph.payoffs, graph.probabilities))
    classes, count = refined(kinds, payoffs[graph.following], chances), 0
    while (found := int(classes.max()) + 1) > count:
        classes, count = refined(classes, classes[graph.following]), found
    return classes


def frozen(value: Any, within: frozenset[int] = frozenset()) -> Hashable:
    """Returns a value as one that can be compared: containers, arrays and objects by what they contain."""
    if value is None or isinstance(value, int | float | str | bytes):
        return value
    if id(value) in within:
        return "itself"
    within |= {id(value)}
    content: Hashable
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        content = frozen(array.tolist(), within) if array.dtype == object else array.tobytes()
        return array.shape, array.dtype.str, content
    known = {} if type(value) in CONTAINERS else fields(value)
    content = None
    if isinstance(value, Mapping):
        content = tuple((frozen(k, within), frozen(item, within)) for k, item in value.items())
    elif isinstance(value, set | frozenset):
        content = frozenset(frozen(item, within) for item in value)
    elif isinstance(value, list | tuple | deque | bytearray | numbers):
        content = tuple(frozen(item, within) for item in value)
    elif isinstance(value, type) or inspect.isroutine(value):
        content = value.__qualname__
    elif not known and not hasattr(value, "__dict__") and prints(value):
        content = repr(value)
    if not known and content is not None:
        return content
    return type(value).__qualname__, content, frozen(known, within)


def fields(value: Any) -> dict[str, Any]:
    """Returns the fields of an object, also those in slots; of a function what it is bound to, and its defaults."""
    if inspect.ismethod(value):
        return {"self": value.__self__}
    if inspect.isfunction(value):
        bound = dict(inspect.getclosurevars(value).nonlocals, defaults=value.__defaults__, kw=value.__kwdefaults__)
        return {name: item for name, item in bound.items() if item is not None}
    if isinstance(value, type) or inspect.isroutine(value):
        return {}
    slots = {
        name for kind in type(value).__mro__ for name, slot in vars(kind).items() if inspect.ismemberdescriptor(slot)
    }
    known = getattr(value, "__dict__", {})
    return {name: getattr(value, name) for name in sorted(slots) if hasattr(value, name)} | known


def prints(value: Any) -> bool:
    """Returns whether an object has a text of its own."""
    return any({"__str__", "__repr__"} & vars(kind).keys() for kind in type(value).__mro__[:-1])
