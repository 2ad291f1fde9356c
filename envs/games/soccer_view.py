"""The pitch of grid soccer for people, as text and as a drawing."""

from typing import NamedTuple

from nashzoo.envs.core.canvas import Canvas
from nashzoo.envs.core.rules import Ints
from nashzoo.envs.games.soccer import COLOURS, NOBODY, decode
from nashzoo.envs.games.soccer_field import BLUE, GOAL_HEIGHT, HEIGHT, RED, SHOTS, WIDTH, in_penalty_area

Cell = tuple[int, int]  # column from the left and row from below, from 1

WORDS = {"ball": ("none", *COLOURS), "turn": COLOURS, "winner": ("none", *COLOURS)}
GROUPED_BY = ("turn", "ball")

GRASS, CHALK, GRID = "darkseagreen", "white", "gainsboro"
PLAYER_COLOURS = ("firebrick", "royalblue")
TINTS = ("lightpink", "lightsteelblue")  # of the cells from which a player's shot counts
LETTERS = ("r", "b")
LOOSE_BALL = "o"
CELLS = ".:+*"  # in no area, in a penalty area, where a shot counts, in both


class Area(NamedTuple):
    """A rectangle of cells, the last column and row included."""

    left: int
    right: int
    bottom: int
    top: int

    def holds(self, cell: Cell) -> bool:
        """Returns whether a cell lies in it."""
        return self.left <= cell[0] <= self.right and self.bottom <= cell[1] <= self.top


class Pitch(NamedTuple):
    """The field."""

    width: int
    height: int
    mouth: tuple[int, int]  # lowest and highest row of the goals
    areas: tuple[Area, Area]  # the penalty areas of the goals that red and blue attack
    shots: tuple[frozenset[Cell], frozenset[Cell]]  # cells from which red's and blue's shots count


class Scene(NamedTuple):
    """What there is to see."""

    pitch: Pitch
    players: tuple[Cell, Cell]
    holder: int | None  # the player with the ball, which otherwise lies on the centre cell
    mover: int | None  # the player to move
    caption: str

    @property
    def loose(self) -> Cell | None:
        """Where the ball lies when nobody has it."""
        return ((self.pitch.width + 1) // 2, (self.pitch.height + 1) // 2) if self.holder is None else None


def pitch_of(params: Ints) -> Pitch:
    """Returns the field with these parameters."""
    width, height, goal_height = (int(params[place]) for place in (WIDTH, HEIGHT, GOAL_HEIGHT))
    cells = [(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]
    areas, shots = [], []
    for player in (RED, BLUE):
        area = [cell for cell in cells if in_penalty_area(width, height, goal_height, player, *cell)]
        (left, bottom), (right, top) = area[0], area[-1]
        areas.append(Area(left, right, bottom, top))
        counts = zip(cells, params[SHOTS:].tolist(), strict=True)
        shots.append(frozenset(cell for cell, players in counts if players >> player & 1))
    mouth = (height - goal_height) // 2 + 1, (height + goal_height) // 2
    return Pitch(width, height, mouth, (areas[RED], areas[BLUE]), (shots[RED], shots[BLUE]))


def lines_of_text(scene: Scene) -> str:
    """Returns the pitch row by row, the highest first, with rows and columns numbered, and the caption."""
    pitch = scene.pitch
    lines = []
    for y in range(pitch.height, 0, -1):
        goals = "[]" if pitch.mouth[0] <= y <= pitch.mouth[1] else "  "
        cells = " ".join(_letter(scene, (x, y)) for x in range(1, pitch.width + 1))
        lines.append(f"{y:2} {goals[0]} {cells} {goals[1]}".rstrip())
    fives = "".join(f"{x:<10}" for x in range(5, pitch.width + 1, 5))  # a column of cells is two characters wide
    lines.append(f"{'':5}{1:<8}{fives}".rstrip())
    return "\n".join([*lines, scene.caption])


def _letter(scene: Scene, cell: Cell) -> str:
    for player, stands in enumerate(scene.players):
        if cell == stands:
            return LETTERS[player].upper() if scene.holder == player else LETTERS[player]
    if cell == scene.loose:
        return LOOSE_BALL
    pitch = scene.pitch
    return CELLS[any(area.holds(cell) for area in pitch.areas) + 2 * any(cell in cells for cells in pitch.shots)]


def drawn(scene: Scene, canvas: Canvas) -> None:
    """Draws the pitch with its goals, penalty areas (outlined) and cells from which a shot counts (tinted)."""
    pitch = scene.pitch
    unit = min(98 / (pitch.width + 2), 78 / pitch.height)
    left = 50 - unit * (pitch.width + 2) / 2  # of the goals
    floor = 52 + unit * pitch.height / 2

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

    field = Area(1, pitch.width, 1, pitch.height)
    cells(field, GRASS)
    for tint, shots in zip(TINTS, pitch.shots, strict=True):
        for x, y in sorted(shots):
            cells(Area(x, x, y, y), tint)
    for x in range(2, pitch.width + 1):
        canvas.line(across(x), up(1), across(x), up(pitch.height + 1), 0.2, GRID)
    for y in range(2, pitch.height + 1):
        canvas.line(across(1), up(y), across(pitch.width + 1), up(y), 0.2, GRID)
    halfway = across(1 + pitch.width / 2)
    canvas.line(halfway, up(1), halfway, up(pitch.height + 1), 0.4, CHALK)
    for area in (field, *pitch.areas):
        frame(area, 0.6)
    for player, x in enumerate((0, pitch.width + 1)):
        cells(Area(x, x, *pitch.mouth), PLAYER_COLOURS[player])

    for player, (x, y) in enumerate(scene.players):
        middle = across(x + 0.5), up(y + 0.5)
        if player == scene.mover:
            canvas.circle(*middle, 0.56 * unit, "gold")
        canvas.circle(*middle, 0.42 * unit, PLAYER_COLOURS[player])
    ball = scene.loose if scene.holder is None else scene.players[scene.holder]
    if ball is not None:
        canvas.circle(across(ball[0] + 0.5), up(ball[1] + 0.5), 0.22 * unit, "black")
        canvas.circle(across(ball[0] + 0.5), up(ball[1] + 0.5), 0.17 * unit, "white")
    canvas.text(50, up(pitch.height + 1) - 6, scene.caption, 5)
    canvas.text(50, floor + 5, "tinted: a shot from here counts; outlined: penalty areas", 3)


def scene(params: Ints, code: int) -> Scene:
    """Returns what there is to see of a position."""
    s = decode(code)
    if s.winner:
        caption = f"{COLOURS[s.winner - 1]} has scored"
    else:
        has_ball = "the ball is loose" if s.ball == NOBODY else f"{COLOURS[s.ball - 1]} has the ball"
        caption = f"{COLOURS[s.turn]} to move, {has_ball}"
    players = (s.red_x, s.red_y), (s.blue_x, s.blue_y)
    return Scene(pitch_of(params), players, s.ball - 1 if s.ball else None, None if s.winner else s.turn, caption)


def text(params: Ints, code: int) -> str:
    """Returns the pitch: ``r`` and ``b``, with the ball ``R`` and ``B``; the loose ball ``o``; and who is to move."""
    return lines_of_text(scene(params, code))


def draw(params: Ints, code: int, canvas: Canvas) -> None:
    """Draws the pitch, the players, who is to move, and the ball."""
    drawn(scene(params, code), canvas)
