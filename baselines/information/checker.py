"""A proof of equilibria of games with hidden information that is independent of the solver.

A solver only provides claims: the probabilities of both players at their information states. The checker walks all
histories by the rules of the game, and computes the most that a best response wins from each player. The sum of both
is the certificate: neither player can win more by another strategy.

The responder's last information state and action in a history are its *sequence*. What a sequence gains is a sum over
the histories that it ends when a reward is paid: the probability of chance, times that of the opponent's actions, times
the reward. Backwards, each information state adds the gain of its best action to the sequence that leads to it. All
numbers that are added are products of probabilities and rewards; so an error bound is the number of roundings on any
way to the result, times the same computation with the magnitudes of the rewards.

Sources: Shoham and Leyton-Brown (2009), section 5.2.3; Higham (2002), section 3.1, on sums.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import LEAST, SLACK, UNIT
from nashzoo.baselines.certificate.checker import OVER, CertificateError, steps
from nashzoo.envs.core.game import BOTH, Floats, Game, Ints
from nashzoo.envs.core.kernels import information_states
from nashzoo.envs.core.reachable import turns_of

DISTRIBUTION = 1e-9  # tolerance of the sum of probabilities, which are divided by it


class Claims(NamedTuple):
    """The strategy of one player."""

    codes: Ints  # its information states, ascending [I]
    probabilities: Floats  # those of its actions there [I, actions]


def certify(game: Game, claims: tuple[Claims, Claims]) -> float:
    """Returns the most that best responses win together from both players' strategies: the certificate, points.

    Raises:
        CertificateError: a strategy is none, or a player would have to remember more than it sees.
    """
    gap = sum(highest_response(game, claims[1 - player], player) for player in range(2))
    return max(0.0, gap + UNIT * abs(gap))


def highest_response(game: Game, claims: Claims, player: int) -> float:
    """Returns an upper bound of what a best response of ``player`` wins from the other player's strategy, points.

    Raises:
        CertificateError: as from :func:`certify`.
    """
    responder, strategy = _Responder(game, player), _Strategy(game, claims, 1 - player)
    codes, reach, sequences = game.start_codes, game.start_probabilities, np.zeros(len(game.start_codes), np.int64)
    levels = 0
    while len(codes):
        levels += 1
        turns = turns_of(game, codes)
        level: list[tuple[Ints, Floats, Ints]] = []
        for step in steps(game, codes):
            rows, shape = step.rows, step.after.shape
            reached, sequence = (
                np.broadcast_to(reach[rows], shape).copy(),
                np.broadcast_to(sequences[rows], shape).copy(),
            )
            if step.chances is not None:
                reached *= (step.chances / step.chances.sum(axis=0))[:, None]
            else:
                decides, replies = (np.isin(turns[rows], (one, BOTH)) for one in (player, 1 - player))
                actions = step.actions[1 - player][:, replies]
                likely = strategy.probabilities(codes[rows[replies]], actions)
                reached[:, :, replies] *= likely[:, None] if player == 1 else likely
                first = responder.first_sequences(codes[rows[decides]], sequences[rows[decides]], shape[player])
                chosen = first + np.arange(shape[player])[:, None]
                sequence[:, :, decides] = chosen[:, None] if player == 0 else chosen
            responder.gain(sequence, reached, step.rewards if player == 0 else -step.rewards)
            goes_on = (step.after != OVER) & (reached > 0.0)
            level.append((step.after[goes_on], reached[goes_on], sequence[goes_on]))
        codes, reach, sequences = (np.concatenate(parts) for parts in zip(*level, strict=True))
    return responder.highest(levels)


class _Strategy:
    """The claimed strategy of the player who is responded to."""

    def __init__(self, game: Game, claims: Claims, player: int) -> None:
        self.game, self.player, self.claims = game, player, claims
        sums = claims.probabilities.sum(axis=1)
        if len(claims.codes) and not (claims.probabilities >= 0.0).all():
            raise CertificateError(f"a probability of player {player} is negative, or no number")
        self.table = claims.probabilities / np.where(sums > 0.0, sums, 1.0)[:, None]
        self.defined = np.abs(sums - 1.0) <= DISTRIBUTION

    def probabilities(self, codes: Ints, actions: Ints) -> Floats:
        """Returns the probabilities of actions ``[m, B]``, all that are legal at states ``[B]``.

        Raises:
            CertificateError: there is no strategy at a state.
        """
        if not len(codes):
            return np.ones(actions.shape)
        views = np.empty(len(codes), np.int64)
        information_states(self.game.compiled, np.ascontiguousarray(codes), self.player, views)
        rows = np.minimum(np.searchsorted(self.claims.codes, views), len(self.claims.codes) - 1)
        chosen: Floats = self.table[rows, actions]
        valid = (self.claims.codes[rows] == views) & self.defined[rows]
        valid &= np.abs(chosen.sum(axis=0) - 1.0) <= DISTRIBUTION
        if not valid.all():
            where = self.game.spell(int(codes[np.argmin(valid)]))
            raise CertificateError(f"player {self.player} has no strategy over its legal actions at {where}")
        return chosen


class _Responder:
    """The information states and sequences of the player who responds, in the order in which play reaches them."""

    def __init__(self, game: Game, player: int) -> None:
        self.game, self.player = game, player
        self.numbers: dict[int, int] = {}  # of information states
        self.parents: list[int] = []  # the sequence before it, by number
        self.first = [1]  # the sequence of its first action; the last entry is the number of sequences
        self.sums = np.zeros((3, 1))  # of gains, of their magnitudes, and the number of them, by sequence
        self.widest = game.num_actions  # the most probabilities that are added to divide by their sum

    def first_sequences(self, codes: Ints, sequences: Ints, count: int) -> Ints:
        """Returns the sequence of the first of ``count`` actions ``[B]`` at states that sequences ``[B]`` lead to.

        Raises:
            CertificateError: an information state is reached by two sequences, or has two numbers of actions.
        """
        views = np.empty(len(codes), np.int64)
        information_states(self.game.compiled, np.ascontiguousarray(codes), self.player, views)
        unique, where, inverse = np.unique(views, return_index=True, return_inverse=True)
        first, parents = np.empty(len(unique), np.int64), sequences[where]
        for k, (view, parent) in enumerate(zip(unique.tolist(), parents.tolist(), strict=True)):
            number = self.numbers.setdefault(view, len(self.parents))
            if number == len(self.parents):
                self.parents.append(parent)
                self.first.append(self.first[-1] + count)
            first[k] = self.first[number]
            if self.parents[number] != parent or self.first[number + 1] - self.first[number] != count:
                first[k] = -1
        faulty = (first[inverse] < 0) | (parents[inverse] != sequences)
        if faulty.any():
            state = self.game.spell(int(codes[faulty.argmax()]))
            raise CertificateError(f"player {self.player} would have to remember more than it sees at {state}")
        return first[inverse]

    def gain(self, sequences: Ints, reach: Floats, rewards: Floats) -> None:
        """Adds rewards to what sequences gain, all ``[m, n, B]``."""
        terms, paid = reach * rewards, rewards != 0.0
        self.widest = max(self.widest, len(rewards))
        added = np.empty((3, self.first[-1]))
        for k, numbers in enumerate((terms, np.abs(terms), np.ones(terms.shape))):
            added[k] = np.bincount(sequences[paid], numbers[paid], self.first[-1])
        added[:, : self.sums.shape[1]] += self.sums
        self.sums = added

    def highest(self, levels: int) -> float:
        """Returns an upper bound of the gain of the empty sequence, once all histories are added."""
        gains, magnitudes, _ = self.sums.tolist()
        for number in range(len(self.parents) - 1, -1, -1):
            actions, parent = slice(self.first[number], self.first[number + 1]), self.parents[number]
            gains[parent] += max(gains[actions])
            magnitudes[parent] += max(magnitudes[actions])
        # A term is a product of a quotient by a sum at each step; it is one of a sum, which is added to others.
        roundings = levels * (self.widest + 4) + self.sums[2].max() + len(gains)
        return float(gains[0] + SLACK * roundings * (UNIT * magnitudes[0] + LEAST))
