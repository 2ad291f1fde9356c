"""The protocols ``nashzoo-bench 1`` and ``2``: games and their sizes, budgets, seeds, and when a policy is measured.

A figure by a protocol can be compared with every other one by it. A change of what stands here is another version. The
two differ in their suite of games alone: in those of the first both players see the whole state, in those of the second
a part is hidden.
"""

import dataclasses
from collections.abc import Sequence

from nashzoo.arena.measurement.games import MeasuredGame
from nashzoo.arena.measurement.pacer import Schedule, among
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import suggestion

SEEDS = 10
SECONDS = 60.0  # of one processor's time, in which a learner learns
SHARES = tuple(0.5**halvings for halvings in range(8, -1, -1))  # of the time, after which a policy is measured
DECISIONS = (10_000, 100_000, 1_000_000)  # after which it is measured, too
HELD_OUT = 6  # games outside the protocol that a seed draws, one of each family
LATE = 1.25  # times the time: beyond, a run is not by the protocol
WORST = 5  # states of each game where a policy loses most, that are named
FAILED = 1.0  # the score of a run that ended with an error, a share of the largest possible return


@dataclasses.dataclass(frozen=True)
class Size(MeasuredGame):
    """A game of the protocol."""

    family: str = ""  # the family of games that it belongs to; its sizes are the same game, smaller and larger
    small: bool = True  # whether it is among those that are run unless all are asked for

    @property
    def names(self) -> set[str]:
        """The names of the game, which are those of all its sizes, and of this size, with parameters, and its title."""
        return {self.game, self.game.rpartition(".")[2], self.name, self.title}


def _size(title: str, game: str, *param: str, small: bool = True, stake: float = 1.0) -> Size:
    return Size(title, game, param, stake, family=title.split(",")[0], small=small)


def _uneven(title: str, *param: str, small: bool = True) -> Size:
    param = "rounds=100", *param, UNEVEN
    return Size(title, "roshambo_v0", param, 300.0, family="Roshambo, uneven", small=small)


@dataclasses.dataclass(frozen=True)
class Suite:
    """The games of a protocol."""

    name: str  # as on the command line
    version: str  # of the protocol
    sizes: tuple[Size, ...]

    @property
    def small(self) -> list[Size]:
        """The games that are run unless all are asked for."""
        return [size for size in self.sizes if size.small]

    def sizes_of(self, names: Sequence[str], every: bool) -> list[Size]:
        """Returns the games that are named; the small ones, or all, if none is.

        Args:
            names: Games, such as ``"soccer_v0"``, whose sizes are meant, or sizes, by title or with their parameters,
                such as ``"soccer, 11 x 5"``.
            every: Whether to return the large sizes of games too.

        Raises:
            UsageError: there is no such game or title.
        """
        known = {name.casefold(): name for size in self.sizes for name in sorted(size.names)}
        games = dict.fromkeys(size.game for size in self.sizes)
        for name in names:
            if name.casefold() not in known:
                near = suggestion(name, known.values())
                raise UsageError(f"{self.version} has no game {name!r}{near}; it has {', '.join(games)}")
        meant = {known[name.casefold()] for name in names}
        asked = [size for size in self.sizes if not names or size.names & meant]
        named = meant - games.keys()  # the name of a game means its small sizes
        return [size for size in asked if every or size.small or {size.title, size.name} & named]


GOOFSPIEL, HIDDEN_GOOFSPIEL = "nashzoo.examples.goofspiel", "nashzoo.examples.hidden_goofspiel"
LEDUC, LIARS_DICE = "nashzoo.examples.leduc", "nashzoo.examples.liars_dice"
DARK_HEX = "nashzoo.examples.dark_hex"
UNEVEN = "payoff=[[0,-2,3],[2,0,-1],[-3,1,0]]"  # so that uniform play, at which networks start, is no equilibrium

OPEN = Suite("open", "nashzoo-bench 1", (
    _size("Footsies, 1 round, 1 block", "footsies_v0", "blocks=1"),
    _size("Footsies", "footsies_v0"),
    _size("Footsies, 3 rounds, 5 blocks", "footsies_v0", "rounds=3", "blocks=5"),
    _size("Footsies, 5 rounds, 9 blocks", "footsies_v0", "rounds=5", "blocks=9", "attacks_to_win=3", small=False),
    _size("Bodega Brawl, tiny", "bodega_brawl_v0", "preset=tiny"),
    _size("Bodega Brawl, small", "bodega_brawl_v0", "preset=small"),
    _size("Bodega Brawl, medium", "bodega_brawl_v0", "preset=medium", small=False),
    _size("Bodega Brawl, large", "bodega_brawl_v0", "preset=large", small=False),
    _size("Goofspiel, 4 cards", GOOFSPIEL, "cards=4"),
    _size("Goofspiel, 5 cards", GOOFSPIEL, "cards=5", small=False),
    _size("Goofspiel, 6 cards", GOOFSPIEL, "cards=6"),
    _size("Goofspiel, 7 cards", GOOFSPIEL, "cards=7", small=False),
    _size("Roshambo", "roshambo_v0", "rounds=100", stake=100.0),
    _uneven("Roshambo, uneven"),
    _uneven("Roshambo, uneven, 2 recalled", "recall=2", small=False),
    _uneven("Roshambo, uneven, 3 recalled", "recall=3", small=False),
    _size("tic-tac-toe", "tictactoe_v0"),
    _size("soccer, 11 x 3", "soccer_v0", "width=11", "height=3", "goal_height=1"),
    _size("soccer, 11 x 5", "soccer_v0", "width=11", "height=5", "goal_height=3", small=False),
    _size("soccer, 13 x 7", "soccer_v0", "width=13", "height=7", "goal_height=3", small=False),
    _size("soccer", "soccer_v0", small=False),
))  # fmt: skip
HIDDEN = Suite("hidden", "nashzoo-bench 2", (
    _size("Kuhn poker", "nashzoo.examples.kuhn", stake=2.0),
    _size("Leduc poker", LEDUC, stake=13.0),
    _size("liar's dice", LIARS_DICE),
    _size("Goofspiel, hidden bids, 4 cards", HIDDEN_GOOFSPIEL, "cards=4"),
    _size("Goofspiel, hidden bids, 5 cards", HIDDEN_GOOFSPIEL, "cards=5", small=False),
    _size("phantom tic-tac-toe", "nashzoo.examples.phantom_tictactoe", small=False),
    _size("dark hex, 3 x 3, abrupt", DARK_HEX, "rows=3", "columns=3", "abrupt=True", small=False),
))  # fmt: skip
SUITES = {suite.name: suite for suite in (OPEN, HIDDEN)}


def schedule(seconds: float) -> Schedule:
    """Returns when policies are measured, and when learning ends."""
    return Schedule(among(DECISIONS), seconds=seconds, shares=SHARES)
