"""Observations of a state, declared number by number.

``observe``, ``decode_observation`` and ``features`` are derived from the declaration: a tuple of the parts below, which
describes player 0's observation. Player 1's is that of player 0 in the state with the players swapped.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.compilation.compiled import Ints, rule
from nashzoo.envs.derivation.derived import caller, function_of


@dataclass(frozen=True)
class Parameter:
    """A parameter of the game, or a linear expression of one: ``2 * parameter(ROUNDS) - 1``."""

    place: int  # in ``params``
    times: int = 1
    plus: int = 0

    def __rmul__(self, factor: int) -> "Parameter":
        return Parameter(self.place, factor * self.times, factor * self.plus)

    def __sub__(self, number: int) -> "Parameter":
        return Parameter(self.place, self.times, self.plus - number)

    @property
    def text(self) -> str:
        """Its Python expression."""
        product = f"params[{self.place}]" if self.times == 1 else f"{self.times} * params[{self.place}]"
        return f"({product} + {self.plus})" if self.plus else f"({product})"

    def value(self, params: Ints) -> int:
        """Returns its value in a game with these parameters."""
        return self.times * int(params[self.place]) + self.plus


@dataclass(frozen=True)
class Part(ABC):
    """Some numbers of an observation.

    Attributes:
        names: The meaning of each of them.
        field: The field of the state that is read from them; None if they are no field.
    """

    names: tuple[str, ...]
    field: str | None

    @abstractmethod
    def filling(self, at: int) -> str:
        """Returns the statements that fill the numbers from index ``at`` on."""

    @abstractmethod
    def reading(self, at: int) -> str:
        """Returns the statements that read the field from them."""

    def levels(self, params: Ints) -> int:
        """Returns the number of values of each number, evenly spaced from 0 to 1."""
        return 2


@dataclass(frozen=True)
class Scaled(Part):
    """A field from ``least`` to ``most`` as one number from 0 to 1; 0 if they are the same."""

    most: Parameter
    least: int

    def filling(self, at: int) -> str:
        """Returns the statement that fills the number with index ``at``."""
        above = f"(s.{self.field} - {self.least})" if self.least else f"s.{self.field}"
        return f"out[{at}] = {above} / max({(self.most - self.least).text}, 1)"

    def reading(self, at: int) -> str:
        """Returns the statement that reads the field from it."""
        least = f"{self.least} + " if self.least else ""
        return f"{self.field}_ = {least}round(observation[{at}] * {(self.most - self.least).text})"

    def levels(self, params: Ints) -> int:
        """Returns the number of values of the field."""
        return self.most.value(params) - self.least + 1


@dataclass(frozen=True)
class OneHot(Part):
    """A number for each of the values ``first``, ``first`` + 1, ... of an expression: 1 for its value, else 0.

    A field is read as ``otherwise`` if all are 0. Other expressions are not read: they are computed from the fields.
    """

    expression: str  # of ``params`` and the state ``s``
    first: int
    otherwise: int

    def filling(self, at: int) -> str:
        """Returns the statements that fill the numbers from index ``at`` on."""
        if len(self.names) == 1:
            return f"out[{at}] = ({self.expression}) == {self.first}"
        return (
            f"value = {self.expression}\n"
            f"for k in range({len(self.names)}):\n"
            f"    out[{at} + k] = value == k + {self.first}"
        )

    def reading(self, at: int) -> str:
        """Returns the statements that read the field from them."""
        if len(self.names) == 1:
            return f"{self.field}_ = {self.first} if observation[{at}] > 0.5 else {self.otherwise}"
        return (
            f"{self.field}_ = {self.otherwise}\n"
            f"for k in range({len(self.names)}):\n"
            f"    if observation[{at} + k] > 0.5:\n"
            f"        {self.field}_ = k + {self.first}"
        )


@dataclass(frozen=True)
class Bits(Part):
    """A number for each of the bits of a field, the lowest first."""

    def filling(self, at: int) -> str:
        """Returns the statements that fill the numbers from index ``at`` on."""
        return f"for k in range({len(self.names)}):\n    out[{at} + k] = s.{self.field} >> k & 1"

    def reading(self, at: int) -> str:
        """Returns the statements that read the field from them."""
        return (
            f"{self.field}_ = 0\n"
            f"for k in range({len(self.names)}):\n"
            f"    {self.field}_ |= int(observation[{at} + k] > 0.5) << k"
        )


@dataclass(frozen=True)
class Unseen(Part):
    """A field that is left out, because it has this value in every observed state."""

    value: int

    def filling(self, at: int) -> str:
        """Returns a statement that does nothing."""
        return "pass"

    def reading(self, at: int) -> str:
        """Returns the statement that sets the field."""
        return f"{self.field}_ = {self.value}"


@dataclass(frozen=True)
class Seat(Part):
    """The observing player, 0 or 1: for games in which the players' roles differ."""

    def filling(self, at: int) -> str:
        """Returns the statement that fills the number with index ``at``."""
        return f"out[{at}] = player"

    def reading(self, at: int) -> str:
        """Returns the statement that reads the player from it."""
        return f"player = int(observation[{at}] > 0.5)"


