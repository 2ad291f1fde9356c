"""Matches between two players, all games of a match at once, and their results."""

import base64
import functools
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nashzoo.agents.loading import as_agent
from nashzoo.arena.luck import MatchLuck, ValuedStates, most_brought
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.core.agent import Opponent
from nashzoo.envs.core.checks import check_count, check_options, check_plays, check_seed
from nashzoo.envs.core.game import OFFENDERS, Floats, Game, Ints
from nashzoo.envs.core.kernels import LOSE, ChanceError, Seeds
from nashzoo.envs.core.seeds import derived, streams
from nashzoo.envs.jit.clock import working_time
from nashzoo.envs.jit.compiled import UncheckedKernel
from nashzoo.envs.vector import step_kernels
from nashzoo.envs.vector.batch_arrays import BatchConfig, BatchState, StepOutcome
from nashzoo.envs.vector.game_batch import ask_player

if TYPE_CHECKING:
    from nashzoo.arena.recorder import Recorder

Z = 1.959963984540054  # standard normal quantile of (1 + 0.95) / 2
MISSED = 3.688879454113936  # -ln 0.025: of an event expected as often, none is seen in 2.5 of 100 matches
RECORDED_AT_ONCE = 256  # games whose time steps are in memory at the same time
PART_GROWTH = 8  # number of games of a part of a match, as a multiple of the part before
SHORTEST = 1e-9  # seconds of a part
RANDOM_GAMES = 20  # from which the mean length of random play is computed


