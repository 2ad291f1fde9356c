"""Functions generated from the declarations of a rules file, and compiled like those written by hand."""

import ast
import inspect
import sys
from collections.abc import Callable
from typing import Any, NamedTuple


class Place(NamedTuple):
    """The place of a declaration."""

    module: str
    file: str
    line: int


def caller() -> tuple[Place, dict[str, Any]]:
    """Returns the place of the call of the function that calls this one, and the global names there."""
    frame = sys._getframe(2)
    return Place(frame.f_globals["__name__"], frame.f_code.co_filename, frame.f_lineno), frame.f_globals


def function_of(source: str, names: dict[str, Any], place: Place) -> Callable[..., Any]:
    """Returns the function that a text defines, as if it were at a place in a file.

    Numba caches compiled code in the folder of that file, by the function's name and line, until the file changes. A
    traceback shows the line of the declaration.

    Args:
        source: The definition of one function.
        names: The global names of the function, with their values.
        place: The place of its declaration.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr | ast.arg | ast.keyword):
            node.lineno = node.end_lineno = place.line
            node.col_offset = node.end_col_offset = 0
    namespace = {**names, "__name__": place.module}
    exec(compile(tree, place.file, "exec"), namespace)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    function: Callable[..., Any] = namespace[definition.name]
    vars(function)["source"] = source
    return function


def source_of(function: Callable[..., Any]) -> str:
    """Returns the text of a function, derived or not."""
    derived: str | None = vars(function).get("source")
    return inspect.getsource(function) if derived is None else derived
