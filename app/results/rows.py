"""The rows of the table of results: games with their parameters and entrants."""

import dataclasses
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from nashzoo.app.commands.parsing import game_of
from nashzoo.envs import Game


@dataclasses.dataclass(frozen=True)
class ResultsRow:
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

    @cached_property
    def key(self) -> str:
        """The game as results are stored under it."""
        return f"{self.make()!r}{'#' * bool(self.digest)}{self.digest}"

    def make(self) -> Game:
        """Returns the game."""
        return game_of(self.game, self.param)


ROWS = (
    ResultsRow("Footsies", "footsies_v0"),
    ResultsRow("Roshambo", "roshambo_v0", ("rounds=100",), {"gamma": 0.9}, (100, 1_000), stake=100.0),
    ResultsRow("Bodega Brawl, small", "bodega_brawl_v0", ("preset=small",)),
    ResultsRow(
        "Bodega Brawl, large",
        "bodega_brawl_v0",
        ("preset=large",),
        simulations=(),
        learners=("deep_minimax", "distilled", "policy_gradient"),
        longer=("deep_minimax", "distilled"),
    ),
    ResultsRow("tic-tac-toe", "tictactoe_v0", depths=(2, 4, 6)),
    ResultsRow(
        "soccer, 11 x 5",
        "soccer_v0",
        ("width=11", "height=5", "goal_height=3"),
        simulations=(10, 100),
        depths=(2, 4, 8),
    ),
    ResultsRow("soccer", "soccer_v0", simulations=(10, 100), depths=(2, 4, 8), longer=("deep_minimax", "distilled")),
)
