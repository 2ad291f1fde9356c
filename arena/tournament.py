"""Round robins: who plays whom, and how everyone stands."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nashzoo.agents.loading import as_agent, fingerprint, located
from nashzoo.arena.match import MatchResult, play_match
from nashzoo.arena.tasks import ResultStore, run_missing
from nashzoo.baselines.measures import value_or_none
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.checks import check_count, check_seed
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.seeds import derived
from nashzoo.envs.vector.game_batch import Opponent


class Tournament:
    """The results of a round robin.

    Attributes:
        game: The game.
        names: The players, best first by :meth:`score`.
        results: What each player brought home against each other one, ``results[player, opponent]``.
        exact: What they would bring home on average, computed, ``exact[player, opponent]``; only pairs that have it.
    """

    def __init__(
        self,
        game: Game,
        results: dict[tuple[str, str], MatchResult],
        exact: dict[tuple[str, str], float] | None = None,
    ) -> None:
        self.game = game
        self.results = results
        self.exact = exact or {}
        players = dict.fromkeys(player for player, _ in results)
        self.names: tuple[str, ...] = tuple(players)
        self.names = tuple(sorted(players, key=self.score, reverse=True))

    def score(self, name: str) -> float:
        """Returns a player's points per game, all opponents weighing the same."""
        return float(np.mean([self.results[name, other].mean for other in self.names if other != name]))


class _Seat(NamedTuple):
    """Somebody who takes part."""

    name: str
    player: Opponent | str
    mark: str  # what results are kept under

    def taken(self, game: Game, seed: int) -> Opponent:
        """Returns who plays."""
        return _made(self.player, game, seed, self.mark) if isinstance(self.player, str) else self.player


@cache
def _made(player: str, game: Game, seed: int, mark: str) -> Agent:
    """Returns a player by name, once for all pairs that a process plays, and anew when its file has changed."""
    return as_agent(player, game, seed)


@dataclass(frozen=True)
class _Pair:
    """The games of two players, half in each seat; played in any process, they come out the same."""

    game: Game
    seats: tuple[_Seat, _Seat]
    games: int
    seed: int
    max_cycles: int | None
    exact: bool

    @property
    def key(self) -> str:
        """What the result is kept under."""
        return " / ".join(seat.mark for seat in self.seats)

    def __call__(self) -> dict[str, Any]:
        """Plays, and evaluates exactly where that is wanted and possible."""
        first, second = (seat.taken(self.game, self.seed) for seat in self.seats)
        one, other = (seat.name for seat in self.seats)
        result = self._half(first, second, one, other) + self._half(second, first, other, one).reversed()
        return {**result.packed(), "exact": value_or_none(self.game, first, second) if self.exact else None}

    def _half(self, first: Opponent, second: Opponent, name0: str, name1: str) -> MatchResult:
        key = [self.seed, len(name0), *f"{name0}{name1}".encode()]
        return play_match(self.game, first, second, self.games // 2, derived(*key), self.max_cycles)


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
) -> Tournament:
    """Plays a round robin.

    Args:
        game: The game.
        agents: The players by what they are called. A player who is given as a name, as
            :func:`nashzoo.agents.as_agent` takes it, is made where it plays; one that is an object is sent there with
            all it holds.
        games: Games of each pair, half in each seat.
        seed: Where all randomness comes from. What a pair plays depends on it and on what they are called alone.
        progress: Called with the number of pairs done and of all pairs, at first and after each.
        max_cycles: Joint steps after which an unfinished game is cut off; None for ``game.max_cycles``.
        exact: Also compute the points per game of pairs who both choose by the state alone.
        processes: How many to play in; this one alone when None.
        ray: Address of a Ray cluster to play on instead, see :func:`nashzoo.arena.tasks.run_tasks`.
        folder: Where to keep results as they come in; pairs that are there already do not play again. A player that
            is an object is taken to be the same as before.

    Raises:
        UsageError: there are fewer than two players, one of them cannot be, ``games`` is not an even number of at
            least 2, the folder holds results of another tournament, or both ``processes`` and ``ray`` are given.
        ConnectionError: no cluster answers.
    """
    if len(agents) < 2:
        raise UsageError(f"a tournament needs at least two players, not {len(agents)}")
    if check_count("games", games, 2) % 2:
        raise UsageError(f"games must be even, for half of them in each seat, not {games}")
    check_seed(seed)
    if processes is None and ray is None:
        processes = 1
    entropy = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
    seats = []
    for name, player in agents.items():
        if isinstance(player, str):
            made = as_agent(player, game, entropy)
            mark = f"{name}={fingerprint(player)}"
            seats.append(_Seat(name, made if processes == 1 else located(player), mark))
        else:
            seats.append(_Seat(name, player, name))
    pairs = [_Pair(game, two, games, entropy, max_cycles, exact) for two in itertools.combinations(seats, 2)]
    about = {"game": repr(game), "games": games, "seed": entropy, "max_cycles": max_cycles, "exact": exact}
    store = ResultStore(folder, about)
    run_missing(pairs, store, processes, ray, progress)
    results: dict[tuple[str, str], MatchResult] = {}
    values: dict[tuple[str, str], float] = {}
    for pair in pairs:
        player, opponent = (seat.name for seat in pair.seats)
        result, value = MatchResult.unpacked(store[pair.key]), store[pair.key]["exact"]
        results[player, opponent], results[opponent, player] = result, result.reversed()
        if value is not None:
            values[player, opponent], values[opponent, player] = value, 0.0 - value
    return Tournament(game, results, values)
