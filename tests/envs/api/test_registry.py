"""Environments by name."""

import inspect
import subprocess
import sys
from pathlib import Path

import gymnasium
import pettingzoo
import pytest

from nashzoo.envs import footsies_v0, games, make_game
from nashzoo.envs.api.aec import GameAECEnv
from nashzoo.envs.api.parallel_env import GameParallelEnv
from nashzoo.envs.api.pettingzoo_base import PettingZooBase
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.games.footsies import rules as footsies
from nashzoo.envs.registry import NAMESPACE, register

with_registry = pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27")


def test_parameters_are_handed_on() -> None:
    assert make_game("footsies_v0", rounds=3) == footsies_v0.game(rounds=3)
    with pytest.raises(TypeError, match="footsies_v0 has no parameter size; it has rounds, blocks"):
        make_game("footsies_v0", size=3)
    with pytest.raises(ValueError, match="rounds must be a whole number from 1 to 63, not 0"):
        make_game("footsies_v0", rounds=0)


def test_signatures_list_the_parameters_with_their_defaults() -> None:
    parameters = {"rounds": 1, "blocks": 3, "attacks_to_win": 2, "max_turns": 0, "exhausted_block": "hit"}
    known = inspect.signature(footsies_v0.game).parameters
    assert {name: one.default for name, one in known.items()} == parameters
    for make in (footsies_v0.env, footsies_v0.raw_env, footsies_v0.parallel_env):
        known = inspect.signature(make).parameters
        defaults = {name: one.default for name, one in known.items()}
        assert defaults.items() >= (parameters | {"max_cycles": None, "illegal_action": "lose"}).items()
        assert defaults.keys() - parameters == inspect.signature(PettingZooBase).parameters.keys() - {"game"}


def test_an_unknown_game_is_an_error_that_lists_the_games() -> None:
    with pytest.raises(ValueError, match=f"no game 'chess_v6'; the games are {', '.join(games())} "):
        make_game("chess_v6")
    with pytest.raises(ValueError, match=r"did you mean footsies_v0\?"):
        make_game("footsie_v0")
    with pytest.raises(ValueError, match="no game 'nosuchgame_v0'; the games"):  # as near to roshambo_v0 by _v0 alone
        make_game("nosuchgame_v0")


@pytest.mark.parametrize("name", games())
def test_gymnasium_knows_every_game(name: str) -> None:
    stem, version = name.rsplit("_v", 1)
    title = "".join(word.capitalize() for word in stem.split("_"))
    ids = {identifier.casefold() for identifier in gymnasium.registry}
    assert f"nashzoo/{title}-v{version}".casefold() in ids


@with_registry
@pytest.mark.parametrize("name", games())
def test_pettingzoo_makes_every_game(name: str) -> None:
    ours = [identifier for identifier in gymnasium.registry if identifier.startswith(f"{NAMESPACE}/")]
    titles = {identifier.split("/")[1].lower(): identifier for identifier in ours}
    identifier = titles[name.replace("_v", "-v").replace("_", "")]
    assert identifier in gymnasium.registry  # both libraries have it by the same name
    parallel = pettingzoo.make("parallel", identifier)
    assert isinstance(parallel, GameParallelEnv) and parallel.game == make_game(name)
    aec = pettingzoo.make("aec", identifier)
    assert isinstance(aec.unwrapped, GameAECEnv) and aec.unwrapped.game == make_game(name)


@with_registry
def test_pettingzoo_hands_options_on() -> None:
    env = pettingzoo.make("parallel", "nashzoo/Footsies-v0", max_cycles=7, rounds=3, illegal_action="noop")
    assert (env.max_cycles, env.illegal_action, env.game) == (7, "noop", footsies_v0.game(rounds=3))


def test_games_with_one_id_are_refused_and_files_leave_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="footsies would have the id nashzoo/Footsies-v0, as footsies_v0 has"):
        register("nashzoo.envs.games.tictactoe.rules", "footsies")
    file = tmp_path / "own_footsies.py"
    text = Path(footsies.__file__).read_text()
    file.write_text(text.replace('NAME = "footsies_v0"', 'NAME = "footsies"'))
    assert make_game(str(file)).name == "footsies"
    env = gymnasium.make("nashzoo/Footsies-v0", opponent="random")
    assert env.unwrapped.game.name == "footsies_v0"  # type: ignore[attr-defined]


@pytest.mark.slow
def test_registering_again_does_not_warn() -> None:
    program = (
        "import sys, nashzoo.envs\n"
        "for name in [name for name in sys.modules if name.startswith('nashzoo')]:\n"
        "    del sys.modules[name]\n"
        "import nashzoo.envs\n"
    )
    command = [sys.executable, "-W", "error:Overriding", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Overriding" not in done.stderr
