"""Footsies: a fighting game stripped to its guesses. Both players choose a move at the same time.

Attack, Block, Grab and Dragon Punch; two Attacks landed in succession win, a Block against an Attack uses up one
of a player's blocks, Grab beats Block, and Dragon Punch beats everything but Block. See ``docs/footsies.md``.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.envs.canvas import Canvas
from nashzoo.envs.checks import check_whole
from nashzoo.envs.compiled import (
    LEGAL,
    OBSERVE,
    PAYOFF,
    READ,
    STEP,
    TERMINAL,
    TURN,
    Features,
    Floats,
    Ints,
    compiled,
)
from nashzoo.envs.errors import UsageError

NAME = "footsies_v0"
ACTIONS = ("Attack", "Block", "Grab", "Dragon Punch")
MASKED = False
ATTACK, BLOCK, GRAB, DRAGON_PUNCH = range(4)

# Where each parameter stands in ``params``.
ROUNDS, BLOCKS, ATTACKS_TO_WIN, MAX_TURNS, FREE_BLOCK = range(5)

LIMITS = {"rounds": (1, 63), "blocks": (0, 63), "attacks_to_win": (1, 31), "max_turns": (0, 1023)}
EXHAUSTED_BLOCK = ("hit", "free")

NOBODY = -1


class State(NamedTuple):
    """A position between two turns."""

    blocks0: int  # 0..blocks, left to player 0 in this round
    blocks1: int
    hits0: int  # 0..attacks_to_win-1, consecutive hits player 0 has landed
    hits1: int
    last0: int  # 0 before the first turn, else 1 + the move player 0 has just made
    last1: int
    turn: int  # 0..max_turns-1, turns played in this round; stays 0 without a limit
    round: int  # 0..rounds, rounds finished
    lead: int  # 0..2*rounds, rounds won by player 0 minus rounds won by player 1, plus rounds


def parameters(
    rounds: int = 1, blocks: int = 3, attacks_to_win: int = 2, max_turns: int = 0, exhausted_block: str = "hit"
) -> Ints:
    """Checks the parameters of a match.

    Args:
        rounds: Rounds in a match; more rounds won win it.
        blocks: Attacks that each player can block in a round.
        attacks_to_win: Attacks to land in succession to win the round.
        max_turns: Turns after which a round is a draw; 0 for no limit.
        exhausted_block: What a Block does against an Attack when no blocks are left: ``"hit"`` lets the Attack
            land, ``"free"`` stops it all the same.

    Raises:
        UsageError: a value is out of its range.
    """
    numbers = {"rounds": rounds, "blocks": blocks, "attacks_to_win": attacks_to_win, "max_turns": max_turns}
    for name, value in numbers.items():
        check_whole(name, value, *LIMITS[name])
    if exhausted_block not in EXHAUSTED_BLOCK:
        raise UsageError(f"exhausted_block must be {' or '.join(map(repr, EXHAUSTED_BLOCK))}, not {exhausted_block!r}")
    return np.array([*numbers.values(), exhausted_block == "free"], np.int64)


@compiled()
def encode(state: State) -> int:
    """Packs a position: 6 bits for each count of blocks, 5 for hits, 3 for moves, 10, 6 and 7 for the match."""
    code = state.lead
    code = code << 6 | state.round
    code = code << 10 | state.turn
    code = code << 3 | state.last1
    code = code << 3 | state.last0
    code = code << 5 | state.hits1
    code = code << 5 | state.hits0
    code = code << 6 | state.blocks1
    return code << 6 | state.blocks0


@compiled()
def decode(code: int) -> State:
    """Unpacks a position."""
    return State(
        code & 63,
        code >> 6 & 63,
        code >> 12 & 31,
        code >> 17 & 31,
        code >> 22 & 7,
        code >> 25 & 7,
        code >> 28 & 1023,
        code >> 38 & 63,
        code >> 44,
    )


def largest(params: Ints) -> State:
    """Returns the largest value of each field."""
    rounds, blocks, attacks_to_win, max_turns, _ = map(int, params)
    hits, turns = attacks_to_win - 1, max(max_turns - 1, 0)
    return State(blocks, blocks, hits, hits, len(ACTIONS), len(ACTIONS), turns, rounds, 2 * rounds)


def start(params: Ints) -> tuple[Ints, Floats]:
    """Every match starts in the same position."""
    blocks, rounds = int(params[BLOCKS]), int(params[ROUNDS])
    return np.array([encode(State(blocks, blocks, 0, 0, 0, 0, 0, 0, rounds))]), np.ones(1)


@compiled()
def lands(attack: int, reply: int, blocks: int, free_block: int) -> bool:
    """Returns whether a move is an Attack that hits a player who replies like this with this many blocks."""
    if attack != ATTACK:
        return False
    return reply == GRAB or (reply == BLOCK and blocks == 0 and free_block == 0)


@compiled()
def wins_at_once(move: int, reply: int) -> bool:
    """Returns whether ``move`` ends the round against ``reply``."""
    if move == DRAGON_PUNCH:
        return reply == ATTACK or reply == GRAB
    return (move == GRAB and reply == BLOCK) or (move == BLOCK and reply == DRAGON_PUNCH)


@compiled(STEP)
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


@compiled(LEGAL)
def legal(params: Ints, code: int, player: int) -> int:
    """All four moves are always legal."""
    return 0b1111


@compiled(TURN)
def turn(params: Ints, code: int) -> int:
    """Both players choose at every turn."""
    return 2


@compiled(TERMINAL)
def terminal(params: Ints, code: int) -> bool:
    """The match ends with its last round."""
    return bool(decode(code).round == params[ROUNDS])


@compiled(PAYOFF)
def payoff(params: Ints, code: int) -> float:
    """A point for the match, to whoever won more rounds."""
    s = decode(code)
    if s.round < params[ROUNDS]:
        return 0.0
    return float(np.sign(s.lead - params[ROUNDS]))


@compiled()
def exchanged(params: Ints, s: State) -> State:
    """Returns the position with the two players exchanged."""
    lead = 2 * params[ROUNDS] - s.lead
    return State(s.blocks1, s.blocks0, s.hits1, s.hits0, s.last1, s.last0, s.turn, s.round, lead)


@compiled(TURN)
def mirror(params: Ints, code: int) -> int:
    """Returns the code of the position with the two players exchanged."""
    return encode(exchanged(params, decode(code)))


@compiled(OBSERVE)
def observe(params: Ints, code: int, player: int, out: Features) -> None:
    """Counts are scaled by their largest value, the two last moves are one-hot (all zeros before the first turn)."""
    s = decode(code)
    if player == 1:
        s = exchanged(params, s)
    out[0] = s.blocks0 / max(params[BLOCKS], 1)
    out[1] = s.blocks1 / max(params[BLOCKS], 1)
    out[2] = s.hits0 / max(params[ATTACKS_TO_WIN] - 1, 1)
    out[3] = s.hits1 / max(params[ATTACKS_TO_WIN] - 1, 1)
    for move in range(4):
        out[4 + move] = s.last0 == move + 1
        out[8 + move] = s.last1 == move + 1
    out[12] = s.turn / max(params[MAX_TURNS], 1)
    out[13] = s.round / params[ROUNDS]
    out[14] = s.lead / (2 * params[ROUNDS])


@compiled(READ)
def read(params: Ints, observation: Features) -> tuple[int, int]:
    """The game is symmetric: whoever looks is read as player 0."""
    last0, last1 = 0, 0
    for move in range(4):
        if observation[4 + move] > 0.5:
            last0 = move + 1
        if observation[8 + move] > 0.5:
            last1 = move + 1
    state = State(
        round(observation[0] * max(params[BLOCKS], 1)),
        round(observation[1] * max(params[BLOCKS], 1)),
        round(observation[2] * max(params[ATTACKS_TO_WIN] - 1, 1)),
        round(observation[3] * max(params[ATTACKS_TO_WIN] - 1, 1)),
        last0,
        last1,
        round(observation[12] * max(params[MAX_TURNS], 1)),
        round(observation[13] * params[ROUNDS]),
        round(observation[14] * (2 * params[ROUNDS])),
    )
    return encode(state), 0


def features(params: Ints) -> tuple[str, ...]:
    """Returns what each number of an observation means."""
    last = tuple(f"{whose} last move was {move}" for whose in ("own", "other's") for move in ACTIONS)
    return (
        "own blocks left / blocks",
        "other's blocks left / blocks",
        "own consecutive hits / (attacks_to_win - 1)",
        "other's consecutive hits / (attacks_to_win - 1)",
        *last,
        "turns played in this round / max_turns (0 without a limit)",
        "rounds finished / rounds",
        "(own rounds won - other's + rounds) / (2 * rounds)",
    )


def text(params: Ints, code: int) -> str:
    """Returns a line for the match and one for each player."""
    s = decode(code)
    rounds = int(params[ROUNDS])
    lead = s.lead - rounds
    leader = f"player {int(lead < 0)} by {abs(lead)}" if lead else "nobody"
    lines = [f"round {min(s.round + 1, rounds)} of {rounds}, in the lead: {leader}"]
    if params[MAX_TURNS]:
        lines[0] += f", {int(params[MAX_TURNS]) - s.turn} turns left"
    for player, blocks, hits, last in ((0, s.blocks0, s.hits0, s.last0), (1, s.blocks1, s.hits1, s.last1)):
        played = ACTIONS[last - 1] if last else "-"
        lines.append(f"player {player}: blocks {blocks}, hits landed in succession {hits}, last move {played}")
    return "\n".join(lines)


def draw(params: Ints, code: int, canvas: Canvas) -> None:
    """Draws the two fighters, their last moves, and a row each of blocks (squares) and hits (dots)."""
    s = decode(code)
    rounds = int(params[ROUNDS])
    canvas.text(50, 8, f"round {min(s.round + 1, rounds)} of {rounds}   lead {s.lead - rounds:+d}", 5)
    canvas.rectangle(5, 84, 90, 1, "grey")
    players = (
        (0, 28, 1, s.blocks0, s.hits0, s.last0, "red"),
        (1, 72, -1, s.blocks1, s.hits1, s.last1, "blue"),
    )
    for player, x, facing, blocks, hits, last, colour in players:
        canvas.circle(x, 44, 6, colour)
        canvas.rectangle(x - 4, 50, 8, 20, colour)
        canvas.rectangle(x - 4, 70, 3, 14, colour)
        canvas.rectangle(x + 1, 70, 3, 14, colour)
        _draw_arm(canvas, x, facing, last, colour)
        canvas.text(x, 30, ACTIONS[last - 1] if last else f"player {player}", 5)
        for k in range(min(blocks, 8)):
            canvas.rectangle(x - 15 + 4 * k, 16, 3, 3, "black")
        for k in range(int(min(params[ATTACKS_TO_WIN], 8))):
            canvas.circle(x - 13.5 + 4 * k, 23.5, 1.5, colour if k < hits else "grey")


def _draw_arm(canvas: Canvas, x: float, facing: int, last: int, colour: str) -> None:
    if last == 1 + ATTACK:
        left, top, width, height = 4, 55, 13, 3
    elif last == 1 + BLOCK:
        left, top, width, height = 5, 50, 3, 14
    elif last == 1 + GRAB:
        left, top, width, height = 4, 60, 9, 3
    elif last == 1 + DRAGON_PUNCH:
        left, top, width, height = 4, 36, 3, 18
    else:
        left, top, width, height = 4, 56, 3, 10
    canvas.rectangle(x + left if facing > 0 else x - left - width, top, width, height, colour)
