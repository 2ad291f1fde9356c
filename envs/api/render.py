"""Rendering of a game: as text, as SVG, as pixels, or in a window. Pygame is imported only for pixels."""

import itertools
import math
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nashzoo.envs.base.errors import MissingPackageError, UsageError
from nashzoo.envs.core.checks import RENDER_MODES
from nashzoo.envs.core.game import Game
from nashzoo.envs.drawing.canvas import BASELINE, Align, Point
from nashzoo.envs.drawing.palette import GROUND, INK, shade

SIZE = 480  # pixels, width and height
TEXT_MODES = ("ansi", "svg")
FINENESS = 2  # oversampling: drawn larger and averaged, which smooths edges; a factor of 3 would shift colours
SHARE_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}  # share of a text to the left of its position
TEXT_FINENESS = 4  # oversampling of text: letters are placed at whole pixels, unevenly in small text
# Names of colours that differ between pygame and CSS. Source: W3C, CSS Color Module Level 4, 6.1.
RENAMED = {
    "gray": "#808080",
    "grey": "#808080",
    "green": "#008000",
    "maroon": "#800000",
    "purple": "#800080",
    "rebeccapurple": "#663399",
}


class PygameCanvas:
    """Draws on a pygame surface, see :class:`nashzoo.envs.drawing.canvas.Canvas`."""

    def __init__(self, surface: Any) -> None:
        import pygame

        self.pygame = pygame
        self.surface = surface
        self.unit = surface.get_width() / 100
        surface.fill(shade(GROUND))

    def rectangle(self, left: float, top: float, width: float, height: float, colour: str, corner: float = 0.0) -> None:
        """Fills a rectangle, its corners rounded with this radius."""
        x, y = round(left * self.unit), round(top * self.unit)
        right, bottom = round((left + width) * self.unit), round((top + height) * self.unit)
        place = x, y, right - x, bottom - y
        if corner:
            self.pygame.draw.rect(self.surface, _colour(colour), place, border_radius=round(corner * self.unit))
        else:
            self.surface.fill(_colour(colour), place)

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """Fills a circle around ``(x, y)``."""
        self.pygame.draw.circle(self.surface, _colour(colour), (x * self.unit, y * self.unit), radius * self.unit)

    def polygon(self, points: Sequence[Point], colour: str) -> None:
        """Fills the polygon with these corners."""
        self.pygame.draw.polygon(self.surface, _colour(colour), [(x * self.unit, y * self.unit) for x, y in points])

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float, colour: str) -> None:
        """Draws a straight line with flat ends at its end points."""
        length = math.hypot(x1 - x0, y1 - y0)
        if not length:
            return
        half = max(width, 1 / self.unit) / 2 / length
        dx, dy = half * (y1 - y0), half * (x0 - x1)
        if dx and dy:
            self.polygon([(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)], colour)
        else:
            left, top = min(x0, x1) - abs(dx), min(y0, y1) - abs(dy)
            self.rectangle(left, top, abs(x1 - x0) + 2 * abs(dx), abs(y1 - y0) + 2 * abs(dy), colour)

    def stroke(self, points: Sequence[Point], width: float, colour: str) -> None:
        """Draws a line through these points, round at its ends and corners."""
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            self.line(x0, y0, x1, y1, width, colour)
        for x, y in points:
            self.circle(x, y, width / 2, colour)

    def text(self, x: float, y: float, text: str, size: float, colour: str = INK, align: Align = "middle") -> None:
        """Writes a line of text whose capitals are centred on ``y``, and which starts, ends or is centred at ``x``."""
        image, ascent = _written(text, max(1, round(size * self.unit)), _colour(colour))
        left = x * self.unit - image.get_width() * SHARE_BEFORE[align]
        self.surface.blit(image, (round(left), round((y + BASELINE * size) * self.unit - ascent)))


def _colour(colour: str) -> str:
    """Returns a colour in pygame's notation."""
    return RENAMED.get(colour.lower(), shade(colour))


@lru_cache(256)
def _written(text: str, pixels: int, colour: str) -> tuple[Any, float]:
    """Returns an image of a text, and the distance of its baseline from its top, pixels."""
    import pygame

    font = _font(pixels * TEXT_FINENESS)
    image = font.render(text, True, colour)
    size = [max(1, round(length / TEXT_FINENESS)) for length in image.get_size()]
    return pygame.transform.smoothscale(image, size), font.get_ascent() / TEXT_FINENESS


def _font(pixels: int) -> Any:
    """Returns pygame's default font, a bold Helvetica, in a size in pixels.

    It is not kept, as it becomes invalid after ``pygame.quit()``.
    """
    import pygame

    if not pygame.font.get_init():
        pygame.font.init()
    return pygame.font.Font(Path(pygame.__file__).with_name(pygame.font.get_default_font()), pixels)


class Renderer:
    """Shows states of one game in one render mode; a window opens at the first ``show`` and stays.

    Raises:
        MissingPackageError: the mode needs pixels and pygame is not installed.
    """

    def __init__(self, game: Game, render_mode: str | None, fps: int) -> None:
        if render_mode is None:
            raise UsageError(f"make the environment with render_mode= one of {', '.join(RENDER_MODES)} to render it")
        self.game = game
        self.render_mode = render_mode
        self.fps = fps
        self.window: Any = None
        if render_mode not in TEXT_MODES:
            os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
            try:
                import pygame
            except ImportError as error:
                raise MissingPackageError(
                    f"render_mode={render_mode!r} needs pygame: pip install '.[render]' in nashzoo's folder"
                ) from error
            self.pygame = pygame

    def show(self, code: int, before: int, seat: int | None = None) -> str | NDArray[np.uint8] | None:
        """Returns the text, the SVG or the pixels ``[height, width, 3]`` of a state, or shows it in the window.

        Args:
            code: The state.
            before: The state in which the players chose last, from which the end of a game is shown.
            seat: The player as whom it is seen while the game goes on; None to hide nothing.
        """
        seats: tuple[int, ...] = ()
        if self.game.terminal(code):
            code = self.game.view.shown(self.game.params, before, code)
        elif seat is not None:
            code, seats = self.game.information_state(code, seat), (seat,)
        if self.render_mode in TEXT_MODES:
            return self.game.text(code, seats) if self.render_mode == "ansi" else self.game.svg(code)
        if self.render_mode == "human" and self.window is None:
            self.pygame.display.init()
            self.window = self.pygame.display.set_mode((SIZE, SIZE))
            self.pygame.display.set_caption(self.game.name)
            self.clock = self.pygame.time.Clock()
        surface = self._drawn(code)
        if self.render_mode == "human":
            self.window.blit(surface, (0, 0))
            self.pygame.event.pump()
            self.pygame.display.flip()
            self.clock.tick(self.fps)
            return None
        pixels = bytearray(self.pygame.image.tobytes(surface, "RGB"))  # much faster than surfarray.array3d
        return np.frombuffer(pixels, np.uint8).reshape(SIZE, SIZE, 3)

    def _drawn(self, code: int) -> Any:
        large = self.pygame.Surface((SIZE * FINENESS, SIZE * FINENESS), depth=32)
        self.game.draw(code, PygameCanvas(large))
        return self.pygame.transform.smoothscale(large, (SIZE, SIZE))

    def close(self) -> None:
        """Closes the window, if one is open."""
        if self.window is not None:
            self.pygame.display.quit()
            self.window = None
