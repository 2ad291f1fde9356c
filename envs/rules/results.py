"""What the functions of a rules file may return; each fault is words that go on after "must return"."""

import math
import reprlib
from collections.abc import Iterable, Iterator, MappingView
from itertools import chain
from numbers import Rational
from typing import Any, cast

import numpy as np

WHOLE = int, np.integer, np.bool_
NUMBER = *WHOLE, float, np.floating, Rational
BITS_OF_A_NUMBER = (
    "a board, a hand or a history is the bits of a whole number, in which `marks | 1 << cell` sets one, see "
    "'Boards, hands and histories' in docs/reference/rules.md"
)


def listed(values: Any) -> Any:
    """Returns what a generator, ``zip`` or the views of a dictionary yield, as a list; everything else as it is."""
    return list(cast(Iterable[Any], values)) if isinstance(values, Iterator | MappingView) else values


def names_fault(names: Any) -> str:
    """Returns what the names of the actions must be and are not, in words; empty if they are."""
    right = isinstance(names, tuple | list) and all(isinstance(name, str) for name in names)
    return "" if right else f"a tuple of names, such as ('left', 'right'), not {reprlib.repr(names)}"


def state_fault(of: type[Any], state: Any) -> str:
    """Returns what a State must be and is not, in words; empty if it is one."""
    if not isinstance(state, of):
        return f"a State, not {reprlib.repr(state)}"
    for field, value in zip(state._fields, state, strict=True):
        if not isinstance(value, WHOLE):
            divided = isinstance(value, float | np.floating)
            way = "`//` divides without a fraction" if divided else BITS_OF_A_NUMBER
            return f"a State of whole numbers, not {field}={reprlib.repr(value)}: {way}"
    return ""


def pairs_fault(of: type[Any], pairs: Any, instead: str = "") -> str:
    """Returns what States with their probabilities must be and are not, in words; empty if they are."""
    listed = isinstance(pairs, tuple | list) and not any(isinstance(one, of) for one in pairs[:1])
    right = listed and _are(pairs, (tuple, list)) and {*map(len, pairs)} == {2}
    states, chances = zip(*pairs, strict=True) if right else ((), ())
    if not states or not _are(chances, NUMBER):
        example = "[(State(...), 0.5), (State(...), 0.5)]"
        return f"{instead}a list of pairs of a State and its probability, such as {example}, not {reprlib.repr(pairs)}"
    if _are(states, of) and _are(chain.from_iterable(states), WHOLE):  # there can be thousands
        return ""
    return next(f"{instead}a list of pairs of {fault}" for state in states if (fault := state_fault(of, state)))


def _are(values: Iterable[Any], kinds: Any) -> bool:
    return all(issubclass(kind, kinds) for kind in set(map(type, values)))


def number_fault(value: Any) -> str:
    """Returns what a number of points must be and is not, in words; empty if it is."""
    value = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    right = isinstance(value, NUMBER) and math.isfinite(value)
    return "" if right else f"one finite number, the points of player 0, not {reprlib.repr(value)}"


def out_of_range(state: Any, maxima: Any) -> str:
    """Returns the first field of a state that is out of its range, in words; empty if there is none."""
    for field, value, most in zip(state._fields, state, maxima, strict=True):
        if not 0 <= value <= most:
            return f"{field}={value}, and field_maxima allows 0 to {most}"
    return ""


def place_in_words(function: Any) -> str:
    """Returns the file and line of a function, in brackets, for the end of a message."""
    code = getattr(getattr(function, "py_func", function), "__code__", None)
    return f" ({code.co_filename}, line {code.co_firstlineno}, in {code.co_name})" if code else ""
