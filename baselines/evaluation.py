"""Exact values of pairs of policies, best responses, NashConv and exploitability.

All figures are in points per game, from the start of the game, and play that never ends has the value 0. Each is
computed together with a lower and an upper bound that include all rounding, and is within 1e-9 of the true value. If
the bounds are too far apart, an error with the bounds is raised; with ``bounds=True`` the bounds are returned.

A policy depends on the state alone, or is a :class:`nashzoo.envs.core.agent.FiniteMemoryAgent`, which is measured
on pairs of a state and a memory state. Its probabilities are divided by their exact sum.

Sources: exploitability and NashConv as in Lanctot et al. (2017), "A Unified Game-Theoretic Approach to Multiagent
Reinforcement Learning".
"""

from typing import Generic, Literal, NamedTuple, TypeVar, overload

from nashzoo.baselines.bounded.response import ResponseToMemory
from nashzoo.baselines.certificate.bounds import Bounds
from nashzoo.baselines.forms import form_of, solve
from nashzoo.baselines.policies.adapters import is_pair
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.baselines.policies.with_memory import PolicyLike
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.lazy import brief

Value = TypeVar("Value", float, Bounds)


class BestResponse(NamedTuple, Generic[Value]):
    """A best response to a fixed policy, and its value.

    Attributes:
        value: To the responding player, points per game; or its bounds, with ``bounds=True``.
        policy: A policy with this value. At states that are not reached against the fixed policy it plays the first
            legal action.
    """

    value: Value
    policy: TabularPolicy | ResponseToMemory


@overload
def evaluate(game: Game, policy0: PolicyLike, policy1: PolicyLike, *, bounds: Literal[False] = False) -> float: ...
@overload
def evaluate(game: Game, policy0: PolicyLike, policy1: PolicyLike, *, bounds: Literal[True]) -> Bounds: ...
@brief()
def evaluate(game: Game, policy0: PolicyLike, policy1: PolicyLike, *, bounds: bool = False) -> float | Bounds:
    """Returns the value of ``policy0`` in seat 0 against ``policy1`` in seat 1, points per game.

    With ``bounds`` it is a lower and an upper bound instead of the value, however far apart.

    Raises:
        NoPolicyError: a policy has no probabilities by state, for example because it remembers more than the state.
        ValueError: a policy's probabilities are not a distribution over the legal actions.
        UnprovenValueError: the value cannot be computed to within 1e-9.
    """
    estimate = form_of(game).value(_given(policy0), _given(policy1))
    return estimate.bounds if bounds else estimate.proven()


@overload
def best_response(
    game: Game, policy: PolicyLike, player: int, *, bounds: Literal[False] = False
) -> BestResponse[float]: ...
@overload
def best_response(game: Game, policy: PolicyLike, player: int, *, bounds: Literal[True]) -> BestResponse[Bounds]: ...
@brief()
def best_response(
    game: Game, policy: PolicyLike, player: int, *, bounds: bool = False
) -> BestResponse[float] | BestResponse[Bounds]:
    """Returns a best response of ``player`` to ``policy`` in the other seat, and its value.

    Args:
        game: The game.
        policy: The policy in the other seat.
        player: The responding player.
        bounds: Whether to return a lower and an upper bound instead of the value, however far apart; the policy's
            value is not below the lower one.

    Raises:
        NoPolicyError: the policy has no probabilities by state, for example because it remembers more than the state.
        ValueError: its probabilities are not a distribution over the legal actions, or there is no such player.
        UnprovenValueError: the value cannot be computed to within 1e-9.
    """
    _check_player(player)
    estimate, response = form_of(game).best_response(_given(policy), player)
    return BestResponse(estimate.bounds, response) if bounds else BestResponse(estimate.proven(), response)


@overload
def nash_conv(
    game: Game, policy: PolicyLike, policy1: PolicyLike | None = None, *, bounds: Literal[False] = False
) -> float: ...
@overload
def nash_conv(
    game: Game, policy: PolicyLike, policy1: PolicyLike | None = None, *, bounds: Literal[True]
) -> Bounds: ...
@brief()
def nash_conv(
    game: Game, policy: PolicyLike, policy1: PolicyLike | None = None, *, bounds: bool = False
) -> float | Bounds:
    """Returns the sum of what best responses in both seats win from a policy, points per game.

    Args:
        game: The game.
        policy: The policy in seat 0, and in seat 1 too unless ``policy1`` is given; or a pair of both.
        policy1: The policy in seat 1.
        bounds: Whether to return a lower and an upper bound instead of the value, however far apart.

    Raises:
        NoPolicyError: a policy has no probabilities by state, for example because it remembers more than the state.
        ValueError: a policy's probabilities are not a distribution over the legal actions.
        UnprovenValueError: the value cannot be computed to within 1e-9.
    """
    estimate = form_of(game).nash_conv(*_by_seat(policy, policy1))
    return estimate.bounds if bounds else estimate.proven()


