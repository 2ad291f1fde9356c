"""A match that was recorded as an animated GIF, or one of its states as a picture."""

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nashzoo.app.matches.pages import ending
from nashzoo.app.shared.axes_canvas import draw_state
from nashzoo.app.shared.parsing import game_in_file
from nashzoo.app.shared.words import sentence, sided
from nashzoo.arena import records
from nashzoo.arena.pictures import need_matplotlib, write
from nashzoo.arena.records import Record
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import PICTURES, check_file, written_whole
from nashzoo.envs.base.progress import progress_bar
from nashzoo.envs.base.words import counted
from nashzoo.envs.drawing.palette import PLAYER_COLOURS, shade
from nashzoo.envs.text.steps import step_lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GIF = ".gif"
INCHES, HEADING, LEADING, DPI = 4.8, 0.42, 0.21, 100  # of a board, of the names above it, and of a line below these
LINE, NAME = 48, 22  # characters
COLOURS = 128  # of a frame
FRAME, LAST_FRAME = 2500, 5000  # milliseconds


def main(file: Path, match: int, move: int | None, out: Path, game: str | None = None) -> None:
    """Draws a match of a file.

    Args:
        file: Records of matches.
        match: Number of the match, from 1.
        move: Number of time steps before the state to draw; None for all states.
        out: File to write: all states as a GIF, one state as a picture.
        game: The game of the match, if its name is not registered.

    Raises:
        UsageError: the file has another suffix, or there is no such match or time step.
    """
    if out.suffix != GIF and out.suffix not in PICTURES:
        raise UsageError(f"--out must end in .gif, or with --move in .png, .svg or .pdf, not {out.name!r}")
    if (out.suffix == GIF) != (move is None):
        raise UsageError(
            "a match as a whole is drawn into a .gif; --move draws one of its states into a .png, .svg or .pdf"
        )
    check_file(out)
    need_matplotlib()
    record = records.nth(file, match, game_in_file(game))
    last = len(record.trajectory.steps)
    if move is None:
        animate(record, out)
    elif not 0 <= move <= last:
        raise UsageError(f"the match has {counted(last, 'move')}; --move must be from 0 to {last}, not {move}")
    else:
        write(frame(record, move), out, DPI)
    print(f"written: {out}")


def caption(record: Record, number: int) -> list[str]:
    """Returns a description of a time step, in lines."""
    game, steps = record.game, record.trajectory.steps
    lines = [sentence(sided(game, line)) for line in step_lines(game, steps[number - 1])] if number else []
    end = [ending(record).replace("time step", "turn")] * (number == len(steps))
    lines = [f"Turn {number} of {len(steps)}. {' '.join(lines[:1])}", *lines[1:], *end]
    return [part for line in lines for part in textwrap.wrap(line, LINE, break_long_words=False)]


def frame(record: Record, number: int, lines: int = 0) -> "Figure":
    """Returns the drawing of the state after ``number`` time steps, below a description with room for so many lines."""
    from matplotlib.figure import Figure

    trajectory, text = record.trajectory, caption(record, number)
    height = INCHES + HEADING + LEADING * max(lines, len(text))
    figure = Figure(figsize=(INCHES, height))
    for name, colour, place, side in zip(record.players, PLAYER_COLOURS, (0.02, 0.98), ("left", "right"), strict=True):
        shown = name if len(name) <= NAME else f"{name[: NAME - 1]}…"
        figure.text(place, 1 - 0.1 / height, shown, size=12, weight="bold", color=shade(colour), va="top", ha=side)
    figure.text(0.02, 1 - HEADING / height, "\n".join(text), size=12, va="top", linespacing=1.25)
    axes = figure.add_axes((0, 0, 1, INCHES / height))
    draw_state(trajectory.game, trajectory.shown(number), axes, INCHES)
    axes.set(xlim=(0, 100), ylim=(100, 0))
    return figure


def animate(record: Record, out: Path) -> None:
    """Writes all states of a match as an animated GIF; the last is shown longer."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    last = len(record.trajectory.steps)
    images, most = [], max(len(caption(record, number)) for number in range(last + 1))
    with progress_bar("drawing") as show:
        for number in range(last + 1):
            figure = frame(record, number, most)
            figure.set_dpi(DPI)
            canvas: Any = FigureCanvasAgg(figure)
            canvas.draw()
            size = canvas.get_width_height()
            image = Image.frombytes("RGBA", size, bytes(canvas.buffer_rgba()))
            images.append(image.convert("RGB").quantize(COLOURS))
            show(number + 1, last + 1)
    durations = [FRAME] * last + [LAST_FRAME]
    with written_whole(out) as temporary:
        images[0].save(temporary, "GIF", save_all=True, append_images=images[1:], duration=durations, loop=0)
