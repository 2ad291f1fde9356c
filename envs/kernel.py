"""A function that Numba compiles when it is first called, and the notice that says so."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keeps the garbage collector from looking through the compiler's many objects, a tenth of the time it takes."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


_interpreting = ContextVar("_interpreting", default=False)


@contextmanager
def interpreted() -> Iterator[None]:
    """Within it, what has not been compiled runs as plain Python: for a few short calls compilation takes longer."""
    token = _interpreting.set(True)
    try:
        yield
    finally:
        _interpreting.reset(token)


class Kernel(CPUDispatcher):  # type: ignore[misc]  # numba has no type information
    """A function that is compiled for its one signature when it, or what calls it, is first called.

    Numba compiles a function with a signature as soon as it is decorated: all of a file's at its import. What is
    compiled is kept on disk, and taken from there the next time.

    Args:
        function: The function.
        locals: As in Numba.
        targetoptions: As in Numba.
        signature: What it is compiled for; None for whatever arguments it meets.
    """

    def __init__(
        self, function: Any, locals: Any = None, targetoptions: Any = None, signature: Any = None, **options: Any
    ) -> None:
        super().__init__(function, locals, targetoptions, **options)
        self.signature = signature
        self.enable_caching()

    def compile_now(self) -> None:
        """Compiles the function, or takes it from the disk, if this has not been done."""
        if self.signature is None or not self._can_compile:
            return
        with global_compiler_lock, _uncollected():
            if self._can_compile:
                self.compile(self.signature)
                self.disable_compile()

    # Numba calls each of these three before it asks what is compiled: for a call from Python, for one from another
    # compiled function, and where the function is handed over as a value.

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        if _interpreting.get():
            return np.errstate(over="ignore")(self.py_func)
        if self.signature is None:
            return super()._compile_for_args(*args, **kwargs)
        self.compile_now()
        return self  # which is called again, and judges the arguments

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Returns what is known about the function's type."""
        self.compile_now()
        return super().get_call_template(args, kws)

    def get_compile_result(self, sig: Any) -> Any:
        """Returns what was compiled."""
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


class Notice(event.Listener):  # type: ignore[misc]
    """Says once in a process that it compiles, on standard error: the first use after installation takes a while."""

    def on_start(self, event: Any) -> None:
        """Says it, where the function is ours."""
        kernel = event.data["dispatcher"]
        if isinstance(kernel, Kernel) and not self.said:
            self.said = True
            sys.stderr.write(
                f"nashzoo: compiling, once after installation; what is compiled is kept in {kernel.stats.cache_path}\n"
            )

    def on_end(self, event: Any) -> None:
        """Says nothing."""

    said = False


notice = Notice()
event.register("numba:compile", notice)
