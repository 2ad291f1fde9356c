"""The chase in grid soccer: prints the tables of ``docs/soccer_chase.md`` and draws its pictures.

python -m studies.soccer_chase

Everything is from the side of the player with the ball, the *holder*; the other one is the *hunter*. For a blue holder
the field is mirrored, so that the holder always attacks to the right.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from nashzoo.agents.search.minimax import AlphaBetaAgent
from nashzoo.app.matches.picture import DPI, Moment, draw_map, line_figure, value_map
from nashzoo.arena import heat_map
from nashzoo.baselines import solve
from nashzoo.baselines.state_values import best_response_values
from nashzoo.baselines.states.listed import OVER
from nashzoo.envs import Game, soccer_v0
from nashzoo.envs.core.game import Bools, Floats, Ints
from studies.tables import DOCS, markdown

NEAR = 3  # columns ahead and rows aside, in a chase; columns of the holder's end, where chases end
LONGEST = 200  # moves, of a game
DEPTHS = (1, 2, 3, 4, 6, 8, 10)  # of the searches
BLIND = "blocked=0"  # the weight of a hunter between the holder and the goal it attacks
SLIPPING = f"depth 4, handmade, {BLIND}"
PLAYERS: dict[str, dict[str, Any]] = {
    **{f"depth {depth}": {"depth": depth} for depth in (1, 2, 3, 4, 5, 6)},
    "depth 4, handmade": {"depth": 4, "evaluation": "handmade"},
    SLIPPING: {"depth": 4, "evaluation": "handmade", "weights": BLIND},
    **{
        f"depth {depth}, both_goals, {BLIND}": {"depth": depth, "evaluation": "both_goals", "weights": BLIND}
        for depth in (4, 5)
    },
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
        holder_after = np.where(self.after >= 0, self.ball[self.after], self.ball[:, None])
        self.steals = (holder_after != self.ball[:, None]) & ~np.isnan(worth_after)  # or gives the ball away
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


def part(kind: Bools, where: Bools) -> str:
    """Returns the number of states of some kind among others."""
    return f"{count(kind & where)} of {count(where)}"


def percent(kind: Bools, where: Bools) -> str:
    """Returns the share of states of some kind among others, in per cent."""
    return f"{np.count_nonzero(kind & where) / max(np.count_nonzero(where), 1):.1%}"


def mean(moves: Bools, where: Bools) -> str:
    """Returns the mean number of moves ``[n, actions]`` of some kind over states."""
    return f"{np.count_nonzero(moves[where]) / max(np.count_nonzero(where), 1):.1f}"


def table(
    title: str, head: tuple[str, ...], figures: Callable[[Bools], tuple[str, ...]], kinds: dict[str, Bools]
) -> Table:
    """Returns a table with a row of figures for each kind of state."""
    return title, [head, *((kind, *figures(where)) for kind, where in kinds.items())]


def solution_tables(field: Field) -> Iterator[Table]:
    """Yields the tables of the exact solution."""
    held, aside, ahead, own_half, to_move = field.held, field.aside, field.ahead, field.own_half, field.to_move
    after, legal = np.maximum(field.after, 0), ~np.isnan(field.worth_after)
    holds = field.worth_after == 0
    names = np.array(field.game.actions)

    kinds = {f"held, {who} to move": held & (to_move == own) for own, who in TO_MOVE.items()}
    yield table("What the ball is worth to its holder", ("the ball", *OUTCOMES), field.outcomes, kinds)

    wrong = field.passes() != (field.worth == 1)
    kinds = {
        "a chase": field.chases,
        "own half, hunter anywhere ahead": own_half & (ahead >= 1),
        "anywhere, hunter anywhere ahead": held & (ahead >= 1),
    }
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
    yield table("The hunter ahead in the holder's row", ("where", *OUTCOMES), field.outcomes, kinds)

    in_danger = ~to_move & field.steals.any(axis=1)
    keeps = holds & (field.after >= 0) & ~field.steals & (field.ball[after] > 0) & ~in_danger[after]
    opposition = field.opposition & to_move
    yield table(
        "Opposition, the holder to move",
        ("the holder's column", "positions", "legal moves", "hold the draw", "one of them keeps the ball"),
        lambda states: (count(states), mean(legal, states), mean(holds, states), percent(keeps.any(axis=1), states)),
        {"1, the goal line": opposition & (field.x == 1), "2 and more": opposition & (field.x > 1)},
    )

    rows = [("row", "hold the draw", "lose")]
    for y in range(field.height, 0, -1):
        code = field.game.code(red_x=1, red_y=y, blue_x=2, blue_y=y, ball="red", turn="red")
        worth_after = field.worth_after[int(field.solution.states.ids(code))]
        rows.append((str(y), *(", ".join(names[worth_after == worth]) for worth in (0, -1))))
    yield "Opposition on the goal line, red to move with the ball", rows

    drawn = field.chases & ~to_move & (field.worth == 0)
    into_line = holds & ~field.steals & (field.after >= 0) & (aside[after] == 0) & (ahead[after] > 0)
    near = field.x <= 3
    area = near & (field.y >= field.mouth[0] - 1) & (field.y <= field.mouth[1] + 1)
    good = (into_line | (holds & field.steals)).any(axis=1)
    yield table(
        "Drawn chases, the hunter to move",
        ("the holder stands in", "positions", "legal moves", "hold", "a step into line or a steal holds"),
        lambda states: (count(states), mean(legal, states), mean(holds, states), percent(good, states)),
        {
            "the holder's penalty area": drawn & area,
            "its columns, other rows": drawn & near & ~area,
            "further up": drawn & ~near,
        },
    )

    rows = [("row", "hunter above", "below")]
    for y in range(field.height, 0, -1):
        states = own_half & to_move & (ahead == 1) & (field.y == y)
        worths = (tuple(np.unique(field.worth[states & (aside == rows_above)])) for rows_above in (1, -1))
        rows.append((str(y), *({(): "", (0.0,): "drawn", (1.0,): "won"}.get(worth, "either") for worth in worths)))
    yield "The holder to move, the hunter a column ahead and a row out of line", rows

    distances = np.asarray(field.solution.distances)[field.chases & (field.worth == 1)]
    figures = tuple(f"{figure:.0f}" for figure in (distances.min(), np.median(distances), distances.max()))
    yield "Moves to the end of won chases", [("", "shortest", "median", "longest"), ("moves", *figures)]

    taken = held & ~to_move & (field.x == field.centre[0]) & (field.y == field.centre[1])
    columns, lines = np.abs(ahead), np.abs(aside)
    stolen = np.where(field.steals, field.worth_after, np.inf).min(axis=1)
    does_well = stolen <= np.nanmin(field.worth_after, axis=1)  # for the hunter
    close, far = (columns <= 1) & (lines <= 1), (columns > NEAR) | (lines > NEAR)
    can_steal = field.steals.any(axis=1)
    yield table(
        "The ball has just been taken from the centre",
        ("the other player is", *OUTCOMES, "can steal at once", "and does well to"),
        lambda states: (*field.outcomes(states), count(states & can_steal), count(states & can_steal & does_well)),
        {
            "within one cell": taken & close,
            "more than 3 rows away": taken & (lines > NEAR),
            "more than 3 columns away": taken & (columns > NEAR),
            "more than 3 columns or rows away": taken & far,
            "the others": taken & ~close & ~far,
        },
    )

    values = np.asarray(field.solution.values)[field.solution.states.ids(field.game.start_codes)]
    figures = tuple(count(values == value) for value in (1, 0, -1))
    yield "The random start", [("", "red wins", "drawn", "blue wins"), ("starts", *figures)]


def against_best(field: Field, chosen: Ints) -> tuple[Floats, Floats]:
    """Returns the values of states to the holder ``[n]`` with this player as holder, and with it as hunter.

    The other side plays a best response.
    """
    worth = np.zeros((2, len(chosen)))
    for player in (0, 1):
        table = np.zeros((len(chosen), field.game.num_actions))
        table[np.arange(len(chosen)), np.where(field.turn == player, chosen, 0)] = 1.0
        values, _ = best_response_values(field.solution.states, table, 1 - player)
        holds = field.ball == 1 + player
        worth[np.where(holds, 0, 1), np.arange(len(chosen))] = field.side * values
    return worth[0], worth[1]


def search_table(field: Field, depths: tuple[int, ...] = DEPTHS) -> Table:
    """Returns the mistakes of alpha-beta players of some depths in chases, by the exact solution."""
    rows = [("depth", "won: move throws it away", "does not win", "drawn, as hunter: move loses", "is beaten")]
    won, drawn = field.chases & (field.worth == 1), field.chases & (field.worth == 0)
    for depth in depths:
        chosen = field.searched(depth=depth)
        worth_after = np.take_along_axis(field.worth_after, chosen[:, None], axis=1)[:, 0]
        holder, hunter = against_best(field, chosen)
        mistakes = part(worth_after < 1, won & field.to_move), part(holder < 1, won)
        rows.append((str(depth), *mistakes, part(worth_after == 1, drawn & ~field.to_move), part(hunter == 1, drawn)))
    return "Alpha-beta in chases", rows


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


def maps(game: Game, over: str, states: dict[str, str]) -> Figure:
    """Returns maps of the values over two fields, by their titles, two in a row."""
    grids = [value_map(game, at, over) for at in states.values()]
    longest = max(float(np.nanmax(grid.distances)) for grid in grids if grid.distances is not None)
    rows = len(grids) // 2
    figure = Figure(figsize=(14, 5.2 * rows), layout="constrained")
    for axes, title, grid in zip(figure.subplots(rows, 2).flat, states, grids, strict=True):
        draw_map(axes, grid, longest)
        axes.set_title(title)
    return figure


def map_figure(field: Field) -> Figure:
    """Returns the values of chases by the hunter's cell, for a holder on the centre row and on a low one.

    With the goal mouths, and the limits from which a hunter reaches the edge of one in time.
    """
    lowest, highest = field.mouth
    panels = [(y, turn) for y in (field.centre[1], max(lowest - 2, 1)) for turn in MOVERS]
    states = {
        f"red holds the ball on ({COLUMN}, {y}); {MOVERS[turn]}": f"red_x={COLUMN},red_y={y},ball=red,turn={turn}"
        for y, turn in panels
    }
    figure = maps(field.game, "blue_x,blue_y", states)
    for axes, (y, turn) in zip(figure.axes, panels, strict=True):
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
    searches = search_table(field), game_table(field, games), slip_table(field, games[SLIPPING])
    for title, rows in (*solution_tables(field), *searches):
        print(f"{title}\n\n{markdown(rows)}\n")
    next_column = {
        f"the hunter in the next column; {who}": f"red_x={COLUMN},blue_x={COLUMN + 1},ball=red,turn={turn}"
        for turn, who in MOVERS.items()
    }
    figures = {
        "map": map_figure(field),
        "rows": maps(field.game, "red_y,blue_y", next_column),
        "slip": line_figure(field.game, slip_moments(field, games[SLIPPING])),
    }
    for name, figure in figures.items():
        heat_map.write(figure, images / f"soccer-chase-{name}.png", DPI)


if __name__ == "__main__":
    main()
