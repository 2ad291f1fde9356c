"""Bounds of the exploitability of a policy by searches for best responses, in games that are too large to list."""

import json
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.baselines.bounded.response import FoundResponse, ResponseToMemory, chosen
from nashzoo.baselines.bounded.search import ResponseSearch
from nashzoo.baselines.bounded.walk import Walk
from nashzoo.baselines.certificate.bounds import PROVEN, Bounds, Estimate
from nashzoo.baselines.policies.adapters import is_pair
from nashzoo.baselines.policies.with_memory import PolicyLike
from nashzoo.envs.base.array_files import read_arrays, write_arrays
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.memory import available_memory
from nashzoo.envs.base.signals import postponed
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.checks import check_count, check_game
from nashzoo.envs.core.game import Game

SLICE = 0.5  # seconds for one seat, then the other one may have bounds farther apart
SHARE = 2  # of the memory that is left, a search takes one part in so many
FORMAT = "nashzoo-response 3"
SUFFIX = ".response"


class ExploitabilitySearch:
    """Searches for best responses to a policy in both seats, so far and as long as one likes.

    Args:
        game: The game; it need not be possible to list it. The rules' ``at_stake`` must bound what is still to win.
        policy: The policy in seat 0, and in seat 1 too unless ``policy1`` is given; or a pair of both.
        policy1: The policy in seat 1.
        seed: Of the random numbers by which the searches look around.

    Attributes:
        most_bytes: At so many bytes of memory a search ends: half of what is left, at first.
        given: What the best of the given responses wins in each seat at least, proven.

    Raises:
        NoPolicyError: a policy has no probabilities by state, for example because it remembers more than the state.
        UsageError: its probabilities are not a distribution over the legal actions.
    """

    def __init__(self, game: Game, policy: PolicyLike, policy1: PolicyLike | None = None, seed: int = 0) -> None:
        self.game, seed = check_game(game), check_count("seed", seed, 0)
        first, second = policy if policy1 is None and is_pair(policy) else (policy, policy1)
        both = (first, first if second is None else second)
        # In a symmetric game a policy observes the same in both seats, and so does the responder.
        seats = (0,) if game.symmetric and both[0] is both[1] else (0, 1)
        self.searches = [ResponseSearch(game, both[1 - seat], seat, seed) for seat in seats]
        self._policies, self.given = both, dict.fromkeys(seats, -np.inf)
        left = available_memory()
        self.most_bytes = np.inf if left is None else left // SHARE

    @property
    def bounds(self) -> Bounds:
        """Bounds of the exploitability, half of what best responses in both seats win; points per game."""
        sides = [Estimate(0.0, *side) for side in self.by_seat.values()]
        total = sides[0] if len(sides) == 1 else sides[0].plus(sides[1]).times(0.5)
        return Bounds(max(0.0, total.lower), total.upper)

    @property
    def by_seat(self) -> dict[int, Bounds]:
        """Bounds of what a best response wins in each seat, points per game."""
        found = {one.player: one.bounds for one in self.searches}
        return {seat: Bounds(max(side.lower, self.given[seat]), side.upper) for seat, side in found.items()}

    @property
    def value_bounds(self) -> Bounds:
        """What the policies guarantee in seat 0, and concede in seat 1, which are bounds of the game's value."""
        won = {search.player: search.bounds.upper for search in self.searches}
        return Bounds(-won.get(1, won[0]), won[0])

    @property
    def nbytes(self) -> int:
        """The bytes of memory that the searches take."""
        return sum(search.nbytes for search in self.searches)

    @property
    def response(self) -> FoundResponse | ResponseToMemory:
        """The best responses that have been found, as a player of both seats.

        In a symmetric game with a policy for each seat it is the response to the one in seat 1 alone.
        """
        choices = {one.player: one.response for one in self.searches}
        others = {one.player: one.opponent for one in self.searches if one.opponent.memories > 1}
        unseen = [seat for seat, other in others.items() if other.moves_alone]
        return ResponseToMemory(self.game, choices, others, unseen) if others else FoundResponse(self.game, choices)

    def respond(self, response: PolicyLike, seat: int) -> Bounds:
        """Returns proven bounds of what a given response wins in a seat; its lower bound is one more of the search.

        All games of the two are walked. The bounds are far apart where these are many.

        Raises:
            NoPolicyError: the response has no probabilities by state.
        """
        won = Walk(self.game, self._policies[1 - seat], response, seat).bounds
        self.given[seat] = max(self.given[seat], won.lower)
        return won

    def improve(self, seconds: float, gap: float = PROVEN) -> bool:
        """Searches for some seconds, or until the bounds are as close as ``gap``; it can be called again.

        After an interruption the searches are as before a round.

        Returns:
            Whether it is done, because the bounds are close or all that matters is known.

        Raises:
            UsageError: the seconds or the gap are below 0, or not a number.
        """
        if not (seconds >= 0 and gap >= 0):
            raise UsageError(f"seconds and gap must be at least 0, not {seconds:g} and {gap:g}")
        until, left = time.monotonic() + seconds, list(self.searches)
        while left and self.bounds.upper - self.bounds.lower > gap:
            search = max(left, key=lambda one: one.bounds.upper - one.bounds.lower)
            end = min(until, time.monotonic() + SLICE)
            while True:
                with postponed():
                    done = search.improve(gap)
                if done:
                    left.remove(search)
                if done or time.monotonic() >= end:
                    break
            if time.monotonic() >= until or self.nbytes > self.most_bytes:
                return False
        return True

    def save(self, path: str | Path) -> None:
        """Writes what is known into a file, with a checksum; if no player has memory it is also the response."""
        names = {f"{one.player}.{name}": array for one in self.searches for name, array in one.arrays().items()}
        write_arrays(path, self._about(), names)

    def _about(self) -> dict[str, str]:
        seats = json.dumps({one.player: one.opponent.memories for one in self.searches})
        return {"format": FORMAT, "game": str(self.game), "seats": seats, "version": version("nashzoo")}

    def go_on(self, path: str | Path) -> None:
        """Goes on with what a file says, of a search against the same policies.

        Raises:
            FileNotFoundError: there is no such file.
            UsageError: it is of another game, or no such file, or damaged.
            NoPolicyError: a policy has other probabilities than it had then.
        """
        arrays = _arrays_in(Path(path), self._about())
        for one in self.searches:
            own = {name.partition(".")[2]: array for name, array in arrays.items() if name[0] == str(one.player)}
            try:
                one.go_on(own)
            except NoPolicyError as error:
                raise NoPolicyError(f"{path} is of a search against another player, or: {error}") from None


