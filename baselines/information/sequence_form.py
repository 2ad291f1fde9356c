"""A game with hidden information as two treeplexes and one sparse matrix of rewards.

``matrix[i, j]`` is the sum, over all histories in which player 0's last sequence is ``i`` and player 1's is ``j`` when
a reward is paid, of the probability of chance times the reward to player 0. For sequence weights ``x`` and ``y`` the
expected reward is ``x @ matrix @ y``, and ``matrix @ y`` is what each of player 0's sequences gains.

Sources: von Stengel (1996), "Efficient Computation of Behavior Strategies"; Koller, Megiddo and von Stengel (1994),
"Fast Algorithms for Finding Randomized Strategies in Game Trees".
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.baselines.policies.tabular import Observed, observed
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.code_index import Numbering
from nashzoo.envs.core.game import BOTH, CHANCE, Game
from nashzoo.envs.core.kernels import information_states, turn_all
from nashzoo.envs.core.reachable import OVER, TooManyStatesError, expand
from nashzoo.envs.jit.compiled import Bools, Floats, Ints

MOST_HISTORIES = 50_000_000
FEW_HISTORIES, SHORT_PLAY = 1_000_000, 1_000  # up to which states that recur would not be noticed, and do no harm


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """The sequence form of a game.

    Attributes:
        game: The game.
        treeplexes: The information states of both players.
        matrix: Rewards to player 0, sparse ``[S0, S1]``.
        transposed: The same for player 1's passes ``[S1, S0]``.
        magnitudes: The same with the magnitudes of rewards, sparse ``[S0, S1]``, for bounds of rounding.
        num_histories: The number of histories, those counted once that differ in nothing that matters later.
        roundings: The most roundings of any number in a value or a best response.
    """

    game: Game
    treeplexes: tuple[Treeplex, Treeplex]
    matrix: sparse.csr_array
    transposed: sparse.csr_array
    magnitudes: sparse.csr_array
    num_histories: int
    roundings: int

    @cached_property
    def observed(self) -> tuple[Observed, Observed]:
        """What each player observes at its information states."""
        return tuple(observed(self.game, plex.codes, player) for player, plex in enumerate(self.treeplexes))

    @cached_property
    def legal(self) -> tuple[Bools, Bools]:
        """Whether actions are legal at each player's information states ``[I, actions]``."""
        return tuple(each.masks.astype(np.bool_) for each in self.observed)

    def gains(self, player: int, weights: Floats) -> Floats:
        """Returns what each sequence of a player gains ``[S]`` against the other's sequence weights."""
        return self.matrix @ weights if player == 0 else -(self.transposed @ weights)


