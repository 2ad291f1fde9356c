"""Functions that Numba compiles at their first call, and the notice about it.

Compiling the solver takes half a minute; solving a small game with it as plain Python takes a second. So a function of
the solver runs as plain Python until it has much to do, see :func:`brief`. The results are the same.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, update_wrapper
from importlib import import_module
from typing import Any
from weakref import WeakSet

import numpy as np

from nashzoo.envs.base.progress import say
from nashzoo.envs.base.signals import postponed
from nashzoo.envs.jit.clock import FIRST_USE, working_processor_time
from nashzoo.envs.jit.numba import event, typeof, types
from nashzoo.envs.jit.private import callable_of, dispatcher_of, entry_point, load, undisturbed

_PYTHON = {types.int64: int, types.float64: float, types.boolean: bool}  # the types that compiled code returns

PATIENCE = 1.0  # processor seconds of calls of a function as plain Python, in all, until it is compiled, see brief()
SHORT = 100_000  # numbers in the arguments of a function's first call that are guessed to take so long

_brief = ContextVar("_brief", default=False)


@contextmanager
def brief() -> Iterator[None]:
    """Returns a context in which functions that are not compiled yet run as plain Python, until they have much to do.

    For calls whose work is in proportion to the size of their array arguments. A function is compiled when it would
    probably take more than ``PATIENCE``, earlier calls included, which is about what compiling it takes.
    """
    token = _brief.set(True)
    try:
        yield
    finally:
        _brief.reset(token)


_dispatchers = WeakSet[Any]()  # those of all kernels

_wrapping = ContextVar("_wrapping", default=False)  # whether integers wrap around without a warning


def _in_python(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Returns what a function returns as plain Python, in which integers wrap around as compiled ones do."""
    if _wrapping.get():  # asking takes less time than most functions do, setting takes more
        return function(*args, **named)
    token = _wrapping.set(True)
    try:
        with np.errstate(over="ignore"):
            return function(*args, **named)
    finally:
        _wrapping.reset(token)


