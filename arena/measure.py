"""What is measured of a policy: exploitability, points against others, and the states where it loses most.

Figures are exact where that is possible and does not take minutes, else from games, with their standard error, or
between proven bounds; or they say why they are not measured. Whatever is shown of a policy, by reports, tables,
scorecards and curves, is measured here.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

from nashzoo import agents
from nashzoo.agents import Agent
from nashzoo.agents.registry import scripted
from nashzoo.arena.luck import solved
from nashzoo.arena.match import games_of_steps, play_in_parts, play_seats
from nashzoo.baselines import Weakness, weaknesses
from nashzoo.baselines.bounded.measure import ExploitabilitySearch
from nashzoo.baselines.bounded.search import NoBoundsError
from nashzoo.baselines.certificate.bounds import PROVEN, Bounds
from nashzoo.baselines.evaluation import exploitability, secured
from nashzoo.baselines.forms import form_of
from nashzoo.baselines.measures import (
    EITHER,
    UNKNOWN,
    best_or_none,
    can_keep,
    states_measured,
    tabulated,
    value_or_none,
)  # fmt: skip
from nashzoo.envs import Game
from nashzoo.envs.base.errors import NotSeenError
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.reachable import TooManyStatesError

QUICK = 100_000  # states; a measurement with this many takes about a second
SLOW = 1_000_000  # states; a measurement with this many takes ten seconds or more
SOLVED = 1e-9  # exploitability, as a share of the stake, at which learning ends
SAMPLED_GAMES = 10_000  # at most, against a player without an exact value
SAMPLED_STEPS = 200_000  # largest number of joint steps in these
WALKED = 1e-6  # points between bounds of a response whose games count as walked
RESPONSE_GAMES = 1_000_000  # at most, of a response whose games are too many to walk
SEARCHED = 5.0  # seconds of a search for bounds of the exploitability, where it cannot be computed


class Figure(NamedTuple):
    """A figure in points per game: exact, or from games, or between bounds, or not measured."""

    value: float | None  # the figure; None if it is not measured, or if bounds alone are known
    error: float = 0.0  # its standard error; 0 if it is exact
    plain: float | None = None  # the mean of the games, where value is luck-adjusted
    why: Exception | None = None  # why it is not measured
    bounds: Bounds | None = None  # proven bounds, where the figure cannot be computed

    @property
    def known(self) -> float:
        """The figure; an error if it is not measured."""
        if self.value is None:
            raise self.why or ValueError("not measured")
        return self.value


class Measurement(NamedTuple):
    """What is known of a policy.

    Attributes:
        exploitability: What best responses win from it.
        secured: What it guarantees in seat 0 and concedes in seat 1, to player 0; None if both are not measured.
        values: Its points against rivals, by name.
        weaknesses: The states where it loses most; none where they are not known, or not asked for.
    """

    exploitability: Figure
    secured: tuple[float, float] | None
    values: Mapping[str, Figure]
    weaknesses: Sequence[Weakness]

    @property
    def stored(self) -> dict[str, Any]:
        """Exploitability and points as files of results have them, with the standard error and plain points if any."""
        values = {
            name: [one.value, one.error, *([] if one.plain is None else [one.plain])]
            for name, one in self.values.items()
        }
        found = self.exploitability
        return {"exploitability": found.value, "values": values} | ({"bounds": found.bounds} if found.bounds else {})


def made(names: Iterable[str], game: Game) -> dict[str, Agent]:
    """Returns players by name, without those that know the exact solution where there are too many states for one."""
    players: dict[str, Agent] = {}
    for name in names:
        with suppress(TooManyStatesError):
            players[name] = agents.make(name, game)
    return players


def scripts(game: Game) -> tuple[str, ...]:
    """Returns the names of the scripted players of a game, without those that know a solution where there is none."""
    return scripted(game) if can_keep(game) else tuple(made(scripted(game), game))


def rivals_in(game: Game, seed: int) -> dict[str, Agent]:
    """Returns the scripted players of a game by name, as tables where exact figures are quick."""
    rivals = {name: agents.make(name, game, seed) for name in scripts(game)}
    exact = states_measured(game) <= SLOW
    return {name: tabulated(game, rival) for name, rival in rivals.items()} if exact else rivals


def best_responses(game: Game) -> dict[str, float | None]:
    """Returns the points per game of the best response to each scripted player; None where it cannot be computed."""
    return {name: best_or_none(game, tabulated(game, agents.make(name, game, 0))) for name in scripts(game)}


def measure(
    game: Game,
    policy: Any,
    *,
    seats: Sequence[int] = EITHER,
    rivals: Mapping[str, Agent] = MappingProxyType({}),
    worst: int = 0,
    seed: int = 0,
    games: int = SAMPLED_GAMES,
    known: Figure | None = None,
    table: Any = None,
    walks: bool = False,
    seconds: float = 0.0,
) -> Measurement:
    """Returns what is known of a policy, in points per game, on average over its seats.

    Points against rivals are exact where that is possible and does not take minutes. Else games are played; if the game
    is solved in seconds their points are luck-adjusted. Where exploitability cannot be computed, a search bounds it.

    Args:
        game: The game.
        policy: The policy.
        seats: The seats whose exploitability is measured.
        rivals: The rivals, by name.
        worst: How many of the states to look for where the policy loses most.
        seed: Seed of the games.
        games: The largest number of games against a rival.
        known: The exploitability, if it has been measured before: to measure it again may take minutes.
        table: The policy as a table, if it has been asked before.
        walks: Whether histories that are too many to keep are walked, which takes minutes.
        seconds: How long to search for bounds at most; 0 for none.

    Raises:
        UsageError: the policy gives no distribution over the legal actions.
    """
    exact = not rivals or states_measured(game) <= SLOW  # in larger games each of these figures would take minutes
    if table is None:
        table = tabulated(game, policy) if exact else policy
    exploited, bounds = _exploited(game, table, seats, walks, seconds) if known is None else (known, None)
    asked = table if exact else None
    values = {name: _value(game, policy, asked, rival, seed, games) for name, rival in rivals.items()}
    return Measurement(exploited, bounds, values, worst_of(game, table, worst, exploited.value) if worst else [])


def _exploited(
    game: Game, table: Any, seats: Sequence[int], walks: bool, seconds: float
) -> tuple[Figure, tuple[float, float] | None]:
    """Returns the exploitability in some seats, and the bounds of the game's value where both are measured."""
    try:
        if not walks:
            form_of(game).check_kept()
        if set(seats) != set(EITHER):
            return Figure(exploitability(game, table, player=seats[0])), None
        lower, upper = secured(game, table)
    except UNKNOWN as why:
        if not isinstance(why, TooManyStatesError) or set(seats) != set(EITHER) or not seconds > 0:
            return Figure(None, why=why), None
        return _bounded(game, table, seconds, why)
    return Figure(max(0.0, 0.5 * (upper - lower))), (lower, upper)


