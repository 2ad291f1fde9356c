"""Functions in plain Python, compiled together with the functions of their file that they call.

Functions that Numba cannot compile run as plain Python, which is slower; a notice is printed once.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nashzoo.envs.base.progress import say
from nashzoo.envs.jit.compiled import Ints, compiled
from nashzoo.envs.jit.lazy import Kernel
from nashzoo.envs.jit.numba import PLAIN, objmode, types
from nashzoo.envs.jit.stamps import global_names
from nashzoo.envs.jit.tables import READERS


class PlainFunction(Kernel):
    """A function that is compiled for calls from compiled code, and plain Python for calls from Python."""

    def __call__(self, *args: Any) -> Any:
        """Calls the original function."""
        return self.py_func(*args)


class PlainPiece(PlainFunction):
    """A rule that calls plain functions."""

    def as_value(self, params: Any = None) -> Any:
        """Returns the rule for kernels: compiled, or plain Python if Numba cannot compile it."""
        try:
            return super().as_value()
        except Exception as error:  # Numba also raises errors of other classes
            where = self.py_func.__code__
            say(
                f"{where.co_name} in {where.co_filename} runs as plain Python, which is slower, for Numba cannot "
                f"compile it: {_reason(error)}"
            )
            return _in_object_mode(self.py_func, self.signature, params)


_plain: dict[FunctionType, Any] = {}  # compiled functions, by the original function


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that compiled code can call, and converts all functions of its package that it calls."""
    if PLAIN or not isinstance(function, FunctionType):
        return function
    if function not in _plain:
        _plain[function] = compiled(inline=True, kind=PlainFunction)(function)
        _make_callable(function)
    compiled_function: Callable[..., Any] = _plain[function]
    return compiled_function


def _make_callable(function: FunctionType) -> None:
    """Replaces the functions of its package that a function calls by ones that compiled code can call."""
    names = function.__globals__
    package = names["__name__"].partition(".")[0]
    for name in global_names(function.__code__):
        called = names.get(name)
        known = any(called is reader for reader in READERS.values())  # by Numba, which compiles them by itself
        if isinstance(called, FunctionType) and called.__module__.partition(".")[0] == package and not known:
            names[name] = plain(called)


def plain_piece(signature: Any, function: Callable[..., Any]) -> Any:
    """Returns a rule, compiled for a signature with the functions that it calls, or plain Python if it cannot be."""
    if isinstance(function, FunctionType) and not PLAIN:
        _make_callable(function)
    return compiled(signature, kind=PlainPiece)(function)


def _reason(error: Exception) -> str:
    """Returns the line of Numba's message with the reason."""
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in lines if line and not line.startswith(("Failed in", "During:"))), "no reason given")


def _in_object_mode(function: Callable[..., Any], signature: Any, params: Ints) -> Any:
    """Returns a compiled function that calls another in Python, always with these parameters.

    Arrays are passed to Python by their addresses, as Numba cannot convert them in a function that is called as a
    value.
    """
    arguments, lines = ["params"], []
    for k, kind in enumerate(signature.args[1:], 1):
        if isinstance(kind, types.Array):
            lines.append(f"    address{k}, length{k} = x{k}.ctypes.data, len(x{k})")
            arguments.append(f"array_at(address{k}, length{k}, '{kind.dtype}')")
        else:
            arguments.append(f"x{k}")
    returned = signature.return_type
    lines += ["    with objmode():" if returned == types.none else f"    with objmode(result='{returned}'):"]
    call = f"        result = function({', '.join(arguments)})"
    lines += [call] if returned == types.none else [call, "    return result"]
    names = {"function": function, "objmode": objmode, "params": params, "array_at": _array_at}
    parameters = ", ".join(["_", *(f"x{k}" for k in range(1, len(signature.args)))])
    exec("\n".join([f"def piece({parameters}):", *lines]), names)
    made: Any = compiled(signature, nogil=False)(names["piece"])
    return made.as_value()


def _array_at(address: int, length: int, dtype: str) -> NDArray[Any]:
    """Returns the array ``[length]`` at an address."""
    kind = np.ctypeslib.as_ctypes_type(np.dtype(dtype))
    return np.ctypeslib.as_array((kind * length).from_address(address))
