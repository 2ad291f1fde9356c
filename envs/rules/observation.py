"""Observations of a state, declared number by number.

``OBSERVATION`` of a rules file is a tuple of the parts below, which describes player 0's observation. Player 1 observes
the state with the players swapped, see ``exchange_sides`` in :data:`nashzoo.envs.rules.pieces.PIECES`. Without it
every field is a number from 0 to 1. ``observe`` and ``decode_observation`` are generated from the parts.

An expression is Python text that may use ``params``, ``tables``, ``state``, and the names of the rules file.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nashzoo.envs.base.errors import UsageError


@dataclass(frozen=True)
class Part(ABC):
    """Some numbers of an observation.

    The generated code has the array ``out`` or ``observation`` and the index ``at`` in it, the ``state``, and the
    largest value of each field as ``most_<field>``.

    Attributes:
        field: The field of the state that is read from them; None if they are no field.
        filled: The statements that fill the numbers from ``out[at]`` on, and advance ``at``.
        read: The statements that read the field from ``observation[at]`` on, and advance ``at``.
    """

    field: str | None

    @property
    @abstractmethod
    def filled(self) -> str: ...

    @property
    @abstractmethod
    def read(self) -> str: ...

    @abstractmethod
    def names(self, most: int) -> tuple[str, ...]:
        """Returns the meaning of each number, in a game in which the field's largest value is ``most``."""

    def levels(self, most: int) -> tuple[int, ...]:
        """Returns the number of values of each number, evenly spaced from 0 to 1."""
        return (2,) * len(self.names(most))


@dataclass(frozen=True)
class Scaled(Part):
    """A field from ``least`` to its largest value, or to ``most``, as one number from 0 to 1; 0 if both are equal."""

    name: str | None = None
    least: int = 0
    most: str | None = None  # an expression of the parameters

    @property
    def _range(self) -> str:
        most = f"most_{self.field}" if self.most is None else f"({self.most})"
        return f"{most} - {self.least}" if self.least else most

    @property
    def filled(self) -> str:
        above = f"(state.{self.field} - {self.least})" if self.least else f"state.{self.field}"
        return f"out[at] = {above} / max({self._range}, 1)\nat += 1"

    @property
    def read(self) -> str:
        least = f"{self.least} + " if self.least else ""
        return f"{self.field}_ = {least}int(round(observation[at] * ({self._range})))\nat += 1"

    def names(self, most: int) -> tuple[str, ...]:
        return (self.name or f"{self.field} / {max(most, 1)}",)

    def levels(self, most: int) -> tuple[int, ...]:
        return (most - self.least + 1,)


@dataclass(frozen=True)
class OneHot(Part):
    """A number for each of the values ``first``, ``first`` + 1, ... of an expression: 1 for its value, else 0.

    A field is read as ``otherwise`` if all are 0. Other expressions are not read: they are computed from the fields.
    """

    labels: tuple[str, ...]
    expression: str
    first: int
    otherwise: int

    @property
    def filled(self) -> str:
        if len(self.labels) == 1:
            return f"out[at] = ({self.expression}) == {self.first}\nat += 1"
        return (
            f"value = {self.expression}\n"
            f"for k in range({len(self.labels)}):\n"
            f"    out[at + k] = value == k + {self.first}\n"
            f"at += {len(self.labels)}"
        )

    @property
    def read(self) -> str:
        if self.field is None:
            return f"at += {len(self.labels)}"
        return (
            f"{self.field}_ = {self.otherwise}\n"
            f"for k in range({len(self.labels)}):\n"
            f"    if observation[at + k] > 0.5:\n"
            f"        {self.field}_ = k + {self.first}\n"
            f"at += {len(self.labels)}"
        )

    def names(self, most: int) -> tuple[str, ...]:
        return self.labels


