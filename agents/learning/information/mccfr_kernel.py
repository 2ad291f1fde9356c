"""Monte Carlo counterfactual regret minimization, in compiled code.

A *walk* is what one player learns from: a tree of nodes, in the order in which they are met. Going down, chance and the
other player draw one event or action at each node; the learning player follows all of its actions, or one that it draws
with known probability. Going up, each node's value is estimated by those of its children, divided by the probabilities
of having drawn them.
"""

from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.core.code_index import FREE, Numbers
from nashzoo.envs.core.kernels import Seeds, draw_uniform, pass_chance, splitmix
from nashzoo.envs.jit.compiled import Floats, Ints, borrowed, compiled
from nashzoo.envs.jit.numba import boolean, float64, int32, int64, types, uint64, void
from nashzoo.envs.rules.compiled_game import GAME
from nashzoo.envs.rules.pieces import BOTH, CHANCE

DONE, TABLE_FULL, WALK_FULL = 0, 1, 2


class Table(NamedTuple):
    """What is known of information states; the rows are in the order in which they were met."""

    codes: Ints  # [n]
    players: Ints  # [n]
    regrets: Floats  # [n, actions]
    sums: Floats  # [n, actions], of the strategies
    slots: Numbers  # rows by hash, a power of 2 of them; FREE where there is none


class Walk(NamedTuple):
    """Room for the nodes of a walk."""

    codes: Ints
    rows: Ints  # of the learning player's information state; FREE where it does not choose
    others: Ints  # of the other player's
    masks: Ints  # the learning player's legal actions
    children: Ints  # the number of the first child; those of a node end where those of the next begin
    actions: Ints  # the learning player's action that leads here
    shares: Floats  # the probability of this action by the strategy
    drawn: Floats  # the probability of drawing it
    reaches: Floats  # the probability of having drawn all of the learning player's actions so far
    values: Floats  # the reward on the way here; going up, plus all later ones


_TABLE = types.NamedTuple((int64[::1], int64[::1], float64[:, ::1], float64[:, ::1], int32[::1]), Table)
_WALK = types.NamedTuple((*(int64[::1],) * 6, *(float64[::1],) * 4), Walk)


@compiled(inline=True)
def _slot(table: Table, code: int, player: int) -> int:
    """Returns the slot of an information state, or the free one where it belongs."""
    last = len(table.slots) - 1
    slot = np.int64(splitmix(2 * code + player) >> np.uint64(1)) & last
    while table.slots[slot] != FREE:
        row = table.slots[slot]
        if table.codes[row] == code and table.players[row] == player:
            break
        slot = slot + 1 & last
    return int(slot)


@compiled(int64(_TABLE, int64, int64, int64))
def row_of(table: Table, known: int, code: int, player: int) -> int:
    """Returns the row of an information state, that of a new one if necessary; FREE if there is no room."""
    slot = _slot(table, code, player)
    if table.slots[slot] == FREE and known < len(table.codes):
        table.slots[slot] = known
        table.codes[known], table.players[known] = code, player
    return int(table.slots[slot])


@compiled(void(_TABLE, int64))
def fill(table: Table, known: int) -> None:
    """Enters the known rows into empty slots."""
    for row in range(known):
        table.slots[_slot(table, table.codes[row], table.players[row])] = row


@compiled(void(_TABLE, int64[::1], int64[::1], int64[::1]))
def find(table: Table, codes: Ints, players: Ints, rows: Ints) -> None:
    """Fills the rows of information states ``[B]``; FREE where there is none."""
    for k in range(len(codes)):
        rows[k] = table.slots[_slot(table, codes[k], players[k])]


@compiled(inline=True)
def _match(regrets: Floats, row: int, mask: int, strategy: Floats) -> int:
    """Fills a strategy ``[actions]`` in proportion to the regrets above 0; returns the number of legal actions."""
    total, count = 0.0, 0
    for action in range(len(strategy)):
        strategy[action] = max(regrets[row, action], 0.0) if mask >> action & 1 else 0.0
        total += strategy[action]
        count += mask >> action & 1
    for action in range(len(strategy)):
        if total > 0.0:
            strategy[action] /= total
        elif mask >> action & 1:
            strategy[action] = 1.0 / count
    return count


@compiled(inline=True)
def _draw(strategy: Floats, exploration: float, mask: int, count: int, uniform: float) -> tuple[int, float]:
    """Returns an action, drawn by the strategy or in a share of cases uniformly, and its probability."""
    drawn, probability = 0, 0.0
    for action in range(len(strategy)):
        share = (1.0 - exploration) * strategy[action] + exploration * (mask >> action & 1) / count
        if share > 0.0:
            drawn, probability = action, share
            if uniform < share:
                break
            uniform -= share
    return drawn, probability


