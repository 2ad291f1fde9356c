"""What ``exploitability --bounds`` and ``solve --bounds`` say: proven bounds of what is won, found by search."""

import contextlib
import json
import math
import shlex
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import rich
from rich.markup import escape

from nashzoo.agents.registry import self_play_learner
from nashzoo.app.shared.interruption import stoppable
from nashzoo.app.shared.policies import answers, up_to
from nashzoo.app.shared.words import sided, sides
from nashzoo.arena.measure import responded, stake_of
from nashzoo.baselines.bounded.fixed_policy import seen_by
from nashzoo.baselines.bounded.measure import SUFFIX, ExploitabilitySearch
from nashzoo.baselines.bounded.response import FoundResponse, played
from nashzoo.baselines.bounded.search import ResponseSearch
from nashzoo.baselines.certificate.bounds import Bounds
from nashzoo.baselines.policies.tabular import observed
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import check_file
from nashzoo.envs.base.progress import note, showing
from nashzoo.envs.base.words import command, counted, noun, with_minus, wrapped
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.game import CHANCE, Game
from nashzoo.envs.core.reachable import TooManyStatesError
from nashzoo.envs.jit.clock import working_time

LONGEST = 20  # steps of a game that are told
MET = 1e-8  # points between bounds of which more digits are told than they differ in
DIGITS = 6  # of a bound, rounded outwards
PLACES = 1_000  # parts of a point in which a sampled bound is told
BETWEEN = 60.0  # seconds between two times that the file is written
SLICE, LEARNING_SLICE = 1.0, 0.5  # seconds between two looks at signals
LEARNERS = "policy_gradient", "mccfr"  # where nothing is hidden, and where a part is
FIRST, GROWTH = 1.0, 1.5  # seconds of a round of learning, and of searching; and how much longer the next one takes
FIRST_STEPS = 256  # decisions of the first call of learn; later ones take a slice


@contextlib.contextmanager
def bounds_hint() -> Iterator[None]:
    """Adds to the error that a game is too large how to learn about it nevertheless."""
    try:
        yield
    except TooManyStatesError as error:
        raise TooManyStatesError(f"{error}; --bounds searches for proven bounds instead") from None


def in_words(bounds: Bounds, digits: int = DIGITS) -> str:
    """Returns bounds with few digits, rounded outwards; or the value, if they have met.

    >>> in_words(Bounds(0.33333349, 0.5)), in_words(Bounds(0.5 - 1e-12, 0.5 + 1e-12))
    ('0.333333 to 0.5', '0.5')
    """
    if bounds.upper - bounds.lower <= MET:
        return f"{round((bounds.lower + bounds.upper) / 2, digits) + 0.0:g}"
    scale = 10**digits
    lower, upper = math.floor(bounds.lower * scale) / scale + 0.0, math.ceil(bounds.upper * scale) / scale + 0.0
    return f"{lower:g} to {upper:g}"


def likely_game(search: ResponseSearch) -> list[str]:
    """Returns what happens, a line for each step, where chance and the policy do what is likeliest."""
    game, response, player, told = search.game, search.response, search.player, list[str]()
    code, nodes, won = int(game.start_codes[game.start_probabilities.argmax()]), np.zeros(1, np.int64), 0.0
    while not game.terminal(code) and len(told) < LONGEST:
        at = observed(game, np.array([code]), player)
        nodes = search.opponent.enter(at.codes, nodes)
        if game.turn(code) == CHANCE:
            outcomes, chances = game.outcomes(code)
            code = int(outcomes[chances.argmax()])
            won += game.payoff(code)
            continue
        movers, views = game.movers(code), seen_by(game, nodes, player)
        own = played({player: response}, np.array([player]), views, at.masks).argmax() if player in movers else 0
        other = search.opponent.at(nodes).argmax() if 1 - player in movers else 0
        actions = (int(own), int(other))[:: 1 - 2 * player]
        told.append(sided(game, game.event(code, *actions)))
        code = game.step(code, *actions)
        won += game.payoff(code)
    result = f"{abs(won):g} {noun(abs(won), 'point')} for {sides(game)[won < 0]}" if won else "a draw"
    return [*told, result if game.terminal(code) else "..."]


