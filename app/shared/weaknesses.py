"""The states at which an agent, or a player of recorded matches, loses points, and why."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from nashzoo import agents
from nashzoo.app.shared.parsing import game_in_file
from nashzoo.app.shared.policies import answers, basis, invalid_share, rounded
from nashzoo.app.shared.weak_spots import FEW_WRONG, Spot, merged
from nashzoo.arena import records
from nashzoo.arena.match import Z
from nashzoo.arena.recorded_policy import RecordedPolicy, seats_of
from nashzoo.arena.review import kind_of
from nashzoo.baselines import Policy, Solution, Weakness, exploitability, weaknesses
from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.baselines.measures import best_or_none, value_or_none
from nashzoo.baselines.policies.tabular import tabulate
from nashzoo.baselines.stage_game import stage_game
from nashzoo.baselines.store import solution_of
from nashzoo.baselines.visited_states import sampled_regret
from nashzoo.envs import Game, games
from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import figure, points
from nashzoo.envs.core.agent import FiniteMemoryAgent
from nashzoo.envs.core.game import CHANCE, Floats
from nashzoo.envs.core.reachable import TooManyStatesError, reachable

FEW = 2000  # states, among which all with the same choice are looked for
MOST_MERGED = 100_000  # states of a seat among which the same mistakes are looked for
LEAST_DRAWN = 2  # decisions, of which there is an interval
RULE_OF_THREE = 3.0  # over the decisions without a mistake: the bound, with 95 % confidence, of the share with one


class Measured(NamedTuple):
    """What a player loses, and where."""

    total: float  # points per unit
    losses: list[Weakness]  # states, the largest shares first
    figures: dict[str, Any]  # what is measured, for JSON; total is the first
    about: str  # the same in a sentence
    unit: str  # "game" or "decision"


def spots_of(
    game: Game, measured: Measured, policy: Policy, most: int, merge: bool, solution: Solution | None = None
) -> list[Spot]:
    """Returns the spots with the largest shares, of records with the number of decisions there.

    Args:
        game: The game.
        measured: What the policy loses.
        policy: The policy.
        most: The largest number of spots.
        merge: Whether states with the same mistake are put together.
        solution: The game's solution, if it is at hand; looked up or computed, where it is needed, when None.
    """
    spots = (merged(game, measured.losses) if merge else [Spot((each,)) for each in measured.losses])[:most]
    if spots and spots[0].worst.value is not None:
        solved = solution_of(game) if solution is None else solution
        if game.turn_based:
            spots = [_with_right(solved, spot) for spot in spots]
        elif not isinstance(policy, RecordedPolicy):
            seen = {seat: _seen(solved, policy, seat) for seat in {spot.worst.seat for spot in spots}}
            spots = [s._replace(when=was.condition(game, s)) if (was := seen[s.worst.seat]) else s for s in spots]
    if not isinstance(policy, RecordedPolicy):
        return spots
    decisions = [sum(policy.decisions_at((one.code, one.seat)) for one in spot.states) for spot in spots]
    return [spot._replace(decisions=number) for spot, number in zip(spots, decisions, strict=True)]


def _with_right(solution: Solution, spot: Spot) -> Spot:
    """Returns a spot with the actions that lose nothing, and with the right answers to the costliest wrong action."""
    game, (seat, code) = solution.game, (spot.worst.seat, spot.worst.code)
    if game.movers(code) != (seat,):
        return spot
    actions, losses = game.legal_actions(code, seat), stage_game(solution, code).losses(seat)
    costs = [loss * spot.worst.plays[game.actions[action]] for action, loss in zip(actions, losses, strict=True)]
    wrong = actions[int(np.argmax(costs))]
    spot = spot._replace(right=_lossless(solution, code, seat))
    ((_, after),) = (each for each in next_states(game, code) if each[0] and each[0][seat] == wrong)
    if game.terminal(after) or game.movers(after) != (1 - seat,):
        return spot
    answers = _lossless(solution, after, 1 - seat)
    few = len(answers) <= FEW_WRONG and len(answers) < len(game.legal_actions(after, 1 - seat))
    return spot._replace(answered=(game.actions[wrong], answers)) if few else spot


def _lossless(solution: Solution, code: int, seat: int) -> tuple[str, ...]:
    """Returns the actions that lose nothing at a state where one player moves."""
    game, losses = solution.game, stage_game(solution, code).losses(seat)
    actions = game.legal_actions(code, seat)
    return tuple(game.actions[action] for action, loss in zip(actions, losses, strict=True) if loss <= PROVEN)


def next_states(game: Game, code: int) -> Iterator[tuple[tuple[int, int] | None, int]]:
    """Yields the pairs of legal actions, or None where chance decides, and the states that follow."""
    if game.terminal(code):
        return
    if game.turn(code) == CHANCE:
        yield from ((None, int(after)) for after in game.outcomes(code)[0])
        return
    for actions in itertools.product(game.legal_actions(code, 0), game.legal_actions(code, 1)):
        yield actions, game.rules.step(game.params, code, *actions)


def is_of_rounds(solution: Solution) -> bool:
    """Returns whether after any choices the same choice follows, or none does, so that losses add up."""
    game, codes = solution.game, set(map(int, solution.game.start_codes))
    for _ in range(solution.num_states + 1):  # or states recur, and it need not end
        if all(map(game.terminal, codes)):
            return True
        if any(game.terminal(code) or len(game.movers(code)) < 2 for code in codes):
            return False
        if len(kinds := {kind_of(solution, code, 0) for code in codes}) > 1 or None in kinds:
            return False
        codes = {after for code in codes for _, after in next_states(game, code)}
    return False


class _Seen(NamedTuple):
    """What a player saw last where its play leads, in a game whose states differ in nothing but what was seen."""

    latest: dict[int, set[tuple[int, ...]]]  # the actions of both that lead to each state
    plays: dict[int, Floats]  # by state; empty for a player with a memory of its own

    def is_enough(self, latest: dict[int, int]) -> bool:
        """Returns whether the player plays alike wherever these actions, by player, were the latest."""
        alike = [
            self.plays[code]
            for code, pairs in self.latest.items()
            if code in self.plays and all(pair[player] == action for pair in pairs for player, action in latest.items())
        ]
        return len(alike) > 0 and not np.ptp(alike, axis=0).any()

    def condition(self, game: Game, spot: Spot) -> str:
        """Returns after which actions there is a mistake, in words; empty if it is everywhere."""
        before, seat = [self.latest.get(one.code, set()) for one in spot.states], spot.worst.seat
        pairs = set[Any]().union(*before)
        made = {player: {pair[player] for pair in pairs} for player in (seat, 1 - seat)}
        known = {player: min(actions) for player, actions in made.items() if len(actions) == 1}
        fewer = ({}, *({player: action} for player, action in known.items()))
        known = next((some for some in fewer if self.is_enough(some)), known)
        names = {seat: "its", 1 - seat: "the opponent's"}
        after = " and ".join(f"{names[player]} {game.labels[action]}" for player, action in known.items())
        if not after and pairs:
            return ""
        return " and ".join(["at the start"] * (not all(before)) + [f"after {after}"] * bool(after))


def _seen(solution: Solution, policy: Policy, seat: int) -> _Seen | None:
    """Returns what a player saw last; None where a state is more than that, or there are many."""
    game = solution.game
    if solution.num_states > FEW or not is_of_rounds(solution):
        return None
    codes = np.array([code for code in reachable(game).tolist() if not game.terminal(code)])
    remembers = isinstance(policy, FiniteMemoryAgent)
    plays = {} if remembers else dict(zip(codes.tolist(), tabulate(game, policy, codes, seat), strict=True))
    latest, waiting = dict[int, set[tuple[int, ...]]](), list(map(int, game.start_codes))
    for code in waiting:
        for actions, after in () if game.terminal(code) else next_states(game, code):
            if actions and (remembers or plays[code][actions[seat]] > 0.0):
                if after not in latest:
                    waiting.append(after)
                latest.setdefault(after, set()).add(actions)
    return _Seen(latest, plays)


def policies(
    game: str, chosen: Game, player: str, option: tuple[str, ...], recorded: Path | None, against: str | None
) -> tuple[Policy, Policy | None]:
    """Returns the policy to measure and that of the opponent, if one is given: of agents, or of recorded players."""
    if recorded is None:
        policy = cast(Policy, agents.as_agent(player, chosen, **assignments(option)))
        return policy, None if against is None else cast(Policy, agents.as_agent(against, chosen))
    if option:
        raise UsageError("a player of records has the options that stand there; leave out --option")
    make = game_in_file(None if game in games() else game)
    files = sorted(recorded.rglob(f"*{records.SUFFIX}")) if recorded.is_dir() else [recorded]
    found: Iterator[records.Record] = (record for file in files for record in records.read(file, make))
    if against is None:
        return RecordedPolicy(chosen, player, found), None
    pair = [record for record in found if seats_of(record, player) and seats_of(record, against)]
    return RecordedPolicy(chosen, player, pair), RecordedPolicy(chosen, against, pair)


def everywhere(game: Game, policy: Policy, most: int, solution: Solution | None = None) -> Measured:
    """Measures a policy exactly, at all states."""
    try:
        losses, total = weaknesses(game, policy, most, solution), exploitability(game, policy)
    except TooManyStatesError as error:
        raise TooManyStatesError(f"{error}; --states 200 asks it at states that the equilibrium visits") from None
    if total <= PROVEN:  # what is lost at one state is given back at another
        losses = []
    lost = points(float(rounded(total, policy)))
    about = (
        f"loses {lost} per game to an opponent who knows how it plays ({basis(policy)}){invalid_share(policy)}"
        + "; nothing costs it anything" * (not losses)
    )
    return Measured(total, losses, {"exploitability": total} | answers(policy), about, "game")


def in_a_pair(game: Game, policy: Policy, other: Policy, against: str, most: int) -> Measured:
    """Measures what a policy wins less from another than a best response does, at all states."""
    losses = weaknesses(game, policy, most, against=other)
    wins, best = value_or_none(game, policy, other), best_or_none(game, other)
    assert wins is not None and best is not None  # or the states had not been found
    total, wins, best = best - wins, game.points(wins), game.points(best)
    if total <= PROVEN:
        total, losses = 0.0, []
    won, winnable, more = (float(rounded(one, policy, other)) for one in (wins, best, total))
    about = (
        f"wins {points(won)} per game from {against}, {basis(policy)}{invalid_share(policy)}; a best response wins "
        f"{figure(winnable)}, {figure(more)} more" + "; nothing costs it anything" * (not losses)
    )
    return Measured(
        total, losses, {"difference": total, "wins": wins, "best_response": best} | answers(policy), about, "game"
    )


def sampled(
    game: Game, policy: Policy, games: int, rng: np.random.Generator, solution: Solution | None = None
) -> Measured:
    """Measures a policy at states that the equilibrium visits."""
    decisions, mean, error, losses = sampled_regret(game, policy, games, rng, solution)
    half = Z * error if error or not losses else None  # where all cost the same, they say nothing of their spread
    figures = {"mean_regret": mean, "half_width": half, "drawn": decisions, "states_with_regret": len(losses)}
    interval = "no interval, as all cost the same" if half is None else f"95 % interval ± {figure(half)}"
    about = (
        f"loses {points(mean)} per decision to an opponent who knows how it plays ({interval}), "
        f"in {decisions:,} random positions of perfect play"
        f"{invalid_share(policy)}"
    )
    if not losses:
        about += f"; none costs anything, so with 95 % confidence at most {min(1.0, RULE_OF_THREE / decisions):.1%} do"
    return Measured(mean, losses, figures | answers(policy), about, "decision")
