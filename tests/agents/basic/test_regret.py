"""What an action loses, told by the environments."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import nim
import repeated_rps
from nashzoo import agents
from nashzoo.agents.basic.regret_env import Regret
from nashzoo.agents.gym_factory import gymnasium_env, gymnasium_vector_env
from nashzoo.baselines import evaluate, solve
from nashzoo.envs import bodega_brawl_v0, footsies_v0, tictactoe_v0
from nashzoo.envs.core.game import Game

EXACT = 1e-9
STANDARD_ERRORS = 5
NIM = Game(nim, heap=6, first="random")  # won by taking two, Bouton


def regrets_at(game: Game, code: int, player: int) -> list[float]:
    everything = np.arange(game.num_actions)
    codes, players = np.full(len(everything), code), np.full(len(everything), player)
    return Regret(game)(codes, players, everything).tolist()


def test_in_nim_every_move_but_the_winning_one_loses_two_points() -> None:
    assert regrets_at(NIM, NIM.code(heap=6, mover=0), 0) == [2, 0, 2]
    assert regrets_at(NIM, NIM.code(heap=6, mover=1), 1) == [2, 0, 2]
    assert regrets_at(NIM, NIM.code(heap=4, mover=0), 0) == [0, 0, 0]  # all is lost
    assert regrets_at(NIM, NIM.code(heap=2, mover=1), 1) == [2, 0, 2]  # of two one cannot take three: that loses


def test_what_is_mixed_in_equilibrium_loses_nothing() -> None:
    throws, (attack, *others) = (
        regrets_at(game, int(game.start_codes[0]), 0) for game in (Game(repeated_rps, rounds=2), footsies_v0.game())
    )
    assert throws == pytest.approx([0, 0, 0], abs=EXACT)  # a third each
    assert others == pytest.approx([0, 0, 0], abs=EXACT) and attack > 0.01  # a third each, see docs/footsies.md


@pytest.mark.parametrize(
    "game", [footsies_v0.game(), tictactoe_v0.game(), bodega_brawl_v0.game(preset="tiny"), NIM], ids=lambda g: g.name
)
def test_the_best_action_loses_nothing_and_is_worth_the_value(game: Game) -> None:
    solution = solve(game)
    codes = solution.states.codes_at(np.arange(len(solution.states)))
    regret = Regret(game, solution)
    for player in range(2):
        worths = regret.action_values(codes, np.full(len(codes), player))
        values = np.array([solution.value(int(code)) for code in codes])
        assert worths.max(axis=1) == pytest.approx(values if player == 0 else -values, abs=EXACT)


@pytest.mark.parametrize("game", [tictactoe_v0.game(), bodega_brawl_v0.game(preset="tiny")], ids=lambda g: g.name)
def test_against_the_equilibrium_regrets_add_up_to_what_is_lost(game: Game) -> None:
    nash = agents.make("nash", game)
    lost = solve(game).start_value - evaluate(game, agents.make("random", game), nash)  # type: ignore[arg-type]
    envs = gymnasium_vector_env(game, 200, nash, regret=True)
    rng = np.random.default_rng(0)
    infos = envs.reset(seed=1)[1]
    sums, totals = np.zeros(200), []
    while len(totals) < 3000:
        actions = (rng.random((200, game.num_actions)) * infos["action_mask"]).argmax(axis=1)
        _, _, terminated, _, infos = envs.step(actions)
        sums += infos["regret"]
        totals += sums[terminated].tolist()
        sums[terminated] = 0.0
    assert abs(np.mean(totals) - lost) < STANDARD_ERRORS * np.std(totals) / np.sqrt(len(totals))


@pytest.mark.parametrize("player", [0, 1, "random"])
def test_the_tables_tell_what_single_environments_do(player: Any) -> None:
    name = "nashzoo.envs:nashzoo/Footsies-v0"
    together = gymnasium.make_vec(name, num_envs=3, opponent="bayesian", player=player, regret=True)
    actions = np.random.default_rng(0).integers(4, size=(30, 3))
    together.reset(seed=5)
    told = [together.step(joint) for joint in actions]
    for table in range(3):
        alone = gymnasium.make(name, opponent="bayesian", player=player, regret=True)
        alone.reset(seed=5 + table)
        for action, (*_, infos) in zip(actions[:, table], told, strict=True):
            _, _, terminated, truncated, info = alone.step(action)
            assert info["regret"] == infos["regret"][table] >= 0
            if terminated or truncated:
                assert infos["final_info"]["regret"][table] == info["regret"]
                alone.reset()


def test_illegal_actions() -> None:
    game = Game(nim, heap=2)  # won for the mover by taking both; three cannot be taken
    for illegal_action, lost in (("lose", 2.0), ("noop", 0.0)):
        env = gymnasium_env(game, "random", regret=True, illegal_action=illegal_action)
        env.reset(seed=0)
        assert env.step(2)[4]["regret"] == lost
        env.reset(seed=0)
        assert env.step(7)[4]["regret"] == lost


def test_it_is_told_on_request_alone() -> None:
    for env in (gymnasium_env(NIM), gymnasium_vector_env(NIM, 2)):
        env.reset(seed=0)
        assert "regret" not in env.step(np.array([0, 0]) if hasattr(env, "num_envs") else 0)[4]
