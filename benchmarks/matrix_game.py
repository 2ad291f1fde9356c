"""Matrix games: one small one, and Colonel Blotto, beside one call of ``scipy.optimize.linprog`` (HiGHS)."""

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.optimize import linprog

from benchmarks.report import Row, row_of_rates
from benchmarks.timing import Work, compare, rates
from nashzoo.baselines import solve_matrix
from nashzoo.envs import LargeMatrix
from nashzoo.envs.core.game import Floats

SIZES = (4, 9)
MATRICES, PEER_MATRICES = 1_000, 10
FIELDS, SOLDIERS = 3, 40  # of Colonel Blotto: 861 allocations


def maximin(payoff: Floats) -> float:
    """Returns the value of a matrix game to the row player, from one linear program."""
    rows, columns = payoff.shape
    result = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-payoff.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0.0, None)] * rows + [(None, None)],
        method="highs",
    )
    if result.fun is None:
        raise ArithmeticError(f"HiGHS gives up: {result.message}")
    return -float(result.fun)


def blotto() -> LargeMatrix:
    """Returns Colonel Blotto by a function: a field is worth a point."""
    placed = [each for each in itertools.product(range(SOLDIERS + 1), repeat=FIELDS) if sum(each) == SOLDIERS]
    fields = np.array(placed, np.int8)
    return LargeMatrix(
        lambda i, j: np.sign(fields[i] - fields[j]).sum(axis=-1), len(placed), len(placed), "blotto", vectorized=True
    )


def solving(solver: Callable[..., object], payoffs: Floats | Sequence[LargeMatrix]) -> Work:
    """Returns a work that solves each of the matrices ``[k, m, n]``."""

    def work() -> int:
        for payoff in payoffs:
            solver(payoff)
        return len(payoffs)

    return work


def run(repetitions: int) -> Iterator[Row]:
    """Measures matrices with normally distributed payoffs per second."""
    for size in SIZES:
        payoffs = np.random.default_rng(size).normal(size=(MATRICES, size, size))
        for payoff in payoffs[:PEER_MATRICES]:
            if abs(solve_matrix(payoff).value - maximin(payoff)) > 1e-9:
                raise AssertionError(f"the two methods disagree on {payoff!r}")
        ours, peer = rates([solving(solve_matrix, payoffs), solving(maximin, payoffs[:PEER_MATRICES])], repetitions)
        row = row_of_rates(f"matrix game {size}x{size}", compare(ours, peer), "games/s", "scipy linprog, one call")
        yield row
    game = blotto()
    whole = game.payoffs(*map(np.arange, game.shape))
    if max(abs(maximin(whole)), abs(solve_matrix(game).value)) > 1e-6:
        raise AssertionError("Colonel Blotto is fair")
    ours, peer = rates([solving(solve_matrix, [game]), solving(maximin, whole[None])], min(repetitions, 3))
    note = "by a function, certificate included"
    yield row_of_rates("Blotto, 861 allocations", compare(ours, peer), "games/s", "scipy linprog, one call", note=note)
