"""Grid soccer a second time, as the rulebook tells it: plain Python, exact fractions, no hurry.

It shares nothing with ``envs/games/soccer/rules.py``, which tests compare with it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product, starmap

Cell = tuple[int, int]  # x = 1..width from the left, y = 1..height upwards

RED, BLUE = "red", "blue"
OTHER = {RED: BLUE, BLUE: RED}

KICK = 0
STEPS: dict[int, Cell] = {
    1: (1, 0),
    2: (-1, 0),
    3: (0, 1),
    4: (0, -1),
    5: (1, 1),
    6: (1, -1),
    7: (-1, 1),
    8: (-1, -1),
}


@dataclass(frozen=True)
class State:
    """Where everybody stands, who has the ball, and who is to move."""

    red: Cell
    blue: Cell
    holder: str | None  # None: the ball lies on the centre cell
    turn: str

    def cell(self, team: str) -> Cell:
        return self.red if team == RED else self.blue


@dataclass(frozen=True)
class Goal:
    """The end of the game."""

    by: str


@dataclass(frozen=True)
class Book:
    """The rules on a field of a certain size; sizes are odd, so that there is a centre cell."""

    width: int = 19
    height: int = 13
    goal_height: int = 5

    @property
    def centre(self) -> Cell:
        return (self.width + 1) // 2, (self.height + 1) // 2

    @property
    def mouth(self) -> range:
        """The rows of the goal mouth."""
        return range((self.height - self.goal_height) // 2 + 1, (self.height + self.goal_height) // 2 + 1)

    def on_field(self, cell: Cell) -> bool:
        return 1 <= cell[0] <= self.width and 1 <= cell[1] <= self.height

    def cells(self) -> Iterator[Cell]:
        return product(range(1, self.width + 1), range(1, self.height + 1))

    # States

    def starts(self, random_positions: bool = True) -> dict[State, Fraction]:
        """Returns the start states with their probabilities."""
        middle, row = self.centre
        if not random_positions:
            return {State((middle - 5, row), (middle + 5, row), None, RED): Fraction(1)}
        red_half = [cell for cell in self.cells() if cell[0] < middle]
        blue_half = [cell for cell in self.cells() if cell[0] > middle]
        chance = Fraction(1, len(red_half) * len(blue_half))
        return {State(red, blue, None, RED): chance for red in red_half for blue in blue_half}

    def possible(self, state: State) -> bool:
        """Returns whether nobody is off the field, shares a cell, or stands on the ball without having it."""
        red, blue = state.red, state.blue
        apart = red != blue and not (state.holder is None and self.centre in (red, blue))
        return apart and self.on_field(red) and self.on_field(blue)

    def states(self) -> Iterator[State]:
        """Yields every state that can be."""
        everything = product(self.cells(), self.cells(), (None, RED, BLUE), (RED, BLUE))
        return (state for state in starmap(State, everything) if self.possible(state))

    # Moves

    def legal(self, state: State) -> set[int]:
        """Returns the moves of the player to move."""
        me = state.turn
        x, _ = state.cell(me)
        if x <= 1:
            diagonals = {5, 6}
        elif x >= self.width:
            diagonals = {7, 8}
        else:
            diagonals = {5, 6} if me == RED else {7, 8}
        moves = {1, 2, 3, 4} | diagonals
        if state.holder == me:
            return moves | {KICK}
        return {move for move in moves if self.on_field(self.target(state, move))}

    def target(self, state: State, move: int) -> Cell:
        """Returns the cell that a move leads onto, perhaps off the field."""
        (x, y), (dx, dy) = state.cell(state.turn), STEPS[move]
        return x + dx, y + dy

    def play(self, state: State, move: int) -> State | Goal:
        """Returns what a legal move leads to."""
        me, other = state.turn, OTHER[state.turn]
        if move == KICK:
            return self.kick(state)
        cell = self.target(state, move)
        if cell == state.cell(other):
            if state.holder is None:
                return State(state.red, state.blue, None, other)
            return self.ball_changes_hands(state)
        if state.holder == me and not self.on_field(cell):
            return self.carry_out(state, cell)
        takes = state.holder is None and cell == self.centre
        holder = me if takes else state.holder
        red, blue = (cell, state.blue) if me == RED else (state.red, cell)
        return State(red, blue, holder, other)

    def carry_out(self, state: State, cell: Cell) -> State | Goal:
        """The player to move carries the ball off the field."""
        me, other = state.turn, OTHER[state.turn]
        x, y = cell
        if not 1 <= y <= self.height:
            return self.reset(other)
        if y in self.mouth:
            return Goal(RED if x > self.width else BLUE)
        attacked_end = x > self.width if me == RED else x < 1
        if attacked_end:
            return self.reset(other)
        if me == RED:
            return State(red=(3, 3), blue=(1, 1), holder=BLUE, turn=BLUE)
        return State(red=(self.width, 1), blue=(self.width - 2, 3), holder=RED, turn=RED)

    def reset(self, side: str) -> State:
        x, y = self.centre
        return State((x - 5, y), (x + 5, y), side, side)

    def ball_changes_hands(self, state: State) -> State:
        """The holder loses the ball to the other player, who stays where it is; the move is over."""
        assert state.holder is not None
        loser, winner = state.holder, OTHER[state.holder]
        here, there = state.cell(loser), state.cell(winner)
        placed = self.placed_between(loser, here, there)
        red, blue = (placed, there) if loser == RED else (there, placed)
        return State(red, blue, winner, OTHER[state.turn])

    def placed_between(self, loser: str, here: Cell, new_holder: Cell) -> Cell:
        """Returns where the player who lost the ball goes: between the new holder and its own goal."""
        goal = (0 if loser == RED else self.width + 1, self.centre[1])
        x = max(1, (new_holder[0] + goal[0]) // 2)
        y = (new_holder[1] + goal[1]) // 2
        for cell in ((x, y), (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if self.on_field(cell) and cell not in (here, new_holder):
                return cell
        raise AssertionError("two players cannot occupy so many cells")

    # Kicks

    def kick(self, state: State) -> State | Goal:
        me, other = state.turn, OTHER[state.turn]
        if self.intercepts(me, state.cell(me), state.cell(other)):
            return self.ball_changes_hands(state)
        if self.scores(me, state.cell(me)):
            return Goal(me)
        return self.reset(other)

    def intercepts(self, kicker: str, kicker_cell: Cell, other_cell: Cell) -> bool:
        """Returns whether the other player stands between the lines from the kicker to the posts."""
        half, quarter = Fraction(1, 2), Fraction(1, 4)
        cx, cy = kicker_cell[0] + half, kicker_cell[1] + half
        goal_line = self.width + 1 if kicker == RED else 1
        posts = (self.height - self.goal_height) // 2 + 1, (self.height + self.goal_height) // 2 + 1
        ox, oy = other_cell[0] + half, other_cell[1] + half
        corners = [(dx, dy) for dx in (quarter, -quarter) for dy in (quarter, -quarter)]
        for dx, dy in [(0, 0), *corners]:
            lower, upper = ((post - cy) / (goal_line - cx) * (ox + dx - cx) + cy for post in posts)
            if lower <= oy + dy <= upper:
                return True
        return False

    def scores(self, kicker: str, cell: Cell) -> bool:
        """Returns whether a kick that nobody intercepts is a goal."""
        x, y = cell[0] + 0.5, cell[1] - 0.5
        goal_x = self.width + 2 if kicker == RED else 0
        posts = (self.height - self.goal_height) // 2, (self.height + self.goal_height) // 2
        to_low, to_high = (math.atan2(post - y, abs(goal_x - x)) for post in posts)
        angle = to_high - to_low
        squared_distance = (goal_x - x) ** 2 + (sum(posts) / 2 - y) ** 2
        return 20 * angle**2 / squared_distance > 0.3
