"""Scores of players against a population: on average, and against the member that does best against them.

*Population return* is the mean, over the members, of the points per match that a player wins from them.
*Within-population exploitability* is the most that any member wins from the player per match. The *aggregate score*
is their difference. Source: Lanctot et al. (2023), Population-based evaluation in repeated rock-paper-scissors as a
benchmark for multiagent reinforcement learning.

Both are estimated from matches played. The maximum of estimates is biased upwards. The bias is estimated too, by
drawing every mean again from the normal distribution with its standard error.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.agents.basic.keyboard import check_unattended
from nashzoo.agents.loading import FILE_SUFFIXES, OPENSPIEL_PREFIX, as_agent, fingerprint, located
from nashzoo.agents.registry import scripted
from nashzoo.arena.luck import solved
from nashzoo.arena.match import MatchResult, play_match
from nashzoo.arena.tasks import ResultStore, run_missing
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_count, check_seed
from nashzoo.envs.core.game import Floats, Game
from nashzoo.envs.core.seeds import derived

BLOCK = 10  # matches of one task; an interruption loses those of the running tasks
MAX_CYCLES = 1 << 20  # joint steps; games that end by their rules do so earlier
REDRAWS = 10_000


@dataclass(frozen=True)
class Score:
    """The score of one player against a population, in points per match.

    Attributes:
        members: The members that it played ``[members]``.
        means: Mean points against each member ``[members]``, luck-adjusted if luck was measured.
        errors: Standard errors of the means ``[members]``.
        plain_means: Mean points as they were played ``[members]``; None where luck was not measured.
    """

    members: tuple[str, ...]
    means: Floats
    errors: Floats
    plain_means: Floats | None = None

    @property
    def population_return(self) -> float:
        """The player's mean points, with equal weights of the members."""
        return float(self.means.mean())

    @property
    def population_return_error(self) -> float:
        """The standard error of the population return."""
        return float(np.sqrt((self.errors**2).sum()) / len(self.errors))

    @property
    def exploitability(self) -> float:
        """The most that a member wins from the player; below 0 if the player beats all members."""
        return float(-self.means.min())

    @property
    def exploitability_bias(self) -> float:
        """The approximate upward bias of the exploitability's estimate."""
        noise = np.random.default_rng(0).standard_normal((REDRAWS, len(self.means))) * self.errors
        return float((noise - self.means).max(axis=1).mean()) - self.exploitability

    @property
    def aggregate(self) -> float:
        """The population return minus the exploitability."""
        return self.population_return - self.exploitability


@dataclass(frozen=True)
class Evaluation:
    """The scores of players against a population.

    Attributes:
        game: The game.
        matches: Number of matches of each player with each member.
        members: The members of the population.
        scores: Each player's score.
        forfeits: A line for each match that a hosted player forfeited.
    """

    game: Game
    matches: int
    members: tuple[str, ...]
    scores: Mapping[str, Score]
    forfeits: tuple[str, ...]


def members_of(game: Game, population: str) -> tuple[str, ...]:
    """Returns the members of a population.

    Args:
        game: The game.
        population: ``"openspiel"`` for OpenSpiel's bots; ``"scripted"`` for all players by name except a person, those
            that search, and those that play the exact solution; or a folder of scripts and saved models.

    Raises:
        UsageError: there is no such population, or it is empty.
        MissingPackageError: OpenSpiel is needed and not installed.
    """
    if population == "openspiel":
        from nashzoo.agents.hosted.script_agent import openspiel_bots

        return tuple(f"{OPENSPIEL_PREFIX}{bot}" for bot in openspiel_bots())
    if population == "scripted":
        return scripted(game)
    folder = Path(population)
    if not folder.is_dir():
        raise UsageError(f"a population is openspiel, scripted, or a folder of scripts; {population} is none of these")
    members = sorted(str(path) for path in folder.iterdir() if path.suffix in FILE_SUFFIXES)
    if not members:
        *first, last = (f"*{suffix}" for suffix in FILE_SUFFIXES)
        raise UsageError(f"there is no file {', '.join(first)} or {last} in {population}")
    return tuple(members)


