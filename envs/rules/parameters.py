"""The parameters of a rules file, and the tables computed from them, as one array of numbers that compiled code takes.

The array holds the parameters that are numbers, the number of actions, the largest value of each field of a state, and
the tables: their numbers, and for each array its place and its shape; then the arrays themselves.
"""

import inspect
from collections import namedtuple
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.jit.compiled import Ints
from nashzoo.envs.jit.generated import Place, function_of
from nashzoo.envs.jit.plain_functions import plain
from nashzoo.envs.jit.tables import READERS
from nashzoo.envs.rules.results import listed, names_fault, place_in_words

LARGEST = 2**63 - 1  # of compiled code
NUMERIC = (bool, int, float)
READ = {bool: "bool(numbers[{0}])", int: "int(numbers[{0}])", float: "float(floats_at(numbers, {0}, 1)[0])"}


class Parameters:
    """The parameters of a rules file.

    Attributes:
        actions: The place of the number of actions.
        maxima: The place of the largest value of the first field; those of the others follow.
        names: The functions ``params_of(numbers)`` and ``tables_of(numbers)`` for compiled code; the first returns a
            named tuple of the parameters that are numbers, the second what the file's ``tables`` returned.
    """

    def __init__(self, written: Any, place: Place) -> None:
        self._written = written
        whole = getattr(written, "Params", None)
        self.defaults: dict[str, Any] = {} if whole is None else whole._field_defaults
        self._whole = whole or namedtuple("Params", ())
        self._kinds = {name: type(value) for name, value in self.defaults.items() if self._is_number(name, value)}
        self._class = self._whole if len(self._kinds) == len(self.defaults) else namedtuple("Params", self._kinds)
        self.actions = len(self._kinds)
        self.maxima = self.actions + 1
        self._tables_at = self.maxima + len(written.State._fields)
        numbers = [READ[kind].format(k) for k, kind in enumerate(self._kinds.values())]
        self.names = {"params_of": self._reader("params_of", self._class, numbers, place)}
        self._shapes: dict[str, tuple[type, int]] | None = None
        if hasattr(written, "tables"):
            tables = self._tables(self.defaults)
            self._shapes = {name: _shape(name, value) for name, value in tables._asdict().items()}
            self.names["tables_of"] = self._reader("tables_of", type(tables), self._table_texts(), place)
        self.signature = signature_of(written)

    def _is_number(self, name: str, default: Any) -> bool:
        """Returns whether a parameter is declared as a number, and so seen by compiled functions."""
        hint = self._whole.__annotations__.get(name, type(default))
        return type(default) in NUMERIC and (hint in NUMERIC or hint in {kind.__name__ for kind in NUMERIC})

    def _reader(self, name: str, of: Any, texts: list[str], place: Place) -> Callable[..., Any]:
        source = f"def {name}(numbers):\n    return {of.__name__}({', '.join(texts)})\n"
        names = {of.__name__: of} | {reader.__name__: reader for reader in READERS.values()}
        return plain(function_of(source, names, place))

    def _table_texts(self) -> list[str]:
        """Returns the expressions that read the tables."""
        assert self._shapes is not None
        texts, at = [], self._tables_at
        for kind, ndim in self._shapes.values():
            if ndim == 0:
                texts.append(READ[kind].format(at))
            else:
                shape = ", ".join(f"numbers[{at + 1 + axis}]" for axis in range(ndim))
                texts.append(f"{READERS[kind, ndim].__name__}(numbers, numbers[{at}], {shape})")
            at += 1 + ndim
        return texts

    def _tables(self, options: dict[str, Any]) -> Any:
        function = self._written.tables
        return function(self._whole(**options)) if inspect.signature(function).parameters else function()

    def numbers(self, **options: Any) -> Ints:
        """Returns the numbers of a game with these parameters.

        Raises:
            UsageError: a parameter is invalid.
        """
        values = self.defaults | options
        self._check(values)
        chosen = [_bits(self._kinds[name](values[name])) for name in self._kinds]
        header, arrays = [], list[NDArray[Any]]()
        if self._shapes is not None:
            tables = self._tables(values)._asdict()
            length = self._tables_at + sum(1 + ndim for _, ndim in self._shapes.values())
            for name, value in tables.items():
                if _shape(name, value) != self._shapes[name]:
                    raise UsageError(f"tables.{name} must be of the same kind for all parameters, not {value!r}")
                if np.ndim(value) == 0:
                    header.append(_bits(value))
                    continue
                header += [length, *np.shape(value)]
                arrays.append(np.ascontiguousarray(value).reshape(-1).view(np.int64))
                length += arrays[-1].size
        rest = np.concatenate([np.array(header, np.int64), *arrays])
        nothing = np.zeros(self._tables_at - len(chosen), np.int64)
        numbers = np.concatenate([np.array(chosen, np.int64), nothing, rest])
        numbers[self.actions] = len(self.action_names(numbers))
        maxima = self.call(self._written.field_maxima, numbers)
        if not isinstance(maxima, self._written.State):
            where = place_in_words(self._written.field_maxima)
            raise UsageError(f"field_maxima of {self._written.NAME} must return a State, not {maxima!r}{where}")
        for field, most in maxima._asdict().items():
            if isinstance(most, bool) or not isinstance(most, int | np.integer) or not 0 <= most <= LARGEST:
                options_text = ", ".join(f"{name}={value!r}" for name, value in options.items())
                cause = f"{self._written.NAME} cannot have {options_text}: " if options else ""
                raise UsageError(
                    f"{cause}the largest value of {field} must be a whole number from 0 to 2**63 - 1, not {most!r}"
                    f"{place_in_words(self._written.field_maxima)}"
                )
        numbers[self.maxima : self._tables_at] = maxima
        return numbers

    def _check(self, values: dict[str, Any]) -> None:
        """Raises a UsageError for an invalid parameter; that of the file says more, such as the range."""
        errors = [_parameter_error(name, values[name], kind) for name, kind in self._kinds.items()]
        error = next(filter(None, errors), None)
        try:
            for name, (low, high) in getattr(self._written, "RANGES", {}).items():
                if not low <= values[name] <= high:
                    raise UsageError(f"{name} must be from {low} to {high}, not {values[name]!r}")
            if hasattr(self._written, "check_params"):
                as_usage_error(lambda: self._written.check_params(self._whole(**values)))
        except UsageError:
            raise
        except Exception:
            if error is None:  # else the value is of a kind that these do not expect
                raise
        if error is not None:
            raise UsageError(error)

    def action_names(self, numbers: Ints) -> tuple[str, ...]:
        """Returns the names of the actions."""
        if hasattr(self._written, "actions"):
            names = listed(self.call(self._written.actions, numbers))
            if fault := names_fault(names):
                raise UsageError(f"actions of {self._written.NAME} must return {fault}")
            return tuple(names)
        return tuple(self._written.ACTIONS)

    def call(self, function: Callable[..., Any], numbers: Ints, **arguments: Any) -> Any:
        """Returns the result of a function of the file, with what its arguments name."""
        taken = arguments_of(function)
        if "params" in taken:
            arguments["params"] = python_of(self.names["params_of"])(numbers)
        if "tables" in taken:
            arguments["tables"] = python_of(self.names["tables_of"])(numbers)
        return function(*(arguments[name] for name in taken))


