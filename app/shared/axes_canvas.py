"""Drawing a game's states with matplotlib, several in one picture."""

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nashzoo.app.shared.words import sided
from nashzoo.envs.core.game import Game
from nashzoo.envs.drawing.canvas import BASELINE, Align, Point
from nashzoo.envs.drawing.palette import INK, LIGHT, shade

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

POINTS = 72  # in an inch
LAYER = 1  # the same for all shapes, so that later ones are drawn above earlier ones
SIDES = {"start": "left", "middle": "center", "end": "right"}


class AxesCanvas:
    """Draws on axes of matplotlib, see :class:`nashzoo.envs.drawing.canvas.Canvas`; records the vertical extent.

    Args:
        axes: The axes to draw on; their own lines and labels are removed.
        inches: Width of the 100 units.
        theme: ``"light"`` or ``"dark"``; the background colour is not set.
        said: Returns a text as people read it.

    Attributes:
        top: The least distance from the upper edge at which something was drawn, units.
        bottom: The greatest.
    """

    def __init__(self, axes: "Axes", inches: float, theme: str = LIGHT, said: Callable[[str], str] = str) -> None:
        self.axes = axes
        self.axes.set_axis_off()
        self.axes.set(xlim=(0, 100), ylim=(100, 0))
        self.unit = inches / 100 * POINTS
        self.theme, self.said = theme, said
        self.top, self.bottom = 100.0, 0.0

    def rectangle(self, left: float, top: float, width: float, height: float, colour: str, corner: float = 0.0) -> None:
        """Fills a rectangle, its corners rounded with this radius."""
        from matplotlib.patches import FancyBboxPatch, Rectangle

        corner = min(corner, width / 2, height / 2)
        shape = f"round,pad=0,rounding_size={corner}"
        rounded = FancyBboxPatch((left, top), width, height, boxstyle=shape) if corner else None
        self._fill(rounded or Rectangle((left, top), width, height), colour, top, top + height)

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """Fills a circle around ``(x, y)``."""
        from matplotlib.patches import Circle

        self._fill(Circle((x, y), radius), colour, y - radius, y + radius)

    def polygon(self, points: Sequence[Point], colour: str) -> None:
        """Fills the polygon with these corners."""
        from matplotlib.patches import Polygon

        self._fill(Polygon(points), colour, min(y for _, y in points), max(y for _, y in points))

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float, colour: str) -> None:
        """Draws a straight line with flat ends from ``(x0, y0)`` to ``(x1, y1)``."""
        self._through([(x0, y0), (x1, y1)], width, colour, solid_capstyle="butt")

    def stroke(self, points: Sequence[Point], width: float, colour: str) -> None:
        """Draws a line through these points, round at its ends and corners."""
        self._through(points, width, colour, solid_capstyle="round", solid_joinstyle="round")

    def _fill(self, patch: "Patch", colour: str, top: float, bottom: float) -> None:
        self._note(top, bottom)
        patch.set(color=shade(colour, self.theme), linewidth=0, zorder=LAYER)
        self.axes.add_patch(patch)

    def _through(self, points: Sequence[Point], width: float, colour: str, **style: Any) -> None:
        across, down = zip(*points, strict=True)
        self._note(min(down) - width / 2, max(down) + width / 2)
        style |= {"color": shade(colour, self.theme), "linewidth": width * self.unit, "zorder": LAYER}
        self.axes.plot(across, down, **style)

    def text(self, x: float, y: float, text: str, size: float, colour: str = INK, align: Align = "middle") -> None:
        """Writes a line of text whose capitals are centred on ``y``, and which starts, ends or is centred at ``x``."""
        self._note(y - size, y + size)
        typeface, narrowed = _typeface()
        style = {**typeface, "color": shade(colour, self.theme), "size": size * narrowed * self.unit, "zorder": LAYER}
        place = x, y + BASELINE * size * narrowed
        self.axes.text(*place, self.said(text), ha=SIDES[align], va="baseline", parse_math=False, **style)

    def _note(self, top: float, bottom: float) -> None:
        self.top, self.bottom = min(self.top, top), max(self.bottom, bottom)


def draw_state(game: Game, code: int, axes: "Axes", inches: float, theme: str = LIGHT) -> AxesCanvas:
    """Draws a state with the players' names for people; returns the canvas."""
    canvas = AxesCanvas(axes, inches, theme, partial(sided, game))
    game.draw(code, canvas)
    return canvas


@cache
def _typeface() -> tuple[Mapping[str, Any], float]:
    """Returns matplotlib's arguments for the typeface, which is part of pygame, and the factor of its size.

    Without pygame this is matplotlib's own bold typeface, smaller, since its letters are wider.
    """
    pygame = importlib.util.find_spec("pygame")
    if pygame is None or pygame.origin is None:
        return {"weight": "bold"}, 0.84
    return {"font": Path(pygame.origin).with_name("freesansbold.ttf")}, 1.0
