"""One equilibrium out of many."""

import itertools
from functools import cache
from math import log
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from command import Command
from nashzoo import agents
from nashzoo.baselines import equilibria, evaluate, select, solve, solve_matrix
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, make_game, matrix_game, soccer_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError

EXACT = 1e-9
WAYS = "uniform", "pure", "greedy"


def kuhn_entropy(alpha: float) -> float:
    """Returns the entropy of player 0's equilibria in Kuhn poker, by Kuhn's (1950) formulas: those of a jack's bet."""
    mixes = alpha, 3 * alpha, alpha + 1 / 3  # bets with the jack and the king, calls with the queen
    return -sum(p * log(p) + (1 - p) * log(1 - p) for p in mixes if 0 < p < 1)


def optimal_face(matrix: Any, value: float) -> dict[str, Any]:
    """Returns the constraints of the optimal strategies of the player of rows, for SciPy."""
    secured = {"A_ub": -matrix.T, "b_ub": np.full(matrix.shape[1], -value + 1e-11)}
    return secured | {"A_eq": np.ones((1, len(matrix))), "b_eq": [1.0]}


def test_kuhn_poker() -> None:
    game = make_game("nashzoo.examples.kuhn")
    every = equilibria(game)
    random = select(every, "uniform")
    by_hand = max(map(kuhn_entropy, np.linspace(0.0, 1 / 3, 100_001)))
    assert random.figures[0] == pytest.approx(by_hand, abs=1e-6)
    assert random.best[0] == pytest.approx(by_hand, abs=1e-6)
    assert select(every, "pure").figures == select(every, "pure").best == (1, 2)  # alpha is 0, and the queen's call 1/3
    greedy = select(every, "greedy", agents.make("random", game))
    # At random: the jack, the queen and the king win 1/6 together if alpha is 1/3, which is the most in the family.
    assert greedy.figures == pytest.approx((1 / 6, 1 / 6), abs=EXACT)
    assert greedy.best == pytest.approx((1 / 6, 1 / 6), abs=1e-6)
    assert max(one.solution.certificate for one in (random, greedy)) <= EXACT


@pytest.mark.parametrize("seed", range(30))
def test_matrices_against_linear_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-1, 2, rng.integers(2, 5, 2)).astype(float)
    game, value = matrix_game(matrix.tolist()), solve_matrix(matrix).value
    every, opponent = equilibria(game), agents.make("random", game)
    chosen = {how: select(every, how, opponent if how == "greedy" else None) for how in WAYS}
    for player, (payoffs, least) in enumerate(((matrix, value), (-matrix.T, -value))):
        face, size = optimal_face(payoffs, least), len(payoffs)
        sizes = [
            len(support)
            for count in range(1, size + 1)
            for support in itertools.combinations(range(size), count)
            if linprog(np.zeros(size), **face, bounds=[(0, float(k in support)) for k in range(size)]).status == 0
        ]
        assert chosen["pure"].figures[player] == min(sizes) - 1
        most = -linprog(-payoffs.mean(axis=1), **face, bounds=(0, 1)).fun
        assert chosen["greedy"].figures[player] == pytest.approx(most, abs=EXACT)
        mix = chosen["uniform"].solution.strategies(game.start_codes)[player][0]
        # No optimal strategy rises along the slope of the entropy, which is concave.
        slope = -np.log(np.maximum(mix[:size], 1e-12))
        assert -linprog(-slope, **face, bounds=(0, 1)).fun <= slope @ mix[:size] + 1e-5
    assert max(one.solution.certificate for one in chosen.values()) <= EXACT


def won_from_random(game: Game, player: int) -> float:
    """Returns the most that perfect play wins from random moves in tic-tac-toe, by going through all of it."""

    @cache
    def value(code: int) -> float:
        if game.terminal(code):
            return 0.0
        mover = game.turn(code)
        return (max, min)[mover](worth(code, action)[0] for action in game.legal_actions(code, mover))

    def worth(code: int, action: int) -> tuple[float, int]:
        after = game.step(code, *((action, 0) if game.turn(code) == 0 else (0, action)))
        return game.payoff(after) + value(after), after

    @cache
    def won(code: int) -> float:
        if game.terminal(code):
            return 0.0
        mover = game.turn(code)
        all_after = [worth(code, action) for action in game.legal_actions(code, mover)]
        ahead = [(1 - 2 * player) * game.payoff(after) + won(after) for _, after in all_after]
        if mover != player:
            return sum(ahead) / len(ahead)
        return max(one for one, (worth_here, _) in zip(ahead, all_after, strict=True) if worth_here == value(code))

    return won(int(game.start_codes[0]))


@pytest.mark.slow
def test_tic_tac_toe_wins_most_from_random_moves() -> None:
    game = tictactoe_v0.game()
    greedy = select(equilibria(game), "greedy", agents.make("random", game))
    expected = won_from_random(game, 0), won_from_random(game, 1)
    assert greedy.figures == pytest.approx(expected, abs=EXACT)
    assert greedy.best == pytest.approx(expected, abs=EXACT)
    assert greedy.solution.certificate == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "ways"),
    [
        (footsies_v0.game(), WAYS),
        (bodega_brawl_v0.game(preset="tiny"), WAYS),
        (soccer_v0.game(width=11, height=3, goal_height=1), ("pure",)),
    ],
)
def test_what_is_selected_is_proven(game: Game, ways: tuple[str, ...]) -> None:
    every, opponent = equilibria(game, solve(game)), agents.make("random", game)
    plain = evaluate(game, agents.make("nash", game), opponent)
    for how in ways:
        chosen = select(every, how, opponent if how == "greedy" else None)
        assert chosen.solution.certificate <= EXACT
        assert chosen.solution.start_value == pytest.approx(solve(game).start_value, abs=EXACT)
        if how == "greedy":
            assert chosen.figures[0] >= plain - EXACT


def test_wrong_input(nashzoo: Command) -> None:
    every = equilibria(matrix_game([[0, 0], [0, 1]]))
    with pytest.raises(UsageError, match="uniform, pure, greedy, not 'best'"):
        select(every, "best")
    with pytest.raises(UsageError, match="an opponent is for 'greedy', which needs one"):
        select(every, "greedy")
    assert nashzoo("solve roshambo_v0 --select greedy")[2].strip().endswith("name both")
    assert "alone: leave out --select" in nashzoo("solve roshambo_v0 --select pure --all")[2]


def test_the_command(nashzoo: Command) -> None:
    code, out, _ = nashzoo("solve nashzoo.examples.kuhn --select greedy --against random")
    assert (code, "red wins +0.1667 points from random, the most of any equilibrium" in out) == (0, True)
    code, out, _ = nashzoo("solve nashzoo.examples.kuhn --select pure")
    assert "red takes 1 actions in addition to one at each decision; no equilibrium takes fewer" in out
