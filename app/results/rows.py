"""The rows of the table of results: games with their parameters and entrants."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from nashzoo.arena.measurement.games import MeasuredGame
from nashzoo.arena.measurement.protocol import OPEN


@dataclasses.dataclass(frozen=True)
class ResultsRow(MeasuredGame):
    """A game with its entrants.

    Attributes:
        learning: Options of ``train.py`` for models of Stable-Baselines3.
        simulations: Budgets of Monte Carlo tree search.
        depths: Depths of alpha-beta search.
        learners: The learners that play both seats themselves; all of them when None.
        longer: Those of them that are also in the table with ten times the budget, since they still improve.
    """

    learning: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    simulations: tuple[int, ...] = (100, 1_000, 10_000)
    depths: tuple[int, ...] = ()
    learners: tuple[str, ...] | None = None
    longer: tuple[str, ...] = ()


def _row(title: str, **entrants: Any) -> ResultsRow:
    """Returns the row of a game of the protocol, by its title."""
    size = next(size for size in OPEN.sizes if size.title == title)
    return ResultsRow(size.title, size.game, size.param, size.stake, **entrants)


LARGE = ("deep_minimax", "distilled")  # learners that still improve in large games
ROWS = (
    _row("Footsies"),
    _row("Roshambo", learning={"gamma": 0.9}, simulations=(100, 1_000)),
    _row("Bodega Brawl, small"),
    _row("Bodega Brawl, large", simulations=(), learners=(*LARGE, "policy_gradient"), longer=LARGE),
    _row("tic-tac-toe", depths=(2, 4, 6)),
    _row("soccer, 11 x 5", simulations=(10, 100), depths=(2, 4, 8)),
    _row("soccer", simulations=(10, 100), depths=(2, 4, 8), longer=LARGE),
)
