"""The picture of where a policy loses: states as the game draws them, what each costs, and what is played there."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nashzoo.app.shared.axes_canvas import AxesCanvas, draw_state
from nashzoo.app.shared.weak_spots import HANGING, Spot, choices, titles
from nashzoo.app.shared.words import sided, sides
from nashzoo.arena import pictures
from nashzoo.envs import Game
from nashzoo.envs.base.words import signed
from nashzoo.envs.drawing.palette import LINE, MUTED

SHOWN = 5  # states
BOARD, BAR, WIDTH = 1.8, 1.9, 9.6  # inches: a board, the longest bar, and all
GAP, HEAD, FOOT, TITLE = 0.2, 0.75, 0.8, 0.3  # inches: between columns and rows, above, below and at rows
REST, SEEN = 0.4, 0.005  # inches, and points that are seen, of the other states
LETTERS = 58  # of a line beside a bar
HELD = "(?m)^([^:]{0,10}[^: ]): (.{1,45})$"  # a line of a state that fits there
SHADE = pictures.COLOURS[MUTED]
LABEL = 1.1  # inches, of what a line is about
WORDS: dict[str, Any] = {"va": "center", "size": 9}


@pictures.style()
def write_picture(
    game: Game, seen: str, about: str, spots: Sequence[Spot], total: float, unit: str, path: Path
) -> None:
    """Draws the states with the largest shares, the largest on top.

    Args:
        game: The game.
        seen: What a player loses, in the words of a headline.
        about: How it is measured.
        spots: Where something is lost, of which the first :data:`SHOWN` are drawn.
        total: What all states lose together, points per ``unit``.
        unit: ``"game"`` or ``"decision"``.
        path: The file.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    shown = spots[:SHOWN]
    rest = total - sum(spot.share for spot in shown)
    texts = [
        [f"{who:<{HANGING}}{has}" for who, has in re.findall(HELD, sided(game, game.text(spot.worst.code)))]
        + choices(game, spot, LETTERS).splitlines()
        for spot in shown
    ]
    figure = Figure()
    boards: list[AxesCanvas] = []
    for spot in shown:
        boards.append(draw_state(game, spot.worst.code, figure.add_axes((0, 0, 1, 1), label=str(len(boards))), BOARD))
    heights = [
        max(BOARD * (board.bottom - board.top) / 100, TITLE + 0.2 * max(len(lines), 4))
        for board, lines in zip(boards, texts, strict=True)
    ]
    height = HEAD + sum(heights) + GAP * len(shown) + FOOT + REST
    figure.set_size_inches(WIDTH, height)
    left, top = 2 * GAP + BOARD, HEAD
    beside = left + BAR + GAP
    bars = figure.add_axes((left / WIDTH, FOOT / height, BAR / WIDTH, 1 - (HEAD + FOOT) / height), label="bars")
    bars.set(ylim=(height - FOOT, HEAD), yticks=[], xlabel=f"costs, points per {unit}")
    bars.spines["left"].set_visible(False)
    bars.grid(visible=False)
    axes = figure.add_axes((0, 0, 1, 1), label="words", xlim=(0, WIDTH), ylim=(height, 0))  # in inches
    axes.set_axis_off()
    for spot, title, board, lines, high in zip(shown, titles(game, shown), boards, texts, heights, strict=True):
        tall, middle = BOARD * (board.bottom - board.top) / 100, top + TITLE + 0.1 * max(len(lines), 4)
        place = (GAP / WIDTH, 1 - (top + tall) / height, BOARD / WIDTH, tall / height)
        board.axes.set(position=place, xlim=(0, 100), ylim=(board.bottom, board.top))
        bars.barh(middle, spot.share, height=0.28, color=pictures.OWN)
        bars.plot([0.0, 0.0], [middle - 0.4, middle + 0.2], color=pictures.COLOURS[LINE], linewidth=0.8)
        axes.text(left, top + TITLE / 2, title, **WORDS | {"size": 10}, weight="bold")
        bars.text(0.0, middle - 0.25, f" {spot.share:.2f}", **WORDS)
        for number, line in enumerate(lines):
            low = middle + 0.2 * number - 0.1 * len(lines) + 0.15
            axes.text(beside, low, line[:HANGING].strip(), size=9, color=SHADE)
            axes.text(beside + LABEL, low, line[HANGING:], size=9)
        top += high + GAP
    if abs(rest) >= SEEN:
        gives = ": its opponent gives points up there, to get to these" * (rest < 0)
        bars.barh(top, rest, height=0.28, color=pictures.SERIES[-1])
        axes.text(beside, top, f"{signed(rest, '.2f')} at all other states{gives}", **WORDS)
    worst = shown[0].heading.partition(":")[0].removesuffix(" here") if shown else ""
    where = f", above all where {worst[0].lower()}{worst[1:]}" if worst else ""
    note = f"In {game}: {about}." + f" As {sides(game)[1]} it is the same." * game.symmetric
    pictures.headed(figure, f"{seen}{where}.", note)
    pictures.write(figure, path)
