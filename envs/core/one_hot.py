"""One-hot observations: every number of an observation as a 1 among 0s.

Networks learn much faster from them, as neighbouring values of a field often differ in meaning. Numbers that are only
0 or 1 stay as they are. Fields that the rules cross, such as a column and a row, are encoded together, with a number
for each pair of values. The encoding is lossless, and does not affect legal actions and payoffs.

An observation that is not one-hot is called compact. One-hot and compact observations have the same width only if they
are the same, so that the width alone determines the kind.
"""

from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.compiled import Features, Ints, UncheckedKernel, compiled
from nashzoo.envs.jit.numba import float32, int64, void

OBSERVATIONS = COMPACT, ONE_HOT = "compact", "one_hot"  # kinds of observations of environments
NONE = -1  # for no second number, and for no value
HALF = np.float32(0.5)  # added before truncation, to round; round() is slower
MAX_WIDTH = 1 << 16  # numbers of a one-hot observation
KEPT = 32  # encodings of the games used last


@compiled(inline=True)
def _value(number: float, levels: int) -> int:
    """Returns which of a number's values it is; ``NONE`` for others, which not all processors convert alike."""
    scaled = number * (levels - 1) + HALF
    return int(scaled) if 0.0 <= scaled < levels else NONE


@compiled(inline=True)
def _crossed_value(observations: Features, i: int, first: int, second: int, levels: Ints) -> tuple[int, int]:
    """Returns the value of one number, or of two that are crossed, and the number of possible values.

    The value is ``NONE`` for arrays that are no observations of a game.
    """
    value, count = _value(observations[i, first], levels[first]), levels[first]
    if second != NONE:
        other = _value(observations[i, second], levels[second])
        value = NONE if value == NONE or other == NONE else value * levels[second] + other
        count *= levels[second]
    return value, count


@compiled(void(float32[:, ::1], int64[:, ::1], int64[::1], float32[:, ::1]))
def _encode(observations: Features, columns: Ints, levels: Ints, out: Features) -> None:
    """Fills ``out`` ``[B, width]``; ``columns`` ``[N, 2]`` are the numbers that are encoded together."""
    width = out.shape[1]
    for i in range(len(observations)):
        for j in range(width):
            out[i, j] = 0.0
        at = 0
        for k in range(len(columns)):
            first, second = columns[k, 0], columns[k, 1]
            if second == NONE and levels[first] <= 2:
                out[i, at] = observations[i, first]
                at += 1
                continue
            value, count = _crossed_value(observations, i, first, second, levels)
            if value != NONE:
                out[i, at + value] = 1.0
            at += count


