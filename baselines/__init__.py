"""The yardsticks: exact solutions, best responses, and what policies are worth."""

from nashzoo.baselines.fictitious_play import fictitious_play
from nashzoo.baselines.matrix import MatrixSolution, solve_matrix
from nashzoo.baselines.outcomes import Outcomes, outcomes
from nashzoo.baselines.policy import Policy, TablePolicy
from nashzoo.baselines.positions import Positions
from nashzoo.baselines.psro import psro
from nashzoo.baselines.response import BestResponse, best_response, evaluate, exploitability, nash_conv
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solve import solve
from nashzoo.baselines.verify import CertificateError

__all__ = [
    "BestResponse",
    "CertificateError",
    "MatrixSolution",
    "Outcomes",
    "Policy",
    "Positions",
    "Solution",
    "TablePolicy",
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
