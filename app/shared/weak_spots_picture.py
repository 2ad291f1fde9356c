"""The picture of where a policy loses: states as the game draws them, what each costs, and what is played there."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nashzoo.app.shared.axes_canvas import AxesCanvas
from nashzoo.app.shared.weak_spots import HANGING, Spot, are_parts, choices
from nashzoo.arena import pictures
from nashzoo.envs import Game
from nashzoo.envs.base.words import counted
from nashzoo.envs.drawing.palette import MUTED

SHOWN = 5  # states
BOARD, BAR, WIDTH = 1.8, 1.9, 9.6  # inches: a board, the longest bar, and all
GAP, HEAD, FOOT, LINE = 0.2, 0.6, 0.6, 0.3  # inches: between columns and rows, above and below, a heading
LETTERS = 58  # of a line beside a bar
SHADE = pictures.COLOURS[MUTED]
LABEL = 1.1  # inches, of what a line is about
WORDS: dict[str, Any] = {"va": "center", "size": 9, "linespacing": 1.4}


@pictures.style()
def write_picture(
    game: Game, player: str, about: str, spots: Sequence[Spot], total: float, unit: str, path: Path
) -> None:
    """Draws the states with the largest shares, the largest on top.

    Args:
        game: The game.
        player: Who plays, against whom if against one opponent.
        about: What is measured, in a sentence.
        spots: Where something is lost, of which the first :data:`SHOWN` are drawn.
        total: What all states lose together, points per ``unit``.
        unit: ``"game"`` or ``"decision"``.
        path: The file.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    shown = spots[:SHOWN]
    has_parts = are_parts((spot.share for spot in spots), total)
    texts = [choices(spot, LETTERS).splitlines() for spot in shown]
    figure = Figure()
    boards: list[AxesCanvas] = []
    for spot in shown:
        boards.append(AxesCanvas(figure.add_axes((0, 0, 1, 1), label=str(len(boards))), BOARD))
        game.draw(spot.worst.code, boards[-1])
    heights = [
        LINE + max(BOARD * (board.bottom - board.top) / 100, 0.19 * len(lines), 0.19 * 3)
        for board, lines in zip(boards, texts, strict=True)
    ]
    height = HEAD + sum(heights) + GAP * len(shown) + FOOT
    figure.set_size_inches(WIDTH, height)
    axes = figure.add_axes((0, 0, 1, 1), label="words", xlim=(0, WIDTH), ylim=(height, 0))  # in inches
    axes.set_axis_off()
    left, longest = 2 * GAP + BOARD, max((spot.share for spot in shown), default=1.0)
    top = HEAD
    for spot, board, lines, high in zip(shown, boards, texts, heights, strict=True):
        tall, middle = BOARD * (board.bottom - board.top) / 100, top + (LINE + high) / 2
        place = (GAP / WIDTH, 1 - (middle + tall / 2) / height, BOARD / WIDTH, tall / height)
        board.axes.set(position=place, xlim=(0, 100), ylim=(board.bottom, board.top))
        axes.barh(middle, BAR * spot.share / longest, left=left, height=0.28, color=pictures.OWN)
        axes.text(left, top + LINE / 2, spot.heading, **WORDS | {"size": 10}, weight="bold")
        seat = "" if game.symmetric else f"{game.view.PLAYERS[spot.worst.seat]}: "
        cost = f"{seat}{spot.share:.4f}{f', {spot.share / total:.0%}' * has_parts}"
        axes.text(left, middle - 0.25, cost, **WORDS)
        beside = left + BAR + GAP
        axes.text(beside, middle, "\n".join(line[:HANGING].strip() for line in lines), **WORDS, color=SHADE)
        axes.text(beside + LABEL, middle, "\n".join(line[HANGING:] for line in lines), **WORDS)
        top += high + GAP
    worst = f"; the worst state costs {spots[0].share:.2f}" if spots else ""
    note = f"{player} in {game}: {about}. Bars: points per {unit}."
    more = f" The first {SHOWN} of {counted(len(spots), 'state')} shown." if len(spots) > SHOWN else ""
    pictures.headed(figure, f"{player} loses {total:.2f} points per {unit}{worst}.", note + more)
    pictures.write(figure, path)
