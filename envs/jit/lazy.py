"""Functions that Numba compiles at their first call, and the notice about it.

Compiling the solver takes half a minute; solving a small game with it as plain Python takes a second. So a function of
the solver runs as plain Python until it has much to do, see :func:`brief`. The results are the same.
"""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, partial
from importlib import import_module
from typing import Any

import numpy as np

from nashzoo.envs.base.progress import say
from nashzoo.envs.base.signals import postponed
from nashzoo.envs.jit.numba import (
    CPUDispatcher,
    FunctionCache,
    IndexDataCacheFile,
    event,
    global_compiler_lock,
    rtsys,
    types,
)
from nashzoo.envs.jit.stamps import stamp_of


@contextmanager
def undisturbed() -> Iterator[None]:
    """Is for what Numba makes once: in one thread at a time, without garbage collection, and without interruption.

    An exception that comes while LLVM calls back is lost, and with it the compiled code. Collecting garbage takes a
    tenth of the time of compilation.
    """
    with postponed(), global_compiler_lock:
        enabled = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if enabled:
                gc.enable()


_PYTHON = {types.int64: int, types.float64: float, types.boolean: bool}  # the types that compiled code returns

SHORT = 100_000  # numbers in the arguments of calls of a function, in all, until it is compiled, see brief()

_brief = ContextVar("_brief", default=False)


@contextmanager
def brief() -> Iterator[None]:
    """Returns a context in which functions that are not compiled yet run as plain Python, until they have much to do.

    For calls whose work is in proportion to the size of their array arguments. A function is compiled when the numbers
    in its arguments are more than ``SHORT``, those of earlier calls included.
    """
    token = _brief.set(True)
    try:
        yield
    finally:
        _brief.reset(token)


_wrapping = ContextVar("_wrapping", default=False)  # whether integers wrap around without a warning


def _in_python(function: Callable[..., Any], *args: Any) -> Any:
    """Returns what a function returns as plain Python, in which integers wrap around as compiled ones do."""
    if _wrapping.get():  # asking takes less time than most functions do, setting takes more
        return function(*args)
    token = _wrapping.set(True)
    try:
        with np.errstate(over="ignore"):
            return function(*args)
    finally:
        _wrapping.reset(token)


