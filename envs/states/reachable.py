"""All states that play can reach: what follows on states, and on what follows, until nothing new turns up."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.compilation.compiled import GAME, Floats, Ints, compiled
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.kernels import count_actions, list_actions
from nashzoo.envs.states.code_index import Numbering, Numbers

OVER = -1  # stands for a terminal state where a number of a state is asked for

MAX_STATES = 2_000_000  # as many can be listed in some gigabytes
AT_ONCE = 65_536  # states
KEPT = 4  # games whose states were asked for last


class TooManyStatesError(UsageError):
    """There are more states than can be listed, or than can be solved for together with what players remember."""


class Part(NamedTuple):
    """What follows on some states, see :class:`nashzoo.baselines.states.listed.Successors`."""

    legal0: Ints  # [n], bit masks
    legal1: Ints  # [n]
    following: Numbers  # [n, choices], by the order in which states turned up; OVER after the end
    rewards: Floats  # [n, choices], to player 0


@compiled(int64(GAME, int64[::1], int64[::1], int64[::1]))
def _legal(game: Any, codes: Ints, legal0: Ints, legal1: Ints) -> int:
    """Fills both players' legal actions; returns the most joint choices there are anywhere."""
    legal, params = game.legal, game.params
    most = 0
    for k in range(len(codes)):
        legal0[k], legal1[k] = legal(params, codes[k], 0), legal(params, codes[k], 1)
        most = max(most, count_actions(legal0[k]) * count_actions(legal1[k]))
    return most


@compiled(int64(GAME, int64[::1], int64[::1], int64[::1], int64[:, ::1], float64[:, ::1]))
def _expand(game: Any, codes: Ints, legal0: Ints, legal1: Ints, following: Ints, rewards: Floats) -> int:
    """Fills what follows on the codes; returns a row with a reward that is not finite, -1 when there is none."""
    step, payoff, terminal = game.step, game.payoff, game.terminal
    params, num_actions = game.params, game.num_actions
    rows, columns = np.empty(num_actions, np.int64), np.empty(num_actions, np.int64)
    strange = -1
    for k in range(len(codes)):
        m, n = list_actions(legal0[k], rows), list_actions(legal1[k], columns)
        choice = 0
        for x in range(m):
            for y in range(n):
                after = step(params, codes[k], rows[x], columns[y])
                reward = payoff(params, after)
                if not abs(reward) < np.inf:
                    strange = k
                rewards[k, choice] = reward
                following[k, choice] = OVER if terminal(params, after) else after
                choice += 1
        following[k, choice:] = OVER
        rewards[k, choice:] = 0.0
    return strange


def expand(game: Game, codes: Ints) -> tuple[Ints, Ints, Ints, Floats]:
    """Returns what :class:`Successors` holds, with the codes that follow on the given ones in place of numbers.

    Raises:
        ValueError: the game pays something that is not finite.
    """
    codes = np.ascontiguousarray(codes)
    legal0, legal1 = np.empty((2, len(codes)), np.int64)
    shape = len(codes), _legal(game.compiled, codes, legal0, legal1)
    after, rewards = np.empty(shape, np.int64), np.empty(shape)
    strange = _expand(game.compiled, codes, legal0, legal1, after, rewards)
    if strange >= 0:
        raise ValueError(f"{game.name} pays a reward that is not finite after {game.spell(int(codes[strange]))}")
    return legal0, legal1, after, rewards


def explore(game: Game, found: Numbering, listed: Callable[[Ints], Ints] | None = None) -> Iterator[Part]:
    """Yields what follows on the states found and on those that this adds to them, in their order.

    Args:
        game: The game.
        found: The states to begin with; all others that play leads to are added, without the terminal ones.
        listed: Returns the codes of the states that stand for others ``[...]``, leaving marks, which are negative.

    Raises:
        TooManyStatesError: there are too many.
        ValueError: the game pays something that is not finite.
    """
    expanded = 0
    while expanded < len(found):
        codes = found.codes[expanded : expanded + AT_ONCE]
        expanded += len(codes)
        legal0, legal1, after, rewards = expand(game, codes)
        yield Part(legal0, legal1, found.number(after if listed is None else listed(after)), rewards)
        if len(found) > MAX_STATES:
            raise TooManyStatesError(
                f"play of {game} leads to more than {MAX_STATES:,} states, too many to list; "
                "other parameters lead to fewer"
            )


@lru_cache(KEPT)
def reachable_or_none(game: Game) -> Ints | None:
    """Returns what :func:`reachable` does; None for too many."""
    if game.numbers is not None and game.numbers.num_states(game.params) > MAX_STATES:
        return None
    found = Numbering()
    found.number(game.start_codes)
    try:
        for _ in explore(game, found):
            pass
    except TooManyStatesError:
        return None
    return np.sort(found.codes)


def reachable(game: Game) -> Ints:
    """Returns the codes of all states that play can reach and at which it goes on, ascending ``[n]``.

    They are kept for the games asked for last, and must not be changed.

    Raises:
        TooManyStatesError: there are too many.
        ValueError: the game pays something that is not finite.
    """
    codes = reachable_or_none(game)
    if codes is None:
        if game.numbers is None:
            raise TooManyStatesError(f"play of {game!r} leads to more than {MAX_STATES:,} states, too many to list")
        number = game.numbers.num_states(game.params)
        raise TooManyStatesError(f"{game!r} has {number:,} states, more than the {MAX_STATES:,} that can be listed")
    return codes
