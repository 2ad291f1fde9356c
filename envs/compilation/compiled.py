"""Compilation of rules and kernels: one signature per rule, and one object with all functions of a game.

A rules file decorates its rules with ``@rule``, which finds their signatures by their names, and other
functions that they call with ``@compiled()``. :class:`CompiledGame` holds the functions of one game and its parameters
as a single cheap argument of compiled kernels, so that every kernel is compiled once, for all games, and cached on
disk. Passing the functions one by one would take 20 microseconds each at every call, and a closure over them would be
compiled in every process.

With ``NUMBA_DISABLE_JIT=1`` the same code runs as plain Python.
"""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import boolean, config, float32, float64, int64, types, void
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.experimental import structref
from numba.extending import lower_builtin, type_callable
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.compilation.lazy_compilation import Kernel

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Features = NDArray[np.float32]
Mask = NDArray[np.int8]
Bools = NDArray[np.bool_]

F = TypeVar("F", bound=Callable[..., Any])

# Numba warns about first-class functions since 2020; with them one kernel works for all games.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning, message="First-class function type")

PARAMS = int64[::1]

# The functions of a game that kernels call, by name.
_OF_A_STATE = int64(PARAMS, int64)
SIGNATURES = {
    "step": int64(PARAMS, int64, int64, int64),
    "legal": int64(PARAMS, int64, int64),
    "turn": _OF_A_STATE,
    "payoff": float64(PARAMS, int64),
    "terminal": boolean(PARAMS, int64),
    "observe": void(PARAMS, int64, int64, float32[::1]),
    "decode_observation": types.UniTuple(int64, 2)(PARAMS, float32[::1]),
    "swap_players": _OF_A_STATE,
    "index": _OF_A_STATE,
    "code_at": _OF_A_STATE,
    "strategic_state": _OF_A_STATE,
    "chance": int64(PARAMS, int64, int64[::1], float64[::1]),
}


def compiled(
    signature: Any = None, nogil: bool = True, inline: bool = False, kind: type[Kernel] = Kernel
) -> Callable[[F], F]:
    """Returns a decorator that compiles a function for ``signature``, or for the types of its arguments when None.

    It is compiled at its first call, see :class:`nashzoo.envs.compilation.lazy_compilation.Kernel`.
    With ``nogil`` other threads may run during a call; short calls are faster without. With ``inline`` the function
    is inlined into its callers, which saves passing its arguments.
    """

    def decorate(function: F) -> F:
        if config.DISABLE_JIT:
            # Compiled integers wrap around without a warning, so they do here too.
            return np.errstate(over="ignore")(function)
        options = {"nopython": True, "nogil": nogil, "inline": "always" if inline else "never"}
        # Only functions of a game's parameters are passed as values, for which there is more to compile.
        options["no_cfunc_wrapper"] = signature is not None and PARAMS not in signature.args
        return cast(F, kind(function, targetoptions=options, signature=signature))

    return decorate


def rule(function: F) -> F:
    """Compiles a rule, with the signature of its name in ``SIGNATURES``.

    Raises:
        UsageError: there is no rule of this name.
    """
    name = function.__name__
    if name not in SIGNATURES:
        raise UsageError(f"{name} is no rule; @rule is for {', '.join(SIGNATURES)}, and @compiled() for all else")
    return compiled(SIGNATURES[name])(function)


class Direct:
    """A class attribute: a compiled function without the check of its arguments, which halves the time of a short call.

    Its arguments must match the signature exactly, by position: they are not checked.

    Args:
        function: The function, which has one signature, and is compiled at the first access to the attribute.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: Any, owner: type) -> Any:
        if config.DISABLE_JIT:
            return self._function
        kernel = cast(Kernel, self._function)
        kernel.compile_now()
        (compilation,) = kernel.overloads.values()
        setattr(self._owner, self._name, compilation.entry_point)  # replaces this object, which is slower
        return compilation.entry_point


def borrowed(arrays: Any) -> Any:
    """Returns an array, or a named tuple with arrays, without ownership: the caller must keep the original alive.

    In compiled code, passing such an array or its rows to another function counts no references, nor does
    reading it from the tuple. Counting takes longer than many rules, and threads that count references to the same
    array wait for each other.
    """
    return arrays


@type_callable(borrowed)  # type: ignore[untyped-decorator]
def _type_borrowed(context: Any) -> Any:
    return lambda arrays: arrays


@lower_builtin(borrowed, types.Array)  # type: ignore[untyped-decorator]
def _borrow(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = signature.args[0]
    view = make_array(array)(context, builder, arguments[0])
    view.meminfo = context.get_constant_null(types.MemInfoPointer(array.dtype))
    return view._getvalue()


@lower_builtin(borrowed, types.BaseTuple)  # type: ignore[untyped-decorator]
def _borrow_all(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    (borrower,) = arguments
    for k, kind in enumerate(signature.args[0]):
        borrow = {types.Array: _borrow, types.BaseTuple: _borrow_all}
        for of, lend in borrow.items():
            if isinstance(kind, of):
                lent = lend(context, builder, kind(kind), [builder.extract_value(borrower, k)])
                borrower = builder.insert_value(borrower, lent, k)
    return borrower


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

if not config.DISABLE_JIT:

    class _Handle:
        """The boxed form of a packed game for Numba: only its memory."""

        @staticmethod
        def _numba_box_(numba_type: Any, meminfo: Any) -> Any:
            return meminfo

    structref.define_boxing(_CompiledGameType, _Handle)

    @compiled(GAME(*_FIELDS.values()))
    def _pack(
        step: Any,
        legal: Any,
        turn: Any,
        payoff: Any,
        terminal: Any,
        observe: Any,
        decode_observation: Any,
        swap_players: Any,
        index: Any,
        code_at: Any,
        strategic_state: Any,
        chance: Any,
        params: Ints,
        num_actions: int,
        has_chance: int,
    ) -> Any:
        """Returns the memory with a game's functions and parameters."""
        game = structref.new(GAME)
        game.step = step
        game.legal = legal
        game.turn = turn
        game.payoff = payoff
        game.terminal = terminal
        game.observe = observe
        game.decode_observation = decode_observation
        game.swap_players = swap_players
        game.index = index
        game.code_at = code_at
        game.strategic_state = strategic_state
        game.chance = chance
        game.params = params
        game.num_actions = num_actions
        game.has_chance = has_chance
        return game


class CompiledGame:
    """The functions and parameters of one game, as an argument of kernels, compiled or not.

    The functions are compiled at the first call of a compiled kernel with the game.

    Args:
        **values: The fields.
    """

    _numba_type_ = GAME

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        if name != "_meminfo":  # which Numba reads
            raise AttributeError(name)
        cast(Kernel, _pack).compile_now()  # it can only be called compiled
        values = (self.__dict__[field] for field in _FIELDS)
        self._meminfo = _pack(
            *(value.as_value(self.params) if isinstance(value, Kernel) else value for value in values)
        )
        return self._meminfo
