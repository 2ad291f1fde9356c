"""A learner among others: a ranking in the games that all have, and each other one in the games that both have."""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nashzoo.arena.measurement.intervals import Estimate, Scores, interquartile_mean, probability_of_improvement, ranks
from nashzoo.arena.measurement.outcomes import SizeOutcome


class Ranked(NamedTuple):
    """A learner's interquartile mean, its rank, and how often a resample gives it this rank, None if not known."""

    learner: str
    mean: Estimate
    rank: int
    rank_probability: float | None


class Improvement(NamedTuple):
    """One's own learner over another, in the games that both have; ``probability`` that one's own run is better."""

    learner: str
    given: str
    games: int
    theirs: Estimate
    ours: Estimate
    probability: Estimate


class Comparison(NamedTuple):
    """A learner among others.

    Attributes:
        own: What the learner reached, by game.
        others: What others reached, in any games.
        titles: The games of the ranking: one's own small ones, or large ones if there are no small ones, in which there
            are others; all of them, if there are none in any.
        ranking: The learners that have all these games, by rank.
        improvements: One's own learner over each other that has results in some of one's own games, the best first.
    """

    own: Sequence[SizeOutcome]
    others: Sequence[SizeOutcome]
    titles: list[str]
    ranking: list[Ranked]
    improvements: list[Improvement]

    @property
    def learner(self) -> str:
        """The name of one's own learner."""
        return self.own[0].learner

    @property
    def place(self) -> Ranked:
        """One's own learner in the ranking."""
        return next(row for row in self.ranking if row.learner == self.learner)

    @property
    def rivals(self) -> list[SizeOutcome]:
        """What others reached in one's own games."""
        known = {one.size.title for one in self.own}
        return [one for one in self.others if one.size.title in known]


ByGame = dict[str, SizeOutcome]  # by title


def compare(own: Sequence[SizeOutcome], others: Sequence[SizeOutcome]) -> Comparison:
    """Compares a learner with others by the same protocol, which have other names.

    Raises:
        ValueError: there are no outcomes of one's own in games of the protocol, or they are of several learners, or a
            learner has two in one game, or protocols differ.
    """
    if len({one.learner for one in own}) != 1 or not any(one.size in one.suite.sizes for one in own):
        raise ValueError("what is compared are the outcomes of one learner in games of the protocol")
    if len({one.suite for one in (*own, *others)}) > 1:
        raise ValueError("what is compared is by one protocol")
    pairs = [(one.learner, one.size.title) for one in (*own, *others)]
    if len(set(pairs)) < len(pairs):
        raise ValueError("a learner has one outcome in each game")
    kinds = grouped(own)
    everywhere, mine = {one.size.title for one in others}, [one.size.title for one in kinds[next(iter(kinds))]]
    titles = [title for title in mine if title in everywhere] or mine
    return Comparison(own, others, titles, _ranking(titles, [*own, *others]), _improvements(own, others))


def grouped(own: Sequence[SizeOutcome]) -> dict[str, list[SizeOutcome]]:
    """Returns outcomes in the small games of the protocol, the large ones, and held-out ones; no empty lists."""
    groups: dict[str, list[SizeOutcome]] = {"small": [], "large": [], "held out": []}
    for one in own:
        groups["held out" if one.size not in one.suite.sizes else "small" if one.size.small else "large"].append(one)
    return {name: group for name, group in groups.items() if group}


def by_learner(outcomes: Sequence[SizeOutcome]) -> dict[str, ByGame]:
    """Returns outcomes by learner and by title of the game."""
    learners: dict[str, ByGame] = {}
    for one in outcomes:
        learners.setdefault(one.learner, {})[one.size.title] = one
    return learners


def _ranking(titles: Sequence[str], outcomes: Sequence[SizeOutcome]) -> list[Ranked]:
    """Returns the learners that have outcomes in all these games, by rank."""
    scores = {
        name: [games[title].scores for title in titles]
        for name, games in by_learner(outcomes).items()
        if games.keys() >= set(titles)
    }
    order, shares = ranks(list(scores.values()), rng_of_pages())
    rows = [
        Ranked(name, mean_of(some), order[place], None if shares is None else float(shares[place, order[place] - 1]))
        for place, (name, some) in enumerate(scores.items())
    ]
    return sorted(rows, key=lambda row: row.rank)


def _improvements(own: Sequence[SizeOutcome], others: Sequence[SizeOutcome]) -> list[Improvement]:
    mine = {one.size.title: one for one in own}
    rows = []
    for name, games in by_learner(others).items():
        both = [title for title in mine if title in games]
        if both:
            ours, theirs = ([some[title].scores for title in both] for some in (mine, games))
            probability = probability_of_improvement(ours, theirs, rng_of_pages())
            rows.append(Improvement(name, games[both[0]].given, len(both), mean_of(theirs), mean_of(ours), probability))
    return sorted(rows, key=lambda row: row.theirs.value)


def mean_of(scores: Scores) -> Estimate:
    """Returns the interquartile mean of scores by game, the same at each call."""
    return interquartile_mean(scores, rng_of_pages())


def plain_mean(outcomes: Sequence[SizeOutcome]) -> float:
    """Returns the mean score of all runs, all games counting the same."""
    return statistics.fmean(statistics.fmean(one.scores) for one in outcomes)


def rng_of_pages() -> np.random.Generator:
    """Returns a generator that makes a page the same each time."""
    return np.random.default_rng(0)
