"""Tournaments: their pairs and results."""

import dataclasses
import functools
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from nashzoo.arena.luck import solved
from nashzoo.arena.match import MatchResult, Z
from nashzoo.arena.ratings import Ratings, adjusted_results, bradley_terry
from nashzoo.arena.sequential import FIRST, games_of_block, half_width
from nashzoo.arena.tasks import ResultStore, run_missing
from nashzoo.arena.tournament_tasks import Measurement, PairGames, check_sent, seated
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import Opponent
from nashzoo.envs.core.checks import check_count, check_seed
from nashzoo.envs.core.game import Floats, Game


class Tournament:
    """The results of a tournament in which every pair has played.

    Attributes:
        game: The game.
        names: The players, best first by :meth:`score`.
        results: The result of each player against each other one, ``results[player, opponent]``.
        exact: Exact points per game, ``exact[player, opponent]``; only of pairs for which they are known.
        exploitability: Exact exploitability, points per game; only of players for which it is known.
        until: What the pairs played until half of the interval of their points per game was at most; None for a fixed
            number of games. With it the intervals of points are confidence sequences.
    """

    def __init__(
        self,
        game: Game,
        results: dict[tuple[str, str], MatchResult],
        exact: dict[tuple[str, str], float] | None = None,
        exploitability: dict[str, float] | None = None,
        until: float | None = None,
    ) -> None:
        self.game = game
        self.results = results
        self.exact = exact or {}
        self.exploitability = exploitability or {}
        self.until = until
        players = dict.fromkeys(player for player, _ in results)
        self.names: tuple[str, ...] = tuple(players)
        self.names = tuple(sorted(players, key=self.score, reverse=True))

    @property
    def luck_adjusted(self) -> bool:
        """Whether luck was measured in all games."""
        return all(result.luck is not None for result in self.results.values())

    def score(self, name: str) -> float:
        """Returns a player's points per game over equally weighted opponents, luck-adjusted if luck was measured."""
        return self._mean(name, lambda result: result.adjusted_mean)

    def plain_score(self, name: str) -> float:
        """Returns a player's points per game as they were played, with equal weights of the opponents."""
        return self._mean(name, lambda result: result.mean)

    def score_without_forfeits(self, name: str) -> float:
        """Returns the same of games without an illegal action, with opponents that have some; else no number."""
        means = [self.results[name, other].mean_without_forfeits for other in self.names if other != name]
        known = [mean for mean in means if not math.isnan(mean)]
        return sum(known) / len(known) if known else math.nan

    def _mean(self, name: str, figure: Callable[[MatchResult], float]) -> float:
        return float(np.mean([figure(self.results[name, other]) for other in self.names if other != name]))

    def half_width(self, player: str, opponent: str) -> float:
        """Returns half of the 95 % interval of a pair's points per game, luck-adjusted if luck was measured."""
        result = self.results[player, opponent]
        if self.until is None:
            return Z * result.adjusted_error
        return half_width(result, self.game.at_stake(int(self.game.start_codes[0])))

    @property
    def wide(self) -> list[tuple[str, str]]:
        """The pairs that played as many games as they may before their points were known to ``until``."""
        pairs = itertools.combinations(self.names, 2)
        return [pair for pair in pairs if self.until is not None and self.half_width(*pair) > self.until]

    @property
    def luck_adjusted_ratings(self) -> bool:
        """Whether the ratings are of luck-adjusted results, as luck was measured and points are 1, 0 or -1."""
        by_points = all(np.isin(result.points, (-1.0, 0.0, 1.0)).all() for result in self.results.values())
        return self.luck_adjusted and by_points

    @functools.cached_property
    def ratings(self) -> Ratings:
        """The ratings of the players, in the order of ``names``.

        They are of luck-adjusted results with :attr:`luck_adjusted_ratings`, see
        :func:`nashzoo.arena.ratings.adjusted_results`; else of games won and drawn.
        """
        if not self.luck_adjusted_ratings:
            return bradley_terry(self.matrix(lambda result: result.wins), self.matrix(lambda result: result.draws))
        return bradley_terry(
            self.matrix(lambda result: adjusted_results(result.adjusted)[0]),
            self.matrix(lambda result: adjusted_results(result.adjusted)[1]),
        )

    def matrix(self, figure: Callable[[MatchResult], float], own: float = 0.0) -> Floats:
        """Returns a figure of each player's results against each other ``[players, players]``."""
        return np.array(
            [[own if a == b else figure(self.results[a, b]) for b in self.names] for a in self.names], np.float64
        )


