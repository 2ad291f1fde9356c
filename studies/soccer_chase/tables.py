"""Tables of the exact solution of chases."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nashzoo.envs.core.game import Bools
from studies.soccer_chase.field import Field

OUTCOMES = ("positions", "won", "drawn", "lost")
TO_MOVE = {True: "the holder", False: "the hunter"}
FAR = 3  # rows, columns


class Table(NamedTuple):
    """A table with its title."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def markdown(self) -> str:
        """Returns the table in Markdown."""
        lines = [self.header, ("---", *["--:"] * (len(self.header) - 1)), *self.rows]
        return "\n".join([self.title, "", *("| " + " | ".join(cells) + " |" for cells in lines)])


def count(where: Bools) -> str:
    """Returns the number of states."""
    return f"{int(np.count_nonzero(where)):,}"


def part(kind: Bools, where: Bools) -> str:
    """Returns the number of states of some kind among others."""
    return f"{count(kind & where)} of {count(where)}"


def percent(kind: Bools, where: Bools) -> str:
    """Returns the share of states of some kind among others, in per cent."""
    return f"{int(np.count_nonzero(kind & where)) / max(int(np.count_nonzero(where)), 1):.1%}"


def mean(moves: Bools, where: Bools) -> str:
    """Returns the mean number of moves ``[n, actions]`` of some kind over states."""
    return f"{int(np.count_nonzero(moves[where])) / max(int(np.count_nonzero(where)), 1):.1f}"


def outcomes(field: Field, where: Bools) -> tuple[str, ...]:
    """Returns the number of states, and the numbers that the holder wins, draws and loses."""
    return count(where), *(count(where & (field.worth == worth)) for worth in (1, 0, -1))


def ball_table(field: Field) -> Table:
    """Returns the outcomes for the player with the ball."""
    rows = [
        (f"held, {who} to move", *outcomes(field, field.held & (field.to_move == to_move)))
        for to_move, who in TO_MOVE.items()
    ]
    return Table("What the ball is worth to its holder", ("the ball", *OUTCOMES), rows)


def chase_table(field: Field) -> Table:
    """Returns the outcomes of chases, and the number of errors of the rule."""
    ahead = field.held & (field.ahead >= 1)
    kinds = {
        "a chase": field.chases,
        "own half, hunter anywhere ahead": field.own_half & ahead,
        "anywhere, hunter anywhere ahead": ahead,
    }
    wrong = field.passes() != (field.worth == 1)
    rows = []
    for kind, where in kinds.items():
        for to_move, who in TO_MOVE.items():
            these = where & (field.to_move == to_move)
            rows.append((kind, who, *outcomes(field, these), count(these & wrong)))
    return Table("How chases end", ("where", "to move", *OUTCOMES, "rule wrong"), rows)


def length_table(field: Field) -> Table:
    """Returns the number of both players' moves to the end of won chases."""
    distances = np.asarray(field.solution.distances)[field.chases & (field.worth == 1)]
    figures = tuple(f"{figure:.0f}" for figure in (distances.min(), np.median(distances), distances.max()))
    return Table("Moves to the end of won chases", ("", "shortest", "median", "longest"), [("moves", *figures)])


def start_table(field: Field) -> Table:
    """Returns the outcomes of the random start."""
    values = np.asarray(field.solution.values)[field.solution.states.ids(field.game.start_codes)]
    figures = tuple(f"{np.count_nonzero(values == value):,}" for value in (1, 0, -1))
    return Table("The random start", ("", "red wins", "drawn", "blue wins"), [("starts", *figures)])


def in_line_table(field: Field) -> Table:
    """Returns the outcomes with the hunter ahead in the holder's row."""
    in_line = field.held & (field.aside == 0) & (field.ahead >= 1)
    kinds = {
        "own half, next cell (opposition)": field.own_half & (field.ahead == 1),
        "own half, further ahead": field.own_half & (field.ahead > 1),
        "the other half": ~field.own_half,
    }
    rows = [(kind, *outcomes(field, in_line & where)) for kind, where in kinds.items()]
    return Table("The hunter ahead in the holder's row", ("where", *OUTCOMES), rows)


