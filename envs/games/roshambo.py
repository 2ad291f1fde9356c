"""Roshambo: rock-paper-scissors, or any symmetric matrix game, played many times in a row.

Both players throw at the same time, ``rounds`` times, and every throw has a reward. They observe the last ``recall``
throws of both. See ``docs/roshambo.md``.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_whole
from nashzoo.envs.core.rules import Features, Floats, Ints, compiled, packing, rule

NAME = "roshambo_v0"
ACTIONS = ("Rock", "Paper", "Scissors")
MASKED = False
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

# Indices of the parameters in ``params``; the payoffs are the bits of floats, row by row.
ROUNDS, RECALL, SIZE, STAGE, WINDOW, PAYOFFS = range(6)

ROUND_BITS, RECALLED_BITS = 20, 43
MAX_ROUNDS = (1 << ROUND_BITS) - 1
MAX_CYCLES = MAX_ROUNDS  # no match is truncated
MAX_SIZE = 32
MAX_PAYOFF = 1e6


class State(NamedTuple):
    """A state between two throws."""

    played: int  # 0..rounds, throws played
    recalled: int  # the last throws as digits, latest last: size * throw0 + throw1, of ``recall`` or ``played`` digits


encode, decode = packing(State, played=ROUND_BITS, recalled=RECALLED_BITS)


def parameters(rounds: int = 1000, recall: int = 1, payoff: str | Sequence[Sequence[float]] = "rps") -> Ints:
    """Checks the parameters of a match.

    Args:
        rounds: Throws in a match.
        recall: The number of last throws in observations.
        payoff: The stage game: ``"rps"``, ``"rpsls"`` (rock-paper-scissors-lizard-Spock), or the payoff of player 0 for
            each throw against each other one, an antisymmetric matrix as a list of lists.

    Raises:
        UsageError: a value is out of its range.
    """
    stage, matrix = OWN, np.empty((0, 0))
    if isinstance(payoff, str):
        if payoff not in STAGES:
            raise UsageError(f"payoff must be {', '.join(map(repr, STAGES))} or a list of lists, not {payoff!r}")
        stage, matrix = list(STAGES).index(payoff), _matrix_of(STAGES[payoff])
    else:
        matrix = _checked(payoff)
    size = len(matrix)
    longest = 1
    while (size * size) ** (longest + 1) <= 1 << RECALLED_BITS:
        longest += 1
    check_whole("rounds", rounds, 1, MAX_ROUNDS)
    check_whole("recall", recall, 1, longest, why=f" with {size} throws to choose from")
    return np.array([rounds, recall, size, stage, (size * size) ** recall, *matrix.ravel().view(np.int64)], np.int64)


def _matrix_of(beats: dict[str, list[str]]) -> Floats:
    wins: Floats = np.array([[float(other in beats[throw]) for other in beats] for throw in beats])
    return wins - wins.T


def _checked(payoff: Sequence[Sequence[float]]) -> Floats:
    rows = payoff if isinstance(payoff, list) and all(isinstance(row, list) for row in payoff) else []
    if len(rows) < 2 or any(len(row) != len(rows) for row in rows):
        raise UsageError(f"payoff must be a name or a square list of lists with at least 2 rows, not {payoff!r}")
    if len(rows) > MAX_SIZE:
        raise UsageError(f"payoff may have {MAX_SIZE} rows at most, not {len(rows)}")
    if not all(isinstance(entry, int | float) and abs(entry) <= MAX_PAYOFF for row in rows for entry in row):
        raise UsageError(f"what payoff holds must be finite numbers from {-MAX_PAYOFF:g} to {MAX_PAYOFF:g}")
    matrix = np.array(rows, np.float64)
    wrong = np.argwhere(matrix != -matrix.T)
    if len(wrong):
        i, j = map(int, wrong[0])
        raise UsageError(
            f"payoff must be antisymmetric, one player's gain the other's loss: "
            f"row {i}, column {j} is {rows[i][j]} and row {j}, column {i} is {rows[j][i]}"
        )
    return matrix + 0.0  # no negative zeros


def actions(params: Ints) -> tuple[str, ...]:
    """Returns the names of the throws; those of a matrix are numbers."""
    if params[STAGE] == OWN:
        return tuple(map(str, range(int(params[SIZE]))))
    return tuple(list(STAGES.values())[params[STAGE]])


def stage_payoffs(params: Ints) -> Floats:
    """Returns the payoff matrix of a throw ``[throws, throws]``, for player 0 in the rows."""
    size = int(params[SIZE])
    return params[PAYOFFS:].view(np.float64).reshape(size, size)


def field_maxima(params: Ints) -> State:
    """Returns the largest value of each field."""
    return State(int(params[ROUNDS]), int(params[WINDOW]) - 1)


def check(params: Ints, state: State) -> None:
    """Raises a ValueError if more throws are recalled than were played."""
    joint = int(params[SIZE]) ** 2
    if state.recalled >= joint**state.played:
        raise UsageError(
            f"after {state.played} throws recalled must be below {joint**state.played}, not {state.recalled}"
        )


def at_stake(params: Ints, state: State) -> float:
    """Returns the points that a player loses who loses every throw that is left."""
    return float((params[ROUNDS] - state.played) * stage_payoffs(params).max())


def start(params: Ints) -> tuple[Ints, Floats]:
    """No throw has been played."""
    return np.array([encode(State(0, 0))]), np.ones(1)


@rule
def step(params: Ints, code: int, action0: int, action1: int) -> int:
    """Adds the throws to those recalled; the oldest are forgotten."""
    s = decode(code)
    size = params[SIZE]
    recalled = s.recalled * size * size + size * action0 + action1
    return encode(State(s.played + 1, recalled % params[WINDOW]))


@rule
def legal(params: Ints, code: int, player: int) -> int:
    """Every throw is always legal."""
    return int((1 << params[SIZE]) - 1)


@rule
def terminal(params: Ints, code: int) -> bool:
    """The match ends after ``rounds`` throws."""
    return bool(decode(code).played == params[ROUNDS])


@rule
def payoff(params: Ints, code: int) -> float:
    """Returns the reward of the last throw."""
    s = decode(code)
    if s.played == 0:
        return 0.0
    size = params[SIZE]
    at = PAYOFFS + s.recalled % (size * size)
    return float(params[at : at + 1].view(np.float64)[0])


@compiled()
def exchanged(size: int, recalled: int) -> int:
    """Returns the recalled throws with the two players swapped."""
    result, place = 0, 1
    while recalled > 0:
        joint = recalled % (size * size)
        result += (joint % size * size + joint // size) * place
        recalled //= size * size
        place *= size * size
    return result


@rule
def swap_players(params: Ints, code: int) -> int:
    """Returns the code of the state with the two players swapped."""
    s = decode(code)
    return encode(State(s.played, exchanged(params[SIZE], s.recalled)))


@rule
def strategic_state(params: Ints, code: int) -> int:
    """Past throws do not affect future rewards."""
    return encode(State(decode(code).played, 0))


@rule
def observe(params: Ints, code: int, player: int, out: Features) -> None:
    """The throws are one-hot, own before other's, latest first; all zeros before the first throws."""
    s = decode(code)
    size = params[SIZE]
    recalled = s.recalled
    out[:] = 0.0
    for ago in range(min(params[RECALL], s.played)):
        joint = recalled % (size * size)
        recalled //= size * size
        throw0, throw1 = joint // size, joint % size
        own, other = (throw0, throw1) if player == 0 else (throw1, throw0)
        out[2 * size * ago + own] = 1.0
        out[2 * size * ago + size + other] = 1.0
    out[2 * size * params[RECALL]] = (params[ROUNDS] - s.played) / params[ROUNDS]


@rule
def decode_observation(params: Ints, observation: Features) -> tuple[int, int]:
    """The game is symmetric: the observer is decoded as player 0."""
    size = params[SIZE]
    left = round(observation[2 * size * params[RECALL]] * params[ROUNDS])
    recalled = 0
    for ago in range(params[RECALL] - 1, -1, -1):
        recalled *= size * size
        for throw in range(size):
            if observation[2 * size * ago + throw] > 0.5:
                recalled += size * throw
            if observation[2 * size * ago + size + throw] > 0.5:
                recalled += throw
    return encode(State(params[ROUNDS] - left, recalled)), 0


def features(params: Ints) -> tuple[str, ...]:
    """Returns the meaning of each number of an observation."""
    throws = tuple(
        f"{whose} throw {ago} ago was {throw}"
        for ago in range(1, int(params[RECALL]) + 1)
        for whose in ("own", "other's")
        for throw in actions(params)
    )
    return (*throws, "throws left / rounds")


def levels(params: Ints) -> tuple[int, ...]:
    """Returns the number of values of each number of an observation."""
    return (*(2 for _ in features(params)[:-1]), int(params[ROUNDS]) + 1)
