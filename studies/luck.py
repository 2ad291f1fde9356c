"""Luck taken out of matches: how many times fewer games give the same interval, and how often intervals are right.

python -m studies.luck                # writes the tables of docs/luck.md; about ten minutes
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from nashzoo import agents
from nashzoo.arena.luck import solved
from nashzoo.arena.match import MatchResult, Z, play_seats
from nashzoo.arena.sequential import games_of_block, half_width
from nashzoo.baselines.measures import value_or_none
from nashzoo.envs import make_game
from nashzoo.envs.core.game import Floats, Game
from studies.tables import DOCS, markdown, with_block, write_page

PAGE = DOCS / "luck.md"
GAMES = 20_000  # of a pair, half of them in each seat
REPLICATIONS, IN_EACH = 2_000, 200  # matches, and their games in each seat
MATCHES: dict[str, tuple[str, dict[str, Any], tuple[tuple[str, str], ...]]] = {
    "Footsies": (
        "footsies_v0", {},
        (
            ("nash", "mistakes 5 %"), ("mistakes 5 %", "mistakes 20 %"), ("nash", "mcts(simulations=100)"),
            ("nash", "random"), ("nash", "bluff"), ("counter", "bayesian"),
        ),
    ),
    "Bodega Brawl, small": (
        "bodega_brawl_v0", {"preset": "small"},
        (("nash", "mistakes 5 %"), ("mistakes 5 %", "mistakes 20 %"), ("nash", "random")),
    ),
    "Pig": ("./examples/games/pig.py", {}, (("nash", "mistakes 5 %"), ("nash", "random"))),
    "Leduc poker": ("./examples/games/leduc.py", {}, (("nash", "mistakes 5 %"), ("nash", "random"))),
    "tic-tac-toe": ("tictactoe_v0", {}, (("nash", "mistakes 5 %"), ("human", "human"), ("nash", "random"))),
    "soccer": ("soccer_v0", {}, (("nash", "mistakes 5 %"), ("human", "greedy"))),
}  # fmt: skip
COVERED = {
    "Footsies": (("nash", "mistakes 5 %"), ("nash", "counter"), ("random", "counter")),
    "Bodega Brawl, small": (("mistakes 5 %", "mistakes 20 %"), ("random", "argmax_counter")),
    "Pig": (("mistakes 5 %", "mistakes 20 %"),),
    "tic-tac-toe": (("human", "human"),),
}

RARE: dict[str, tuple[tuple[float, float], ...]] = {  # unlikely events of a game: their probabilities, and their points
    "2 points with 1e-2": ((1e-2, 2.0),),
    "2 points with 1e-4": ((1e-4, 2.0),),
    "0.1 with 1e-2, 2 with 1e-4": ((1e-2, 0.1), (1e-4, 2.0)),
    "50 points with 1e-3": ((1e-3, 50.0),),
}
NOISE = 1e-6  # points
LOOKED_UNTIL = 2_000  # games of a match that is looked at while it is played


@cache
def nash(game: Game) -> Any:
    """Returns the exact solution as a player, the same one at every call."""
    return agents.make("nash", game)


class Measured(NamedTuple):
    """A pair's result, and its exact points if they are known."""

    result: MatchResult
    exact: float | None


def player(game: Game, name: str) -> Any:
    """Returns a player by its name in ``MATCHES``."""
    if name == "nash":
        return nash(game)
    if name.startswith("mistakes"):
        return agents.make("nash", game, mistakes=int(name.split()[1]) / 100, solution=nash(game).solution)
    return agents.as_agent(name, game, 0)


def measured(game: Game, pair: Sequence[str], games: int) -> Measured:
    """Returns the result of a match."""
    first, second = (player(game, name) for name in pair)
    result = play_seats(game, first, second, games, 0, solution=solved(game))
    return Measured(result, value_or_none(game, first, second))


