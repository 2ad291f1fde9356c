"""Exact measures: exact solutions, best responses, and what policies are worth."""

from nashzoo.baselines.bounds import Bounds, UnprovenValueError
from nashzoo.baselines.evaluation import BestResponse, best_response, evaluate, exploitability, nash_conv
from nashzoo.baselines.fictitious_play import fictitious_play
from nashzoo.baselines.matrix import MatrixSolution, solve_matrix
from nashzoo.baselines.outcomes import Outcomes, outcomes
from nashzoo.baselines.policy import Policy, TablePolicy
from nashzoo.baselines.positions import Positions
from nashzoo.baselines.psro import psro
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solve import solve
from nashzoo.baselines.verify import CertificateError

__all__ = [
    "BestResponse",
    "Bounds",
    "CertificateError",
    "MatrixSolution",
    "Outcomes",
    "Policy",
    "Positions",
    "Solution",
    "TablePolicy",
    "UnprovenValueError",
    "best_response",
    "evaluate",
    "exploitability",
    "fictitious_play",
    "nash_conv",
    "outcomes",
    "psro",
    "solve",
    "solve_matrix",
]
