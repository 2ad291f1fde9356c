"""A learner among others: standings in the games that all have, and each other one in the games that both have."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nashzoo.app.bench.intervals import Estimate, Scores, interquartile_mean, probability_of_improvement, ranks
from nashzoo.app.bench.outcomes import SizeOutcome


class Standing(NamedTuple):
    """A learner's interquartile mean, its rank, and how often a resample gives it this rank, None if not known."""

    learner: str
    mean: Estimate
    rank: int
    rank_probability: float | None


class Duel(NamedTuple):
    """Another learner, compared in the games that both have; ``better`` is the probability that one's own run is."""

    learner: str
    given: str
    games: int
    theirs: Estimate
    ours: Estimate
    better: Estimate


STORED = " (stored)"
ByGame = dict[str, SizeOutcome]  # by title


def named(own: Sequence[SizeOutcome], others: Sequence[SizeOutcome]) -> list[SizeOutcome]:
    """Returns the outcomes of others, with another name for one that is called as one's own."""
    name = own[0].learner
    return [one._replace(learner=name + STORED) if one.learner == name else one for one in others]


def by_learner(outcomes: Sequence[SizeOutcome]) -> dict[str, ByGame]:
    """Returns outcomes by learner and by title of the game."""
    learners: dict[str, ByGame] = {}
    for one in outcomes:
        learners.setdefault(one.learner, {})[one.size.row.title] = one
    return learners


def standings(own: Sequence[SizeOutcome], others: Sequence[SizeOutcome]) -> tuple[list[str], list[Standing]]:
    """Returns the titles of one's own games in which there are others, and the learners that have all these, by rank.

    If there are no others in any of them, the titles are all of one's own.
    """
    everywhere, mine = {one.size.row.title for one in others}, [one.size.row.title for one in own]
    titles = [title for title in mine if title in everywhere] or mine
    learners = by_learner([*own, *others])
    scores = {
        name: [games[title].scores for title in titles]
        for name, games in learners.items()
        if games.keys() >= set(titles)
    }
    order, shares = ranks(list(scores.values()), _rng())
    rows = [
        Standing(name, mean_of(some), order[place], None if shares is None else float(shares[place, order[place] - 1]))
        for place, (name, some) in enumerate(scores.items())
    ]
    return titles, sorted(rows, key=lambda row: row.rank)


def duels(own: Sequence[SizeOutcome], others: Sequence[SizeOutcome]) -> list[Duel]:
    """Returns a comparison with each other learner that has results in some of one's own games."""
    mine = {one.size.row.title: one for one in own}
    rows = []
    for name, games in by_learner(others).items():
        both = [title for title in mine if title in games]
        if both:
            ours, theirs = ([some[title].scores for title in both] for some in (mine, games))
            better = probability_of_improvement(ours, theirs, _rng())
            rows.append(Duel(name, games[both[0]].given, len(both), mean_of(theirs), mean_of(ours), better))
    return sorted(rows, key=lambda row: row.theirs.value)


def mean_of(scores: Scores) -> Estimate:
    """Returns the interquartile mean of scores by game, the same at each call."""
    return interquartile_mean(scores, _rng())


def _rng() -> np.random.Generator:
    """Returns a generator that makes a page the same each time."""
    return np.random.default_rng(0)
