"""Who may import whom: from the rooms below alone and never in a circle; and what importing must not load."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from floors import FLOORS, PACKAGES

ROOT = Path(__file__).resolve().parents[1]

HEAVY = ("torch", "stable_baselines3", "sb3_contrib", "pygame", "matplotlib", "tensorboard")
MOST_FILES = 20  # in a room


def files(root: Path) -> list[Path]:
    """Returns the files of the packages, and ``train.py``, relative to the root."""
    found = [path for package in PACKAGES for path in (root / package).glob("**/*.py")]
    return sorted(path.relative_to(root) for path in [*found, *root.glob("train.py")])


def imports(tree: ast.Module) -> Iterator[tuple[int, str, int]]:
    """Yields line, module and level (0 for absolute) of every import, also within functions and for type checkers.

    ``from a import b`` is yielded as ``a.b``.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module or ''}.{alias.name}", node.level) for alias in node.names)


def imported(root: Path, module: str) -> Path | None:
    """Returns the file that ``nashzoo.a.b.c`` comes from; None where there is none."""
    top, *parts = module.split(".")
    for place in ("/".join(parts), "/".join(parts[:-1])) if top == "nashzoo" else ():
        for file in (Path(f"{place}.py"), Path(place, "__init__.py")):
            if (root / file).is_file():
                return file
    return None


def floor(file: Path) -> int:
    """Returns on which floor a file lies."""
    room = file.parent.as_posix().removeprefix(".")
    front = f"{room}/__init__"
    return FLOORS.index(front if file.name == "__init__.py" and front in FLOORS else room)


def offences(root: Path, file: Path) -> list[str]:
    """Returns what is wrong with a file's imports, in words."""
    found = []
    for line, module, level in imports(ast.parse((root / file).read_text())):
        where = f"{file}:{line}"
        package = module.split(".")[0]
        if level:
            found.append(f"{where} imports relatively; write the whole name")
        elif package in (*PACKAGES, "train", "tests"):
            found.append(f"{where} imports {module}; the name is nashzoo.{module}")
        elif package == "nashzoo":
            target = imported(root, module)
            if target is None:
                found.append(f"{where} imports {module}, of which there is no file")
            elif floor(target) > floor(file):
                found.append(f"{where} imports {module}, which stands above it")
    return found


def test_there_are_files_to_read() -> None:
    assert len(files(ROOT)) > 100


@pytest.mark.parametrize("file", files(ROOT), ids=str)
def test_imports_go_one_way(file: Path) -> None:
    assert offences(ROOT, file) == []


def circle(root: Path) -> list[str]:
    """Returns files that import each other in a circle; none if there is no circle."""
    graph = {}
    for file in files(root):
        targets = {imported(root, module) for _, module, _ in imports(ast.parse((root / file).read_text()))}
        graph[str(file)] = {str(target) for target in targets if target not in (None, file)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_file_is_in_a_circle() -> None:
    assert circle(ROOT) == []


def test_a_circle_for_type_checkers_is_one(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "routes.py").write_text("from nashzoo.app.pages import Page")
    (tmp_path / "app" / "pages.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from nashzoo.app.routes import ApiRequest"
    )
    assert sorted(set(circle(tmp_path))) == ["app/pages.py", "app/routes.py"]


@pytest.mark.parametrize("room", [room for room in FLOORS if not room.endswith("__init__")])
def test_rooms_are_small(room: str) -> None:
    inside = [path.name for path in (ROOT / room).glob("*.py") if path.name != "__init__.py"]
    assert len(inside) <= MOST_FILES


def test_every_room_is_installed() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    rooms = [room for room in FLOORS if room and not room.endswith("__init__")]
    assert sorted(listed) == sorted(f"nashzoo.{room.replace('/', '.')}" for room in rooms)


@pytest.mark.parametrize(
    ("text", "offends"),
    [
        ("from nashzoo.agents import Agent", True),
        ("from nashzoo import agents", True),
        ("import nashzoo.app.main", True),
        ("from nashzoo.envs.api import aec", True),
        ("from nashzoo.envs.core.nothing import Game", True),
        ("from . import game", True),
        ("from .game import Game", True),
        ("from envs.core.game import Game", True),
        ("def late():\n    from nashzoo.baselines import solve", True),
        ("from nashzoo.envs.core.game import Game\nimport numpy", False),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from nashzoo.agents import Agent", True),
    ],
)
def test_offences_are_found(text: str, offends: bool, tmp_path: Path) -> None:
    for name in ("agents/__init__", "app/main", "baselines/__init__", "envs/api/aec", "envs/core/game"):
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    example = Path("envs/core/example.py")
    (tmp_path / example).write_text(text)
    assert bool(offences(tmp_path, example)) == offends


def loaded_after(program: str) -> set[str]:
    """Returns the modules that a fresh process has loaded after a program."""
    program += "\nimport sys; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


def test_importing_and_playing_loads_nothing_heavy() -> None:
    loaded = loaded_after(
        "import nashzoo.envs\n"
        "env = nashzoo.envs.footsies_v0.parallel_env(render_mode='ansi')\n"
        "env.reset(seed=0)\n"
        "env.step(dict.fromkeys(env.agents, 0))\n"
        "env.render()\n"
    )
    assert "nashzoo.envs.games.footsies.rules" in loaded
    assert not loaded.intersection(HEAVY)
    assert not [name for name in loaded if name.startswith(("nashzoo.baselines", "nashzoo.agents"))]


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["-h"]])
def test_help_imports_neither_games_nor_libraries(words: list[str]) -> None:
    loaded = loaded_after(f"import sys; from nashzoo.app import main; sys.argv = ['nashzoo', *{words}]; main.main()")
    assert "nashzoo.app.main" in loaded
    slow = (*HEAVY, "numba", "numpy", "scipy", "pettingzoo", "gymnasium", "rich", "rich.progress", "tyro")
    assert not loaded.intersection(slow)
    assert not [name for name in loaded if name.startswith(("nashzoo.envs", "nashzoo.baselines", "nashzoo.agents"))]


def test_help_of_a_command_imports_no_game() -> None:
    program = "import sys; from nashzoo.app import main; sys.argv = ['nashzoo', 'solve', '--help']\n"
    loaded = loaded_after(program + "try:\n    main.main()\nexcept SystemExit:\n    pass")
    assert "tyro" in loaded
    assert not loaded.intersection((*HEAVY, "numba", "pettingzoo", "gymnasium"))
