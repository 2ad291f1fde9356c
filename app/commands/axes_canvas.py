"""Drawing a game's states with matplotlib, where several stand in one picture."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 72  # in an inch
LAYER = 1  # of everything, so that what is drawn later lies above what is drawn earlier


class AxesCanvas:
    """Draws on axes of matplotlib, see :class:`nashzoo.envs.core.canvas.Canvas`; remembers from where to where.

    Args:
        axes: What to draw on; its own lines and labels disappear.
        inches: How wide the 100 units are to be.

    Attributes:
        top: The least distance from the upper edge at which something was drawn, units.
        bottom: The greatest.
    """

    def __init__(self, axes: "Axes", inches: float) -> None:
        self.axes = axes
        self.axes.set_axis_off()
        self.axes.set(xlim=(0, 100), ylim=(100, 0))
        self.unit = inches / 100 * POINTS
        self.top, self.bottom = 100.0, 0.0

    def rectangle(self, left: float, top: float, width: float, height: float, colour: str) -> None:
        """Fills a rectangle."""
        from matplotlib.patches import Rectangle

        self._note(top, top + height)
        self.axes.add_patch(Rectangle((left, top), width, height, color=colour, linewidth=0, zorder=LAYER))

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """Fills a circle around ``(x, y)``."""
        from matplotlib.patches import Circle

        self._note(y - radius, y + radius)
        self.axes.add_patch(Circle((x, y), radius, color=colour, linewidth=0, zorder=LAYER))

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float, colour: str) -> None:
        """Draws a straight line."""
        self._note(min(y0, y1) - width / 2, max(y0, y1) + width / 2)
        points = width * self.unit
        self.axes.plot([x0, x1], [y0, y1], color=colour, linewidth=points, solid_capstyle="butt", zorder=LAYER)

    def text(self, x: float, y: float, text: str, size: float, colour: str = "black") -> None:
        """Writes a line of text centred on ``(x, y)``."""
        self._note(y - size, y + size)
        points = size * self.unit
        self.axes.text(x, y, text, size=points, color=colour, ha="center", va="center_baseline", zorder=LAYER)

    def _note(self, top: float, bottom: float) -> None:
        self.top, self.bottom = min(self.top, top), max(self.bottom, bottom)
