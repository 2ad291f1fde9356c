"""A stamp of everything that the machine code of a function depends on: its code, and all that it uses, in any file.

Numba's own stamp is the date of the function's file, which says nothing of the functions and constants of other files
that are compiled into it.
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

CONSTANTS = (bool, int, float, complex, str, bytes, type(None))


@cache
def _lowering() -> bytes:
    """Returns the code with which this package extends Numba, which no function shows."""
    return b"".join((Path(__file__).parent / name).read_bytes() for name in ("private.py", "tables.py"))


def stamp_of(function: FunctionType) -> str:
    """Returns a hash of a function's code and of the functions and constants that it uses, and that these use."""
    digest, reached = hashlib.sha256(_lowering()), {function: None}  # in the order in which they are reached
    waiting = [function]
    while waiting:
        own, called = _own(waiting.pop())
        digest.update(own)
        for other in called:
            if other not in reached:
                reached[other] = None
                waiting.append(other)
    return digest.hexdigest()


@cache
def _own(function: FunctionType) -> tuple[bytes, tuple[FunctionType, ...]]:
    """Returns a hash of a function's code and of the constants that it uses, and the functions that it uses."""
    digest, called = hashlib.sha256(), list[FunctionType]()
    for part in _parts(function.__code__), _parts(function.__defaults__):
        for text in part:
            digest.update(text)
    names = function.__code__.co_names
    used = [function.__globals__[name] for name in global_names(function.__code__) if name in function.__globals__]
    used += [cell.cell_contents for cell in function.__closure__ or ()]
    for value in used:
        for part in [getattr(value, name) for name in names if hasattr(value, name)] if _is_module(value) else [value]:
            part = getattr(part, "py_func", part)
            if not isinstance(part, FunctionType):
                for text in _parts(part):
                    digest.update(text)
            elif part.__module__.partition(".")[0] not in ("numba", "numpy"):
                called.append(part)
    return digest.digest(), tuple(called)


def _is_module(value: Any) -> bool:
    return isinstance(value, ModuleType) and value.__name__.partition(".")[0] not in ("numba", "numpy", "math")


def _parts(value: Any) -> Iterator[bytes]:
    """Yields what a value consists of."""
    if isinstance(value, CONSTANTS):
        yield repr(value).encode()
    elif isinstance(value, tuple | list | frozenset):
        for part in sorted(value, key=repr) if isinstance(value, frozenset) else value:
            yield from _parts(part)
    elif isinstance(value, np.ndarray):
        yield repr((value.dtype, value.shape)).encode()
        yield value.tobytes()
    elif isinstance(value, CodeType):
        yield value.co_code
        yield repr((value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars)).encode()
        yield from _parts(value.co_consts)
    else:
        yield f"{getattr(value, '__qualname__', type(value).__qualname__)}{getattr(value, '_fields', '')}".encode()


def global_names(code: CodeType) -> Iterator[str]:
    """Yields the global names in a function's code, and in its inner functions."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from global_names(constant)
