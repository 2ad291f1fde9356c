"""Modules by their names or by the paths of their files. Loading one runs its author's code."""

import importlib
import importlib.util
import pkgutil
import re
import sys
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.threads import one_at_a_time

SUFFIX = ".py"
OURS = "nashzoo"  # the package
_named: set[str] = set()  # packages of modules that the user named
CLASS = re.compile(r"(?P<module>[\w.]+|.+\.py):(?P<name>\w+)")  # of a module, or in a file


def is_path(place: str) -> bool:
    """Returns whether a text is the path of a Python file and not a module's name."""
    return place.endswith(SUFFIX)


def module_at(place: str) -> ModuleType:
    """Returns the module of a dotted name, or of a Python file's path; a file is loaded once.

    A module loaded from a file has its path as ``__place__``. While it is loaded it can import the modules in its
    folder.

    Raises:
        UsageError: there is no such module or file, or its code fails.
    """
    try:
        return _module_at(place)
    except SystemExit as error:
        if type(error) is not SystemExit:  # that of a signal, which came meanwhile
            raise
        raise UsageError(
            f"{place} ends the program when it is imported: what it does as a script belongs under "
            "if __name__ == '__main__'"
        ) from None


def _module_at(place: str) -> ModuleType:
    if is_path(place):
        return _module_of_file(Path(place).resolve())
    if not all(part.isidentifier() for part in place.split(".")):
        raise UsageError(f"{place!r} is neither a module's name, such as my_package.rules, nor a file that ends in .py")
    _named.update({place.partition(".")[0]} - {OURS})
    try:
        return importlib.import_module(place)
    except SyntaxError as error:
        raise UsageError(f"{error.filename}, line {error.lineno}: {error.msg}") from error
    except ModuleNotFoundError as error:
        if error.name is None or not (place == error.name or place.startswith(f"{error.name}.")):
            raise  # the module exists, and imports one that does not
        file = Path(*place.split(".")).with_suffix(SUFFIX)
        hint = f"; did you mean the file ./{file.as_posix()}?" if file.is_file() else ""
        module, _, name = place.rpartition(".")
        hint = f"; did you mean {module}:{name}?" if hasattr(sys.modules.get(module), name) else hint
        raise UsageError(f"there is no module {place}{hint}") from None


def rules_at(place: str) -> ModuleType:
    """Returns the rules file at a place, see :func:`module_at`; that of a package is its module ``rules``.

    Raises:
        UsageError: there is no such module or file, or its code fails.
    """
    module = module_at(place)
    if hasattr(module, "__path__") and importlib.util.find_spec(f"{place}.rules") is not None:
        return importlib.import_module(f"{place}.rules")
    return module


def class_at(place: str, functions: bool = False) -> Any:
    """Returns the class ``module:Class`` or ``./file.py:Class``; a function, too, if functions are taken.

    Raises:
        UsageError: there is no such module, file or class, or its code fails.
    """
    match = CLASS.fullmatch(place)
    assert match is not None
    kind = getattr(module_at(match["module"]), match["name"], None)
    if not (callable(kind) if functions else isinstance(kind, type)):
        raise UsageError(f"{match['module']} has no class {'or function ' * functions}{match['name']}")
    return kind


@one_at_a_time  # others would find the module half loaded
def _module_of_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    for module in list(sys.modules.values()):  # the first: its file can be imported again, under another name
        if _file(module) == path:
            return module
    # Compiled code on disk imports a module by its name, and so do other processes: no file in a folder has this one.
    name = str(path).removesuffix(SUFFIX).replace(".", 2 * "/")  # a dot would make it a module of a package
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module)["__place__"] = str(path)
    sys.modules[name] = module
    sys.path.append(str(path.parent))  # only while loading: modules there may have the names of libraries
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if not isinstance(error, Exception):
            raise
        if isinstance(error, SyntaxError):
            raise UsageError(f"{error.filename}, line {error.lineno}: {error.msg}") from error
        raise UsageError(f"{failing_line(error) or path}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent))
    return module


def _file(module: ModuleType) -> Path | None:
    """Returns the file of a module."""
    file = getattr(module, "__file__", None)
    return _without_links(file) if isinstance(file, str) else None


@cache
def _without_links(file: str) -> Path:
    """Returns the path of a file that its links lead to; a process with hundreds of modules asks for it often."""
    return Path(file).resolve()


def place_of(module: ModuleType) -> str:
    """Returns the argument with which :func:`module_at` gives a module: its name, or the path of its file."""
    return str(vars(module).get("__place__", module.__name__))


def failing_line(error: BaseException) -> str | None:
    """Returns the last line of an error in files and packages that the user named; None if our code fails in it."""
    files = {vars(module).get("__place__") for module in list(sys.modules.values())}
    for frame, line in reversed([*traceback.walk_tb(error.__traceback__)]):
        package, file = str(frame.f_globals.get("__name__")).partition(".")[0], frame.f_code.co_filename
        if file in files or "__place__" in frame.f_globals or package in _named:
            return f"{file}, line {line}, in {frame.f_code.co_name}"
        if package == OURS and not isinstance(error, UsageError | RecursionError):  # which are no faults of ours
            break
    return None


def modules_in(package: str, ending: str = "") -> list[ModuleType]:
    """Returns the modules of a package whose names end with ``ending``, in alphabetical order."""
    modules = pkgutil.iter_modules(importlib.import_module(package).__path__)
    return [importlib.import_module(f"{package}.{module.name}") for module in modules if module.name.endswith(ending)]
