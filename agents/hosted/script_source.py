"""Analysis of the text of a third-party Roshambo script, without running it."""

import ast
import importlib.util
import symtable
import warnings
from importlib.machinery import PathFinder

from nashzoo.agents.hosted.script_worker import STAND_IN

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class _ComprehensionsApart(ast.NodeTransformer):
    """Makes generators of comprehensions, whose variables a symbol table counts as the module's from Python 3.12 on."""

    def _generator(self, node: ast.ListComp | ast.SetComp | ast.DictComp) -> ast.AST:
        made = ast.Tuple([node.key, node.value], ast.Load()) if isinstance(node, ast.DictComp) else node.elt
        return self.generic_visit(ast.GeneratorExp(made, node.generators))

    visit_ListComp = visit_SetComp = visit_DictComp = _generator


def format_of(source: bytes) -> str:
    """Returns the format of a script; rpscontest's if it is unclear.

    The module's global variables decide, wherever in its text they are set: rpscontest's scripts set ``output`` and
    read ``input``, Kaggle's define a callable.

    >>> format_of(b"output = 'R' if input == '' else input")
    'rpscontest'
    >>> format_of(b"def agent(observation, configuration): return 0")
    'kaggle'
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            script = _ComprehensionsApart().visit(ast.parse(source))
            module = symtable.symtable(ast.unparse(script), "script", "exec")
    except UNREADABLE:
        return "rpscontest"
    reads_input = any(symbol.get_name() == "input" and symbol.is_referenced() for symbol in module.get_symbols())
    bound = _bound(module)
    return "rpscontest" if "output" in bound or reads_input or not bound else "kaggle"


def _bound(scope: symtable.SymbolTable) -> set[str]:
    """Returns the names of the module's variables that are set in a scope or in those inside it."""
    module = scope.get_type() == "module"
    own = {
        symbol.get_name()
        for symbol in scope.get_symbols()
        if (symbol.is_assigned() or symbol.is_imported()) and (module or symbol.is_declared_global())
    }
    return own.union(*map(_bound, scope.get_children()))


def missing_module(source: bytes, folder: str) -> str | None:
    """Returns the first module that a script always imports, neither installed nor in its folder, or None.

    Nested imports are ignored: they may be in a ``try``, or never be executed.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            statements = ast.parse(source).body
    except UNREADABLE:
        return None
    for statement in statements:
        names: list[str] = []
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom) and statement.module is not None and statement.level == 0:
            names = [statement.module]
        for name in names:
            if not _installed(name.partition(".")[0], folder):
                return name
    return None


def _installed(name: str, folder: str) -> bool:
    if name == STAND_IN.partition(".")[0]:
        return True
    try:
        return importlib.util.find_spec(name) is not None or PathFinder.find_spec(name, [folder]) is not None
    except ValueError:  # such as __main__
        return True
