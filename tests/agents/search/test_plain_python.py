"""With ``NUMBA_DISABLE_JIT=1`` the same searches run as plain Python, with the same results."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PIG = Path(__file__).resolve().parents[3] / "examples" / "games" / "pig.py"
SEARCHES = f"""
import nim, numpy as np
from test_minimax import DIGITS, TICTACTOE, AlphaBetaAgent, MinimaxAgent, random_graph
from nashzoo.agents.search.mcts import MCTSAgent
from nashzoo.envs import footsies_v0, make_game
from nashzoo.envs.core.game import Game
for game in (TICTACTOE, random_graph(np.random.default_rng(5)), make_game({str(PIG)!r}, target=8)):
    for agent in (MinimaxAgent(game, depth=3, evaluation=DIGITS), AlphaBetaAgent(game, depth=3, evaluation=DIGITS)):
        print([column.tolist() for column in agent.search(game.start_codes)])
for game in (footsies_v0.game(), Game(nim, heap=6)):
    for selection in ("regret_matching", "uct"):
        agent = MCTSAgent(game, simulations=60, selection=selection, search_seed=3)
        observation = game.observe(int(game.start_codes[0]), 0)[None]
        print(agent.action_probabilities(observation, agent.legal(observation)).round(12).tolist())
"""


@pytest.mark.slow
def test_plain_python_searches_alike() -> None:
    answers = [
        subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-c", SEARCHES],
            env={**os.environ, "NUMBA_DISABLE_JIT": disable, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disable in ("0", "1")
    ]
    assert answers[0] == answers[1]
    assert answers[0].count("[[") == 10
