"""A game with hidden information as two treeplexes and one sparse matrix of rewards.

``matrix[i, j]`` is the sum, over all histories in which player 0's last sequence is ``i`` and player 1's is ``j`` when
a reward is paid, of the probability of chance times the reward to player 0. For sequence weights ``x`` and ``y`` the
expected reward is ``x @ matrix @ y``, and ``matrix @ y`` is what each of player 0's sequences gains.

Sources: von Stengel (1996), "Efficient Computation of Behavior Strategies"; Koller, Megiddo and von Stengel (1994),
"Fast Algorithms for Finding Randomized Strategies in Game Trees".
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.baselines.policies.tabular import Observed, TabularPolicy, observed
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.baselines.states.space import Numbered
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.memory import available_memory
from nashzoo.envs.core.code_index import Numbering
from nashzoo.envs.core.game import BOTH, CHANCE, Game
from nashzoo.envs.core.kernels import information_states, legal_all
from nashzoo.envs.core.reachable import OVER, TooManyStatesError, expand, turns_of
from nashzoo.envs.jit.compiled import Bools, Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_HISTORIES = 30_000_000
KEPT = 16  # information states whose histories were asked for last
BYTES = 250  # of memory for each history while all are explored
LITTLE = 1_000_000_000  # bytes that are taken without asking whether they are there
FEW_HISTORIES, SHORT_PLAY = 1_000_000, 1_000  # up to which states that recur would not be noticed, and do no harm


@dataclass(frozen=True, eq=False)
class Form:
    """What exact measures need of a game with hidden information."""

    game: Game
    treeplexes: tuple[Treeplex, Treeplex]  # the information states of both players
    most: float  # the largest sum of magnitudes of the rewards in one game, points
    num_histories: int  # the number of histories
    roundings: int  # the most roundings of any number in a value or a best response

    def gains(self, player: int, weights: Floats) -> Floats:
        """Returns what each sequence of a player gains ``[S]`` against the other's sequence weights."""
        raise NotImplementedError

    def value(self, weights0: Floats, weights1: Floats) -> float:
        """Returns the expected reward to player 0."""
        raise NotImplementedError

    def prepare(self, weights0: Floats, weights1: Floats) -> None:
        """Is called before the gains against both players' weights are asked for."""

    @cached_property
    def states(self) -> "InformationStates":
        """The information states of both players, numbered."""
        return InformationStates(self)

    def policy(self, weights: tuple[Floats, Floats], seed: int | None = None) -> TabularPolicy:
        """Returns the policy of both players' sequence weights."""
        probabilities = (plex.probabilities(own) for plex, own in zip(self.treeplexes, weights, strict=True))
        first, second = (self.states.table(player, own) for player, own in enumerate(probabilities))
        return TabularPolicy(self.states, (first, second), seed)

    @cached_property
    def observed(self) -> tuple[Observed, Observed]:
        """What each player observes at its information states."""
        plex0, plex1 = self.treeplexes
        return observed(self.game, plex0.codes, 0), observed(self.game, plex1.codes, 1)

    @cached_property
    def places(self) -> tuple[Ints, Ints]:
        """The places of each player's sequences, from 1 on, in a flat table ``[I, actions]`` of its treeplex."""
        actions = np.arange(self.game.num_actions)
        places0, places1 = (np.flatnonzero(plex.legal[:, None] >> actions & 1) for plex in self.treeplexes)
        return places0, places1


@dataclass(frozen=True, eq=False)
class SequenceForm(Form):
    """The sequence form of a game; histories that differ in nothing that matters later are counted as one."""

    matrix: "csr_array"  # rewards to player 0, sparse [S0, S1]
    transposed: "csr_array"  # the same for player 1's passes [S1, S0]

    def gains(self, player: int, weights: Floats) -> Floats:
        """Returns what each sequence of a player gains ``[S]`` against the other's sequence weights."""
        return self.matrix @ weights if player == 0 else -(self.transposed @ weights)

    def value(self, weights0: Floats, weights1: Floats) -> float:
        """Returns the expected reward to player 0."""
        return float(weights0 @ (self.matrix @ weights1))

    def mirrored(self) -> "SequenceForm":
        """Returns the game with the players exchanged."""
        matrices = -self.transposed.tocsr(), -self.matrix.tocsr()
        return replace(self, treeplexes=self.treeplexes[::-1], matrix=matrices[0], transposed=matrices[1])


