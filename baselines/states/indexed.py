"""The states of a game whose rules have a closed-form index, instead of a list of all codes in memory.

Nothing is stored; codes and successors are computed when needed. Every state of the index has a number, whether
reachable from the start or not.

The rules give one of a state and its mirror image a number. State ``k`` of the rules has the
number ``2 k`` here, its mirror image ``2 k + 1``.
"""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from nashzoo.baselines.states.listed import ListedStates
from nashzoo.baselines.states.space import Layer, StateSpace, Successors
from nashzoo.envs.core.checks import check_game
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.reachable import OVER, TooManyStatesError, expand
from nashzoo.envs.jit.compiled import Ints, compiled
from nashzoo.envs.jit.numba import int32, int64, void
from nashzoo.envs.rules.compiled_game import GAME

KEPT, FEW = 4, 50_000  # games whose states are kept, those used last; the most states of one. Nobody changes them.


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


def numbering(game: Game, roots: Sequence[int] | None = None, representatives_only: bool = False) -> StateSpace:
    """Returns the states of a game, by the index of its rules or else listed from the roots, see :class:`ListedStates`.

    Raises:
        ValueError: ``game`` is no game, or a root is no non-terminal state.
        TooManyStatesError: there are too many to list.
    """
    check_game(game)
    if game.indexed_rules is not None:
        return IndexedStates(game)
    whole = roots is None and not representatives_only
    return (whole and _few_states(game, id(game))) or ListedStates(game, roots, representatives_only)


@lru_cache(KEPT)
def _few_states(game: Game, _: int) -> ListedStates | None:
    """Returns all states of this one game, as equal ones may show theirs in other ways; None if there are many."""
    with suppress(TooManyStatesError):
        return ListedStates(game, most_states=FEW)
    return None


class IndexedStates(StateSpace):
    """The states of a game whose rules have ``index``, ``code_at`` and ``layer_sizes``.

    Attributes:
        game: The game.
        bounds: The number of the first state of each layer, and of all states.
    """

    recurs = False

    def __init__(self, game: Game) -> None:
        self.game = game
        assert game.indexed_rules is not None
        self.bounds = 2 * np.concatenate([[0], np.cumsum(game.indexed_rules.layer_sizes(game.params))])

    def __len__(self) -> int:
        return int(self.bounds[-1])

    @property
    def layers(self) -> Iterator[Layer]:
        """The order in which to solve."""
        for first, last in itertools.pairwise(self.bounds):
            yield Layer(np.arange(first, last), False)

    def ids(self, codes: Any) -> Ints:
        """Returns the numbers of codes ``[B]``, see :class:`nashzoo.baselines.states.space.StateSpace`."""
        wanted = np.array(codes, np.int64)
        numbers = wanted.flatten()
        _look_up(self.game.compiled, len(self), numbers)
        if (numbers < 0).any():
            state = self.game.spell(int(wanted.flat[np.argmax(numbers < 0)]))
            raise KeyError(f"{self.game.name} has no state {state}, or is over there")
        return numbers.reshape(wanted.shape)

    def codes_at(self, ids: Ints) -> Ints:
        """Returns the codes of states ``[L]``."""
        codes = np.empty(len(ids), np.int64)
        _codes_of(self.game.compiled, np.ascontiguousarray(ids), codes)
        return codes

    def successors_at(self, ids: Ints) -> Successors:
        """Returns the successors of states ``[L]``."""
        legal0, legal1, after, rewards, _ = expand(self.game, self.codes_at(ids))  # these games have no chance
        following = np.empty(after.shape, np.int32)
        _number_all(self.game.compiled, after.reshape(-1), following.reshape(-1))
        return Successors(legal0, legal1, following, rewards)
