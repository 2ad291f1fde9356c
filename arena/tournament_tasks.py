"""The tasks of a tournament: the games of a pair, and the exploitability of a player."""

import pickle
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from nashzoo.agents.basic.keyboard import check_unattended
from nashzoo.agents.loading import as_agent, fingerprint, located, short_name
from nashzoo.arena.luck import solved
from nashzoo.arena.match import MatchResult, play_match
from nashzoo.arena.measure import measure
from nashzoo.arena.recorder import Recorder
from nashzoo.arena.records import SUFFIX, Record, write
from nashzoo.baselines.measures import value_or_none
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import Agent, Opponent
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.seeds import derived

MOST_LETTERS = 40  # of a player's name in the name of a file


class Seat(NamedTuple):
    """A player in a tournament."""

    name: str
    player: Opponent | str
    mark: str  # part of the key of its results

    def taken(self, game: Game, seed: int) -> Opponent:
        """Returns the player."""
        return _made(self.player, game, seed, self.mark) if isinstance(self.player, str) else self.player


@cache
def _made(player: str, game: Game, seed: int, mark: str) -> Agent:
    """Returns a player by name, the same for all pairs of a process until its file changes."""
    return as_agent(player, game, seed)


@dataclass(frozen=True)
class PairGames:
    """The games of two players, half in each seat; the result does not depend on the process."""

    game: Game
    seats: tuple[Seat, Seat]
    games: int
    seed: int
    max_cycles: int | None
    exact: bool
    block: int = 0  # number of the block of the pair's games
    records: Path | None = None  # folder for a file of records of the games
    source: str = ""  # see nashzoo.arena.records.Record
    luck_adjusted: bool = False

    @property
    def key(self) -> str:
        """The key of the result."""
        return f"{self._marks} / {self.block}" if self.block else self._marks

    @property
    def _marks(self) -> str:
        return " / ".join(seat.mark for seat in self.seats)

    @property
    def names(self) -> tuple[str, str]:
        """The players' names."""
        return self.seats[0].name, self.seats[1].name

    def __call__(self) -> dict[str, Any]:
        """Plays, and computes exact points with ``exact`` where that is possible."""
        first, second = (seat.taken(self.game, self.seed) for seat in self.seats)
        one, other = self.names
        kept: list[Record] = []
        result = self._half(first, second, one, other, kept) + self._half(second, first, other, one, kept).reversed()
        if self.records is not None:
            write(self.records / self.file_name, kept)
        return {**result.packed(), "exact": value_or_none(self.game, first, second) if self.exact else None}

    @property
    def file_name(self) -> str:
        """The name of the file of records, which ends with the number of the block, from 1."""
        called = "-".join(re.sub(r"[^\w.]+", "_", short_name(name))[:MOST_LETTERS].strip("_") for name in self.names)
        return f"{called}-{zlib.crc32(self._marks.encode()):08x}-{self.block + 1:02d}{SUFFIX}"

    def _half(self, first: Opponent, second: Opponent, name0: str, name1: str, kept: list[Record]) -> MatchResult:
        key = [self.seed, len(name0), *f"{name0}{name1}".encode(), *([self.block] if self.block else [])]
        seed, recorder = derived(*key), None
        if self.records is not None:
            recorder = Recorder(self.game, (name0, name1), kept.extend, seed, self.source)
        solution = solved(self.game) if self.luck_adjusted else None
        return play_match(self.game, first, second, self.games // 2, seed, self.max_cycles, recorder, solution=solution)


@dataclass(frozen=True)
class Measurement:
    """The exploitability of a player."""

    game: Game
    seat: Seat
    seed: int

    @property
    def key(self) -> str:
        """The key of the result."""
        return f"exploitability {self.seat.mark}"

    def __call__(self) -> float | None:
        """Returns points per game; None if the player's memory or the number of states is too large."""
        player = self.seat.taken(self.game, self.seed)
        return measure(self.game, player).exploitability.value


def seated(game: Game, agents: Mapping[str, Opponent | str], seed: int, here: bool) -> list[Seat]:
    """Returns the players; all are checked, and those given by name are made now if they play in this process.

    Raises:
        UsageError: a player is unknown, or is a person but the games are played in other processes.
    """
    seats = []
    for name, player in agents.items():
        if isinstance(player, str):
            made = as_agent(player, game, seed)
            check_unattended(made, name, here)
            mark = f"{name}={fingerprint(player)}"
            seats.append(Seat(name, made if here else located(player), mark))
        else:
            check_unattended(player, name, here)
            seats.append(Seat(name, player, name))
    return seats


def check_sent(seats: Sequence[Seat]) -> None:
    """Checks that the players can be sent to other processes.

    Raises:
        UsageError: one is an object that cannot be pickled.
    """
    for seat in seats:
        try:
            pickle.dumps(seat.player)
        except Exception as error:  # a player's own code can raise anything
            raise UsageError(
                f"{seat.name} cannot be sent to other processes ({error}): give it as a text, which is made there, "
                "or play with processes=1"
            ) from None
