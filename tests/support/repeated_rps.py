"""Repeated rock-paper-scissors, the smallest repeated matrix game: a point for every throw won.

Players see the last ``recall`` throws of both. The value is 0, and 1/3 each is optimal everywhere.
"""

from typing import NamedTuple

from nashzoo.envs.jit.compiled import Features

NAME = "repeated_rps_v0"
ACTIONS = ("Rock", "Paper", "Scissors")
LIMITS = {"rounds": (1, 1000), "recall": (1, 8)}


class Params(NamedTuple):
    rounds: int = 3  # throws in a game
    recall: int = 1  # how many of the last throws the players observe


class State(NamedTuple):
    """A state between two throws."""

    round: int  # 0..rounds, throws played
    recalled: int  # recall decimal digits, the last throws last: 0 for none, else 1 + 3 * throw0 + throw1


BITS = {"recalled": 32, "round": 31}


def check_params(params: Params) -> None:
    for name, (low, high) in LIMITS.items():
        value = getattr(params, name)
        if value not in range(low, high + 1):
            raise ValueError(f"{name} must be a whole number from {low} to {high}, not {value!r}")


def field_maxima(params: Params) -> State:
    return State(params.rounds, 10**params.recall - 1)


def start() -> State:
    """No throw has been played."""
    return State(0, 0)


def step(params: Params, state: State, action0: int, action1: int) -> State:
    """Adds the throws to those recalled; the oldest are forgotten."""
    recalled = state.recalled * 10 + 1 + 3 * action0 + action1
    return State(state.round + 1, recalled % 10**params.recall)


def terminal(params: Params, state: State) -> bool:
    """The game ends after ``rounds`` throws."""
    return state.round == params.rounds


def payoff(state: State) -> float:
    """A point for the last throw: each throw beats the one before it in the list, Rock beats Scissors."""
    last = state.recalled % 10
    if last == 0:
        return 0.0
    lead = ((last - 1) // 3 - (last - 1) % 3) % 3
    return 1.0 if lead == 1 else -1.0 if lead == 2 else 0.0


def exchanged(recalled: int) -> int:
    """Returns the recalled throws with the two players swapped."""
    result, place = 0, 1
    while recalled > 0:
        joint = recalled % 10 - 1
        result += (1 + joint % 3 * 3 + joint // 3) * place
        recalled //= 10
        place *= 10
    return result


def swap_players(state: State) -> State:
    return State(state.round, exchanged(state.recalled))


def observe(params: Params, state: State, player: int, out: Features) -> None:
    """The throws are one-hot, own before other's, last throw first; all zeros where there was none."""
    recalled = state.recalled if player == 0 else exchanged(state.recalled)
    out[:] = 0.0
    out[0] = state.round / params.rounds
    for ago in range(params.recall):
        if recalled > 0:
            out[1 + 6 * ago + (recalled % 10 - 1) // 3] = 1.0
            out[4 + 6 * ago + (recalled % 10 - 1) % 3] = 1.0
        recalled //= 10


def decode_observation(params: Params, observation: Features) -> tuple[State, int]:
    """The game is symmetric: whoever looks is read as player 0."""
    recalled = 0
    for ago in range(params.recall - 1, -1, -1):
        recalled *= 10
        for throw in range(3):
            if observation[1 + 6 * ago + throw] > 0.5:
                recalled += 1 + 3 * throw
            if observation[4 + 6 * ago + throw] > 0.5:
                recalled += throw
    return State(round(observation[0] * params.rounds), recalled), 0


def features(params: Params) -> tuple[str, ...]:
    """Returns what each number of an observation means."""
    throws = tuple(
        f"{whose} throw {ago} ago was {throw}"
        for ago in range(1, params.recall + 1)
        for whose in ("own", "other's")
        for throw in ACTIONS
    )
    return ("throws played / rounds", *throws)


def text(params: Params, state: State) -> str:
    """Returns how many throws were played, and the last one."""
    last = "-"
    if state.recalled:
        joint = state.recalled % 10 - 1
        last = f"{ACTIONS[joint // 3]} : {ACTIONS[joint % 3]}"
    return f"throw {state.round} of {params.rounds}\nlast throw {last}"