@dataclass(frozen=True)
class MatchResult:
    """The result of a match for one of its players.

    Attributes:
        points: The player's points in each game ``[games]``.
        unfinished: Number of games that were cut off by ``max_cycles``; they count with the points so far.
        seats: The player's seat in each game ``[games]``, or one number for all.
        luck: The points of each game that were luck ``[games]``, see :mod:`nashzoo.arena.luck`; None if not measured.
        forfeits: Number of games that ended by an illegal action of the player, and of the other one.
        unlikely: The expected number of unlikely events, and the most points that one may bring, see
            :func:`nashzoo.arena.luck.most_brought`.
        forfeited: The player's points in all games that ended by an illegal action.
    """

    points: Floats
    unfinished: int = 0
    seats: Ints | int = 0
    luck: Floats | None = None
    forfeits: tuple[int, int] = (0, 0)
    unlikely: tuple[float, float] = (0.0, 0.0)
    forfeited: float = 0.0

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.points)

    @property
    def wins(self) -> int:
        """Number of games with points above 0."""
        return int(np.count_nonzero(self.points > 0))

    @property
    def draws(self) -> int:
        """Number of games with 0 points."""
        return int(np.count_nonzero(self.points == 0))

    @property
    def losses(self) -> int:
        """Number of games with points below 0."""
        return int(np.count_nonzero(self.points < 0))

    @property
    def mean(self) -> float:
        """Points per game."""
        return float(self.points.mean())

    @property
    def mean_without_forfeits(self) -> float:
        """Points per game of the games without an illegal action; no number if there are none."""
        left = self.games - sum(self.forfeits)
        return float(self.points.sum() - self.forfeited) / left if left > 0 else math.nan

    @property
    def standard_error(self) -> float:
        """Standard error of the points per game; infinite for a single game."""
        return self._error(self.points)

    def interval(self, at_stake: float) -> tuple[float, float]:
        """Returns the 95 % interval of the points per game, of which at most ``at_stake`` are won or lost.

        It is Wilson's, too wide with draws, where that is a point. Else it is as if one more game had lost all: games
        may be alike by chance.
        """
        if at_stake == 1.0:
            low, high = (2 * end - 1 for end in wilson(float((self.points + 1).sum()) / 2, self.games))
            return low, high
        half = Z * math.hypot(self.standard_error, (at_stake + abs(self.mean)) / self.games)
        return max(-at_stake, self.mean - half), min(at_stake, self.mean + half)

    @property
    def adjusted(self) -> Floats:
        """The luck-adjusted points of each game ``[games]``; the points where luck was not measured."""
        return self.points if self.luck is None else self.points - self.luck

    @property
    def adjusted_mean(self) -> float:
        """Luck-adjusted points per game; points per game where luck was not measured."""
        return float(self.adjusted.mean())

    @property
    def adjusted_error(self) -> float:
        """Standard error of the luck-adjusted points per game plus ``unseen / Z``; infinite for a single game."""
        return self._error(self.adjusted) + self.unseen / Z

    @property
    def unseen(self) -> float:
        """Luck-adjusted points per game that unlikely events may bring of which none was seen.

        Those are as many as are expected, but not more than ``MISSED``: of others some were seen, and they are in the
        variance.
        """
        expected, points = self.unlikely
        return min(expected, MISSED) * points / self.games

    def _error(self, points: Floats) -> float:
        """Returns the standard error of a mean over games whose numbers in each seat are fixed."""
        seats = np.broadcast_to(self.seats, self.games)
        parts = [points[seats == seat] for seat in np.unique(seats)]
        if min(map(len, parts)) < 2:
            parts = [points]
        if len(points) < 2:
            return math.inf
        return math.sqrt(sum(len(part) * float(part.var(ddof=1)) for part in parts)) / self.games

    def reversed(self) -> "MatchResult":
        """Returns the result from the other player's side."""
        luck = None if self.luck is None else 0.0 - self.luck
        points, forfeited = 0.0 - self.points, 0.0 - self.forfeited
        forfeits = self.forfeits[::-1]
        return replace(self, points=points, seats=1 - self.seats, luck=luck, forfeits=forfeits, forfeited=forfeited)

    def packed(self) -> dict[str, Any]:
        """Returns the result as a dictionary for JSON; a few bits for each game, and its luck."""
        seats = np.broadcast_to(self.seats, self.games).astype("<f8")
        columns = {"points": self.points, "seats": seats} | ({} if self.luck is None else {"luck": self.luck})
        texts = {
            name: base64.b64encode(zlib.compress(column.astype("<f8").tobytes())).decode()
            for name, column in columns.items()
        }
        some = {"illegal": (*self.forfeits, self.forfeited), "unlikely": self.unlikely}
        return {**texts, "unfinished": self.unfinished} | {name: pair for name, pair in some.items() if any(pair)}

    @classmethod
    def unpacked(cls, packed: Mapping[str, Any]) -> "MatchResult":
        """Returns the result that was packed."""
        points, seats, luck = (
            np.frombuffer(zlib.decompress(base64.b64decode(packed[name])), "<f8") if name in packed else None
            for name in ("points", "seats", "luck")
        )
        assert points is not None
        first, second, *forfeited = packed.get("illegal", (0, 0, 0.0))
        return cls(
            points,
            packed["unfinished"],
            0 if seats is None else seats.astype(np.int64),
            luck,
            (first, second),
            tuple(packed.get("unlikely", (0.0, 0.0))),
            *(forfeited or [math.nan]),
        )

    def __add__(self, other: "MatchResult") -> "MatchResult":
        """Returns the result of both matches together; their luck if it was measured in both."""
        seats = [np.broadcast_to(one.seats, one.games) for one in (self, other)]
        luck = None if self.luck is None or other.luck is None else np.concatenate([self.luck, other.luck])
        points, unfinished = np.concatenate([self.points, other.points]), self.unfinished + other.unfinished
        forfeits = self.forfeits[0] + other.forfeits[0], self.forfeits[1] + other.forfeits[1]
        unlikely = self.unlikely[0] + other.unlikely[0], max(self.unlikely[1], other.unlikely[1])
        forfeited = self.forfeited + other.forfeited
        return MatchResult(points, unfinished, np.concatenate(seats), luck, forfeits, unlikely, forfeited)


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """Returns the 95 % confidence interval of a share.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    share, spread = successes / trials, Z * Z / trials
    middle = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))  # despite rounding


def play_match(
    game: Game,
    agent0: Opponent | str | Path,
    agent1: Opponent | str | Path,
    games: int,
    seed: int | None,
    max_cycles: int | None = None,
    recorder: "Recorder | None" = None,
    first: int = 0,
    solution: ValuedStates | None = None,
) -> MatchResult:
    """Plays games between two players; returns the result of ``agent0``, which is player 0.

    A game depends on the seed and its number alone, not on the number of games; ``first`` is the number of the first
    one. An illegal action loses the game, see :meth:`nashzoo.envs.core.game.Game.forfeited`.

    Players are agents, or names and files for :func:`nashzoo.agents.as_agent`. A ``recorder`` makes records of all
    games. With the ``solution`` of the game the luck is measured too; with hidden information it is what
    :func:`nashzoo.arena.luck.solved` returns.

    Raises:
        UsageError: a player plays another game; ``games`` or ``max_cycles`` is not a whole number of at least 1, or the
            seed is below 0.
    """
    agent0, agent1 = (as_agent(agent, game) if isinstance(agent, str | Path) else agent for agent in (agent0, agent1))
    for agent in (agent0, agent1):
        check_plays(game, agent)
    check_count("games", games)
    max_cycles = check_options(game, max_cycles, "lose", None)
    seeds = streams(check_seed(seed), first + games)[first:]
    at_once = min(games if recorder is None else RECORDED_AT_ONCE, *(a.most_games or games for a in (agent0, agent1)))
    try:
        results = [
            _play_at_once(game, (agent0, agent1), seeds[number : number + at_once], max_cycles, recorder, solution)
            for number in range(0, games, at_once)
        ]
    except ChanceError as error:
        raise game.chance_error(error) from None
    whole = _together(results)
    expected = whole.unlikely[0]
    if solution is None or not expected:
        return whole
    return replace(whole, unlikely=(expected, most_brought(solution, (agent0, agent1), whole.points)))


class _Kernels:
    """The kernels that are called at every step."""

    start, advance = UncheckedKernel(step_kernels.start), UncheckedKernel(step_kernels.advance)


def _play_at_once(
    game: Game,
    agents: tuple[Opponent, Opponent],
    seeds: Seeds,
    max_cycles: int,
    recorder: "Recorder | None",
    solution: ValuedStates | None,
) -> MatchResult:
    """Plays a game for each stream of random numbers ``[games]``, all side by side, to their ends."""
    games = len(seeds)
    codes, cycles, over = np.empty(games, np.int64), np.empty(games, np.int64), np.empty(games, np.bool_)
    # The same games for each player: with the seat of the other player, and its own memory.
    sides = [
        BatchState(codes, np.full(games, 1 - player), cycles, over, np.zeros((games, agent.memory_size)), seeds)
        for player, agent in enumerate(agents)
    ]
    config = BatchConfig(*game.starts, 0, max_cycles, LOSE)
    outcome = StepOutcome(np.zeros(games), np.zeros(games, np.bool_), np.zeros(games, np.bool_))
    illegal, waiting, running = np.zeros(games, np.int64), np.empty(games, np.int64), np.arange(games)
    _Kernels.start(game.compiled, running, config, sides[1], waiting)
    luck = None if solution is None else MatchLuck(solution, agents)
    players = agents if luck is None else luck.players
    if recorder is not None:
        recorder.began(codes)
    if luck is not None:
        luck.began(codes)
    while len(running):
        check_time()
        before = outcome.rewards[running]
        asked0, actions0 = ask_player(game, players[0], running, sides[0])
        actions0 = _everywhere(actions0, asked0, len(running))
        asked1, replies = ask_player(game, players[1], running, sides[1])
        _Kernels.advance(game.compiled, running, actions0, asked1, replies, config, sides[1], outcome, illegal, waiting)
        if recorder is not None or luck is not None:
            actions1, paid = _everywhere(replies, asked1, len(running)), outcome.rewards[running] - before
        if recorder is not None:
            recorder.stepped(running, actions0, actions1, codes[running], illegal[running], paid)
        if luck is not None:
            luck.stepped(
                running, (asked0, asked1), (actions0, actions1), codes[running], illegal[running], over[running], paid
            )
        ended = outcome.terminated[running] | outcome.truncated[running]
        if ended.any():
            running = running[~ended]
    if recorder is not None:
        recorder.ended(outcome.terminated, outcome.truncated)
    for offended in np.flatnonzero(illegal).tolist():
        by = OFFENDERS[int(illegal[offended])]
        points = outcome.rewards[offended] - sum(2 * player - 1 for player in by)  # without what the step paid
        outcome.rewards[offended] = game.forfeited(int(codes[offended]), points, by)
    unfinished = int(np.count_nonzero(outcome.truncated))
    forfeits = int(np.count_nonzero(illegal & 1)), int(np.count_nonzero(illegal & 2))
    forfeited = float(outcome.rewards[illegal > 0].sum())
    if luck is None:
        return MatchResult(outcome.rewards, unfinished, forfeits=forfeits, forfeited=forfeited)
    return MatchResult(outcome.rewards, unfinished, 0, luck.points, forfeits, (luck.unlikely, 0.0), forfeited)


def _everywhere(actions: Ints, asked: Ints, games: int) -> Ints:
    """Returns a player's actions in all games ``[games]``, 0 where it was not asked."""
    if len(asked) == games:
        return actions
    whole = np.zeros(games, np.int64)
    whole[asked] = actions
    return whole