@dataclass(frozen=True)
class _Task:
    """Some matches of a player and a member; the result does not depend on the process."""

    game: Game
    player: str
    member: str
    located: tuple[str, str]
    first: int
    matches: int
    seed: int
    luck_adjusted: bool

    @property
    def key(self) -> str:
        """The key of the results."""
        return f"{fingerprint(self.player)} {fingerprint(self.member)} {self.first}"

    def __call__(self) -> dict[str, Any]:
        """Plays the matches; the player is in seat ``i % 2`` of match ``i``."""
        two = [as_agent(name, self.game, self.seed) for name in self.located]
        key = [self.seed, len(self.player), self.first, *f"{self.player}{self.member}".encode()]
        seed = derived(*key)
        halves = self.matches - self.matches // 2, self.matches // 2
        solution = solved(self.game) if self.luck_adjusted else None
        result = play_match(self.game, two[0], two[1], halves[0], seed, MAX_CYCLES, solution=solution)
        if halves[1]:
            second = play_match(self.game, two[1], two[0], halves[1], derived(*key, 1), MAX_CYCLES, solution=solution)
            result = result + second.reversed()
        forfeits = [line for agent in two for line in agent.forfeits]
        return {**result.packed(), "games": result.games, "forfeits": forfeits}


def evaluate_population(
    game: Game,
    players: Sequence[str],
    members: Sequence[str],
    matches: int,
    seed: int = 0,
    folder: Path | None = None,
    processes: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    ray: str | None = None,
    luck_adjusted: bool = False,
) -> Evaluation:
    """Lets players play matches against every member of a population.

    Args:
        game: The game.
        players: The players to evaluate, as :func:`nashzoo.agents.as_agent` takes them.
        members: The population, likewise. A player that is a member does not play itself.
        matches: Number of matches with each member.
        seed: Seed of everything random. The result of a pair does not depend on the other players.
        folder: Folder that stores results as they are computed; matches with stored results are not played again.
        processes: Number of processes; all processors when None.
        progress: Called with the number of tasks done and of all tasks.
        ray: Address of a Ray cluster to play on instead, see :func:`nashzoo.arena.tasks.run_tasks`.
        luck_adjusted: Solve the game, and measure the luck of each match, see :mod:`nashzoo.arena.luck`.

    Raises:
        UsageError: a player or member is unknown, a player has no opponent, ``matches`` is no whole number of at
            least 2, the folder holds results of another evaluation, the game has too many states to measure luck, or
            both ``processes`` and ``ray`` are given.
        ConnectionError: no cluster answers.
    """
    check_count("matches", matches, 2)
    check_seed(seed)
    if not players:
        raise UsageError("an evaluation needs at least one player")
    for player in players:
        if not set(members) - {player}:
            raise UsageError(f"nobody is in the population but {player}, who does not play itself")
    for name in dict.fromkeys([*players, *members]):
        check_unattended(as_agent(name, game, seed), name)
    about: dict[str, Any] = {"game": repr(game), "seed": seed, "block": BLOCK}
    if luck_adjusted:
        solved(game)
        about |= {"luck_adjusted": True}
    store = ResultStore(folder, about)
    tasks = [
        _Task(
            game,
            player,
            member,
            (located(player), located(member)),
            first,
            min(BLOCK, matches - first),
            seed,
            luck_adjusted,
        )
        for player in players
        for member in members
        if member != player
        for first in range(0, matches, BLOCK)
    ]
    for task in tasks:
        if task.key in store and store[task.key].get("games") != task.matches:
            del store[task.key]  # the number of matches has changed
    run_missing(tasks, store, processes, ray, progress)
    results: dict[tuple[str, str], MatchResult] = {}
    for task in tasks:
        pair, result = (task.player, task.member), MatchResult.unpacked(store[task.key])
        results[pair] = results[pair] + result if pair in results else result
    scores = {}
    for player in players:
        others = tuple(member for member in members if member != player)
        against = [results[player, member] for member in others]
        means, errors, plain = np.array([[r.adjusted_mean, r.adjusted_error, r.mean] for r in against]).T
        scores[player] = Score(others, means, errors, plain if luck_adjusted else None)
    forfeits = tuple(line for task in tasks for line in store[task.key]["forfeits"])
    return Evaluation(game, matches, tuple(members), scores, forfeits)
