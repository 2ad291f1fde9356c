"""A game with hidden information that has too many histories to keep: they are walked, and forgotten.

The first walk finds the information states of both players, and checks that they remember what they must. Each later
one adds up what the sequences of both players gain against the other's weights. Walks are depth-first, so they need
memory for little more than the information states. Every processor walks parts of the game, with sums of its own.

Source: the traversals of exp-a-spiel, by Rudolph et al. (2025), "Reevaluating Policy Gradient Methods for
Imperfect-Information Games".
"""

import math
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.information.sequence_form import Form, Player, check_memory
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import progress_bar
from nashzoo.envs.base.signals import postponed
from nashzoo.envs.base.threads import processors, side_by_side
from nashzoo.envs.core.code_index import FREE, GOLDEN, Numbers
from nashzoo.envs.core.game import BOTH, CHANCE, Game
from nashzoo.envs.core.kernels import ROOM, ChanceError, count_actions, count_outcomes
from nashzoo.envs.core.reachable import expand
from nashzoo.envs.jit.compiled import Floats, Ints, borrowed, compiled
from nashzoo.envs.jit.numba import float64, int32, int64, njit, types, void

KEPT = 2  # games whose information states are kept
MOST_WAITING = 1 << 18  # histories that wait to be walked
MOST_MOVES = 1_000_000
PARTS = 2_000  # of the game, for each processor
AT_ONCE = 100_000  # histories between two looks at the clock
SECONDS = 0.5  # between two looks for an interruption
ROW_BYTES = 56  # of an information state

VIEW, EXAMPLE, PARENT, LEGAL, FIRST = range(5)  # columns of information states
CODE, SEQUENCE0, SEQUENCE1, LENGTH = range(4)  # columns of histories
WAITING, WALKED, LONGEST, FAULT = range(4)  # numbers of a walk: histories that wait and that are done, and two below
NONE = -1
FUNCTIONS = ("checked_step", "legal", "turn", "payoff", "terminal", "information_state", "chance")


class Known(NamedTuple):
    """The information states of one player, as far as they are known, and numbers by sequence."""

    rows: Ints  # [n, 5]: what is seen, a state, the sequence before, legal actions, the sequence of the first of them
    slots: Numbers  # rows by hash, a power of 2 of them; FREE where there is none
    used: Ints  # [2]: rows, and sequences
    sums: Floats  # [S]: what sequences gain; while information states are looked for, how often they get a reward
    weights: Floats  # [S]; empty while information states are looked for
    shift: int  # by which a hash is shifted to the number of a slot


class Walk(NamedTuple):
    """The histories that wait to be walked, the next one last."""

    numbers: Ints  # [n, 4]: state, sequences, number of moves so far
    chances: Floats  # [n]: the product of the probabilities of chance so far
    totals: Floats  # [n]: the sum of magnitudes of the rewards so far
    counts: Ints  # [4]: see above; the most moves of a history, and the state at which something is wrong, or NONE
    most: Floats  # [1]: the largest sum of magnitudes of the rewards


Part = tuple[Ints, float, float]  # of the game: a history that waits, as in Walk

_KNOWN = types.NamedTuple((int64[:, ::1], int32[::1], int64[::1], float64[::1], float64[::1], int64), Known)
_WALK = types.NamedTuple((int64[:, ::1], float64[::1], float64[::1], int64[::1], float64[::1]), Walk)


@compiled(inline=True)
def _slot(known: Known, view: int) -> int:
    """Returns the slot of an information state, or the free one where it belongs."""
    slot = np.int64(np.uint64(view) * GOLDEN >> np.uint64(known.shift))
    while known.slots[slot] != FREE and known.rows[known.slots[slot], VIEW] != view:
        slot = slot + 1 & len(known.slots) - 1
    return int(slot)


@compiled(void(_KNOWN))
def _fill(known: Known) -> None:
    """Enters the used rows into empty slots."""
    for row in range(known.used[0]):
        known.slots[_slot(known, known.rows[row, VIEW])] = row


@compiled(inline=True)
def first_of(known: Known, view: int, code: int, sequence: int, legal: int) -> int:
    """Returns the first sequence of an information state, which is entered if it is new.

    If the sequence before it or the actions are others than last time, it is entered a second time, and the result is
    NONE.
    """
    slot = _slot(known, view)
    row = known.slots[slot]
    if row != FREE and known.rows[row, PARENT] == sequence and known.rows[row, LEGAL] == legal:
        return int(known.rows[row, FIRST])
    new, first = known.used[0], known.used[1]
    known.rows[new, VIEW], known.rows[new, EXAMPLE], known.rows[new, PARENT] = view, code, sequence
    known.rows[new, LEGAL], known.rows[new, FIRST] = legal, first
    known.used[0], known.used[1] = new + 1, first + count_actions(legal)
    if row != FREE:
        return NONE
    known.slots[slot] = new
    return int(first)


