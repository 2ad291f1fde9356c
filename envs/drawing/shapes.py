"""Shapes of several games: cards, pips, arrows and bursts, made of the shapes of a canvas."""

import math

from nashzoo.envs.base.words import with_suits
from nashzoo.envs.drawing.canvas import Canvas, Point, fitting
from nashzoo.envs.drawing.palette import INK, LINE, PANEL, PLAYER_COLOURS, TINTS, WEIGHT


def framed(
    canvas: Canvas,
    left: float,
    top: float,
    width: float,
    height: float,
    colour: str = PANEL,
    edge: str = LINE,
    corner: float = 2.0,
) -> None:
    """Draws a rectangle with rounded corners and, within its measures, an edge around it."""
    canvas.rectangle(left, top, width, height, edge, corner)
    inside = max(corner - WEIGHT, 0.0)
    canvas.rectangle(left + WEIGHT, top + WEIGHT, width - 2 * WEIGHT, height - 2 * WEIGHT, colour, inside)


def ringed(canvas: Canvas, x: float, y: float, radius: float, colour: str, edge: str) -> None:
    """Draws a circle with, within its radius, an edge around it."""
    canvas.circle(x, y, radius, edge)
    canvas.circle(x, y, radius - WEIGHT, colour)


def playing_card(canvas: Canvas, x: float, y: float, face: str, player: int | None = None, size: float = 30.0) -> None:
    """Draws a card around ``(x, y)`` in a player's colours, ``size`` units high, without a face from behind."""
    tint, edge = (PANEL, LINE) if player is None else (TINTS[player], PLAYER_COLOURS[player])
    left, top, width = x - 0.35 * size, y - size / 2, 0.7 * size
    framed(canvas, left, top, width, size, tint, edge, 0.1 * size)
    if face := with_suits(face):
        ink = PLAYER_COLOURS[0] if face[-1] in "♥♦" else INK
        canvas.text(x, y, face, fitting(face, size / 2, 0.55 * width), ink)
    else:
        canvas.rectangle(left + 0.1 * size, top + 0.1 * size, 0.5 * size, 0.8 * size, edge, 0.05 * size)


def meter(
    canvas: Canvas, x: float, y: float, width: float, count: int, most: int, player: int, size: float, rounded: bool
) -> None:
    """Draws ``count`` full cells of ``most`` in a row from ``x``, to the left if ``width`` is negative.

    They are ``size`` units high, and as wide if there is room; round, or with corners.
    """
    step = min(1.2 * size, abs(width) / max(most, 1))
    wide = step / 1.2
    corner = wide / 2 if rounded else wide / 5
    for number in range(most):
        left = x + step * number if width > 0 else x - step * number - wide
        if number < count or wide < 4 * WEIGHT:
            colour = PLAYER_COLOURS[player] if number < count else TINTS[player]
            canvas.rectangle(left, y - size / 2, wide, size, colour, corner)
        else:
            framed(canvas, left, y - size / 2, wide, size, TINTS[player], PLAYER_COLOURS[player], corner)


def arrow(canvas: Canvas, x: float, y: float, length: float, colour: str) -> None:
    """Draws an arrow that begins at ``(x, y)`` and points to the right, or to the left if ``length`` is negative."""
    head = math.copysign(2.6, length)
    tip = x + length
    canvas.line(x, y, tip - head, y, WEIGHT, colour)
    canvas.polygon([(tip - head, y - 1.7), (tip, y), (tip - head, y + 1.7)], colour)


def burst(canvas: Canvas, x: float, y: float, radius: float, colour: str) -> None:
    """Draws a star with eight points around ``(x, y)``."""
    canvas.polygon([around(x, y, radius if k % 2 else 0.5 * radius, k / 16) for k in range(16)], colour)


def around(x: float, y: float, radius: float, turn: float) -> Point:
    """Returns the point on a circle around ``(x, y)`` after this share of a clockwise turn from the right."""
    return x + radius * math.cos(math.tau * turn), y + radius * math.sin(math.tau * turn)
