"""The pitch of grid soccer for people, as text and as a drawing."""

from functools import cache
from typing import NamedTuple

from nashzoo.envs.drawing.canvas import Canvas, Point
from nashzoo.envs.drawing.palette import (
    CHALK,
    EDGE,
    GROUND,
    HIGHLIGHT,
    INK,
    MUTED,
    ON_PLAYER,
    PITCH,
    PLAYER_COLOURS,
    STRIPE,
    TINTS,
    WEIGHT,
)
from nashzoo.envs.drawing.shapes import around, arrow, ringed
from nashzoo.envs.games.soccer.field import BLUE, RED, in_penalty_area, intercepted
from nashzoo.envs.games.soccer.rules import (
    ACTIONS,
    COLOURS,
    KICK,
    NOBODY,
    Params,
    State,
    Tables,
    legal,
    lined_up,
    moved,
    terminal,
)

Cell = tuple[int, int]  # column from the left and row from below, from 1

WORDS = {"ball": ("none", *COLOURS), "turn": COLOURS, "winner": ("none", *COLOURS)}
GROUPED_BY = ("turn", "ball")
PLAYERS = COLOURS
LINES = {"x": "column", "y": "row"}
FIELDS = {f"{one}_{axis}": f"{one}'s {line}" for one in COLOURS for axis, line in LINES.items()}
SIDES = ("right", "left")  # of the goals that red and blue attack

FINE, LEAST_CELL = 0.25, 2.0  # units, of the lines between cells, and of cells that have lines between them
LEAST_LABEL = 4.0  # units, from a number of a row or column to the next
LEAST_RADIUS = 2.3  # units, of players, so that their letters can be read
GOAL = "Kick: a goal"
BALL = "white"  # the same in both themes
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
        """Returns whether a cell is in it."""
        return self.left <= cell[0] <= self.right and self.bottom <= cell[1] <= self.top


class Pitch(NamedTuple):
    """The field."""

    width: int
    height: int
    mouth: tuple[int, int]  # lowest and highest row of the goals
    areas: tuple[Area, Area]  # the penalty areas of the goals that red and blue attack
    shots: tuple[frozenset[Cell], frozenset[Cell]]  # cells from which red's and blue's shots count

    def goal(self, attacker: int) -> tuple[float, float]:
        """Returns the column of the goal that a player attacks, and its middle row."""
        return (self.width + 1 if attacker == RED else 0), sum(self.mouth) / 2


