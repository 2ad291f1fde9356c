"""Repeated rock-paper-scissors, the smallest repeated matrix game: a point for every throw won.

Players see the last ``recall`` throws of both. The value is 0, and 1/3 each is optimal everywhere.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.envs.core.rules import Features, Floats, Ints, compiled, packing, rule

NAME = "repeated_rps_v0"
ACTIONS = ("Rock", "Paper", "Scissors")
MASKED = False

# Where each parameter stands in ``params``.
ROUNDS, RECALL = range(2)

LIMITS = {"rounds": (1, 1000), "recall": (1, 8)}


class State(NamedTuple):
    """A state between two throws."""

    round: int  # 0..rounds, throws played
    recalled: int  # recall decimal digits, the last throws last: 0 for none, else 1 + 3 * throw0 + throw1


encode, decode = packing(State, recalled=32, round=31)


def parameters(rounds: int = 3, recall: int = 1) -> Ints:
    """Checks the parameters.

    Args:
        rounds: Throws in a game.
        recall: How many of the last throws the players are shown.

    Raises:
        ValueError: a value is out of its range.
    """
    for name, value in (("rounds", rounds), ("recall", recall)):
        low, high = LIMITS[name]
        if value not in range(low, high + 1):
            raise ValueError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
    return np.array([rounds, recall], np.int64)


def field_maxima(params: Ints) -> State:
    """Returns the largest value of each field."""
    return State(int(params[ROUNDS]), 10 ** int(params[RECALL]) - 1)


def start(params: Ints) -> tuple[Ints, Floats]:
    """No throw has been played."""
    return np.array([encode(State(0, 0))]), np.ones(1)


@rule
def step(params: Ints, code: int, action0: int, action1: int) -> int:
    """Adds the throws to those recalled; the oldest are forgotten."""
    s = decode(code)
    recalled = s.recalled * 10 + 1 + 3 * action0 + action1
    return encode(State(s.round + 1, recalled % 10 ** params[RECALL]))


@rule
def legal(params: Ints, code: int, player: int) -> int:
    """Every throw is always legal."""
    return 0b111


@rule
def terminal(params: Ints, code: int) -> bool:
    """The game ends after ``rounds`` throws."""
    return bool(decode(code).round == params[ROUNDS])


@rule
def payoff(params: Ints, code: int) -> float:
    """A point for the last throw: each throw beats the one before it in the list, Rock beats Scissors."""
    last = decode(code).recalled % 10
    if last == 0:
        return 0.0
    lead = ((last - 1) // 3 - (last - 1) % 3) % 3
    return 1.0 if lead == 1 else -1.0 if lead == 2 else 0.0


@compiled()
def exchanged(recalled: int) -> int:
    """Returns the recalled throws with the two players swapped."""
    result, place = 0, 1
    while recalled > 0:
        joint = recalled % 10 - 1
        result += (1 + joint % 3 * 3 + joint // 3) * place
        recalled //= 10
        place *= 10
    return result


@rule
def swap_players(params: Ints, code: int) -> int:
    """Returns the code of the state with the two players swapped."""
    s = decode(code)
    return encode(State(s.round, exchanged(s.recalled)))


@rule
def observe(params: Ints, code: int, player: int, out: Features) -> None:
    """The throws are one-hot, own before other's, last throw first; all zeros where there was none."""
    s = decode(code)
    recalled = s.recalled if player == 0 else exchanged(s.recalled)
    out[:] = 0.0
    out[0] = s.round / params[ROUNDS]
    for ago in range(params[RECALL]):
        if recalled > 0:
            out[1 + 6 * ago + (recalled % 10 - 1) // 3] = 1.0
            out[4 + 6 * ago + (recalled % 10 - 1) % 3] = 1.0
        recalled //= 10


@rule
def decode_observation(params: Ints, observation: Features) -> tuple[int, int]:
    """The game is symmetric: whoever looks is read as player 0."""
    recalled = 0
    for ago in range(params[RECALL] - 1, -1, -1):
        recalled *= 10
        for throw in range(3):
            if observation[1 + 6 * ago + throw] > 0.5:
                recalled += 1 + 3 * throw
            if observation[4 + 6 * ago + throw] > 0.5:
                recalled += throw
    return encode(State(round(observation[0] * params[ROUNDS]), recalled)), 0


def features(params: Ints) -> tuple[str, ...]:
    """Returns what each number of an observation means."""
    throws = tuple(
        f"{whose} throw {ago} ago was {throw}"
        for ago in range(1, int(params[RECALL]) + 1)
        for whose in ("own", "other's")
        for throw in ACTIONS
    )
    return ("throws played / rounds", *throws)


def text(params: Ints, code: int) -> str:
    """Returns how many throws were played, and the last one."""
    s = decode(code)
    last = "-"
    if s.recalled:
        joint = s.recalled % 10 - 1
        last = f"{ACTIONS[joint // 3]} : {ACTIONS[joint % 3]}"
    return f"throw {s.round} of {int(params[ROUNDS])}\nlast throw {last}"