@compiled(
    types.UniTuple(int64, 4)(
        GAME, _TABLE, int64, _WALK, int64[::1], float64[::1], uint64[::1], boolean, float64, int64, int64
    )
)
def walk_and_match(
    game: Any, table: Table, known: int, walk: Walk, starts: Ints, thresholds: Floats, streams: Seeds,
    outcome: bool, exploration: float, games: int, timesteps: int,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Walks for both players in turn, and adds to regrets and strategies after each walk.

    Args:
        game: The game.
        table: The table to update.
        known: The number of its rows in use.
        walk: Room for a walk.
        starts: The start states ``[S]``.
        thresholds: Their distribution function ``[S - 1]``.
        streams: A stream of random numbers ``[1]``, advanced.
        outcome: Whether the learning player draws one of its actions at each node, instead of following all.
        exploration: The share of cases in which it draws uniformly.
        games: Walks so far: player 0 learns from even ones.
        timesteps: Joint actions to play; the last walk is made to its end.

    Returns:
        The numbers of joint actions, of walks, and of rows in use, and whether the work is DONE or something had no
        room. Without room the last walk was not made, and will be the same with more.
    """
    step, legal, turn, payoff, terminal = game.step, game.legal, game.turn, game.payoff, game.terminal
    information_state, chance, params = game.information_state, game.chance, game.params
    table, walk, params = borrowed(table), borrowed(walk), borrowed(params)
    strategy = np.empty(table.regrets.shape[1])
    steps = made = 0
    while steps < timesteps:
        before, player = streams[0], games + made & 1
        other = 1 - player
        start = starts[np.searchsorted(thresholds, draw_uniform(streams, 0), side="right")]
        start, _ = pass_chance(turn, chance, payoff, terminal, params, start, streams, 0)
        walk.codes[0], walk.reaches[0], walk.values[0] = start, 1.0, 0.0
        nodes, node = 1, 0
        while node < nodes:
            code, reach = walk.codes[node], walk.reaches[node]
            walk.children[node], walk.rows[node], walk.others[node] = nodes, FREE, FREE
            if terminal(params, code):
                node += 1
                continue
            mover, reply = turn(params, code), 0
            if nodes + len(strategy) >= len(walk.codes):
                streams[0] = before
                return steps, made, known, WALK_FULL
            if mover == other or mover == BOTH:
                row = row_of(table, known, information_state(params, code, other), other)
                if row == FREE:
                    streams[0] = before
                    return steps, made, known, TABLE_FULL
                known, walk.others[node] = max(known, row + 1), row
                mask = legal(params, code, other)
                count = _match(table.regrets, row, mask, strategy)
                reply, _ = _draw(strategy, 0.0, mask, count, draw_uniform(streams, 0))
            first, last, mask, probability = 0, 0, 1, 1.0
            strategy[0] = 1.0
            if mover == player or mover == BOTH:
                row = row_of(table, known, information_state(params, code, player), player)
                if row == FREE:
                    streams[0] = before
                    return steps, made, known, TABLE_FULL
                known, walk.rows[node] = max(known, row + 1), row
                mask = legal(params, code, player)
                count = _match(table.regrets, row, mask, strategy)
                last = len(strategy) - 1
                if outcome:
                    first, probability = _draw(strategy, exploration, mask, count, draw_uniform(streams, 0))
                    last = first
            walk.masks[node] = mask
            for action in range(first, last + 1):
                if mask >> action & 1:
                    action0, action1 = (action, reply) if player == 0 else (reply, action)
                    after = step(params, code, action0, action1)
                    reward = payoff(params, after)
                    if not terminal(params, after) and turn(params, after) == CHANCE:
                        after, more = pass_chance(turn, chance, payoff, terminal, params, after, streams, 0)
                        reward += more
                    walk.codes[nodes], walk.actions[nodes] = after, action
                    walk.shares[nodes], walk.drawn[nodes] = strategy[action], probability
                    walk.reaches[nodes] = reach * probability
                    walk.values[nodes] = reward if player == 0 else -reward
                    nodes += 1
            node += 1
        walk.children[nodes] = nodes
        for node in range(nodes - 1, -1, -1):
            begin, end, reach = walk.children[node], walk.children[node + 1], walk.reaches[node]
            value = 0.0
            for child in range(begin, end):
                value += walk.shares[child] * walk.values[child] / walk.drawn[child]
            row = walk.rows[node]
            if row != FREE:
                for action in range(len(strategy)):
                    if walk.masks[node] >> action & 1:
                        table.regrets[row, action] -= value / reach
                for child in range(begin, end):
                    table.regrets[row, walk.actions[child]] += walk.values[child] / (walk.drawn[child] * reach)
            row = walk.others[node]
            if row != FREE:
                _match(table.regrets, row, legal(params, walk.codes[node], other), strategy)
                for action in range(len(strategy)):
                    table.sums[row, action] += strategy[action] / reach
            walk.values[node] += value
        steps += nodes - 1
        made += 1
    return steps, made, known, DONE
