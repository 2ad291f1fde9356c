"""A match reviewed by the exact solution: the regret of each action."""

import itertools
import math
from typing import Any

from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines.choices import choice_at
from nashzoo.baselines.practice import PLAYED
from nashzoo.baselines.solution import Solution
from nashzoo.envs.core.game import BOTH


def review(trajectory: Trajectory, solution: Solution) -> dict[str, Any]:
    """Returns the regret of each action of a match against perfect play, and the values of its states, in points.

    A move ``mixes`` where the equilibrium plays several actions at random, so that the regret of one says little.

    With hidden information regrets are those of information states, None where the other player's strategy never leads,
    and states have no values. See :class:`nashzoo.baselines.choices.Choice`.
    """
    game = trajectory.game
    moves: list[dict[str, Any]] = []
    for number, step in enumerate(trajectory.steps):
        for player in game.movers(step.before):
            action = step.actions[player]
            choice = choice_at(solution, step.before, player)
            regret = choice.regret(action)
            loss = None if math.isnan(regret) else regret
            # Where one player moves and sees all, any action of the equilibrium is as good.
            open_alone = solution.has_values and game.turn(step.before) != BOTH
            mixes = not open_alone and bool((choice.probabilities > PLAYED).sum() > 1)
            move = {"step": number + 1, "player": player, "action": game.actions[action], "loss": loss}
            moves.append(move | {"mixes": mixes})
    totals = [sum(move["loss"] or 0.0 for move in moves if move["player"] == player) for player in (0, 1)]
    if not solution.has_values:
        return {"moves": moves, "totals": totals}
    values = [0.0 if game.terminal(code) else solution.value(code) for code in trajectory.codes]
    rewards = list(itertools.accumulate((step.reward for step in trajectory.steps), initial=0.0))
    sums = [reward + value for reward, value in zip(rewards, values, strict=True)]
    return {"moves": moves, "totals": totals, "values": values, "expected": sums}
