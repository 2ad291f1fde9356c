"""All that nashzoo uses of Numba beyond what it documents, and the documented ways that replace it.

These parts save time; without them results are the same. They are used with releases that they were tried with, see
``TRIED``. With others, where Numba has no such names, and with ``NASHZOO_PUBLIC_NUMBA=1``, documented ways are used.

What is private, what it saves, and what replaces it:

- :func:`load`: half a second of imports where all is on the disk; ``jit(cache=True)``
- ``_Index``: compiling anew what has a new date, and files of older versions; another name for each version
- ``_Dispatcher``: compiling a function for each constant in a call; a function for each
- the compiler's lock: waiting in first calls by several threads; a lock of our own
- :func:`entry_point`: half the time of a short call; the call with checks
- null as ``meminfo`` in ``define_borrowing``: counting references; references are counted
- a null check in ``define_boxing``: reading ``_meminfo`` before each call; it is read
"""

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from threading import RLock
from types import FunctionType
from typing import Any

from nashzoo.envs.base.signals import postponed
from nashzoo.envs.jit import numba
from nashzoo.envs.jit.numba import (
    PLAIN,
    VERSION,
    NativeValue,
    box,
    cgutils,
    jit,
    lower_builtin,
    register_jitable,
    structref,
    type_callable,
    types,
    unbox,
)  # fmt: skip
from nashzoo.envs.jit.stamps import stamp_of

TRIED = (0, 61), (0, 68)  # releases of Numba, the first and the last
SWITCH = "NASHZOO_PUBLIC_NUMBA"


def available() -> bool:
    """Returns whether Numba has its private parts as they were tried."""
    if PLAIN or os.environ.get(SWITCH, "0") not in ("", "0"):
        return False
    try:
        release = tuple(int(number) for number in VERSION.split(".")[:2])
        return TRIED[0] <= release <= TRIED[1] and all(map(numba.__getattr__, numba.PRIVATE))
    except (ImportError, AttributeError, ValueError):
        return False