@compiled(inline=True)
def _lowest(actions: int) -> int:
    """Returns the lowest action of a bit mask."""
    return count_actions((actions & -actions) - 1)


@njit(nogil=True)
def _walk_on(
    functions: Any, params: Ints, num_actions: int, known0: Known, known1: Known, walk: Walk, histories: int
) -> int:
    """Walks histories, so many or until something is wrong or there is no room; returns how many.

    It is compiled for each game by itself, together with its rules, which takes seconds, and halves the time.
    """
    step, legal, turn, payoff, terminal, view, chance = functions
    params, known0, known1, walk = borrowed(params), borrowed(known0), borrowed(known1), borrowed(walk)
    numbers, chances, totals, counts = walk.numbers, walk.chances, walk.totals, walk.counts
    outcomes, probabilities = np.empty(ROOM, np.int64), np.empty(ROOM)
    measuring = len(known0.weights) > 0
    room = len(numbers) - max(num_actions * num_actions, ROOM)
    waiting, longest, fault, most, walked = counts[WAITING], counts[LONGEST], NONE, walk.most[0], 0
    while 0 < waiting < room and longest < MOST_MOVES and walked < histories and fault == NONE:
        waiting -= 1
        walked += 1
        code, length = numbers[waiting, CODE], numbers[waiting, LENGTH] + 1
        sequence0, sequence1 = numbers[waiting, SEQUENCE0], numbers[waiting, SEQUENCE1]
        reach, total = chances[waiting], totals[waiting]
        longest = max(longest, length)
        mover, rows, columns = turn(params, code), 1, 1
        by_chance = mover == CHANCE
        if by_chance:
            columns = (1 << count_outcomes(chance, params, code, outcomes, probabilities)) - 1
        if mover == 0 or mover == BOTH:
            rows = legal(params, code, 0)
            sequence0 = first_of(known0, view(params, code, 0), code, sequence0, rows)
        if mover == 1 or mover == BOTH:
            columns = legal(params, code, 1)
            sequence1 = first_of(known1, view(params, code, 1), code, sequence1, columns)
        if rows <= 0 or columns <= 0 or sequence0 < 0 or sequence1 < 0:
            fault = code
            break
        left0, reached0 = rows, sequence0
        while left0:
            action0, left0 = _lowest(left0), left0 & left0 - 1
            left1, reached1 = columns, sequence1
            while left1:
                action1, left1 = _lowest(left1), left1 & left1 - 1
                after = outcomes[action1] if by_chance else step(params, code, action0, action1)
                likely = reach * probabilities[action1] if by_chance else reach
                if after < 0:
                    fault = code
                    break
                reward = payoff(params, after)
                if not abs(reward) < np.inf:
                    fault = code
                if reward != 0.0 and measuring:
                    known0.sums[reached0] += likely * reward * known1.weights[reached1]
                    known1.sums[reached1] -= likely * reward * known0.weights[reached0]
                elif reward != 0.0:
                    known0.sums[reached0] += 1.0
                    known1.sums[reached1] += 1.0
                    most = max(most, total + abs(reward))
                goes_on = not terminal(params, after)
                if goes_on and measuring:  # where neither player ever comes, nothing is gained
                    goes_on = known0.weights[reached0] > 0.0 or known1.weights[reached1] > 0.0
                if goes_on:
                    numbers[waiting, CODE], numbers[waiting, LENGTH] = after, length
                    numbers[waiting, SEQUENCE0], numbers[waiting, SEQUENCE1] = reached0, reached1
                    chances[waiting], totals[waiting] = likely, total + abs(reward)
                    waiting += 1
                reached1 += not by_chance
            reached0 += 1
    counts[WAITING], counts[LONGEST], counts[FAULT], walk.most[0] = waiting, longest, fault, most
    counts[WALKED] += walked
    return walked


def known_with_room(rows: int, sequences: int, weights: Floats) -> Known:
    """Returns room for so many information states and sequences."""
    bits = (2 * rows - 1).bit_length()
    slots = np.full(1 << bits, FREE, np.int32)
    return Known(np.empty((rows, 5), np.int64), slots, np.array([0, 1]), np.zeros(sequences), weights, 64 - bits)


