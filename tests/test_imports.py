"""Who may import whom: ``envs <- baselines <- agents <- app, train.py``, and what importing must not load."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ORDER = ("envs", "baselines", "agents", "app")
FILES = sorted(path for folder in ORDER for path in (ROOT / folder).glob("**/*.py")) + [
    path for path in [ROOT / "train.py"] if path.exists()
]
HEAVY = ("torch", "stable_baselines3", "sb3_contrib", "pygame", "matplotlib", "tensorboard")


def imports(path: Path) -> Iterator[tuple[int, str, int]]:
    """Yields line, module and level (0 for absolute) of every import in a file, also those within functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, 0
        elif isinstance(node, ast.ImportFrom):
            if node.module == "nashzoo":
                for alias in node.names:
                    yield node.lineno, f"nashzoo.{alias.name}", node.level
            else:
                yield node.lineno, node.module or "", node.level


def rank(path: Path) -> int:
    """Returns how high in the order a file stands."""
    return len(ORDER) if path.parent == ROOT else ORDER.index(path.relative_to(ROOT).parts[0])


def offences(path: Path) -> list[str]:
    """Returns what is wrong with a file's imports, in words."""
    found = []
    for line, module, level in imports(path):
        where = f"{path.relative_to(ROOT)}:{line}"
        parts = module.split(".")
        if level:
            found.append(f"{where} imports relatively; write the whole name")
        elif parts[0] in (*ORDER, "train", "tests"):
            found.append(f"{where} imports {module}; the name is nashzoo.{module}")
        elif parts[0] == "nashzoo" and (len(parts) == 1 or ORDER.index(parts[1]) > rank(path)):
            found.append(f"{where} imports {module}, which stands above it")
    return found


def test_there_are_files_to_read() -> None:
    assert len(FILES) > 10


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    assert offences(path) == []


VIEWS = sorted((ROOT / "envs").glob("**/*_view.py"))


@pytest.mark.parametrize("view", VIEWS, ids=lambda path: path.stem)
def test_rules_know_nothing_of_how_they_are_shown(view: Path) -> None:
    rules = view.with_name(view.name.replace("_view", ""))
    shown = [module for _, module, _ in imports(rules) if module.endswith(("_view", ".canvas", ".view"))]
    assert len(VIEWS) >= 5 and shown == []


@pytest.mark.parametrize(
    ("text", "offends"),
    [
        ("from nashzoo.agents import Agent", True),
        ("from nashzoo import agents", True),
        ("import nashzoo.app.main", True),
        ("from . import game", True),
        ("from .game import Game", True),
        ("from envs.game import Game", True),
        ("def late():\n    from nashzoo.baselines import solve", True),
        ("from nashzoo.envs.game import Game\nimport numpy", False),
    ],
)
def test_offences_are_found(text: str, offends: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    path = tmp_path / "envs" / "example.py"
    path.parent.mkdir()
    path.write_text(text)
    assert bool(offences(path)) == offends


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
    assert "nashzoo.envs.footsies" in loaded
    assert not loaded.intersection(HEAVY)
    assert not [name for name in loaded if name.startswith(("nashzoo.baselines", "nashzoo.agents"))]
