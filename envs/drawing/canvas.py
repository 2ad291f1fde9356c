"""Drawing on a square of 100 by 100 units, origin at the top left, independent of the drawing library."""

from collections.abc import Sequence
from typing import Literal, Protocol

from nashzoo.envs.drawing.palette import INK

Point = tuple[float, float]
Align = Literal["start", "middle", "end"]

# The typeface of all drawings: Helvetica bold, or one of the same widths; pygame includes one.
TYPEFACE = "Helvetica, Arial, 'Liberation Sans', FreeSans, sans-serif"
BASELINE = 0.36  # share of the size from the middle of a capital letter down to the baseline
WIDEST = 0.62  # share of the size for the width of a letter: few letters are wider


class Canvas(Protocol):
    """The canvas of a game's ``draw``. Coordinates and sizes are in units of a hundredth of the canvas.

    Colours are roles of :mod:`nashzoo.envs.drawing.palette`, CSS names, or ``#rrggbb``. Later shapes cover earlier
    ones.
    """

    def rectangle(self, left: float, top: float, width: float, height: float, colour: str, corner: float = 0.0) -> None:
        """Fills a rectangle, its corners rounded with this radius."""

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """Fills a circle around ``(x, y)``."""

    def polygon(self, points: Sequence[Point], colour: str) -> None:
        """Fills the polygon with these corners."""

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float, colour: str) -> None:
        """Draws a straight line with flat ends at its end points."""

    def stroke(self, points: Sequence[Point], width: float, colour: str) -> None:
        """Draws a line through these points, round at its ends and corners."""

    def text(self, x: float, y: float, text: str, size: float, colour: str = INK, align: Align = "middle") -> None:
        """Writes a line of text whose capitals are centred on ``y``, and which starts, ends or is centred at ``x``."""


def fitting(text: str, size: float, width: float) -> float:
    """Returns the size at which a text is no wider than ``width``, ``size`` at most, units.

    >>> fitting("Rock", 5, 100)
    5
    """
    return min(size, width / (WIDEST * max(len(text), 1)))
