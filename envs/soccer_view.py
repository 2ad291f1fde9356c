"""The pitch of grid soccer for people, as text and as a drawing."""

from typing import NamedTuple

from nashzoo.envs.draw import Canvas

Cell = tuple[int, int]  # column from the left and row from below, from 1

GRASS, CHALK, GRID = "darkseagreen", "white", "mediumseagreen"
PLAYER_COLOURS = ("firebrick", "royalblue")
TINTS = ("lightpink", "lightsteelblue")  # of the cells from which a player's shot counts
LETTERS = ("r", "b")
LOOSE_BALL = "o"
PLAIN, PENALTY_AREA, SHOT_COUNTS, IN_BOTH = CELLS = ".:+*"


class Area(NamedTuple):
    """A rectangle of cells, the last column and row included."""

    left: int
    right: int
    bottom: int
    top: int

    def __contains__(self, cell: object) -> bool:
        """Returns whether a cell lies in it."""
        x, y = cell  # type: ignore[misc]  # a cell
        return bool(self.left <= x <= self.right and self.bottom <= y <= self.top)


class Scene(NamedTuple):
    """What there is to see."""

    width: int
    height: int
    mouth: tuple[int, int]  # lowest and highest row of the goals
    areas: tuple[Area, Area]  # the penalty areas that red and blue attack
    shots: tuple[frozenset[Cell], frozenset[Cell]]  # cells from which red's and blue's shots count
    players: tuple[Cell, Cell]
    holder: int | None  # the player with the ball
    loose: Cell | None  # where the ball lies when nobody has it
    mover: int | None  # the player to move
    caption: str


def lines_of_text(scene: Scene) -> str:
    """Returns the pitch row by row, the highest first, with rows and columns numbered, and the caption."""
    lines = []
    for y in range(scene.height, 0, -1):
        goals = "[]" if scene.mouth[0] <= y <= scene.mouth[1] else "  "
        cells = " ".join(_letter(scene, (x, y)) for x in range(1, scene.width + 1))
        lines.append(f"{y:2} {goals[0]} {cells} {goals[1]}".rstrip())
    numbers = ["1", *(str(x) for x in range(5, scene.width + 1, 5))]
    lines.append(f"{'':5}{numbers[0]:8}" + "".join(f"{number:10}" for number in numbers[1:]).rstrip())
    return "\n".join([*lines, scene.caption])


def _letter(scene: Scene, cell: Cell) -> str:
    for player, stands in enumerate(scene.players):
        if cell == stands:
            return LETTERS[player].upper() if scene.holder == player else LETTERS[player]
    if cell == scene.loose:
        return LOOSE_BALL
    return CELLS[any(cell in area for area in scene.areas) + 2 * any(cell in cells for cells in scene.shots)]


def drawn(scene: Scene, canvas: Canvas) -> None:
    """Draws the pitch with its goals, penalty areas (outlined) and cells from which a shot counts (tinted)."""
    unit = min(94 / (scene.width + 2), 78 / scene.height)
    left = 50 - unit * (scene.width + 2) / 2  # of the goals
    floor = 52 + unit * scene.height / 2

    def across(x: float) -> float:
        return left + unit * x

    def up(y: float) -> float:
        return floor - unit * (y - 1)

    def cells(area: Area, colour: str) -> None:
        columns, rows = area.right + 1 - area.left, area.top + 1 - area.bottom
        canvas.rectangle(across(area.left), up(area.top + 1), unit * columns, unit * rows, colour)

    def frame(area: Area, width: float) -> None:
        x0, x1, y0, y1 = across(area.left), across(area.right + 1), up(area.bottom), up(area.top + 1)
        for ends in ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)):
            canvas.line(*ends, width, CHALK)

    pitch = Area(1, scene.width, 1, scene.height)
    cells(pitch, GRASS)
    for tint, shots in zip(TINTS, scene.shots, strict=True):
        for x, y in sorted(shots):
            cells(Area(x, x, y, y), tint)
    for x in range(2, scene.width + 1):
        canvas.line(across(x), up(1), across(x), up(scene.height + 1), 0.2, GRID)
    for y in range(2, scene.height + 1):
        canvas.line(across(1), up(y), across(scene.width + 1), up(y), 0.2, GRID)
    halfway = across(1 + scene.width / 2)
    canvas.line(halfway, up(1), halfway, up(scene.height + 1), 0.4, CHALK)
    for area in (pitch, *scene.areas):
        frame(area, 0.6)
    for player, x in enumerate((0, scene.width + 1)):
        cells(Area(x, x, *scene.mouth), PLAYER_COLOURS[player])

    for player, (x, y) in enumerate(scene.players):
        middle = across(x + 0.5), up(y + 0.5)
        if player == scene.mover:
            canvas.circle(*middle, 0.5 * unit, "gold")
        canvas.circle(*middle, 0.4 * unit, PLAYER_COLOURS[player])
    ball = scene.loose if scene.holder is None else scene.players[scene.holder]
    if ball is not None:
        canvas.circle(across(ball[0] + 0.5), up(ball[1] + 0.5), 0.22 * unit, "black")
        canvas.circle(across(ball[0] + 0.5), up(ball[1] + 0.5), 0.17 * unit, "white")
    canvas.text(50, 6, scene.caption, 5)