def tell_bounds(
    game: Game,
    line: str,
    agent: str,
    policy: Any,
    seconds: float,
    gap: float,
    keep: Path | None,
    as_json: bool,
    responses: Mapping[str, Agent] = MappingProxyType({}),
) -> None:
    """Searches, and prints the bounds; ``line`` is the game on a command line.

    First come given responses, by name: if their games are too many to walk they play for a tenth of the time a seat.

    Raises:
        UsageError: the seconds are no time, or the file has another suffix or is of another search.
    """
    if not 0 < seconds < math.inf or not gap >= 0:
        raise UsageError(f"seconds must be above 0 and gap at least 0, not {seconds:g} and {gap:g}")
    if keep is not None and keep.suffix != SUFFIX:
        raise UsageError(f"the name of the file must end in {SUFFIX}, not {keep.name}")
    search = ExploitabilitySearch(game, policy)
    if keep is not None:
        check_file(keep)
        if keep.exists():
            search.go_on(keep)
            note(f"goes on from {keep}: {in_words(search.bounds)}")
        else:
            search.save(keep)  # where nothing can be written, say so before the search
    if search.most_bytes < math.inf:
        note(f"may take up to {search.most_bytes / 1e9:.1f} GB of memory, half of what is free")
    tried = [
        (name, responded(search, policy, response, seat, seconds / 10))
        for name, response in responses.items()
        for seat in search.given
        if getattr(response, "complete", (True, True))[seat]
    ]
    done = search.improve(0.0, gap)  # compiles what it needs, before its time begins
    began = saved = time.monotonic()
    with stoppable() as came, showing(transient=True) as show:
        while not done and not came and (left := began + seconds - time.monotonic()) > 0:
            if search.nbytes > search.most_bytes:
                note(f"the search ends, for it has taken {search.nbytes / 1e9:.1f} GB of memory")
                break
            done = search.improve(min(left, SLICE), gap)
            if keep is not None and time.monotonic() - saved > BETWEEN:
                search.save(keep)
                saved = time.monotonic()
            show(f"bounds {in_words(search.bounds)}; seconds:", int(time.monotonic() - began), math.ceil(seconds))
    if keep is not None:
        search.save(keep)
    seats = {f"best_response_{seat}": bounds for seat, bounds in search.by_seat.items()}
    nodes = sum(len(one.nodes) for one in search.searches)
    if as_json:
        said = {"exploitability": search.bounds, **seats, "done": done, "nodes": nodes}
        rows = [{"player": name, **one._asdict()} for name, one in tried]
        print(json.dumps(said | answers(policy) | ({"responses": rows} if rows else {}), indent=2))
        return
    found = in_words(search.bounds)
    points = "1 point" if found == "1" else f"{found} points"
    print(wrapped(f"An opponent who knows {agent} wins {points} a game: proven{' bounds' * (' ' in found)}."))
    rich.print(f"\n[bold]{escape(agent)}[/bold] in {escape(str(game))}, bounds by search{up_to(policy)}")
    rich.print(f"{'exploitability':<20} {in_words(search.bounds)} points per game; perfect play: 0")
    for side, bounds in zip(sides(game), seats.values(), strict=False):
        rich.print(f"{f'  response as {side}':<20} {in_words(bounds)}")
    for name, (seat, won, games) in tried:
        basis = f"at least {math.floor(won.lower * PLACES) / PLACES:g} (sampled, 95 %, {counted(games, 'game')})"
        print(f"  {name} as {sides(game)[seat]}: {basis if games else f'{in_words(won)} (proven)'}")
    rich.print(f"{'nodes':<20} {nodes:,} in {time.monotonic() - began:.0f} s, {search.nbytes / 1e6:,.0f} MB")
    best = max(search.searches, key=lambda one: one.bounds.lower)
    if best.bounds.lower > -stake_of(game):  # there is something to show
        least, *apart = in_words(best.bounds).split(" to ")
        which = f"response that wins at least {least}" if apart else "best response"
        print(wrapped(f"\nA game of the {which}, as {sides(game)[best.player]}, against likely actions of {agent}:"))
        print("\n".join(f"  {event}" for event in likely_game(best)))
    if keep is not None:
        how = "" if done else f"The same command goes on from {keep}. "
        plays = isinstance(search.response, FoundResponse)  # the file, too
        print(wrapped(f"\n{how}{'The best response found is a player:' * plays}"))
        if plays:
            print(command(f"nashzoo play {line} --against {shlex.quote(str(keep))}"))


def tell_value(game: Game, seconds: float, gap: float, as_json: bool) -> None:
    """Learns and searches in turns, and prints bounds of the value of a game that is too large to list.

    A learner plays both seats, and searches bound what best responses win from its policy: in seat 0 it guarantees a
    lower bound of the value, in seat 1 an upper one. Rounds of learning and of searching take ever longer.

    Raises:
        UsageError: the seconds are no time, or the rules do not say what bounds need.
    """
    if not 0 < seconds < math.inf or not gap >= 0:
        raise UsageError(f"seconds must be above 0 and tolerance at least 0, not {seconds:g} and {gap:g}")
    learner, steps = self_play_learner(LEARNERS[game.hides])(game, 0), FIRST_STEPS
    most = stake_of(game)
    known, length, begun = Bounds(-most, most), FIRST, working_time()
    with stoppable() as came, showing(transient=True) as show:
        while not came and known.upper - known.lower > gap and (left := begun + seconds - working_time()) > 0:
            part, done, now = min(length, left / 2), False, working_time()
            until, end = now + part, now + 2 * part
            while not came and now < until:
                learner.learn(steps)
                before, now = now, working_time()
                steps = max(1, int(steps * min(2.0, LEARNING_SLICE / max(now - before, 1e-3))))
            search = ExploitabilitySearch(game, learner)
            while not came and not done and working_time() < end and search.nbytes <= search.most_bytes:
                done = search.improve(LEARNING_SLICE, gap)
                lower, upper = search.value_bounds
                known = Bounds(max(known.lower, lower), min(known.upper, upper))
                show(f"value {with_minus(in_words(known))}; seconds:", int(working_time() - begun), math.ceil(seconds))
            length *= GROWTH
    told = Bounds(game.points(known.lower), game.points(known.upper))
    if as_json:
        print(json.dumps({"value": told, "learner": learner.NAME, "timesteps": learner.num_timesteps}, indent=2))
        return
    print(wrapped(f"Perfect play wins {with_minus(in_words(told))} points a game as {sides(game)[0]}: proven bounds."))
    how = f"by policies of {learner.NAME} in {learner.num_timesteps:,} {learner.UNIT}, and searches for best responses"
    rich.print(f"\n[bold]{escape(str(game))}[/bold], {escape(how)}")
    first, second = sides(game)
    print(wrapped(f"A policy as {first} guarantees the lower bound, one as {second} concedes no more than the upper."))
    print(wrapped(f"At stake: {most:g} {noun(most, 'point')}. More --seconds bring the bounds closer."))
