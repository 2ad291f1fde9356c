"""Observations of a state, declared number by number.

``OBSERVATION`` of a rules file is a tuple of the parts below, which describes player 0's observation. Player 1 observes
the state with the players swapped, see ``exchange_sides`` in :data:`nashzoo.envs.rules.pieces.PIECES`. Without it
every field is a number from 0 to 1. ``observe`` and ``decode_observation`` are generated from the parts.

An expression is Python text that may use ``params``, ``tables``, ``state``, and the names of the rules file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nashzoo.envs.base.errors import UsageError


@dataclass(frozen=True)
class Part:
    """Some numbers of an observation, made by one of the functions below.

    The generated code has the array ``out`` or ``observation`` and the index ``at`` in it, the ``state``, and the
    largest value of each field as ``most_<field>``.

    Attributes:
        field: The field of the state that is read from them; None if they are no field.
        filled: The statements that fill the numbers from ``out[at]`` on, and advance ``at``.
        read: The statements that read the field from ``observation[at]`` on, and advance ``at``.
        labels: The meaning of each number; of bits one for all, with ``{}`` for the number of the bit.
        least: The value of the field that is 0, if one number has all of its values; else None.
        most: An expression of the parameters in the place of the field's largest value; None without one.
        by_bits: Whether there is a number for each bit of the field, the lowest first.
        is_seat: Whether it is the observing player.
    """

    field: str | None
    filled: str
    read: str
    labels: tuple[str, ...] = ()
    least: int | None = None
    most: str | None = None
    by_bits: bool = False
    is_seat: bool = False

    def names(self, most: int) -> tuple[str, ...]:
        """Returns the meaning of each number, in a game in which the field's largest value is ``most``."""
        if self.by_bits:
            return tuple(self.labels[0].format(bit) for bit in range(bit_length(most)))
        return self.labels if self.labels or self.least is None else (f"{self.field} / {max(most, 1)}",)

    def levels(self, most: int) -> tuple[int, ...]:
        """Returns the number of values of each number, evenly spaced from 0 to 1."""
        return (2,) * len(self.names(most)) if self.least is None else (most - self.least + 1,)


def scaled(name: str, field: str, least: int = 0, most: str | None = None) -> Part:
    """Encodes a field as one number, from 0 for ``least`` to 1 for its largest value, or for an expression.

    It is 0 if both are equal.
    """
    range_ = f"most_{field}" if most is None else f"({most})"
    above, base = f"state.{field}", ""
    if least:
        range_, above, base = f"{range_} - {least}", f"({above} - {least})", f"{least} + "
    filled = f"out[at] = {above} / max({range_}, 1)\nat += 1"
    read = f"{field}_ = {base}int(round(observation[at] * ({range_})))\nat += 1"
    return Part(field, filled, read, (name,) if name else (), least, most)


def one_hot(name: str, source: str, values: Sequence[object], first: int = 0, otherwise: int = 0) -> Part:
    """Encodes a field, or an expression, as one-hot. Expressions are not read: they are computed from the fields.

    Args:
        name: The meaning of the numbers, with ``{}`` for the value.
        source: The field; or an expression, such as ``"state.own - state.other"``.
        values: The names of the values.
        first: The first value; the others are the next integers.
        otherwise: The value of the field if it is none of them.
    """
    return _one_hot(tuple(name.format(value) for value in values), source, first, otherwise)


def flag(name: str, source: str, value: int = 1) -> Part:
    """Encodes whether a field of two values, or an expression, see :func:`one_hot`, is ``value``."""
    return _one_hot((name,), source, value, 1 - value)


def _one_hot(labels: tuple[str, ...], source: str, first: int, otherwise: int) -> Part:
    field, expression = (source, f"state.{source}") if source.isidentifier() else (None, source)
    each, step = f"for k in range({len(labels)}):\n", f"at += {len(labels)}"
    filled = f"value = {expression}\n{each}    out[at + k] = value == k + {first}\n{step}"
    if len(labels) == 1:
        filled = f"out[at] = ({expression}) == {first}\n{step}"
    taken = f"    if observation[at + k] > 0.5:\n        {field}_ = k + {first}\n"
    read = step if field is None else f"{field}_ = {otherwise}\n{each}{taken}{step}"
    return Part(field, filled, read, labels)


def bits(name: str, field: str) -> Part:
    """Encodes each bit of a field, as many as its largest value has; ``{}`` in the name is its number."""
    each, step = f"for k in range(bit_length(most_{field})):\n", "    at += 1"
    filled = f"{each}    out[at] = state.{field} >> k & 1\n{step}"
    read = f"{field}_ = 0\n{each}    {field}_ |= int(observation[at] > 0.5) << k\n{step}"
    return Part(field, filled, read, (name,), by_bits=True)


def unseen(field: str, value: int = 0) -> Part:
    """Leaves out a field that has another value than this only in chance states, which are not observed."""
    return Part(field, "", f"{field}_ = {value}")


def seat(name: str) -> Part:
    """Encodes the observing player, 0 or 1: for games in which the players' roles differ."""
    return Part(
        None, "out[at] = player\nat += 1", "player = int(observation[at] > 0.5)\nat += 1", (name,), is_seat=True
    )


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
            unseen(field)
            if field in left_out
            else bits(f"bit {{}} of {field}", field)
            if field in by_bits
            else scaled("", field)
            for field in fields
        ]
        return tuple(derived) if symmetric else (*derived, seat("own seat"))
    observed = [part.field for part in parts if part.field is not None]
    if sorted(observed) != sorted(fields):
        raise UsageError(
            f"OBSERVATION must have each of the fields {', '.join(fields)} once; it has {', '.join(observed)}"
        )
    if sum(part.is_seat for part in parts) != (not symmetric):
        raise UsageError("OBSERVATION has the player's seat once, by seat(...); in a symmetric game it has none")
    return tuple(parts)


def bit_length(number: int) -> int:
    """Returns the number of bits of a non-negative number."""
    bits = 0
    while number > 0:
        number >>= 1
        bits += 1
    return bits
