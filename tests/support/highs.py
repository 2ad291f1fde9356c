"""Matrix games solved with HiGHS, the reference of the methods of nashzoo."""

from typing import Any

import numpy as np
from scipy.optimize import linprog

from nashzoo.baselines import MatrixSolution
from nashzoo.envs.core.game import Floats


def solve_by_highs(payoff: Any) -> MatrixSolution:
    """Solves a matrix game; its bounds are sums of NumPy."""
    matrix = np.asarray(payoff, np.float64)
    scaled = matrix / max(float(np.abs(matrix).max()), np.finfo(np.float64).tiny)  # HiGHS has absolute tolerances,
    scaled -= scaled.min()
    scaled /= scaled.max() or 1.0  # and a matrix may be nearly constant
    rows, columns = _maximin(scaled), _maximin(-scaled.T)
    lower, upper = float((rows @ matrix).min()), float((matrix @ columns).max())
    return MatrixSolution(0.5 * (lower + upper), rows, columns, max(upper - lower, 0.0))


def _maximin(matrix: Floats) -> Floats:
    rows, columns = matrix.shape
    objective = np.append(np.zeros(rows), -1.0)
    result = linprog(
        objective,
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0.0, None)] * rows + [(None, None)],
        method="highs-ds",
    )
    if result.status != 0 or result.x is None:
        raise ArithmeticError(f"HiGHS could not solve a matrix game of shape {matrix.shape}: {result.message}")
    strategy: Floats = np.clip(result.x[:rows], 0.0, None)
    return np.ascontiguousarray(strategy / strategy.sum())