class InformationStates(Numbered):
    """The information states of both players, numbered in one list."""

    def __init__(self, form: Form) -> None:
        self.game, self.form = form.game, form
        own = [plex.codes for plex in form.treeplexes]
        self.codes, ids = np.unique(np.concatenate(own), return_inverse=True)
        self._own = list(zip(own, np.split(ids, [len(own[0])]), strict=True))

    def ids(self, codes: Any) -> Ints:
        """Returns the numbers of information states ``[B]``, see :class:`Numbered`."""
        for own, known in self._own:
            if codes is own:  # which policies are asked for again and again
                return known
        return super().ids(codes)

    def table(self, player: int, probabilities: Floats) -> Floats:
        """Returns a player's probabilities by sequence ``[S]`` as a table by number ``[n, actions]``."""
        codes, ids = self._own[player]
        rows = np.zeros(len(codes) * self.game.num_actions)
        rows[self.form.places[player]] = probabilities[1:]
        table = np.zeros((len(self.codes), self.game.num_actions))
        table[ids] = rows.reshape(len(codes), self.game.num_actions)
        return table


class Player:
    """The information states of one player, as far as they are known."""

    def __init__(self, player: int) -> None:
        self.player = player
        self.numbering = Numbering()
        self.parents, self.legal, self.first = np.empty(0, np.int64), np.empty(0, np.int64), np.ones(1, np.int64)
        self.examples = np.empty(0, np.int64)  # a state in each

    def enter(self, game: Game, codes: Ints, sequences: Ints, legal: Ints) -> Ints:
        """Returns the first sequences ``[n]`` of the information states at states ``[n]``, new ones included.

        ``sequences`` and ``legal`` are the player's sequences and legal actions there ``[n]``.

        Raises:
            UsageError: the player would have to remember what the information state does not have.
        """
        views = np.empty(len(codes), np.int64)
        information_states(game.compiled, codes, self.player, views)
        known = len(self.parents)
        ids = self.numbering.number(views)
        fresh = len(self.numbering) - known
        if fresh:
            _, where = np.unique(ids, return_index=True)
            where = where[-fresh:]
            check_views(game, self.player, codes[where], views[where], legal[where])
            self.parents, self.legal, self.examples = (
                np.concatenate([old, new[where]])
                for old, new in ((self.parents, sequences), (self.legal, legal), (self.examples, codes))
            )
            counts = np.bitwise_count(legal[where]).astype(np.int64)
            self.first = np.concatenate([self.first, self.first[-1] + np.cumsum(counts)])
        if len(unlike := np.flatnonzero(self.legal[ids] != legal)[:1]):
            check_views(game, self.player, codes[unlike], views[unlike], legal[unlike])
        faulty = np.flatnonzero((self.parents[ids] != sequences) | (self.legal[ids] != legal))
        if len(faulty):
            here, there = int(codes[faulty[0]]), int(self.examples[ids[faulty[0]]])
            now, before = (self._last(game, int(one)) for one in (sequences[faulty[0]], self.parents[ids[faulty[0]]]))
            raise UsageError(
                f"player {self.player} cannot tell {game.spell(here)} after {now} from {game.spell(there)} after "
                f"{before}: the state must store what the player remembers, in a field that the player sees"
            )
        return self.first[ids]

    def _last(self, game: Game, sequence: int) -> str:
        """Returns the last action of a sequence in words."""
        if sequence == 0:
            return "no action"
        number = int(np.searchsorted(self.first, sequence, side="right")) - 1
        view = int(self.numbering.codes[number])
        action = game.legal_actions(view, self.player)[sequence - int(self.first[number])]
        return f"{game.actions[action]} at {game.spell(view)}"

    def treeplex(self) -> Treeplex:
        """Returns all that is known."""
        return Treeplex(self.numbering.codes.copy(), self.parents, self.first, self.legal)


def check_views(game: Game, player: int, codes: Ints, views: Ints, legal: Ints) -> None:
    """Checks that whose turn it is, and what is legal, follow from what the player sees of states ``[n]``.

    Raises:
        UsageError: they do not.
    """
    turns, seen_turns = turns_of(game, codes), turns_of(game, views)
    masks = np.empty((len(codes), game.num_actions), np.int8)
    legal_all(game.compiled, views, np.full(len(codes), player), masks)
    seen_legal = masks @ (1 << np.arange(game.num_actions))
    for what, wrong in (("turn", turns != seen_turns), ("legal", legal != seen_legal)):
        if wrong.any():
            where = game.spell(int(codes[wrong.argmax()]))
            raise UsageError(
                f"{what} of {game.name} depends at {where} on what player {player} does not see; "
                "it may depend on fields that the player sees"
            )


