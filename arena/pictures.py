"""One style for all pictures: colours, letters, a headline that says what is seen, and names beside their lines.

Colours are those of the site, see :mod:`nashzoo.envs.drawing.palette`. Lines also differ in dashes, which remain in
black and white. The letters are those that matplotlib itself contains, so that a picture is the same everywhere.
"""

import importlib.util
import itertools
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nashzoo.envs.base.errors import MissingPackageError
from nashzoo.envs.base.files import PICTURES, written_whole
from nashzoo.envs.core.game import Floats
from nashzoo.envs.drawing.palette import CHALK, INK, LIGHT, LINE, MUTED, PLAYER_COLOURS, THEMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

COLOURS = THEMES[LIGHT]
OWN, OTHER = (COLOURS[player] for player in PLAYER_COLOURS)  # what a picture is about, and what it is compared with
SERIES = (OWN, OTHER, COLOURS[CHALK], "#9067c6", "#b07d2b", "#d6569a", "#1098ad", "#7f8791")  # legible on black too
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (7, 2, 1.5, 2)), (0, (3, 1)), (0, (9, 3)))
STYLE: dict[Any, Any] = {
    "font.size": 10, "axes.titlesize": 11, "axes.labelsize": 10, "xtick.labelsize": 9, "ytick.labelsize": 9,
    "figure.titlesize": 13, "figure.titleweight": "bold", "figure.labelsize": 9, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True, "axes.grid": True, "grid.alpha": 0.25,
    "lines.linewidth": 2, "pdf.fonttype": 42, "svg.hashsalt": "nashzoo",
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), COLOURS[INK]),
    **dict.fromkeys(("axes.edgecolor", "grid.color"), COLOURS[LINE]),
}  # fmt: skip
LETTERS, NOTE_LETTERS = 8.5, 14  # in an inch of the headline, and of the note below
LONGEST = 24  # letters of a name
DPI = 150
DATES: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # that matplotlib would write
MOST_NARROW = 100.0  # ratio of the ends of an axis below which it has other numbers than powers of ten
DIM = 0.5  # brightness, from 0 to 1, of a cell below which text is white
BRIGHTNESS = 0.299, 0.587, 0.114  # of red, green and blue; source: ITU-R BT.601
NAME, LEADING = 9, 1.3  # points, of a name beside its line, and the distance of such names in their sizes


class End(NamedTuple):
    """The end of a line, with its name."""

    place: float
    value: float
    name: str
    colour: str
    own: bool = False


def need_matplotlib() -> None:
    """Checks that pictures can be drawn.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingPackageError("pictures need matplotlib: pip install '.[train]' in nashzoo's folder")


@contextmanager
def style() -> Iterator[None]:
    """Draws in the style; also a decorator of functions that draw.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    need_matplotlib()
    import matplotlib

    with matplotlib.rc_context(STYLE):
        yield


def headed(figure: "Figure", headline: str, note: str = "") -> None:
    """Writes above a figure what is seen, and below it what else must be known."""
    width = figure.get_size_inches()[0]
    unbroken = "\N{NO-BREAK SPACE}".join(headline.rsplit(" ", 1))  # the last line is no single word
    lines = textwrap.fill(unbroken, int(LETTERS * width)).replace("\N{NO-BREAK SPACE}", " ")
    figure.suptitle(_plain(lines), x=0.01, ha="left")
    if note:
        lines = textwrap.fill(note, int(NOTE_LETTERS * width))
        figure.supxlabel(_plain(lines), x=0.01, ha="left", color=COLOURS[MUTED])


def shortened(name: str) -> str:
    """Returns a name that fits into a picture."""
    half = LONGEST // 2
    return _plain(name if len(name) <= LONGEST else f"{name[:half]}…{name[1 - half :]}")


def all_shortened(names: Sequence[str]) -> list[str]:
    """Returns names that fit into a picture, those that would look the same whole, in lines."""
    short = list(map(shortened, names))
    whole = (_plain(textwrap.fill(name, LONGEST)) for name in names)
    return [lines if short.count(one) > 1 else one for one, lines in zip(short, whole, strict=True)]


