"""Packing of a state into its code: each field has its own bits."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.jit.generated import Place, function_of
from nashzoo.envs.rules.observation import bit_length

S = TypeVar("S")

MOST_BITS = 63  # codes are 64-bit integers and never negative


def packing_functions(
    state: type[S], bits: Mapping[str, int], place: Place
) -> tuple[Callable[[S], int], Callable[[int], S]]:
    """Returns ``encode`` and ``decode``, which turn a state into its code and back. Both take arrays, too.

    With ``{"x": 3, "y": 2}`` the state ``Cell(x=5, y=2)`` has the code ``0b10_101``. A state with a field that its bits
    do not hold gets the code of another one, see :func:`checked_packing`.

    Args:
        state: The states, a named tuple of integers.
        bits: The number of bits of each field, from the lowest bit of the code on. The last field may take all
            remaining bits.
        place: The place of the rules file.

    Raises:
        UsageError: a field has no bits, or there are too many.
    """
    fields: tuple[str, ...] = state._fields  # type: ignore[attr-defined]
    if set(bits) != set(fields):
        raise UsageError(f"BITS must have the fields {', '.join(fields)}, not {', '.join(bits)}")
    if min(bits.values()) < 1 or sum(bits.values()) > MOST_BITS:
        raise UsageError(f"each field needs at least 1 bit, and all together at most {MOST_BITS}, not {dict(bits)}")
    packed, unpacked, at, last = [], {}, 0, list(bits)[-1]
    for field, size in bits.items():
        packed.append(f"state.{field}" + (f" << {at}" if at else ""))
        shifted = f"code >> {at}" if at else "code"
        unpacked[field] = shifted if field == last else f"{shifted} & {(1 << size) - 1}"
        at += size
    encode = f'''
def encode(state):
    """Returns the code of a state."""
    return {" | ".join(packed)}
'''
    decode = f'''
def decode(code):
    """Returns the state of a code."""
    return {state.__name__}({", ".join(unpacked[field] for field in fields)})
'''
    names: dict[str, Any] = {state.__name__: state}
    return function_of(encode, names, place), function_of(decode, names, place)


def checked_packing(encode: Any, decode: Any, fields: Iterable[str], place: Place) -> Any:
    """Returns ``packed``, which returns the code of a state, or -1 if that code is not the code of this very state."""
    held = " and ".join(f"held.{field} == state.{field}" for field in fields)
    source = (
        f"def packed(state):\n    code = encode(state)\n    held = decode(code)\n    return code if {held} else -1\n"
    )
    return function_of(source, {"encode": encode, "decode": decode}, place)


def bits_of(maxima: Any, cause: str = "") -> dict[str, int]:
    """Returns the number of bits of each field of a state in its code: what it needs, and a share of the rest.

    ``cause`` is what the message of an error begins with.

    Raises:
        UsageError: they need more bits than a code has.
    """
    needed = {field: max(1, bit_length(most)) for field, most in maxima._asdict().items()}
    left = MOST_BITS - sum(needed.values())
    if left < 0:
        total = f"{MOST_BITS - left} bits, and a code has {MOST_BITS}"
        raise UsageError(f"{cause}the fields of a state need {total}: {needed}")
    return {field: bits + left // len(needed) for field, bits in needed.items()}