class Scene(NamedTuple):
    """The content of a drawing."""

    pitch: Pitch
    players: tuple[Cell, Cell]
    holder: int | None  # the player with the ball; None if it is on the centre cell
    mover: int | None  # the player to move
    caption: str
    winner: int | None = None  # the player who has scored

    @property
    def loose(self) -> Cell | None:
        """The cell of the ball when nobody has it."""
        return ((self.pitch.width + 1) // 2, (self.pitch.height + 1) // 2) if self.holder is None else None


def pitch_of(params: Params, tables: Tables) -> Pitch:
    """Returns the field with these parameters."""
    return _pitch(params.width, params.height, params.goal_height, tuple(tables.shots.reshape(-1).tolist()))


@cache
def _pitch(width: int, height: int, goal_height: int, counting: tuple[int, ...]) -> Pitch:
    cells = [(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]
    areas, shots = [], []
    for player in (RED, BLUE):
        area = [cell for cell in cells if in_penalty_area(width, height, goal_height, player, *cell)]
        (left, bottom), (right, top) = area[0], area[-1]
        areas.append(Area(left, right, bottom, top))
        counts = zip(cells, counting, strict=True)
        shots.append(frozenset(cell for cell, players in counts if players >> player & 1))
    mouth = (height - goal_height) // 2 + 1, (height + goal_height) // 2
    return Pitch(width, height, mouth, (areas[RED], areas[BLUE]), (shots[RED], shots[BLUE]))


def _letter(scene: Scene, cell: Cell) -> str:
    for player, stands in enumerate(scene.players):
        if cell == stands:
            return LETTERS[player].upper() if scene.holder == player else LETTERS[player]
    if cell == scene.loose:
        return LOOSE_BALL
    pitch = scene.pitch
    return CELLS[any(area.holds(cell) for area in pitch.areas) + 2 * any(cell in cells for cells in pitch.shots)]


class Plan:
    """The position of the pitch on the canvas; converts columns and rows to units."""

    def __init__(self, pitch: Pitch) -> None:
        self.unit = min(96 / (pitch.width + 2), 68 / pitch.height)  # a cell
        self.left = 50 - self.unit * (pitch.width + 2) / 2  # of the goals
        self.floor = 53 + self.unit * pitch.height / 2
        self.top = self.floor - self.unit * pitch.height - 5  # of the arrows above the pitch

    def across(self, x: float) -> float:
        """Returns the left end of a column."""
        return self.left + self.unit * x

    def up(self, y: float) -> float:
        """Returns the top of a row; rows are numbered from below."""
        return self.floor - self.unit * (y - 1)

    def middle(self, cell: tuple[float, float]) -> Point:
        """Returns the middle of a cell."""
        return self.across(cell[0] + 0.5), self.up(cell[1] + 0.5)

    def corners(self, area: Area) -> tuple[float, float, float, float]:
        """Returns left, top, width and height of an area."""
        columns, rows = area.right + 1 - area.left, area.top + 1 - area.bottom
        return self.across(area.left), self.up(area.top + 1), self.unit * columns, self.unit * rows


def _draw_numbers(plan: Plan, pitch: Pitch, canvas: Canvas) -> None:
    """Draws the numbers of rows on the left and of columns below; of small cells, every second one or fewer."""
    every = next(step for step in (1, 2, 5, 10, 20) if step * plan.unit >= LEAST_LABEL or step == 20)
    for x in (x for x in range(1, pitch.width + 1) if every == 1 or x % every == 0):
        canvas.text(plan.across(x + 0.5), plan.floor + 2.2, str(x), 2.8, MUTED)
    for y in (y for y in range(1, pitch.height + 1) if every == 1 or y % every == 0):
        canvas.text(plan.across(0.5), plan.up(y + 0.5), str(y), 2.8, MUTED)


def _shot(scene: Scene) -> str:
    """Returns what a kick of the player to move does, who has the ball."""
    pitch, kicker = scene.pitch, scene.mover
    assert kicker is not None
    stands, other = scene.players[kicker], scene.players[1 - kicker]
    size = pitch.width, pitch.height, pitch.mouth[1] + 1 - pitch.mouth[0]
    if intercepted(*size, kicker, *stands, *other):
        return f"Kick: blocked, the ball goes to {COLOURS[1 - kicker]}"
    return GOAL if stands in pitch.shots[kicker] else "Kick: no goal from here, go to the tinted cells"


def _draw_pitch(scene: Scene, plan: Plan, canvas: Canvas) -> None:
    pitch = scene.pitch
    field = Area(1, pitch.width, 1, pitch.height)
    canvas.rectangle(*plan.corners(field), PITCH)
    for x in range(1, pitch.width + 1, 2):
        canvas.rectangle(*plan.corners(Area(x, x, 1, pitch.height)), STRIPE)
    for player, shots in enumerate(pitch.shots):
        for run in runs(shots):
            canvas.rectangle(*plan.corners(run), TINTS[player])
    left, top, width, height = plan.corners(field)
    if plan.unit > LEAST_CELL:
        for column in range(2, pitch.width + 1):
            canvas.line(plan.across(column), top, plan.across(column), top + height, FINE, GROUND)
        for row in range(2, pitch.height + 1):
            canvas.line(left, plan.up(row), left + width, plan.up(row), FINE, GROUND)
    middle = across, _ = left + width / 2, top + height / 2
    circle = min(2.5, pitch.height / 2 - 0.5, pitch.width / 7) * plan.unit
    canvas.stroke([around(*middle, circle, turn / 48) for turn in range(49)], WEIGHT, CHALK)
    canvas.line(across, top, across, top + height, WEIGHT, CHALK)
    canvas.circle(*middle, WEIGHT, CHALK)
    for area in (*pitch.areas, field):
        left, top, width, height = plan.corners(area)
        right, bottom = left + width, top + height
        canvas.stroke([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], WEIGHT, CHALK)
    for attacker, x in ((RED, pitch.width + 1), (BLUE, 0)):
        _draw_goal(plan.corners(Area(x, x, *pitch.mouth)), attacker, attacker == scene.winner, canvas)


def _draw_goal(corners: tuple[float, float, float, float], attacker: int, scored: bool, canvas: Canvas) -> None:
    """Draws the net and the frame of a goal in the colour of its attacker, bright after a goal."""
    left, top, width, height = corners
    canvas.rectangle(left, top, width, height, HIGHLIGHT if scored else TINTS[attacker])
    right, bottom = left + width, top + height
    if attacker == RED:
        frame = [(left, top), (right - WEIGHT, top), (right - WEIGHT, bottom), (left, bottom)]
    else:
        frame = [(right, top), (left + WEIGHT, top), (left + WEIGHT, bottom), (right, bottom)]
    canvas.stroke(frame, 1.6 * WEIGHT, PLAYER_COLOURS[attacker])


def _draw_ball(x: float, y: float, radius: float, canvas: Canvas) -> None:
    ringed(canvas, x, y, radius + 0.3, BALL, EDGE)
    canvas.polygon([around(x, y, 0.45 * radius, k / 5 - 0.25) for k in range(5)], EDGE)


def runs(cells: frozenset[Cell]) -> list[Area]:
    """Returns the cells as areas of a single row each.

    >>> runs(frozenset({(3, 1), (4, 1), (6, 1)}))
    [Area(left=3, right=4, bottom=1, top=1), Area(left=6, right=6, bottom=1, top=1)]
    """
    areas: list[Area] = []
    for x, y in sorted(cells, key=lambda cell: (cell[1], cell[0])):
        if areas and (areas[-1].right, areas[-1].bottom) == (x - 1, y):
            areas[-1] = areas[-1]._replace(right=x)
        else:
            areas.append(Area(x, x, y, y))
    return areas


def scene(params: Params, tables: Tables, state: State) -> Scene:
    """Returns the content of the drawing of a state."""
    s = state
    if s.winner:
        caption = f"{COLOURS[s.winner - 1]} has scored"
    else:
        has_ball = "the ball is loose" if s.ball == NOBODY else f"{COLOURS[s.ball - 1]} has the ball"
        caption = f"{COLOURS[s.turn]} to move, {has_ball}"
    players = (s.red_x, s.red_y), (s.blue_x, s.blue_y)
    holder, winner = (number - 1 if number else None for number in (s.ball, s.winner))
    return Scene(pitch_of(params, tables), players, holder, None if s.winner else s.turn, caption, winner)


def text(params: Params, tables: Tables, state: State) -> str:
    """Returns the pitch: ``r`` and ``b``, with the ball ``R`` and ``B``; the loose ball ``o``; and the mover.

    It is row by row, the highest first, with rows and columns numbered.
    """
    seen = scene(params, tables, state)
    pitch, lines = seen.pitch, []
    for y in range(pitch.height, 0, -1):
        goals = "[]" if pitch.mouth[0] <= y <= pitch.mouth[1] else "  "
        cells = " ".join(_letter(seen, (x, y)) for x in range(1, pitch.width + 1))
        lines.append(f"{y:2} {goals[0]} {cells} {goals[1]}".rstrip())
    fives = "".join(f"{x:<10}" for x in range(5, pitch.width + 1, 5))  # a column of cells is two characters wide
    lines.append(f"{'':5}{1:<8}{fives}".rstrip())
    return "\n".join([*lines, seen.caption])


def event(params: Params, state: State, action: int, after: State) -> str:
    """Describes the move and its cell, the position of the ball, and a goal."""
    s, then = state, after
    mover = s.turn
    us, them = COLOURS[mover], COLOURS[1 - mover]
    stood, other = ((s.red_x, s.red_y), (s.blue_x, s.blue_y))[:: 1 if mover == RED else -1]
    if terminal(after):
        how = "kicked" if action == KICK else "carried the ball into the goal"
        own = " (an own goal)" if then.winner != 1 + mover else ""
        seen = f"{COLOURS[1 - mover]} on {other}"
        return f"{us} {how} from {stood}, {seen}: {COLOURS[then.winner - 1]} scored{own}"
    if action == KICK:
        width, height, goal_height = params.width, params.height, params.goal_height
        if intercepted(width, height, goal_height, mover, *stood, *other):
            return f"{us} kicked from {stood}: {them} stood in the way and took the ball"
        return f"{us} kicked from {stood} and missed: {_reset(params, them)}"
    to = moved(*stood, action)
    went = f"{us} went {ACTIONS[action].lower()}"
    if to == other:
        return f"{went} into {them}: {_met(s, then, us, them)}"
    if s.ball == 1 + mover and then.ball != s.ball:
        place = f"{us} carried the ball off the field at {to}"
        line_up = after == lined_up(params.width, params.height, then.ball, then.turn)
        return f"{place}: {_reset(params, them) if line_up else f'a corner for {them}'}"
    return f"{went} to {to}" + (" and took the ball" if then.ball != s.ball else "")


def _homes(params: Params) -> str:
    stands = lined_up(params.width, params.height, NOBODY, RED)
    return f"{stands.red_x, stands.red_y} and {stands.blue_x, stands.blue_y}"


def _reset(params: Params, holder: str) -> str:
    return f"both went home, to {_homes(params)}, and {holder} got the ball"


def _met(s: State, then: State, us: str, them: str) -> str:
    """Describes who gets the ball when one player runs into the other."""
    if then.ball == s.ball:
        return "nothing happened"
    return f"{us} took the ball" if then.ball == 1 + s.turn else f"{us} lost the ball"


def shown(state: State, after: State) -> State:
    """Returns a goal where it was scored, as the players line up after it; otherwise the next state."""
    return state._replace(winner=after.winner) if terminal(after) else after


def introduction(player: int) -> str:
    """Returns the colour of the player, and the goal that it attacks."""
    return (
        f"You are {COLOURS[player]} and attack the goal on the {SIDES[player]}; one goal wins. Red moves first. "
        "Run into the player with the ball to take it."
    )


def in_short() -> list[str]:
    """Returns how to score, and how to get the ball."""
    return [
        "goal [ ] <-- blue\n            red --> [ ] goal",
        f"Red scores on the {SIDES[RED]}, blue on the {SIDES[BLUE]}. The first goal wins.",
        f"Carry the ball in, or kick it. [{ACTIONS[KICK]}] scores from a cell of your colour, where a shot counts, "
        "unless your opponent stands in between.",
        "Go onto the ball to take it. Run into your opponent: the one with the ball loses it to the other.",
        "The loser of the ball goes halfway to its own goal. "
        "Running into each other while the ball is loose changes nothing.",
        "Diagonal moves lead forward only; from the last column, back only.",
    ]


def rules_text(params: Params, tables: Tables) -> str:
    """Returns all rules, with names in braces."""
    width, height = params.width, params.height
    lowest, highest = pitch_of(params, tables).mouth
    starts = "anywhere in their halves" if params.random_positions else "at home"
    return f"""{{Soccer}} on columns 1 to {width} and rows 1 to {height}. The players choose alternately, {{red}} first.
The first {{goal}} wins 1 point: for {{red}} in column {width + 1} on the {{right}}, for {{blue}} in column 0 on the \
{{left}}, rows {lowest} to {highest}, whoever brings the {{ball}} there.
Start: {{ball}} in the centre, players {starts}.
- {{Right}}, {{Left}}, {{Up}}, {{Down}} and two together go to the next cell; two together only \
forward, from the last column only back.
- Who reaches the {{ball}} has it. Only then can one {{Kick}}, or leave the {{field}}.
- Who runs into the other takes its {{ball}}, or loses it; the loser goes halfway to its own {{goal}}. If nobody has \
it, nothing happens.
- A {{Kick}} is a {{goal}} where the {{shot}} counts. The other in between takes the {{ball}}, as above.
- Off the {{field}} beside one's own {{goal}}: the other gets the {{ball}} in the row 1 corner, the loser is in \
row 3.
- Elsewhere off the {{field}}, or if a {{Kick}} misses: the other gets the {{ball}}, both go home, to {_homes(params)}.
Endless play is a draw, 0. {{Penalty}} areas mean nothing."""


def why_not(params: Params, state: State, action: int) -> str:
    """Returns why the player to move cannot take an action, which is not legal."""
    if action == KICK:
        return "Only the player with the ball can kick."
    mover = state.turn
    x, y = moved(*((state.red_x, state.red_y), (state.blue_x, state.blue_y))[mover], action)
    if state.ball != 1 + mover and not (1 <= x <= params.width and 1 <= y <= params.height):
        return "Only the player with the ball can leave the field."
    return "Diagonal moves lead forward only; from the last column, back only."


def legend(player: int) -> str:
    """Returns the meaning of the letters and signs of the field."""
    us, them = LETTERS[player], LETTERS[1 - player]
    area, shot, both = CELLS[1], CELLS[2], CELLS[3]
    return (
        f"{us} you, {them} the other, {us.upper()} or {them.upper()} with the ball, {LOOSE_BALL} the ball alone; "
        f"[ ] goals; {area} in a penalty area, {shot} where a shot counts, {both} both. "
        "Rows are numbered on the left, from below, and columns at the bottom."
    )


def targets(params: Params, tables: Tables, state: State) -> dict[int, tuple[float, float, float, float]]:
    """Returns the cells that the player to move can go to, and the goal that it can kick at."""
    seen, allowed = scene(params, tables, state), legal(params, state, state.turn)
    if seen.mover is None:
        return {}
    plan, (x, y) = Plan(seen.pitch), seen.players[seen.mover]
    goal = seen.pitch.width + 1 if seen.mover == RED else 0
    areas = {KICK: Area(goal, goal, *seen.pitch.mouth)}
    for action in range(1, len(ACTIONS)):
        across, up = moved(x, y, action)
        areas[action] = Area(across, across, up, up)
    return {action: plan.corners(area) for action, area in areas.items() if allowed >> action & 1}


def rows(params: Params, tables: Tables) -> tuple[float, float]:
    """Returns the rows from the caption to the note."""
    plan = Plan(pitch_of(params, tables))
    return plan.top - 10, plan.floor + 10


def draw(params: Params, tables: Tables, state: State, canvas: Canvas) -> None:
    """Draws the pitch, the goals and cells from which shots count, the players, the player to move, and the ball."""
    seen = scene(params, tables, state)
    plan = Plan(seen.pitch)
    _draw_pitch(seen, plan, canvas)
    radius = max(0.47 * plan.unit, LEAST_RADIUS)
    _draw_numbers(plan, seen.pitch, canvas)
    middles = [plan.middle(cell) for cell in seen.players]
    if seen.mover is not None:
        canvas.circle(*middles[seen.mover], radius + 2.2 * WEIGHT, EDGE)
        canvas.circle(*middles[seen.mover], radius + 1.6 * WEIGHT, HIGHLIGHT)
    for player, (x, y) in enumerate(middles):
        canvas.circle(x, y, radius + WEIGHT / 2, EDGE)
        canvas.circle(x, y, radius, PLAYER_COLOURS[player])
        canvas.text(x, y, LETTERS[player].upper(), 1.35 * radius, ON_PLAYER)
    if seen.winner is not None:
        _draw_ball(*plan.middle(seen.pitch.goal(seen.winner)), 0.6 * radius, canvas)
    elif seen.loose is not None:
        _draw_ball(*plan.middle(seen.loose), 0.7 * radius, canvas)
    elif seen.holder is not None:
        x, y = middles[seen.holder]
        _draw_ball(x + 0.95 * radius, y + 0.95 * radius, 0.6 * radius, canvas)
    top = plan.top
    canvas.text(50, top - 6.5, seen.caption, 5)
    for player, x, length in ((RED, 6, 8), (BLUE, 94, -8)):
        arrow(canvas, x, top, length, PLAYER_COLOURS[player])
        canvas.text(
            x + 1.25 * length, top, COLOURS[player], 4, PLAYER_COLOURS[player], "start" if length > 0 else "end"
        )
    note = "tinted: a shot from here counts"
    if seen.mover is not None and seen.mover == seen.holder:
        note = _shot(seen)
    canvas.text(50, plan.floor + 7, note, 3.6, INK if note == GOAL else MUTED)
