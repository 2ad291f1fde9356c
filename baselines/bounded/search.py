"""Anytime bounds of what a best response wins from a policy, by search: in games that are too large to list.

Against a fixed policy the responder has a decision problem of its own. Where both players see the whole state, its
nodes are states, at some of which it has one choice alone. Where a part is hidden, they are the information states at
which it chooses, each with the probabilities of its histories given chance and the policy. Nodes are expanded one after
the other, those first on which the bounds depend most.

What is not expanded has bounds by the rules' ``at_stake``: from a state on, no player wins or loses more.
"""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.bounded.fixed_policy import FixedPolicy, seen_by
from nashzoo.baselines.bounded.graph import ALL, LEAF, Small, Table, back_up, descend, open_leaves, play_out, stay
from nashzoo.baselines.bounded.response import Choices, chosen
from nashzoo.baselines.certificate.bounds import LEAST, PROVEN, SLACK, UNIT, Bounds
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.code_index import Numbering, Numbers
from nashzoo.envs.core.game import BOTH, CHANCE, Bools, Floats, Game, Ints, Mask
from nashzoo.envs.core.kernels import ChanceError
from nashzoo.envs.core.reachable import OVER, expand, turns_of

ROOT = 0  # the node before the first decisions
MOST_AT_ONCE = 2_048  # leaves that are expanded together
MOST_HISTORIES = 16_384  # of these leaves, but for one alone: a round of them takes about a second at most
ODD, ODD_HIDDEN = 32.0, 8.0  # one of so many choices of a trial is any that may be the best; where something is hidden
FORCED = 2  # nodes behind each leaf, at most, that are expanded with it as the policy has one reply
SHARE = 8  # one of so many nodes is
OWN = 0.25  # part of a choice's guess that is of its own game, the rest is of all at the same node
FEW = 8  # trials of which fewer than one in so many finds a leaf go in circles
SWEPT = 1.25  # growth of the graph after which all its nodes are backed up
TINY = 1e-250  # a history that is less likely, given a choice, is left out
MOST_SWEEPS = 1_000  # of all nodes, when no leaf is left
MOST_WAVES = 10_000  # of moves in a row in which the responder does not choose
BYTES = 24  # of a code in a table of numbers


class NoBoundsError(UsageError):
    """No bounds can be proven, for rules say too little."""


class Frontier(NamedTuple):
    """Histories between two decisions of the responder, merged where the state is the same."""

    choices: Ints  # of the responder, from which they come [h]
    codes: Ints  # their states [h], with memory states as in FixedPolicy
    weights: Floats  # their probabilities, given the choice [h]

    def at(self, rows: Any) -> "Frontier":
        """Returns some of them."""
        return Frontier(*(column[rows] for column in self))


