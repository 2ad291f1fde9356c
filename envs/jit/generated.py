"""Functions generated from a rules file, and compiled like those written by hand."""

import ast
import inspect
import zlib
from collections.abc import Callable
from threading import Lock
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

_PARSER = Lock()  # Python 3.11 can fail where two threads parse at once, see python/cpython issue 106905


class Place(NamedTuple):
    """The place of a declaration."""

    module: str
    file: str
    line: int


def function_of(source: str, names: dict[str, Any], place: Place) -> Callable[..., Any]:
    """Returns the function that a text defines, with these global names, as if it were at a place in a file.

    Numba caches compiled code in the folder of that file, by the function's name and line, until the file changes. So
    the name ends with a checksum of the text, and of all functions that it calls, and that these call: two functions of
    one name in a process would be one. A traceback shows the line of the declaration.
    """
    with _PARSER:
        tree = ast.parse(source)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    told = " ".join([source, *map(_told, names.values())])
    definition.name += f"_{zlib.crc32(told.encode()):08x}"
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr | ast.arg | ast.keyword):
            node.lineno = node.end_lineno = place.line
            node.col_offset = node.end_col_offset = 0
    namespace = {**names, "__name__": place.module}
    exec(compile(tree, place.file, "exec"), namespace)
    function: Callable[..., Any] = namespace[definition.name]
    vars(function)["source"] = source
    return function


def _told(value: Any, within: tuple[Any, ...] = ()) -> str:
    """Returns a text that tells a function from others, by what it does and encloses, or a constant; else nothing.

    It is the same in each process.
    """
    function = getattr(value, "py_func", value)
    if isinstance(function, FunctionType):
        if "source" in vars(function):  # generated, and its name has the checksum
            return function.__name__
        cells = [] if function in within else [cell.cell_contents for cell in function.__closure__ or ()]
        enclosed = (function.__code__, *(function.__defaults__ or ()), *cells)
        parts = (_told(part, (*within, function)) for part in enclosed)
        return f"{function.__module__}.{function.__qualname__} {' '.join(parts)}"
    if isinstance(value, CodeType):
        return f"{value.co_code.hex()} {value.co_names} {' '.join(map(_told, value.co_consts))}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    return repr(value) if isinstance(value, int | float | str | tuple) else ""


def source_of(function: Callable[..., Any]) -> str:
    """Returns the text of a function, derived or not."""
    derived: str | None = vars(function).get("source")
    return inspect.getsource(function) if derived is None else derived
