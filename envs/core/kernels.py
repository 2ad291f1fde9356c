"""Compiled loops over many games with the same rules. They are independent of the rules and allocate no memory.

Arrays have one row for each running game, ``[B]`` or ``[B, ...]``. Before it starts, a loop reads the functions that it
needs from the game, and a ``borrowed`` copy of arrays whose rows it passes on: every look-up and every row counts a
reference, which takes longer than many rules, and makes threads wait for each other.
"""

from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.jit.compiled import Bools, Features, Floats, Ints, Mask, borrowed, compiled
from nashzoo.envs.jit.numba import boolean, float32, float64, int8, int64, types, uint64, void
from nashzoo.envs.rules.compiled_game import GAME
from nashzoo.envs.rules.pieces import CHANCE, MAX_OUTCOMES, SUM_TOLERANCE
from nashzoo.envs.rules.pieces import ROOM as ROOM

# Effects of an illegal action.
LOSE, NOOP = 0, 1

Seeds = np.ndarray[Any, np.dtype[np.uint64]]

MOST_IN_A_ROW = 100_000  # successive chance states, beyond which chance counts as endless


class ChanceError(ValueError):
    """Compiled code cannot draw the outcome of a chance state, which is the argument of the error.

    See :meth:`nashzoo.envs.core.game.Game.chance_error`.
    """


class Pieces(NamedTuple):
    """The functions of a game that a loop reads before it starts, see :data:`nashzoo.envs.rules.pieces.PIECES`."""

    step: Any
    legal: Any
    turn: Any
    payoff: Any
    terminal: Any
    params: Ints
    num_actions: int
    chance: Any
    has_chance: int


@compiled(inline=True)
def pieces_of(game: Any) -> Pieces:
    """Returns the pieces of a game, borrowed from it."""
    return Pieces(
        game.step, game.legal, game.turn, game.payoff, game.terminal, borrowed(game.params), game.num_actions,
        game.chance, game.has_chance,
    )  # fmt: skip


@compiled(inline=True)
def play_one(
    step: Any, legal: Any, payoff: Any, terminal: Any, params: Ints, num_actions: int,
    code: int, action0: int, action1: int, on_illegal: int,
) -> tuple[int, float, bool, int]:  # fmt: skip
    """Returns the next code, the reward, whether the game is over and who acted illegally, see :func:`play`."""
    illegal = 0
    if action0 < 0 or action0 >= num_actions or not legal(params, code, 0) >> action0 & 1:
        illegal |= 1
    if action1 < 0 or action1 >= num_actions or not legal(params, code, 1) >> action1 & 1:
        illegal |= 2
    if illegal:
        if on_illegal == NOOP:
            return code, 0.0, False, illegal
        return code, float((illegal >> 1) - (illegal & 1)), True, illegal
    code = step(params, code, action0, action1)
    if code < 0:  # no state, for a checked step
        return code, 0.0, False, 0
    return code, payoff(params, code), terminal(params, code), 0


@compiled(inline=True)
def write_mask(mask: int, masks: Mask, row: int) -> None:
    """Fills a row of ``masks`` ``[B, actions]`` with 1 for every action of a bit mask, 0 for others."""
    for action in range(masks.shape[1]):
        masks[row, action] = mask >> action & 1


@compiled()
def _view(
    legal: Any, observe: Any, params: Ints, code: int, over: bool, observations: Features, masks: Mask
) -> None:  # fmt: skip
    for player in range(2):
        observe(params, code, player, observations[player])
        mask = 0 if over else legal(params, code, player)
        write_mask(mask, masks, player)


@compiled(int64(GAME, int64, float32[:, ::1], int8[:, ::1]))
def view(game: Any, code: int, observations: Features, masks: Mask) -> int:
    """Fills both players' observations ``[2, features]`` and legal actions ``[2, actions]`` of one game.

    No action is legal when the game is over.

    Returns:
        The player to move, 0, 1, or ``BOTH``.
    """
    over = game.terminal(game.params, code)
    _view(game.legal, game.observe, game.params, code, over, observations, masks)
    return game.turn(game.params, code)  # type: ignore[no-any-return]  # an int to numba


@compiled(
    types.Tuple([int64, float64, boolean, int64, int64])(
        GAME, int64, int64, int64, int64, float32[:, ::1], int8[:, ::1]
    ),
    nogil=False,
)
def play(
    game: Any, code: int, action0: int, action1: int, on_illegal: int, observations: Features, masks: Mask
) -> tuple[int, float, bool, int, int]:
    """Plays one joint action in one game, and fills the arrays of :func:`view` (one call is faster than two).

    Returns:
        The next code; the reward to player 0; whether the game is over; the players with illegal actions, bit ``p``
        for player ``p``; and the player to move. An illegal action does not change the state: with ``LOSE`` the
        game ends and its player loses a point (if both are illegal: no points), with ``NOOP`` nothing else happens.
    """
    step, legal, payoff, terminal, params = game.step, game.legal, game.payoff, game.terminal, game.params
    code, reward, over, illegal = play_one(
        step, legal, payoff, terminal, params, game.num_actions, code, action0, action1, on_illegal
    )
    _view(legal, game.observe, params, code, over, observations, masks)
    mover = game.turn(params, code)
    if mover == CHANCE and not over:  # but the rules have no chance
        raise ChanceError(code)
    return code, reward, over, illegal, mover