class Level(NamedTuple):
    """Histories of one length; those in one state by the same sequences are one, and their chances are added."""

    codes: Ints  # their states [n]
    sequences: Ints  # both players' last sequences [2, n]
    chances: Floats  # the product of the probabilities of chance on the way [n]
    turns: Ints  # who moves [n]
    paid: Ints  # the sequences after the k moves from here that pay a reward [2, k]
    rewards: Floats  # these rewards to player 0 [k]
    reach: Floats  # the product of the probabilities of chance up to them [k]
    last: Bools  # whether play ends with them [k]
    merged: int  # the most histories that are one in the next level
    most: float  # the largest sum of magnitudes of the rewards so far, the next one included


def levels(game: Game, players: tuple[Player, Player] | None = None) -> Iterator[Level]:
    """Yields all histories of a game, the shortest first; their information states are entered into ``players``.

    Raises:
        UsageError: a player has no perfect recall, or states recur.
        TooManyStatesError: there are too many histories.
    """
    codes, chances = game.start_codes, game.start_probabilities.copy()
    players = (Player(0), Player(1)) if players is None else players
    sequences, sums = np.zeros((2, len(codes)), np.int64), np.zeros(len(codes))
    histories = length = 0
    finite = False
    while len(codes):
        histories, length = histories + len(codes), length + 1
        if not finite and (histories > FEW_HISTORIES or length > SHORT_PLAY):
            _check_ends(game)
            finite = True
        if histories > MOST_HISTORIES:
            raise too_many(game)
        turns, legal, rows, choices, likely, following, earned = moves_from(game, codes, histories)
        first = sequences.copy()  # a player who waits goes on with the same
        for player, known in enumerate(players):
            moves = np.flatnonzero((turns == player) | (turns == BOTH))
            try:
                first[player, moves] = known.enter(game, codes[moves], sequences[player, moves], legal[player, moves])
            except UsageError:
                _check_ends(game)  # nobody remembers play that comes back to a state: that is the reason then
                raise
        reach, reached = chances[rows] * likely, first[:, rows] + np.where(turns[rows] == CHANCE, 0, choices)
        goes_on = following != OVER
        paid, after_it = earned != 0.0, sums[rows] + np.abs(earned)
        merged = _merged(following[goes_on], reached[:, goes_on], reach[goes_on], after_it[goes_on])
        ends = reached[:, paid], earned[paid], reach[paid], ~goes_on[paid]
        yield Level(codes, sequences, chances, turns, *ends, merged[4], after_it.max())
        codes, sequences, chances, sums, _ = merged


def moves_from(game: Game, codes: Ints, histories: int) -> tuple[Ints, Ints, Ints, Ints, Floats, Ints, Floats]:
    """Returns who moves at states ``[n]``, both players' legal actions ``[2, n]``, and all moves from them.

    Args:
        game: The game.
        codes: The states.
        histories: How many histories there are already.

    Returns:
        Who moves; what is legal; and of each move ``[k]`` the row of its state, which of its actions each player takes
        ``[2, k]``, or chance in place of player 0, its probability by chance, what follows, and the reward.

    Raises:
        UsageError: rules return something invalid.
        TooManyStatesError: there is no memory for them.
    """
    legal, counts = np.empty((2, len(codes)), np.int64), np.ones((2, len(codes)), np.int64)
    legal[0], legal[1], after, rewards, outcomes = expand(game, codes)
    turns = turns_of(game, codes)
    for player in range(2):
        chooses = (turns == player) | (turns == BOTH)
        counts[player, chooses] = np.bitwise_count(legal[player, chooses])
    by_chance = turns == CHANCE
    counts[0, by_chance] = (outcomes[by_chance] > 0).sum(axis=1)
    width = counts[0] * counts[1]
    check_memory(game, histories, BYTES * int(width.sum()))
    rows = np.repeat(np.arange(len(codes)), width)
    choice = np.arange(len(rows)) - np.repeat(np.cumsum(width) - width, width)
    likely, drawn = np.ones(len(rows)), by_chance[rows]
    likely[drawn] = outcomes[rows[drawn], choice[drawn]]
    choices = np.stack(np.divmod(choice, counts[1, rows]))
    return turns, legal, rows, choices, likely, after[rows, choice], rewards[rows, choice]


