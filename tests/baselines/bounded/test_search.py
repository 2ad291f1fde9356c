"""Bounds of best responses by search hold at any time, and meet at the exact value."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graph_game
import tree_game
from nashzoo import agents
from nashzoo.baselines import best_response
from nashzoo.baselines.bounded.search import ResponseSearch
from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.envs import Game, make_game
from nashzoo.envs.core.game import BOTH, CHANCE, Floats
from tree_game import random_tree

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "games"


class RandomPolicy:
    """Random probabilities, drawn anew for each observation; some actions are never played."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.seed = game, seed

    def action_probabilities(self, observations: Any, masks: Any) -> Floats:
        rows = []
        for seen, mask in zip(observations, masks, strict=True):
            rng = np.random.default_rng([self.seed, *np.round(seen * 1000).astype(int).tolist()])
            shares = rng.exponential(size=len(mask)) ** 2 * (rng.random(len(mask)) > 0.3) * mask
            rows.append((shares if shares.any() else mask) / (shares if shares.any() else mask).sum())
        return np.array(rows)


def check(game: Game, policy: Any, most: int = 100_000, exact: bool = True) -> None:
    for player in (0, 1):
        true = best_response(game, policy, player, bounds=True).value
        search, done, last = ResponseSearch(game, policy, player), False, None
        for _ in range(most):
            lower, upper = search.bounds
            assert lower <= true.upper and upper >= true.lower
            assert last is None or (lower >= last.lower and upper <= last.upper)  # they only become closer
            last = search.bounds
            if done:
                break
            done = search.improve()
        assert not exact or (done and last.upper - last.lower <= 4 * PROVEN)


@pytest.mark.parametrize("movers", [(0, 1, BOTH, CHANCE), (0, 1, CHANCE), (BOTH,), (0, 1)], ids=str)
@pytest.mark.parametrize("seed", range(12))
def test_random_trees(movers: tuple[int, ...], seed: int) -> None:
    game = Game(tree_game, nodes=random_tree(np.random.default_rng(seed), movers, depth=5))
    check(game, RandomPolicy(game, seed))


def random_graph(seed: int, nodes: int = 8) -> Game:
    """Returns a game in which both players choose at once, states recur, and ends alone pay."""
    rng = np.random.default_rng(seed)
    tables: list[Any] = [
        rng.integers(0, nodes + 3, size=(rng.integers(1, 4), rng.integers(1, 4))).tolist() for _ in range(nodes)
    ]
    return Game(graph_game, tables=[*tables, None, None, None], pays=[0.0] * nodes + [1.0, -1.0, 0.5])


@pytest.mark.parametrize("seed", range(40))
def test_states_that_recur(seed: int) -> None:
    game = random_graph(seed)
    check(game, RandomPolicy(game, seed))