def tournament(
    game: Game,
    agents: Mapping[str, Opponent | str],
    games: int,
    seed: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    max_cycles: int | None = None,
    exact: bool = False,
    processes: int | None = None,
    ray: str | None = None,
    folder: Path | None = None,
    records: Path | None = None,
    source: str = "",
    luck_adjusted: bool = False,
    until: float | None = None,
) -> Tournament:
    """Plays a tournament.

    Args:
        game: The game.
        agents: The players by their names in the tournament. A player given as a text, for
            :func:`nashzoo.agents.as_agent`, is made in the process that plays; an object is pickled and sent there.
        games: Games of each pair, half in each seat; with ``until`` the most.
        seed: Seed of everything random. The games of a pair depend on it and on the pair's names alone.
        progress: Called with the number of pairs done and of all pairs, at first and after each.
        max_cycles: Joint steps after which an unfinished game is cut off; None for ``game.max_cycles``.
        exact: Also compute the exact points per game of pairs whose players both choose by the state alone, and the
            exploitability of each player.
        processes: Number of processes; this one alone when None.
        ray: Address of a Ray cluster to play on instead, see :func:`nashzoo.arena.tasks.run_tasks`.
        folder: Folder that stores results as they are computed; pairs with stored results do not play again. A player
            that is an object is assumed to be the same as before.
        records: Folder for records of the games, a file for each pair and each block of its games, see
            :mod:`nashzoo.arena.records`; None to keep none.
        source: The ``source`` of the records, see :class:`nashzoo.arena.records.Record`.
        luck_adjusted: Solve the game, and measure the luck of each game, see :mod:`nashzoo.arena.luck`.
        until: Every pair plays until its points per game are known to this, points to either side, with 95 %; see
            :mod:`nashzoo.arena.sequential`.

    Raises:
        UsageError: there are fewer than two players, one of them is unknown, ``games`` is not an even number of at
            least 2, an object cannot be sent to other processes, the folder holds results of another tournament,
            ``until`` is not above 0, or has ``games`` too few for the first look, the game has too many states to
            measure luck, or both ``processes`` and ``ray`` are given.
        ConnectionError: no cluster answers.
    """
    if len(agents) < 2:
        raise UsageError(f"a tournament needs at least two players, not {len(agents)}")
    if check_count("games", games, 2) % 2:
        raise UsageError(f"games must be even, for half of them in each seat, not {games}")
    if until is not None and not until > 0:
        raise UsageError(f"until must be above 0, not {until}")
    if until is not None and games < FIRST:
        raise UsageError(f"with until at least {FIRST} games are needed, after which the interval is first looked at")
    check_seed(seed)
    if luck_adjusted:
        solved(game)
    if processes is None and ray is None:
        processes = 1
    entropy = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
    seats = seated(game, agents, entropy, processes == 1)
    if ray is None and processes != 1:
        check_sent(seats)
    about = {"game": repr(game), "games": games, "seed": entropy, "max_cycles": max_cycles, "exact": exact}
    chosen = {"records": records and str(records.resolve()), "luck_adjusted": luck_adjusted or None, "until": until}
    store = ResultStore(folder, about | {name: value for name, value in chosen.items() if value is not None})
    measures = [Measurement(game, seat, entropy) for seat in seats if exact]
    size = games if until is None else games_of_block(0, 0, games)
    first = [
        PairGames(game, couple, size, entropy, max_cycles, exact, 0, records, source, luck_adjusted)
        for couple in itertools.combinations(seats, 2)
    ]
    work: Callable[..., None] = functools.partial(run_missing, store=store, processes=processes, ray=ray)
    work([*first, *measures], progress=progress if until is None else None)
    blocks = list(first)
    while True:
        played = _collected(game, blocks, measures, store, until)
        if until is None:
            return played
        wide = [
            one for one in first if played.half_width(*one.names) > until and played.results[one.names].games < games
        ]
        if progress is not None:
            progress(len(first) - len(wide), len(first))
        if not wide:
            return played
        following = [_next_block(one, blocks, games) for one in wide]
        work(following)
        blocks += following


def _next_block(first: PairGames, blocks: Sequence[PairGames], most: int) -> PairGames:
    """Returns the next block of a pair's games."""
    before = [block.games for block in blocks if block.names == first.names]
    number = len(before)
    return dataclasses.replace(first, games=games_of_block(number, sum(before), most), exact=False, block=number)


def _collected(
    game: Game,
    pairs: Sequence[PairGames],
    measures: Sequence[Measurement],
    store: ResultStore,
    until: float | None,
) -> Tournament:
    """Returns the results of the pairs, with all games of a pair merged."""
    results: dict[tuple[str, str], MatchResult] = {}
    values: dict[tuple[str, str], float] = {}
    for pair in pairs:
        player, opponent = pair.names
        result, value = MatchResult.unpacked(store[pair.key]), store[pair.key]["exact"]
        if (player, opponent) in results:
            result = results[player, opponent] + result
        results[player, opponent], results[opponent, player] = result, result.reversed()
        if value is not None:
            values[player, opponent], values[opponent, player] = value, 0.0 - value
    exploited = {measure.seat.name: store[measure.key] for measure in measures}
    known = {name: value for name, value in exploited.items() if value is not None}
    return Tournament(game, results, values, known, until)
