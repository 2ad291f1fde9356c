"""Values of policies in games with an index of states: each against the other, or one against its best response.

There are two passes over the layers. On the way from the start the states are marked that play reaches: actions of
probability 0 are not followed. On the way back these states are backed up. A policy is asked once for each number.
"""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.certificate.bounds import Rounding
from nashzoo.baselines.markov.transitions import AT_ONCE
from nashzoo.baselines.policies.tabular import Rows
from nashzoo.baselines.solvers.indexed_backup import NOBODY, VALID, back_up, mark_successors
from nashzoo.baselines.solvers.threaded_loops import overlapped
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.threads import processors, side_by_side
from nashzoo.envs.core.game import Floats, Ints
from nashzoo.envs.core.joint_steps import joint_steps
from nashzoo.envs.core.reachable import check_memory

BYTES = 10  # of memory for each number
MOST_KEPT = 1_000_000  # states at which answers of policies are kept on the way; the moves behind others all count
PART = 8192  # rows that a thread takes at once: short, and still long for a call
MOSTLY = 2 / 3  # if so much of a layer is reached, looking for the rest of the later ones is not worth the time

Answers = tuple[Floats, Floats]  # the probabilities of both players ``[L, actions]``; no rows for unknown ones


def indexed_values(
    states: IndexedStates, tables: tuple[Rows | None, Rows | None], everywhere: bool
) -> tuple[Floats, float, NDArray[np.int8]]:
    """Returns the values of states to player 0 ``[n]``, a bound of their errors, and the best response ``[n]``.

    States that are left out have the value 0 and the response -1, as all have if there is none.

    Args:
        states: The states.
        tables: The probabilities of player 0 and player 1; None for the one who plays a best response.
        everywhere: Whether to fill every state, or only those that are reached from the start.

    Raises:
        ValueError: a reward is not finite, or the index of the rules is wrong.
    """
    play = _Play(states, tables)
    if everywhere:
        play.reached[:] = True
    else:
        play.reached[states.ids(states.game.start_codes)] = True
        play.go_on()
    play.go_back()
    return play.values, play.rounding.total, play.choices


class _Play:
    """The two passes.

    Attributes:
        reached: Whether play reaches a state ``[n]``, or may do so.
        values: See :func:`indexed_values`.
        choices: See :func:`indexed_values`.
        rounding: The bound of the values' errors.
    """

    def __init__(self, states: IndexedStates, tables: tuple[Rows | None, Rows | None]) -> None:
        check_memory(BYTES * len(states), f"measuring players of {states.game!r}")
        self.reached = np.zeros(len(states), np.bool_)
        self.values = np.zeros(len(states))
        self.choices = np.full(len(states), -1, np.int8)
        self.rounding = Rounding()
        self._states, self._tables = states, tables
        self._rules: tuple[Any, Any] = states.game.compiled, joint_steps(states.game)
        self._decides = next((player for player in range(2) if tables[player] is None), NOBODY)
        self._layers = [slice(first, last) for first, last in itertools.pairwise(states.bounds.tolist())]
        self._unknown = np.empty((0, states.game.num_actions))
        self._kept: dict[int, Answers] = {}  # by the first of the states
        self._room = MOST_KEPT

    def go_on(self) -> None:
        """Marks the states that play reaches from those that are marked."""
        for layer in reversed(self._layers):
            if np.count_nonzero(self.reached[layer]) >= MOSTLY * (layer.stop - layer.start):
                self.reached[: layer.start] = True
                break
            overlapped(self._on_the_way, self._mark, self._blocks(layer))

    def go_back(self) -> None:
        """Fills the values of the states that are marked."""
        for layer in self._layers:
            overlapped(self._on_the_way_back, partial(self._back_up, layer.start), self._blocks(layer))
            values = self.values[layer]
            self.rounding.next_layer(np.array([values.min(), values.max()]))  # which saves a copy of all

    def _blocks(self, layer: slice) -> list[Ints]:
        """Returns the marked states of a layer, ascending, as many together as a policy is asked for at once."""
        ids = layer.start + np.flatnonzero(self.reached[layer])
        return [ids[first : first + AT_ONCE] for first in range(0, len(ids), AT_ONCE)]

    def _asked(self, ids: Ints) -> Answers:
        rows = (self._unknown if table is None else np.ascontiguousarray(table[ids]) for table in self._tables)
        return cast(Answers, tuple(rows))

    def _on_the_way(self, ids: Ints) -> Answers:
        self._room -= len(ids)
        if self._room < 0:
            return self._unknown, self._unknown
        self._kept[int(ids[0])] = self._asked(ids)
        return self._kept[int(ids[0])]

    def _on_the_way_back(self, ids: Ints) -> Answers:
        return self._kept.pop(int(ids[0]), None) or self._asked(ids)

    def _mark(self, ids: Ints, answers: Answers) -> None:
        def part(rows: slice) -> None:
            mark_successors(*self._rules, ids[rows], answers[0][rows], answers[1][rows], self.reached)

        _in_parts(part, len(ids))

    def _back_up(self, first: int, ids: Ints, answers: Answers) -> None:
        game = self._states.game

        def part(rows: slice) -> None:
            compiled, joint = self._rules
            policy0, policy1 = answers[0][rows], answers[1][rows]
            values, choices, largest = self.values, self.choices, np.empty(1)
            invalid = back_up(
                compiled, joint, ids[rows], policy0, policy1, self._decides, first, values, choices, largest
            )
            if invalid != VALID:
                state = ids[rows][invalid : invalid + 1]
                self._states.successors_at(state)  # which raises most errors
                where = game.spell(int(self._states.codes_at(state)[0]))
                raise UsageError(f"the index of {game.name} leads from {where} to no earlier layer")
            self.rounding.count(game.num_actions**2, float(largest[0]))

        _in_parts(part, len(ids))


def _in_parts(work: Callable[[slice], None], length: int) -> None:
    """Calls ``work`` with slices of ``PART`` rows that together cover ``length``, on all processors."""
    parts = [slice(first, min(first + PART, length)) for first in range(0, length, PART)]
    waiting = iter(parts)

    def go_on(_: slice) -> None:
        for rows in waiting:
            work(rows)

    side_by_side(go_on, parts[: processors()])
