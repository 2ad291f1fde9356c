"""The arrays of a batch of games, in named tuples as arguments of compiled loops."""

from typing import NamedTuple

import numpy as np

from nashzoo.envs.core.game import Bools, Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.kernels import Seeds
from nashzoo.envs.jit.numba import boolean, float32, float64, int8, int64, types, uint64

ANY_SEAT = -1  # the learner's seat is drawn at every start


class BatchConfig(NamedTuple):
    """The settings of all games of a batch."""

    start_codes: Ints  # [S], the start states
    thresholds: Floats  # [S - 1], cumulative sums of their probabilities without the last
    learner: int  # the learner's seat, or ANY_SEAT
    max_cycles: int  # joint steps after which a game is truncated
    on_illegal: int  # LOSE or NOOP, see nashzoo.envs.core.kernels.play


class BatchState(NamedTuple):
    """The running games, a row for each."""

    codes: Ints  # [B], the states
    seats: Ints  # [B], the seat of the learner
    cycles: Ints  # [B], joint steps played
    over: Bools  # [B], whether the game is terminated, or was never started
    memory: Floats  # [B, memory_size], the opponent's
    streams: Seeds  # [B], streams of random numbers


class StepOutcome(NamedTuple):
    """The outcome of a step in each game, for the learner's seat."""

    rewards: Floats  # [B]
    terminated: Bools  # [B], the rules ended the game
    truncated: Bools  # [B], max_cycles did

    @classmethod
    def zeros(cls, num_games: int) -> "StepOutcome":
        """Returns arrays to be filled."""
        return cls(np.zeros(num_games), np.zeros(num_games, np.bool_), np.zeros(num_games, np.bool_))


class BatchObservation(NamedTuple):
    """The learner's observation of each game."""

    observations: Features  # [B, features]
    masks: Mask  # [B, actions], its legal actions, none in terminated games
    seats: Ints  # [B], its seat

    @classmethod
    def empty(cls, game: Game, size: int) -> "BatchObservation":
        """Returns arrays to be filled."""
        observations = np.empty((size, game.num_features), np.float32)
        return cls(observations, np.empty((size, game.num_actions), np.int8), np.empty(size, np.int64))

    def part(self, rows: slice) -> "BatchObservation":
        """Returns the observations of some games, in the same memory."""
        return BatchObservation(self.observations[rows], self.masks[rows], self.seats[rows])


ROWS = int64[::1]
CONFIG = types.NamedTuple((int64[::1], float64[::1], int64, int64, int64), BatchConfig)
STATE = types.NamedTuple((int64[::1], int64[::1], int64[::1], boolean[::1], float64[:, ::1], uint64[::1]), BatchState)
OUTCOME = types.NamedTuple((float64[::1], boolean[::1], boolean[::1]), StepOutcome)
VIEW = types.NamedTuple((float32[:, ::1], int8[:, ::1], int64[::1]), BatchObservation)
