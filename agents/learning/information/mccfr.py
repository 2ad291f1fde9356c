"""Monte Carlo counterfactual regret minimization: regret matching at information states, from sampled play.

Players learn in turn. The learning player follows all of its actions (external sampling), or one in each place
(outcome sampling); chance and the other player draw theirs. Regrets at the information states met are estimated
without bias, and matched: actions are played in proportion to the regrets above 0. The average of the strategies tends
to an equilibrium, since the other player's are added where they are met, as often as they are played. Nothing is stored
but a table of information states, which grows as they are met.

With outcome sampling a walk is a single game, and ``exploration`` is the share of uniform play in what the learning
player draws. Its estimates vary much more, so it takes more joint actions.

Sources: Lanctot, Waugh, Zinkevich and Bowling (2009), "Monte Carlo Sampling for Regret Minimization in Extensive
Games"; Lanctot (2013), "Monte Carlo Sampling and Regret Minimization for Equilibrium Computation and Decision-Making in
Large Extensive Form Games", section 4.4, for the average by what is met.
"""

import dataclasses
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.self_play_learner import Arrays, SelfPlayLearner
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import uniform_over
from nashzoo.envs.core.checks import check_one_of
from nashzoo.envs.core.code_index import FREE, Numbers
from nashzoo.envs.core.game import Features, Floats, Ints, Mask
from nashzoo.envs.core.kernels import Seeds, draw_uniform, pass_chance, splitmix
from nashzoo.envs.core.seeds import streams
from nashzoo.envs.jit.compiled import borrowed, compiled
from nashzoo.envs.jit.numba import boolean, float64, int32, int64, types, uint64, void
from nashzoo.envs.rules.compiled_game import GAME
from nashzoo.envs.rules.pieces import BOTH, CHANCE

DONE, TABLE_FULL, WALK_FULL = 0, 1, 2

EXTERNAL, OUTCOME = "external", "outcome"
ROWS, NODES = 1 << 10, 1 << 10  # at first
MOST_NODES = 1 << 24  # of a walk


@dataclasses.dataclass(frozen=True)
class MCCFRSettings:
    """Settings of Monte Carlo counterfactual regret minimization.

    Attributes:
        sampling: ``external`` or ``outcome``, see the module.
        exploration: Share of uniform play in outcome sampling.
    """

    sampling: str = EXTERNAL
    exploration: float = 0.6


class MCCFR(SelfPlayLearner):
    """Learns by Monte Carlo counterfactual regret minimization, see the module.

    Raises:
        UsageError: both players see the game's state, or a setting is out of its range.
    """

    NAME = "mccfr"
    GIVEN = "a simulator"
    OPEN, HIDDEN = False, True
    TIMESTEPS = 50_000_000
    Settings: ClassVar[type[Any]] = MCCFRSettings
    PROBABILITIES = ("exploration",)

    def begin(self, seed: int) -> None:
        """Makes an empty table."""
        sampling = check_one_of("sampling", self.settings.sampling, (EXTERNAL, OUTCOME))
        if sampling == OUTCOME and self.settings.exploration == 0.0:
            raise UsageError("exploration must be above 0 with outcome sampling, which must come to every action")
        self.streams = streams(seed, 1)
        self._known = 0
        self._table = _table(ROWS, self.game.num_actions)
        self._walk = _walk(NODES)

    def learn(self, timesteps: int) -> None:
        """Learns from at least ``timesteps`` more joint actions, to the end of a walk.

        Raises:
            UsageError: play does not end, or a walk is too long.
        """
        until = self.num_timesteps + timesteps
        while True:
            steps, games, self._known, lacking = _walk_and_match(
                self.game.compiled, self._table, self._known, self._walk, *self.game.starts, self.streams,
                self.settings.sampling == OUTCOME, float(self.settings.exploration), self.num_games,
                until - self.num_timesteps,
            )  # fmt: skip
            self.num_timesteps += steps
            self.num_games += games
            if lacking == TABLE_FULL:
                self._grow()
            elif lacking == WALK_FULL:
                if len(self._walk.codes) >= MOST_NODES:
                    raise UsageError(
                        f"{self.NAME} came to {MOST_NODES:,} states of {self.game.name} from one start: play does not "
                        f"end, or has too many continuations for one player; with sampling={OUTCOME} there are fewer"
                    )
                self._walk = _walk(2 * len(self._walk.codes))
            else:
                return

    def _grow(self) -> None:
        grown = _table(2 * len(self._table.codes), self.game.num_actions)
        for new, old in zip(grown[:-1], self._table[:-1], strict=True):
            new[: len(old)] = old
        fill(grown, self._known)
        self._table = grown

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the average strategy, probabilities of actions ``[B, actions]``; uniform where it is unknown."""
        codes, players = self.states_of(observations)
        rows = np.empty(len(codes), np.int64)
        find(self._table, codes, players, rows)
        policy = uniform_over(action_masks)
        sums = self._table.sums[rows]  # FREE is the last row, and then not used
        totals = sums.sum(axis=1)
        met = (rows != FREE) & (totals > 0.0)
        policy[met] = sums[met] / totals[met, None]
        return policy

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns the rows of the table that are in use, and the stream of random numbers."""
        used = {name: array[: self._known] for name, array in self._table._asdict().items() if name != "slots"}
        return used | {"streams": self.streams}

    def restore(self, arrays: Arrays) -> None:
        """Makes the table of a file.

        Raises:
            KeyError: an array is missing.
            ValueError: an array has another shape or type than it must have.
        """
        self._known = len(arrays["codes"])
        self._table = _table(ROWS + self._known, self.game.num_actions)
        super().restore(arrays)
        fill(self._table, self._known)


class Table(NamedTuple):
    """What is known of information states; the rows are in the order in which they were met."""

    codes: Ints  # [n]
    players: Ints  # [n]
    regrets: Floats  # [n, actions]
    sums: Floats  # [n, actions], of the strategies
    slots: Numbers  # rows by hash, a power of 2 of them; FREE where there is none


class Walk(NamedTuple):
    """Room for what one player learns from: a tree of nodes, in the order in which they are met.

    Going down, chance and the other player draw one event or action at each node; the learning player follows all of
    its actions, or one that it draws with known probability. Going up, each node's value is estimated by those of its
    children, divided by the probabilities of having drawn them.
    """

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
def _walk_and_match(
    game: Any, table: Table, known: int, walk: Walk, starts: Ints, thresholds: Floats, streams: Seeds,
    outcome: bool, exploration: float, games: int, timesteps: int,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Walks for both players in turn, and adds to regrets and strategies after each walk; the last is made to its end.

    Player 0 learns from a walk if the number of ``games`` before it is even. With ``outcome`` the learning player draws
    one of its actions at each node, in a share of cases uniformly, instead of following all. The start states are
    ``[S]``, the thresholds of their distribution ``[S - 1]``, and the stream of random numbers ``[1]`` is advanced.

    Returns:
        The numbers of joint actions, of walks, and of rows of the table in use, and whether the work is DONE or
        something had no room. Without room the last walk was not made, and will be the same with more.
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


def _table(rows: int, num_actions: int) -> Table:
    regrets, sums = np.zeros((2, rows, num_actions))
    slots = np.full(1 << (2 * rows - 1).bit_length(), FREE, np.int32)
    return Table(np.zeros(rows, np.int64), np.zeros(rows, np.int64), regrets, sums, slots)


def _walk(nodes: int) -> Walk:
    return Walk(*np.zeros((6, nodes), np.int64), *np.zeros((4, nodes)))
