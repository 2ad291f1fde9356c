"""The values of minimax search by its definition, in exact fractions; with chance too."""

from fractions import Fraction

from nashzoo.agents.search.evaluation import Evaluation
from nashzoo.envs.core.game import Game
from nashzoo.envs.rules.pieces import CHANCE


def entered(game: Game, code: int, depth: int, evaluation: Evaluation, hurry: bool) -> Fraction:
    """Returns what a state adds to the value of its predecessor; a point counts 1000 and more."""
    reward = Fraction(game.payoff(code)) * (1000 + depth * hurry)
    if game.terminal(code):
        return reward
    if game.turn(code) == CHANCE:
        outcomes, probabilities = game.outcomes(code)
        return reward + sum(
            Fraction(float(probability)) * entered(game, int(outcome), depth, evaluation, hurry)
            for outcome, probability in zip(outcomes, probabilities, strict=True)
        )
    if depth == 0:
        return reward + Fraction(evaluation.function(game.params, evaluation.vector(), code))
    return reward + max_or_min(game, code, depth, evaluation, hurry)[0]


def max_or_min(
    game: Game, code: int, depth: int, evaluation: Evaluation, hurry: bool
) -> tuple[Fraction, dict[int, Fraction]]:
    """Returns the value of a state at which a player moves, and the values of the moves in their order."""
    mover = game.turn(code)
    after = {a: game.step(code, *((a, 0) if mover == 0 else (0, a))) for a in game.legal_actions(code, mover)}
    values = {action: entered(game, state, depth - 1, evaluation, hurry) for action, state in after.items()}
    return (max if mover == 0 else min)(values.values()), values
