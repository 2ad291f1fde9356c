"""The contract of all environments, applied to the games and to the tests' own games of the other shapes."""

from types import SimpleNamespace
from typing import Any

import pettingzoo.test
import pytest

import nim
import repeated_rps
from contract import EnvironmentContract
from nashzoo.envs import bodega_brawl_v0, footsies_v0, roshambo_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.api.module import make_module


def rarely(options: dict[str, Any]) -> Any:
    """Returns options with which the contract is a slow test."""
    return pytest.param(options, marks=pytest.mark.slow)


class TestFootsies(EnvironmentContract):
    public = footsies_v0
    tried = (
        {},
        rarely({"blocks": 0, "attacks_to_win": 1}),
        rarely({"rounds": 2, "max_turns": 3, "exhausted_block": "free"}),
        {"rounds": 63, "blocks": 63, "attacks_to_win": 31, "max_turns": 1023},
    )

    def test_max_cycles_of_pettingzoo(self) -> None:
        def long(function: Any) -> Any:
            return lambda **options: function(rounds=63, **options)

        module = SimpleNamespace(parallel_env=long(footsies_v0.parallel_env), env=long(footsies_v0.env))
        pettingzoo.test.max_cycles_test(module)


class TestBodegaBrawl(EnvironmentContract):
    public = bodega_brawl_v0
    tried = (
        {},
        rarely({"double_ko": "sudden_death"}),
        rarely({"preset": "small"}),
        {"preset": "tiny", "double_ko": "sudden_death"},
    )


class TestRoshambo(EnvironmentContract):
    public = roshambo_v0
    tried = (
        rarely({"rounds": 5}),
        rarely({"rounds": 3, "recall": 3}),
        rarely({"rounds": 40, "recall": 9, "payoff": "rpsls"}),
        {"rounds": 4, "recall": 2, "payoff": [[0, 0.5], [-0.5, 0]]},
        {"rounds": 2**20 - 1, "recall": 13},
    )


class TestTicTacToe(EnvironmentContract):
    public = tictactoe_v0


class TestSoccer(EnvironmentContract):
    public = soccer_v0
    tried = (
        rarely({"random_positions": False}),
        rarely({"width": 11, "height": 3, "goal_height": 1}),
        {"width": 13, "height": 5, "goal_height": 5, "random_positions": False},
        rarely({"width": 31, "height": 21, "goal_height": 21, "random_positions": False}),
    )


class TestNim(EnvironmentContract):
    public = make_module(nim)
    tried = ({}, rarely({"heap": 12, "most": 2, "first": 1}), {"heap": 9, "first": "random"})


class TestRepeatedRockPaperScissors(EnvironmentContract):
    public = make_module(repeated_rps)
    tried = ({}, rarely({"rounds": 4, "recall": 2}), rarely({"rounds": 100, "recall": 8}))
