"""All states that play can reach: successors of states, and their successors, until there are no new ones."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.memory import available_memory
from nashzoo.envs.core.code_index import Numbering, Numbers
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.kernels import ROOM, ChanceError, count_actions, list_actions, outcomes_all, turn_all
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, compiled
from nashzoo.envs.jit.numba import float64, int64
from nashzoo.envs.rules.compiled_game import GAME
from nashzoo.envs.rules.pieces import BOTH, CHANCE

OVER = -1  # the number of every terminal state
MAX_STATES = 2_000_000  # a list of as many states needs some gigabytes
AT_ONCE = 65_536  # states
KEPT = 4  # games whose states were used last


class TooManyStatesError(UsageError):
    """There are too many states to list, or too many pairs of a state and a memory state to solve."""


def check_memory(needed: int, work: str, remedy: str = "") -> None:
    """Checks that there is enough memory for work that needs so many bytes; a ``remedy`` would take less, in words.

    Raises:
        TooManyStatesError: there is not.
    """
    left = available_memory()
    if left is not None and needed > left:
        raise TooManyStatesError(
            f"{work} takes {needed / 1e9:.2f} GB of memory, and {left / 1e9:.2f} GB are left{remedy}"
        )


class Part(NamedTuple):
    """Successors of some states, see :class:`nashzoo.baselines.states.space.Successors`."""

    legal0: Ints  # [n], bit masks
    legal1: Ints  # [n]
    following: Numbers  # [n, choices], numbers in the order of discovery; OVER for terminal states
    rewards: Floats  # [n, choices], to player 0
    chances: Floats  # [n, outcomes]


@compiled(int64(GAME, int64[::1], int64[::1], int64[::1]))
def _legal(game: Any, codes: Ints, legal0: Ints, legal1: Ints) -> int:
    """Fills both players' legal actions, action 0 at chance states; returns the largest number of joint actions."""
    legal, params = game.legal, game.params
    turn, has_chance = game.turn, game.has_chance
    most = 0
    for k in range(len(codes)):
        if turn(params, codes[k]) == CHANCE:
            if not has_chance:
                raise ChanceError(codes[k])
            legal0[k], legal1[k] = 1, 1
            continue
        legal0[k], legal1[k] = legal(params, codes[k], 0), legal(params, codes[k], 1)
        most = max(most, count_actions(legal0[k]) * count_actions(legal1[k]))
    return most


@compiled(int64(GAME, int64[::1], int64[::1], int64[::1], int64[:, ::1], float64[:, ::1]))
def _expand(game: Any, codes: Ints, legal0: Ints, legal1: Ints, following: Ints, rewards: Floats) -> int:
    """Fills the successors of the codes, with OVER for chance states; returns -1, or marks an invalid row.

    The mark is ``2 k`` if row ``k`` has a reward that is not finite, and ``2 k + 1`` if no code holds a successor.
    """
    step, payoff, terminal, turn, has_chance = game.checked_step, game.payoff, game.terminal, game.turn, game.has_chance
    params, num_actions = game.params, game.num_actions
    rows, columns = np.empty(num_actions, np.int64), np.empty(num_actions, np.int64)
    invalid = -1
    for k in range(len(codes)):
        m, n = list_actions(legal0[k], rows), list_actions(legal1[k], columns)
        if has_chance and turn(params, codes[k]) == CHANCE:
            m = 0
        choice = 0
        for x in range(m):
            for y in range(n):
                after = step(params, codes[k], rows[x], columns[y])
                if after < 0:  # no state, which the rules must not be asked about
                    return 2 * k + 1
                reward = payoff(params, after)
                if not abs(reward) < np.inf:
                    invalid = 2 * k
                rewards[k, choice] = reward
                following[k, choice] = OVER if terminal(params, after) else after
                choice += 1
        following[k, choice:] = OVER
        rewards[k, choice:] = 0.0
    return invalid