class ResponseSearch:
    """A search for the best response of ``player`` to a policy in the other seat.

    Args:
        game: The game; it need not be possible to list it.
        policy: What exact measures take.
        player: The responder.
        seed: Of the random numbers by which decisions are looked for.

    Raises:
        NoPolicyError, UsageError: as from :func:`nashzoo.baselines.best_response`.
    """

    def __init__(self, game: Game, policy: Any, player: int, seed: int = 0) -> None:
        self.game, self.player = game, player
        self.opponent = FixedPolicy(game, policy, 1 - player)
        self.decisions = Numbering()  # the responder's
        self.nodes = Table(
            first=np.int64, counts=np.int8, best=np.int8, lower=np.float64, upper=np.float64, guess=np.float32
        )
        self.choices = Table(
            first=np.int64, counts=np.int32, rewards=np.float64, slacks=np.float64, stays=np.bool_, lows=np.float64,
            highs=np.float64, guesses=np.float32, visits=np.int32,
        )  # fmt: skip
        self.branches = Table(children=np.int32, probabilities=np.float64)
        self.beliefs = Table(first=np.int64)  # of the histories of each decision, where something is hidden
        self.histories = Table(codes=np.int64, weights=np.float64)
        self._seeds = np.array([seed], np.uint64)
        said = getattr(game.rules.written, "at_stake", None)
        self._own_stake = said is not None
        by_state = said is not None and {"state", "code"} & set(inspect.signature(said).parameters)
        self._stake = None if by_state else game.at_stake(int(game.start_codes[0]))  # the same everywhere
        self._begin()
        self._optimistic, self._circling = 1, False
        self._swept = len(self.nodes)  # when all were backed up

    @property
    def bounds(self) -> Bounds:
        """What a best response wins at least and at most, points per game."""
        lower, upper = self.nodes["lower"][ROOT], self.nodes["upper"][ROOT]
        return Bounds(float(lower), float(upper))

    @property
    def response(self) -> Choices:
        """What the responder does at the nodes that are known: so it wins the lower bound at least."""
        return chosen(self.decisions.codes, self.nodes["best"])

    @property
    def nbytes(self) -> int:
        """The bytes of what is kept."""
        tables = sum(table.nbytes for table in self._tables.values())
        return tables + BYTES * (len(self.nodes) + len(self.opponent.rows))

    @property
    def _tables(self) -> dict[str, Table]:
        return {
            "nodes": self.nodes, "choices": self.choices, "branches": self.branches, "beliefs": self.beliefs,
            "histories": self.histories, "rows": self.opponent.rows, "entered": self.opponent.entered,
        }  # fmt: skip

    def arrays(self) -> dict[str, Any]:
        """Returns all that a search knows, by name."""
        columns = {f"{name}.{each}": table[each] for name, table in self._tables.items() for each in table.names}
        numbered = {"decisions": self.decisions.codes, "asked": self.opponent.asked.codes}
        return columns | numbered | {"seeds": self._seeds}

    def go_on(self, arrays: Any) -> None:
        """Goes on with what another search knew.

        Raises:
            NoPolicyError: the policy has other probabilities or memory states now.
        """
        for name, table in self._tables.items():
            table.replace({each: arrays[f"{name}.{each}"] for each in table.names})
        self.decisions, self.opponent.asked, self._seeds = Numbering(), Numbering(), np.array(arrays["seeds"])
        self.decisions.number(np.array(arrays["decisions"]))
        self.opponent.asked.number(np.array(arrays["asked"]))
        self._swept = len(self.nodes)
        self.opponent.check()

    def improve(self, gap: float = PROVEN) -> bool:
        """Expands some leaves; returns whether it is done: the bounds are close, or no leaf is left."""
        lower, upper = self.bounds
        if upper - lower <= gap:
            return True
        path, taken, leaves, most = self._nearest(gap) if self._circling else self._trials(gap)
        if len(leaves):
            added = self._expanded(self._few(leaves))
            path, taken = np.r_[path, added.astype(np.int32)], np.r_[taken, np.full(len(added), ALL, np.int8)]
        elif self._circling and self._settle(MOST_SWEEPS) == 0.0:
            return True
        self._over(back_up, path, taken)
        self._check_bounds()
        self._optimistic, self._circling = 1 - self._optimistic, not self._circling and FEW * len(leaves) < most
        if len(self.nodes) > SWEPT * self._swept:
            self._swept = len(self.nodes)
            self._settle()
        return False

    def _expanded(self, leaves: Ints) -> Ints:
        """Expands leaves, and goes on where the policy has one reply; returns what was expanded."""
        parts, left = [leaves], 0 if self.game.hides else FORCED * len(leaves)
        self._expand(leaves)
        while left > 0 and len(parts[-1]):
            first, counts = self.nodes["first"][parts[-1]], self.nodes["counts"][parts[-1]].astype(np.int64)
            choices = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
            forced = choices[(self.choices["counts"][choices] == 1) & np.repeat(counts > 1, counts)]
            nodes = np.unique(self.branches["children"][self.choices["first"][forced]]).astype(np.int64)
            gaps = self.nodes["upper"][nodes] - self.nodes["lower"][nodes]
            nodes = nodes[(self.nodes["first"][nodes] == LEAF) & (gaps > 0)]
            nodes = nodes[np.argsort(-self.nodes["guess"][nodes], kind="stable")][:left]
            if len(nodes):
                self._expand(nodes)
            parts.append(nodes)
            left -= len(nodes)
        return np.concatenate(parts)

    def _over(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a kernel with the arrays of nodes, choices and branches, and these arguments."""
        nodes = (self.nodes[name] for name in ("first", "counts", "best", "lower", "upper", "guess"))
        names = ("first", "counts", "rewards", "slacks", "lows", "highs", "guesses", "visits")
        choices = (self.choices[name] for name in names)
        return kernel(*nodes, *choices, self.branches["children"], self.branches["probabilities"], *arguments)

    def _trials(self, gap: float) -> tuple[Numbers, Small, Ints, int]:
        """Returns the nodes of trials, what was taken there, the leaves found, and how many there could have been."""
        count = int(np.clip(len(self.nodes) // SHARE, 1, MOST_AT_ONCE))
        path, leaves = np.empty(64 * count + 2_000, np.int32), np.empty(count, np.int32)
        taken, odd = np.empty(len(path), np.int8), ODD_HIDDEN if self.game.hides else ODD
        seen, tolerance = np.zeros(len(self.nodes), np.int32), gap / 4
        sizes = self._over(
            descend, seen, ROOT, count, tolerance, self._optimistic, odd, self._seeds, path, taken, leaves
        )
        return path[: sizes[0]], taken[: sizes[0]], leaves[: sizes[1]].astype(np.int64), count

    def _nearest(self, gap: float) -> tuple[Numbers, Small, Ints, int]:
        """Returns the same without trials, which may go in circles."""
        found, seen = np.empty(MOST_AT_ONCE, np.int32), np.zeros(len(self.nodes), np.int32)
        count = self._over(open_leaves, seen, ROOT, gap / 4, found)
        return found[:count], np.full(count, ALL, np.int8), found[:count].astype(np.int64), len(found)

    def _few(self, leaves: Ints) -> Ints:
        """Returns the first of some leaves, so many that their histories are not too many together."""
        if not self.game.hides:
            return leaves
        sizes = self.beliefs["first"][leaves + 1] - self.beliefs["first"][leaves]
        return leaves[: max(1, int(np.searchsorted(np.cumsum(sizes), MOST_HISTORIES, "right")))]

    def _settle(self, sweeps: int = 1) -> float:
        """Backs up all nodes, those in which the responder can stay for ever too; returns the largest change."""
        changed = 0.0 if self.game.hides else stay(self.nodes, self.choices, self.branches)
        everywhere, taken = np.arange(len(self.nodes), dtype=np.int32), np.full(len(self.nodes), ALL, np.int8)
        for _ in range(sweeps):
            most = float(self._over(back_up, everywhere, taken))
            changed = max(changed, most)
            if most == 0.0:
                return changed
        return changed

    def _begin(self) -> None:
        """Adds the node before the first decisions, and these."""
        starts = self.opponent.enter(self.game.start_codes, np.zeros(len(self.game.start_codes), np.int64))
        most = float(self._stakes(starts).max())
        self.nodes.extend(first=[0], counts=[1], best=[0], lower=[-most], upper=[most], guess=[0.0])
        self.beliefs.extend(first=[0, 0])
        self.decisions.number(np.array([np.iinfo(np.int64).max]))  # of no state
        self._follow(Frontier(np.zeros(len(starts), np.int64), starts, self.game.start_probabilities), Tally(1))
        self._over(back_up, np.zeros(1, np.int32), np.full(1, ALL, np.int8))
        self._check_bounds()

    def _check_bounds(self) -> None:
        """Checks that the bounds are those of a number: else more can be won than the rules say is at stake."""
        if self.bounds.lower > self.bounds.upper:
            raise NoBoundsError(
                f"more can be won in {self.game.name} than at_stake(state) says: it must be the most that a player can "
                "still win or lose"
            )

    def _expand(self, leaves: Ints) -> None:
        """Adds the choices of leaves and what follows them."""
        game = self.game
        if game.hides:
            first, ends = self.beliefs["first"][leaves], self.beliefs["first"][leaves + 1]
            sizes = ends - first
            owners = np.repeat(np.arange(len(leaves)), sizes)
            rows = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(first, sizes)
            codes, weights = self.histories["codes"][rows], self.histories["weights"][rows]
        else:
            owners, codes, weights = np.arange(len(leaves)), self.decisions.codes[leaves], np.ones(len(leaves))
        moves = self._moves(codes)
        own = moves.legal[self.player].sum(axis=1)
        heads = np.searchsorted(owners, np.arange(len(leaves)))
        if (moves.legal[self.player] != moves.legal[self.player][heads[owners]]).any():
            raise NoBoundsError(
                f"player {self.player} of {game.name} has other legal actions in states that look the same"
            )
        counts = own[heads]
        bases = np.cumsum(counts) - counts
        self.nodes["first"][leaves], self.nodes["counts"][leaves] = bases + len(self.choices), counts
        tally = Tally(int(counts.sum()))
        self._guess(codes, weights, heads, counts, tally.guesses)
        choices = bases[owners[moves.row]] + moves.own
        self._follow(self._played(choices, weights, codes, moves, tally), tally)

    def _guess(self, codes: Ints, weights: Floats, heads: Ints, counts: Ints, guesses: Floats) -> None:
        """Fills guesses of what choices of leaves are worth, by a game at random of each from one of its histories."""
        ends, below = np.r_[heads[1:], len(codes)] - 1, np.cumsum(weights)
        before = below[heads] - weights[heads]
        places = np.random.default_rng(self._seeds).random(len(heads))
        drawn = np.searchsorted(below, before + places * (below[ends] - before))
        states = self.opponent.states(codes)[np.clip(drawn, heads, ends)]
        try:
            play_out(self.game.compiled, states, counts, self.player, self._seeds, guesses)
        except ChanceError as error:
            raise self.game.chance_error(error) from None
        means = np.add.reduceat(guesses, np.cumsum(counts) - counts) / counts
        guesses *= OWN  # or the largest of several would be far above the value
        guesses += (1.0 - OWN) * np.repeat(means, counts)

    def _played(self, choices: Ints, weights: Floats, codes: Ints, moves: "Moves", tally: "Tally") -> Frontier:
        """Adds up what moves from histories pay, by choice; returns the histories that go on."""
        if moves.rewards.any():
            self._check_stakes(codes[moves.row], moves.rewards, moves.after)
        weights, total = weights[moves.row] * moves.probabilities, len(tally.terms)
        least = np.flatnonzero(weights < TINY)
        if len(least):  # products of such could be 0; what is left out counts as an error
            at_most = np.abs(moves.rewards[least]) + self._stakes(codes[moves.row[least]])
            tally.left_out += np.bincount(choices[least], TINY * at_most, total)
            tally.stays[choices[least]] = False
            kept = np.flatnonzero(weights >= TINY)
            choices, weights, moves = choices[kept], weights[kept], moves.at(kept)
        after, over = moves.after, moves.after == OVER
        tally.terms += np.bincount(choices, minlength=total)
        tally.stays[choices[over]] = False
        if moves.rewards.any():
            paid = weights * moves.rewards
            tally.rewards += np.bincount(choices, paid, total) * (1 - 2 * self.player)
            tally.sizes += np.bincount(choices, np.abs(paid), total)
            tally.stays &= tally.sizes == 0.0
        return Frontier(choices[~over], after[~over], weights[~over])

    def _check_stakes(self, codes: Ints, rewards: Floats, after: Ints) -> None:
        """Checks that what moves from states pay was at stake; all ``[m]``."""
        pays = np.flatnonzero(rewards)
        wrong = np.abs(rewards[pays]) > self._stakes(codes[pays]) * (1 + PROVEN)
        wrong |= (after[pays] != OVER) & (not self._own_stake)
        if wrong.any():
            where = self.game.spell(int(self.opponent.states(codes[pays])[wrong.argmax()]))
            raise NoBoundsError(
                f"the rules of {self.game.name} need at_stake(state), the most that a player can still win or lose: at "
                f"{where} more is paid, or play goes on"
            )

    def _stakes(self, codes: Ints) -> Floats:
        """Returns what a player can win or lose at most from states on ``[n]``."""
        if self._stake is not None:
            return np.full(len(codes), self._stake)
        return np.array([self.game.at_stake(code) for code in self.opponent.states(codes).tolist()])

    def _follow(self, frontier: Frontier, tally: "Tally") -> None:
        """Plays on after new choices to the next nodes, or to the end; adds what follows them."""
        game, reached, waves = self.game, [frontier.at([])], 0
        while len(frontier.codes):
            decides = self._stops(turns_of(game, self.opponent.states(frontier.codes)))
            reached.append(frontier.at(decides))
            frontier = merged(frontier.at(~decides))
            moves, waves = self._moves(frontier.codes), waves + 1
            frontier = self._played(frontier.choices[moves.row], frontier.weights, frontier.codes, moves, tally)
            if waves > MOST_WAVES:
                raise NoBoundsError(f"play of {game.name} goes on and on without a choice of player {self.player}")
        self._add(merged(Frontier(*(np.concatenate(column) for column in zip(*reached, strict=True)))), tally, waves)

    def _stops(self, turns: Ints) -> Bools:
        """Returns where a node is, by who moves ``[n]``."""
        return np.asarray((turns == self.player) | (turns == BOTH) | (not self.game.hides))

    def _add(self, reached: Frontier, tally: "Tally", waves: int) -> None:
        """Adds choices, and the decisions that follow them."""
        views, total = seen_by(self.game, reached.codes, self.player), len(tally.rewards)
        order = np.lexsort((views, reached.choices))
        reached, views = reached.at(order), views[order]
        heads = heads_of(reached.choices, views)
        owners, ends = reached.choices[heads], np.r_[heads[1:], len(views)][: len(heads)]
        probabilities = np.add.reduceat(reached.weights, heads) if len(heads) else np.zeros(0)
        stakes = reached.weights * self._stakes(reached.codes)
        stakes = np.add.reduceat(stakes, heads) if len(heads) else np.zeros(0)
        known, children = len(self.decisions), self.decisions.number(views[heads])
        numbers, new = np.unique(children, return_index=True)
        new = new[numbers >= known]  # in the order of their numbers
        if self.game.hides and len(new) < len(children):
            raise NoBoundsError(
                f"player {self.player} of {self.game.name} does not remember what it did: what it sees once follows "
                "several of its choices"
            )
        most = stakes[new] / probabilities[new] * (1 + 4 * UNIT * len(views) * SLACK) + LEAST
        wins, ranks = self._at_once(views[heads[new]])
        leaves, zeros, guesses = np.full(len(new), LEAF), np.zeros(len(new)), tally.guesses[owners[new]]
        self.nodes.extend(
            first=leaves, counts=zeros, best=ranks, lower=np.maximum(wins, -most), upper=most, guess=guesses
        )
        if self.game.hides:
            kept = reached.weights / np.repeat(probabilities, ends - heads)
            self.histories.extend(codes=reached.codes, weights=kept)
            self.beliefs.extend(first=self.beliefs["first"][-1] + ends)
        # Of a probability that is a product of some numbers, of its share in a belief, and of sums of such products.
        roundings = 2 * tally.terms + (4 + 3 * self.game.num_actions) * (waves + 2) + 2
        sizes = UNIT * (tally.sizes + np.bincount(owners, stakes, total)) + LEAST
        follows = len(self.branches) + np.searchsorted(owners, np.arange(total))
        self.choices.extend(
            first=follows, counts=np.bincount(owners, minlength=total), rewards=tally.rewards,
            slacks=SLACK * roundings * sizes + tally.left_out, stays=tally.stays, lows=np.full(total, -np.inf),
            highs=np.full(total, np.inf), guesses=tally.guesses, visits=np.zeros(total, np.int32),
        )  # fmt: skip
        self.branches.extend(children=children, probabilities=probabilities)

    def _at_once(self, nodes: Ints) -> tuple[Floats, Ints]:
        """Returns what the responder can win by ending play at once ``[n]``, and by which choice.

        It is minus infinity where the responder cannot, or where it does not see whether it can.
        """
        codes, wins, ranks = self.opponent.states(nodes), np.full(len(nodes), -np.inf), np.zeros(len(nodes), np.int64)
        own = np.flatnonzero(turns_of(self.game, codes) == self.player) if not self.game.hides else ranks[:0]
        if len(own):
            legal0, legal1, after, rewards, _ = expand(self.game, codes[own])
            legal = (legal0, legal1)[self.player][:, None] >> np.arange(self.game.num_actions) & 1
            there = np.arange(after.shape[1]) < legal.sum(axis=1)[:, None]
            row, column = np.nonzero(there & (after == OVER))
            self._check_stakes(nodes[own][row], rewards[row, column], after[row, column])
            ends = np.where(there & (after == OVER), rewards * (1 - 2 * self.player), -np.inf)
            wins[own], ranks[own] = ends.max(axis=1), ends.argmax(axis=1)
        return wins, ranks

    def _moves(self, nodes: Ints) -> "Moves":
        """Returns what can follow states, with the probability of each part that the responder does not choose."""
        game, player, codes = self.game, self.player, self.opponent.states(nodes)
        legal0, legal1, after, rewards, chances = expand(game, codes)
        bits = np.arange(game.num_actions)
        legal = tuple((mask[:, None] >> bits & 1).astype(np.int8) for mask in (legal0, legal1))
        other = np.eye(game.num_actions)[np.zeros(len(codes), np.int64)]
        turns = turns_of(game, codes)
        asks = (turns == 1 - player) | (turns == BOTH)
        if asks.any():
            other[asks] = self.opponent.at(nodes[asks])
        ranks = np.argsort(1 - legal[1 - player], axis=1, kind="stable")
        by_rank = np.take_along_axis(other, ranks, axis=1)
        numbers = np.arange(after.shape[1])
        counts0, counts1 = (mask.sum(axis=1, dtype=np.int64)[:, None] for mask in legal)
        rank0, rank1 = numbers // counts1, numbers % counts1
        there = rank0 < counts0
        own, others = (rank0, rank1) if player == 0 else (rank1, rank0)
        probabilities = np.where(there, np.take_along_axis(by_rank, np.where(there, others, 0), axis=1), 0.0)
        if chances.shape[1]:
            decided = turns == CHANCE
            probabilities[decided], own = 0.0, np.where(decided[:, None], 0, own)
            probabilities[decided, : chances.shape[1]] = chances[decided]
        row, column = np.nonzero(probabilities)
        return Moves(
            (legal[0], legal[1]), row, own[row, column], probabilities[row, column],
            self.opponent.enter(after[row, column], nodes[row]), rewards[row, column],
        )  # fmt: skip


class Moves(NamedTuple):
    """What can follow some states; ``row`` is that of the state."""

    legal: tuple[Mask, Mask]  # the players' legal actions [n, actions]
    row: Ints  # [m]
    own: Ints  # the rank of the responder's action among its legal ones [m]
    probabilities: Floats  # of chance and the policy [m]
    after: Ints  # [m], OVER where play ends
    rewards: Floats  # to player 0 [m]

    def at(self, rows: Ints) -> "Moves":
        """Returns some of them."""
        own, after = self.own[rows], self.after[rows]
        return Moves(self.legal, self.row[rows], own, self.probabilities[rows], after, self.rewards[rows])


class Tally:
    """What is added up for new choices, which are numbered from 0.

    Attributes:
        rewards: What each pays to the responder ``[c]``.
        sizes: The magnitudes of that ``[c]``.
        terms: How many numbers were added up ``[c]``.
        stays: Whether it pays nothing and never ends play ``[c]``.
        left_out: The most that what is too unlikely can pay ``[c]``.
        guesses: What each may be worth to the responder ``[c]``.
    """

    def __init__(self, total: int) -> None:
        self.rewards, self.sizes, self.left_out, self.guesses = np.zeros((4, total))
        self.terms, self.stays = np.ones(total, np.int64), np.ones(total, np.bool_)


def heads_of(choices: Ints, others: Ints) -> Ints:
    """Returns where sorted pairs differ from those before them."""
    return np.flatnonzero(np.r_[True, (np.diff(choices) != 0) | (np.diff(others) != 0)][: len(choices)])


def merged(frontier: Frontier) -> Frontier:
    """Returns histories of which those of the same choice and state are one."""
    order = np.lexsort((frontier.codes, frontier.choices))
    choices, codes, weights = frontier.at(order)
    heads = heads_of(choices, codes)
    return Frontier(choices[heads], codes[heads], np.add.reduceat(weights, heads) if len(heads) else weights)
