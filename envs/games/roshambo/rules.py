"""Roshambo: rock, paper, scissors, many times in a row. Or any symmetric matrix game, played so.

Both players throw at the same time, ``rounds`` times, and every throw has a reward. They observe the last ``recall``
throws of both. See ``docs/roshambo.md``.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_whole
from nashzoo.envs.jit.compiled import Features, Floats

NAME = "roshambo_v0"
ACTIONS = ("Rock", "Paper", "Scissors")
ROCK, PAPER, SCISSORS = range(3)

# The throws that each throw beats.
STAGES = {
    "rps": {"Rock": ["Scissors"], "Paper": ["Rock"], "Scissors": ["Paper"]},
    "rpsls": {  # invented by Sam Kass and Karen Bryla
        "Rock": ["Scissors", "Lizard"],
        "Paper": ["Rock", "Spock"],
        "Scissors": ["Paper", "Lizard"],
        "Lizard": ["Paper", "Spock"],
        "Spock": ["Rock", "Scissors"],
    },
}
OWN = -1  # for a matrix instead of a name

ROUND_BITS, RECALLED_BITS = 20, 43
MAX_ROUNDS = (1 << ROUND_BITS) - 1
MAX_CYCLES = MAX_ROUNDS  # no match is truncated
MAX_SIZE = 32
MAX_PAYOFF = 1e6


class Params(NamedTuple):
    """The parameters of a match.

    Attributes:
        rounds: Throws in a match.
        recall: Last throws in the observations of learners.
        payoff: The game of each throw: ``"rps"`` (rock, paper, scissors), ``"rpsls"`` (with lizard and Spock), or the
            payoff of player 0 for each throw against each other one, an antisymmetric matrix as a list of lists.
    """

    rounds: int = 1000
    recall: int = 1
    payoff: str | Sequence[Sequence[float]] = "rps"


class Tables(NamedTuple):
    """What follows from the parameters, for the functions that play: they see no matrix of lists."""

    size: int  # throws to choose from
    stage: int  # the number of the named stage game, or OWN
    window: int  # number of different recalled throws
    payoffs: Floats  # [size, size], to player 0, who is in the rows


class State(NamedTuple):
    """A state between two throws."""

    played: int  # 0..rounds, throws played
    recalled: int  # the last throws as digits, latest last: size * throw0 + throw1, of ``recall`` or ``played`` digits


BITS = {"played": ROUND_BITS, "recalled": RECALLED_BITS}


def matrix_of(params: Params) -> Floats:
    """Returns the payoff matrix of a throw ``[throws, throws]``, for player 0 in the rows."""
    payoff = params.payoff
    if not isinstance(payoff, str):
        return own_matrix(payoff)
    if payoff not in STAGES:
        raise UsageError(f"payoff must be {', '.join(map(repr, STAGES))} or a list of lists, not {payoff!r}")
    beats = STAGES[payoff]
    wins: Floats = np.array([[float(other in beats[throw]) for other in beats] for throw in beats])
    return wins - wins.T


def own_matrix(payoff: Sequence[Sequence[float]]) -> Floats:
    """Returns a matrix of the user's, checked."""
    rows = payoff if isinstance(payoff, list) and all(isinstance(row, list) for row in payoff) else []
    if len(rows) < 2 or any(len(row) != len(rows) for row in rows):
        raise UsageError(f"payoff must be a name or a square list of lists with at least 2 rows, not {payoff!r}")
    if len(rows) > MAX_SIZE:
        raise UsageError(f"payoff may have {MAX_SIZE} rows at most, not {len(rows)}")
    if not all(isinstance(entry, int | float) and abs(entry) <= MAX_PAYOFF for row in rows for entry in row):
        raise UsageError(f"what payoff holds must be finite numbers from {-MAX_PAYOFF:g} to {MAX_PAYOFF:g}")
    matrix = np.array(rows, np.float64)
    for i, j in np.argwhere(matrix != -matrix.T).tolist():
        raise UsageError(
            f"payoff must be antisymmetric, one player's gain the other's loss: "
            f"row {i}, column {j} is {rows[i][j]} and row {j}, column {i} is {rows[j][i]}"
        )
    return matrix + 0.0  # no negative zeros


def check_params(params: Params) -> None:
    """Raises a UsageError for a value out of its range."""
    size = len(matrix_of(params))
    longest = 1
    while (size * size) ** (longest + 1) <= 1 << RECALLED_BITS:
        longest += 1
    check_whole("rounds", params.rounds, 1, MAX_ROUNDS)
    check_whole("recall", params.recall, 1, longest, why=f" with {size} throws to choose from")


