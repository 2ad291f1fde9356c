"""The games that learners are measured in: each with its parameters, a title, and the largest possible gain."""

import dataclasses
from functools import cached_property

from nashzoo.envs import Game, make_game
from nashzoo.envs.base.assignments import assignments


@dataclasses.dataclass(frozen=True)
class MeasuredGame:
    """A game with its parameters."""

    title: str  # its title in tables
    game: str  # its name, its module or its file
    param: tuple[str, ...] = ()  # its parameters, as on the command line
    stake: float = 1.0  # the largest possible gain in points; figures are divided by it
    digest: str = ""  # a hash of the file of a game of one's own, so that results with earlier rules are not reused

    @property
    def name(self) -> str:
        """The game, and the parameters if it has any, as the command line names it."""
        return ":".join([self.game, *([",".join(self.param)] if self.param else [])])

    @cached_property
    def key(self) -> str:
        """The game as results are stored under it."""
        return f"{self.make()!r}{'#' * bool(self.digest)}{self.digest}"

    @cached_property
    def state(self) -> str:
        """What an exact measure counts, in words."""
        return "information state" if self.make().hides else "state"

    def make(self) -> Game:
        """Returns the game."""
        return make_game(self.game, **assignments(self.param))
