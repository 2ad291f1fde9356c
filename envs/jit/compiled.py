"""Compilation of functions for one signature each.

With ``NUMBA_DISABLE_JIT=1`` the same code runs as plain Python.
"""

import warnings
from collections.abc import Callable
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from nashzoo.envs.jit.lazy import Helper, Kernel
from nashzoo.envs.jit.numba import PLAIN, int64
from nashzoo.envs.jit.private import borrowed as borrowed

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Features = NDArray[np.float32]
Mask = NDArray[np.int8]
Bools = NDArray[np.bool_]

F = TypeVar("F", bound=Callable[..., Any])

# Numba warns about first-class functions since 2020; with them one kernel works for all games.
warnings.filterwarnings("ignore", message="First-class function type")

PARAMS = int64[::1]


def compiled(
    signature: Any = None, nogil: bool = True, inline: bool | Literal["early"] = False, kind: type[Kernel] | None = None
) -> Callable[[F], F]:
    """Returns a decorator that compiles a function for ``signature``, or for the types of its arguments when None.

    It is compiled at its first call, see :class:`nashzoo.envs.jit.lazy.Kernel`.
    With ``nogil`` other threads may run during a call; short calls are faster without. With ``inline`` LLVM puts the
    function into its callers, which saves passing its arguments; without a signature it is then a
    :class:`nashzoo.envs.jit.lazy.Helper`. With ``"early"`` Numba does so, which takes longer to compile, but counts no
    references to arrays.
    """

    def decorate(function: F) -> F:
        if PLAIN:
            # Compiled integers wrap around without a warning, so they do here too.
            return np.errstate(over="ignore")(function)
        early = inline == "early"
        options: dict[str, Any] = {"nogil": nogil, "inline": "always" if early else "never"}
        options["forceinline"] = bool(inline) and not early
        # There is more to compile for functions that Python calls, and for those that are passed as values, which are
        # functions of a game's parameters.
        helps = bool(inline) and signature is None
        options["no_cpython_wrapper"] = helps
        options["no_cfunc_wrapper"] = signature is None or PARAMS not in signature.args
        of_kind = kind or (Helper if helps else Kernel)
        return cast(F, of_kind(function, signature, options))

    return decorate


class UncheckedKernel:
    """A class attribute: a compiled function without the check of its arguments, which halves the time of a short call.

    Its arguments must match the signature exactly, by position: they are not checked.

    Args:
        function: The function, which has one signature, and is compiled at the first access to the attribute.
        interpreted: The number of calls that run as plain Python before that: loading compiled code takes longer than
            a few calls.
    """

    def __init__(self, function: Callable[..., Any], interpreted: int = 0) -> None:
        self._function = function
        self._interpreted = interpreted

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: Any, owner: type) -> Any:
        if PLAIN:
            return self._function
        kernel = cast(Kernel, self._function)
        if self._interpreted > 0:
            self._interpreted -= 1
            return kernel.interpret
        setattr(self._owner, self._name, kernel.entry_point)  # replaces this object, which is slower
        return kernel.entry_point
