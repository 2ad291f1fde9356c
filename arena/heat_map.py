"""Heat maps with a number in every cell."""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nashzoo.envs.core.game import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
) -> None:
    """Draws a colour and a text in every cell.

    Args:
        axes: The axes to draw on.
        values: The values of the colours ``[rows, columns]``; NaN for none.
        texts: The texts ``[rows][columns]``; empty for none.
        darkest: The value with the last colour; its negative has the first, and 0 the one in the middle.
        colours: Name of matplotlib's colour map.
        size: Of texts and labels, in points.
        **image: Further arguments of ``axes.imshow``, such as ``extent``.
    """
    drawn = axes.imshow(values, cmap=colours, vmin=-darkest, vmax=darkest, interpolation="none", **image)
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