def enlarged(game: Game, known: Known, rows: int, sequences: int, walked: int) -> Known:
    """Returns the same information states, with room for so many more rows and sequences.

    Raises:
        TooManyStatesError: there is no memory for them.
    """
    if known.used[0] + rows <= len(known.rows) and known.used[1] + sequences <= len(known.sums):
        return known
    rows, sequences = int(2 * known.used[0] + rows), int(2 * known.used[1] + sequences)
    check_memory(game, walked, ROW_BYTES * rows + 8 * sequences)
    grown = known_with_room(rows, sequences, known.weights)
    for new, old in ((grown.rows, known.rows), (grown.used, known.used), (grown.sums, known.sums)):
        new[: len(old)] = old
    _fill(grown)
    return grown


class _Walker:
    """Walks parts of a game, one after the other.

    Args:
        game: The game.
        known: The information states of both players.
    """

    def __init__(self, game: Game, known: Sequence[Known]) -> None:
        self.game, self.known = game, known
        self.functions = tuple(game.compiled.function(name) for name in FUNCTIONS)
        chances, totals = np.empty((2, MOST_WAITING))
        numbers, counts = np.empty((MOST_WAITING, 4), np.int64), np.array([0, 0, 0, NONE])
        self.walk = Walk(numbers, chances, totals, counts, np.zeros(1))

    @property
    def waiting(self) -> int:
        """The number of histories that wait."""
        return int(self.walk.counts[WAITING])

    def beside(self) -> "_Walker":
        """Returns another walker, which knows the same information states."""
        known = [one._replace(sums=np.zeros_like(one.sums)) for one in self.known]
        if not len(known[0].weights):  # then each finds information states by itself
            known = [one._replace(rows=one.rows.copy(), slots=one.slots.copy(), used=one.used.copy()) for one in known]
        return _Walker(self.game, known)

    def begin(self, part: Part) -> None:
        """Sets the only history that waits."""
        self.walk.numbers[0], self.walk.chances[0], self.walk.totals[0] = part
        self.walk.counts[WAITING] = 1

    def go_on(self, histories: int) -> None:
        """Walks at most so many histories.

        Raises:
            UsageError: rules return something invalid, a player has no perfect recall, or play does not end.
            TooManyStatesError: there is no memory for the information states.
        """
        sequences, walked = histories * self.game.num_actions, int(self.walk.counts[WALKED])
        self.known = [one if len(one.weights) else enlarged(self.game, one, histories, sequences, walked) for one in self.known]
        game = self.game
        try:
            if not _walk_on(self.functions, game.params, game.num_actions, *self.known, self.walk, histories):
                raise UsageError(f"play of {game.name} does not end, or takes more than {MOST_MOVES:,} moves")
        except ChanceError as error:
            raise game.chance_error(error) from None
        if self.walk.counts[FAULT] != NONE:
            expand(game, self.walk.counts[[FAULT]])  # raises what is wrong with rules
            for player, known in enumerate(self.known):
                _entered(game, Player(player), known)  # raises what is forgotten

    def split(self, parts: deque[Part], count: int) -> None:
        """Walks the first moves of the game, until it is in ``count`` parts."""
        while parts and len(parts) < count:
            self.begin(parts.popleft())
            self.go_on(1)
            numbers, chances, totals, *_ = self.walk
            parts.extend((numbers[k].copy(), float(chances[k]), float(totals[k])) for k in range(self.waiting))
        self.walk.counts[WAITING] = 0


def _walked(game: Game, known: Sequence[Known], what: str) -> list[_Walker]:
    """Returns walkers who have walked the whole game together.

    Args:
        game: The game.
        known: The information states of both players.
        what: What they do, shown with their progress.

    Raises:
        UsageError: as from :meth:`_Walker.go_on`.
    """
    starts = zip(game.start_codes, game.start_probabilities, strict=True)
    parts: deque[Part] = deque((np.array([code, 0, 0, 0]), float(chance), 0.0) for code, chance in starts)
    workers = [_Walker(game, known)]
    with postponed():  # an exception would be lost while code is compiled
        workers[0].split(parts, PARTS * processors())
    total = len(parts)
    workers += [workers[0].beside() for _ in range(min(processors(), total) - 1)]

    def work(worker: _Walker) -> None:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            if not worker.waiting:
                try:
                    worker.begin(parts.popleft())
                except IndexError:
                    return
            worker.go_on(AT_ONCE)

    with progress_bar(what) as show:
        while parts or any(worker.waiting for worker in workers):
            side_by_side(work, workers)
            show(total - len(parts), total)
    return workers


