"""Tabular learners that learn from play come near the equilibrium, or reach it."""

import pytest

import nim
import repeated_rps
from nashzoo.agents.registry import self_play_learner
from nashzoo.baselines import exploitability
from nashzoo.envs import bodega_brawl_v0, footsies_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.core.game import Game

EXACT = 1e-9
NIM, RPS = Game(nim), Game(repeated_rps)
FOOTSIES, TICTACTOE = footsies_v0.game(), tictactoe_v0.game()
BODEGA_BRAWL, SOCCER = bodega_brawl_v0.game(preset="small"), soccer_v0.game(width=11, height=5)


@pytest.mark.parametrize(
    ("name", "game", "timesteps", "within"),
    [
        ("minimax_q", NIM, 500, EXACT),
        ("minimax_q", RPS, 5_000, EXACT),
        ("minimax_q", FOOTSIES, 20_000, EXACT),
        ("minimax_q", TICTACTOE, 150_000, EXACT),
        ("minimax_q", BODEGA_BRAWL, 400_000, EXACT),
        ("nash_vi", NIM, 300, EXACT),
        ("nash_vi", RPS, 5_000, EXACT),
        ("nash_vi", FOOTSIES, 20_000, EXACT),
        ("nash_vi", TICTACTOE, 150_000, EXACT),
        ("nash_vi", BODEGA_BRAWL, 200_000, EXACT),
        pytest.param("nash_vi", SOCCER, 1_500_000, EXACT, marks=pytest.mark.slow),
        ("regret_matching", NIM, 20_000, 0.01),
        ("regret_matching", FOOTSIES, 1_000_000, 0.01),
        ("regret_matching", TICTACTOE, 2_000_000, 0.02),
        ("regret_matching", BODEGA_BRAWL, 2_000_000, 0.05),
        ("wolf_phc", NIM, 200_000, 0.2),
        ("wolf_phc", FOOTSIES, 3_000_000, 0.2),
        pytest.param("wolf_phc", TICTACTOE, 8_000_000, 0.3, marks=pytest.mark.slow),
    ],
)
def test_it_comes_near_the_equilibrium(name: str, game: Game, timesteps: int, within: float) -> None:
    check_it_comes_near(name, game, timesteps, within)


def check_it_comes_near(name: str, game: Game, timesteps: int, within: float, **chosen: float) -> None:
    kind = self_play_learner(name)
    settings = {"total_timesteps": timesteps} if hasattr(kind.Settings(), "total_timesteps") else {}
    learner = kind(game, seed=0, **settings, **chosen)
    before = exploitability(game, learner)
    learner.learn(timesteps)
    assert exploitability(game, learner) < within < before
    assert timesteps <= learner.num_timesteps < timesteps + game.max_cycles
    assert 0 < learner.num_games < learner.num_timesteps


@pytest.mark.slow
def test_minimax_q_reaches_it_on_the_whole_field_if_every_game_starts_anywhere() -> None:
    """The figure of docs/minimax_q.md: 15 million joint actions, against 40 million from the start alone."""
    check_it_comes_near("minimax_q", soccer_v0.game(), 15_000_000, EXACT, exploring_starts=1.0)
