"""Fictitious play and policy-space response oracles with exact responses, reported like a training run."""

from nashzoo.agents.learning.past_policies import PSRO, PolicyMixture
from nashzoo.app.training.evaluator import Evaluator, Trained
from nashzoo.app.training.options import Options
from nashzoo.app.training.report import BOUNDS, MIXED, Report
from nashzoo.baselines.fictitious import fictitious_play
from nashzoo.baselines.oracles import double_oracle
from nashzoo.envs import Game
from nashzoo.envs.base.progress import Show

ENOUGH = 1e-9  # points per game, of exploitability


def answer_exactly(options: Options, game: Game, show: Show) -> Report:
    """Computes exact best responses to the mixture of all earlier policies, and returns the mixture's report.

    Fictitious play against ``"self"``, policy-space response oracles against ``"psro"``; they end early at an
    exploitability of ``ENOUGH``.

    Raises:
        TooManyStatesError: the game has too many states to store policies.
    """
    show("computing exact responses", 0, None)
    answer = double_oracle if options.opponent_name() == PSRO else fictitious_play
    policy, steps = answer(game, options.iterations, ENOUGH, measure_last=True)
    curve = [
        {"timesteps": step.iteration, "games": 0, "value": None, "exploitability": step.last}
        | {MIXED: step.exploitability}
        | dict(zip(BOUNDS, (step.lower, step.upper), strict=True))
        for step in steps
    ]
    mixed = PolicyMixture(policy, steps[-1].exploitability)
    evaluator = Evaluator(options, game, policy, mixed)
    return evaluator.report(Trained(policy, steps[-1].iteration, "iterations", 0, 0.0, curve, evaluator), show)
