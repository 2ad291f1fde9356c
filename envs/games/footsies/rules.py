"""Footsies: a fighting game of four moves; both players choose at the same time.

Attack, Block, Grab and Dragon Punch; two Attacks landed in succession win, a Block against an Attack uses up one
of a player's blocks, Grab beats Block, and Dragon Punch beats everything but Block. See ``docs/footsies.md``.
"""

from typing import NamedTuple

from nashzoo.envs.core.checks import check_one_of, check_whole
from nashzoo.envs.rules.observation import one_hot, scaled

NAME = "footsies_v0"
ACTIONS = ("Attack", "Block", "Grab", "Dragon Punch")
ATTACK, BLOCK, GRAB, DRAGON_PUNCH = range(4)

LIMITS = {"rounds": (1, 63), "blocks": (0, 63), "attacks_to_win": (1, 31), "max_turns": (0, 1023)}
EXHAUSTED_BLOCK = ("hit", "free")

NOBODY = -1


class Params(NamedTuple):
    """The parameters of a match.

    Attributes:
        rounds: Rounds in a match; the player with more won rounds wins it.
        blocks: Attacks that each player can block in a round.
        attacks_to_win: Attacks to land in succession to win the round.
        max_turns: Turns after which a round is a draw; 0 for no limit.
        exhausted_block: An Attack against a Block when no blocks are left: ``"hit"`` (it lands) or ``"free"`` (it is
            stopped).
    """

    rounds: int = 1
    blocks: int = 3
    attacks_to_win: int = 2
    max_turns: int = 0
    exhausted_block: str = "hit"


class Tables(NamedTuple):
    """What follows from the parameters, for the functions that play: they see no text."""

    free_block: bool  # whether a Block without blocks left stops an Attack


class State(NamedTuple):
    """A state between two turns."""

    blocks0: int  # 0..blocks, left to player 0 in this round
    blocks1: int
    hits0: int  # 0..attacks_to_win-1, consecutive hits player 0 has landed
    hits1: int
    last0: int  # 0 before the first turn, else 1 + the move player 0 has just made
    last1: int
    turn: int  # 0..max_turns-1, turns played in this round, not who is to move; stays 0 without a limit
    round: int  # 0..rounds, rounds finished
    lead: int  # 0..2*rounds, rounds won by player 0 minus rounds won by player 1, plus rounds


# The bits of each field in the code of a state, the lowest first; enough for the LIMITS.
BITS = {
    "blocks0": 6, "blocks1": 6, "hits0": 5, "hits1": 5, "last0": 3, "last1": 3, "turn": 10, "round": 6, "lead": 7
}  # fmt: skip


def check_params(params: Params) -> None:
    """Raises a UsageError for a value out of its range."""
    for name, (low, high) in LIMITS.items():
        check_whole(name, getattr(params, name), low, high)
    check_one_of("exhausted_block", params.exhausted_block, EXHAUSTED_BLOCK)


def tables(params: Params) -> Tables:
    """Computes what follows from the parameters."""
    return Tables(params.exhausted_block == "free")


def field_maxima(params: Params) -> State:
    """Returns the largest value of each field."""
    hits, turns = params.attacks_to_win - 1, max(params.max_turns - 1, 0)
    moves = len(ACTIONS)
    return State(params.blocks, params.blocks, hits, hits, moves, moves, turns, params.rounds, 2 * params.rounds)


def check(params: Params, state: State) -> None:
    """Raises a ValueError for an impossible state."""
    rounds = params.rounds
    low, high = rounds - state.round, rounds + state.round
    if not low <= state.lead <= high:
        raise ValueError(
            f"lead is {rounds} plus the rounds that player 0 won minus those that player 1 won; after {state.round} of "
            f"{rounds} rounds it must be {low if low == high else f'from {low} to {high}'}, not {state.lead}"
        )


def start(params: Params) -> State:
    """Every match starts in the same state."""
    return State(params.blocks, params.blocks, 0, 0, 0, 0, 0, 0, params.rounds)


def lands(attack: int, reply: int, blocks: int, free_block: bool) -> bool:
    """Returns whether a move is an Attack that hits a player with this reply and this number of blocks."""
    if attack != ATTACK:
        return False
    return reply == GRAB or (reply == BLOCK and blocks == 0 and not free_block)


def wins_at_once(move: int, reply: int) -> bool:
    """Returns whether ``move`` ends the round against ``reply``."""
    if move == DRAGON_PUNCH:
        return reply == ATTACK or reply == GRAB
    return (move == GRAB and reply == BLOCK) or (move == BLOCK and reply == DRAGON_PUNCH)


def step(params: Params, tables: Tables, state: State, action0: int, action1: int) -> State:
    """Plays one turn."""
    hit0 = lands(action0, action1, state.blocks1, tables.free_block)
    hit1 = lands(action1, action0, state.blocks0, tables.free_block)
    blocks0 = state.blocks0 - (action0 == BLOCK and action1 == ATTACK and state.blocks0 > 0)
    blocks1 = state.blocks1 - (action1 == BLOCK and action0 == ATTACK and state.blocks1 > 0)
    hits0 = state.hits0 + 1 if hit0 else 0
    hits1 = state.hits1 + 1 if hit1 else 0

    winner = NOBODY
    if wins_at_once(action0, action1) or hits0 == params.attacks_to_win:
        winner = 0
    elif wins_at_once(action1, action0) or hits1 == params.attacks_to_win:
        winner = 1

    turn = state.turn + 1 if params.max_turns > 0 else 0
    if winner == NOBODY and (turn == 0 or turn < params.max_turns):
        return State(blocks0, blocks1, hits0, hits1, action0 + 1, action1 + 1, turn, state.round, state.lead)
    lead = state.lead + (winner == 0) - (winner == 1)
    return State(params.blocks, params.blocks, 0, 0, action0 + 1, action1 + 1, 0, state.round + 1, lead)


def terminal(params: Params, state: State) -> bool:
    """The match ends with its last round."""
    return state.round == params.rounds


def payoff(params: Params, state: State) -> int:
    """A point for the match, to the player who won more rounds."""
    if state.round < params.rounds:
        return 0
    return (state.lead > params.rounds) - (state.lead < params.rounds)


def swap_players(params: Params, state: State) -> State:
    """Returns the same state with the two players swapped."""
    s = state
    return State(s.blocks1, s.blocks0, s.hits1, s.hits0, s.last1, s.last0, s.turn, s.round, 2 * params.rounds - s.lead)


# The last moves are all zeros before the first turn.
OBSERVATION = (
    scaled("own blocks left / blocks", "blocks0"),
    scaled("other's blocks left / blocks", "blocks1"),
    scaled("own consecutive hits / (attacks_to_win - 1)", "hits0"),
    scaled("other's consecutive hits / (attacks_to_win - 1)", "hits1"),
    one_hot("own last move was {}", "last0", ACTIONS, first=1),
    one_hot("other's last move was {}", "last1", ACTIONS, first=1),
    scaled("turns played in this round / max_turns (0 without a limit)", "turn", most="params.max_turns"),
    scaled("rounds finished / rounds", "round"),
    scaled("(own rounds won - other's + rounds) / (2 * rounds)", "lead"),
)
