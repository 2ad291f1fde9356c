"""Players as scripts: they throw what the player throws, without nashzoo."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import Command
from nashzoo import agents
from nashzoo.agents.bots.roshambo.export import FORMATS, export, literal
from nashzoo.envs import footsies_v0, roshambo_v0
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import DRAWS, Agent, FiniteMemoryAgent, PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Ints, Mask
from nashzoo.envs.core.seeds import streams

GAME = roshambo_v0.game(rounds=120)
OTHERS = [0, 0, 1, 2, 2, 1, 0, 2] * 5 + np.random.default_rng(1).integers(0, 3, 80).tolist()

# Runs a script as rpscontest.com and Kaggle do, in a Python that finds nashzoo nowhere.
RUNNERS = {
    "rpscontest": """
import sys
variables, last = {}, ""
code = compile(open(sys.argv[1]).read(), "script", "exec")
for other in [*sys.argv[2]]:
    variables["input"] = last
    exec(code, variables)
    print(variables["output"], end="")
    last = other
""",
    "kaggle": """
import sys
from types import SimpleNamespace
variables = {}
exec(open(sys.argv[1]).read(), variables)
last = None
for step, other in enumerate(sys.argv[2]):
    observation = SimpleNamespace(step=step, lastOpponentAction=last)
    print("RPS"[variables["agent"](observation, SimpleNamespace(episodeSteps=len(sys.argv[2])))], end="")
    last = "RPS".index(other)
""",
}


def exportable() -> list[str]:
    return [name for name in agents.names(GAME) if name not in ("manual", "mcts")]


def thrown_natively(agent: Agent, seed: int) -> str:
    stream, memory = streams(seed, 1), np.zeros((1, agent.memory_size))
    code, own = int(GAME.start_codes[0]), []
    for other in OTHERS:
        uniforms = np.array([[kernels.draw_uniform(stream, 0) for _ in range(DRAWS)]])
        actions, memory = agent.act(GAME.observe(code, 0)[None], memory, np.ones((1, 3), np.int8), uniforms)
        own.append(int(actions[0]))
        code = GAME.step(code, own[-1], other)
    return "".join("RPS"[throw] for throw in own)


def thrown_by_script(text: str, format: str, folder: Path) -> str:
    path = folder / "script.py"
    path.write_text(text)
    others = "".join("RPS"[other] for other in OTHERS)
    isolated = [sys.executable, "-I", "-S", "-c", RUNNERS[format], str(path), others]
    return subprocess.run(isolated, capture_output=True, text=True, check=True).stdout


QUICK = ("constant", "markov_k", "roll")  # the others are slow tests, for each is compiled first


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in exportable()]
)
def test_a_script_throws_what_the_player_throws(name: str, tmp_path: Path) -> None:
    agent = agents.make(name, GAME)
    natively = {seed: thrown_natively(agent, seed) for seed in (0, 3)}
    for format in FORMATS:
        for seed, throws in natively.items():
            assert thrown_by_script(export(agent, format, name, seed), format, tmp_path) == throws


def test_without_a_seed_every_match_is_another(tmp_path: Path) -> None:
    text = export(agents.make("random", GAME), "rpscontest", "random")
    assert thrown_by_script(text, "rpscontest", tmp_path) != thrown_by_script(text, "rpscontest", tmp_path)


class ByRound(PolicyAgent):
    """Plays by the number of throws, and after the tenth by the other's last throw too."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        played = np.rint((1 - observations[:, -1].astype(float)) * 120).astype(int)
        throws = np.where(played > 10, played + observations[:, 3:6].argmax(axis=1), played) % 3
        return np.eye(3)[throws]


def test_players_by_state_and_round(tmp_path: Path) -> None:
    agent = ByRound(GAME)
    assert thrown_by_script(export(agent, "kaggle", "x", 0), "kaggle", tmp_path) == thrown_natively(agent, 0)


class Heeding(FiniteMemoryAgent):
    """Plays by more than its memory."""

    memory_states = 2

    def remember(self, states: Ints, observations: Features) -> Ints:
        return 1 - states

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        return observations[:, 3:6] + np.array([1e-9, 0, 0])


def test_what_cannot_be_exported_is_refused() -> None:
    random = agents.make("random", GAME)
    with pytest.raises(ValueError, match="format must be 'rpscontest' or 'kaggle', not 'lisp'"):
        export(random, "lisp", "random")
    for game in (footsies_v0.game(), roshambo_v0.game(payoff="rpsls")):
        with pytest.raises(ValueError, match=r"scripts throw rock, paper or scissors; .* cannot be exported"):
            export(agents.make("random", game), "kaggle", "random")
    for name, agent, message in (
        ("mcts", agents.make("mcts", GAME), "mcts finds another strategy each time it is asked"),
        ("manual", agents.make("manual", GAME), "manual cannot be written as a script"),
        ("x", Heeding(GAME), "Heeding cannot be written as a script: it depends on more than its memory"),
    ):
        with pytest.raises(TypeError, match=message):
            export(agent, "kaggle", name)


@pytest.mark.parametrize(
    "thing",
    [None, True, 3, -2.5, float("inf"), -float("inf"), "text", [1, 2.0], (1,), {1: [2]}, np.float64(0.1), np.int64(4)],
)
def test_constants_are_written_as_they_are(thing: Any) -> None:
    assert eval(literal(thing), {"math": __import__("math")}) == thing


@pytest.mark.slow
def test_the_command(tmp_path: Path, nashzoo: Command) -> None:
    out = nashzoo.prints("export roshambo_v0 random --param rounds=120 --seed 3")
    assert out == "Written to random_player.py."  # which hides no module
    text = (tmp_path / "random_player.py").read_text()
    assert thrown_by_script(text, "rpscontest", tmp_path) == thrown_natively(agents.make("random", GAME), 3)
    assert nashzoo("export roshambo_v0 random --format kaggle --out other.py")[0] == 0
    assert "def agent(observation, configuration):" in (tmp_path / "other.py").read_text()
    assert nashzoo("export footsies_v0 random")[0] != 0


@pytest.mark.parametrize("name", ["random.py", "copy.py", "folder/json.py", "numpy.py", "torch.py", "nashzoo.py"])
def test_no_script_hides_a_module(nashzoo: Command, name: str, tmp_path: Path) -> None:
    message = f"{name} would hide the module {Path(name).stem} from all scripts in its folder; choose another --out"
    assert nashzoo.refused(f"export roshambo_v0 random --out {name}") == message
    assert list(tmp_path.iterdir()) == []


def test_no_file_of_others_is_replaced(nashzoo: Command, tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text("output = 'R'\n")
    message = "bot.py exists and is no exported player; choose another --out"
    assert nashzoo.refused("export roshambo_v0 random --out bot.py") == message
    assert path.read_text() == "output = 'R'\n"
    path.unlink()
    for player in ("random", "copy"):
        assert nashzoo(f"export roshambo_v0 {player} --out bot.py")[0] == 0
        assert path.read_text().startswith(f"# {player}, a player of nashzoo.")
