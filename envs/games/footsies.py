"""Footsies: a fighting game reduced to simultaneous choices of a move.

Attack, Block, Grab and Dragon Punch; two Attacks landed in succession win, a Block against an Attack uses up one
of a player's blocks, Grab beats Block, and Dragon Punch beats everything but Block. See ``docs/footsies.md``.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_one_of, check_whole
from nashzoo.envs.core.rules import Floats, Ints, compiled, observing, one_hot, packing, parameter, rule, scaled

NAME = "footsies_v0"
ACTIONS = ("Attack", "Block", "Grab", "Dragon Punch")
MASKED = False
ATTACK, BLOCK, GRAB, DRAGON_PUNCH = range(4)

# Indices of the parameters in ``params``.
ROUNDS, BLOCKS, ATTACKS_TO_WIN, MAX_TURNS, FREE_BLOCK = range(5)

LIMITS = {"rounds": (1, 63), "blocks": (0, 63), "attacks_to_win": (1, 31), "max_turns": (0, 1023)}
EXHAUSTED_BLOCK = ("hit", "free")

NOBODY = -1


class State(NamedTuple):
    """A state between two turns."""

    blocks0: int  # 0..blocks, left to player 0 in this round
    blocks1: int
    hits0: int  # 0..attacks_to_win-1, consecutive hits player 0 has landed
    hits1: int
    last0: int  # 0 before the first turn, else 1 + the move player 0 has just made
    last1: int
    turn: int  # 0..max_turns-1, turns played in this round; stays 0 without a limit
    round: int  # 0..rounds, rounds finished
    lead: int  # 0..2*rounds, rounds won by player 0 minus rounds won by player 1, plus rounds


encode, decode = packing(State, blocks0=6, blocks1=6, hits0=5, hits1=5, last0=3, last1=3, turn=10, round=6, lead=7)


def parameters(
    rounds: int = 1, blocks: int = 3, attacks_to_win: int = 2, max_turns: int = 0, exhausted_block: str = "hit"
) -> Ints:
    """Checks the parameters of a match.

    Args:
        rounds: Rounds in a match; the player with more won rounds wins it.
        blocks: Attacks that each player can block in a round.
        attacks_to_win: Attacks to land in succession to win the round.
        max_turns: Turns after which a round is a draw; 0 for no limit.
        exhausted_block: The effect of a Block against an Attack when no blocks are left: with ``"hit"`` the Attack
            lands, with ``"free"`` it is stopped.

    Raises:
        UsageError: a value is out of its range.
    """
    numbers = {"rounds": rounds, "blocks": blocks, "attacks_to_win": attacks_to_win, "max_turns": max_turns}
    for name, value in numbers.items():
        check_whole(name, value, *LIMITS[name])
    check_one_of("exhausted_block", exhausted_block, EXHAUSTED_BLOCK)
    return np.array([*numbers.values(), exhausted_block == "free"], np.int64)


def field_maxima(params: Ints) -> State:
    """Returns the largest value of each field."""
    rounds, blocks, attacks_to_win, max_turns, _ = map(int, params)
    hits, turns = attacks_to_win - 1, max(max_turns - 1, 0)
    return State(blocks, blocks, hits, hits, len(ACTIONS), len(ACTIONS), turns, rounds, 2 * rounds)


def check(params: Ints, state: State) -> None:
    """Raises a ValueError for an impossible state."""
    rounds = int(params[ROUNDS])
    low, high = rounds - state.round, rounds + state.round
    if not low <= state.lead <= high:
        raise UsageError(
            f"lead is {rounds} plus the rounds that player 0 won minus those that player 1 won; after {state.round} of "
            f"{rounds} rounds it must be {low if low == high else f'from {low} to {high}'}, not {state.lead}"
        )


def start(params: Ints) -> tuple[Ints, Floats]:
    """Every match starts in the same state."""
    blocks, rounds = int(params[BLOCKS]), int(params[ROUNDS])
    return np.array([encode(State(blocks, blocks, 0, 0, 0, 0, 0, 0, rounds))]), np.ones(1)


@compiled()
def lands(attack: int, reply: int, blocks: int, free_block: int) -> bool:
    """Returns whether a move is an Attack that hits a player with this reply and this number of blocks."""
    if attack != ATTACK:
        return False
    return reply == GRAB or (reply == BLOCK and blocks == 0 and free_block == 0)


@compiled()
def wins_at_once(move: int, reply: int) -> bool:
    """Returns whether ``move`` ends the round against ``reply``."""
    if move == DRAGON_PUNCH:
        return reply == ATTACK or reply == GRAB
    return (move == GRAB and reply == BLOCK) or (move == BLOCK and reply == DRAGON_PUNCH)


@rule
def step(params: Ints, code: int, action0: int, action1: int) -> int:
    """Plays one turn."""
    s = decode(code)
    free_block = params[FREE_BLOCK]
    hit0 = lands(action0, action1, s.blocks1, free_block)
    hit1 = lands(action1, action0, s.blocks0, free_block)
    blocks0 = s.blocks0 - (action0 == BLOCK and action1 == ATTACK and s.blocks0 > 0)
    blocks1 = s.blocks1 - (action1 == BLOCK and action0 == ATTACK and s.blocks1 > 0)
    hits0 = s.hits0 + 1 if hit0 else 0
    hits1 = s.hits1 + 1 if hit1 else 0

    winner = NOBODY
    if wins_at_once(action0, action1) or hits0 == params[ATTACKS_TO_WIN]:
        winner = 0
    elif wins_at_once(action1, action0) or hits1 == params[ATTACKS_TO_WIN]:
        winner = 1

    turn = s.turn + 1 if params[MAX_TURNS] > 0 else 0
    if winner == NOBODY and (turn == 0 or turn < params[MAX_TURNS]):
        return encode(State(blocks0, blocks1, hits0, hits1, action0 + 1, action1 + 1, turn, s.round, s.lead))
    lead = s.lead + (winner == 0) - (winner == 1)
    blocks = params[BLOCKS]
    return encode(State(blocks, blocks, 0, 0, action0 + 1, action1 + 1, 0, s.round + 1, lead))


@rule
def legal(params: Ints, code: int, player: int) -> int:
    """All four moves are always legal."""
    return 0b1111


@rule
def terminal(params: Ints, code: int) -> bool:
    """The match ends with its last round."""
    return bool(decode(code).round == params[ROUNDS])


@rule
def payoff(params: Ints, code: int) -> float:
    """A point for the match, to the player who won more rounds."""
    s = decode(code)
    if s.round < params[ROUNDS]:
        return 0.0
    return float(np.sign(s.lead - params[ROUNDS]))


@rule
def swap_players(params: Ints, code: int) -> int:
    """Returns the code of the state with the two players swapped."""
    s = decode(code)
    lead = 2 * params[ROUNDS] - s.lead
    return encode(State(s.blocks1, s.blocks0, s.hits1, s.hits0, s.last1, s.last0, s.turn, s.round, lead))


# The last moves are all zeros before the first turn.
OBSERVATION = (
    scaled("own blocks left / blocks", "blocks0", parameter(BLOCKS)),
    scaled("other's blocks left / blocks", "blocks1", parameter(BLOCKS)),
    scaled("own consecutive hits / (attacks_to_win - 1)", "hits0", parameter(ATTACKS_TO_WIN) - 1),
    scaled("other's consecutive hits / (attacks_to_win - 1)", "hits1", parameter(ATTACKS_TO_WIN) - 1),
    one_hot("own last move was {}", "last0", ACTIONS, first=1),
    one_hot("other's last move was {}", "last1", ACTIONS, first=1),
    scaled("turns played in this round / max_turns (0 without a limit)", "turn", parameter(MAX_TURNS)),
    scaled("rounds finished / rounds", "round", parameter(ROUNDS)),
    scaled("(own rounds won - other's + rounds) / (2 * rounds)", "lead", 2 * parameter(ROUNDS)),
)
observe, decode_observation, features = observing(OBSERVATION, State, encode, decode, swap_players)
