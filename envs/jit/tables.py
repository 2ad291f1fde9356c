"""Arrays in the numbers of a game, as compiled rules read them: by index alone, and without a count of references.

An array of NumPy in a named tuple has its references counted at every call of a rule, which takes longer than most
rules. A table is an address and a shape. In Python, and with ``NUMBA_DISABLE_JIT=1``, it is an array.
"""

import operator
from typing import Any

import numpy as np

from nashzoo.envs.jit.compiled import Ints
from nashzoo.envs.jit.numba import cgutils, lower_builtin, models, register_model, type_callable, types


class _Table(types.Type):  # type: ignore[misc]  # numba has no type information
    """Numba's type of a table with 64-bit numbers: ``table[i]``, ``table[i, j]``, and ``len(table)``."""

    def __init__(self, dtype: Any, ndim: int) -> None:
        self.dtype, self.ndim = dtype, ndim
        super().__init__(f"Table({dtype}, {ndim})")


@register_model(_Table)
class _TableModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        members = [("data", types.CPointer(kind.dtype)), ("rows", types.intp), ("columns", types.intp)]
        super().__init__(manager, kind, members)


def ints_at(numbers: Ints, place: int, rows: int) -> Any:
    """Returns the table ``[rows]`` at a place of the numbers."""
    return numbers[place : place + rows]


def floats_at(numbers: Ints, place: int, rows: int) -> Any:
    """Returns the table ``[rows]`` of floats whose bits are at a place of the numbers."""
    return numbers[place : place + rows].view(np.float64)


def int_rows_at(numbers: Ints, place: int, rows: int, columns: int) -> Any:
    """Returns the table ``[rows, columns]`` at a place of the numbers."""
    return numbers[place : place + rows * columns].reshape(rows, columns)


def float_rows_at(numbers: Ints, place: int, rows: int, columns: int) -> Any:
    """Returns the table ``[rows, columns]`` of floats whose bits are at a place of the numbers."""
    return numbers[place : place + rows * columns].view(np.float64).reshape(rows, columns)


READERS = {(int, 1): ints_at, (float, 1): floats_at, (int, 2): int_rows_at, (float, 2): float_rows_at}


def _lowered(reader: Any, kind: _Table, ndim: int) -> None:
    """Tells Numba how to compile a reader."""

    @type_callable(reader)  # type: ignore[untyped-decorator]
    def typed(context: Any) -> Any:
        if ndim == 1:
            return lambda numbers, place, rows: kind
        return lambda numbers, place, rows, columns: kind

    def lower(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        numbers = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=arguments[0])
        place, *shape = (
            context.cast(builder, size, of, types.intp)
            for size, of in zip(arguments[1:], sig.args[1:], strict=True)
        )  # fmt: skip
        table = cgutils.create_struct_proxy(kind)(context, builder)
        table.data = builder.bitcast(builder.gep(numbers.data, [place]), table.data.type)
        table.rows, table.columns = shape[0], shape[-1]
        return table._getvalue()

    lower_builtin(reader, types.Array, *[types.Integer] * (1 + ndim))(lower)


for (_number, _ndim), _reader in READERS.items():
    _lowered(_reader, _Table(types.int64 if _number is int else types.float64, _ndim), _ndim)


@type_callable(operator.getitem)  # type: ignore[untyped-decorator]
def _type_entry(context: Any) -> Any:
    def typed(table: Any, index: Any) -> Any:
        if not isinstance(table, _Table):
            return None
        one = isinstance(index, types.Integer) and table.ndim == 1
        two = isinstance(index, types.BaseTuple) and len(index) == table.ndim == 2
        return table.dtype if one or two else None

    return typed


@lower_builtin(operator.getitem, _Table, types.Integer)  # type: ignore[untyped-decorator]
def _entry(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    table = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=arguments[0])
    place = context.cast(builder, arguments[1], sig.args[1], types.intp)
    return builder.load(builder.gep(table.data, [place]))


@lower_builtin(operator.getitem, _Table, types.BaseTuple)  # type: ignore[untyped-decorator]
def _entry_of_row(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    table = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=arguments[0])
    row, column = (
        context.cast(builder, builder.extract_value(arguments[1], axis), of, types.intp)
        for axis, of in enumerate(sig.args[1])
    )
    place = builder.add(builder.mul(row, table.columns), column)
    return builder.load(builder.gep(table.data, [place]))


@type_callable(len)  # type: ignore[untyped-decorator]
def _type_length(context: Any) -> Any:
    return lambda table: types.intp if isinstance(table, _Table) else None


@lower_builtin(len, _Table)  # type: ignore[untyped-decorator]
def _length(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return cgutils.create_struct_proxy(sig.args[0])(context, builder, value=arguments[0]).rows
