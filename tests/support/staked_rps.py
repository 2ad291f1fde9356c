"""Rock-paper-scissors for a stake that chance draws before every throw: the smallest symmetric game with chance.

A throw that nobody wins is repeated, for another stake. The value is 0; always the same throw loses the high stake.
"""

from typing import NamedTuple

from nashzoo.envs.rules.observation import one_hot
from nashzoo.envs.rules.pieces import BOTH, CHANCE

NAME = "staked_rps_v0"
ACTIONS = ("Rock", "Paper", "Scissors")

STAKES = 1, 2
LIKELY = 0.75, 0.25
HIGH_STAKE = 2


class State(NamedTuple):
    """A state before a throw, or before the stake is drawn."""

    stake: int  # 0..2, 0 before it is drawn
    winner: int  # 0..2, 0 for nobody, else 1 + the player


BITS = {"stake": 2, "winner": 2}


def field_maxima() -> State:
    return State(2, 2)


def start() -> State:
    """The stake is not drawn yet."""
    return State(0, 0)


def step(state: State, action0: int, action1: int) -> State:
    """Each throw beats the one before it in the list, Rock beats Scissors."""
    lead = (action0 - action1) % 3
    return State(0 if lead == 0 else state.stake, (0, 1, 2)[lead])


def turn(state: State) -> int:
    """First the stake is drawn."""
    return CHANCE if state.stake == 0 else BOTH


def chance(state: State) -> list[tuple[State, float]]:
    """Draws the stake."""
    return [(State(STAKES[0], 0), LIKELY[0]), (State(STAKES[1], 0), LIKELY[1])]


def terminal(state: State) -> bool:
    """The game ends when somebody wins."""
    return state.winner > 0


def payoff(state: State) -> float:
    """Returns the stake."""
    return float(state.stake) if state.winner == 1 else -float(state.stake) if state.winner == 2 else 0.0


def swap_players(state: State) -> State:
    return State(state.stake, 3 - state.winner if state.winner else 0)


OBSERVATION = (
    one_hot("the stake is {}", "stake", (1, 2), first=1),
    one_hot("{} has won", "winner", ("nobody", "the player", "the other")),
)


def text(state: State) -> str:
    """Returns the stake and who has won."""
    return f"for {state.stake}\n" + ("nobody has won yet", "player 0 has won", "player 1 has won")[state.winner]
