"""The one place through which all code reaches Numba, which need not be installed.

Without Numba, and with ``NUMBA_DISABLE_JIT=1``, functions run as plain Python. Then the names that are imported from
here are placeholders: signatures are written as always, and nobody reads them.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from nashzoo.envs.base.progress import say

PRIVATE = {  # names that are not documented, see envs/jit/private.py, by their folders
    "CPUDispatcher": "core.registry", "FunctionCache": "core.caching", "IndexDataCacheFile": "core.caching",
    "NullCache": "core.caching", "global_compiler_lock": "core.compiler_lock", "rtsys": "core.runtime.nrt",
}  # fmt: skip
_FOLDERS = {  # of names that are not in Numba itself
    **PRIVATE, "NativeValue": "extending", "box": "extending", "cgutils": "core", "event": "core",
    "lower_builtin": "extending", "models": "extending", "register_jitable": "extending",
    "register_model": "extending", "structref": "experimental", "type_callable": "extending", "unbox": "extending",
}  # fmt: skip

_numba: Any = None
try:
    _numba = import_module("numba")
except ModuleNotFoundError as error:
    if error.name != "numba":
        raise

PLAIN = _numba is None or bool(_numba.config.DISABLE_JIT)  # whether functions run as plain Python
VERSION: str = "" if PLAIN else _numba.__version__


class _Placeholder(type):
    """The class of a class that is returned by all that is done with it, and from which others are derived."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __getitem__(cls, index: Any) -> Any:
        return cls

    def __call__(cls, *args: Any, **options: Any) -> Any:
        return cls


_placeholder = _Placeholder("_placeholder", (), {})

if PLAIN:

    def njit(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Returns a decorator that leaves a function as it is."""
        return lambda function: function


def __getattr__(name: str) -> Any:
    """Returns what Numba has by a name, or the placeholder."""
    if name.startswith("__"):
        raise AttributeError(name)
    if PLAIN:
        return _placeholder
    return getattr(__import__(f"numba.{_FOLDERS[name]}" if name in _FOLDERS else "numba", fromlist=[name]), name)


@cache
def say_what_is_slow() -> None:
    """Says on standard error, once and in the first process alone, that Numba is missing."""
    from multiprocessing import parent_process  # which not all systems have

    if _numba is None and parent_process() is None:
        say(
            "Numba is not installed, so all runs as plain Python, ten to a thousand times slower; on most systems "
            "`pip install numba` makes it fast"
        )
