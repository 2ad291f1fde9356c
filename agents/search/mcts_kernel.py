"""Monte Carlo tree search with simultaneous moves, compiled, for any game.

Every simulation descends the tree from the root, adds the first state that is not in the tree yet, plays a random
rollout from there, and backs up the sum of rewards. At a node each player selects independently, by one of two rules:

- *Regret matching* draws actions in proportion to their regrets so far. Negative regrets are set to 0 (regret
  matching+). The average of these strategies converges to an equilibrium.
- *UCT* takes the action with the highest upper confidence bound. Visit frequencies need not converge to an equilibrium.

*Flat* Monte Carlo grows no tree: both players draw uniformly at the root, and the result is the action with the best
mean. So it responds to uniformly random play, however many simulations there are.

Where chance decides, an outcome is drawn at each visit, and each outcome has its own child.

Where only one player has a choice, mixing is not needed: UCT selects, and the result is the most visited action.

Sources: Kocsis and Szepesvari (2006), UCT; Lanctot, Lisy and Winands (2013), Monte Carlo tree search in simultaneous
move games with applications to Goofspiel, decoupled UCT and regret matching; Tammelin (2014), Solving large
imperfect information games using CFR+, regret matching+.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.core.kernels import (
    ROOM,
    Pieces,
    Seeds,
    count_actions,
    count_outcomes,
    draw_outcome,
    draw_uniform,
    nth_action,
    pass_chance,
    pieces_of,
    random_action,
    splitmix,
)
from nashzoo.envs.jit.compiled import Floats, Ints, borrowed, compiled
from nashzoo.envs.jit.numba import float64, int64, types, uint64, void
from nashzoo.envs.rules.compiled_game import GAME
from nashzoo.envs.rules.pieces import CHANCE, MAX_OUTCOMES

REGRET_MATCHING, UCT, FLAT = range(3)

UNSEEN = -1  # the child that is not in the tree yet
BY_CHANCE = -1  # the mask of both players at a node where chance decides
LEAST = math.ceil(math.sqrt(MAX_OUTCOMES))  # rows and columns that are enough for all outcomes


class Settings(NamedTuple):
    """The settings of a search."""

    simulations: int
    rule: int  # ``REGRET_MATCHING``, ``UCT`` or ``FLAT``
    exploration: float  # UCT's weight of the confidence bound, in points
    gamma: float  # share of uniformly random moves in regret matching
    rollout_depth: int  # joint steps after which a random rollout is cut off


SETTINGS = types.NamedTuple((int64, int64, float64, float64, int64), Settings)


class Tree(NamedTuple):
    """The nodes of a search, the root first. A player's actions are numbered among the legal ones.

    Where chance decides, outcome ``k`` has the place of joint action ``(k // columns, k % columns)``.
    """

    code: Ints  # [nodes], of the states
    reward: Floats  # [nodes], to player 0 on entering
    masks: Ints  # [nodes, 2], the players' legal actions
    choices: Ints  # [nodes, 2], the number of legal actions; 0 at the end of the game
    children: Ints  # [nodes, actions, actions], by joint action; UNSEEN
    totals: Floats  # [nodes, actions, actions], points after a joint action, to player 0; summed over visits
    visits: Floats  # [nodes, actions, actions], with regret matching
    merits: Floats  # [nodes, 2, actions], regrets, or with UCT points; summed over visits
    weights: Floats  # [nodes, 2, actions], strategies, or with UCT actions; summed over visits
    path: Ints  # [nodes, 3], nodes of the current simulation and both players' actions there


@compiled(inline=True)
def draw_by_regrets(tree: Tree, node: int, player: int, gamma: float, uniform: float) -> int:
    """Draws in proportion to regrets, uniformly where there are none; adds the strategy to the weights.

    A share ``gamma`` of the draws is always uniform; the weights exclude it.
    """
    choices = tree.choices[node, player]
    total = 0.0
    for action in range(choices):
        total += tree.merits[node, player, action]
    left = uniform - gamma
    chosen = int(uniform / gamma * choices) if uniform < gamma else UNSEEN
    for action in range(choices):
        probability = tree.merits[node, player, action] / total if total > 0.0 else 1.0 / choices
        tree.weights[node, player, action] += probability
        left -= (1.0 - gamma) * probability
        if chosen == UNSEEN and left < 0.0:
            chosen = action
    return choices - 1 if chosen == UNSEEN else chosen  # the probabilities may miss 1 by a rounding error


@compiled(inline=True)
def highest_bound(tree: Tree, node: int, player: int, exploration: float, seeds: Seeds, row: int) -> int:
    """Returns the action with the highest upper confidence bound; untried ones first, ties at random."""
    choices = tree.choices[node, player]
    best, highest, ties = 0, -np.inf, 0
    if choices == 1:
        return best
    visits = 0.0
    for action in range(choices):
        visits += tree.weights[node, player, action]
    log_visits = math.log(max(visits, 1.0))
    for action in range(choices):
        tried = tree.weights[node, player, action]
        bound = np.inf
        if tried > 0.0:
            bound = tree.merits[node, player, action] / tried + exploration * math.sqrt(log_visits / tried)
        if bound > highest:
            best, highest, ties = action, bound, 1
        elif bound == highest:
            ties += 1
            if draw_uniform(seeds, row) * ties < 1.0:
                best = action
    return best


@compiled(inline=True)
def matches_regrets(tree: Tree, node: int, rule: int) -> bool:
    """Returns whether players select by regret matching at a node."""
    return rule == REGRET_MATCHING and tree.choices[node, 0] > 1 and tree.choices[node, 1] > 1


@compiled(inline=True)
def select(tree: Tree, node: int, settings: Settings, seeds: Seeds, row: int) -> tuple[int, int]:
    """Returns the actions that both players select at a node, independently."""
    if matches_regrets(tree, node, settings.rule):
        uniform0, uniform1 = draw_uniform(seeds, row), draw_uniform(seeds, row)
        action0 = draw_by_regrets(tree, node, 0, settings.gamma, uniform0)
        return action0, draw_by_regrets(tree, node, 1, settings.gamma, uniform1)
    if settings.rule == FLAT:
        action0 = int(draw_uniform(seeds, row) * tree.choices[node, 0])
        return action0, int(draw_uniform(seeds, row) * tree.choices[node, 1])
    action0 = highest_bound(tree, node, 0, settings.exploration, seeds, row)
    return action0, highest_bound(tree, node, 1, settings.exploration, seeds, row)


@compiled(inline=True)
def simulate(tree: Tree, settings: Settings, seeds: Seeds, row: int) -> tuple[int, int]:
    """Descends the tree and stores the path.

    Returns:
        The number of joint actions of the path; and its last node, which is terminal, or ``UNSEEN``.
    """
    node, length = 0, 0
    while node != UNSEEN and tree.choices[node, 0] > 0:
        action0, action1 = select(tree, node, settings, seeds, row)
        tree.path[length, 0], tree.path[length, 1], tree.path[length, 2] = node, action0, action1
        length += 1
        node = tree.children[node, action0, action1]
    return length, node


@compiled()
def simulate_with_chance(
    chance: Any, params: Ints, tree: Tree, settings: Settings, seeds: Seeds, row: int
) -> tuple[int, int]:
    """The same as :func:`simulate` for games with chance; a function of its own, since :func:`simulate` is faster."""
    tree, seeds = borrowed(tree), borrowed(seeds)
    outcomes, probabilities = np.empty(ROOM, np.int64), np.empty(ROOM)
    columns = tree.children.shape[2]
    node, length = 0, 0
    while node != UNSEEN and tree.choices[node, 0] > 0:
        if tree.masks[node, 0] == BY_CHANCE:
            uniform = draw_uniform(seeds, row)
            outcome = draw_outcome(chance, params, tree.code[node], uniform, outcomes, probabilities)
            action0, action1 = outcome // columns, outcome % columns
        else:
            action0, action1 = select(tree, node, settings, seeds, row)
        tree.path[length, 0], tree.path[length, 1], tree.path[length, 2] = node, action0, action1
        length += 1
        node = tree.children[node, action0, action1]
    return length, node


@compiled()
def code_of_outcome(chance: Any, params: Ints, code: int, outcome: int) -> int:
    """Returns the code that an outcome of chance leads to."""
    outcomes, probabilities = np.empty(ROOM, np.int64), np.empty(ROOM)
    count_outcomes(chance, params, code, outcomes, probabilities)
    return int(outcomes[outcome])


@compiled(inline=True)
def grow(game: Pieces, tree: Tree, end: int, child: int, rule: int) -> int:
    """Adds a child for the joint action at the end of the path, with FLAT for now; returns the code of its state."""
    node, action0, action1 = tree.path[end, 0], tree.path[end, 1], tree.path[end, 2]
    if rule != FLAT:
        tree.children[node, action0, action1] = child
    if game.has_chance and tree.masks[node, 0] == BY_CHANCE:
        outcome = action0 * tree.children.shape[2] + action1
        return code_of_outcome(game.chance, game.params, tree.code[node], outcome)
    legal0, legal1 = nth_action(tree.masks[node, 0], action0), nth_action(tree.masks[node, 1], action1)
    return game.step(game.params, tree.code[node], legal0, legal1)  # type: ignore[no-any-return]


@compiled(inline=True)
def expand(game: Pieces, tree: Tree, node: int, code: int) -> None:
    """Makes a state a node of the tree, without children."""
    tree.code[node] = code
    tree.reward[node] = game.payoff(game.params, code)
    over = game.terminal(game.params, code)
    by_chance = game.has_chance and not over and game.turn(game.params, code) == CHANCE
    actions = tree.children.shape[1]
    for player in range(2):
        tree.masks[node, player] = 0 if over or by_chance else game.legal(game.params, code, player)
        tree.choices[node, player] = count_actions(tree.masks[node, player])
        for action in range(actions):
            tree.merits[node, player, action] = 0.0
            tree.weights[node, player, action] = 0.0
    for action0 in range(actions):
        for action1 in range(actions):
            tree.children[node, action0, action1] = UNSEEN
            tree.totals[node, action0, action1] = 0.0
            tree.visits[node, action0, action1] = 0.0
    if by_chance:
        for player in range(2):
            tree.masks[node, player], tree.choices[node, player] = BY_CHANCE, 1


@compiled(inline=True)
def evaluate(game: Pieces, code: int, depth: int, seeds: Seeds, row: int) -> float:
    """Returns player 0's points of a uniformly random rollout from a state, up to ``depth`` joint steps."""
    step, legal, payoff, terminal, params = game.step, game.legal, game.payoff, game.terminal, game.params
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
def evaluate_with_chance(game: Pieces, code: int, depth: int, seeds: Seeds, row: int) -> float:
    """The same as :func:`evaluate` for games with chance; a function of its own, since :func:`evaluate` is faster."""
    game, seeds = borrowed(game), borrowed(seeds)
    step, legal, payoff, terminal, params = game.step, game.legal, game.payoff, game.terminal, game.params
    turn, chance = game.turn, game.chance
    code, points = pass_chance(turn, chance, payoff, terminal, params, code, seeds, row)
    for _ in range(depth):
        if terminal(params, code):
            break
        action0 = random_action(legal(params, code, 0), draw_uniform(seeds, row))
        action1 = random_action(legal(params, code, 1), draw_uniform(seeds, row))
        code = step(params, code, action0, action1)
        points += payoff(params, code)
        code, more = pass_chance(turn, chance, payoff, terminal, params, code, seeds, row)
        points += more
    return points


@compiled(inline=True)
def add_regrets(tree: Tree, node: int, action0: int, action1: int, points: float) -> None:
    """Updates the regrets: compares the points of a joint action with the mean points of the alternatives.

    The mean of an untried alternative is 0. A regret never falls below 0.
    """
    totals, visits, merits = tree.totals, tree.visits, tree.merits
    totals[node, action0, action1] += points
    visits[node, action0, action1] += 1.0
    for other in range(tree.choices[node, 0]):
        if other != action0:
            instead = totals[node, other, action1] / max(visits[node, other, action1], 1.0)
            merits[node, 0, other] = max(merits[node, 0, other] + instead - points, 0.0)
    for other in range(tree.choices[node, 1]):
        if other != action1:
            instead = totals[node, action0, other] / max(visits[node, action0, other], 1.0)
            merits[node, 1, other] = max(merits[node, 1, other] - instead + points, 0.0)


@compiled(inline=True)
def backup(tree: Tree, length: int, leaf: int, points: float, rule: int) -> None:
    """Backs up player 0's points from a leaf along the path."""
    node = leaf
    for k in range(length - 1, -1, -1):
        points += tree.reward[node]
        node, action0, action1 = tree.path[k, 0], tree.path[k, 1], tree.path[k, 2]
        if matches_regrets(tree, node, rule):
            add_regrets(tree, node, action0, action1, points)
        else:
            tree.merits[node, 0, action0] += points
            tree.merits[node, 1, action1] -= points
            tree.weights[node, 0, action0] += 1.0
            tree.weights[node, 1, action1] += 1.0


@compiled()
def _search_at(game: Pieces, settings: Settings, tree: Tree, code: int, seeds: Seeds, row: int) -> None:
    """Builds the tree of one state, with the random numbers of this row."""
    game, tree, seeds = borrowed(game), borrowed(tree), borrowed(seeds)
    nodes, length, leaf = 0, 0, UNSEEN
    for simulation in range(settings.simulations + 1):  # the first only adds the root
        if simulation > 0:
            if game.has_chance:
                length, leaf = simulate_with_chance(game.chance, game.params, tree, settings, seeds, row)
            else:
                length, leaf = simulate(tree, settings, seeds, row)
        points = 0.0
        if leaf == UNSEEN:
            leaf = nodes
            nodes += 1
            if length > 0:
                code = grow(game, tree, length - 1, leaf, settings.rule)
            expand(game, tree, leaf, code)
            if game.has_chance:
                points = evaluate_with_chance(game, code, settings.rollout_depth, seeds, row)
            else:
                points = evaluate(game, code, settings.rollout_depth, seeds, row)
        backup(tree, length, leaf, points, settings.rule)


@compiled()
def _answer(tree: Tree, player: int, rule: int, strategy: Floats) -> None:
    """Writes a player's strategy at the root ``[actions]``: the normalised weights, or the most visited action.

    The latter where only this player has a choice. With FLAT it is the action with the best mean.
    """
    strategy[:] = 0.0
    choices, legal = tree.choices[0, player], tree.masks[0, player]
    if choices <= 1:
        strategy[nth_action(legal, 0) if choices == 1 else 0] = 1.0
        return
    pure = tree.choices[0, 1 - player] == 1 or rule == FLAT
    total, best, most = 0.0, 0, -np.inf
    for action in range(choices):
        tried = tree.weights[0, player, action]
        total += tried
        merit = tried
        if rule == FLAT:
            merit = tree.merits[0, player, action] / tried if tried > 0.0 else -np.inf
        if merit > most:
            best, most = action, merit
    for action in range(choices):
        strategy[nth_action(legal, action)] = 0.0 if pure else tree.weights[0, player, action] / total
    if pure:
        strategy[nth_action(legal, best)] = 1.0


@compiled(void(GAME, SETTINGS, int64, int64, uint64[::1], float64[:, ::1]))
def add_trials(game: Any, settings: Settings, code: int, player: int, seeds: Seeds, trials: Floats) -> None:
    """Adds a search's simulations at a state to the visits and points ``[2, actions]`` of the player who chooses there.

    The stream of random numbers ``[1]`` is advanced.
    """
    pieces = pieces_of(game)
    width = max(pieces.num_actions, LEAST) if pieces.has_chance else pieces.num_actions
    tree = new_tree(settings.simulations + 1, width)
    _search_at(pieces, settings, tree, code, seeds, 0)
    for choice in range(tree.choices[0, player]):
        action = nth_action(tree.masks[0, player], choice)
        trials[0, action] += tree.weights[0, player, choice]
        trials[1, action] += tree.merits[0, player, choice]


@compiled(inline=True)
def new_tree(nodes: int, actions: int) -> Tree:
    """Returns a tree with space for ``nodes`` nodes, including the root."""
    joint, each = (nodes, actions, actions), (nodes, 2, actions)
    return Tree(
        np.empty(nodes, np.int64), np.empty(nodes), np.empty((nodes, 2), np.int64), np.empty((nodes, 2), np.int64),
        np.empty(joint, np.int32), np.empty(joint), np.empty(joint), np.empty(each), np.empty(each),
        np.empty((nodes, 3), np.int64),
    )  # fmt: skip


@compiled(void(int64[::1], int64, uint64[::1]))
def state_seeds(codes: Ints, search_seed: int, seeds: Seeds) -> None:
    """Writes the seed of the search at each state ``[B]``, fixed by the state and ``search_seed``."""
    mixed = np.uint64(splitmix(search_seed))
    for i in range(len(codes)):
        seeds[i] = codes[i]
        seeds[i] = splitmix(seeds[i] ^ mixed)


@compiled(void(GAME, SETTINGS, int64[::1], uint64[::1], float64[:, ::1], float64[:, ::1]))
def search(game: Any, settings: Settings, codes: Ints, seeds: Seeds, strategies0: Floats, strategies1: Floats) -> None:
    """Searches at every state of a batch ``[B]``, and fills both players' strategies ``[B, actions]``.

    A player who is not to move has action 0, as at terminal states. The streams of random numbers ``[B]`` are advanced;
    the rows are independent.

    Raises:
        ChanceError: the outcomes of chance at a state are no distribution.
    """
    pieces = pieces_of(game)
    width = max(pieces.num_actions, LEAST) if pieces.has_chance else pieces.num_actions
    tree = new_tree(settings.simulations + 1, width)  # each simulation adds at most one node
    for row in range(len(codes)):
        _search_at(pieces, settings, tree, codes[row], seeds, row)
        _answer(tree, 0, settings.rule, strategies0[row])
        _answer(tree, 1, settings.rule, strategies1[row])
