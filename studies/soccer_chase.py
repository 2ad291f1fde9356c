"""The chase in grid soccer: prints its tables in ``docs/soccer.md`` and draws its pictures.

python -m studies.soccer_chase

Everything is from the side of the player with the ball, the *holder*; the other one is the *hunter*. For a blue holder
the field is mirrored, so that the holder always attacks to the right.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from nashzoo.agents.search.minimax import AlphaBetaAgent
from nashzoo.app.matches.picture import DPI, Moment, draw_map, line_figure, value_map
from nashzoo.arena import pictures
from nashzoo.baselines import solve
from nashzoo.baselines.states.listed import OVER
from nashzoo.envs import Game, soccer_v0
from nashzoo.envs.core.game import Bools, Floats, Ints
from studies.tables import DOCS, markdown

NEAR = 3  # columns ahead and rows aside, in a chase; columns of the holder's end, where chases end
LONGEST = 200  # moves, of a game
BLIND = "blocked=0"  # the weight of a hunter between the holder and the goal it attacks
SLIPPING = f"depth 4, handmade, {BLIND}"
PLAYERS: dict[str, dict[str, Any]] = {
    "depth 4": {"depth": 4},
    "depth 4, handmade": {"depth": 4, "evaluation": "handmade"},
    SLIPPING: {"depth": 4, "evaluation": "handmade", "weights": BLIND},
    f"depth 4, both_goals, {BLIND}": {"depth": 4, "evaluation": "both_goals", "weights": BLIND},
}
OUTCOMES = ("positions", "won", "drawn", "lost")
TO_MOVE = {True: "the holder", False: "the hunter"}
COLUMN = 4  # of the holder in the maps
BEFORE, AFTER = 5, 6  # boards of the strip, before and after the slip
MOVERS = {"red": "the holder is to move", "blue": "the hunter is to move"}

Table = tuple[str, list[tuple[str, ...]]]  # its title; its rows, the first of them headings


class Field:
    """All states of a solved game, a row ``[n]`` each, from the holder's side, or from red's if the ball is free."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.width, self.height, goal_height = (game.options[name] for name in ("width", "height", "goal_height"))
        self.centre = (self.width + 1) // 2, (self.height + 1) // 2
        # Its lowest and highest row.
        self.mouth = (self.height - goal_height) // 2 + 1, (self.height + goal_height) // 2
        self.solution = solve(game)
        self.codes = np.asarray(self.solution.states.codes)
        fields = np.array([tuple(game.state(int(code))) for code in self.codes])
        red_x, red_y, blue_x, blue_y, self.ball, self.turn, _ = fields.T  # the ball is 0: free, 1: red's, 2: blue's
        blue_holds = self.ball == 2
        self.held = self.ball > 0
        self.x = np.where(blue_holds, self.width + 1 - blue_x, red_x)  # the holder's column, from its own goal line
        self.y = np.where(blue_holds, blue_y, red_y)  # its row
        self.ahead = blue_x - red_x  # columns by which the hunter is ahead of it; the same if mirrored
        self.aside = np.where(blue_holds, red_y, blue_y) - self.y  # rows by which the hunter is above it
        self.to_move = self.turn == blue_holds  # whether it is the holder's move
        self.side = np.where(blue_holds, -1, 1)
        self.worth = self.side * np.asarray(self.solution.values)  # 1 where the holder wins, -1 where it loses
        self.after, worth_after = self._moves()  # [n, actions], as all that is about moves
        self.worth_after = self.side[:, None] * worth_after  # to the holder before the move
        self.own_half = self.held & (self.x < self.centre[0])
        self.chases = self.own_half & (self.ahead >= 1) & (self.ahead <= NEAR) & (np.abs(self.aside) <= NEAR)
        self.opposition = self.own_half & (self.ahead == 1) & (self.aside == 0)
        self.chased = self.opposition & self.to_move & (self.x <= NEAR)  # to its own end

    def _moves(self) -> tuple[Ints, Floats]:
        """Returns each move's next state, OVER at the end, and its value to red, NaN if illegal, ``[n, actions]``."""
        successors = self.solution.states.successors.at(np.arange(len(self.codes)))
        masks = np.where(self.turn == 0, successors.legal0, successors.legal1)
        legal = (masks[:, None] >> np.arange(self.game.num_actions) & 1).astype(np.bool_)
        used = np.arange(successors.following.shape[1]) < legal.sum(axis=1)[:, None]
        after, worth = np.full(legal.shape, OVER), np.full(legal.shape, np.nan)
        after[legal] = successors.following[used]
        worth[legal] = successors.rewards[used]
        worth[after >= 0] += np.asarray(self.solution.values)[after[after >= 0]]
        return after, worth

    def passes(self) -> Bools:
        """Returns whether a holder passes a hunter ahead of it, by the rule of the page ``[n]``.

        The hunter moves towards the holder's row, a row for each column that it is ahead, and one more if it is to
        move. It stops a holder that is then not beyond it within the goal mouth, and one whose row it reaches at once.
        """
        lowest, highest = self.mouth
        rows = self.ahead + ~self.to_move
        hunter_y = self.y + self.aside
        room = np.where(self.aside > 0, hunter_y - rows - lowest, highest - hunter_y - rows)
        passes: Bools = (room > 0) & (np.abs(self.aside) > ~self.to_move)
        return passes

    def searched(self, **options: Any) -> Ints:
        """Returns the moves of an alpha-beta player ``[n]``."""
        return AlphaBetaAgent(self.game, **options).search(self.codes).moves

    def outcomes(self, where: Bools) -> tuple[str, ...]:
        """Returns the number of states, and the numbers that the holder wins, draws and loses."""
        return count(where), *(count(where & (self.worth == worth)) for worth in (1, 0, -1))


