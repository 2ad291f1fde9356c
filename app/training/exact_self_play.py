"""Fictitious play and policy-space response oracles with exact responses, reported like a training run."""

from nashzoo.agents.learning.past_policies import PSRO, PolicyMixture
from nashzoo.app.training.evaluator import Evaluator
from nashzoo.app.training.report import BOUNDS, EXACT_RESPONSES, MIXED, Report
from nashzoo.baselines.fictitious import fictitious_play
from nashzoo.baselines.oracles import double_oracle
from nashzoo.envs import Game
from nashzoo.envs.base.progress import Show

ENOUGH = 1e-9  # points per game, of exploitability


def answer_exactly(
    game: Game,
    kind: str,
    iterations: int,
    seed: int,
    games: int | None,
    show: Show,
    seconds: float | None = None,
) -> Report:
    """Computes exact best responses to the mixture of all earlier policies, and returns the mixture's report.

    Args:
        game: The game.
        kind: ``"self"`` for fictitious play, ``"psro"`` for policy-space response oracles.
        iterations: Largest number of iterations; they end earlier at an exploitability of ``ENOUGH``.
        seed: Seed of the games that are played for the report.
        games: Games against each player; see :meth:`nashzoo.app.training.evaluator.Evaluator.report`.
        show: Shows what is being done.
        seconds: Time for the measurements of the report; see :class:`nashzoo.app.training.evaluator.Evaluator`.

    Raises:
        TooManyStatesError: the game has too many states to store policies.
    """
    show("computing exact responses", 0, None)
    if kind == PSRO:
        policy, steps = double_oracle(game, iterations, ENOUGH, measure_last=True)
    else:
        policy, steps = fictitious_play(game, iterations, ENOUGH, measure_last=True)
    curve = [
        {"timesteps": step.iteration, "games": 0, "value": None, "exploitability": step.last}
        | {MIXED: step.exploitability}
        | dict(zip(BOUNDS, (step.lower, step.upper), strict=True))
        for step in steps
    ]
    mixed = PolicyMixture(policy, steps[-1].exploitability)
    evaluator = Evaluator(game, kind, policy, "random", seed, self_play=mixed, seconds=seconds)
    done = steps[-1].iteration
    report = evaluator.report(policy, EXACT_RESPONSES, done, 0, curve, games, show)
    return report._replace(unit="iterations")
