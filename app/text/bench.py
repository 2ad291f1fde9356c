"""Games that nobody can have seen, drawn by a seed and put in invented words, and how far a player is from optimal.

A game is kept if also the best of three naive players loses a tenth of the stake: of level 0, who plays at random, and
of levels 1 and 2, who respond best to the level below. Each has a hundredth of random play, in which actions are a
little uneven: then no two responses are equally good, and a seed draws the same games on every computer. All figures
are exact, as shares of the stake: the exploitability of the policy, and of players whose policies are known.

A language model reads each game in one or more disguises. They change words alone, so that a difference between two of
them is one of wording; with samples also of chance.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nashzoo import agents
from nashzoo.agents.language.agent import LanguageAgent
from nashzoo.arena import pictures
from nashzoo.arena.measurement.held_out import Family
from nashzoo.arena.measurement.protocol import Size
from nashzoo.baselines import best_response, exploitability, exploitability_interval
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.agent import NoPolicyError, PolicyAgent, uniform_over
from nashzoo.envs.core.game import Features, Floats, Game, Mask

ROOMS = "nashzoo.examples.drawn_rooms"
FAMILIES = (
    Family("matrix", ROOMS, {"seed": range(2**32), "rooms": (1,), "actions": (2, 3, 4)}),
    Family("Markov", ROOMS, {"seed": range(2**32), "rooms": (2, 3, 4), "actions": (2, 3)}),
    Family("cards", "nashzoo.examples.drawn_cards", {"seed": range(2**32), "ranks": (3, 4, 5), "most": (1, 2, 3)}),
)
DIFFICULT = 0.1  # of the stake, which the best of the naive players loses at least
ROUNDING = 1e-9
LEVELS = ("level 0", "level 1", "level 2")
NOISE, UNEVEN = 0.01, 1.0 + np.pi / 1000  # the share of random play, and the ratio of probabilities in it
MISTAKES = 0.05


class Drawn(NamedTuple):
    """A game with what players whose policies are known lose in it, shares of the stake."""

    family: str
    size: Size
    game: Game
    others: dict[str, float]


class Reading(NamedTuple):
    """What a player lost in a game, as it read it."""

    loss: float  # a share of the stake
    interval: tuple[float, float] | None  # 95 %, of samples where nothing is hidden
    invalid: float  # share of answers that were no legal action
    unanswered: int  # choices without a legal one, which count as uniform play


class Outcome(NamedTuple):
    """A game with what the player lost in each disguise."""

    drawn: Drawn
    readings: list[Reading]

    @property
    def loss(self) -> float:
        """The mean over the disguises."""
        return float(np.mean([one.loss for one in self.readings]))


def drawn(seed: int, each: int) -> Iterator[Drawn]:
    """Yields ``each`` games of each family, the same ones for the same seed."""
    rng = np.random.default_rng(seed)
    for family in FAMILIES:
        kept = 0
        while kept < each:
            size = family.draw(rng)
            game = size.make()
            size = dataclasses.replace(size, stake=game.at_stake(game.first_decision))
            naive = naive_losses(size, game)
            if min(naive.values()) >= DIFFICULT - ROUNDING:
                kept += 1
                trembling = exploitability(game, agents.make("nash", game, mistakes=MISTAKES)) / size.stake
                yield Drawn(family.title, size, game, naive | {f"nash, {MISTAKES:.0%} random": trembling})


class Naive(PolicyAgent):
    """A response, or none, with a share of uneven random play."""

    def __init__(self, game: Game, response: Any = None) -> None:
        super().__init__(game)
        self.response = response

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]``."""
        uneven = uniform_over(action_masks * UNEVEN ** np.arange(self.game.num_actions))
        if self.response is None:
            return uneven
        response: Floats = self.response.action_probabilities(observations, action_masks)
        return (1 - NOISE) * response + NOISE * uneven


def naive_losses(size: Size, game: Game) -> dict[str, float]:
    """Returns what the naive players lose, by level."""
    pair, losses = [Naive(game), Naive(game)], {}
    for level in LEVELS:
        losses[level] = exploitability(game, *pair) / size.stake
        pair = [Naive(game, best_response(game, pair[1 - seat], seat).policy) for seat in (0, 1)]
    return losses