def tables(params: Params) -> Tables:
    """Computes what follows from the parameters."""
    matrix = matrix_of(params)
    stage = list(STAGES).index(params.payoff) if isinstance(params.payoff, str) else OWN
    return Tables(len(matrix), stage, len(matrix) ** (2 * params.recall), matrix)


def actions(tables: Tables) -> tuple[str, ...]:
    """Returns the names of the throws; those of a matrix are numbers."""
    if tables.stage == OWN:
        return tuple(map(str, range(tables.size)))
    return tuple(list(STAGES.values())[tables.stage])


def field_maxima(params: Params, tables: Tables) -> State:
    """Returns the largest value of each field."""
    return State(params.rounds, tables.window - 1)


def check(tables: Tables, state: State) -> None:
    """Raises a ValueError if more throws are recalled than were played."""
    joint = tables.size**2
    if state.recalled >= joint**state.played:
        raise ValueError(
            f"after {state.played} throws recalled must be below {joint**state.played}, not {state.recalled}"
        )


def start() -> State:
    """No throw has been played."""
    return State(0, 0)


def step(tables: Tables, state: State, action0: int, action1: int) -> State:
    """Adds the throws to those recalled; the oldest are forgotten."""
    size = tables.size
    recalled = state.recalled * size * size + size * action0 + action1
    return State(state.played + 1, recalled % tables.window)


def terminal(params: Params, state: State) -> bool:
    """The match ends after ``rounds`` throws."""
    return state.played == params.rounds


def payoff(tables: Tables, state: State) -> float:
    """Returns the reward of the last throw."""
    if state.played == 0:
        return 0.0
    last = state.recalled % (tables.size * tables.size)
    return tables.payoffs[last // tables.size, last % tables.size]  # type: ignore[no-any-return]


def swap_players(tables: Tables, state: State) -> State:
    """Returns the same state with the two players swapped."""
    size, recalled = tables.size, state.recalled
    swapped, place = 0, 1
    while recalled > 0:
        joint = recalled % (size * size)
        swapped += (joint % size * size + joint // size) * place
        recalled //= size * size
        place *= size * size
    return State(state.played, swapped)


def strategic_state(state: State) -> State:
    """Past throws do not affect future rewards."""
    return State(state.played, 0)


def at_stake(params: Params, tables: Tables, state: State) -> float:
    """Returns the points that a player loses who loses every throw that is left."""
    return float((params.rounds - state.played) * tables.payoffs.max())


def observe(params: Params, tables: Tables, state: State, player: int, out: Features) -> None:
    """The throws are one-hot, own before other's, latest first; all zeros before the first throws."""
    size = tables.size
    recalled = state.recalled
    out[:] = 0.0
    for ago in range(min(params.recall, state.played)):
        joint = recalled % (size * size)
        recalled //= size * size
        throw0, throw1 = joint // size, joint % size
        own, other = (throw0, throw1) if player == 0 else (throw1, throw0)
        out[2 * size * ago + own] = 1.0
        out[2 * size * ago + size + other] = 1.0
    out[2 * size * params.recall] = (params.rounds - state.played) / params.rounds


def decode_observation(params: Params, tables: Tables, observation: Features) -> tuple[State, int]:
    """The game is symmetric: the observer is decoded as player 0."""
    size = tables.size
    left = round(observation[2 * size * params.recall] * params.rounds)
    recalled = 0
    for ago in range(params.recall - 1, -1, -1):
        recalled *= size * size
        for throw in range(size):
            if observation[2 * size * ago + throw] > 0.5:
                recalled += size * throw
            if observation[2 * size * ago + size + throw] > 0.5:
                recalled += throw
    return State(params.rounds - left, recalled), 0


def features(params: Params, tables: Tables) -> tuple[str, ...]:
    """Returns the meaning of each number of an observation."""
    throws = tuple(
        f"{whose} throw {ago} ago was {throw}"
        for ago in range(1, params.recall + 1)
        for whose in ("own", "other's")
        for throw in actions(tables)
    )
    return (*throws, "throws left / rounds")


def levels(params: Params, tables: Tables) -> tuple[int, ...]:
    """Returns the number of values of each number of an observation."""
    return (*(2 for _ in range(2 * tables.size * params.recall)), params.rounds + 1)
