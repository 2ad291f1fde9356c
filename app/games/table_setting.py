"""A game in the table of results."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from nashzoo.app.command_line.parsing import game_of
from nashzoo.envs import Game


@dataclasses.dataclass(frozen=True)
class Setting:
    """A game with its parameters and its entrants.

    Attributes:
        title: Its title in the table.
        game: Its name.
        param: Its parameters, as on the command line.
        learning: Options of ``train.py`` for models of Stable-Baselines3.
        simulations: Budgets of Monte Carlo tree search.
        depths: Depths of alpha-beta search.
        learners: The learners that play both seats themselves; all of them when None.
        longer: Those of them that are also in the table with ten times the budget, since they still improve.
        stake: The largest possible gain in points; figures are divided by it.
        digest: A hash of the file of a game of one's own, so that results with earlier rules are not reused.
    """

    title: str
    game: str
    param: tuple[str, ...] = ()
    learning: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    simulations: tuple[int, ...] = (100, 1_000, 10_000)
    depths: tuple[int, ...] = ()
    learners: tuple[str, ...] | None = None
    longer: tuple[str, ...] = ()
    stake: float = 1.0
    digest: str = ""

    @property
    def name(self) -> str:
        """Its name on the command line: the game, and the parameters if it has any."""
        return ":".join([self.game, *([",".join(self.param)] if self.param else [])])

    @property
    def key(self) -> str:
        """The game as results are stored under it."""
        return f"{self.make()!r}{'#' * bool(self.digest)}{self.digest}"

    def make(self) -> Game:
        """Returns the game."""
        return game_of(self.game, self.param)