@dataclass(frozen=True, eq=False)
class TraversedForm(Form):
    """The information states of a game, whose histories are walked for each pair of policies."""

    _last: dict[int, tuple[Floats, Floats]] = field(default_factory=dict, init=False)
    """By player, the other's weights in the last walk, and what the player's sequences gain against them."""

    @cached_property
    def _known(self) -> list[Known]:
        """The information states of both players, for walks."""
        tables = []
        for plex in self.treeplexes:
            known = known_with_room(len(plex.codes), 1, np.empty(0))
            known.rows[:] = np.stack([plex.codes, plex.codes, plex.parents, plex.legal, plex.first[:-1]], axis=1)
            known.used[:] = len(plex.codes), plex.num_sequences
            _fill(known)
            tables.append(known)
        return tables

    def prepare(self, weights0: Floats, weights1: Floats) -> None:
        """Walks the game once for the gains of both players, unless they are those of the last walk."""
        weights = weights0, weights1
        if any(self._kept(player, weights[1 - player]) is None for player in range(2)):
            self._walk(weights)

    def _walk(self, weights: tuple[Floats, Floats]) -> list[Floats]:
        """Walks the game for the gains of both players, keeps them for these weights, and returns them."""
        check_memory(self.game, self.num_histories, 8 * processors() * sum(len(one) for one in weights))
        known = [self._known[k]._replace(sums=np.zeros(len(weights[k])), weights=weights[k]) for k in range(2)]
        workers = _walked(self.game, known, "measuring")
        gains = [np.sum([worker.known[player].sums for worker in workers], axis=0) for player in range(2)]
        self._last.update({player: (weights[1 - player], gains[player]) for player in range(2)})
        return gains

    def _kept(self, player: int, weights: Floats) -> Floats | None:
        """Returns a player's gains in the last walk if it was for these weights; another thread may have taken it."""
        known, gains = self._last.get(player, (None, None))
        return gains if known is not None and np.array_equal(known, weights) else None

    def gains(self, player: int, weights: Floats) -> Floats:
        """Returns what each sequence of a player gains ``[S]`` against the other's sequence weights."""
        gains = self._kept(player, weights)
        if gains is None:
            idle = np.zeros(self.treeplexes[player].num_sequences)
            gains = self._walk((idle, weights) if player == 0 else (weights, idle))[player]
        return gains

    def value(self, weights0: Floats, weights1: Floats) -> float:
        """Returns the expected reward to player 0."""
        self.prepare(weights0, weights1)
        return math.fsum(weights0 * self.gains(0, weights1))


@lru_cache(KEPT)
def traversed_form(game: Game) -> TraversedForm:
    """Finds the information states of a game.

    Raises:
        UsageError: a player has no perfect recall, rules return something invalid, or play does not end.
        TooManyStatesError: there is no memory for the information states.
    """
    workers = _walked(game, [known_with_room(1, 1, np.empty(0))] * 2, "looking for information states")
    players = Player(0), Player(1)
    numbers = [[_entered(game, player, worker.known[player.player]) for worker in workers] for player in players]
    plexes = players[0].treeplex(), players[1].treeplex()
    rewards = 0
    for player, plex in enumerate(plexes):
        sums = np.zeros(plex.num_sequences)
        for worker, own in zip(workers, numbers[player], strict=True):
            sums[own] += worker.known[player].sums[: len(own)]
        rewards = max(rewards, int(sums.max()))
    counts = np.array([worker.walk.counts for worker in workers])
    children = sum(int(np.bincount(plex.parents, minlength=1).max()) for plex in plexes)
    length = int(counts[:, LONGEST].max())
    roundings = rewards + processors() + 2 + length * (2 * game.num_actions + 6 + children)
    most = max(float(worker.walk.most[0]) for worker in workers)
    return TraversedForm(game, plexes, most, int(counts[:, WALKED].sum()), roundings)


def _entered(game: Game, player: Player, known: Known) -> Ints:
    """Enters what a walker knows; returns the numbers of its sequences ``[S]`` among all.

    Raises:
        UsageError: the player would have to remember more.
    """
    _, codes, parents, legal, first = known.rows[: known.used[0]].T
    before = np.searchsorted(first, parents, side="right") - 1  # the information state whose sequence is the parent
    depths, deeper = np.zeros(len(first), np.int64), np.minimum(before + 1, 1)
    while not np.array_equal(depths, deeper):
        depths, deeper = deeper, np.where(before >= 0, deeper[before] + 1, 0)
    numbers = np.zeros(known.used[1], np.int64)
    for depth in range(depths.max(initial=-1) + 1):
        rows = np.flatnonzero(depths == depth)
        entered = player.enter(game, codes[rows], numbers[parents[rows]], legal[rows])
        counts = np.bitwise_count(legal[rows]).astype(np.int64)
        choices = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        numbers[np.repeat(first[rows], counts) + choices] = np.repeat(entered, counts) + choices
    return numbers
