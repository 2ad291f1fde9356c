"""Monte Carlo tree search where both players choose at once, compiled, for any game.

Every simulation walks from the root down the tree, adds the first position it meets that is not in the tree yet,
plays on from there at random, and takes what the game brought back up. At a node each player selects for itself
alone, by one of two rules:

- *Regret matching* draws an action in proportion to how much more it would have brought so far. Regrets that would
  become negative stay at 0 (regret matching+). The average of these strategies approaches an equilibrium.
- *UCT* takes the action of the highest upper confidence bound. Visit frequencies need not approach an equilibrium.

Where one player alone has a choice, in turn-based play, nobody needs to mix: UCT selects, and the answer is the
action most visited.

Sources: Kocsis and Szepesvari (2006), UCT; Lanctot, Lisy and Winands (2013), Monte Carlo tree search in simultaneous
move games with applications to Goofspiel, decoupled UCT and regret matching; Tammelin (2014), Solving large
imperfect information games using CFR+, regret matching+.
"""

import math
from typing import Any

import numpy as np
from numba import float64, int64, uint64, void

from nashzoo.envs.compiled import GAME, Floats, Ints, compiled
from nashzoo.envs.kernels import Seeds, count_actions, draw_uniform, nth_action, random_action, splitmix

REGRET_MATCHING, UCT = range(2)

UNSEEN = -1


@compiled()
def _play_on(
    step: Any, legal: Any, payoff: Any, terminal: Any, params: Ints, code: int, depth: int, seeds: Seeds, row: int
) -> float:
    """Returns what uniformly random play brings player 0 from a position on; nothing for what lies too deep."""
    points = 0.0
    for _ in range(depth):
        if terminal(params, code):
            break
        action0 = random_action(legal(params, code, 0), draw_uniform(seeds, row))
        action1 = random_action(legal(params, code, 1), draw_uniform(seeds, row))
        code = step(params, code, action0, action1)
        points += payoff(params, code)
    return points


@compiled()
def _draw_by_regrets(
    merits: Floats, weights: Floats, node: int, player: int, choices: int, gamma: float, uniform: float
) -> int:
    """Draws in proportion to regrets, uniformly where there are none; adds the strategy to the weights.

    A share ``gamma`` of the draws is uniform in any case; the weights do not know of it.
    """
    total = 0.0
    for action in range(choices):
        total += merits[node, player, action]
    left = uniform - gamma
    chosen = int(uniform / gamma * choices) if uniform < gamma else UNSEEN
    for action in range(choices):
        probability = merits[node, player, action] / total if total > 0.0 else 1.0 / choices
        weights[node, player, action] += probability
        left -= (1.0 - gamma) * probability
        if chosen == UNSEEN and left < 0.0:
            chosen = action
    return choices - 1 if chosen == UNSEEN else chosen  # the probabilities may miss 1 by a rounding error


@compiled()
def _highest_bound(
    merits: Floats, weights: Floats, node: int, player: int, choices: int, exploration: float, seeds: Seeds, row: int
) -> int:
    """Returns the action with the highest upper confidence bound, any of several; first those never tried."""
    visits = 0.0
    for action in range(choices):
        visits += weights[node, player, action]
    log_visits = math.log(max(visits, 1.0))
    best, highest, ties = 0, -np.inf, 0
    for action in range(choices):
        tried = weights[node, player, action]
        bound = np.inf
        if tried > 0.0:
            bound = merits[node, player, action] / tried + exploration * math.sqrt(log_visits / tried)
        if bound > highest:
            best, highest, ties = action, bound, 1
        elif bound == highest:
            ties += 1
            if draw_uniform(seeds, row) * ties < 1.0:
                best = action
    return best


@compiled()
def _add_regrets(
    merits: Floats, totals: Floats, visits: Floats, node: int, choices0: int, choices1: int,
    action0: int, action1: int, points: float,
) -> None:  # fmt: skip
    """Compares what a joint action brought player 0 with what the alternatives have brought on average.

    An alternative that was never tried counts as 0. A regret never falls below 0.
    """
    totals[node, action0, action1] += points
    visits[node, action0, action1] += 1.0
    for other in range(choices0):
        if other != action0:
            instead = totals[node, other, action1] / max(visits[node, other, action1], 1.0)
            merits[node, 0, other] = max(merits[node, 0, other] + instead - points, 0.0)
    for other in range(choices1):
        if other != action1:
            instead = totals[node, action0, other] / max(visits[node, action0, other], 1.0)
            merits[node, 1, other] = max(merits[node, 1, other] - instead + points, 0.0)


@compiled()
def _answer(weights: Floats, player: int, choices: int, alone: bool, legal: int, strategy: Floats) -> None:
    """Fills what a player should play at the root ``[actions]``: the normalised weights, or the most visited action."""
    strategy[:] = 0.0
    if choices <= 1:
        strategy[nth_action(legal, 0) if choices == 1 else 0] = 1.0
        return
    total, most = 0.0, 0
    for action in range(choices):
        total += weights[0, player, action]
        if weights[0, player, action] > weights[0, player, most]:
            most = action
    for action in range(choices):
        strategy[nth_action(legal, action)] = 0.0 if alone else weights[0, player, action] / total
    if alone:
        strategy[nth_action(legal, most)] = 1.0


