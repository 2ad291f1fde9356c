"""What ``make wheel`` runs: the installed wheel, from another folder, with the core dependencies and no others."""

import importlib
import importlib.metadata
import importlib.resources
import importlib.util
import json
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import gymnasium
import pettingzoo
import pytest

from nashzoo import agents
from nashzoo.baselines import best_response, exploitability, solve
from nashzoo.envs import footsies_v0, games, make_game
from nashzoo.envs.jit.clock import FIRST_USE

PACKAGES = ("envs", "baselines", "agents", "arena", "app")
EXAMPLES = "examples"  # rules as users write them, without types
EXTRAS = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib", "pygame")
SITE = Path(sysconfig.get_path("purelib"))
EXACT = 1e-9


def nashzoo(line: str, folder: Path, answers: str = "") -> "subprocess.CompletedProcess[str]":
    """Runs the installed command in a folder; that it is the first use after installation is left out of its errors."""
    command = Path(sysconfig.get_path("scripts")) / "nashzoo"
    done = subprocess.run(
        [command, *line.split()], cwd=folder, input=answers, capture_output=True, text=True, check=False
    )
    lines = done.stderr.splitlines(keepends=True)
    done.stderr = "".join(text for text in lines if FIRST_USE not in text)
    return done


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_come_from_the_wheel_and_are_typed(package: str) -> None:
    folder = SITE / "nashzoo" / package
    assert Path(importlib.import_module(f"nashzoo.{package}").__file__ or "").parent == folder
    assert (folder / "py.typed").exists()


def test_the_wheel_puts_nothing_else_anywhere() -> None:
    files = importlib.metadata.files("nashzoo") or []
    places = {"/".join(file.parts[:2]) for file in files if file.parts[0] == "nashzoo"}
    assert places == {f"nashzoo/{package}" for package in (*PACKAGES, EXAMPLES)}
    others = {file.parts[0] for file in files} - {"nashzoo", ".."}
    assert all(name.endswith(".dist-info") for name in others)


def test_the_published_sources_are_all_of_the_project() -> None:
    project = Path(__file__).parents[2]
    if not (project / ".git").exists():
        pytest.skip("only git knows the files of the project")
    named = ["git", "-C", str(project), "ls-files", "--cached", "--others", "--exclude-standard"]
    (sources,) = (project / "dist").glob("*.tar.gz")
    with tarfile.open(sources) as archive:
        published = {name.partition("/")[2] for name in archive.getnames()}
    there = set(subprocess.run(named, capture_output=True, text=True, check=True).stdout.splitlines())
    assert there <= published
    assert not [name for name in published if name.endswith((".pyc", ".nbc", ".nbi"))]


def test_nothing_but_the_core_is_installed() -> None:
    assert [name for name in EXTRAS if importlib.util.find_spec(name)] == []


@pytest.mark.parametrize("name", games())
def test_every_game_can_be_played(name: str) -> None:
    env = importlib.import_module(f"nashzoo.envs.{name}").parallel_env()
    observations, infos = env.reset(seed=1)
    total = 0.0
    while env.agents:
        actions = {agent: env.action_space(agent).sample(infos[agent]["action_mask"]) for agent in env.agents}
        observations, rewards, _, _, infos = env.step(actions)
        total += sum(rewards.values())
    assert len(observations) == 2
    assert total == 0


def test_games_are_registered() -> None:
    env = gymnasium.make("nashzoo.envs:nashzoo/Footsies-v0", opponent="bayesian", player="random")
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert len(env.step(0)) == 5
    if hasattr(pettingzoo, "make"):
        pettingzoo.make("parallel", "nashzoo/Footsies-v0").reset(seed=1)


def test_games_are_solved_and_players_measured() -> None:
    game = footsies_v0.game()
    solution = solve(game)
    assert abs(solution.start_value) < EXACT
    assert solution.certificate < EXACT
    counter = agents.make("counter", game)
    assert abs(exploitability(game, counter) - 0.5) < EXACT
    assert abs(best_response(game, counter, player=0).value - 0.5) < EXACT


def test_every_player_plays() -> None:
    game = footsies_v0.game()
    for name in agents.names(game):
        if name != "manual":
            action, _ = agents.make(name, game, seed=1).predict(game.observe(int(game.start_codes[0]), 0))
            assert 0 <= action < game.num_actions


def test_the_command_works(tmp_path: Path) -> None:
    assert "footsies_v0" in nashzoo("list", tmp_path).stdout
    solved = json.loads(nashzoo("solve footsies_v0 --at blocks1=0,hits0=1 --json", tmp_path).stdout)
    assert abs(solved["value"] - 1 / 9) < EXACT
    measured = json.loads(nashzoo("exploitability footsies_v0 counter --json", tmp_path).stdout)
    assert abs(measured["exploitability"] - 0.5) < EXACT
    played = nashzoo("play footsies_v0 --against nash --seed 1 --verbose", tmp_path, "b\n")
    assert (played.returncode, played.stderr) == (0, "")
    assert "last move Block" in played.stdout


