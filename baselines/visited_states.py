"""What a policy loses at states that the equilibrium visits: a measure by sampling, for games of any size.

The equilibrium plays games against itself. One decision is drawn from each, so that the decisions are independent of
one another: every game counts the same, and in it every choice between two or more actions. The policy is asked there,
and nowhere else. In turn-based games without chance, which have many equilibria, all optimal actions are as likely.

Its *regret* at state ``s`` is ``V(s) - min_b E[reward + V(next state)]``: what an opponent that knows the probabilities
wins by its best action ``b`` there, if both play perfectly from then on. It is at least 0, and 0 everywhere for an
equilibrium. It sees no mistake at states to which perfect play does not lead.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from nashzoo.baselines.policies.tabular import Policy, as_policy, tabulate
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.stage_game import stage_game
from nashzoo.baselines.store import solution_of
from nashzoo.baselines.weak_states import NO_LOSS, Weakness, by_name
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import sample, uniform_over
from nashzoo.envs.core.checks import check_seen
from nashzoo.envs.core.game import CHANCE, Floats, Game, Ints


class SampledRegret(NamedTuple):
    """The regret of a policy at decisions drawn from games of the equilibrium against itself.

    Attributes:
        decisions: The number of decisions, each of a game of its own.
        mean: The mean regret of a decision, points.
        standard_error: Its standard error; NaN of a single decision.
        weaknesses: The states with a regret, those with the largest shares of the mean first. ``reach`` is the share of
            the decisions that fell on the state; shares add up to the mean.
    """

    decisions: int
    mean: float
    standard_error: float
    weaknesses: list[Weakness]


def sampled_regret(
    game: Game, policy: Policy, games: int, rng: np.random.Generator, solution: Solution | None = None
) -> SampledRegret:
    """Returns the regret of a policy at a random decision of each of ``games`` games of the equilibrium.

    The policy is asked at these states alone. In a symmetric game all states are as seen from seat 0.

    Args:
        game: The game.
        policy: The policy.
        games: The number of games; games without any choice are left out.
        rng: Draws the games, and the decision of each.
        solution: The game's solution, if it is at hand; looked up or computed when None.

    Raises:
        NoPolicyError: the policy has no probabilities by state, for example because it remembers more than the state.
        UsageError: the players do not see the whole state, so that states have no values; there was no choice in any
            game; or the policy's probabilities are not a distribution over the legal actions.
    """
    check_seen(game, NO_LOSS)
    policy = as_policy(policy, game)
    solution = solution_of(game) if solution is None else solution
    drawn = Counter(_drawn_decisions(solution, games, rng))
    if not (count := drawn.total()):
        raise UsageError(f"nobody had a choice in {games:,} games of {game.name}")
    found = []
    for seat in (0, 1):
        codes = [code for code, player in drawn if player == seat]
        if codes:
            table = tabulate(game, policy, np.array(codes), seat)
            found += [
                _weakness(solution, code, seat, plays, drawn[code, seat] / count)
                for code, plays in zip(codes, table, strict=True)
            ]
    mean = sum(each.share for each in found)
    squares = sum(each.reach * (each.regret - mean) ** 2 for each in found)
    error = float(np.sqrt(squares / (count - 1))) if count > 1 else float("nan")
    losses = sorted((each for each in found if each.regret > 0), key=lambda each: -each.share)
    return SampledRegret(count, mean, error, losses)


def _drawn_decisions(solution: Solution, games: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Returns the state and the player of a random decision of each game, where the player has several actions."""
    game = solution.game
    codes = [_decided(game, game.start(rng), rng) for _ in range(games)]
    drawn: list[tuple[int, int] | None] = [None] * games
    choices = [0] * games
    for _ in range(game.max_cycles):
        running = [k for k in range(games) if not game.terminal(codes[k])]
        if not running:
            break
        strategies = _equilibrium(solution, np.array([codes[k] for k in running]))
        actions = [sample(rows, rng.random(len(running))).tolist() for rows in strategies]
        for k, action0, action1 in zip(running, *actions, strict=True):
            for player in game.movers(codes[k]):
                if len(game.legal_actions(codes[k], player)) > 1:
                    choices[k] += 1
                    if rng.random() * choices[k] < 1:  # so that each of them is as likely to be kept
                        drawn[k] = _seen_from_first(game, codes[k], player)
            codes[k] = _decided(game, game.step(codes[k], action0, action1), rng)
    return [decision for decision in drawn if decision is not None]


def _equilibrium(solution: Solution, codes: Ints) -> tuple[Floats, Floats]:
    """Returns probabilities of both players ``[B, actions]`` at states, spread over all optimal actions if known."""
    strategies = solution.strategies(codes)
    if solution.distances is None:
        return strategies
    turns = np.array([solution.game.turn(code) for code in codes])[:, None]
    spread = uniform_over(solution.optimal_actions(codes))
    return np.where(turns == 0, spread, strategies[0]), np.where(turns == 1, spread, strategies[1])


def _decided(game: Game, code: int, rng: np.random.Generator) -> int:
    """Returns the state after the chance events that follow a state."""
    while not game.terminal(code) and game.turn(code) == CHANCE:
        outcomes, chances = game.outcomes(code)
        code = int(rng.choice(outcomes, p=chances / chances.sum()))
    return code


def _seen_from_first(game: Game, code: int, player: int) -> tuple[int, int]:
    """Returns a decision, in a symmetric game that of player 0 at the mirrored state."""
    if game.symmetric and player == 1:
        return int(game.swap_players(np.array([code]))[0]), 0
    return code, player


def _weakness(solution: Solution, code: int, seat: int, plays: Floats, reach: float) -> Weakness:
    """Returns what probabilities ``[actions]`` lose at a state, and the action of the other player that wins it."""
    game, stage = solution.game, stage_game(solution, code)
    regret, reply = stage.exploited(seat, plays[list(stage.actions[seat])])
    return Weakness(
        seat=seat,
        code=code,
        situation=game.spell(code),
        reach=reach,
        regret=regret,
        share=reach * regret,
        plays=by_name(game, plays, code, seat),
        best=by_name(game, solution.strategies(np.array([code]))[seat][0], code, seat),
        punished_by=game.actions[reply] if 1 - seat in game.movers(code) else "",
        value=stage.value * (1 - 2 * seat),
    )