def expand(game: Game, codes: Ints) -> tuple[Ints, Ints, Ints, Floats, Floats]:
    """Returns the arrays of :class:`nashzoo.baselines.states.space.Successors`, with codes instead of numbers.

    Raises:
        UsageError: a player has no legal action, the outcomes of chance are no distribution, a reward is not finite, or
            no code holds a successor.
    """
    check_time()
    codes = np.ascontiguousarray(codes)
    legal0, legal1 = np.empty((2, len(codes)), np.int64)
    try:
        choices = _legal(game.compiled, codes, legal0, legal1)
        by_chance = _outcomes(game, codes)
    except ChanceError as error:
        raise game.chance_error(error) from None
    helpless = np.flatnonzero((legal0 <= 0) | (legal1 <= 0))
    if len(helpless):
        raise UsageError(f"{game.name} has no legal action at {game.spell(int(codes[helpless[0]]))}")
    outcomes = by_chance.outcomes.shape[1]
    shape = len(codes), max(choices, outcomes)
    after, rewards, chances = np.empty(shape, np.int64), np.empty(shape), np.zeros((len(codes), outcomes))
    invalid = _expand(game.compiled, codes, legal0, legal1, after, rewards)
    rows = by_chance.rows
    if len(rows) > 0:
        after[rows, :outcomes], rewards[rows, :outcomes] = by_chance.outcomes, by_chance.rewards
        chances[rows] = by_chance.probabilities
        unfit = np.flatnonzero(~np.isfinite(by_chance.rewards).all(axis=1))
        invalid = 2 * int(rows[unfit[0]]) if len(unfit) else invalid
    if invalid >= 0:
        where = game.spell(int(codes[invalid // 2]))
        if invalid % 2:
            raise UsageError(f"step of {game.name} leads from {where} to a state with a field out of its range")
        raise UsageError(f"{game.name} pays a reward that is not finite after {where}")
    return legal0, legal1, after, rewards, chances


class Outcomes(NamedTuple):
    """The outcomes of chance states."""

    rows: Ints  # [c], indices of the chance states among the given states
    outcomes: Ints  # [c, outcomes], codes; OVER for terminal states, and after the last outcome
    probabilities: Floats  # [c, outcomes], 0 after the last
    rewards: Floats  # [c, outcomes], to player 0


def turns_of(game: Game, codes: Ints) -> Ints:
    """Returns the players to move at states ``[n]``: 0, 1, ``BOTH`` or ``CHANCE``."""
    turns = np.empty(len(codes), np.int64)
    turn_all(game.compiled, np.ascontiguousarray(codes), turns)
    return turns


def by_chance(game: Game, codes: Ints) -> Bools:
    """Returns whether states ``[n]`` are chance states."""
    if not game.has_chance:
        return np.zeros(len(codes), np.bool_)
    chance_states: Bools = turns_of(game, codes) == CHANCE
    return chance_states


def moves_of(game: Game, codes: Ints, player: int) -> Ints:
    """Returns those of some states ``[n]`` in which a player chooses."""
    turns = turns_of(game, codes)
    moves: Ints = codes[(turns == player) | (turns == BOTH)]
    return moves


def _outcomes(game: Game, codes: Ints) -> Outcomes:
    """Returns the outcomes of the chance states among states ``[B]``."""
    if not game.has_chance:
        return Outcomes(np.empty(0, np.int64), np.empty((0, 0), np.int64), np.empty((0, 0)), np.empty((0, 0)))
    rows = np.flatnonzero(by_chance(game, codes))
    outcomes = np.empty((len(rows), ROOM), np.int64)
    (probabilities, rewards), counts = np.empty((2, len(rows), ROOM)), np.empty(len(rows), np.int64)
    outcomes_all(game.compiled, codes[rows], outcomes, probabilities, rewards, counts)
    most = counts.max(initial=0)
    return Outcomes(rows, outcomes[:, :most].copy(), probabilities[:, :most].copy(), rewards[:, :most].copy())


def explore(
    game: Game, numbering: Numbering, listed: Callable[[Ints], Ints] | None = None, most_states: int = MAX_STATES
) -> Iterator[Part]:
    """Yields the successors of the states in ``numbering``, and of the states that this adds to it, in their order.

    Args:
        game: The game.
        numbering: The initial states; all other non-terminal states that play can reach are added.
        listed: Returns the codes of representative states ``[...]``, and leaves marks, which are negative.
        most_states: The largest allowed number of states.

    Raises:
        TooManyStatesError: there are too many.
        UsageError: the rules return something invalid.
    """
    expanded, least = 0, _least_number(game, numbering.codes.tobytes(), listed is None)
    while expanded < len(numbering):
        least[0] = max(least[0], len(numbering))
        if least[0] > most_states:
            raise TooManyStatesError(
                f"play of {game} leads to more than {most_states:,} states, too many to list; "
                "other parameters lead to fewer"
            )
        codes = numbering.codes[expanded : expanded + AT_ONCE]
        expanded += len(codes)
        legal0, legal1, after, *numbers = expand(game, codes)
        yield Part(legal0, legal1, numbering.number(after if listed is None else listed(after)), *numbers)


@lru_cache(KEPT)
def _least_number(game: Game, roots: bytes, every: bool) -> list[int]:
    """Returns the largest number of states found so far, in a list to write into: too many are not listed again."""
    return [0]


@lru_cache(KEPT)
def reachable(game: Game) -> Ints:
    """Returns the codes of all non-terminal states that play can reach, ascending ``[n]``.

    They are kept for the games used last, and must not be changed.

    Raises:
        TooManyStatesError: there are too many.
        UsageError: the rules return something invalid.
    """
    if game.indexed_rules is not None and (number := game.indexed_rules.num_states(game.params)) > MAX_STATES:
        raise TooManyStatesError(f"{game!r} has {number:,} states, more than the {MAX_STATES:,} that can be listed")
    numbering = Numbering()
    numbering.number(game.start_codes)
    for _ in explore(game, numbering):
        pass
    return np.sort(numbering.codes)


def reachable_or_none(game: Game) -> Ints | None:
    """Returns the result of :func:`reachable`; None if there are too many states."""
    try:
        return reachable(game)
    except TooManyStatesError:
        return None