class _Player:
    """The information states of one player, as far as they are known."""

    def __init__(self, player: int) -> None:
        self.player = player
        self.numbering = Numbering()
        self.parents, self.legal, self.first = np.empty(0, np.int64), np.empty(0, np.int64), np.ones(1, np.int64)
        self.examples = np.empty(0, np.int64)  # a state in each

    def enter(self, game: Game, codes: Ints, sequences: Ints, legal: Ints) -> Ints:
        """Returns the first sequences ``[n]`` of the information states at states ``[n]``, new ones included.

        Args:
            game: The game.
            codes: The states.
            sequences: The player's sequences there ``[n]``.
            legal: The player's legal actions there ``[n]``.

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
            self._check_view(game, codes[where], views[where], legal[where])
            self.parents, self.legal, self.examples = (
                np.concatenate([old, new[where]])
                for old, new in ((self.parents, sequences), (self.legal, legal), (self.examples, codes))
            )
            counts = np.bitwise_count(legal[where]).astype(np.int64)
            self.first = np.concatenate([self.first, self.first[-1] + np.cumsum(counts)])
        for what, own, other in (
            ("did something else before", self.parents[ids], sequences),
            ("has other legal actions", self.legal[ids], legal),
        ):
            if (unlike := np.flatnonzero(own != other)).size:
                here, there = int(codes[unlike[0]]), int(self.examples[ids[unlike[0]]])
                raise UsageError(
                    f"player {self.player} cannot tell {game.spell(here)} from {game.spell(there)}, but {what}: "
                    "the state must store what the player remembers, in a field that the player sees"
                )
        return self.first[ids]

    def _check_view(self, game: Game, codes: Ints, views: Ints, legal: Ints) -> None:
        """Checks that whose turn it is, and what is legal, follow from what the player sees."""
        turns, seen_turns = np.empty((2, len(codes)), np.int64)
        turn_all(game.compiled, codes, turns)
        turn_all(game.compiled, views, seen_turns)
        seen_legal = [int(game.rules.legal(game.params, view, self.player)) for view in views.tolist()]
        for what, wrong in (("turn", turns != seen_turns), ("legal", legal != seen_legal)):
            if wrong.any():
                where = game.spell(int(codes[wrong.argmax()]))
                raise UsageError(
                    f"{what} of {game.name} depends at {where} on what player {self.player} does not see; "
                    "it may depend on fields that the player sees"
                )

    def treeplex(self) -> Treeplex:
        return Treeplex(self.numbering.codes.copy(), self.parents, self.first, self.legal)


class Level(NamedTuple):
    """Histories of one length; those that are in one state by the same sequences are one, and their chances are added.

    Attributes:
        codes: Their states ``[n]``.
        sequences: Both players' last sequences ``[2, n]``.
        chances: The product of the probabilities of chance on the way ``[n]``.
        turns: Who moves ``[n]``.
        paid: The sequences of the ``k`` moves from here that pay a reward ``[2, k]``.
        rewards: These rewards to player 0, times the probability of chance ``[k]``.
        merged: The most histories that are one in the next level.
    """

    codes: Ints
    sequences: Ints
    chances: Floats
    turns: Ints
    paid: Ints
    rewards: Floats
    merged: int


def levels(game: Game, players: tuple[_Player, _Player]) -> Iterator[Level]:
    """Yields all histories of a game, the shortest first, and enters the information states that they pass.

    Raises:
        UsageError: a player has no perfect recall, or states recur.
        TooManyStatesError: there are too many histories.
    """
    codes, chances = game.start_codes, game.start_probabilities.copy()
    sequences, histories, length, ends = np.zeros((2, len(codes)), np.int64), 0, 0, False
    while len(codes):
        histories, length = histories + len(codes), length + 1
        if not ends and (histories > FEW_HISTORIES or length > SHORT_PLAY):
            _check_ends(game)
            ends = True
        if histories > MOST_HISTORIES:
            raise TooManyStatesError(
                f"play of {game!r} has more than {MOST_HISTORIES:,} histories, too many to keep; other parameters have "
                "fewer"
            )
        legal = np.empty((2, len(codes)), np.int64)
        legal[0], legal[1], after, rewards, outcomes = expand(game, codes)
        turns = np.empty(len(codes), np.int64)
        turn_all(game.compiled, codes, turns)
        counts, first = np.ones((2, len(codes)), np.int64), sequences.copy()  # a player who waits goes on with the same
        for player, known in enumerate(players):
            moves = np.flatnonzero((turns == player) | (turns == BOTH))
            first[player, moves] = known.enter(game, codes[moves], sequences[player, moves], legal[player, moves])
            counts[player, moves] = np.bitwise_count(legal[player, moves])
        by_chance = turns == CHANCE
        width = counts[0] * counts[1]
        width[by_chance] = (outcomes[by_chance] > 0).sum(axis=1)
        rows = np.repeat(np.arange(len(codes)), width)
        choice = np.arange(len(rows)) - np.repeat(np.cumsum(width) - width, width)
        reach, drawn = chances[rows], by_chance[rows]
        reach[drawn] *= outcomes[rows[drawn], choice[drawn]]
        choices = np.where(drawn, 0, np.stack(np.divmod(choice, counts[1, rows])))
        reached, following = first[:, rows] + choices, after[rows, choice]
        earned = rewards[rows, choice] * reach
        paid, goes_on = earned != 0.0, following != OVER
        merged = _merged(following[goes_on], reached[:, goes_on], reach[goes_on])
        yield Level(codes, sequences, chances, turns, reached[:, paid], earned[paid], merged[3])
        codes, sequences, chances, _ = merged


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
    players = _Player(0), _Player(1)
    entries: list[tuple[Ints, Floats]] = []
    histories = length = merged = 0
    for level in levels(game, players):
        entries.append((level.paid, level.rewards))
        histories, length, merged = histories + len(level.codes), length + 1, merged + level.merged
    treeplexes = players[0].treeplex(), players[1].treeplex()
    (row, column), reward = (np.concatenate(parts, axis=-1) for parts in zip(*entries, strict=True))
    shape = treeplexes[0].num_sequences, treeplexes[1].num_sequences
    matrix, magnitudes, terms = (
        sparse.coo_array((numbers, (row, column)), shape=shape).tocsr()
        for numbers in (reward, np.abs(reward), np.ones(len(reward)))
    )
    transposed = matrix.T.tocsr()
    children = sum(int(np.bincount(plex.parents, minlength=1).max()) for plex in treeplexes)
    roundings = (
        length + merged + int(terms.max()) + _longest(matrix) + _longest(transposed) + sum(shape)
        + length * (2 * (game.num_actions + 2) + children)
    )  # fmt: skip
    return SequenceForm(game, treeplexes, matrix, transposed, magnitudes, histories, roundings)


def histories_in(game: Game, code: int, player: int) -> tuple[Ints, Ints, Floats]:
    """Returns the histories in an information state: states ``[k]``, sequences ``[2, k]``, probabilities of chance.

    Args:
        game: The game.
        code: The information state.
        player: Who decides there.
    """
    passing = []
    for level in levels(game, (_Player(0), _Player(1))):
        views = np.empty(len(level.codes), np.int64)
        information_states(game.compiled, level.codes, player, views)
        rows = (views == code) & ((level.turns == player) | (level.turns == BOTH))
        passing.append((level.codes[rows], level.sequences[:, rows], level.chances[rows]))
    codes, sequences, chances = (np.concatenate(parts, axis=-1) for parts in zip(*passing, strict=True))
    return codes, sequences, chances


def _longest(matrix: sparse.csr_array) -> int:
    """Returns the number of entries in the longest row."""
    return int(np.diff(matrix.indptr).max())


def _merged(codes: Ints, at: Ints, chance: Floats) -> tuple[Ints, Ints, Floats, int]:
    """Returns histories that are in the same state with the same sequences as one, and the most that become one."""
    if not len(codes):
        return codes, at, chance, 0
    order = np.lexsort((codes, at[1], at[0]))
    codes, at, chance = codes[order], at[:, order], chance[order]
    fresh = np.concatenate([[True], (codes[1:] != codes[:-1]) | (at[:, 1:] != at[:, :-1]).any(axis=0)])
    begins = np.flatnonzero(fresh)
    most = int(np.diff(begins, append=len(codes)).max())
    chance = np.add.reduceat(chance, begins)
    return np.ascontiguousarray(codes[begins]), np.ascontiguousarray(at[:, begins]), chance, most
