"""A game with hidden information as two treeplexes and one sparse matrix of rewards.

``matrix[i, j]`` is the sum, over all histories in which player 0's last sequence is ``i`` and player 1's is ``j`` when
a reward is paid, of the probability of chance times the reward to player 0. For sequence weights ``x`` and ``y`` the
expected reward is ``x @ matrix @ y``, and ``matrix @ y`` is what each of player 0's sequences gains.

Sources: von Stengel (1996), "Efficient Computation of Behavior Strategies"; Koller, Megiddo and von Stengel (1994),
"Fast Algorithms for Finding Randomized Strategies in Game Trees".
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.code_index import Numbering
from nashzoo.envs.core.game import BOTH, Game
from nashzoo.envs.core.kernels import information_states, turn_all
from nashzoo.envs.core.reachable import OVER, TooManyStatesError, expand
from nashzoo.envs.jit.compiled import Floats, Ints

MOST_HISTORIES = 50_000_000


class SequenceForm(NamedTuple):
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


def sequence_form(game: Game) -> SequenceForm:
    """Explores all play of a game.

    Raises:
        UsageError: a player has no perfect recall, or states recur.
        TooManyStatesError: there are too many histories.
    """
    players = _Player(0), _Player(1)
    codes, chance = game.start_codes, game.start_probabilities.copy()
    at = np.zeros((2, len(codes)), np.int64)
    entries: list[tuple[Ints, Ints, Floats]] = []
    histories = levels = merged = 0
    while len(codes):
        levels += 1
        histories += len(codes)
        if histories > MOST_HISTORIES:
            raise TooManyStatesError(f"play of {game!r} has more than {MOST_HISTORIES:,} histories")
        legal = np.empty((2, len(codes)), np.int64)
        legal[0], legal[1], after, rewards, chances = expand(game, codes)
        turns = np.empty(len(codes), np.int64)
        turn_all(game.compiled, codes, turns)
        counts = np.ones((2, len(codes)), np.int64)
        first = at.copy()  # the sequence after the first action: the same, for who does not choose
        for player in players:
            moves = np.flatnonzero((turns == player.player) | (turns == BOTH))
            first[player.player, moves] = player.enter(
                game, codes[moves], at[player.player, moves], legal[player.player, moves]
            )
            counts[player.player, moves] = np.bitwise_count(legal[player.player, moves])
        width = np.where(turns > BOTH, (chances > 0).sum(axis=1) if chances.size else 0, counts[0] * counts[1])
        rows = np.repeat(np.arange(len(codes)), width)
        choice = np.arange(len(rows)) - np.repeat(np.cumsum(width) - width, width)
        by_chance = turns[rows] > BOTH
        probabilities = chance[rows].copy()
        if by_chance.any():
            probabilities[by_chance] *= chances[rows[by_chance], choice[by_chance]]
        second = counts[1, rows]
        reached = np.stack(
            [
                np.where(by_chance, at[0, rows], first[0, rows] + choice // second),
                np.where(by_chance, at[1, rows], first[1, rows] + choice % second),
            ]
        )
        following, earned = after[rows, choice], rewards[rows, choice] * probabilities
        paid = earned != 0.0
        entries.append((reached[0, paid], reached[1, paid], earned[paid]))
        goes_on = following != OVER
        codes, at, chance, most = _merged(following[goes_on], reached[:, goes_on], probabilities[goes_on])
        merged += most
    treeplexes = players[0].treeplex(), players[1].treeplex()
    row, column, reward = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    shape = treeplexes[0].num_sequences, treeplexes[1].num_sequences
    matrix, magnitudes, counts = (
        sparse.coo_array((numbers, (row, column)), shape=shape).tocsr()
        for numbers in (reward, np.abs(reward), np.ones(len(reward)))
    )
    children = sum(int(np.bincount(plex.parents).max()) for plex in treeplexes)
    roundings = (
        levels + merged + int(counts.max()) + sum(_longest(each) for each in (matrix, matrix.T.tocsr())) + sum(shape)
        + levels * (2 * (game.num_actions + 2) + children)
    )  # fmt: skip
    return SequenceForm(game, treeplexes, matrix, matrix.T.tocsr(), magnitudes, histories, roundings)


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
