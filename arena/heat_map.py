"""Heat maps with a number in every cell."""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nashzoo.arena.pictures import LETTERS, headed, style
from nashzoo.envs.core.game import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

MARGINS = 3.2, 1.9  # inches for labels, title and colour bar
LOWEST = 3.6  # inches, for the text along the colour bar
LINE = 0.2  # inches, a line of the title
DIM = 0.5  # brightness, from 0 to 1, below which text is white
BRIGHTNESS = 0.299, 0.587, 0.114  # of red, green and blue; source: ITU-R BT.601


def draw_cells(
    axes: "Axes",
    values: Floats,
    texts: Sequence[Sequence[str]],
    darkest: float,
    colours: str = "RdBu",
    size: int = 8,
    **image: Any,
) -> "AxesImage":
    """Draws a colour and a text in every cell; returns the image, for a colour bar.

    Args:
        axes: The axes to draw on.
        values: The values of the colours ``[rows, columns]``; NaN for none.
        texts: The texts ``[rows][columns]``; empty for none.
        darkest: The value with the last colour; its negative has the first, and 0 the one in the middle.
        colours: Name of matplotlib's colour map.
        size: Of texts and labels, in points.
        **image: Further arguments of ``axes.imshow``, such as ``extent``.
    """
    drawn = axes.imshow(values, cmap=colours, vmin=-darkest, vmax=darkest, **image)
    left, right, bottom, top = drawn.get_extent()
    first, last = (bottom, top) if drawn.origin == "lower" else (top, bottom)
    rows, columns = values.shape
    brightness = drawn.to_rgba(np.nan_to_num(values))[..., :3] @ BRIGHTNESS
    for row, column in itertools.product(range(rows), range(columns)):
        if texts[row][column]:
            x = left + (right - left) * (column + 0.5) / columns
            y = first + (last - first) * (row + 0.5) / rows
            colour = "white" if brightness[row, column] < DIM else "black"
            axes.text(x, y, texts[row][column], size=size, ha="center", va="center", color=colour)
    axes.tick_params(length=0, labelsize=size)
    axes.grid(visible=False)
    return drawn


@style()
def cross_table(
    values: Floats,
    texts: Sequence[Sequence[str]],
    rows: Sequence[str],
    columns: Sequence[str],
    title: tuple[str, str],
    meaning: str,
    stake: float,
    cell: tuple[float, float] = (1.0, 0.3),
) -> "Figure":
    """Returns a figure of the results of all players on the left against all players on top.

    Args:
        values: Points, as colours ``[rows, columns]``: blue above 0, red below; NaN for none.
        texts: The texts in the cells ``[rows][columns]``.
        rows: The labels on the left.
        columns: The labels on top.
        title: What is seen, and a note.
        meaning: The label of the colour bar.
        stake: The most points that can be won, near the last colour.
        cell: Width and height of a cell in inches.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    width, height = MARGINS[0] + cell[0] * len(columns), MARGINS[1] + cell[1] * len(rows)
    lowest = LOWEST + LINE * len(title[0]) / (LETTERS * width)
    figure = Figure(figsize=(width, max(height, lowest)), layout="constrained")
    axes = figure.add_subplot()
    drawn = draw_cells(axes, values, texts, 1.25 * stake, aspect="auto")  # the darkest shades hide the numbers
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.xaxis.tick_top()
    headed(figure, *title)
    bar = figure.colorbar(drawn)
    bar.set_label(meaning, size=8)
    bar.ax.set_ylim(-stake, stake)
    return figure
