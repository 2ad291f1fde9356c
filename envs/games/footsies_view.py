"""Footsies for people, as text and as a drawing."""

from nashzoo.envs.core.canvas import Canvas
from nashzoo.envs.core.rules import Ints
from nashzoo.envs.games.footsies import (
    ACTIONS,
    ATTACK,
    ATTACKS_TO_WIN,
    BLOCK,
    DRAGON_PUNCH,
    GRAB,
    MAX_TURNS,
    ROUNDS,
    decode,
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
