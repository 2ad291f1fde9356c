"""Safe resolving: a policy is improved in a part of the game, and no opponent wins more from the whole than before.

A *subgame* is a set of information states that play does not leave, and in which both players know play to be. The
player comes to it by the probabilities of its policy, the *blueprint*. The opponent comes to it by sequences ``q``, and
the blueprint concedes it ``b(q)`` there, the value of a best response. A policy that concedes no more at any ``q`` is
safe, in all subgames at once: what the opponent can win before is made of these values. Where the opponent gives up
something to come by ``q``, a *gift*, as much more may be conceded; it is parted among all that can follow.

In the resolved game the opponent chooses ``q``, and is paid what it wins there beyond ``b(q)`` and the gift, so that
the smallest *margin* becomes as large as can be. What the policy that regret minimization finds concedes is computed
exactly. If it is not safe, mixtures with the blueprint may be, since what they concede is convex, and at last it is the
blueprint itself.

Sources: Burch, Johanson and Bowling (2014), "Solving imperfect information games using decomposition"; Moravcik et al.
(2016), "Refining subgames in large imperfect information games", for margins; Brown and Sandholm (2017), "Safe and
nested subgame solving for imperfect-information games", for gifts and their parts.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from nashzoo.baselines.information.measures import estimate_of
from nashzoo.baselines.information.regret_minimization import RegretMinimizer
from nashzoo.baselines.information.sequence_form import Player, SequenceForm, levels
from nashzoo.envs.core.game import BOTH, Floats, Ints
from nashzoo.envs.core.kernels import information_states

KEPT = 2  # games whose subgames are kept
TRUNK = -1  # in place of a subgame where there is none
SHARES = 0.5 ** np.arange(20)  # of the new policy in a mixture with the blueprint


@lru_cache(KEPT)
def subgames(form: SequenceForm, most: int) -> tuple[Ints, Ints]:
    """Returns the subgame of each player's information states ``[I]``, the largest with at most ``most`` histories."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    players, plexes, count = (Player(0), Player(1)), form.treeplexes, len(form.treeplexes[0].parents)
    owners = [plex.by_sequence(np.arange(len(plex.parents)) + k * count, -1) for k, plex in enumerate(plexes)]
    total = count + len(plexes[1].parents)  # information states, those of player 1 last
    begins, histories, pairs = np.full(total, np.iinfo(np.int64).max), np.zeros(total, np.int64), np.empty(0, np.int64)
    for length, level in enumerate(levels(form.game, players)):
        before = [owner[sequences] for owner, sequences in zip(owners, level.sequences, strict=True)]
        here = np.full((2, len(level.codes)), -1)
        for player, known in enumerate(players):
            chooses = np.flatnonzero((level.turns == player) | (level.turns == BOTH))
            views = np.empty(len(chooses), np.int64)
            information_states(form.game.compiled, level.codes[chooses], player, views)
            ids = known.numbering.number(views) + player * count
            here[player, chooses] = ids
            np.minimum.at(begins, ids, length)
            histories += np.bincount(ids, minlength=total)
        first, after = np.concatenate([[one, now] for one in (*before, *here) for now in here], axis=1)
        known_both = (first >= 0) & (after >= 0)
        pairs = np.union1d(pairs, first[known_both] * total + after[known_both])
    above, below = np.divmod(pairs, total)
    while (earlier := begins[below] < begins[above]).any():  # an information state begins before all that follows
        np.minimum.at(begins, above[earlier], begins[below[earlier]])
    parts, left = np.full(total, TRUNK), np.ones(total, np.bool_)
    for length in np.unique(begins):
        left &= (begins >= length) & (parts == TRUNK)
        linked = left[above] & left[below]
        graph = coo_array((np.ones(linked.sum()), (above[linked], below[linked])), shape=(total, total))
        labels = connected_components(graph, directed=False)[1]
        small = left & (np.bincount(labels, weights=histories)[labels] <= most)
        parts[small] = parts.max() + 1 + np.unique(labels[small], return_inverse=True)[1]
    return parts[:count], parts[count:]


