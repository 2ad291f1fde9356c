"""Roshambo for people: throws as text and as pictures."""

from nashzoo.envs.core.canvas import Canvas
from nashzoo.envs.core.rules import Ints
from nashzoo.envs.games.roshambo import RECALL, ROUNDS, SIZE, actions, decode, stage_payoffs


def recalled_throws(params: Ints, code: int) -> list[tuple[int, int]]:
    """Returns the throws of both players that a state recalls, latest last."""
    s = decode(code)
    size = int(params[SIZE])
    joints = [s.recalled // size ** (2 * ago) % size**2 for ago in range(min(int(params[RECALL]), s.played))]
    return [divmod(joint, size) for joint in reversed(joints)]


def text(params: Ints, code: int) -> str:
    """Returns how many throws were played, and those recalled, the latest last."""
    names = actions(params)
    lines = [f"{decode(code).played} of {int(params[ROUNDS])} throws played"]
    for throw0, throw1 in recalled_throws(params, code):
        pays = stage_payoffs(params)[throw0, throw1]
        lines.append(f"{names[throw0]} : {names[throw1]}  {pays:+g}" if pays else f"{names[throw0]} : {names[throw1]}")
    return "\n".join(lines)


def draw(params: Ints, code: int, canvas: Canvas) -> None:
    """Draws the last throw, who won it, and a row of those recalled before."""
    throws = recalled_throws(params, code)
    names, pays = actions(params), stage_payoffs(params)
    canvas.text(50, 8, f"{decode(code).played} of {int(params[ROUNDS])} throws played", 5)
    if not throws:
        canvas.text(50, 45, "no throw yet", 6, "grey")
        return
    gain = pays[throws[-1]]
    players = ((0, 26, "red", gain > 0), (1, 74, "blue", gain < 0))
    for player, x, colour, won in players:
        if won:
            canvas.circle(x, 40, 21, "gold")
        draw_throw(canvas, x, 40, names[throws[-1][player]], colour)
        canvas.text(x, 67, names[throws[-1][player]], 5)
    canvas.text(50, 40, f"{gain:+g}" if gain else "=", 6)
    for ago, (throw0, throw1) in enumerate(reversed(throws)):
        x = 92 - 7 * ago
        for y, throw, colour, won in ((82, throw0, "red", 1), (90, throw1, "blue", -1)):
            if pays[throw0, throw1] * won > 0:
                canvas.circle(x, y, 3.4, "gold")
            canvas.circle(x, y, 2.7, colour)
            canvas.text(x, y, names[throw][:2], 2.4, "white")


def draw_throw(canvas: Canvas, x: float, y: float, name: str, colour: str) -> None:
    """Draws a throw on a disc of this colour and radius 19 around ``(x, y)``; as its name where it has no picture."""
    canvas.circle(x, y, 19, colour)
    if name == "Rock":
        for dx, dy, radius, shade in ((-3, 2, 10, "dimgrey"), (6, 4, 7.5, "dimgrey"), (-5, -1, 5, "grey")):
            canvas.circle(x + dx, y + dy, radius, shade)
    elif name == "Paper":
        canvas.rectangle(x - 8, y - 11, 16, 22, "white")
        for k in range(5):
            canvas.rectangle(x - 5.5, y - 7.5 + 3.5 * k, 11 if k < 4 else 6, 1, "grey")
    elif name == "Scissors":
        for side in (-1, 1):
            canvas.line(x + 6 * side, y - 13, x - 4 * side, y + 5, 2.4, "white")
            canvas.circle(x + 6 * side, y + 8, 5, "white")
            canvas.circle(x + 6 * side, y + 8, 2.8, colour)
    elif name == "Lizard":
        for dx in (-6, 4):
            for dy in (-8, 8):
                canvas.line(x + dx, y, x + dx + 2, y + dy, 2, "yellowgreen")
        canvas.line(x - 15, y + 5, x - 7, y, 2, "yellowgreen")
        canvas.rectangle(x - 8, y - 3, 16, 6, "yellowgreen")
        canvas.circle(x + 10, y, 4.5, "yellowgreen")
        canvas.circle(x + 11.5, y - 1.5, 1, "black")
    elif name == "Spock":
        canvas.rectangle(x - 7, y, 14, 12, "wheat")
        for bottom, top in ((-5.5, -9), (-2.5, -5), (2.5, 5), (5.5, 9)):
            canvas.line(x + bottom, y + 2, x + top, y - 13, 3, "wheat")
        canvas.line(x + 6, y + 9, x + 14, y, 3, "wheat")
    else:
        canvas.text(x, y, name, 10, "white")
