"""Exact measures: exact solutions, best responses, and values of policies."""

from nashzoo.baselines.bounded.measure import ExploitabilitySearch, exploitability_bounds
from nashzoo.baselines.certificate.bounds import Bounds, UnprovenValueError
from nashzoo.baselines.certificate.checker import CertificateError
from nashzoo.baselines.certificate_file import write_certificate
from nashzoo.baselines.equilibrium_sets import Decision, Equilibria
from nashzoo.baselines.evaluation import (
    BestResponse,
    Outcomes,
    best_response,
    evaluate,
    exploitability,
    nash_conv,
    outcomes,
)
from nashzoo.baselines.exploitation import Frontier, frontier
from nashzoo.baselines.fictitious import fictitious_play
from nashzoo.baselines.forms import equilibria, solve
from nashzoo.baselines.large_matrix import StrategyBounds, solve_matrix, strategy_bounds
from nashzoo.baselines.locked import LockedSolution
from nashzoo.baselines.oracles import double_oracle
from nashzoo.baselines.plans import StrategicForm, best_response_gaps, strategic_form
from nashzoo.baselines.policies.tabular import Policy, TabularPolicy
from nashzoo.baselines.sampled_policies import SampledPolicy, exploitability_interval
from nashzoo.baselines.selection import Selected, select
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solvers.matrix import MatrixSolution
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.baselines.weak_states import Weakness, weaknesses

__all__ = [
    "BestResponse",
    "Bounds",
    "CertificateError",
    "Decision",
    "Equilibria",
    "ExploitabilitySearch",
    "Frontier",
    "ListedStates",
    "LockedSolution",
    "MatrixSolution",
    "Outcomes",
    "Policy",
    "SampledPolicy",
    "Selected",
    "Solution",
    "StrategicForm",
    "StrategyBounds",
    "TabularPolicy",
    "UnprovenValueError",
    "Weakness",
    "best_response",
    "best_response_gaps",
    "double_oracle",
    "equilibria",
    "evaluate",
    "exploitability",
    "exploitability_bounds",
    "exploitability_interval",
    "fictitious_play",
    "frontier",
    "nash_conv",
    "outcomes",
    "select",
    "solve",
    "solve_matrix",
    "strategic_form",
    "strategy_bounds",
    "weaknesses",
    "write_certificate",
]