@compiled(
    types.Tuple([int64, float64, boolean, int64, int64])(
        GAME, int64, int64, int64, int64, float32[:, ::1], int8[:, ::1], uint64[::1]
    ),
    nogil=False,
)
def play_with_chance(
    game: Any, code: int, action0: int, action1: int, on_illegal: int, observations: Features, masks: Mask, seeds: Seeds
) -> tuple[int, float, bool, int, int]:
    """Does the same as :func:`play` in a game with chance, whose events are drawn with the stream ``seeds`` ``[1]``."""
    step, legal, payoff, terminal, params = game.step, game.legal, game.payoff, game.terminal, game.params
    code, reward, over, illegal = play_one(
        step, legal, payoff, terminal, params, game.num_actions, code, action0, action1, on_illegal
    )
    if not illegal:
        code, more = pass_chance(game.turn, game.chance, payoff, terminal, params, code, seeds, 0)
        reward += more
        over = terminal(params, code)
    _view(legal, game.observe, params, code, over, observations, masks)
    return code, reward, over, illegal, game.turn(params, code)


@compiled(void(GAME, int64[::1], int64[::1], int64[::1], int64, float64[::1], boolean[::1], int64[::1]))
def play_all(
    game: Any, codes: Ints, actions0: Ints, actions1: Ints, on_illegal: int, rewards: Floats, over: Bools, illegal: Ints
) -> None:
    """Plays one joint action in every game, see :func:`play`; ``codes`` become the next codes.

    Chance events are not drawn. A code is -1 if it would not hold its state.
    """
    step, legal, payoff, terminal = game.checked_step, game.legal, game.payoff, game.terminal
    params, num_actions = borrowed(game.params), game.num_actions
    for i in range(len(codes)):
        codes[i], rewards[i], over[i], illegal[i] = play_one(
            step, legal, payoff, terminal, params, num_actions, codes[i], actions0[i], actions1[i], on_illegal
        )


@compiled(void(GAME, int64[::1], int64[::1], float32[:, ::1]))
def observe_all(game: Any, codes: Ints, players: Ints, observations: Features) -> None:
    """Fills the observations ``[B, features]`` of the given player for each game."""
    observe, params, views = game.observe, game.params, borrowed(observations)
    for i in range(len(codes)):
        observe(params, codes[i], players[i], views[i])


@compiled(void(GAME, int64[::1], int64[::1], int8[:, ::1]))
def legal_all(game: Any, codes: Ints, players: Ints, masks: Mask) -> None:
    """Fills the legal actions ``[B, actions]`` of the given player for each game; action 0 where it is not to move."""
    legal, params = game.legal, game.params
    for i in range(len(codes)):
        mask = legal(params, codes[i], players[i])
        write_mask(mask, masks, i)


@compiled(void(GAME, int64[::1], int64[::1]))
def turn_all(game: Any, codes: Ints, turns: Ints) -> None:
    """Fills the player to move of each game ``[B]``: 0, 1, ``BOTH``, or ``CHANCE``."""
    turn, params = game.turn, game.params
    for i in range(len(codes)):
        turns[i] = turn(params, codes[i])


@compiled(void(GAME, int64[::1], int64, int64[::1]))
def information_states(game: Any, codes: Ints, player: int, views: Ints) -> None:
    """Fills what a player sees of each state ``[B]``, as codes of states whose hidden fields are 0."""
    information_state, params = game.information_state, game.params
    for i in range(len(codes)):
        views[i] = information_state(params, codes[i], player)


@compiled(void(GAME, int64[::1]))
def strategic_state_all(game: Any, codes: Ints) -> None:
    """Replaces codes ``[B]`` by those of their representative states; leaves marks, which are negative."""
    strategic_state, params = game.strategic_state, game.params
    for i in range(len(codes)):
        if codes[i] >= 0:
            codes[i] = strategic_state(params, codes[i])


@compiled(void(GAME, float32[:, ::1], int64[::1], int64[::1]))
def decode_observations(game: Any, observations: Features, codes: Ints, players: Ints) -> None:
    """Fills the codes ``[B]`` and players ``[B]`` of observations ``[B, features]``."""
    decode_observation, params, views = game.decode_observation, game.params, borrowed(observations)
    for i in range(len(codes)):
        codes[i], players[i] = decode_observation(params, views[i])


@compiled(uint64(uint64))
def splitmix(state: int) -> int:
    """Returns a well-mixed function of a counter. Source: Steele, Lea and Flood (2014), SplitMix64."""
    z = np.uint64(state)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))  # type: ignore[return-value]  # an int to numba


GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@compiled(float64(uint64[::1], int64))
def draw_uniform(seeds: Seeds, i: int) -> float:
    """Returns the next number in [0, 1) of stream ``i``, and advances it."""
    seeds[i] += GOLDEN
    return (splitmix(seeds[i]) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled(uint64(uint64[::1], int64))
def draw_bits(seeds: Seeds, i: int) -> Any:
    """Returns the next 64 random bits of stream ``i``, and advances it."""
    seeds[i] += GOLDEN
    return splitmix(seeds[i])


@compiled()
def draw_outcome(chance: Any, params: Ints, code: int, uniform: float, outcomes: Ints, probabilities: Floats) -> int:
    """Returns the index of the outcome drawn with a number in [0, 1), see :func:`count_outcomes`."""
    count = count_outcomes(chance, params, code, outcomes, probabilities)
    left = uniform
    for outcome in range(count):
        left -= probabilities[outcome]
        if left < 0.0:
            return outcome
    return count - 1  # the sum of the probabilities may differ from 1 by a rounding error


@compiled()
def count_outcomes(chance: Any, params: Ints, code: int, outcomes: Ints, probabilities: Floats) -> int:
    """Fills the outcomes of chance at a state and their probabilities ``[ROOM]``; returns their number.

    Raises:
        ChanceError: they are no distribution, or a code does not hold its state.
    """
    count: int = chance(params, code, outcomes, probabilities)
    if count < 1 or count > MAX_OUTCOMES:
        raise ChanceError(code)
    total = 0.0
    for outcome in range(count):
        if not probabilities[outcome] > 0.0 or outcomes[outcome] < 0:
            raise ChanceError(code)
        total += probabilities[outcome]
    if not abs(total - 1.0) <= SUM_TOLERANCE:
        raise ChanceError(code)
    return count


@compiled()
def pass_chance(
    turn: Any, chance: Any, payoff: Any, terminal: Any, params: Ints, code: int, seeds: Seeds, row: int
) -> tuple[int, float]:  # fmt: skip
    """Draws chance events until a player is to move or the game is over.

    The stream ``row`` of random numbers advances by one number for each draw.

    Returns:
        The code of the state reached, and the reward to player 0 on the way.

    Raises:
        ChanceError: the outcomes at a state are no distribution, or chance never ends.
    """
    outcomes, probabilities = np.empty(ROOM, np.int64), np.empty(ROOM)
    reward = 0.0
    for _ in range(MOST_IN_A_ROW):
        if terminal(params, code) or turn(params, code) != CHANCE:
            return code, reward
        outcome = draw_outcome(chance, params, code, draw_uniform(seeds, row), outcomes, probabilities)
        code = outcomes[outcome]
        reward += payoff(params, code)
    raise ChanceError(code)


@compiled(types.Tuple([int64, float64])(GAME, int64, uint64[::1]))
def decide(game: Any, code: int, seeds: Seeds) -> tuple[int, float]:
    """Draws the chance events of one game with the stream ``seeds`` ``[1]``, see :func:`pass_chance`."""
    reached: tuple[int, float] = pass_chance(
        game.turn, game.chance, game.payoff, game.terminal, game.params, code, seeds, 0
    )
    return reached


@compiled(void(GAME, int64[::1], int64[:, ::1], float64[:, ::1], float64[:, ::1], int64[::1]))
def outcomes_all(game: Any, codes: Ints, outcomes: Ints, probabilities: Floats, rewards: Floats, counts: Ints) -> None:
    """Fills the outcomes of chance states ``[B]``, and the numbers of outcomes ``[B]``.

    Of each there are the code, -1 for terminal states, the probability, and the reward to player 0 on entering it
    ``[B, ROOM]``; after the last one they are -1, 0 and 0.

    Raises:
        ChanceError: the outcomes at a state are no distribution.
    """
    chance, payoff, terminal, params = game.chance, game.payoff, game.terminal, game.params
    for i in range(len(codes)):
        counts[i] = count_outcomes(chance, params, codes[i], outcomes[i], probabilities[i])
        for k in range(outcomes.shape[1]):
            if k < counts[i]:
                after = outcomes[i, k]
                rewards[i, k] = payoff(params, after)
                outcomes[i, k] = -1 if terminal(params, after) else after
            else:
                outcomes[i, k], probabilities[i, k], rewards[i, k] = -1, 0.0, 0.0


@compiled(inline=True)
def list_actions(mask: int, actions: Ints) -> int:
    """Fills ``actions`` ``[actions]`` with those of a bit mask, the lowest first; returns their number."""
    count = 0
    for action in range(len(actions)):
        if mask >> action & 1:
            actions[count] = action
            count += 1
    return count


@compiled(int64(int64, int64))
def nth_action(mask: int, n: int) -> int:
    """Returns the ``n``-th legal action of a bit mask, counting from 0."""
    action = 0
    while True:
        if mask >> action & 1:
            if n == 0:
                return action
            n -= 1
        action += 1


@compiled(int64(int64))
def count_actions(mask: int) -> int:
    """Returns the number of actions of a bit mask."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@compiled(int64(int64, float64))
def random_action(mask: int, uniform: float) -> int:
    """Returns a legal action of a bit mask, chosen by a number in [0, 1)."""
    if mask == 1:
        return 0
    count = count_actions(mask)
    n = int(uniform * count)
    if mask == (1 << count) - 1:
        return n
    return nth_action(mask, n)
