"""The product imports and reads nothing that depends on the operating system where that can be helped."""

import ast
from functools import cache
from pathlib import Path

from packages import ROOT, files

MISSING_ON_WINDOWS = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty"}


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


def imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {name.name.split(".")[0] for name in node.names}
    return {(node.module or "").split(".")[0]} if isinstance(node, ast.ImportFrom) else set()


def test_modules_that_windows_lacks_are_imported_where_they_are_used() -> None:
    assert any(imported(node) & MISSING_ON_WINDOWS for file in files() for node in ast.walk(tree(file)))
    early = {
        (file.as_posix(), name)
        for file in files()
        for node in tree(file).body
        for name in imported(node) & MISSING_ON_WINDOWS
    }
    assert early == set()


def without_encoding(file: Path) -> list[str]:
    """Returns the calls that read or write text in the encoding of the system."""
    lines = []
    for node in ast.walk(tree(file)):
        if not isinstance(node, ast.Call) or any(keyword.arg == "encoding" for keyword in node.keywords):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        modes = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        is_text = not any("b" in mode for mode in modes)
        ours = isinstance(node.func, ast.Name)  # envs.base.files.write_text, in UTF-8
        if (name in ("read_text", "write_text") and not ours) or (
            name == "open" and (modes or isinstance(node.func, ast.Name)) and is_text
        ):
            lines.append(f"{file}:{node.lineno}: {ast.unparse(node)}")
    return lines


def test_text_is_utf_8_everywhere() -> None:
    lines = [line for file in files() for line in without_encoding(file)]
    assert [line for line in lines if "os.devnull" not in line] == []
