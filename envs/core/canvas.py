"""Drawing on a square of 100 by 100 units, origin at the top left, without knowing what it is drawn with."""

from typing import Protocol


class Canvas(Protocol):
    """What a game's ``draw`` draws on. Coordinates and sizes are in units of a hundredth of the canvas."""

    def rectangle(self, left: float, top: float, width: float, height: float, colour: str) -> None:
        """Fills a rectangle."""

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """Fills a circle around ``(x, y)``."""

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float, colour: str) -> None:
        """Draws a straight line."""

    def text(self, x: float, y: float, text: str, size: float, colour: str = "black") -> None:
        """Writes a line of text centred on ``(x, y)``."""