def parameter(place: int) -> Parameter:
    """Returns the parameter at a place in ``params``, for the largest value of a field."""
    return Parameter(place)


def scaled(name: str, field: str, most: Parameter, least: int = 0) -> Scaled:
    """Encodes a field as one number, from 0 for ``least`` to 1 for ``most``."""
    return Scaled((name,), field, most, least)


def one_hot(name: str, source: str, values: Sequence[object], first: int = 0, otherwise: int = 0) -> OneHot:
    """Encodes a field, or an expression, as one-hot.

    Args:
        name: The meaning of the numbers, with ``{}`` for the value.
        source: The field; or an expression of ``params`` and the state ``s``, such as ``"s.own - s.other"``, which may
            use the names of the rules file.
        values: The names of the values.
        first: The first value; the others are the next integers.
        otherwise: The value of the field if it is none of them.
    """
    return _one_hot(tuple(name.format(value) for value in values), source, first, otherwise)


def flag(name: str, source: str, value: int = 1) -> OneHot:
    """Encodes whether a field of two values, or an expression, see :func:`one_hot`, is ``value``."""
    return _one_hot((name,), source, value, 1 - value)


def _one_hot(names: tuple[str, ...], source: str, first: int, otherwise: int) -> OneHot:
    field, expression = (source, f"s.{source}") if source.isidentifier() else (None, source)
    return OneHot(names, field, expression, first, otherwise)


def bits(name: str, field: str, count: int) -> Bits:
    """Encodes each bit of a field; ``{}`` in the name is its number."""
    return Bits(tuple(name.format(bit) for bit in range(count)), field)


def unseen(field: str, value: int = 0) -> Unseen:
    """Leaves out a field that has another value than this only in chance states, which are not observed."""
    return Unseen((), field, value)


def seat(name: str) -> Seat:
    """Encodes the observing player, 0 or 1."""
    return Seat((name,), None)


Observe = Callable[[Ints, int, int, Any], None]
DecodeObservation = Callable[[Ints, Any], tuple[int, int]]


def observing(
    parts: Sequence[Part],
    state: type[Any],
    encode: Callable[[Any], int],
    decode: Callable[[int], Any],
    swap_players: Callable[[Ints, int], int] | None = None,
) -> tuple[Observe, DecodeObservation, Callable[[Ints], tuple[str, ...]]]:
    """Returns ``observe``, ``decode_observation`` and ``features``, see :class:`nashzoo.envs.core.rules.Rules`.

    Args:
        parts: The parts, in the order of the observation.
        state: The states.
        encode: As in the rules.
        decode: As in the rules.
        swap_players: An involution of parameters and code: it returns the code of the state that player 1 observes as
            if it were player 0. In a symmetric game it is the rules' own function. None if both observe the same.

    Raises:
        UsageError: a field of a state, or the observing player, cannot be read from exactly one part.
    """
    fields: tuple[str, ...] = state._fields
    shown = [part.field for part in parts if part.field is not None]
    if sorted(shown) != sorted(fields):
        raise UsageError(f"an observation shows the fields {', '.join(fields)} once each; it shows {', '.join(shown)}")
    seats = sum(isinstance(part, Seat) for part in parts)
    if seats > 1 or (seats == 0 and swap_players is None):
        raise UsageError(
            "an observation shows the player's seat once: add seat(...), or give observing the function that swaps "
            "the players"
        )

    names = tuple(name for part in parts for name in part.names)
    place, names_there = caller()
    given = {"state": state, "encode": encode, "decode": decode, "swap_players": swap_players}
    used: dict[str, Any] = names_there | given
    filled, read_back, at = [], [], 0
    for part in parts:
        filled.append(part.filling(at))
        if part.field is not None or isinstance(part, Seat):
            read_back.append(part.reading(at))
        at += len(part.names)
    seen = "code" if swap_players is None else "swap_players(params, code) if player == 1 else code"
    result = "encode(state(" + ", ".join(f"{field}_" for field in fields) + "))"
    if seats == 0:
        result = f"return {result}, 0"
    elif swap_players is None:
        result = f"return {result}, player"
    else:
        result = f"code = {result}\nreturn swap_players(params, code) if player == 1 else code, player"
    observe = f'''
def observe(params, code, player, out):
    """Fills ``out`` with the state as ``player`` sees it."""
    s = decode({seen})
    {_indented(filled)}
'''
    decode_observation = f'''
def decode_observation(params, observation):
    """Returns the code and the player of an observation."""
    {_indented([*read_back, result])}
'''

    def features(params: Ints) -> tuple[str, ...]:
        """Returns the meaning of each number of an observation."""
        return names

    return rule(function_of(observe, used, place)), rule(function_of(decode_observation, used, place)), features


def _indented(statements: list[str]) -> str:
    return "\n".join(statements).replace("\n", "\n    ")
