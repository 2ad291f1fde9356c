"""Practice at a state: one's own last choices there, taken as a mixture, and what a best reply wins from it.

Where the equilibrium mixes, a single choice is never wrong by itself: each action that it plays has the regret 0
against the equilibrium. What can be wrong is how often one plays it. So the last choices at a state count as one
mixture, and its regret is ``V(s) - min_b E[reward + V(next state)]``: what an opponent that knows it wins by its best
action ``b``, if both play perfectly from then on. In turn-based games this is the mean regret of the choices.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats, Game, Ints

EACH = 2  # choices that count, for each action that the equilibrium plays
MOST_COUNTED = 12
PLAYED = 1e-6  # least probability of an action that the equilibrium plays
PART = 0.4  # of what was lost, which is still allowed: less than one wrong choice of two


class Practice(NamedTuple):
    """What the last choices of a player at a state lose.

    Attributes:
        actions: The player's legal actions ``[k]``.
        probabilities: Of the equilibrium ``[k]``.
        losses: The regret of each action against the equilibrium ``[k]``, points.
        plays: How often each action is among the choices that count ``[k]``, as a share.
        regrets: The regret of the mixture after each choice, points.
        punished_by: The best reply to the last mixture; None if it wins nothing, or the other player does not move.
        counting: How many of the last choices count.
        bound: The regret at which the state is done, points.
        done: Whether enough choices were made, and the last regret is within the bound.
    """

    actions: tuple[int, ...]
    probabilities: Floats
    losses: Floats
    plays: Floats
    regrets: list[float]
    punished_by: int | None
    counting: int
    bound: float
    done: bool


def practice(solution: Solution, code: int, player: int, choices: Sequence[int], lost: float | None = None) -> Practice:
    """Measures a player's own choices at a state.

    The last two choices count for each action that the equilibrium plays, twelve at most. The state is done when these
    lose 40 % of ``lost`` at most, or no more than the mixture of so many choices that is nearest to the equilibrium.

    Args:
        solution: The solution of a game in which players see the whole state.
        code: The state.
        player: The player.
        choices: The actions that it chose there, in order.
        lost: What was lost there before practice, points; None for the least that always the same action loses.

    Raises:
        UsageError: nothing was chosen, the player does not choose there, or an action is not legal.
        KeyError: the state is not part of the solution.
    """
    check_choices(solution.game, code, player, choices)
    stage = stage_game(solution, code)
    actions, equilibrium = stage.actions[player], stage.strategies[player]
    counting = min(EACH * int((equilibrium > PLAYED).sum()), MOST_COUNTED)
    chosen = np.eye(len(actions))[[actions.index(action) for action in choices]]
    mixtures = [chosen[max(0, k - counting) : k].mean(axis=0) for k in range(1, len(choices) + 1)]
    exploited = [stage.exploited(player, mixture) for mixture in mixtures]
    regret, reply = exploited[-1]
    nearest, _ = stage.exploited(player, apportioned(equilibrium, counting) / counting)
    if lost is None:
        alone = [stage.exploited(player, one)[0] for one in np.eye(len(actions))]
        lost = min(filter(None, alone), default=0.0)
    bound = max(PART * lost, nearest)
    punished = regret > 0.0 and 1 - player in solution.game.movers(code)
    return Practice(
        actions,
        equilibrium,
        stage.losses(player),
        mixtures[-1],
        [regret for regret, _ in exploited],
        reply if punished else None,
        counting,
        bound,
        len(choices) >= counting and regret <= bound + PROVEN,
    )


def check_choices(game: Game, code: int, player: int, choices: Sequence[int]) -> None:
    """Checks that a player can make choices at a state.

    Raises:
        UsageError: nothing was chosen, the player does not choose there, or an action is not legal.
    """
    if player not in game.movers(code):
        raise UsageError(f"player {player} does not choose at {game.spell(code)}")
    legal = game.legal_actions(code, player)
    if not choices or not set(choices) <= set(legal):
        raise UsageError(f"choices must be legal actions, at least one of {list(legal)}, not {list(choices)}")


def apportioned(shares: Floats, seats: int) -> Ints:
    """Returns whole numbers ``[k]`` nearest to ``seats`` times shares ``[k]``, with the sum ``seats``.

    Source: Hamilton's method of apportionment, by the largest remainders.

    >>> apportioned(np.array([0.5, 0.3, 0.2]), 4)
    array([2, 1, 1])
    """
    exact = seats * shares
    whole = np.floor(exact + PROVEN).astype(np.int64)
    missing = max(0, seats - int(whole.sum()))
    whole[np.argsort(whole - exact, kind="stable")[:missing]] += 1
    return whole
