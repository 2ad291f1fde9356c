"""One-hot observations: every number of an observation as a 1 among 0s.

Networks learn much faster from them: of what a field's next value means, its last one tells little. Numbers that are
0 or 1 stay as they are. Fields that the rules cross, as a column and a row, are shown together: a 1 among a 0 for each
pair of values. Nothing is lost, and the legal actions and payoffs have nothing to do with it.
"""

import numpy as np
from numba import float32, int64, void

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.compilation.compiled import Features, Ints, compiled
from nashzoo.envs.core.game import Game

NONE = -1  # in the place of a second number


@compiled(void(float32[:, ::1], int64[:, ::1], int64[::1], float32[:, ::1]))
def _encode(observations: Features, columns: Ints, levels: Ints, out: Features) -> None:
    """Fills ``out`` ``[B, width]``; ``columns`` ``[N, 2]`` are the numbers that are shown together."""
    for i in range(len(observations)):
        at = 0
        for k in range(len(columns)):
            first, second = columns[k, 0], columns[k, 1]
            if second == NONE and levels[first] <= 2:
                out[i, at] = observations[i, first]
                at += 1
                continue
            value = round(observations[i, first] * (levels[first] - 1))
            count = levels[first]
            if second != NONE:
                value = value * levels[second] + round(observations[i, second] * (levels[second] - 1))
                count *= levels[second]
            for j in range(count):
                out[i, at + j] = 1.0 if j == value else 0.0
            at += count


@compiled(void(float32[:, ::1], int64[:, ::1], int64[::1], int64, int64[:, ::1]))
def _places(observations: Features, columns: Ints, levels: Ints, width: int, out: Ints) -> None:
    """Fills ``out`` ``[B, N]`` with where the 1s of one-hot observations stand, ``width`` for those that are 0."""
    for i in range(len(observations)):
        at = 0
        for k in range(len(columns)):
            first, second = columns[k, 0], columns[k, 1]
            if second == NONE and levels[first] <= 2:
                out[i, k] = at if observations[i, first] > 0.5 else width
                at += 1
                continue
            value = round(observations[i, first] * (levels[first] - 1))
            count = levels[first]
            if second != NONE:
                value = value * levels[second] + round(observations[i, second] * (levels[second] - 1))
                count *= levels[second]
            out[i, k] = at + value
            at += count


class OneHotEncoding:
    """Turns the observations of a game into one-hot ones.

    Args:
        game: The game.

    Attributes:
        names: What each number of a one-hot observation means.
        width: How many there are.

    Raises:
        UsageError: the rules of the game do not say what values the numbers of its observations have.
    """

    def __init__(self, game: Game) -> None:
        if game.levels is None:
            raise UsageError(
                f"{game.name} has no one-hot observations: its rules have neither OBSERVATION nor levels, "
                "which say what values the numbers of an observation have"
            )
        self.game = game
        self._levels = np.array(game.levels, np.int64)
        pairs = _crossed_columns(game)
        seconds = set(pairs.values())
        firsts = [column for column in range(game.num_features) if column not in seconds]
        self._columns = np.array([(column, pairs.get(column, NONE)) for column in firsts], np.int64)
        self.names = tuple(name for first, second in self._columns.tolist() for name in self._named(first, second))
        self.width = len(self.names)

    def _named(self, first: int, second: int) -> list[str]:
        features, levels = self.game.features, self._levels
        if second == NONE and levels[first] <= 2:
            return [features[first]]
        top = max(int(levels[first]) - 1, 1)
        names = [f"{features[first]} is {value}/{top}" for value in range(levels[first])]
        if second == NONE:
            return names
        top = max(int(levels[second]) - 1, 1)
        return [f"{name}, {features[second]} is {value}/{top}" for name in names for value in range(levels[second])]

    def encode(self, observations: Features) -> Features:
        """Returns the one-hot observations ``[B, width]`` of observations ``[B, features]``."""
        out = np.empty((len(observations), self.width), np.float32)
        _encode(np.ascontiguousarray(observations, np.float32), self._columns, self._levels, out)
        return out

    def places(self, observations: Features) -> Ints:
        """Returns where the 1s of the one-hot observations stand ``[B, N]``; ``width`` fills up what is left.

        A network's first layer needs no more: it adds up the weights there.
        """
        out = np.empty((len(observations), len(self._columns)), np.int64)
        _places(np.ascontiguousarray(observations, np.float32), self._columns, self._levels, self.width, out)
        return out


def _crossed_columns(game: Game) -> dict[int, int]:
    """Returns, for the first field of each crossed pair, where both stand in an observation."""
    where, at = {}, 0
    for part in getattr(game.rules, "OBSERVATION", ()):
        if part.field is not None:
            where[part.field] = at
        at += len(part.names)
    return {where[first]: where[second] for first, second in game.crossed}
