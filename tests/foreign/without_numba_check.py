"""What ``make wheel`` runs last: the installed wheel where there is no Numba, as plain Python."""

import importlib
import importlib.util
import json
import subprocess
import sysconfig
from pathlib import Path

import pytest

from nashzoo import agents
from nashzoo.baselines import best_response, exploitability, solve
from nashzoo.envs import footsies_v0, games, tictactoe_v0

EXACT = 1e-9
SAID = "nashzoo: Numba is not installed, so all runs as plain Python"


def nashzoo(line: str, folder: Path, answers: str = "") -> str:
    """Runs the installed command in a folder; returns what it prints, and checks that it says what is missing."""
    command = Path(sysconfig.get_path("scripts")) / "nashzoo"
    done = subprocess.run([command, *line.split()], cwd=folder, input=answers, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(text.startswith(SAID) for text in done.stderr.splitlines())
    assert done.stderr.count("\n") <= 1
    return done.stdout


def test_numba_is_not_installed() -> None:
    assert not importlib.util.find_spec("numba") and not importlib.util.find_spec("llvmlite")


@pytest.mark.parametrize("name", games())
def test_every_game_can_be_played(name: str) -> None:
    env = importlib.import_module(f"nashzoo.envs.{name}").parallel_env()
    _, infos = env.reset(seed=1)
    total = 0.0
    while env.agents:
        actions = {agent: env.action_space(agent).sample(infos[agent]["action_mask"]) for agent in env.agents}
        _, rewards, _, _, infos = env.step(actions)
        total += sum(rewards.values())
    assert total == 0


def test_games_are_solved_and_players_measured() -> None:
    game = footsies_v0.game()
    solution, counter = solve(game), agents.make("counter", game)
    assert abs(solution.start_value) < EXACT
    assert solution.certificate < EXACT
    assert solution.verify() < EXACT
    assert abs(exploitability(game, counter) - 0.5) < EXACT
    assert abs(best_response(game, counter, player=0).value - 0.5) < EXACT
    assert solve(tictactoe_v0.game()).start_value == 0


def test_the_command_works(tmp_path: Path) -> None:
    assert "footsies_v0" in nashzoo("list", tmp_path)
    solved = json.loads(nashzoo("solve footsies_v0 --at blocks1=0,hits0=1 --json", tmp_path))
    assert abs(solved["value"] - 1 / 9) < EXACT
    assert "last move Block" in nashzoo("play footsies_v0 --against nash --seed 1 --verbose", tmp_path, "b\n")
    assert "red won" in nashzoo("watch footsies_v0 counter random --seed 1", tmp_path)