def _plain(text: str) -> str:
    """Returns a text in which dollars begin no formulas."""
    return re.sub(r"(?<!\\)\$", r"\\$", text)


def name_ends(axes: "Axes", ends: Iterable[End]) -> None:
    """Writes names at the right of finished axes, each where its line ends, and apart from the others."""
    axes.autoscale_view()
    to_axes = axes.transData + axes.transAxes.inverted()
    ranked = sorted((float(to_axes.transform((end.place, end.value))[1]), end) for end in ends)
    lines = max((end.name.count("\n") + 1 for _, end in ranked), default=1)
    inches = axes.get_window_extent().height / axes.get_figure(root=True).dpi  # type: ignore[union-attr]
    heights = spread([height for height, _ in ranked], lines * NAME * LEADING / 72 / inches)
    leader = {"arrowstyle": "-", "linewidth": 0.7, "relpos": (0.0, 0.5), "patchA": None, "shrinkA": 3, "shrinkB": 0}
    for (_, end), height in zip(ranked, heights, strict=True):
        axes.annotate(
            _plain(end.name), (end.place, end.value), (1.07, height), textcoords="axes fraction", va="center",
            size=NAME, weight="bold" if end.own else "normal", annotation_clip=False,
            arrowprops=leader | {"color": end.colour}
        )  # fmt: skip


def plain_numbers(axis: "Axis") -> None:
    """Writes plain numbers at a logarithmic axis: powers of ten, and on a narrow one 2 and 5 times these."""
    from matplotlib.ticker import LogLocator, NullFormatter

    first, last = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if last / first < MOST_NARROW else (1,)))
    axis.set_major_formatter(lambda place, _: np.format_float_positional(place, precision=9, trim="-"))
    axis.set_minor_formatter(NullFormatter())


def draw_cells(
    axes: "Axes",
    values: Floats,
    texts: Sequence[Sequence[str]],
    darkest: float,
    colours: str = "RdBu",
    size: int = 8,
    **image: Any,
) -> None:
    """Draws a heat map: a colour and a text in every cell.

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


def draw_curves(axes: "Axes", places: Sequence[float], curves: Mapping[str, Sequence[float]], **line: Any) -> None:
    """Draws curves over the same places on axes that are finished, each with its name at its end."""
    ends = []
    for (name, values), colour, dashes in zip(curves.items(), SERIES, DASHES, strict=False):
        axes.plot(places, values, color=colour, linestyle=dashes, **line)
        ends.append(End(places[-1], values[-1], name, colour))
    name_ends(axes, ends)


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Returns heights in rising order moved apart, so that neighbours are ``gap`` apart, and at most 1 if they fit.

    >>> spread([0.0, 0.125, 1.0, 1.0], 0.25)
    [0.0, 0.25, 0.75, 1.0]
    """
    moved: list[float] = []
    for height in heights:
        moved.append(max(height, moved[-1] + gap) if moved else height)
    highest = 1.0
    for number in reversed(range(len(moved))):
        moved[number] = min(moved[number], highest)
        highest = moved[number] - gap
    return moved


def write(figure: "Figure", path: str | Path, dpi: int = DPI) -> None:
    """Writes a figure whole, and without a date; the suffix determines the format, PNG if there is none."""
    import matplotlib

    kind = Path(path).suffix.removeprefix(".") or "png"
    with written_whole(path) as temporary, matplotlib.rc_context(STYLE):
        figure.savefig(temporary, format=kind, dpi=dpi, metadata=DATES.get(kind))


def write_each(figure: "Figure", path: Path) -> list[Path]:
    """Writes a figure as PNG, SVG and PDF, with the same name in the same folder; returns the paths."""
    paths = [path.with_suffix(kind) for kind in PICTURES]
    for one in paths:
        write(figure, one)
        figure.set_layout_engine("none")  # is found
    return paths