def count(where: Bools) -> str:
    """Returns the number of states."""
    return f"{np.count_nonzero(where):,}"


def percent(kind: Bools, where: Bools) -> str:
    """Returns the share of states of some kind among others, in per cent."""
    return f"{np.count_nonzero(kind & where) / max(np.count_nonzero(where), 1):.1%}"


def solution_tables(field: Field) -> Iterator[Table]:
    """Yields the tables of the exact solution."""
    held, aside, ahead, own_half, to_move = field.held, field.aside, field.ahead, field.own_half, field.to_move
    wrong = field.passes() != (field.worth == 1)
    kinds = {"a chase": field.chases, "own half, hunter anywhere ahead": own_half & (ahead >= 1)}
    rows = [
        (kind, who, *field.outcomes(states := where & (to_move == own)), count(states & wrong))
        for kind, where in kinds.items()
        for own, who in TO_MOVE.items()
    ]
    yield "How chases end", [("where", "to move", *OUTCOMES, "rule wrong"), *rows]

    in_line = held & (aside == 0) & (ahead >= 1)
    kinds = {
        "own half, next cell (opposition)": in_line & own_half & (ahead == 1),
        "own half, further ahead": in_line & own_half & (ahead > 1),
        "the other half": in_line & ~own_half,
    }
    rows = [(kind, *field.outcomes(where)) for kind, where in kinds.items()]
    yield "The hunter ahead in the holder's row", [("where", *OUTCOMES), *rows]

    def by_row(y: int) -> tuple[str, ...]:
        states = own_half & to_move & (ahead == 1) & (field.y == y)
        worths = (tuple(np.unique(field.worth[states & (aside == rows_above)])) for rows_above in (1, -1))
        return tuple({(): "", (0.0,): "drawn", (1.0,): "won"}.get(worth, "either") for worth in worths)

    rows = [("row", "hunter above", "below")]
    for worths, same in groupby(range(field.height, 0, -1), by_row):
        highest, *others = same
        rows.append((f"{others[-1]} to {highest}" if others else str(highest), *worths))
    yield "The holder to move, the hunter a column ahead and a row out of line", rows


class Played(NamedTuple):
    """One game from each start, of a player against itself."""

    chosen: Ints  # [n], its move at each state
    numbers: Ints  # [moves + 1, games], the states, OVER after the end
    scored: Bools  # [games], whether there is a goal
    gave_away: Bools  # [games], whether a holder loses the ball after a chase to its own end
    side_steps: Bools  # [games], whether such a holder scores without losing the ball

    def ever(self, where: Bools) -> Bools:
        """Returns for each game whether a state of some kind occurs ``[games]``."""
        occurs: Bools = np.any((self.numbers >= 0) & where[np.maximum(self.numbers, 0)], axis=0)
        return occurs


def play(field: Field, chosen: Ints) -> Played:
    """Plays a game from each start state with the player's moves ``[n]``."""
    now = field.solution.states.ids(field.game.start_codes)
    numbers, results = [now], np.zeros(len(now))  # to red
    last = np.zeros(len(now), np.int64)  # the holder last chased to its own end, 0 for none
    lost = np.zeros(len(now), np.bool_)  # whether such a holder lost the ball
    for _ in range(LONGEST + 1):
        here, on = np.maximum(now, 0), now >= 0
        lost |= on & (last > 0) & (field.ball[here] != last)
        last = np.where(on & field.chased[here], field.ball[here], last)
        after = np.where(on, field.after[here, chosen[here]], OVER)
        ends = on & (after < 0)
        results[ends] = (field.side[:, None] * field.worth_after)[here, chosen[here]][ends]
        numbers.append(now := after)
    side_steps = (last > 0) & (results == np.where(last == 1, 1, -1)) & ~lost
    return Played(chosen, np.array(numbers), results != 0, lost, side_steps)


