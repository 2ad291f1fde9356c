"""All states of a solved game of grid soccer, from the side of the player with the ball."""

import numpy as np

from nashzoo.baselines import Solution, solve
from nashzoo.baselines.states.listed import OVER
from nashzoo.envs import Game
from nashzoo.envs.core.game import Bools, Floats, Ints

NEAR = 3  # columns ahead and rows aside, in a chase


class Field:
    """All states of a solved game, a row for each, from the holder's side.

    Attributes:
        game: The game.
        width: Its columns.
        height: Its rows.
        centre: The centre cell.
        mouth: The lowest and the highest row of the goal mouth.
        solution: The exact solution.
        codes: The states ``[n]``.
        ball: 0 if the ball is free, 1 if red has it, 2 if blue has it ``[n]``.
        turn: The player to move ``[n]``.
        held: Whether a player has the ball ``[n]``. Where the ball is free, the following arrays are from red's side.
        x: The holder's column, from the goal line that it defends ``[n]``.
        y: Its row ``[n]``.
        ahead: Number of columns by which the hunter is ahead of it ``[n]``.
        aside: Number of rows by which the hunter is above it ``[n]``.
        to_move: Whether it is the holder's move ``[n]``.
        worth: 1 where the holder wins, -1 where it loses, 0 for a draw ``[n]``.
        after: The number of the next state of each move ``[n, actions]``, OVER where the game ends.
        worth_after: The value after each move, to the holder before the move ``[n, actions]``; NaN for illegal ones.
        steals: Whether a move takes the ball from the holder, or gives it away ``[n, actions]``.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.width, self.height, goal_height = (game.options[name] for name in ("width", "height", "goal_height"))
        self.centre = (self.width + 1) // 2, (self.height + 1) // 2
        self.mouth = (self.height - goal_height) // 2 + 1, (self.height + goal_height) // 2
        self.solution = solve(game)
        states = self.solution.states
        self.codes = np.asarray(states.codes)
        fields = np.array([tuple(game.state(int(code))) for code in self.codes])
        red_x, red_y, blue_x, blue_y, self.ball, self.turn, _ = fields.T
        blue_holds = self.ball == 2
        turned = self.width + 1
        self.held = self.ball > 0
        self.x = np.where(blue_holds, turned - blue_x, red_x)
        self.y = np.where(blue_holds, blue_y, red_y)
        self.ahead = blue_x - red_x  # the same if mirrored
        self.aside = np.where(blue_holds, red_y, blue_y) - self.y
        self.to_move = self.turn == blue_holds
        side = np.where(blue_holds, -1, 1)
        values = np.asarray(self.solution.values)
        self.worth = side * values
        self.after, worth_after = moves(self.solution, self.turn)
        self.worth_after = side[:, None] * worth_after
        holder_after = np.where(self.after >= 0, self.ball[self.after], self.ball[:, None])
        self.steals = (holder_after != self.ball[:, None]) & ~np.isnan(worth_after)

    @property
    def own_half(self) -> Bools:
        """Whether a player has the ball in its own half ``[n]``."""
        own_half: Bools = self.held & (self.x < self.centre[0])
        return own_half

    @property
    def chases(self) -> Bools:
        """Whether the holder, in its own half, has the hunter close ahead of it ``[n]``."""
        near: Bools = self.own_half & (self.ahead >= 1) & (self.ahead <= NEAR) & (np.abs(self.aside) <= NEAR)
        return near

    @property
    def opposition(self) -> Bools:
        """Whether the holder, in its own half, has the hunter in the next cell of its row ``[n]``."""
        opposition: Bools = self.own_half & (self.ahead == 1) & (self.aside == 0)
        return opposition

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


def moves(solution: Solution, turns: Ints) -> tuple[Ints, Floats]:
    """Returns each move's next state ``[n, actions]``, OVER at the end, and its value to player 0, NaN if illegal."""
    successors = solution.states.successors.at(np.arange(solution.num_states))
    masks = np.where(turns == 0, successors.legal0, successors.legal1)
    legal = (masks[:, None] >> np.arange(solution.game.num_actions) & 1).astype(np.bool_)
    used = np.arange(successors.following.shape[1]) < legal.sum(axis=1)[:, None]
    after, worth = np.full(legal.shape, OVER), np.full(legal.shape, np.nan)
    after[legal] = successors.following[used]
    worth[legal] = successors.rewards[used]
    worth[after >= 0] += np.asarray(solution.values)[after[after >= 0]]
    return after, worth
