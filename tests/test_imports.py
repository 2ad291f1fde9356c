"""Who may import whom: from the packages below alone and never in a circle; and what importing must not load."""

import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from packages import PACKAGES, ROOT, TOP_LEVEL, files, imported, imports, place_of, top_down

HEAVY = ("torch", "stable_baselines3", "sb3_contrib", "pygame", "matplotlib", "tensorboard")


def offences(file: Path) -> list[str]:
    """Returns what is wrong with a file's imports, in words."""
    lines = []
    for line, module, level in imports(ROOT / file):
        where = f"{file}:{line}"
        package = module.split(".")[0]
        if level:
            lines.append(f"{where} imports relatively; write the whole name")
        elif package in (*TOP_LEVEL, "train", "tests"):
            lines.append(f"{where} imports {module}; the name is nashzoo.{module}")
        elif package == "nashzoo":
            target = imported(module)
            if target is None:
                lines.append(f"{where} imports {module}, of which there is no file")
            elif PACKAGES.index(place_of(target)) > PACKAGES.index(place_of(file)):
                lines.append(f"{where} imports {module}, which stands above it")
    return lines


def test_imports_go_one_way() -> None:
    assert [offence for file in files() for offence in offences(file)] == []


def test_no_file_is_in_a_circle() -> None:
    graph = {}
    for file in files():
        targets = {imported(module) for _, module, _ in imports(ROOT / file)}
        graph[file] = targets - {None, file}
    TopologicalSorter(graph).prepare()  # raises CycleError


def test_every_package_is_installed() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    packages = [*top_down(), *(str(page.relative_to(ROOT)) for page in (ROOT / "app").glob("*/static"))]
    # No package imports the examples, so they have no place in the order of packages.
    assert sorted(listed) == sorted(["nashzoo.examples", *(f"nashzoo.{path.replace('/', '.')}" for path in packages)])


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
