"""Pictures of the throws of Roshambo, on a disc."""

from nashzoo.envs.canvas import Canvas


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