def play_seats(
    game: Game,
    player: Opponent,
    rival: Opponent,
    games: int,
    seed: int,
    seats: Sequence[int] = (0, 1),
    solution: ValuedStates | None = None,
) -> MatchResult:
    """Plays at least ``games`` games, the same number in each of a player's seats; returns the player's result.

    With the ``solution`` of the game the luck is measured too, see :mod:`nashzoo.arena.luck`.
    """
    each = math.ceil(games / len(seats))
    return _together([_play_in(seat, game, player, rival, each, seed, solution=solution) for seat in seats])


def _together(results: Sequence[MatchResult]) -> MatchResult:
    return sum(results[1:], start=results[0])


def _play_in(
    seat: int,
    game: Game,
    player: Opponent,
    rival: Opponent,
    games: int,
    seed: int,
    first: int = 0,
    solution: ValuedStates | None = None,
) -> MatchResult:
    """Plays games in one of a player's seats; returns the player's result."""
    if seat == 0:
        return play_match(game, player, rival, games, seed, first=first, solution=solution)
    seed = derived(seed, seat)  # other games than from seat 0
    return play_match(game, rival, player, games, seed, first=first, solution=solution).reversed()


def play_in_parts(
    game: Game, player: Opponent, rival: Opponent, games: int, seed: int, seats: Sequence[int], seconds: float
) -> Iterator[MatchResult]:
    """Plays the games of :func:`play_seats` in parts that grow; yields the result of all games so far after each part.

    It ends early when the next game is likely to end later than ``seconds`` after the beginning, in which the time of
    compilation does not count. The last result, if no game is missing, is that of :func:`play_seats`.
    """
    each = math.ceil(games / len(seats))
    by_seat: dict[int, MatchResult] = {}
    first, part, end = 0, 1, working_time() + seconds
    while first < each and part > 0:
        begun = working_time()
        for seat in seats:
            result = _play_in(seat, game, player, rival, part, seed, first)
            by_seat[seat] = by_seat[seat] + result if first else result
        yield _together(list(by_seat.values()))
        first += part
        now = working_time()
        fitting = part * (end - now) / max(now - begun, SHORTEST)
        part = int(max(0, min(PART_GROWTH * part, each - first, fitting)))


def games_of_steps(game: Game, steps: int, most: int) -> int:
    """Returns the number of games that take about ``steps`` joint steps, from 50 to ``most``."""
    return max(50, min(most, steps // random_length(game)))


@functools.cache
def random_length(game: Game) -> int:
    """Returns the mean number of joint steps of a game between random players."""
    rng = np.random.default_rng(0)
    steps = 0
    seeds = streams(0, 1)
    for _ in range(RANDOM_GAMES):
        code, end = game.resolve_chance(game.start(rng), seeds)[0], steps + game.max_cycles
        while not game.terminal(code) and steps < end:
            code = game.step(code, *(int(rng.choice(game.legal_actions(code, player))) for player in range(2)))
            code, _ = game.resolve_chance(code, seeds)
            steps += 1
    return max(1, steps // RANDOM_GAMES)