class Resolver:
    """Improves a player's policy in the subgames of a game, see the module.

    The blueprint has its probabilities by sequence ``[S]``. Subgames have at most ``most`` histories each.
    """

    def __init__(self, form: SequenceForm, player: int, blueprint: Floats, most: int, iterations: int) -> None:
        from scipy.sparse import diags_array

        parts = subgames(form, most)
        self.player, self.states, self.blueprint, self.iterations = player, form.states, blueprint, iterations
        self.form = form if player == 0 else form.mirrored()
        own, other = self.form.treeplexes
        self._parts, self._others = parts[player], parts[1 - player]
        self._of, self._of_other = own.by_sequence(self._parts, TRUNK), other.by_sequence(self._others, TRUNK)
        self._coming = own.weights(np.where(self._of == TRUNK, blueprint, 1.0))  # the weights up to subgames
        self._matrix = (diags_array(self._coming) @ self.form.matrix).tocsr()
        self._matrix.eliminate_zeros()
        self._outside = self.form.transposed @ np.where(self._of == TRUNK, self._coming, 0.0)
        rows, columns = self._matrix.tocoo().coords
        enters = (self._of[rows] != TRUNK) & (self._of_other[columns] == TRUNK)
        first = (self._others != TRUNK) & (self._of_other[other.parents] == TRUNK)
        found = [columns[enters], self._of[rows[enters]]], [other.parents[first], self._others[first]]
        self._entries = np.unique(np.concatenate(found, axis=1), axis=1)  # the opponent's sequences, and what follows
        self._gifts = self._given()
        self._probabilities, self._waiting = blueprint.copy(), set(self._parts.tolist()) - {TRUNK}
        self._part_at = np.full(len(form.states), TRUNK)
        self._part_at[form.states.ids(own.codes)] = self._parts

    def probabilities_at(self, codes: Ints) -> Floats:
        """Returns the probabilities at information states ``[B, actions]``, whose subgames are resolved at first."""
        ids = self.states.ids(codes)
        for part in self._waiting & set(self._part_at[ids].tolist()):
            self._resolve(part)
            self._waiting.remove(part)
        return self.states.table(self.player, self._probabilities)[ids]

    def _given(self) -> Floats:
        """Returns what the opponent gives up to come by its sequences ``[S]``, the part of each that can follow."""
        other, trunk = self.form.treeplexes[1], self._others == TRUNK
        totals, _ = other.best_response(self.form.gains(1, self.form.treeplexes[0].weights(self.blueprint)))
        gifts = np.zeros(other.num_sequences)
        followed = np.bincount(np.concatenate([other.parents[trunk], self._entries[0]]), minlength=len(gifts))
        for state in np.flatnonzero(trunk):
            actions = slice(other.first[state], other.first[state + 1])
            gift = gifts[other.parents[state]] + totals[actions].max() - totals[actions]
            gifts[actions] = gift / np.maximum(followed[actions], 1)
        return gifts

    def _resolve(self, part: int) -> None:
        """Improves the probabilities in a subgame, as far as the player comes there."""
        from scipy.sparse import csr_array, hstack, vstack

        entries = self._entries[0, self._entries[1] == part]
        sequences = np.flatnonzero((self._of == part) & (self._coming > 0.0))
        replies, count = np.concatenate([entries, np.flatnonzero(self._of_other == part)]), len(entries)
        if not len(sequences) or not count:  # the player does not come there, or nothing is paid
            return
        plex, reply = self.form.treeplexes[0].restricted(sequences), self.form.treeplexes[1].restricted(replies, count)
        paid = np.concatenate([np.ones(count), self._outside[replies[count:]]])  # first limits for entries, set below
        row = csr_array((paid, np.arange(len(paid)), [0, len(paid)]), shape=(1, len(paid)))
        rewards = vstack([row, self._matrix[sequences][:, replies]])
        matrix = hstack([csr_array((1 + len(sequences), 1)), rewards], format="csr")
        matrix.data[:count] = 0.0

        def conceded(weights: Floats) -> Floats:
            won, _ = reply.best_response(-(weights @ matrix))
            return won[1 : 1 + count]

        blueprint = plex.weights(np.concatenate([[1.0], self.blueprint[sequences]]))
        matrix.data[:count] = conceded(blueprint) + self._gifts[entries]  # from here on, what is conceded beyond them
        form = replace(self.form, treeplexes=(plex, reply), matrix=matrix, transposed=matrix.T.tocsr())
        minimizer, rounding = RegretMinimizer(form), estimate_of(self.form, 0.0).upper
        minimizer.run(self.iterations)
        for share in SHARES:
            mixture = share * minimizer.average()[0] + (1.0 - share) * blueprint
            if (conceded(mixture) <= rounding).all():
                self._probabilities[sequences] = plex.probabilities(mixture)[1:]
                break
