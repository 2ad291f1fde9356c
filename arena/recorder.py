"""Records of the games of a match, which are played side by side."""

from collections.abc import Callable, Iterable
from typing import Any

from numpy.typing import NDArray

from nashzoo.arena.records import FORFEITED, TERMINATED, TRUNCATED, UNFINISHED, Record
from nashzoo.arena.trajectory import Trajectory
from nashzoo.envs.core.game import OFFENDERS, Bools, Floats, Game, Ints


class Recorder:
    """Makes records of games that are played side by side.

    Args:
        players: The players' names with their options, player 0 first.
        write: Called with records of finished games, in the order of their numbers.
        seed: Seed of the games.
        source: See :class:`nashzoo.arena.records.Record`.
    """

    def __init__(
        self,
        game: Game,
        players: tuple[str, str],
        write: Callable[[Iterable[Record]], None],
        seed: int | None = None,
        source: str = "",
    ) -> None:
        self.game, self.players, self.write, self.seed, self.source = game, players, write, seed, source
        self._number = 0
        self._starts: list[int] = []
        self._steps: list[tuple[NDArray[Any], ...]] = []  # the arguments of each call of `stepped`

    def began(self, codes: Ints) -> None:
        """Stores the start states of the games ``[games]``."""
        self._starts, self._steps = codes.tolist(), []

    def stepped(self, games: Ints, actions0: Ints, actions1: Ints, codes: Ints, illegal: Ints, rewards: Floats) -> None:
        """Stores a time step of the running games ``[K]``: the actions, the next states and the rewards."""
        self._steps.append((games.copy(), actions0.copy(), actions1.copy(), codes, illegal, rewards))

    def ended(self, terminated: Bools, truncated: Bools) -> None:
        """Writes the records of all the games ``[games]``."""
        played = [Trajectory(self.game, start) for start in self._starts]
        by: dict[int, tuple[int, ...]] = {}
        for steps in self._steps:
            for game, action0, action1, after, illegal, reward in zip(*(each.tolist() for each in steps), strict=True):
                if illegal:
                    by[game] = OFFENDERS[illegal]
                else:
                    played[game].follow(action0, action1, after, reward)
        first, self._number = self._number, self._number + len(played)

        def record(game: int) -> Record:
            over = TRUNCATED if truncated[game] else TERMINATED if terminated[game] else UNFINISHED
            ended, offenders = FORFEITED if game in by else over, by.get(game, ())
            return Record(played[game], self.players, ended, offenders, self.seed, first + game, self.source)

        self.write(record(game) for game in range(len(played)))