def test_examples_are_games_by_the_names_of_their_modules(tmp_path: Path) -> None:
    module = importlib.import_module("nashzoo.examples.goofspiel")
    assert Path(module.__file__ or "").parent == SITE / "nashzoo" / EXAMPLES
    assert solve(make_game("nashzoo.examples.goofspiel", cards=2)).start_value == 0
    played = nashzoo("play nashzoo.examples.goofspiel --param cards=1", tmp_path, "c1\n")
    assert (played.returncode, played.stderr) == (0, "")
    assert "You played card 1" in played.stdout


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tournament footsies_v0 --games 20", "pictures need matplotlib: pip install '.[train]' in nashzoo's folder"),
        (
            "picture footsies_v0 --over blocks0,blocks1",
            "pictures need matplotlib: pip install '.[train]' in nashzoo's folder",
        ),
        ("exploitability footsies_v0 model.zip", "models of Stable-Baselines3 need it installed: pip install"),
        ("play footsies_v0 --against model.zip", "models of Stable-Baselines3 need it installed: pip install"),
    ],
)
def test_commands_say_what_they_lack(line: str, message: str, tmp_path: Path) -> None:
    done = nashzoo(line, tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"nashzoo: {message}")
    assert done.stderr.count("\n") == 1


def test_a_tournament_without_a_picture_has_its_table_and_csv_file(tmp_path: Path) -> None:
    assert "counter" in nashzoo("tournament footsies_v0 --games 20", tmp_path).stdout
    assert (tmp_path / "tournament" / "cross_table.csv").exists()


def test_modules_say_what_they_lack() -> None:
    with pytest.raises(ImportError, match=r"pip install '\.\[train\]'"):
        importlib.import_module("nashzoo.agents.learning.sb3")
    with pytest.raises(ImportError, match=r"pip install '\.\[train\]'"):
        importlib.import_module("nashzoo.envs.api.sb3_vec_env")
    env = footsies_v0.parallel_env(render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(ImportError, match=r"pip install '\.\[render\]'"):
        env.render()


def test_text_is_rendered_without_extras() -> None:
    env = footsies_v0.parallel_env(render_mode="ansi")
    env.reset(seed=1)
    assert "player 0: blocks 3" in str(env.render())


GAME = """
from typing import NamedTuple

NAME = "pennies_v0"
ACTIONS = ("heads", "tails")

class State(NamedTuple):
    shown: int

def field_maxima():
    return State(4)

def start():
    return State(0)

def step(action0, action1):
    return State(1 + 2 * action0 + action1)

def terminal(state):
    return state.shown > 0

def payoff(state):
    return 1 if state.shown in (1, 4) else -1 if state.shown > 0 else 0
"""

PLAYER = """
from nashzoo.agents.basic.random_agent import RandomAgent

class Coin(RandomAgent):
    TITLE = "Tosses a coin"
    GAME = "pennies_v0"
"""


def test_another_package_brings_a_game_and_a_player(tmp_path: Path) -> None:
    wheel = tmp_path / "stranger-1.0-py3-none-any.whl"
    about = "stranger-1.0.dist-info"
    points = "[nashzoo.games]\npennies_v0 = stranger.game\n[nashzoo.agents]\ncoin = stranger.player:Coin\n"
    with zipfile.ZipFile(wheel, "w") as file:
        for name, text in (
            ("stranger/__init__.py", ""), ("stranger/game.py", GAME), ("stranger/player.py", PLAYER),
            (f"{about}/METADATA", "Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n"),
            (f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
            (f"{about}/entry_points.txt", points), (f"{about}/RECORD", ""),
        ):  # fmt: skip
            file.writestr(name, text)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", str(wheel)], check=True)
    try:
        listed = nashzoo("list", tmp_path)
        assert "pennies_v0" in listed.stdout, listed.stderr
        players = nashzoo("list pennies_v0", tmp_path).stdout
        assert "coin" in players and "Tosses a coin" in players
        measured = nashzoo("exploitability pennies_v0 coin", tmp_path)
        assert "exploitability 0 points per game" in " ".join(measured.stdout.split()), measured.stderr
        made = (
            "import nashzoo.envs, gymnasium; print(gymnasium.make('nashzoo/Pennies-v0', opponent='coin').reset(seed=0))"
        )
        subprocess.run([sys.executable, "-c", made], check=True, cwd=tmp_path)
    finally:
        subprocess.run([*pip, "uninstall", "--yes", "stranger"], check=True)


def test_pages_are_in_the_wheel() -> None:
    static = importlib.resources.files("nashzoo.app.web") / "static"
    assert {"index.html", "app.js", "style.css"} <= {path.name for path in static.iterdir()}
    assert (importlib.resources.files("nashzoo.app.menace") / "static" / "menace.js").is_file()
