"""The states at which an agent, or a player of recorded matches, loses points, and why."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from nashzoo import agents
from nashzoo.app.shared.parsing import game_in_file
from nashzoo.app.shared.policies import answers, basis, invalid_share, rounded
from nashzoo.app.shared.weak_spots import Spot, merged
from nashzoo.arena import records
from nashzoo.arena.match import Z
from nashzoo.arena.recorded_policy import RecordedPolicy, seats_of
from nashzoo.baselines import Policy, Solution, Weakness, exploitability, weaknesses
from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.baselines.measures import best_or_none, value_or_none
from nashzoo.baselines.stage_game import stage_game
from nashzoo.baselines.store import solution_of
from nashzoo.baselines.visited_states import sampled_regret
from nashzoo.envs import Game, games
from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import figure, points
from nashzoo.envs.core.reachable import TooManyStatesError

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
    if spots and game.turn_based and spots[0].worst.value is not None:
        solved = solution_of(game) if solution is None else solution
        spots = [spot._replace(right=_right(solved, spot.worst)) for spot in spots]
    if not isinstance(policy, RecordedPolicy):
        return spots
    decisions = [sum(policy.decisions_at((one.code, one.seat)) for one in spot.states) for spot in spots]
    return [spot._replace(decisions=number) for spot, number in zip(spots, decisions, strict=True)]


def _right(solution: Solution, state: Weakness) -> tuple[str, ...]:
    """Returns the actions that lose nothing at a state where one player moves; none where another one does."""
    game = solution.game
    losses = stage_game(solution, state.code).losses(state.seat) if game.movers(state.code) == (state.seat,) else ()
    actions = game.legal_actions(state.code, state.seat)
    return tuple(game.actions[action] for action, loss in zip(actions, losses, strict=False) if loss <= PROVEN)


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
