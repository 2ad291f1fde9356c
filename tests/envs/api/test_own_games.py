"""Games and players of other packages, found by entry points; and those that a program registers itself."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

import nim
from made_games import with_rules
from nashzoo import agents
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.agents.gym_factory import gymnasium_env
from nashzoo.arena.match import play_match
from nashzoo.baselines import exploitability
from nashzoo.baselines.game_problems import game_problems
from nashzoo.envs import footsies_v0, games, make_game, register
from nashzoo.envs.api.aec import GameAECEnv
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.core.agent import Agent, PolicyAgent
from nashzoo.envs.core.game import CHANCE, Game

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "games"

PLAYER = '''
from nashzoo.envs.core.agent import PolicyAgent
import numpy as np


class LastCard(PolicyAgent):
    """Always plays the last legal action."""

    TITLE = "The last card"
    GAME = "goofspiel_v0"

    def action_probabilities(self, observations, action_masks=None):
        chosen = np.zeros((len(observations), self.game.num_actions))
        last = self.game.num_actions - 1 - np.argmax(np.asarray(action_masks)[:, ::-1] > 0, axis=1)
        chosen[np.arange(len(chosen)), last] = 1.0
        return chosen
'''


def strangers_package(folder: Path) -> None:
    """Writes what installing another package would: a module of rules, one of players, and their entry points."""
    (folder / "stranger").mkdir()
    (folder / "stranger" / "__init__.py").touch()
    (folder / "stranger" / "goofspiel.py").write_text((EXAMPLES / "goofspiel.py").read_text())
    (folder / "stranger" / "players.py").write_text(PLAYER)
    about = folder / "stranger-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[nashzoo.games]\ngoofspiel_v0 = stranger.goofspiel\nfootsies_v0 = stranger.goofspiel\n\n"
        "[nashzoo.agents]\nlast_card = stranger.players:LastCard\nbroken = stranger.nowhere:Nobody\n"
    )


@pytest.mark.slow
def test_another_packages_game_and_player_are_like_ours(tmp_path: Path) -> None:
    strangers_package(tmp_path)
    program = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import gymnasium, pettingzoo
    from nashzoo import agents
    from nashzoo.envs import games, make_game
    game = make_game("goofspiel_v0", cards=3)
    names = agents.names(game)
said = [str(warning.message) for warning in caught if "left out" in str(warning.message)]
assert len(said) == 2, said
assert said[0].startswith("the game footsies_v0 of stranger.goofspiel is left out: there is a game footsies_v0 already")
assert said[1].startswith("the player broken of stranger.nowhere:Nobody is left out"), said
assert games()[-1] == "goofspiel_v0" and "last_card" in names
assert agents.title("last_card") == "The last card"
assert "last_card" not in agents.names(make_game("footsies_v0"))
env = gymnasium.make("nashzoo/Goofspiel-v0", cards=3, opponent="last_card")
env.reset(seed=0)
envs = gymnasium.make_vec("nashzoo/Goofspiel-v0", 4, cards=3, opponent="last_card")
envs.reset(seed=0)
parallel = pettingzoo.make("parallel", "nashzoo/Goofspiel-v0", cards=2)
print(parallel.game, env.unwrapped.game, len(parallel.reset(seed=0)[0]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)}, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("goofspiel_v0")[1:] == ["(cards=2) ", "(cards=3) 2\n"]
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-c",
        "from nashzoo.app.main import main; main()",
        "list",
        "goofspiel_v0",
    ]
    environment = {"PYTHONPATH": str(tmp_path)}
    listed = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert "goofspiel_v0" in listed.stdout and "The last card" in listed.stdout, listed.stderr


def test_a_registered_game_is_known_everywhere() -> None:
    rules = module_at(str(EXAMPLES / "blotto.py"))
    assert register(rules) == register(rules) == "blotto_v0"
    assert "blotto_v0" in games() and make_game("blotto_v0", soldiers=2).options == {"soldiers": 2}
    env: Any = gymnasium.make("nashzoo/Blotto-v0", soldiers=2)
    assert env.unwrapped.game == make_game("blotto_v0", soldiers=2)
    if hasattr(pettingzoo, "make"):  # since PettingZoo 1.27
        assert pettingzoo.make("parallel", "nashzoo/Blotto-v0").game == make_game("blotto_v0")


@pytest.mark.parametrize("last", [CHANCE, 9])
def test_what_turn_returns_at_an_end_does_not_matter(last: int) -> None:
    outcomes = []
    for game in (Game(nim), Game(with_rules(nim, turn=lambda state: state.mover if state.heap else last))):
        env, single = GameAECEnv(game), gymnasium_env(game, "random")
        env.reset(seed=0)
        points = {agent: 0.0 for agent in env.agents}
        for agent in env.agent_iter():
            _, reward, over, late, info = env.last()
            points[agent] += reward
            env.step(None if over or late else int(np.flatnonzero(info["action_mask"])[0]))
        single.reset(seed=0)
        ends = [single.step(0)[1:4]]
        while not ends[-1][1]:
            ends.append(single.step(0)[1:4])
        match = play_match(game, agents.make("random", game), agents.make("random", game), 20, 0)
        outcomes.append((points, ends, match.points.tolist(), game_problems(game)))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: register("my.game"), "registered by its module, my.game, needs a name"),
        (lambda: register("my.game", "soccer_v0"), "there is a game soccer_v0 already"),
        (lambda: register(module_at(str(EXAMPLES / "blotto.py")), "chess_v0"), "called blotto_v0 in its rules"),
        (
            lambda: make_game(footsies_v0.parallel_env()),
            r"by its name or path, not by .*; env\.unwrapped\.game is that",
        ),
        (lambda: make_game(footsies_v0.game()), "a game is made by its name or path, not by footsies_v0"),
        (lambda: make_game(["footsies_v0"]), "a game is made by its name or path"),
        (lambda: make_game("nowhere.game"), "there is no module nowhere.game"),
        (lambda: make_game(".."), r"'\.\.' is neither a module's name, such as my_package.rules, nor a file"),
        (lambda: make_game("nowhere.py"), f"there is no file {Path('nowhere.py').resolve()}"),
        (lambda: agents.register(RandomAgent, "nash"), "there is a player nash already"),
        (lambda: agents.as_agent("nashzoo.agents:Nobody", footsies_v0.game()), "agents has no class or function"),
        (lambda: agents.register(3, "three"), "registered by its class, not by 3"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_registered(call: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call()


@pytest.mark.slow
def test_players_by_class(tmp_path: Path) -> None:
    game = make_game(str(EXAMPLES / "goofspiel.py"), cards=3)
    path = tmp_path / "players.py"
    path.write_text(PLAYER)
    by_file = agents.as_agent(f"{path}:LastCard", game)
    assert isinstance(by_file, PolicyAgent)
    assert exploitability(game, by_file) > 0.5
    by_module = agents.as_agent("nashzoo.agents.basic.random_agent:RandomAgent", game, seed=0)
    assert isinstance(by_module, Agent) and isinstance(by_module, RandomAgent)


def test_a_registered_player_is_known_by_name() -> None:
    class Sleepy(RandomAgent):
        """Plays at random."""

    agents.register(Sleepy, "sleepy", "The sleepy one", game="footsies_v0")
    try:
        assert "sleepy" in agents.names(footsies_v0.game()) and agents.title("sleepy") == "The sleepy one"
        assert isinstance(agents.make("sleepy", footsies_v0.game()), Sleepy)
        with pytest.raises(ValueError, match="sleepy plays footsies_v0, not tictactoe_v0"):
            agents.make("sleepy", make_game("tictactoe_v0"))
    finally:
        del agents.registry.ENTRIES["sleepy"]
