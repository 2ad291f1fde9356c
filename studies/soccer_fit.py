"""Fits the evaluation of grid soccer, and measures the accuracy of the evaluations.

``python -m studies.soccer_fit`` solves the game and prints the weights that
``nashzoo.agents.search.soccer_evaluation`` has in ``FITTED``, and for each evaluation its agreement with the exact
values.

The odds of a win are a logistic regression on all states. The number of moves to a win is a linear one on won states;
in the exact solution the winner takes the shortest way and the loser the longest.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import rich
from rich.table import Table

from nashzoo.agents.search.evaluation import Evaluation
from nashzoo.agents.search.soccer_evaluation import EVALUATIONS, FITTED, win_logit, win_moves
from nashzoo.baselines import Solution, solve
from nashzoo.envs import soccer_v0
from nashzoo.envs.core.game import Floats, Game, Ints
from nashzoo.envs.games.soccer.field import RED
from nashzoo.envs.games.soccer.rules import NOBODY
from nashzoo.envs.jit.compiled import compiled

RIDGE = 1e-5  # keeps weights finite if won and other states are linearly separable
CONVERGENCE_TOLERANCE = 1e-10
DIGITS = 3  # of the weights that are kept


def main() -> None:
    """Fits, and prints weights and agreement."""
    solution = solve(soccer_v0.game())
    rich.print(fit(solution))
    for name in ("handmade", "fitted"):
        rich.print(agreement_table(name, EVALUATIONS[name], solution))


def fit(solution: Solution) -> dict[str, float]:
    """Returns the weights that fit the exact values of a game of soccer best."""
    game, names = solution.game, tuple(FITTED)
    codes, balls, values, distances = known(solution)
    weights = dict.fromkeys(names, 0.0)
    for ball_loose in (False, True):
        # The game is symmetric, so that red's states are enough.
        rows = balls == (NOBODY if ball_loose else 1 + RED)
        won = values[rows] > 0
        features = responses(game, win_logit, codes[rows])
        used = features.any(axis=0)
        fitted = logistic(features[:, used], won)
        weights |= dict(zip(np.array(names)[used].tolist(), fitted.tolist(), strict=True))
    rows = np.isin(balls, (NOBODY, 1 + RED)) & (values > 0)
    features = responses(game, win_moves, codes[rows])
    used = features.any(axis=0)
    fitted = np.linalg.lstsq(features[:, used], distances[rows].astype(float), rcond=None)[0]
    weights |= dict(zip(np.array(names)[used].tolist(), fitted.tolist(), strict=True))
    return {name: round(weight, DIGITS) for name, weight in weights.items()}


def known(solution: Solution) -> tuple[Ints, Ints, Floats, Ints]:
    """Returns codes, owners of the ball, values and distances of all states, ``[n]`` each."""
    codes = solution.states.codes_at(np.arange(solution.num_states))
    balls = np.array([solution.game.state(code).ball for code in codes.tolist()])
    return codes, balls, solution.values[np.arange(len(codes))], np.asarray(solution.distances)


def responses(game: Game, linear: Callable[[Ints, Floats, int, int], float], codes: Ints) -> Floats:
    """Returns the coefficients of the weights ``[n, weights]`` in a function that is linear in them, for red."""
    coefficients = np.empty((len(codes), len(FITTED)))
    _fill(linear, game.params, np.eye(len(FITTED)), codes, coefficients)
    return coefficients


@compiled()
def _fill(linear: Any, params: Ints, units: Floats, codes: Ints, coefficients: Floats) -> None:
    for k in range(len(codes)):
        for weight in range(len(units)):
            coefficients[k, weight] = linear(params, units[weight], codes[k], RED)


def logistic(features: Floats, happened: Floats) -> Floats:
    """Returns the weights of a logistic regression, by Newton's method."""
    weights = np.zeros(features.shape[1])
    while True:
        chances = 1.0 / (1.0 + np.exp(-features @ weights))
        slope = features.T @ (chances - happened) / len(features) + RIDGE * weights
        curvature = (features * (chances * (1.0 - chances))[:, None]).T @ features / len(features)
        change = np.linalg.solve(curvature + RIDGE * np.eye(len(weights)), slope)
        weights -= change
        if np.abs(change).max() < CONVERGENCE_TOLERANCE:
            return weights


def evaluated(game: Game, evaluation: Evaluation, codes: Ints) -> Floats:
    """Returns the evaluations of states to red ``[n]``."""
    weights = evaluation.vector()
    return np.array([evaluation.function(game.params, weights, code) for code in codes.tolist()])


def best_limit(points: Floats, values: Floats) -> float:
    """Returns the limit of the absolute evaluation of a draw with the most correct predictions."""
    order = np.argsort(np.abs(points))
    drawn = np.concatenate([[0], np.cumsum(values[order] == 0)])
    decided = np.concatenate([[0], np.cumsum(np.sign(points[order]) == values[order])])
    right = drawn + decided[-1] - decided  # if the first k are predicted as draws
    return float(np.abs(points[order])[right.argmax() - 1]) if right.argmax() else 0.0


def agreement_table(name: str, evaluation: Evaluation, solution: Solution) -> Table:
    """Returns the agreement of an evaluation with the exact values."""
    codes, balls, values, _ = known(solution)
    points = evaluated(solution.game, evaluation, codes)
    limit = best_limit(points, values)
    said = np.where(np.abs(points) > limit, np.sign(points), 0.0)
    turns = np.array([solution.game.state(code).turn for code in codes.tolist()])
    table = Table(
        "ball", "positions", "won or lost", "sign right there", "right, draws included",
        title=f"{name}, up to {limit:.3g} points taken for a draw",
    )  # fmt: skip
    for ball, rows in {
        "player to move": balls == 1 + turns,
        "the other player": balls == 2 - turns,
        "nobody": balls == NOBODY,
        "all": balls >= 0,
    }.items():
        decided = rows & (values != 0)
        shares = (
            decided.sum() / rows.sum(),
            (np.sign(points) == values)[decided].mean(),
            (said == values)[rows].mean(),
        )
        table.add_row(ball, f"{rows.sum():,}", *(f"{share:.2%}" for share in shares))
    return table


if __name__ == "__main__":
    main()