class Bench:
    """A player and the games it is measured in.

    Args:
        player: The player, see :func:`nashzoo.agents.as_agent`.
        seed: Draws games and disguises.
        each: The number of games of each family.
        disguises: In how many disguises a language model reads each game; 0 for the game's own words.

    Raises:
        UsageError: there is no such player, or the questions exceed its budget.
        NoPolicyError: it is a language model without a policy.
    """

    def __init__(self, player: str, seed: int, each: int, disguises: int) -> None:
        self.player, self.seed = player, seed
        self.games = list(drawn(seed, each))
        first = agents.as_agent(player, self.games[0].game)
        self.reads = isinstance(first, LanguageAgent)
        words = np.random.default_rng([seed, each]).integers(2**32, size=(len(self.games), disguises)).tolist()
        self.words: list[list[dict[str, int]]] = [
            [{"disguise": one} for one in some] if self.reads and some else [{}] for some in words
        ]

    def estimate(self) -> str:
        """Returns a sentence on the questions that all games take; empty for a player that is no language model.

        Raises:
            UsageError: they exceed the budget of calls.
        """
        asked = []
        for one, words in zip(self.games, self.words, strict=True):
            for disguise in words if self.reads else ():
                agent: Any = agents.as_agent(self.player, one.game, **disguise)
                asked.append((agent, *agent.questions()))
        if not asked:
            return ""
        first, number = asked[0][0], sum(each for _, each, _ in asked)
        first.interview.check_calls(number)
        return str(first.announced(number, sum(letters for *_, letters in asked)))

    def outcomes(self) -> Iterator[Outcome]:
        """Yields what the player loses, game by game."""
        for one, words in zip(self.games, self.words, strict=True):
            yield Outcome(one, [self._read(one, disguise) for disguise in words])

    def _read(self, one: Drawn, disguise: dict[str, int]) -> Reading:
        agent: Any = agents.as_agent(self.player, one.game, **disguise)
        try:
            loss = exploitability(one.game, agent) / one.size.stake
        except NoPolicyError as error:
            raise UsageError(f"{self.player} has no exact exploitability here: {error}") from None
        interval = None
        if getattr(agent, "samples", 0) and not one.game.hides:
            lower, upper = exploitability_interval(one.game, agent)
            interval = lower / one.size.stake, min(upper / one.size.stake, 1.0)
        return Reading(loss, interval, float(getattr(agent, "invalid", 0.0)), getattr(agent, "unanswered", 0))


def table(player: str, outcomes: Sequence[Outcome]) -> list[list[str]]:
    """Returns the mean losses by family and in all games, a heading first."""
    families = dict.fromkeys(one.drawn.family for one in outcomes)
    rows = [["", *families, "all games"]]
    groups = [[one for one in outcomes if one.drawn.family == family] for family in families] + [list(outcomes)]

    def row(name: str, figures: Any) -> list[str]:
        return [name, *(f"{np.mean([figures(one) for one in group]):.3f}" for group in groups)]

    rows.append(row(player, lambda one: one.loss))
    rows += [row(name, lambda one, name=name: one.drawn.others[name]) for name in outcomes[0].drawn.others]
    if any(reading.invalid for one in outcomes for reading in one.readings):
        rows.append(row("invalid answers", lambda one: np.mean([each.invalid for each in one.readings])))
    if len(outcomes[0].readings) > 1:
        by_chance = any(one.interval for outcome in outcomes for one in outcome.readings)
        name = "apart by wording" + " and chance" * by_chance
        rows.append(row(name, lambda one: float(np.ptp([each.loss for each in one.readings]))))
    return rows


def described(bench: Bench, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Returns everything for JSON."""
    games = [
        {
            "family": one.drawn.family,
            "game": one.drawn.size.game,
            "parameters": one.drawn.game.options,
            "stake": one.drawn.size.stake,
            "loss": one.loss,
            "others": one.drawn.others,
            "readings": [words | reading._asdict() for words, reading in zip(said, one.readings, strict=True)],
        }
        for one, said in zip(outcomes, bench.words, strict=True)
    ]
    return {"player": bench.player, "seed": bench.seed, "loss": mean_loss(outcomes), "games": games}


def unanswered(outcomes: Sequence[Outcome]) -> str:
    """Returns a sentence on choices without a legal answer; empty if there are none."""
    number = sum(reading.unanswered for one in outcomes for reading in one.readings)
    return f"{counted(number, 'choice')} without a legal answer: counted as uniform play." if number else ""


def mean_loss(outcomes: Sequence[Outcome]) -> float:
    """Returns the mean loss over all games."""
    return float(np.mean([one.loss for one in outcomes]))


@pictures.style()
def draw(player: str, outcomes: Sequence[Outcome], path: Path) -> list[Path]:
    """Draws the losses in each game, and their means, of the player and of the others; returns the paths.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    losses = {player: [one.loss for one in outcomes]}
    losses |= {name: [one.drawn.others[name] for one in outcomes] for name in outcomes[0].drawn.others}
    figure = Figure(figsize=(7.0, 0.9 + 0.5 * len(losses)), layout="constrained")
    axes = figure.add_subplot(xlabel="exploitability, share of the stake")
    for place, some in enumerate(losses.values()):
        colour = pictures.OTHER if place else pictures.OWN
        axes.barh(place, np.mean(some), color=colour, alpha=0.5)
        axes.plot(some, [place] * len(some), linestyle="", marker="|", color=colour)
    axes.set_yticks(range(len(losses)), pictures.all_shortened([*losses]))
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    naive = min(float(np.mean(losses[name])) for name in LEVELS)
    headline = f"{player} loses {mean_loss(outcomes):.2f} of the stake in {counted(len(outcomes), 'drawn game')}"
    pictures.headed(figure, f"{headline}, the best naive player {naive:.2f}.", "A stroke is a game, a bar their mean.")
    return pictures.write_each(figure, path)
