"""Play with cycles, solved backwards from its ends: slow sweeps agree; what it cannot solve it leaves alone."""

import numpy as np
import pytest

import brute_force
import graph_game
import repeated_rps
from nashzoo.baselines import ListedStates, solve
from nashzoo.baselines.solvers.retrograde import retrograde
from nashzoo.envs import soccer_v0
from nashzoo.envs.core.code_index import Numbering
from nashzoo.envs.core.game import Floats, Game


def turn_based(rng: np.random.Generator, nodes: int, ends: int) -> Game:
    """Returns a game on a graph in which one player moves at a time, and the ends pay all kinds of points."""
    shapes = [
        (int(rng.integers(1, 5)), 1) if rng.random() < 0.5 else (1, int(rng.integers(1, 5))) for _ in range(nodes)
    ]
    tables = [rng.integers(0, nodes + ends, shape).tolist() for shape in shapes]
    pays = [0.0] * nodes + rng.choice([-1.0, -0.5, -0.25, 0.0, 0.5, 0.75, 1.0], ends).tolist()
    return Game(graph_game, tables=[*tables, *[None] * ends], pays=pays)


def best_for_the_mover(code: int, matrix: Floats) -> float:
    return float(matrix.min() if matrix.shape[0] == 1 else matrix.max())


@pytest.mark.slow
def test_slow_sweeps_agree_on_random_games() -> None:
    rng = np.random.default_rng(21)
    seen = set()
    for _ in range(150):
        game = turn_based(rng, int(rng.integers(3, 20)), int(rng.integers(1, 6)))
        solution = solve(game)
        values = brute_force.sweep(game, best_for_the_mover, 0.0)
        assert solution.values.tolist() == list(values.values())  # type: ignore[attr-defined]
        assert solution.certificate == 0
        seen |= set(values.values())
    assert seen == {-1.0, -0.5, -0.25, 0.0, 0.5, 0.75, 1.0}


def test_what_it_leaves_alone() -> None:
    everything = np.arange(2)
    toll = ListedStates(Game(graph_game, tables=[[[1]], [[0, 2]], None], pays=[0.0, -0.5, 1.0]))
    assert retrograde(toll.successors, everything, np.zeros(2)) is None
    at_once = ListedStates(Game(repeated_rps))
    assert retrograde(at_once.successors, np.arange(len(at_once)), np.zeros(len(at_once))) is None


def test_numbers_of_codes() -> None:
    rng = np.random.default_rng(24)
    numbering, known = Numbering(), dict[int, int]()
    for size in (1, 5, 3000, 40):
        codes = rng.integers(0, 1 << int(rng.integers(4, 60)), (size, 2))
        codes[0, 0] = -1  # a mark
        expected = [code if code < 0 else known.setdefault(code, len(known)) for code in codes.ravel().tolist()]
        assert numbering.number(codes).ravel().tolist() == expected
        assert numbering.codes.tolist() == list(known)
        assert len(numbering) == len(known)


@pytest.mark.slow
def test_grid_soccer() -> None:
    # Two turns; 19 x 13 cells for two players, without the one in the centre while the ball is loose.
    solution = solve(soccer_v0.game())
    assert solution.num_states == 2 * (2 * 247 * 246 + 246 * 245)
    assert solution.certificate == 0
    assert set(np.unique(solution.values)) == {-1.0, 0.0, 1.0}  # type: ignore[call-overload]
