"""Packing of a state into its code: each field has its own bits."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.compilation.compiled import compiled
from nashzoo.envs.derivation.derived import Place, caller, function_of

S = TypeVar("S")

MOST_BITS = 63  # codes are 64-bit integers and never negative


def packing(state: type[S], /, **bits: int) -> tuple[Callable[[S], int], Callable[[int], S]]:
    """Returns ``encode`` and ``decode``, which turn a state into its code and back. Both take arrays, too.

    With ``packing(Cell, x=3, y=2)`` the state ``Cell(x=5, y=2)`` has the code ``0b10_101``.

    Args:
        state: The states, a named tuple of integers.
        **bits: The number of bits of each field, from the lowest bit of the code on. The last field may take all
            remaining bits.

    Raises:
        UsageError: a field has no bits, or there are too many.
    """
    fields: tuple[str, ...] = state._fields  # type: ignore[attr-defined]
    if set(bits) != set(fields):
        raise UsageError(f"packing needs bits for the fields {', '.join(fields)}; it is given {', '.join(bits)}")
    if min(bits.values()) < 1 or sum(bits.values()) > MOST_BITS:
        raise UsageError(f"each field needs at least 1 bit, and all together at most {MOST_BITS}, not {bits}")
    encode, decode = packing_functions(state, bits, caller()[0])
    return compiled()(encode), compiled()(decode)


def packing_functions(
    state: type[S], bits: Mapping[str, int], place: Place
) -> tuple[Callable[[S], int], Callable[[int], S]]:
    """Returns ``encode`` and ``decode`` as :func:`packing` does, not compiled.

    Args:
        state: The states.
        bits: The number of bits of each field.
        place: The place of the declaration of the states.
    """
    fields: tuple[str, ...] = state._fields  # type: ignore[attr-defined]
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
