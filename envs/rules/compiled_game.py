"""A game as one argument of compiled kernels.

:class:`CompiledGame` holds the functions of one game and its numbers as a single cheap argument, so that every kernel
is compiled once, for all games, and cached on disk. Passing the functions one by one would take 20 microseconds each at
every call, and a closure over them would be compiled in every process.
"""

from collections.abc import Callable
from typing import Any, cast

from nashzoo.envs.jit.compiled import PARAMS, compiled
from nashzoo.envs.jit.generated import Place, function_of
from nashzoo.envs.jit.lazy import Kernel
from nashzoo.envs.jit.numba import PLAIN, int64, say_what_is_slow, structref, types
from nashzoo.envs.jit.plain_functions import PlainPiece
from nashzoo.envs.jit.private import define_boxing, undisturbed
from nashzoo.envs.rules.pieces import SIGNATURES


class _CompiledGameType(types.StructRef):  # type: ignore[misc]  # numba has no type information
    """Numba's type of :class:`CompiledGame`."""


_FIELDS = {
    **{name: types.FunctionType(signature) for name, signature in SIGNATURES.items()},
    "params": PARAMS,
    "num_actions": int64,
    "has_chance": int64,
}

structref.register(_CompiledGameType)
GAME = _CompiledGameType(list(_FIELDS.items()))

if not PLAIN:
    define_boxing(_CompiledGameType)

    def _packer() -> Any:
        """Returns the compiled function that fills the memory with a game's functions and numbers."""
        lines = [f"def pack({', '.join(_FIELDS)}):", "    game = new(GAME)"]
        lines += [f"    game.{name} = {name}" for name in _FIELDS] + ["    return game\n"]
        place = Place(__name__, __file__, 1)
        return compiled(GAME(*_FIELDS.values()))(
            function_of("\n".join(lines), {"new": structref.new, "GAME": GAME}, place)
        )

    _pack = _packer()


@compiled(SIGNATURES["turn"])
def absent(params: Any, code: int) -> int:
    """Replaces a function that a game does not have, and is never called: kernels take all functions at once."""
    return -1


class CompiledGame:
    """The functions and parameters of one game, as an argument of kernels, compiled or not.

    The functions are compiled at the first call of a compiled kernel with the game.

    Args:
        check: Called with those functions, by name, that have been compiled.
        **values: The fields.

    Attributes:
        machine_code: The functions that have been compiled, by name, as Python calls them; others are plain Python.
    """

    _numba_type_ = GAME

    def __init__(self, check: Callable[[dict[str, Any]], None], **values: Any) -> None:
        say_what_is_slow()
        self._check = check
        self.machine_code: dict[str, Any] = {}
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        if name != "_meminfo":  # which Numba reads
            raise AttributeError(name)
        with undisturbed():
            if "_memory" not in self.__dict__:  # else another thread has packed it meanwhile
                cast(Kernel, _pack).compile_now()  # it can only be called compiled
                # Numba counts no references to the functions in the memory: the game keeps them alive.
                self._packed = {field: self.function(field) for field in _FIELDS}
                pieces = ((name, self.__dict__[name]) for name in _FIELDS)
                self.machine_code = {
                    name: one.entry_point
                    for name, one in pieces
                    if isinstance(one, PlainPiece) and self._packed[name] is one.dispatcher
                }
                self._memory = _pack(*self._packed.values())
        self._check(self.machine_code)  # it runs the rules: other threads and interrupts may come between
        self._meminfo = self._memory
        return self._meminfo

    def function(self, name: str) -> Any:
        """Returns a function of the game, as an argument of kernels that are compiled for this game alone."""
        value = self.__dict__[name]
        return value.as_value(self.params) if isinstance(value, Kernel) else value
