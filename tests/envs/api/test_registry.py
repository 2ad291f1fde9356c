"""Environments by name."""

import gymnasium
import pettingzoo
import pytest

from nashzoo.envs import footsies_v0, games, make_game
from nashzoo.envs.api.aec import GameAECEnv
from nashzoo.envs.api.parallel_env import GameParallelEnv
from nashzoo.envs.registry import GAMES

with_registry = pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27")


def test_names() -> None:
    assert "footsies_v0" in games()


@pytest.mark.parametrize("name", games())
def test_a_game_by_name_is_the_public_modules(name: str) -> None:
    assert make_game(name).name == name


def test_parameters_are_handed_on() -> None:
    assert make_game("footsies_v0", rounds=3) == footsies_v0.game(rounds=3)
    with pytest.raises(TypeError, match="footsies_v0 has no parameter size; it has rounds, blocks"):
        make_game("footsies_v0", size=3)
    with pytest.raises(ValueError, match="rounds must be a whole number from 1 to 63, not 0"):
        make_game("footsies_v0", rounds=0)


def test_an_unknown_game_is_an_error_that_lists_the_games() -> None:
    with pytest.raises(ValueError) as error:
        make_game("chess_v6")
    assert str(error.value) == f"there is no game 'chess_v6'; the games are {', '.join(games())}"


@pytest.mark.parametrize("name", games())
def test_gymnasium_knows_every_game(name: str) -> None:
    stem, version = name.rsplit("_v", 1)
    title = "".join(word.capitalize() for word in stem.split("_"))
    ids = {identifier.casefold() for identifier in gymnasium.registry}
    assert f"nashzoo/{title}-v{version}".casefold() in ids


@with_registry
@pytest.mark.parametrize("name", games())
def test_pettingzoo_makes_every_game(name: str) -> None:
    identifier = f"nashzoo/{GAMES[name]}-v{name.rsplit('_v', 1)[1]}"
    assert identifier in gymnasium.registry  # both libraries have it by the same name
    parallel = pettingzoo.make("parallel", identifier)
    assert isinstance(parallel, GameParallelEnv) and parallel.game == make_game(name)
    aec = pettingzoo.make("aec", identifier)
    assert isinstance(aec.unwrapped, GameAECEnv) and aec.unwrapped.game == make_game(name)


@with_registry
def test_pettingzoo_hands_options_on() -> None:
    env = pettingzoo.make("parallel", "nashzoo/Footsies-v0", max_cycles=7, rounds=3, illegal_action="noop")
    assert (env.max_cycles, env.illegal_action, env.game) == (7, "noop", footsies_v0.game(rounds=3))