def _attribute(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


class Kernel:
    """A function that is compiled for its one signature at the first call of it or of its caller.

    Numba itself compiles a function with a signature at its decoration, so all functions of a module at its import.
    Compiled code is cached on disk, and loaded from there the next time.

    Args:
        function: The function.
        signature: The types of its arguments; None for those of each call.
        options: As in :func:`nashzoo.envs.jit.private.dispatcher_of`.

    Attributes:
        py_func: The function.
        targetoptions: The options; by these two names Numba inlines it.
    """

    def __init__(self, function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func, self.signature, self.targetoptions = function, signature, options
        self._missing = False  # from the disk cache, as far as is known
        self._numbers, self._seconds = 0, 0.0  # in the arguments of the calls that ran as plain Python; what they took
        self._compiling = False
        self._compiled: Callable[..., Any] | None = None  # for the signature, as Python calls it

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Calls the function, compiled if that takes less time, see :func:`brief`."""
        if self._compiled is not None:
            return self._compiled(*args, **named)
        if _brief.get() and self.signature is None:  # a game's functions among its arguments are not compiled then
            return _in_python(self.py_func, *args, **named)
        if _brief.get() and self._is_short(args):
            begun = working_processor_time()
            try:
                return _in_python(self.py_func, *args, **named)
            finally:
                self._seconds += working_processor_time() - begun
                self._numbers += _count(args)
        self.compile_now()
        return (self._compiled or self._converting)(*args, **named)

    def __reduce__(self) -> tuple[Any, ...]:
        """Returns where to find the function of a module, rather than its code as Numba does."""
        module, name = self.py_func.__module__, self.py_func.__qualname__
        if getattr(sys.modules.get(module), name, None) is self:
            return _attribute, (module, name)
        return _remade, (type(self), self.dispatcher, self.signature, self.targetoptions)

    @property
    def _numba_type_(self) -> Any:
        """The type of the function in compiled code."""
        self.compile_now()
        return typeof(self.dispatcher)

    @property
    def signatures(self) -> list[Any]:
        """The signatures for which it is compiled."""
        return list(self.dispatcher.signatures)

    @property
    def entry_point(self) -> Callable[..., Any]:
        """The compiled function without the check of its arguments, if Numba has it."""
        self.compile_now()
        return entry_point(self.dispatcher) or self

    @cached_property
    def dispatcher(self) -> Any:
        """What Numba makes of the function."""
        with undisturbed():
            if "dispatcher" not in vars(self):  # else another thread has made it
                made = dispatcher_of(self.py_func, self.targetoptions)
                _dispatchers.add(made)
                vars(self)["dispatcher"] = made
        return vars(self)["dispatcher"]

    def compile_now(self) -> None:
        """Compiles the function, or loads it from the disk cache, unless this has been done."""
        if self.signature is None or self._compiled is not None:
            return
        with undisturbed():
            if self._compiled is None and not self._compiling and not self._taken_from_disk():
                self._compiling = True
                try:
                    self.dispatcher.compile(self.signature)
                finally:
                    self._compiling = False
                self._finish()

    def _taken_from_disk(self) -> bool:
        """Loads the compiled function from the disk cache, and returns whether it was there."""
        if self._missing:
            return False
        with undisturbed():
            if self._compiled is None:
                self._missing = not load(self.dispatcher, self.signature)
                if not self._missing:
                    self._finish()
        return not self._missing

    def _finish(self) -> None:
        """Makes the compiled function the one that is called."""
        self.dispatcher.disable_compile()
        self._compiled = self._converting if _converts(self.signature) else callable_of(self.dispatcher)

    def _converting(self, *args: Any, **named: Any) -> Any:
        """Calls the compiled function where Numba converts arguments or results by code in Python.

        An exception that a handler of a signal raised there would be lost, or end the process: Numba does not expect
        it. So an interruption comes after the call.
        """
        with postponed():
            return callable_of(self.dispatcher)(
                *(each.as_value() if isinstance(each, Kernel) else each for each in args), **named
            )

    def interpret(self, *args: Any) -> Any:
        """Returns what the compiled function would return, in the same types, from a call as plain Python."""
        with brief():
            result = _in_python(self.py_func, *args)
        kind = self.signature.return_type
        if isinstance(kind, types.BaseTuple):
            return tuple(_PYTHON[each](number) for each, number in zip(kind, result, strict=True))
        return _PYTHON[kind](result)

    def as_value(self, params: Any = None) -> Any:
        """Returns the compiled function as an argument of kernels, in a game with these parameters."""
        self.compile_now()
        return self.dispatcher

    def _is_short(self, args: tuple[Any, ...]) -> bool:
        """Returns whether a call runs as plain Python, which is faster than to compile the function."""
        if self._taken_from_disk():
            return False
        pace = self._seconds / self._numbers if self._numbers else PATIENCE / SHORT
        return self._seconds + pace * _count(args) <= PATIENCE


def _remade(kind: type[Kernel], dispatcher: Any, signature: Any, options: dict[str, Any]) -> Kernel:
    return kind(dispatcher.py_func, signature, options)


def _converts(signature: Any) -> bool:
    """Returns whether Numba converts by code in Python: functions as arguments, and results that are not numbers."""
    if signature is None:
        return True
    returned = signature.return_type
    results = returned if isinstance(returned, types.BaseTuple) else (returned,)
    numbers = all(isinstance(kind, types.Number | types.Boolean | types.NoneType) for kind in results)
    return not numbers or any(isinstance(kind, types.FunctionType) for kind in signature.args)


class Helper(Kernel):
    """A function that compiled code calls, compiled for the types of each call; a call from Python is plain Python."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Calls the original function."""
        return _in_python(self.py_func, *args, **named)


def _count(args: tuple[Any, ...]) -> int:
    """Returns the total size of a function's arguments, in numbers."""
    return sum(_count(each) if isinstance(each, tuple) else getattr(each, "size", 1) for each in args)


class Notice(event.Listener):  # type: ignore[misc]
    """Prints once per process on standard error that it compiles, as the first use after installation takes a while."""

    said = False

    def on_start(self, event: Any) -> None:
        """Prints the notice if the function is one of nashzoo."""
        dispatcher = event.data["dispatcher"]
        if not self.said and dispatcher in _dispatchers:
            self.said = True
            say(f"{FIRST_USE}; kept in {dispatcher.stats.cache_path}")

    def on_end(self, event: Any) -> None:
        """Does nothing."""


notice = Notice()
event.register("numba:compile", notice)