def _arrays_in(path: Path, about: dict[str, str]) -> dict[str, Any]:
    content = read_arrays(path, "no file of a response")
    if content.metadata.get("format") != FORMAT:
        raise UsageError(f"{path} is no file of a response of this version ({FORMAT})")
    if content.metadata.get("game") != about["game"]:
        raise UsageError(f"{path} is of {content.metadata.get('game')}, not of {about['game']}")
    if about.get("seats", content.metadata.get("seats")) != content.metadata.get("seats"):
        raise UsageError(f"{path} is of another search: one policy in both seats, or one in each, or other memories")
    if not content.is_whole:
        raise UsageError(f"{path} is damaged: it is not what was written; put a copy back, or search anew")
    return dict(content.arrays)


def saved_response(path: str | Path, game: Game, seed: int | None = None) -> FoundResponse:
    """Returns the response in a file that :meth:`ExploitabilitySearch.save` wrote, as a player.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it is of another game, or no such file, or damaged, or answers a player with memory.
    """
    arrays, choices = _arrays_in(Path(path), {"game": str(game)}), {}
    for seat in (0, 1):
        if len(arrays.get(f"{seat}.entered.pairs", ())):
            raise UsageError(
                f"{path} answers a player with memory: an ExploitabilitySearch that goes on with it plays it"
            )
        if f"{seat}.decisions" in arrays:
            choices[seat] = chosen(np.array(arrays[f"{seat}.decisions"]), np.array(arrays[f"{seat}.nodes.best"]))
    return FoundResponse(game, choices, seed)


def exploitability_bounds(
    game: Game,
    policy: PolicyLike,
    policy1: PolicyLike | None = None,
    *,
    seconds: float = 60.0,
    gap: float = PROVEN,
    seed: int = 0,
    responses: Sequence[PolicyLike] = (),
) -> Bounds:
    """Returns a lower and an upper bound of the exploitability of a policy, points per game, in a game of any size.

    Both are proven at any moment, with all rounding; with time they meet. They rest on the rules' ``at_stake``: from a
    state on, no player wins or loses more. :class:`ExploitabilitySearch` can go on, and has the best responses found.

    Args:
        game: The game.
        policy: The policy in seat 0, and in seat 1 too unless ``policy1`` is given; or a pair of both.
        policy1: The policy in seat 1.
        seconds: How long to search at most.
        gap: Bounds as close as this are enough, points.
        seed: Of the random numbers by which the search looks around.
        responses: Players whose games against the policy are walked: what one wins is a lower bound too. What is proven
            counts alone, see :meth:`ExploitabilitySearch.respond`.

    Raises:
        NoPolicyError: a policy has no probabilities by state, for example because it remembers more than the state.
        UsageError: its probabilities are not a distribution over the legal actions, or more is paid than is at stake.

    Sources: McMahan, Likhachev and Gordon (2005), "Bounded real-time dynamic programming"; Smith and Simmons (2004),
    "Heuristic search value iteration for POMDPs".
    """
    search = ExploitabilitySearch(game, policy, policy1, seed)
    for response in responses:
        for seat in search.given:
            search.respond(response, seat)
    search.improve(seconds, gap)
    return search.bounds
