"""The page of what was never run names every place of the product that depends on the operating system."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from packages import ROOT, files

PAGE = ROOT / "docs" / "development" / "never_run.md"
MODULES = {
    "ctypes", "fcntl", "grp", "mmap", "msvcrt", "multiprocessing", "pty", "pwd", "readline", "resource", "select",
    "signal", "socket", "termios", "tty", "winreg",
}  # fmt: skip
NAMES = {
    "os.chmod", "os.dup2", "os.fork", "os.fsync", "os.kill", "os.killpg", "os.link", "os.lseek", "os.name", "os.nice",
    "os.posix_fallocate", "os.readlink", "os.register_at_fork", "os.rename", "os.replace", "os.sched_getaffinity",
    "os.set_blocking", "os.setsid", "os.symlink", "os.sysconf", "os.truncate", "os.umask", "os.wait4", "os.waitpid",
    "np.memmap", "shutil.disk_usage", "shutil.get_terminal_size", "shutil.rmtree", "sys.platform",
    "tempfile.TemporaryDirectory",
}  # fmt: skip
METHODS = {"isatty"}
FOLDERS = ("/dev/", "/proc", "/sys/", "/tmp")
MISSING_ON_WINDOWS = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty"}


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


def imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {name.name.split(".")[0] for name in node.names}
    return {(node.module or "").split(".")[0]} if isinstance(node, ast.ImportFrom) else set()


def of_the_system(file: Path) -> set[str]:
    """Returns what a file uses that differs between operating systems."""
    used = set()
    for node in ast.walk(tree(file)):
        used |= imported(node) & MODULES
        if isinstance(node, ast.Attribute):
            used |= {ast.unparse(node)} & NAMES | {node.attr} & METHODS
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(FOLDERS):
            used.add(node.value)
    return used


def rows() -> Iterator[tuple[str, str]]:
    """Yields a file and a name in it, for all of each row of the page's tables."""
    for files_named, places in re.findall(r"^\| (`\S+\.py`.*?) \| (.+?) \|", PAGE.read_text(encoding="utf-8"), re.M):
        text = {file: (ROOT / file).read_text(encoding="utf-8") for file in re.findall(r"`(\S+)`", files_named)}
        for place in re.findall(r"`(\w+)`", places):
            yield next((file for file in text if re.search(rf"(def|class) {place}\b", text[file])), "nowhere"), place
        for file in text:
            yield file, ""


def test_every_place_is_named() -> None:
    using = {file.as_posix() for file in files() if of_the_system(file)}
    named = {file for file, place in rows() if not place}
    assert {"envs/base/files.py", "arena/tasks.py"} <= using
    assert using <= named
    assert named - using <= {"agents/hosted/script_agent.py"}  # it asks with hasattr


def test_functions_that_are_named_exist() -> None:
    assert [place for file, place in rows() if file == "nowhere"] == []


def test_modules_that_windows_lacks_are_imported_where_they_are_used() -> None:
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
        if name in ("read_text", "write_text") or (
            name == "open" and (modes or isinstance(node.func, ast.Name)) and is_text
        ):
            lines.append(f"{file}:{node.lineno}: {ast.unparse(node)}")
    return lines


def test_text_is_utf_8_everywhere() -> None:
    lines = [line for file in files() for line in without_encoding(file)]
    assert [line for line in lines if "os.devnull" not in line] == []
