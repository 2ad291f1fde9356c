"""Rock-paper-scissors for a stake that chance draws before every throw: the smallest symmetric game with chance.

A throw that nobody wins is repeated, for another stake. The value is 0; always the same throw loses the high stake.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.envs.core.rules import BOTH, CHANCE, Floats, Ints, observing, one_hot, packing, rule

NAME = "staked_rps_v0"
ACTIONS = ("Rock", "Paper", "Scissors")
MASKED = False

STAKES = 1, 2
LIKELY = 0.75, 0.25
HIGH_STAKE = 2


class State(NamedTuple):
    """A state before a throw, or before the stake is drawn."""

    stake: int  # 0..2, 0 before it is drawn
    winner: int  # 0..2, 0 for nobody, else 1 + the player


encode, decode = packing(State, stake=2, winner=2)


def parameters() -> Ints:
    """There are none."""
    return np.zeros(0, np.int64)


def field_maxima(params: Ints) -> State:
    """Returns the largest value of each field."""
    return State(2, 2)


def start(params: Ints) -> tuple[Ints, Floats]:
    """The stake is not drawn yet."""
    return np.array([encode(State(0, 0))]), np.ones(1)


@rule
def step(params: Ints, code: int, action0: int, action1: int) -> int:
    """Each throw beats the one before it in the list, Rock beats Scissors."""
    lead = (action0 - action1) % 3
    return encode(State(0 if lead == 0 else decode(code).stake, (0, 1, 2)[lead]))


@rule
def legal(params: Ints, code: int, player: int) -> int:
    """Every throw is legal."""
    return 0b111


@rule
def turn(params: Ints, code: int) -> int:
    """First the stake is drawn."""
    return CHANCE if decode(code).stake == 0 else BOTH


@rule
def chance(params: Ints, code: int, outcomes: Ints, probabilities: Floats) -> int:
    """Draws the stake."""
    for k in range(2):
        outcomes[k], probabilities[k] = encode(State(STAKES[k], 0)), LIKELY[k]
    return 2


@rule
def terminal(params: Ints, code: int) -> bool:
    """The game ends when somebody wins."""
    return bool(decode(code).winner > 0)


@rule
def payoff(params: Ints, code: int) -> float:
    """Returns the stake."""
    s = decode(code)
    return float(s.stake) if s.winner == 1 else -float(s.stake) if s.winner == 2 else 0.0


@rule
def swap_players(params: Ints, code: int) -> int:
    """Returns the code of the same state with the players swapped."""
    s = decode(code)
    return encode(State(s.stake, 3 - s.winner if s.winner else 0))


OBSERVATION = (
    one_hot("the stake is {}", "stake", (1, 2), first=1),
    one_hot("{} has won", "winner", ("nobody", "the player", "the other")),
)
observe, decode_observation, features = observing(OBSERVATION, State, encode, decode, swap_players)


def text(params: Ints, code: int) -> str:
    """Returns the stake and who has won."""
    s = decode(code)
    return f"for {s.stake}\n" + ("nobody has won yet", "player 0 has won", "player 1 has won")[s.winner]
