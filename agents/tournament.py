"""Matches between players, all games of a match at once, and round robins."""

import base64
import csv
import hashlib
import io
import itertools
import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nashzoo.agents.heat_map import cross_table, write
from nashzoo.agents.registry import BOXES_SUFFIX, MODEL_SUFFIX, SCRIPT_SUFFIX, as_agent
from nashzoo.agents.work import Kept, complete
from nashzoo.baselines.measures import value_or_none
from nashzoo.envs import kernels
from nashzoo.envs.agent import Agent
from nashzoo.envs.checks import check_count, check_plays, check_seed
from nashzoo.envs.errors import UsageError
from nashzoo.envs.files import written_whole
from nashzoo.envs.game import BOTH, Floats, Game, Ints
from nashzoo.envs.kernels import Seeds
from nashzoo.envs.seeds import derived, streams
from nashzoo.envs.tables import DRAWS, Opponent

if TYPE_CHECKING:
    from rich.table import Table

CONFIDENCE = 0.95
Z = 1.959963984540054  # standard normal quantile of (1 + CONFIDENCE) / 2

COLUMNS = (
    "player", "opponent", "games", "wins", "draws", "losses", "unfinished",
    "win_share", "win_low", "win_high", "draw_share", "draw_low", "draw_high", "loss_share", "loss_low", "loss_high",
    "points_per_game", "standard_error", "exact_points_per_game",
)  # fmt: skip


@dataclass(frozen=True)
class MatchResult:
    """What a match brought one of its players.

    Attributes:
        points: The player's points in each game ``[games]``.
        unfinished: How many games were cut off by ``max_cycles``; they count with the points they had brought.
    """

    points: Floats
    unfinished: int = 0

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.points)

    @property
    def wins(self) -> int:
        """Games that brought more than no points."""
        return int(np.count_nonzero(self.points > 0))

    @property
    def draws(self) -> int:
        """Games that brought no points."""
        return int(np.count_nonzero(self.points == 0))

    @property
    def losses(self) -> int:
        """Games that brought less than no points."""
        return int(np.count_nonzero(self.points < 0))

    @property
    def mean(self) -> float:
        """Points per game."""
        return float(self.points.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the points per game; infinite for a single game."""
        return float(self.points.std(ddof=1)) / math.sqrt(self.games) if self.games > 1 else math.inf

    def reversed(self) -> "MatchResult":
        """Returns the result from the other player's side."""
        return MatchResult(0.0 - self.points, self.unfinished)

    def packed(self) -> dict[str, Any]:
        """Returns the result as JSON knows it; a few bits for each game."""
        points = zlib.compress(self.points.astype("<f8").tobytes())
        return {"points": base64.b64encode(points).decode(), "unfinished": self.unfinished}

    @classmethod
    def unpacked(cls, packed: Mapping[str, Any]) -> "MatchResult":
        """Returns the result that was packed."""
        points = zlib.decompress(base64.b64decode(packed["points"]))
        return cls(np.frombuffer(points, "<f8"), packed["unfinished"])

    def __add__(self, other: "MatchResult") -> "MatchResult":
        """Returns the result of both matches together."""
        return MatchResult(np.concatenate([self.points, other.points]), self.unfinished + other.unfinished)


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Returns the 95 % confidence interval of a share.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    share, spread = successes / trials, Z * Z / trials
    middle = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))  # it holds the share for certain


def play_match(
    game: Game,
    agent0: Opponent | str | Path,
    agent1: Opponent | str | Path,
    games: int,
    seed: int | None,
    max_cycles: int | None = None,
) -> MatchResult:
    """Plays games between two players; returns the result of ``agent0``, who is player 0.

    A game depends on the seed and its number alone, however many games there are. An illegal action loses the game:
    whoever was ahead before loses that too.

    Players are given as they are, or by what :func:`nashzoo.agents.as_agent` makes them of.

    Raises:
        UsageError: a player plays another game; ``games`` or ``max_cycles`` is not a whole number of at least 1, or the
            seed is below 0.
    """
    agent0, agent1 = (as_agent(agent, game) if isinstance(agent, str | Path) else agent for agent in (agent0, agent1))
    for agent in (agent0, agent1):
        check_plays(game, agent)
    check_count("games", games)
    max_cycles = check_count("max_cycles", game.max_cycles if max_cycles is None else max_cycles)
    seeds = streams(check_seed(seed), games)
    at_once = min(agent.most_tables or games for agent in (agent0, agent1))
    results = [
        _play_at_once(game, (agent0, agent1), seeds[first : first + at_once], max_cycles)
        for first in range(0, games, at_once)
    ]
    return sum(results[1:], results[0])


