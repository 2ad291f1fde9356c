"""The pictures of the games in the documentation.

python -m studies.gallery
"""

from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from nashzoo.app.matches.axes_canvas import AxesCanvas
from nashzoo.app.matches.picture import write_board
from nashzoo.arena.heat_map import write
from nashzoo.envs import Game, make_game

IMAGES = Path("docs/images")
BOARD, GAP, DPI = 3.2, 0.16, 150  # inches, and pixels per inch
COLUMNS = 3


THROWS = "RP PS SR PP RS SP PR SS PR RR SR PS"


class Scene(NamedTuple):
    """A state to be drawn."""

    file: str  # without its suffix
    game: Game
    code: int


def scenes() -> list[Scene]:
    """Returns an interesting state of each game."""
    throws = int("".join(str(3 * "RPS".index(one) + "RPS".index(other)) for one, other in THROWS.split()), 9)
    brawl = {
        "body0": 1, "head1": 1, "legs1": 2,
        "body_attack0": 0, "legs_dual0": 2, "head_attack1": 0, "body_dual1": 2,
    }  # fmt: skip
    states: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "footsies": ({"rounds": 3}, {"last0": 1, "last1": 3, "hits0": 1, "blocks1": 2}),
        "roshambo": ({"recall": 12, "rounds": 20}, {"played": 12, "recalled": throws}),
        "bodega_brawl": ({}, brawl),
        "soccer": ({}, {"red_x": 14, "red_y": 6, "blue_x": 16, "ball": "red", "turn": "blue"}),
        "tictactoe": ({}, {"board": "x.oo..x.x"}),
    }
    games = {name: make_game(f"{name}_v0", **options) for name, (options, _) in states.items()}
    return [Scene(name, game, game.code(**states[name][1])) for name, game in games.items()]


def gallery(boards: list[Scene]) -> Figure:
    """Returns a picture of all boards in rows, the last row centred."""
    rows = -(-len(boards) // COLUMNS)
    width, height = (count * (BOARD + GAP) + GAP for count in (COLUMNS, rows))
    figure = Figure(figsize=(width, height), facecolor="white")
    for number, scene in enumerate(boards):
        row, column = divmod(number, COLUMNS)
        missing = COLUMNS - min(COLUMNS, len(boards) - COLUMNS * row)
        left = GAP + (column + missing / 2) * (BOARD + GAP)
        bottom = height - (row + 1) * (BOARD + GAP)
        axes = figure.add_axes((left / width, bottom / height, BOARD / width, BOARD / height), label=scene.file)
        scene.game.draw(scene.code, AxesCanvas(axes, BOARD))
    return figure


def main(images: Path = IMAGES) -> None:
    """Draws all games in one picture, and each in a picture of its own."""
    boards = scenes()
    write(gallery(boards), images / "games.png", DPI)
    for scene in boards:
        write_board(scene.game, scene.code, "light", images / f"{scene.file}.png")
    print(f"written to {images}")


if __name__ == "__main__":
    main()