def check_memory(game: Game, histories: int, needed: int) -> None:
    """Checks that there is memory for the next histories.

    Raises:
        TooManyStatesError: there is not.
    """
    left = available_memory() if needed > LITTLE else None
    if left is not None and needed > left:
        raise TooManyStatesError(
            f"play of {game!r} has more than {histories:,} histories; to go on takes {needed / 1e9:.1f} GB of memory, "
            f"and {left / 1e9:.1f} GB are left; other parameters have fewer"
        )


def too_many(game: Game) -> TooManyStatesError:
    """Returns the error of a game with more than :data:`MOST_HISTORIES` histories."""
    return TooManyStatesError(
        f"play of {game!r} has more than {MOST_HISTORIES:,} histories, too many to keep; other parameters have fewer, "
        "and evaluate, best_response and nash_conv measure policies without keeping them"
    )


def _check_ends(game: Game) -> None:
    """Checks that no state of a game recurs, if they can be listed.

    Raises:
        UsageError: one does.
    """
    with contextlib.suppress(TooManyStatesError):
        states = ListedStates(game)
        for ids, cyclic in states.layers:
            if cyclic:
                where = game.spell(int(states.codes[ids[0]]))
                raise UsageError(
                    f"{game.name} hides a part of the state, and play can come back to {where}: exact measures need "
                    "states that do not recur; let the state count the moves"
                )


def sequence_form(game: Game) -> SequenceForm:
    """Explores all play of a game.

    Raises:
        UsageError: a player has no perfect recall, or states recur.
        TooManyStatesError: there are too many histories.
    """
    from scipy.sparse import coo_array, csr_array

    players = Player(0), Player(1)
    entries: list[tuple[Ints, Floats]] = []
    histories = length = merged = 0
    most = 0.0
    for level in levels(game, players):
        entries.append((level.paid, level.rewards * level.reach))
        histories, length = histories + len(level.codes), length + 1
        merged, most = merged + level.merged, max(most, level.most)
    plexes = players[0].treeplex(), players[1].treeplex()
    (row, column), reward = (np.concatenate(parts, axis=-1) for parts in zip(*entries, strict=True))
    shape = plexes[0].num_sequences, plexes[1].num_sequences
    matrix = csr_array(coo_array((reward, (row, column)), shape=shape))
    transposed = csr_array(matrix.T)
    same = np.unique(row * shape[1] + column, return_counts=True)[1].max(initial=0)  # rewards that are one entry
    longest = sum(int(np.diff(each.indptr).max()) for each in (matrix, transposed))
    children = sum(int(np.bincount(plex.parents, minlength=1).max()) for plex in plexes)
    roundings = merged + int(same) + longest + sum(shape) + length * (2 * game.num_actions + 6 + children)
    return SequenceForm(game, plexes, most, histories, roundings, matrix, transposed)


@lru_cache(KEPT)
def histories_in(game: Game, code: int, player: int) -> tuple[Ints, Ints, Floats]:
    """Returns the histories in an information state: states ``[k]``, sequences ``[2, k]``, probabilities of chance."""
    passing = []
    for level in levels(game):
        views = np.empty(len(level.codes), np.int64)
        information_states(game.compiled, level.codes, player, views)
        rows = (views == code) & ((level.turns == player) | (level.turns == BOTH))
        passing.append((level.codes[rows], level.sequences[:, rows], level.chances[rows]))
    codes, sequences, chances = (np.concatenate(parts, axis=-1) for parts in zip(*passing, strict=True))
    return codes, sequences, chances


def _merged(codes: Ints, sequences: Ints, chances: Floats, sums: Floats) -> tuple[Ints, Ints, Floats, Floats, int]:
    """Returns histories that are in one state by the same sequences as one, and the most that become one."""
    if not len(codes):
        return codes, sequences, chances, sums, 0
    order = np.lexsort((codes, sequences[1], sequences[0]))
    codes, sequences, chances, sums = codes[order], sequences[:, order], chances[order], sums[order]
    differs = (codes[1:] != codes[:-1]) | (sequences[:, 1:] != sequences[:, :-1]).any(axis=0)
    first = np.flatnonzero(np.concatenate([[True], differs]))
    most = int(np.diff(first, append=len(codes)).max())
    chances, sums = np.add.reduceat(chances, first), np.maximum.reduceat(sums, first)
    return codes[first], np.ascontiguousarray(sequences[:, first]), chances, sums, most