@compiled(void(int64[::1], int64, uint64[::1]))
def position_seeds(codes: Ints, search_seed: int, seeds: Seeds) -> None:
    """Fills where the random numbers of a search come from, fixed for each position ``[B]``."""
    mixed = np.uint64(splitmix(search_seed))
    for i in range(len(codes)):
        seeds[i] = codes[i]
        seeds[i] = splitmix(seeds[i] ^ mixed)


@compiled(void(GAME, int64, int64, float64, float64, int64, int64[::1], uint64[::1], float64[:, ::1], float64[:, ::1]))
def search(
    game: Any,
    simulations: int,
    rule: int,
    exploration: float,
    gamma: float,
    rollout_depth: int,
    codes: Ints,
    seeds: Seeds,
    strategies0: Floats,
    strategies1: Floats,
) -> None:
    """Searches at every position of a batch.

    Args:
        game: The game.
        simulations: How many, at each position.
        rule: ``REGRET_MATCHING`` or ``UCT``.
        exploration: UCT's weight of the confidence bound, in points.
        gamma: Share of uniformly random moves in regret matching.
        rollout_depth: Joint steps after which a random continuation is given up.
        codes: The positions ``[B]``.
        seeds: Streams of random numbers ``[B]``, moved on in place; a row depends on nothing else.
        strategies0: Filled with player 0's strategy at each position ``[B, actions]``.
        strategies1: Filled with player 1's. Action 0 is the answer for who is not to move, and after the end.
    """
    step, legal, payoff, terminal = game.step, game.legal, game.payoff, game.terminal
    params, num_actions = game.params, game.num_actions

    # Nodes, the root first; each simulation adds at most one. A player's actions are numbered among the legal ones.
    # Plain arrays indexed in full: views and tuples of arrays count references, which makes this ten times slower.
    size = simulations + 1
    position = np.empty(size, np.int64)
    reward = np.empty(size, np.float64)  # to player 0 on entering
    masks = np.empty((size, 2), np.int64)
    choices = np.empty((size, 2), np.int64)  # how many actions are legal; 0 at the end of the game
    children = np.empty((size, num_actions, num_actions), np.int32)
    totals = np.empty((size, num_actions, num_actions), np.float64)  # what followed a joint action, to player 0
    visits = np.empty((size, num_actions, num_actions), np.float64)
    merits = np.empty((size, 2, num_actions), np.float64)  # regrets, or with UCT points; summed over visits
    weights = np.empty((size, 2, num_actions), np.float64)  # strategies, or with UCT actions; summed over visits
    path = np.empty((size, 3), np.int64)  # nodes and both players' actions there

    for row in range(len(codes)):
        nodes, node, code = 0, UNSEEN, codes[row]
        for simulation in range(-1, simulations):  # the first does no more than to add the root
            length, points = 0, 0.0
            if simulation >= 0:
                node = 0
            while node != UNSEEN and choices[node, 0] > 0:
                choices0, choices1 = choices[node, 0], choices[node, 1]
                action0, action1 = 0, 0
                if rule == REGRET_MATCHING and choices0 > 1 and choices1 > 1:
                    uniform0, uniform1 = draw_uniform(seeds, row), draw_uniform(seeds, row)
                    action0 = _draw_by_regrets(merits, weights, node, 0, choices0, gamma, uniform0)
                    action1 = _draw_by_regrets(merits, weights, node, 1, choices1, gamma, uniform1)
                else:
                    if choices0 > 1:
                        action0 = _highest_bound(merits, weights, node, 0, choices0, exploration, seeds, row)
                    if choices1 > 1:
                        action1 = _highest_bound(merits, weights, node, 1, choices1, exploration, seeds, row)
                path[length, 0], path[length, 1], path[length, 2] = node, action0, action1
                length += 1
                child = children[node, action0, action1]
                if child == UNSEEN:
                    joint0, joint1 = nth_action(masks[node, 0], action0), nth_action(masks[node, 1], action1)
                    code = step(params, position[node], joint0, joint1)
                    children[node, action0, action1] = nodes
                node = child
            if node == UNSEEN:
                node = nodes
                nodes += 1
                position[node] = code
                reward[node] = payoff(params, code)
                over = terminal(params, code)
                for player in range(2):
                    masks[node, player] = 0 if over else legal(params, code, player)
                    choices[node, player] = count_actions(masks[node, player])
                    for action in range(num_actions):
                        merits[node, player, action] = 0.0
                        weights[node, player, action] = 0.0
                for action0 in range(num_actions):
                    for action1 in range(num_actions):
                        children[node, action0, action1] = UNSEEN
                        totals[node, action0, action1] = 0.0
                        visits[node, action0, action1] = 0.0
                points = _play_on(step, legal, payoff, terminal, params, code, rollout_depth, seeds, row)
            for k in range(length - 1, -1, -1):
                points += reward[node]
                node, action0, action1 = path[k, 0], path[k, 1], path[k, 2]
                choices0, choices1 = choices[node, 0], choices[node, 1]
                if rule == REGRET_MATCHING and choices0 > 1 and choices1 > 1:
                    _add_regrets(merits, totals, visits, node, choices0, choices1, action0, action1, points)
                else:
                    merits[node, 0, action0] += points
                    merits[node, 1, action1] -= points
                    weights[node, 0, action0] += 1.0
                    weights[node, 1, action1] += 1.0
        _answer(weights, 0, choices[0, 0], choices[0, 1] == 1, masks[0, 0], strategies0[row])
        _answer(weights, 1, choices[0, 1], choices[0, 0] == 1, masks[0, 1], strategies1[row])