def _play_at_once(game: Game, agents: tuple[Opponent, Opponent], seeds: Seeds, max_cycles: int) -> MatchResult:
    games = len(seeds)
    uniforms = np.empty((games, DRAWS))
    kernels.draw_uniforms(seeds, uniforms)
    thresholds = np.cumsum(game.start_probabilities)[:-1]
    codes = game.start_codes[np.searchsorted(thresholds, uniforms[:, 0], side="right")]
    memories = [np.zeros((games, agent.memory_size)) for agent in agents]
    points = np.zeros(games)
    running = np.arange(games)  # ``codes`` and ``seeds`` have a row for each of these, the rest for each game
    for _ in range(max_cycles):
        turns = np.empty(len(running), np.int64)
        kernels.turn_all(game.compiled, codes, turns)
        at_once = (turns == BOTH).all()
        actions = np.zeros((2, len(running)), np.int64)
        for player, agent in enumerate(agents):
            uniforms = np.empty((len(running), DRAWS))
            kernels.draw_uniforms(seeds, uniforms)
            asked = slice(None) if at_once else np.flatnonzero(turns != 1 - player)
            tables, positions = running[asked], codes[asked]
            if len(tables) == 0:
                continue
            players = np.full(len(tables), player)
            observations = np.empty((len(tables), game.num_features), np.float32)
            masks = np.empty((len(tables), game.num_actions), np.int8)
            kernels.observe_all(game.compiled, positions, players, observations)
            kernels.legal_all(game.compiled, positions, players, masks)
            everywhere = len(tables) == games
            memory = memories[player] if everywhere else memories[player][tables]
            actions[player, asked], memory = agent.act(observations, memory, masks, uniforms[asked])
            if everywhere:
                memories[player] = memory
            else:
                memories[player][tables] = memory
        rewards, over, illegal = np.empty(len(codes)), np.empty(len(codes), np.bool_), np.empty(len(codes), np.int64)
        kernels.play_all(game.compiled, codes, actions[0], actions[1], kernels.LOSE, rewards, over, illegal)
        points[running] += rewards
        if illegal.any():
            offended = running[illegal > 0]
            points[offended] = _lost(points[offended], illegal[illegal > 0])
        if over.any():
            running, codes, seeds = running[~over], codes[~over], seeds[~over]
            if len(running) == 0:
                break
    return MatchResult(points, len(running))


def _lost(points: Floats, offenders: Ints) -> Floats:
    """Returns player 0's points ``[B]`` where one (1: player 0, 2: player 1) or both (3) played an illegal action."""
    return np.select([offenders == 1, offenders == 2], [np.minimum(points, -1.0), np.maximum(points, 1.0)], 0.0)


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

    def to_csv(self, path: str | Path) -> None:
        """Writes a line for each player and opponent; shares come with the ends of their 95 % intervals."""
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(COLUMNS)
        for player, opponent in itertools.permutations(self.names, 2):
            result = self.results[player, opponent]
            outcomes = (result.wins, result.draws, result.losses)
            shares = [
                f"{number:.6f}" for count in outcomes for number in (count / result.games, *wilson(count, result.games))
            ]
            exact = f"{self.exact[player, opponent]:.9f}" if (player, opponent) in self.exact else ""
            points = f"{result.mean:.6f}", f"{result.standard_error:.6f}", exact
            writer.writerow([player, opponent, result.games, *outcomes, result.unfinished, *shares, *points])
        with written_whole(path) as temporary:
            temporary.write_text(lines.getvalue())

    def table(self) -> "Table":
        """Returns the cross table for the terminal; the last column is points per game over all opponents."""
        from rich.table import Table

        table = Table(title=self._heading(), show_lines=True, padding=(0, 1, 0, 0))  # seven players fit into 80 columns
        table.add_column("player")
        for name in self.names:
            table.add_column(name, justify="center")
        table.add_column("points", justify="right")
        for player in self.names:
            cells = ["" if other == player else self._cell(player, other, 0) for other in self.names]
            for column, other in enumerate(self.names):
                if (player, other) in self.exact:
                    mean = self.results[player, other].mean
                    cells[column] += f"\n{mean:+.4f}\nexact {self.exact[player, other]:+.4f}"
            table.add_row(player, *cells, f"{self.score(player):+.3f}")
        return table

    def picture(self, path: str | Path) -> None:
        """Draws the cross table, coloured by points per game; the file's ending says the format.

        Raises:
            MissingPackageError: matplotlib is not installed.
        """
        means = np.array([[np.nan if a == b else self.results[a, b].mean for b in self.names] for a in self.names])
        texts = [["" if a == b else self._cell(a, b, 1) for b in self.names] for a in self.names]
        labels = [f"{name}\n{self.score(name):+.3f}" for name in self.names]
        meaning = "points per game of the player on the left"
        write(cross_table(means, texts, labels, self.names, self._heading(), meaning, (0.95, 0.62)), path)

    def _heading(self) -> str:
        games = {result.games for result in self.results.values()}
        return f"{self.game.name}: games won and 95 % interval, {max(games)} games a pair"

    def _cell(self, player: str, opponent: str, digits: int) -> str:
        result = self.results[player, opponent]
        low, high = wilson(result.wins, result.games)
        return f"{100 * result.wins / result.games:.{digits}f} %\n{100 * low:.{digits}f}-{100 * high:.{digits}f}"


def _is_file(player: str) -> bool:
    return player.endswith((SCRIPT_SUFFIX, MODEL_SUFFIX, BOXES_SUFFIX)) and Path(player).is_file()


def located(player: str) -> str:
    """Returns a player's name, or where its file is as seen from any folder.

    >>> located("markov")
    'markov'
    """
    return str(Path(player).resolve()) if _is_file(player) else player


def fingerprint(player: str) -> str:
    """Returns a player's name, and what tells its file from others, so that no old result stands for a new one.

    >>> fingerprint("markov")
    'markov'
    """
    return f"{player}#{hashlib.sha256(Path(player).read_bytes()).hexdigest()[:12]}" if _is_file(player) else player


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
        exact: Also compute the points per game of pairs who both choose by the position alone.
        processes: How many to play in; this one alone when None.
        ray: Address of a Ray cluster to play on instead, see :func:`nashzoo.agents.work.done`.
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
    kept = Kept(folder, about)
    complete(pairs, kept, processes, ray, progress)
    results: dict[tuple[str, str], MatchResult] = {}
    values: dict[tuple[str, str], float] = {}
    for pair in pairs:
        player, opponent = (seat.name for seat in pair.seats)
        result, value = MatchResult.unpacked(kept[pair.key]), kept[pair.key]["exact"]
        results[player, opponent], results[opponent, player] = result, result.reversed()
        if value is not None:
            values[player, opponent], values[opponent, player] = value, 0.0 - value
    return Tournament(game, results, values)
