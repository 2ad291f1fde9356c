"""Games whose payoffs are far larger than their value: the formula of two by two games is the other route."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from command import Command
from nashzoo import agents
from nashzoo.baselines import CertificateError, evaluate, exploitability, fraction_solution, solve
from nashzoo.baselines.fraction_solution import FractionSolution, solved_in_fractions, start_in_fractions
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs import matrix_game

EXACT = 1e-9


def large(n: int) -> list[list[int]]:
    """Returns a matrix of large numbers with the value ``(3n - 2) / (4n - 3)``: (ad - bc) / (a + d - b - c)."""
    return [[n, -(n - 1)], [-(n - 2), n]]


def value_of(n: int) -> Fraction:
    return Fraction(3 * n - 2, 4 * n - 3)


@pytest.mark.parametrize("n", [10, 10**4, 10**6, 10**7, 10**8, 10**12, 10**15])
def test_every_figure_is_exact_however_large_the_payoffs_are(n: int) -> None:
    game = matrix_game(large(n))
    solution = solve(game)
    assert solution.start_value == pytest.approx(float(value_of(n)), abs=EXACT)
    uniform = agents.make("random", game)
    assert evaluate(game, uniform, uniform) == 0.75
    for player, guaranteed in enumerate((Fraction(1, 2), Fraction(-1))):  # by hand, against the best reply
        loss = (value_of(n) if player == 0 else -value_of(n)) - guaranteed
        assert exploitability(game, uniform, player=player) == pytest.approx(float(loss), abs=EXACT)


@pytest.mark.parametrize("n", [10**8, 10**15])
def test_the_certificate_is_what_the_rounded_strategies_lose(n: int) -> None:
    solution = solve(matrix_game(large(n), rounds=2))
    assert isinstance(solution, FractionSolution) and solution.exact_value == 2 * value_of(n)
    rows, columns = ([Fraction(float(one)) for one in mix] for mix in solution.strategies(0))
    matrix = large(n)
    secured = min(sum(rows[i] * matrix[i][j] for i in range(2)) / sum(rows) for j in range(2))
    conceded = max(sum(columns[j] * matrix[i][j] for j in range(2)) / sum(columns) for i in range(2))
    assert secured <= value_of(n) <= conceded
    assert solution.certificate == pytest.approx(float(2 * (conceded - secured)), rel=EXACT)
    assert solution.verify() == solution.certificate


def test_a_wrong_value_has_no_certificate() -> None:
    solution = solve(matrix_game(large(10**15)))
    assert isinstance(solution, FractionSolution)
    solution.exact_values[0] += 1
    with pytest.raises(CertificateError, match="the value is wrong, at number=0"):
        solution.verify()


@pytest.mark.parametrize("seed", range(4))
def test_large_parts_that_cancel(seed: int) -> None:
    small = np.random.default_rng(seed).integers(-9, 10, (4, 5))
    large_part = 2**40 * np.arange(4)[:, None]  # a row dominates by so much that the game is one of the last row
    value = solve(matrix_game(small + large_part - large_part[-1])).start_value
    assert value == small[-1].min()


def test_commands(nashzoo: Command) -> None:
    n = 10**15
    Path("big.csv").write_text("".join(f"{a},{b}\n" for a, b in large(n)))
    code, out, _ = nashzoo("solve --matrix big.csv")
    assert code == 0 and "value to red: 0.75 points" in out and f"exactly: {value_of(n)};" in out
    assert nashzoo.json("solve --matrix big.csv")["exact_value"] == str(value_of(n))
    figures = nashzoo.json("exploitability big.csv random")
    assert [figures["player_0"], figures["player_1"]] == pytest.approx([0.25, 0.25], abs=EXACT)
    assert nashzoo("verify big.csv")[0] == 0
    code, _, err = nashzoo("weaknesses big.csv random")
    assert code == 2 and "or payoffs are far larger than the value" in err and err.count("\n") == 1


def test_fractions_that_grow_too_large_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = ListedStates(matrix_game(large(10**6), rounds=3))
    assert isinstance(solved_in_fractions(listed), FractionSolution)
    monkeypatch.setattr(fraction_solution, "MOST_BITS", 20)
    assert solved_in_fractions(listed) is None and start_in_fractions(listed, (None, None)) is None
