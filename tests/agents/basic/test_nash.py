"""The exact solution as a player."""

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.agents.basic.nash import NashAgent
from nashzoo.baselines import solve
from nashzoo.envs import footsies_v0

FOOTSIES = footsies_v0.game()


@pytest.mark.slow
def test_it_opens_with_anything_but_attack() -> None:
    agent = NashAgent(FOOTSIES)
    start = FOOTSIES.observe(int(FOOTSIES.start_codes[0]), 0)[None]
    assert np.allclose(agent.action_probabilities(start, np.ones((1, 4), np.int8)), [[0, 1 / 3, 1 / 3, 1 / 3]])


def test_one_hit_ahead_without_blocks_left() -> None:
    """Blocks (0, 0), the leader plays A 3/9, B 4/9, D 2/9; seen from either seat."""
    agent = NashAgent(FOOTSIES)
    attack, grab = 1, 3  # the last moves: how the hit landed
    for player in (0, 1):
        ahead = {f"hits{player}": 1, f"last{player}": attack, f"last{1 - player}": grab}
        seen = FOOTSIES.observe(FOOTSIES.code(blocks0=0, blocks1=0, **ahead), player)[None]
        assert np.allclose(agent.action_probabilities(seen, agent.legal(seen)), [[3 / 9, 4 / 9, 0, 2 / 9]])


def test_a_solution_can_be_shared() -> None:
    solution = solve(FOOTSIES)
    assert agents.make("nash", FOOTSIES, solution=solution).solution is solution  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r"the solution is of footsies_v0, not of footsies_v0\(blocks=2\)$"):
        NashAgent(footsies_v0.game(blocks=2), solution=solution)
    with pytest.raises(ValueError, match=r"solution must be what solve\(game\) returns, not 'solution.npz'"):
        agents.make("nash", FOOTSIES, solution="solution.npz")