def _bounded(game: Game, policy: Any, seconds: float, why: Exception) -> tuple[Figure, tuple[float, float] | None]:
    """Returns proven bounds of the exploitability, and of the game's value, after a search of some seconds."""
    try:
        search = ExploitabilitySearch(game, policy)
        search.improve(seconds)
    except (NoBoundsError, *UNKNOWN):
        return Figure(None, why=why), None
    exploited = search.bounds
    value = (exploited.lower + exploited.upper) / 2 if exploited.upper - exploited.lower <= PROVEN else None
    return Figure(value, why=why, bounds=None if value is not None else exploited), search.value_bounds


class Response(NamedTuple):
    """What a given response wins from a policy in a seat, points per game.

    Attributes:
        seat: The response's seat.
        bounds: Proven where there are no ``games``, else its 95 % interval of these.
        games: The number of games played; 0 where all were walked.
    """

    seat: int
    bounds: Bounds
    games: int


def responded(
    search: ExploitabilitySearch, policy: Any, response: Agent, seat: int, seconds: float, seed: int = 0
) -> Response:
    """Returns what a response wins from the policy of a search: walked, which is proven, else in games.

    What is proven is a lower bound of the search from then on. Games last ``seconds`` at most.
    """
    try:
        proven = search.respond(response, seat)
        if proven.upper - proven.lower <= WALKED:
            return Response(seat, proven, 0)
    except NoPolicyError:
        pass
    player, rival = (agents.as_agent(one, search.game, seed) for one in (response, policy))
    play_seats(search.game, player, rival, 1, seed, (seat,))  # loads what it needs, before its time begins
    for played in play_in_parts(search.game, player, rival, RESPONSE_GAMES, seed, (seat,), seconds):  # noqa: B007
        pass
    return Response(seat, Bounds(*played.interval(stake_of(search.game))), played.games)


def stake_of(game: Game) -> float:
    """Returns the points that a player can lose at most in a game."""
    return max(game.at_stake(int(code)) for code in game.start_codes)


def _value(game: Game, policy: Agent, table: Any, rival: Agent, seed: int, games: int) -> Figure:
    """Returns the points against a rival: of the policy as a table, or where it is None or too large, of games."""
    value = None if table is None else value_or_none(game, table, rival)
    if value is not None:
        return Figure(value)
    quick = states_measured(game) <= QUICK and not game.hides
    sampled = games_of_steps(game, SAMPLED_STEPS, games)
    result = play_seats(game, policy, rival, sampled, seed, solution=solved(game) if quick else None)
    return Figure(result.adjusted_mean, result.adjusted_error, None if result.luck is None else result.mean)


def worst_of(game: Game, policy: Any, count: int, exploited: float | None, player: int | None = None) -> list[Weakness]:
    """Returns the ``count`` states where a policy loses most, in one seat or in both; none if they are not known."""
    if not exploited or exploited <= PROVEN:
        return []
    try:
        return weaknesses(game, policy, count, player=player)
    except (NotSeenError, *UNKNOWN):
        return []
