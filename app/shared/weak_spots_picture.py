"""The picture of where a policy loses: a bar for each state, with the state in the words of the game."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nashzoo.app.shared.weak_spots import Spot, are_parts, choices
from nashzoo.arena import heat_map
from nashzoo.envs import Game
from nashzoo.envs.drawing.palette import INK, LINE, PLAYER_COLOURS, THEMES

COLOURS = THEMES["light"]
LETTERS = 56  # of a line beside a bar
WIDTH, MARGINS, LINE_HEIGHT = 12.0, 1.1, 0.13  # inches; margins are those above and below all lines
BAR = 1.6  # lines
STYLE: dict[Any, Any] = {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "text.parse_math": False}


def write_picture(
    game: Game, title: str, about: str, spots: Sequence[Spot], total: float, unit: str, path: Path
) -> None:
    """Draws the shares of spots, the largest on top.

    Args:
        game: The game.
        title: The title.
        about: What is measured, in a sentence.
        spots: The spots.
        total: What all states lose together, points per ``unit``.
        unit: ``"game"`` or ``"decision"``.
        path: The file.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    heat_map.need_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    words = _of_one_width([_words(game, spot) for spot in spots])
    has_parts = are_parts((spot.share for spot in spots), total)
    beside = [
        f"{spot.share:.4f}{f', {spot.share / total:.0%}' * has_parts}\n{choices(spot, LETTERS)}" for spot in spots
    ]
    heights = [max(left.count("\n"), right.count("\n")) + 2 for left, right in zip(words, beside, strict=True)]
    middles = [sum(heights[:place]) + height / 2 for place, height in enumerate(heights)]
    lines = max(sum(heights), 1)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, MARGINS + LINE_HEIGHT * lines), layout="constrained")
        figure.suptitle(f"{title}\n{about}", size=9)
        axes = figure.subplots()
        colours = [COLOURS[PLAYER_COLOURS[spot.share < 0]] for spot in spots]
        shares = [spot.share for spot in spots]
        axes.barh(middles, shares, height=BAR, color=colours)
        axes.axvline(0.0, color=COLOURS[LINE], linewidth=0.8)
        letters: dict[str, Any] = {"family": "monospace", "size": 7, "color": COLOURS[INK]}
        axes.set_yticks(middles, words, multialignment="left", **letters)
        for middle, text in zip(middles, beside, strict=True):
            axes.text(1.03, middle, text, va="center", **letters, transform=axes.get_yaxis_transform())
        axes.set(ylim=(lines, 0), xlabel=f"points per {unit}")
        axes.locator_params(axis="x", nbins=4)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x", alpha=0.25)
        axes.set_axisbelow(True)
        heat_map.write(figure, path)


def _words(game: Game, spot: Spot) -> str:
    """Returns a state in words; who plays there, unless all states are as seen from the same seat."""
    player = "" if game.symmetric else f"{game.view.PLAYERS[spot.worst.seat]}:\n"
    return player + game.text(spot.worst.code)


def _of_one_width(texts: Sequence[str]) -> list[str]:
    """Returns texts whose lines all have the same number of letters."""
    width = max((len(line) for text in texts for line in text.splitlines()), default=0)
    return ["\n".join(line.ljust(width) for line in text.splitlines()) for text in texts]