PRIVATE = available()
_lock: Any = numba.global_compiler_lock if PRIVATE else RLock()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Is for what Numba makes once: in one thread at a time, without garbage collection, and without interruption.

    An exception that comes while LLVM calls back is lost, and with it the compiled code. Collecting garbage takes a
    tenth of the time of compilation.
    """
    with postponed(), _lock:
        enabled = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if enabled:
                gc.enable()


if PRIVATE:

    class _Index(numba.IndexDataCacheFile):  # type: ignore[misc]  # numba has no type information
        """The index of a function's compiled code on disk, which holds while nothing changes that it depends on."""

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
            """Returns the compiled code for a signature, or None; that of a version with other names is removed."""
            try:
                return super().load(sig)
            except ImportError:
                self.flush()
                return None

    class _Cache(numba.FunctionCache):  # type: ignore[misc]
        """A function's compiled code on disk, loaded without the import of what Numba needs to compile."""

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self._cache_file = _Index(self, function)

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            """Returns the compiled code for a signature, or None."""
            numba.rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)

        def save_overload(self, sig: Any, data: Any) -> None:
            """Keeps the compiled code; not for a function as an argument, which no other process would find again."""
            if not any(isinstance(kind, types.Dispatcher) for kind in data.signature.args):
                super().save_overload(sig, data)

    class _Dispatcher(numba.CPUDispatcher):  # type: ignore[misc]
        """What Numba makes of a function; not while a thread compiles, which adds to the types that Numba knows."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            del self._cache  # of Numba, which looks for its folder at once

        @cached_property
        def _cache(self) -> Any:
            try:
                return _Cache(self.py_func)
            except RuntimeError:  # raised by Numba for functions that are in no file
                return numba.NullCache()

        def compile(self, sig: Any) -> Any:
            with undisturbed():
                return super().compile(sig)

        def typeof_pyval(self, val: Any) -> Any:
            with undisturbed():
                return super().typeof_pyval(val)

        def _search_new_conversions(self, *args: Any, **named: Any) -> bool:
            with undisturbed():
                super()._search_new_conversions(*args, **named)
            return True  # so that Numba looks again, as another thread may have found them

        def get_call_template(self, args: Any, kws: Any) -> Any:
            return super().get_call_template([types.unliteral(kind) for kind in args], kws)


def dispatcher_of(function: Any, options: dict[str, Any]) -> Any:
    """Returns what Numba makes of a function, kept on disk if the function is in a file.

    Args:
        function: The function.
        options: Numba's ``nogil`` and ``inline``, and others that only save time.
    """
    if PRIVATE:
        return _Dispatcher(function, targetoptions={"nopython": True, **options})
    documented = {"nopython": True, "nogil": options["nogil"], "inline": options["inline"]}
    # Numba finds what is on the disk by the function's name, and looks at no other file that it depends on.
    stamped = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    stamped.__qualname__ = f"{function.__qualname__}_{stamp_of(function)[:16]}"
    stamped.__module__, stamped.__doc__ = function.__module__, function.__doc__
    try:
        return jit(cache=True, **documented)(stamped)
    except RuntimeError:  # raised by Numba for functions that are in no file
        return jit(**documented)(function)


def load(dispatcher: Any, signature: Any) -> bool:
    """Loads the compiled function for a signature from the disk, and returns whether it was there and is loaded."""
    code = dispatcher._cache.load_overload(signature, dispatcher.targetctx) if PRIVATE else None
    if code is not None:
        dispatcher.targetctx.insert_user_function(code.entry_point, code.fndesc, [code.library])
        dispatcher.add_overload(code)
    return code is not None


def callable_of(dispatcher: Any) -> Callable[..., Any]:
    """Returns what Python calls."""
    if PRIVATE:
        return dispatcher  # type: ignore[no-any-return]
    called = False

    def call(*args: Any, **named: Any) -> Any:
        nonlocal called
        for argument in args:
            getattr(argument, "_meminfo", None)  # where Numba reads it, an exception would end the process
        if called:
            return dispatcher(*args, **named)
        with undisturbed():  # Numba looks for types and conversions, and expects no other thread
            result = dispatcher(*args, **named)
        called = True
        return result

    return call


def entry_point(dispatcher: Any) -> Any:
    """Returns the one compiled function without the check of its arguments; None if it cannot be had."""
    return next(iter(dispatcher.overloads.values())).entry_point if PRIVATE else None


class _Boxed:
    """What compiled code returns for a structure: its memory."""

    @staticmethod
    def _numba_box_(kind: Any, memory: Any) -> Any:
        return memory


def define_boxing(kind: Any) -> None:
    """Tells Numba how structures of a type pass between Python and compiled code: in by ``_meminfo``, out as it.

    Reading the attribute may fail, as by Ctrl-C while it compiles.
    """
    if not PRIVATE:
        structref.define_boxing(kind, _Boxed)
        return
    memory_type = types.MemInfoPointer(types.voidptr)

    @box(kind)  # type: ignore[untyped-decorator]
    def boxed(kind: Any, value: Any, c: Any) -> Any:
        return c.box(memory_type, cgutils.create_struct_proxy(kind)(c.context, c.builder, value=value).meminfo)

    @unbox(kind)  # type: ignore[untyped-decorator]
    def unboxed(kind: Any, handle: Any, c: Any) -> NativeValue:
        memory = c.pyapi.object_getattr_string(handle, "_meminfo")
        structure = cgutils.create_struct_proxy(kind)(c.context, c.builder)
        failed = cgutils.is_null(c.builder, memory)
        with c.builder.if_then(c.builder.not_(failed), likely=True):
            structure.meminfo = c.unbox(memory_type, memory).value
            c.pyapi.decref(memory)
        return NativeValue(structure._getvalue(), is_error=failed)


def borrowed(arrays: Any) -> Any:
    """Returns an array, or a named tuple with arrays, without ownership: the caller must keep the original alive.

    In compiled code, passing such an array or its rows to another function counts no references, nor does
    reading it from the tuple. Counting takes longer than many rules, and threads that count references to the same
    array wait for each other.
    """
    return arrays


def _define_borrowing() -> None:
    """Tells Numba how :func:`borrowed` is compiled."""

    @type_callable(borrowed)  # type: ignore[untyped-decorator]
    def typed(context: Any) -> Any:
        return lambda arrays: arrays

    @lower_builtin(borrowed, types.Array)  # type: ignore[untyped-decorator]
    def borrow(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = signature.args[0]
        view = cgutils.create_struct_proxy(array)(context, builder, value=arguments[0])
        view.meminfo = context.get_constant_null(types.MemInfoPointer(array.dtype))
        return view._getvalue()

    @lower_builtin(borrowed, types.BaseTuple)  # type: ignore[untyped-decorator]
    def borrow_all(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (borrower,) = arguments
        for k, kind in enumerate(signature.args[0]):
            of = {types.Array: borrow, types.BaseTuple: borrow_all}
            lend = next((lend for each, lend in of.items() if isinstance(kind, each)), None)
            if lend is not None:
                lent = lend(context, builder, kind(kind), [builder.extract_value(borrower, k)])
                borrower = builder.insert_value(borrower, lent, k)
        return borrower


if PRIVATE:
    _define_borrowing()
elif not PLAIN:
    register_jitable(borrowed)