@compiled(void(float32[:, ::1], int64[:, ::1], int64[::1], float32[:, ::1]))
def _decode(encoded: Features, columns: Ints, levels: Ints, out: Features) -> None:
    """Fills the compact observations ``[B, features]`` of one-hot ones; ``columns`` are as in :func:`_encode`."""
    for i in range(len(encoded)):
        at = 0
        for k in range(len(columns)):
            first, second = columns[k, 0], columns[k, 1]
            if second == NONE and levels[first] <= 2:
                out[i, first] = encoded[i, at]
                at += 1
                continue
            others = 1 if second == NONE else levels[second]
            count = levels[first] * others
            value = 0
            for j in range(count):
                if encoded[i, at + j] > 0.5:
                    value = j
            out[i, first] = (value // others) / (levels[first] - 1)
            if second != NONE:
                out[i, second] = (value % others) / (others - 1)
            at += count


@compiled(void(float32[:, ::1], int64[:, ::1], int64[::1], int64, int64[:, ::1]))
def _places(observations: Features, columns: Ints, levels: Ints, width: int, out: Ints) -> None:
    """Fills ``out`` ``[B, N]`` with the positions of the 1s, ``width`` for 0s; ``columns`` as in :func:`_encode`."""
    at = 0
    for k in range(len(columns)):
        first, second = columns[k, 0], columns[k, 1]
        if second == NONE and levels[first] <= 2:
            for i in range(len(observations)):
                out[i, k] = at if observations[i, first] > 0.5 else width
            at += 1
            continue
        count, scale = levels[first], np.float32(levels[first] - 1)
        for i in range(len(observations)):
            out[i, k] = at + int(observations[i, first] * scale + HALF)
        if second != NONE:
            others, scale = levels[second], np.float32(levels[second] - 1)
            for i in range(len(observations)):
                out[i, k] += (out[i, k] - at) * (others - 1) + int(observations[i, second] * scale + HALF)
            count *= others
        at += count


class OneHotEncoding:
    """Turns the observations of a game into one-hot ones, and back.

    Attributes:
        width: Number of numbers of a one-hot observation.

    Raises:
        UsageError: the rules of the game do not declare the values of the numbers of its observations; they cross
            fields that are not one number of an observation; or one-hot observations would be wider than ``MAX_WIDTH``.
    """

    _encode_all = UncheckedKernel(_encode)

    def __init__(self, game: Game) -> None:
        if game.levels is None:
            raise UsageError(
                f"{game.name} has no one-hot observations: its rules have neither OBSERVATION nor levels, "
                "which say what values the numbers of an observation have"
            )
        self.game = game
        self._levels = np.array(game.levels, np.int64)
        pairs = dict(_columns_of(game, "CROSSED", game.crossed))
        seconds = set(pairs.values())
        firsts = [column for column in range(game.num_features) if column not in seconds]
        self._columns = np.array([(column, pairs.get(column, NONE)) for column in firsts], np.int64)
        self.width = sum(self._count(first, second) for first, second in self._columns.tolist())
        if self.width > MAX_WIDTH:
            raise UsageError(
                f"a one-hot observation of {game!r} would have {self.width:,} numbers, more than {MAX_WIDTH:,}; "
                f"take {COMPACT} observations, or other parameters"
            )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The meaning of each number of a one-hot observation."""
        return tuple(name for first, second in self._columns.tolist() for name in self._named(first, second))

    def _count(self, first: int, second: int) -> int:
        """Returns the number of one-hot numbers for one number of an observation, or for two that are crossed."""
        levels = int(self._levels[first])
        if second == NONE:
            return levels if levels > 2 else 1
        return levels * int(self._levels[second])

    def _named(self, first: int, second: int) -> list[str]:
        features, levels = self.game.features, self._levels
        if self._count(first, second) == 1:
            return [features[first]]
        names = [f"{features[first]} is {value}/{levels[first] - 1}" for value in range(levels[first])]
        if second == NONE:
            return names
        top = levels[second] - 1
        return [f"{name}; {features[second]} is {value}/{top}" for name in names for value in range(levels[second])]

    def encode(self, observations: Features) -> Features:
        """Returns the one-hot observations ``[B, width]`` of observations ``[B, features]``.

        Raises:
            UsageError: they have another shape.
        """
        out = np.empty((len(observations), self.width), np.float32)
        self.fill(self._checked(observations, self.game.num_features), out)
        return out

    def fill(self, observations: Features, out: Features) -> None:
        """Fills the one-hot observations ``[B, width]`` of observations ``[B, features]``; shapes are not checked."""
        self._encode_all(observations, self._columns, self._levels, out)

    def decode(self, encoded: Features) -> Features:
        """Returns the observations ``[B, features]`` of one-hot ones ``[B, width]``, to the last bit.

        Raises:
            UsageError: they have another shape.
        """
        encoded = self._checked(encoded, self.width)
        out = np.empty((len(encoded), self.game.num_features), np.float32)
        _decode(encoded, self._columns, self._levels, out)
        return out

    def _checked(self, observations: Features, width: int) -> Features:
        array = np.ascontiguousarray(observations, np.float32)
        if array.ndim != 2 or array.shape[1] != width:
            raise UsageError(f"observations of {self.game.name} must have shape (B, {width}) here, not {array.shape}")
        return array


class OneHotPlaces(OneHotEncoding):
    """The positions of a network's 1s: those of a one-hot observation, and then one for each pair of compared fields.

    A first layer needs only the positions: it sums the weights there. With an input for each pair of values it can
    represent any function of the two fields, not only a sum of functions of each.

    Attributes:
        num_places: Number of positions of an observation.
        end: All positions are less; it fills unused places.

    Raises:
        UsageError: as for a :class:`OneHotEncoding`; or the rules compare fields that are not one number.
    """

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        compared = _columns_of(game, "COMPARED", game.compared)
        self._place_columns = np.array([*self._columns.tolist(), *compared], np.int64)
        self.num_places = len(self._place_columns)
        self.end = self.width + sum(self._count(first, second) for first, second in compared)

    def places(self, observations: Features) -> Ints:
        """Returns the positions of the 1s ``[B, num_places]`` of observations ``[B, features]``."""
        out = np.empty((len(observations), self.num_places), np.int64)
        _places(np.ascontiguousarray(observations, np.float32), self._place_columns, self._levels, self.end, out)
        return out


def _columns_of(game: Game, piece: str, pairs: tuple[tuple[str, str], ...]) -> list[tuple[int, int]]:
    """Returns the positions of the fields of pairs in an observation, for the pairs whose fields can vary."""
    assert game.levels is not None
    where = game.rules.columns(game.params)
    unfit = [field for pair in pairs for field in pair if field not in where]
    if unfit:
        raise UsageError(
            f"{piece} of {game.name} has {', '.join(unfit)}; it is for fields that are one number of an observation"
        )
    columns = [(where[first], where[second]) for first, second in pairs]
    return [(first, second) for first, second in columns if min(game.levels[first], game.levels[second]) > 1]


@lru_cache(KEPT)
def one_hot_encoding(game: Game) -> OneHotEncoding:
    """Returns the one-hot encoding of a game, see :class:`OneHotEncoding` for errors."""
    return OneHotEncoding(game)


def one_hot_or_none(game: Game) -> OneHotEncoding | None:
    """Returns the one-hot encoding of a game, or None."""
    try:
        return one_hot_encoding(game)
    except UsageError:
        return None


def encoding_of(game: Game, observation: str) -> OneHotEncoding | None:
    """Returns the encoding of an environment's observations; None for compact ones.

    Raises:
        UsageError: ``observation`` is neither ``"compact"`` nor ``"one_hot"``, or the game has no one-hot observations.
    """
    if observation not in OBSERVATIONS:
        raise UsageError(f"observation must be one of {', '.join(OBSERVATIONS)}, not {observation!r}")
    return one_hot_encoding(game) if observation == ONE_HOT else None


def encoding_by_width(game: Game, width: int) -> OneHotEncoding | None:
    """Returns the encoding of observations ``[B, width]`` of a game; None for compact ones.

    Raises:
        UsageError: the game has neither compact nor one-hot observations of this width.
    """
    if width == game.num_features:
        return None
    encoding = one_hot_or_none(game)
    if encoding is not None and width == encoding.width:
        return encoding
    one_hot = "" if encoding is None else f", or {encoding.width} if they are one-hot"
    raise UsageError(f"observations of {game!r} have {game.num_features} numbers{one_hot}, not {width}")


def compact(game: Game, observations: Features) -> Features:
    """Returns compact observations ``[B, features]`` of a game from compact or one-hot ones ``[B, width]``.

    Raises:
        UsageError: they are neither.
    """
    encoding = encoding_by_width(game, observations.shape[1])
    return observations if encoding is None else encoding.decode(observations)


def translated(game: Game, observations: Features, encoding: Any) -> Features:
    """Returns observations of a game in an encoding ``[B, width]``; compact with None.

    An encoding is a :class:`OneHotEncoding`, or the observations of the environment from which the game was made.

    Raises:
        UsageError: they are neither.
    """
    if encoding is not None and observations.shape[1] == encoding.width:
        return observations
    observations = compact(game, observations)
    return observations if encoding is None else encoding.encode(observations)
