"""The states of a game whose rules have a closed-form index, instead of a list of all codes in memory.

It has the interface of :class:`nashzoo.baselines.states.listed.ListedStates`: numbers, layers and successors. But
nothing is stored; codes and successors are computed when needed. It contains every state of the index, whether
reachable from the start or not.

The rules give one of a state and its mirror image a number. State ``k`` of the rules has the
number ``2 k`` here, its mirror image ``2 k + 1``.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numba import int32, int64, void

from nashzoo.baselines.states.listed import OVER, Layer, ListedStates, Successors, expand
from nashzoo.envs.core.checks import check_game
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.compiled import Ints, compiled
from nashzoo.envs.rules.compiled_game import GAME


@compiled()
def _number(index: Any, params: Ints, code: int) -> int:
    number: int = index(params, code)
    return 2 * number if number >= 0 else 2 * ~number + 1


@compiled()
def _code(code_at: Any, swap_players: Any, params: Ints, number: int) -> int:
    code: int = code_at(params, number >> 1)
    return int(swap_players(params, code)) if number & 1 else code


@compiled(void(GAME, int64[::1], int32[::1]))
def _number_all(game: Any, codes: Ints, numbers: Numbers) -> None:
    """Fills the numbers of codes ``[B]``; leaves marks, which are negative, as they are."""
    index, params = game.index, game.params
    for i in range(len(codes)):
        code = codes[i]
        if code >= 0:
            number = index(params, code)
            code = 2 * number if number >= 0 else 2 * ~number + 1
        numbers[i] = code


@compiled(void(GAME, int64, int64[::1]))
def _look_up(game: Any, states: int, codes: Ints) -> None:
    """Replaces codes ``[B]`` by their numbers, and by ``OVER`` for terminal states and invalid codes."""
    index, code_at, swap_players = game.index, game.code_at, game.swap_players
    terminal, params = game.terminal, game.params
    for i in range(len(codes)):
        code = codes[i]
        codes[i] = OVER
        if code >= 0 and not terminal(params, code):
            number = _number(index, params, code)
            if 0 <= number < states and _code(code_at, swap_players, params, number) == code:
                codes[i] = number


@compiled(void(GAME, int64[::1], int64[::1]))
def _codes_of(game: Any, ids: Ints, codes: Ints) -> None:
    code_at, swap_players, params = game.code_at, game.swap_players, game.params
    for i in range(len(ids)):
        codes[i] = _code(code_at, swap_players, params, ids[i])


class _Codes:
    """The codes of a table, by number."""

    def __init__(self, table: "IndexedStates") -> None:
        self.table = table

    def __getitem__(self, ids: Ints) -> Ints:
        codes = np.empty(len(ids), np.int64)
        _codes_of(self.table.game.compiled, np.ascontiguousarray(ids), codes)
        return codes


class _Successors:
    """The successors of the states of a table, by number."""

    def __init__(self, table: "IndexedStates") -> None:
        self.table = table

    def at(self, ids: Ints) -> Successors:
        """Returns the successors of some states."""
        return self.table.successors_of(self.table.codes[ids])


def numbering(
    game: Game, roots: Sequence[int] | None = None, essential: bool = False
) -> "ListedStates | IndexedStates":
    """Returns the states of a game, by the index of its rules or else listed from the roots, see :class:`ListedStates`.

    Raises:
        ValueError: ``game`` is no game, or a root is no non-terminal state.
        TooManyStatesError: there are too many to list.
    """
    check_game(game)
    return ListedStates(game, roots, essential) if game.numbers is None else IndexedStates(game)


class IndexedStates:
    """The states of a game whose rules have ``index``, ``code_at`` and ``layer_sizes``.

    Attributes:
        game: The game.
        codes: The codes, by number.
        successors: The successors of each state, by number.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        assert game.numbers is not None
        self.bounds = 2 * np.concatenate([[0], np.cumsum(game.numbers.layer_sizes(game.params))])
        self.codes = _Codes(self)
        self.successors = _Successors(self)

    def __len__(self) -> int:
        return int(self.bounds[-1])

    @property
    def layers(self) -> Iterator[Layer]:
        """The order in which to solve."""
        for first, last in zip(self.bounds[:-1], self.bounds[1:], strict=True):
            yield Layer(np.arange(first, last), False)

    def ids(self, codes: Any) -> Ints:
        """Returns the numbers of codes ``[B]``.

        Raises:
            KeyError: a code is no state of the table, or is terminal.
        """
        wanted = np.array(codes, np.int64)
        numbers = self._numbers(wanted)
        if (numbers < 0).any():
            state = self.game.spell(int(wanted[numbers < 0].flat[0]))
            raise KeyError(f"{self.game.name} has no state {state}, or is over there")
        return numbers

    def __contains__(self, code: int) -> bool:
        return bool(self._numbers(np.array([code]))[0] >= 0)

    def _numbers(self, codes: Ints) -> Ints:
        """Returns the numbers of codes, ``OVER`` for codes without one."""
        numbers = codes.flatten()
        _look_up(self.game.compiled, len(self), numbers)
        return numbers.reshape(codes.shape)

    def successors_of(self, codes: Ints) -> Successors:
        """Returns the successors of states given by their codes ``[B]``."""
        legal0, legal1, after, rewards, _ = expand(self.game, codes)  # these games have no chance
        return Successors(legal0, legal1, self.numbers(after), rewards)

    def numbers(self, codes: Ints) -> Numbers:
        """Returns the numbers of codes ``[...]`` of non-terminal states, without a check; leaves marks as they are."""
        numbers = np.empty(codes.shape, np.int32)
        _number_all(self.game.compiled, np.ascontiguousarray(codes).reshape(-1), numbers.reshape(-1))
        return numbers