def signature_of(written: Any) -> inspect.Signature:
    """Returns the parameters of a rules file as arguments by keyword, with their defaults."""
    whole = getattr(written, "Params", None)
    defaults: dict[str, Any] = getattr(whole, "_field_defaults", {})
    kinds = getattr(whole, "__annotations__", {})
    keyword, none = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
    return inspect.Signature(
        [
            inspect.Parameter(name, keyword, default=value, annotation=kinds.get(name, none))
            for name, value in defaults.items()
        ]
    )


def python_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function as plain Python: compiled, it may return what only compiled code can use."""
    written: Callable[..., Any] = getattr(function, "py_func", function)
    return written


@cache
def arguments_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of a function's arguments."""
    return tuple(inspect.signature(getattr(function, "py_func", function)).parameters)


def as_usage_error(check: Callable[[], object]) -> None:
    """Calls a check of the file, and raises its ValueError as a UsageError."""
    try:
        check()
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(str(error)) from error


def _bits(value: Any) -> int:
    """Returns a number as a 64-bit integer; the bits of a decimal number."""
    return int(np.float64(value).view(np.int64)) if isinstance(value, float | np.floating) else int(value)


def _shape(name: str, value: Any) -> tuple[type, int]:
    """Returns the kind of a table, ``int`` or ``float``, and its number of dimensions."""
    array = np.asarray(value)
    if array.dtype.kind not in "biuf" or array.ndim > 2 or (array.ndim and array.dtype.itemsize != 8):
        raise UsageError(
            f"tables.{name} must be a number, or an array of int64 or float64 with one or two axes, not {value!r}"
        )
    return float if array.dtype.kind == "f" else int, array.ndim


def _parameter_error(name: str, value: Any, kind: type) -> str | None:
    """Returns what is wrong with the kind of a parameter."""
    if kind is bool or isinstance(value, bool):
        right, what = kind is bool and isinstance(value, bool), "True or False" if kind is bool else "a number"
    elif kind is int:
        right, what = isinstance(value, int | np.integer), "a whole number"
        if right and abs(value) > LARGEST:
            right, what = False, "a whole number from -2**63 + 1 to 2**63 - 1"
    else:
        right, what = isinstance(value, int | float) and bool(np.isfinite(value)), "a finite number"
    return None if right else f"{name} must be {what}, not {value!r}"