@overload
def exploitability(
    game: Game,
    policy: PolicyLike,
    policy1: PolicyLike | None = None,
    *,
    player: int | None = None,
    bounds: Literal[False] = False,
) -> float: ...
@overload
def exploitability(
    game: Game,
    policy: PolicyLike,
    policy1: PolicyLike | None = None,
    *,
    player: int | None = None,
    bounds: Literal[True],
) -> Bounds: ...
@brief()
def exploitability(
    game: Game,
    policy: PolicyLike,
    policy1: PolicyLike | None = None,
    *,
    player: int | None = None,
    bounds: bool = False,
) -> float | Bounds:
    """Returns the exploitability of a policy: half of :func:`nash_conv`, points per game.

    Args:
        game: The game.
        policy: The policy in seat 0, and in seat 1 too unless ``policy1`` is given; or a pair of both.
        policy1: The policy in seat 1.
        player: Measures one seat only: the game's value minus the value that the policy guarantees there.
        bounds: Whether to return a lower and an upper bound instead of the value, however far apart.

    Raises:
        NoPolicyError: a policy has no probabilities by state, for example because it remembers more than the state.
        ValueError: a policy's probabilities are not a distribution over the legal actions, or there is no such
            player.
        UnprovenValueError: the value cannot be computed to within 1e-9.
    """
    form = form_of(game)
    policy, policy1 = _by_seat(policy, policy1)
    if player is None:
        estimate = form.nash_conv(policy, policy1).times(0.5)
    else:
        _check_player(player)
        if not game.symmetric:
            form.check_kept()  # without which the game's value is not known, and no measure is of use
        estimate = form.secured(policy if player == 0 or policy1 is None else policy1, player).negative()
        if not game.symmetric:  # whose value is 0
            value = solve(game).start_estimate
            estimate = estimate.plus(value if player == 0 else value.negative())
    # Rounding can make an optimum look better than one.
    return estimate.bounds if bounds else max(0.0, estimate.proven())


@brief()
def secured(game: Game, policy: PolicyLike) -> tuple[float, float]:
    """Returns the values that a policy guarantees in seat 0 and concedes in seat 1, to player 0, in points per game.

    Both are against best responses. They are bounds of the game's value; their difference is :func:`nash_conv`.

    Raises:
        NoPolicyError: the policy has no probabilities by state, for example because it remembers more than the state.
        ValueError: its probabilities are not a distribution over the legal actions.
        UnprovenValueError: a value cannot be computed to within 1e-9.
    """
    form = form_of(game)
    lower = form.secured(_given(policy), 0).proven()
    return lower, -(lower if game.symmetric else form.secured(policy, 1).proven())


class Outcomes(NamedTuple):
    """The probabilities that player 0's return is positive, 0, and negative; their sum is 1."""

    win: float
    draw: float
    loss: float


def outcomes(game: Game, policy0: PolicyLike, policy1: PolicyLike) -> Outcomes:
    """Returns the probabilities of ``policy0`` in seat 0 against ``policy1`` in seat 1; endless play is a draw.

    The probability of a result is the value of the game in which only this result gives a point. So all rewards must be
    at the end, where the last one determines the winner.

    Raises:
        NoPolicyError: a policy has no probabilities by state, for example because it remembers more than the state.
        UsageError: the game has rewards before its end, or a policy's probabilities are not a distribution over the
            legal actions.
        UnprovenValueError: a probability cannot be computed to within 1e-9.
    """
    win, loss = (estimate.proven() for estimate in form_of(game).wins(policy0, policy1))
    return Outcomes(win, max(1.0 - win - loss, 0.0), loss)


def _by_seat(policy: PolicyLike, policy1: PolicyLike | None) -> tuple[PolicyLike, PolicyLike | None]:
    """Returns the policies of both seats; a pair is one for each, also where these observe the same."""
    pair = (policy[0], policy[1]) if policy1 is None and is_pair(policy) else (policy, policy1)
    return _given(pair[0]), pair[1]


def _given(policy: PolicyLike) -> PolicyLike:
    """Returns a policy; None would be a player who is free to choose."""
    if policy is None:
        raise NoPolicyError("the policy is None: perhaps the function that makes it returns nothing")
    return policy


def _check_player(player: int) -> None:
    if player not in (0, 1):
        raise ValueError(f"player must be 0 or 1, not {player!r}")
