"""States worth practising: something is at stake, and the right choice is not obvious.

Where one player moves, most moves lose something, and no line of two moves ends the game, so that nothing is seen by
looking so far ahead. Where both choose at once, or something is hidden, neither a single action is right, nor all of
them equally often: an opponent who knows it wins by its best reply.
"""

import itertools

import numpy as np

from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs.core.game import Game, Ints

PLAYED = 1e-6  # least probability of an action that the equilibrium plays
STAKE = 0.07  # least loss of whoever chooses without thought, as a part of the largest value
FEWEST = 3  # actions to choose from
AHEAD = 2  # moves
LOOKED_AT = 2000  # states
MOST = 100
PART = 1 / 3  # least that a mix saves of what play without thought loses, as a part of the most at any state
COUNTED = 6  # choices of one mix with hidden information
MOST_ACTIONS = 5  # to choose from: their mixes of so many choices are few


def decided_start(solution: Solution, seed: int) -> int | None:
    """Returns a start drawn among those that are worth most to player 0, for who wants to watch an end.

    None where all starts are worth the same, or have no value.
    """
    codes = solution.game.start_codes
    if len(codes) == 1 or not solution.has_values:
        return None
    values = solution.values[solution.states.ids(codes)]
    most = values >= values.max() - PROVEN
    return None if most.all() else int(np.random.default_rng(seed).choice(codes[most]))


def worth_practising(solution: Solution) -> list[tuple[int, int]]:
    """Returns states, or information states, and who chooses there, in an order that is the same everywhere."""
    rng = np.random.default_rng(0)
    if isinstance(solution, InformationSolution):
        stakes = {place: _stake(solution, *place) for place in _mixed(solution)}
        least = max(PROVEN, PART * max(stakes.values(), default=0.0))
        high = [place for place, stake in stakes.items() if stake >= least and solution.reached(*place) > PLAYED]
        return [high[k] for k in rng.permutation(len(high))[:MOST]]
    game, states = solution.game, solution.states
    drawn = states.codes_at(rng.choice(len(states), min(len(states), LOOKED_AT), replace=False)).tolist()
    codes = [code for code in dict.fromkeys(drawn) if game.movers(code)]
    least = STAKE * max((abs(solution.value(code)) for code in codes), default=0.0)
    found = ((code, game.movers(code)[0]) for code in codes if least > PROVEN)
    return list(itertools.islice((one for one in found if _is_worth(solution, *one, least)), MOST))


def mixes_of(count: int) -> Ints:
    """Returns how often each of so many actions is chosen in six choices, in all ways ``[m, count]``."""
    ways = itertools.product(range(COUNTED + 1), repeat=count)
    return np.array([way for way in ways if sum(way) == COUNTED])


def _mixed(solution: InformationSolution) -> list[tuple[int, int]]:
    """Returns the first information states at which each player mixes few actions."""
    found: list[tuple[int, int]] = []
    for player, plex in enumerate(solution.form.treeplexes):
        shares = np.split(solution.probabilities[player], plex.first)[1:-1]
        mixed = (
            (code, player)
            for code, share in zip(plex.codes.tolist(), shares, strict=True)
            if (share > PLAYED).sum() > 1 and len(share) <= MOST_ACTIONS
        )
        found += itertools.islice(mixed, MOST)
    return found


def _stake(solution: InformationSolution, code: int, player: int) -> float:
    """Returns what the best mix of six choices saves of what play without thought loses, points."""
    count = len(solution.game.legal_actions(code, player))
    without_thought = solution.exploited(code, player, [*np.eye(count), np.full(count, 1 / count)])
    return float(without_thought.min() - solution.exploited(code, player, mixes_of(count) / COUNTED).min())


def _is_worth(solution: Solution, code: int, player: int, least: float) -> bool:
    game, stage = solution.game, stage_game(solution, code)
    count = len(stage.actions[player])
    if count < FEWEST:
        return False
    if len(game.movers(code)) > 1:
        without_thought = [*np.eye(count), np.full(count, 1 / count)]
        return min(stage.exploited(player, shares)[0] for shares in without_thought) >= least
    losses = stage.losses(player)
    return bool(losses.mean() >= least and 2 * (losses <= PROVEN).sum() <= count) and not _ends(game, code, AHEAD)


def _ends(game: Game, code: int, moves: int) -> bool:
    """Returns whether so few moves can end the game."""
    for first in game.legal_actions(code, 0):
        for second in game.legal_actions(code, 1):
            after = game.rules.step(game.params, code, first, second)
            if game.terminal(after) or (moves > 1 and game.movers(after) and _ends(game, after, moves - 1)):
                return True
    return False
