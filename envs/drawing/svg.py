"""Drawings as SVG: text that browsers and drawing programs show at any size."""

from collections.abc import Sequence
from functools import lru_cache
from xml.sax.saxutils import escape, quoteattr

from nashzoo.envs.drawing.canvas import BASELINE, TYPEFACE, Align, Point
from nashzoo.envs.drawing.palette import GROUND, INK, LIGHT, shade

# Characters that XML does not allow. Source: W3C, Extensible Markup Language 1.0, 2.2.
FORBIDDEN = dict.fromkeys([*range(0x9), 0xB, 0xC, *range(0xE, 0x20), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF])


class SVGCanvas:
    """Draws on a square, see :class:`nashzoo.envs.drawing.canvas.Canvas`, as SVG.

    Args:
        theme: ``"light"`` or ``"dark"``.
    """

    def __init__(self, theme: str = LIGHT) -> None:
        self.theme = theme
        self.shapes: list[str] = []
        self.rectangle(0, 0, 100, 100, GROUND)

    def rectangle(self, left: float, top: float, width: float, height: float, colour: str, corner: float = 0.0) -> None:
        """Fills a rectangle, its corners rounded with this radius."""
        rounded = f' rx="{_number(corner)}"' if corner else ""
        place = f'x="{_number(left)}" y="{_number(top)}" width="{_number(width)}" height="{_number(height)}"'
        self.shapes.append(f"<rect {place}{rounded} fill={self._colour(colour)}/>")

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """Fills a circle around ``(x, y)``."""
        place = f'cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"'
        self.shapes.append(f"<circle {place} fill={self._colour(colour)}/>")

    def polygon(self, points: Sequence[Point], colour: str) -> None:
        """Fills the polygon with these corners."""
        self.shapes.append(f'<polygon points="{_places(points)}" fill={self._colour(colour)}/>')

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float, colour: str) -> None:
        """Draws a straight line with flat ends at its end points."""
        ends = f'x1="{_number(x0)}" y1="{_number(y0)}" x2="{_number(x1)}" y2="{_number(y1)}"'
        self.shapes.append(f'<line {ends} stroke={self._colour(colour)} stroke-width="{_number(width)}"/>')

    def stroke(self, points: Sequence[Point], width: float, colour: str) -> None:
        """Draws a line through these points, round at its ends and corners."""
        how = f'fill="none" stroke-linecap="round" stroke-linejoin="round" stroke-width="{_number(width)}"'
        self.shapes.append(f'<polyline points="{_places(points)}" stroke={self._colour(colour)} {how}/>')

    def text(self, x: float, y: float, text: str, size: float, colour: str = INK, align: Align = "middle") -> None:
        """Writes a line of text whose capitals are centred on ``y``, and which starts, ends or is centred at ``x``."""
        place = f'x="{_number(x)}" y="{_number(y + BASELINE * size)}" font-size="{_number(size)}"'
        anchor = "" if align == "middle" else f' text-anchor="{align}"'
        self.shapes.append(f"<text {place}{anchor} fill={self._colour(colour)}>{escape(_allowed(text))}</text>")

    def svg(self, title: str, description: str) -> str:
        """Returns the drawing as an SVG document, with a title, and a description for screen readers."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" role="img" '
            f'aria-label={quoteattr(_allowed(description))} font-family="{TYPEFACE}" font-weight="700" '
            f'text-anchor="middle">'
        )
        return "\n".join([head, f"<title>{escape(_allowed(title))}</title>", *self.shapes, "</svg>\n"])

    def _colour(self, colour: str) -> str:
        return _attribute(shade(colour, self.theme))


@lru_cache  # the same colours and numbers are in all drawings of a game
def _attribute(text: str) -> str:
    return quoteattr(_allowed(text))


@lru_cache(4096)
def _number(value: float) -> str:
    """Returns a number as text, with as many digits as are visible."""
    return f"{round(float(value), 2) + 0.0:g}"


def _places(points: Sequence[Point]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _allowed(text: str) -> str:
    return text.translate(FORBIDDEN)