def row(title: str, pair: Sequence[str], one: Measured) -> tuple[str, ...]:
    """Returns the row of a pair in the table of savings."""
    result, error = one.result, one.result.adjusted_error - one.result.unseen / Z  # by the variance alone
    saved = (result.standard_error / error) ** 2
    factor = f"{saved:,.0f}" if saved >= 10 else f"{saved:.1f}"
    exact = "" if one.exact is None or result.unfinished else f"{one.exact:+.4f}"  # which is of games without a limit
    plain, adjusted = (
        f"{mean:+.4f} ± {Z * error:.4f}"
        for mean, error in ((result.mean, result.standard_error), (result.adjusted_mean, error))
    )
    return title, " - ".join(pair), plain, adjusted, exact, factor


def savings() -> Iterator[tuple[str, ...]]:
    """Yields the rows of the table of savings, the first of them headings."""
    yield "game", "players", "plain points", "luck-adjusted", "exact", "times fewer games"
    for title, (name, parameters, pairs) in MATCHES.items():
        game = make_game(name, **parameters)
        for pair in pairs:
            cells = row(title, pair, measured(game, pair, GAMES))
            print(*cells, flush=True)
            yield cells


def coverage(points: Floats, true: float) -> float:
    """Returns how often the 95 % interval of matches contains the true points, from all games of them together."""
    by_seat = points.reshape(2, REPLICATIONS, IN_EACH)
    means = by_seat.mean(axis=2).mean(axis=0)
    errors = np.sqrt((by_seat.var(axis=2, ddof=1) / IN_EACH).sum(axis=0)) / 2
    return float(np.mean(np.abs(means - true) <= Z * errors))


def coverages() -> str:
    """Returns how often intervals contain the true points, as a sentence."""
    found = []
    for title, pairs in COVERED.items():
        game = make_game(MATCHES[title][0], **MATCHES[title][1])
        for pair in pairs:
            result, exact = measured(game, pair, 2 * REPLICATIONS * IN_EACH)
            assert exact is not None
            found.append([100 * coverage(points, exact) for points in (result.points, result.adjusted)])
            print(title, " - ".join(pair), *found[-1], flush=True)
    plain, adjusted = (f"{min(shares):.1f} to {max(shares):.1f} %" for shares in zip(*found, strict=True))
    return f"In {plain} of the matches for plain points, in {adjusted} for luck-adjusted ones, by the pair of players."


def rare(replications: int = REPLICATIONS) -> Iterator[tuple[str, ...]]:
    """Yields the rows of the table of coverages where the points of a game come from unlikely events.

    A game has the points 0 and a noise of ``NOISE``, plus those of its events.
    """
    yield "events of a game", "variance alone", "interval", "half width", "now", "sequence, all looks"
    games, looks = 2 * IN_EACH, [0]
    while looks[-1] < LOOKED_UNTIL:
        looks.append(looks[-1] + games_of_block(len(looks) - 1, looks[-1], LOOKED_UNTIL))
    for title, events in RARE.items():
        rng, true = np.random.default_rng(0), sum(chance * points for chance, points in events)
        expected, most = sum(chance for chance, _ in events), max(abs(points) for _, points in events)
        held, widths = np.zeros((replications, 3), np.bool_), np.zeros((replications, 2))
        for k in range(replications):
            points = NOISE * rng.standard_normal(LOOKED_UNTIL)
            for chance, brings in events:
                points += brings * (rng.random(LOOKED_UNTIL) < chance)
            luck = np.zeros(LOOKED_UNTIL)
            results = [MatchResult(points[:n], luck=luck[:n], unlikely=(n * expected, most)) for n in looks[1:]]
            one = MatchResult(points[:games], luck=luck[:games], unlikely=(games * expected, most))
            widths[k] = Z * one.standard_error, Z * one.adjusted_error
            held[k, :2] = abs(one.mean - true) <= widths[k]
            held[k, 2] = all(abs(result.mean - true) <= half_width(result, 1.0) for result in results)
        shares = [f"{100 * share:.1f} %" for share in held.mean(axis=0)]
        line = title, *shares[:2], *(f"{width:.5f}" for width in widths.mean(axis=0)), shares[2]
        print(*line, flush=True)
        yield line


def main() -> None:
    """Measures, and writes the tables."""
    tables = {"savings": markdown(savings(), 2), "coverage": coverages(), "rare": markdown(rare(), 1)}
    page = PAGE.read_text()
    for block, table in tables.items():
        page = with_block(page, block, table + "\n")
    write_page(PAGE, page)


if __name__ == "__main__":
    main()
