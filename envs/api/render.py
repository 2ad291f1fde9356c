"""Showing a game: as text, as pixels, or in a window. Pygame is imported only where pixels are asked for."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nashzoo.envs.base.errors import MissingPackageError, UsageError
from nashzoo.envs.core.checks import RENDER_MODES
from nashzoo.envs.core.game import Game

SIZE = 480  # pixels, width and height
BACKGROUND = "white"


class PygameCanvas:
    """Draws on a pygame surface, see :class:`nashzoo.envs.core.canvas.Canvas`."""

    def __init__(self, surface: Any) -> None:
        import pygame

        self.pygame = pygame
        self.surface = surface
        self.unit = surface.get_width() / 100
        if not pygame.font.get_init():
            pygame.font.init()
        surface.fill(BACKGROUND)

    def rectangle(self, left: float, top: float, width: float, height: float, colour: str) -> None:
        """Fills a rectangle."""
        x, y = round(left * self.unit), round(top * self.unit)
        right, bottom = round((left + width) * self.unit), round((top + height) * self.unit)
        self.pygame.draw.rect(self.surface, colour, (x, y, right - x, bottom - y))

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """Fills a circle around ``(x, y)``."""
        self.pygame.draw.circle(self.surface, colour, (x * self.unit, y * self.unit), radius * self.unit)

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float, colour: str) -> None:
        """Draws a straight line."""
        ends = (x0 * self.unit, y0 * self.unit), (x1 * self.unit, y1 * self.unit)
        self.pygame.draw.line(self.surface, colour, *ends, max(1, round(width * self.unit)))

    def text(self, x: float, y: float, text: str, size: float, colour: str = "black") -> None:
        """Writes a line of text centred on ``(x, y)``."""
        font = self.pygame.font.Font(None, round(1.4 * size * self.unit))
        image = font.render(text, True, colour)
        self.surface.blit(image, image.get_rect(center=(x * self.unit, y * self.unit)))


class Renderer:
    """Shows states of one game in one render mode; a window opens at the first ``show`` and stays.

    Raises:
        MissingPackageError: pixels are asked for and pygame is not installed.
    """

    def __init__(self, game: Game, render_mode: str | None, fps: int) -> None:
        if render_mode is None:
            raise UsageError(f"make the environment with render_mode= one of {', '.join(RENDER_MODES)} to render it")
        self.game = game
        self.render_mode = render_mode
        self.fps = fps
        self.window: Any = None
        if render_mode != "ansi":
            os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
            try:
                import pygame
            except ImportError as error:
                raise MissingPackageError(
                    f"render_mode={render_mode!r} needs pygame: pip install '.[render]' in nashzoo's folder"
                ) from error
            self.pygame = pygame

    def show(self, code: int) -> str | NDArray[np.uint8] | None:
        """Returns the text or the pixels ``[height, width, 3]`` of a state, or shows it in the window."""
        if self.render_mode == "ansi":
            return self.game.text(code)
        if self.render_mode == "human" and self.window is None:
            self.pygame.display.init()
            self.window = self.pygame.display.set_mode((SIZE, SIZE))
            self.pygame.display.set_caption(self.game.name)
            self.clock = self.pygame.time.Clock()
        surface = self.pygame.Surface((SIZE, SIZE))
        self.game.draw(code, PygameCanvas(surface))
        if self.render_mode == "human":
            self.window.blit(surface, (0, 0))
            self.pygame.event.pump()
            self.pygame.display.flip()
            self.clock.tick(self.fps)
            return None
        return np.ascontiguousarray(self.pygame.surfarray.array3d(surface).swapaxes(0, 1))

    def close(self) -> None:
        """Closes the window, if one is open."""
        if self.window is not None:
            self.pygame.display.quit()
            self.window = None