def opposition_table(field: Field) -> Table:
    """Returns the moves of a holder in opposition."""
    in_danger = ~field.to_move & field.steals.any(axis=1)
    after = np.maximum(field.after, 0)
    holds = field.worth_after == 0
    keeps = holds & (field.after >= 0) & ~field.steals & (field.ball[after] > 0) & ~in_danger[after]
    rows = []
    for name, columns in {"1, the goal line": field.x == 1, "2 and more": field.x > 1}.items():
        these = field.opposition & field.to_move & columns
        rows.append(
            (
                name,
                count(these),
                mean(~np.isnan(field.worth_after), these),
                mean(holds, these),
                percent(keeps.any(axis=1), these),
            )
        )
    header = ("the holder's column", "positions", "legal moves", "hold the draw", "one of them keeps the ball")
    return Table("Opposition, the holder to move", header, rows)


def goal_line_table(field: Field) -> Table:
    """Returns the losing moves of a red holder in opposition on its goal line."""
    names = np.array(field.game.actions)
    rows = []
    for y in range(field.height, 0, -1):
        code = field.game.code(red_x=1, red_y=y, blue_x=2, blue_y=y, ball="red", turn="red")
        worth_after = field.worth_after[int(field.solution.states.ids(code))]
        rows.append((str(y), *(", ".join(names[worth_after == worth]) for worth in (0, -1))))
    return Table("Opposition on the goal line, red to move with the ball", ("row", "hold the draw", "lose"), rows)


def answers_table(field: Field) -> Table:
    """Returns the number of the hunter's moves that hold a drawn chase, and their kinds."""
    drawn = field.chases & ~field.to_move & (field.worth == 0)
    after = np.maximum(field.after, 0)
    holds = field.worth_after == 0
    into_line = holds & ~field.steals & (field.after >= 0) & (field.aside[after] == 0) & (field.ahead[after] > 0)
    low, high = field.mouth
    area = (field.x <= 3) & (field.y >= low - 1) & (field.y <= high + 1)
    zones = {
        "the holder's penalty area": area,
        "its columns, other rows": (field.x <= 3) & ~area,
        "further up": field.x > 3,
    }
    rows = []
    for name, zone in zones.items():
        these = drawn & zone
        rows.append(
            (
                name,
                count(these),
                mean(~np.isnan(field.worth_after), these),
                mean(holds, these),
                percent((into_line | (holds & field.steals)).any(axis=1), these),
            )
        )
    header = (
        "the holder stands in",
        "positions",
        "legal moves",
        "hold",
        "a step into line or a steal holds",
    )
    return Table("Drawn chases, the hunter to move", header, rows)


def off_line_table(field: Field) -> Table:
    """Returns, by the holder's row, the outcomes with a hunter one column ahead and a row out of line."""
    rows = []
    these = field.own_half & field.to_move & (field.ahead == 1)
    for y in range(field.height, 0, -1):
        cells = []
        for aside in (1, -1):
            worth = np.unique(field.worth[these & (field.y == y) & (field.aside == aside)])
            cells.append({(): "", (0.0,): "drawn", (1.0,): "won"}.get(tuple(worth), "either"))
        rows.append((str(y), *cells))
    return Table(
        "The holder to move, the hunter a column ahead and a row out of line", ("row", "hunter above", "below"), rows
    )


def seed_table(field: Field) -> Table:
    """Returns the outcomes after a player has taken the ball from the centre cell, with the other to move."""
    x, y = field.centre
    taken = field.held & ~field.to_move & (field.x == x) & (field.y == y)
    columns, lines = np.abs(field.ahead), np.abs(field.aside)
    can_steal = field.steals.any(axis=1)
    best = np.nanmin(field.worth_after, axis=1)  # for the hunter
    stolen = np.where(field.steals, field.worth_after, np.inf).min(axis=1)
    near = (columns <= 1) & (lines <= 1)
    kinds = {
        "within one cell": near,
        "more than 3 rows away": lines > FAR,
        "more than 3 columns away": columns > FAR,
        "more than 3 columns or rows away": (columns > FAR) | (lines > FAR),
        "the others": ~near & (columns <= FAR) & (lines <= FAR),
    }
    rows = []
    for name, where in kinds.items():
        these = taken & where
        rows.append(
            (name, *outcomes(field, these), count(these & can_steal), count(these & can_steal & (stolen <= best)))
        )
    header = ("the other player is", *OUTCOMES, "can steal at once", "and does well to")
    return Table("The ball has just been taken from the centre", header, rows)


def tables(field: Field) -> list[Table]:
    """Returns all tables."""
    makers = (
        ball_table,
        chase_table,
        in_line_table,
        opposition_table,
        goal_line_table,
        answers_table,
        off_line_table,
        length_table,
        seed_table,
        start_table,
    )
    return [make(field) for make in makers]
