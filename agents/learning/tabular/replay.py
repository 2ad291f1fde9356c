"""Replay of earlier transitions: prioritised sweeping over a learned model.

States whose values have changed wait in a queue; then the tried joint actions that led to them are updated again.

Source: Moore and Atkeson (1993), "Prioritized sweeping: reinforcement learning with less data and less time". Here the
state that has waited longest comes first, which needs no priorities.
"""

from typing import Any, NamedTuple

import numpy as np

from nashzoo.agents.learning.tabular.states import Simulator
from nashzoo.envs.jit.compiled import Bools, Ints, compiled

UNCHANGED = 1e-12  # points: smaller changes of a value do not update its predecessors


class Queue(NamedTuple):
    """Numbers of states, each at most once; a ring for ``n`` of them, or for none."""

    waiting: Ints  # [n]
    is_waiting: Bools  # [n]
    ends: Ints  # [2], its first index, and the number of states in it


class Predecessors(NamedTuple):
    """The joint actions and outcomes of chance that lead to a state ``s``: ``edges[offsets[s] : offsets[s + 1]]``.

    Each is the number of a state, times ``c``, plus that of a joint action there.
    """

    offsets: Ints  # [n + 1]
    edges: Ints  # [E]


@compiled(inline=True)
def push(queue: Queue, state: int) -> None:
    """Adds a state at the end, unless it waits already."""
    if len(queue.waiting) > 0 and not queue.is_waiting[state]:
        queue.waiting[(queue.ends[0] + queue.ends[1]) % len(queue.waiting)] = state
        queue.ends[1] += 1
        queue.is_waiting[state] = True


@compiled(inline=True)
def pop(queue: Queue) -> int:
    """Removes the state that has waited longest, and returns it."""
    state = queue.waiting[queue.ends[0]]
    queue.ends[0] = (queue.ends[0] + 1) % len(queue.waiting)
    queue.ends[1] -= 1
    queue.is_waiting[state] = False
    return state  # type: ignore[no-any-return]  # an int to numba


def new_queue(size: int) -> Queue:
    """Returns an empty queue for states below ``size``."""
    return Queue(np.zeros(size, np.int64), np.zeros(size, np.bool_), np.zeros(2, np.int64))


def check_queue(queue: Queue) -> None:
    """Checks a queue that comes from a file.

    Raises:
        ValueError: it is invalid: compiled code would read beyond its end.
    """
    size, (first, count) = len(queue.waiting), queue.ends.tolist()
    if not (0 <= first < max(size, 1) and 0 <= count <= size):
        raise ValueError(f"its queue of {size} states begins at {first} and holds {count}")
    waiting = queue.waiting[(first + np.arange(count)) % max(size, 1)]
    marked = np.flatnonzero(queue.is_waiting)
    if not np.array_equal(np.sort(waiting), marked):
        raise ValueError("its queue holds others than the states that are marked as waiting")


def predecessors(simulator: Simulator) -> Predecessors:
    """Returns the joint actions that lead to each state."""
    flat = simulator.following.ravel()
    widths = np.maximum(simulator.rows * simulator.columns, np.count_nonzero(simulator.chances, axis=1))
    used = np.arange(simulator.following.shape[1]) < widths[:, None]
    edges = np.flatnonzero(used.ravel() & (flat >= 0))
    order = np.argsort(flat[edges], kind="stable")
    counts: Any = np.bincount(flat[edges], minlength=len(simulator.following))
    return Predecessors(np.concatenate([[0], np.cumsum(counts)]), edges[order])