def game_table(field: Field, games: dict[str, Played]) -> Table:
    """Returns the number of games with a chase to the holder's end, and their results."""
    rows = [("both players", "nobody takes the ball", "a goal", "chases to the end", "ball given away",
             "side-step and goal")]  # fmt: skip
    for name, played in games.items():
        chased = played.ever(field.chased)
        shares = (percent(where, np.ones_like(chased)) for where in (~played.ever(field.held), played.scored))
        rows.append((name, *shares, count(chased), count(chased & played.gave_away), count(played.side_steps)))
    return f"Games from the {len(field.game.start_codes):,} starts", rows


def slip(field: Field, numbers: Ints) -> int:
    """Returns the place of the last drawn state among the states of a game."""
    return int(np.flatnonzero((field.worth[numbers] == 0) & (numbers >= 0))[-1])


def slip_table(field: Field, played: Played) -> Table:
    """Returns the mistakes of a player after which holders chased to their own end side-step and score."""
    slips: Counter[tuple[str, str, str]] = Counter()
    for numbers in played.numbers.T[played.side_steps]:
        k = numbers[slip(field, numbers)]
        row = min(int(field.y[k]), field.height + 1 - int(field.y[k]))
        slips[str(field.x[k]), f"{row} or {field.height + 1 - row}", f"{field.ahead[k]}, {field.aside[k]}"] += 1
    rows = [(*where, str(times)) for where, times in sorted(slips.items())]
    header = ("the holder's column", "row", "hunter ahead, aside", "games")
    return f"Where the hunter slips, at depth 4 with handmade and {BLIND}", [header, *rows]


def slip_moments(field: Field, played: Played) -> list[Moment]:
    """Returns the moments around a mistake after which a holder side-steps and scores."""
    line: list[Moment] = []
    numbers = played.numbers.T[played.side_steps][0]
    after_slip = slip(field, numbers) + 1
    for place in range(max(after_slip - BEFORE, 0), after_slip + AFTER + 1):
        number, before = numbers[place], numbers[place - 1]
        if number >= 0:
            move = field.game.actions[played.chosen[before]] if line else ""
            line.append(Moment(int(field.codes[number]), int(field.turn[before]), move))
    return line


def map_figure(field: Field) -> Figure:
    """Returns the values of chases by the hunter's cell, for a holder on the centre row and on a low one.

    With the goal mouths, and the limits from which a hunter reaches the edge of one in time.
    """
    lowest, highest = field.mouth
    panels = [(y, turn) for y in (field.centre[1], max(lowest - 2, 1)) for turn in MOVERS]
    grids = [
        value_map(field.game, f"red_x={COLUMN},red_y={y},ball=red,turn={turn}", "blue_x,blue_y") for y, turn in panels
    ]
    longest = max(float(np.nanmax(grid.distances)) for grid in grids if grid.distances is not None)
    figure = Figure(figsize=(14, 10.4), layout="constrained")
    for axes, grid, (y, turn) in zip(figure.subplots(2, 2).flat, grids, panels, strict=True):
        draw_map(axes, grid, longest)
        axes.set_title(f"red holds the ball on ({COLUMN}, {y}); {MOVERS[turn]}")
        axes.text(COLUMN, y, "R", size=14, weight="bold", color="firebrick", ha="center", va="center")
        for x, colour in ((0.5, "firebrick"), (field.width + 0.5, "royalblue")):
            axes.plot([x, x], [lowest - 0.5, highest + 0.5], color=colour, linewidth=8, solid_capstyle="butt")
        column = COLUMN + (0.5 if turn == "red" else -0.5)
        above = (lowest + 0.5, max(lowest, y) + 0.5, field.height + 0.5)
        below = (highest - 0.5, min(highest, y) - 0.5, 0.5)
        for edge, *ends in (above, below):
            axes.plot([column + abs(row - edge) for row in ends], ends, "k--", linewidth=1.5)
    return figure


def main(images: Path = DOCS / "images") -> None:
    """Prints the tables and draws the pictures."""
    field = Field(soccer_v0.game())
    games = {name: play(field, field.searched(**settings)) for name, settings in PLAYERS.items()}
    played = game_table(field, games), slip_table(field, games[SLIPPING])
    for title, rows in (*solution_tables(field), *played):
        print(f"{title}\n\n{markdown(rows)}\n")
    figures = {"map": map_figure(field), "slip": line_figure(field.game, slip_moments(field, games[SLIPPING]))}
    for name, figure in figures.items():
        pictures.write(figure, images / f"soccer-chase-{name}.png", DPI)


if __name__ == "__main__":
    main()