def _attribute(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


class _Index(IndexDataCacheFile):  # type: ignore[misc]
    """The index of a function's compiled code on disk, which holds as long as nothing changes that the code depends on.

    Args:
        cache: Numba's cache of the function.
        function: The function.
    """

    def __init__(self, cache: Any, function: Any) -> None:
        super().__init__(cache.cache_path, cache._impl.filename_base, "")
        self._function = function
        self._source_stamp = ""

    def _load_index(self) -> Any:
        if not self._source_stamp:  # read before anything that is unpickled, which imports modules by their names
            self._source_stamp = stamp_of(self._function)
            self._version += f" {self._source_stamp}"
        return super()._load_index()

    def load(self, sig: Any) -> Any:
        """Returns the compiled code for a signature, or None; that of a version with other module names is removed."""
        try:
            return super().load(sig)
        except ImportError:
            self.flush()
            return None


class _Cache(FunctionCache):  # type: ignore[misc]
    """A function's compiled code on disk.

    It is loaded without what Numba needs to compile, whose import takes a quarter of a second.
    """

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = _Index(self, function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Returns the compiled code for a signature, or None."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class Kernel(CPUDispatcher):  # type: ignore[misc]  # numba has no type information
    """A function that is compiled for its one signature at the first call of it or of its caller.

    Numba itself compiles a function with a signature at its decoration, so all functions of a module at its import.
    Compiled code is cached on disk, and loaded from there the next time.

    Args:
        function: The function.
        locals: As in Numba.
        targetoptions: As in Numba.
        signature: The types of its arguments; None for those of each call.
    """

    def __new__(cls, *args: Any, signature: Any = None, **options: Any) -> "Kernel":
        """Returns a kernel, a :class:`Converting` one for a signature that needs it."""
        made: Kernel = super().__new__(Converting if cls is Kernel and _converts(signature) else cls)
        return made

    def __init__(
        self, function: Any, locals: Any = None, targetoptions: Any = None, signature: Any = None, **options: Any
    ) -> None:
        super().__init__(function, locals or {}, targetoptions, **options)
        self.signature = signature
        self._missing = False  # from the disk cache, as far as is known
        self._interpreted_numbers = 0  # in the arguments of the calls that ran as plain Python
        del self._cache  # of Numba, which looks for its folder at once

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Returns where to find the function of a module, rather than its code as Numba does."""
        module, name = self.py_func.__module__, self.py_func.__qualname__
        if getattr(sys.modules.get(module), name, None) is self:
            return _attribute, (module, name)
        return super().__reduce__()  # type: ignore[no-any-return]

    @cached_property
    def _cache(self) -> Any:
        """The compiled code on disk."""
        return _Cache(self.py_func)

    def compile_now(self) -> None:
        """Compiles the function, or loads it from the disk cache, unless this has been done."""
        if self.signature is None or not self._can_compile:
            return
        with undisturbed():
            if self._can_compile and not self._taken_from_disk():
                self.compile(self.signature)
                self.disable_compile()

    def interpret(self, *args: Any) -> Any:
        """Returns what the compiled function would return, in the same types, from a call as plain Python."""
        with brief():
            result = _in_python(self.py_func, *args)
        kind = self.signature.return_type
        if isinstance(kind, types.BaseTuple):
            return tuple(_PYTHON[each](number) for each, number in zip(kind, result, strict=True))
        return _PYTHON[kind](result)

    def compile(self, sig: Any) -> Any:
        """Compiles the function for a signature, unless this has been done."""
        with undisturbed():
            return super().compile(sig)

    def typeof_pyval(self, val: Any) -> Any:
        """Returns the type of an argument; not while a thread compiles, which adds to the types that Numba knows."""
        with undisturbed():
            return super().typeof_pyval(val)

    def as_value(self, params: Any) -> Any:
        """Returns the function as a value for kernels, in a game with these parameters."""
        self.compile_now()
        return self

    def _taken_from_disk(self) -> bool:
        """Loads the compiled function from the disk cache, and returns whether it was there."""
        if self._missing:
            return False
        with undisturbed():
            if not self._can_compile:  # another thread has loaded it
                return True
            code = self._cache.load_overload(self.signature, self.targetctx)
            self._missing = code is None
            if code is not None:
                self.targetctx.insert_user_function(code.entry_point, code.fndesc, [code.library])
                self.add_overload(code)
                self.disable_compile()
        return not self._missing

    def _is_short(self, args: tuple[Any, ...]) -> bool:
        """Returns whether a call runs as plain Python, which is faster than to compile the function."""
        if not _brief.get():
            return False
        if self.signature is None:  # the functions of a game among its arguments are not those of compiled callers
            return True
        if self._taken_from_disk():
            return False
        self._interpreted_numbers += _count(args)
        return self._interpreted_numbers <= SHORT

    def _search_new_conversions(self, *args: Any, **kwargs: Any) -> bool:
        """Finds what arguments can be converted; Numba looks again in any case, as another thread may have found it."""
        with undisturbed():
            super()._search_new_conversions(*args, **kwargs)
        return True

    # Numba calls each of these three before it uses the compiled function: for a call from Python, for a call from
    # another compiled function, and for a use as a value.

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        if self._is_short(args):
            return partial(_in_python, self.py_func)
        if self.signature is None:
            return super()._compile_for_args(*args, **kwargs)
        self.compile_now()
        return self  # which is called again, and checks the arguments

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Returns the template of the function's type; it is not compiled for each constant among the arguments."""
        self.compile_now()
        return super().get_call_template([types.unliteral(kind) for kind in args], kws)

    def get_compile_result(self, sig: Any) -> Any:
        """Returns the result of compilation."""
        self.compile_now()
        return super().get_compile_result(sig)

    def _reduce_states(self) -> dict[str, Any]:
        return {
            "uuid": str(self._uuid),
            "function": self.py_func,
            "locals": self.locals,
            "targetoptions": self.targetoptions,
            "signature": self.signature,
        }

    @classmethod
    def _rebuild(cls, uuid: str, **states: Any) -> "Kernel":
        if uuid in cls._memo:
            known: Kernel = cls._memo[uuid]
            return known
        rebuilt = cls(**states)
        rebuilt._set_uuid(uuid)
        return rebuilt


class Converting(Kernel):
    """A function some of whose arguments or results Numba converts by code in Python.

    An exception that a handler of a signal raised there would be lost, or end the process: Numba does not expect it.
    """

    def __call__(self, *args: Any) -> Any:
        """Calls the compiled function; an interruption comes after the call.

        It is compiled before: Numba converts no argument if another thread has compiled it since the call began.
        """
        with postponed():
            if self._can_compile and self.signature is not None:
                return self._compile_for_args(*args)(*args)
            return super().__call__(*args)


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

    def __call__(self, *args: Any) -> Any:
        """Calls the original function."""
        return _in_python(self.py_func, *args)


def _count(args: tuple[Any, ...]) -> int:
    """Returns the total size of a function's arguments, in numbers."""
    return sum(_count(each) if isinstance(each, tuple) else getattr(each, "size", 1) for each in args)


class Notice(event.Listener):  # type: ignore[misc]
    """Prints once per process on standard error that it compiles, as the first use after installation takes a while."""

    said = False

    def on_start(self, event: Any) -> None:
        """Prints the notice if the function is one of nashzoo."""
        kernel = event.data["dispatcher"]
        if isinstance(kernel, Kernel) and not self.said:
            self.said = True
            say(f"compiling what is used for the first time; it is kept in {kernel.stats.cache_path}")

    def on_end(self, event: Any) -> None:
        """Does nothing."""


notice = Notice()
event.register("numba:compile", notice)