@dataclass(frozen=True)
class Bits(Part):
    """A number for each bit of a field, the lowest first: as many as its largest value has."""

    name: str | None = None  # with {} for the number of the bit

    @property
    def filled(self) -> str:
        return f"for k in range(bit_length(most_{self.field})):\n    out[at] = state.{self.field} >> k & 1\n    at += 1"

    @property
    def read(self) -> str:
        return (
            f"{self.field}_ = 0\n"
            f"for k in range(bit_length(most_{self.field})):\n"
            f"    {self.field}_ |= int(observation[at] > 0.5) << k\n"
            f"    at += 1"
        )

    def names(self, most: int) -> tuple[str, ...]:
        name = self.name or f"bit {{}} of {self.field}"
        return tuple(name.format(bit) for bit in range(bit_length(most)))


@dataclass(frozen=True)
class Unseen(Part):
    """A field that is left out, because it has this value in every observed state."""

    value: int

    @property
    def filled(self) -> str:
        return ""

    @property
    def read(self) -> str:
        return f"{self.field}_ = {self.value}"

    def names(self, most: int) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True)
class Seat(Part):
    """The observing player, 0 or 1: for games in which the players' roles differ."""

    name: str

    @property
    def filled(self) -> str:
        return "out[at] = player\nat += 1"

    @property
    def read(self) -> str:
        return "player = int(observation[at] > 0.5)\nat += 1"

    def names(self, most: int) -> tuple[str, ...]:
        return (self.name,)


def scaled(name: str, field: str, least: int = 0, most: str | None = None) -> Scaled:
    """Encodes a field as one number, from 0 for ``least`` to 1 for its largest value, or for an expression."""
    return Scaled(field, name, least, most)


def one_hot(name: str, source: str, values: Sequence[object], first: int = 0, otherwise: int = 0) -> OneHot:
    """Encodes a field, or an expression, as one-hot.

    Args:
        name: The meaning of the numbers, with ``{}`` for the value.
        source: The field; or an expression, such as ``"state.own - state.other"``.
        values: The names of the values.
        first: The first value; the others are the next integers.
        otherwise: The value of the field if it is none of them.
    """
    return _one_hot(tuple(name.format(value) for value in values), source, first, otherwise)


def flag(name: str, source: str, value: int = 1) -> OneHot:
    """Encodes whether a field of two values, or an expression, see :func:`one_hot`, is ``value``."""
    return _one_hot((name,), source, value, 1 - value)


def _one_hot(names: tuple[str, ...], source: str, first: int, otherwise: int) -> OneHot:
    field, expression = (source, f"state.{source}") if source.isidentifier() else (None, source)
    return OneHot(field, names, expression, first, otherwise)


def bits(name: str, field: str) -> Bits:
    """Encodes each bit of a field; ``{}`` in the name is its number."""
    return Bits(field, name)


def unseen(field: str, value: int = 0) -> Unseen:
    """Leaves out a field that has another value than this only in chance states, which are not observed."""
    return Unseen(field, value)


def seat(name: str) -> Seat:
    """Encodes the observing player, 0 or 1."""
    return Seat(None, name)


def parts_of(written: Any, symmetric: bool) -> tuple[Part, ...]:
    """Returns the parts of the observations of a rules file: its ``OBSERVATION``, or a number for every field.

    Raises:
        UsageError: a field of a state, or the observing player, cannot be read from exactly one part.
    """
    fields: tuple[str, ...] = written.State._fields
    parts = getattr(written, "OBSERVATION", None)
    if parts is None:
        by_bits, left_out = getattr(written, "BIT_FIELDS", ()), getattr(written, "UNSEEN_FIELDS", ())
        derived = [
            Unseen(field, 0) if field in left_out else Bits(field) if field in by_bits else Scaled(field)
            for field in fields
        ]
        return tuple(derived) if symmetric else (*derived, seat("own seat"))
    observed = [part.field for part in parts if part.field is not None]
    if sorted(observed) != sorted(fields):
        raise UsageError(
            f"OBSERVATION must have each of the fields {', '.join(fields)} once; it has {', '.join(observed)}"
        )
    if sum(isinstance(part, Seat) for part in parts) != (not symmetric):
        raise UsageError("OBSERVATION has the player's seat once, by seat(...); in a symmetric game it has none")
    return tuple(parts)


def bit_length(number: int) -> int:
    """Returns the number of bits of a non-negative number."""
    bits = 0
    while number > 0:
        number >>= 1
        bits += 1
    return bits
