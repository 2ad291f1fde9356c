"""Games that are not in a protocol: other sizes of its games, and random games, drawn by a seed.

A learner that is tuned to the games of the protocol is measured here on games that nobody has tuned it to.
"""

import itertools
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from nashzoo.arena.measurement.protocol import (
    DARK_HEX,
    GOOFSPIEL,
    HIDDEN,
    HIDDEN_GOOFSPIEL,
    LEDUC,
    LIARS_DICE,
    OPEN,
    Size,
    Suite,
)

RANDOM_GAME = "nashzoo.examples.random_game"
MOST = 3  # points of a throw

# Rock-paper-scissors in which wins count differently, so that uniform play is no equilibrium.
UNEVEN = tuple(
    f"[[0,{-paper},{rock}],[{paper},0,{-scissors}],[{-rock},{scissors},0]]"
    for rock, paper, scissors in itertools.product(range(1, MOST + 1), repeat=3)
    if min(rock, paper, scissors) < max(rock, paper, scissors) == MOST
)


class Family(NamedTuple):
    """Sizes of a game that can be drawn; each has at most 100,000 states."""

    title: str
    game: str  # its name
    choices: Mapping[str, Sequence[Any]]  # the values that each parameter can have
    stake: float = 1.0  # the largest possible return

    def draw(self, rng: np.random.Generator) -> Size:
        """Returns a game of the family; each of them is as likely."""
        values = {name: choices[int(rng.integers(len(choices)))] for name, choices in self.choices.items()}
        param = tuple(f"{name}={value}" for name, value in values.items())
        return Size(f"{self.title}, {' '.join(param)}", self.game, param, self.stake, family="held out")


FAMILIES = {OPEN: (
    Family("random game", RANDOM_GAME, {
        "seed": range(2**32), "layers": range(3, 11), "width": range(20, 51), "actions": range(3, 6),
        "chance": range(1, 4), "reach": range(2, 9),
    }),
    Family("Footsies", "footsies_v0", {
        "rounds": range(1, 5), "blocks": range(6), "attacks_to_win": range(1, 4), "exhausted_block": ("hit", "free"),
    }),
    Family("Bodega Brawl", "bodega_brawl_v0", {
        "preset": ("small",), "head_limit": (1, 2), "legs_limit": (1, 2, 3), "total_limit": (2, 3),
        "head_attack": (0, 1), "head_dual": (1, 2), "body_dual": (1, 2), "legs_dual": (1, 2),
    }),
    Family("soccer", "soccer_v0", {"width": (11, 13, 15), "height": (3, 5), "goal_height": (1, 3)}),
    Family("Goofspiel", GOOFSPIEL, {"cards": range(3, 8), "ascending": (False,)}),
    Family("Roshambo", "roshambo_v0", {"rounds": (20,), "recall": (1, 2), "payoff": UNEVEN}, 20.0 * MOST),
), HIDDEN: (
    Family("Leduc poker", LEDUC, {"ranks": (4, 5, 6), "suits": (True, False)}, 13.0),
    Family("liar's dice", LIARS_DICE, {"faces": (3, 4, 5)}),
    Family("Goofspiel, hidden bids", HIDDEN_GOOFSPIEL, {
        "cards": (3, 4), "ascending": (True, False), "random": (True, False),
    }),
    Family("dark hex", DARK_HEX, {"rows": (2, 3), "columns": (2,), "abrupt": (True, False)}),
)}  # fmt: skip


def held_out(seed: int, count: int, suite: Suite = OPEN) -> list[Size]:
    """Returns different games that are not in a suite, of each family in turn, the same by a seed everywhere."""
    rng, families = np.random.default_rng(seed), itertools.cycle(FAMILIES[suite])
    drawn: dict[tuple[str, bytes], Size] = {}
    while len(drawn) < count:
        family = next(families)
        size = family.draw(rng)
        while _identity(size) in _protocol(suite):
            size = family.draw(rng)
        drawn.setdefault(_identity(size), size)
    return list(drawn.values())


@cache
def _protocol(suite: Suite) -> frozenset[tuple[str, bytes]]:
    """Returns the games of a suite."""
    return frozenset(_identity(size) for size in suite.sizes)


def _identity(size: Size) -> tuple[str, bytes]:
    """Returns what two share if they are the same game, also if they name its parameters differently."""
    game = size.make()
    return game.name, game.params.tobytes()
