"""The successors of states by the rules alone, for checkers: no solver is trusted with them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import Bounds
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import CHANCE, Floats, Game, Ints, Mask
from nashzoo.envs.core.kernels import LOSE, ROOM, ChanceError, legal_all, outcomes_all, play_all
from nashzoo.envs.core.reachable import turns_of

OVER = -1  # the code of every terminal state
NOT_HELD = "step leads to a state that its code does not hold"


class CertificateError(ArithmeticError):
    """A solution is wrong, or the proof of it fails."""


class UnprovenSolutionError(CertificateError, UsageError):
    """No solution could be proven, as play lasts too long or numbers are too far apart; or the solver has a fault.

    Attributes:
        why: What could not be proven.
        bounds: Proven bounds of the game's value to player 0, points.
    """

    def __init__(self, why: str, bounds: Bounds) -> None:
        known = f"the value of the game lies between {bounds.lower:.9g} and {bounds.upper:.9g} points"
        if not np.isfinite(bounds).all():
            known = "the game pays on the way, or its start was not solved, and no bounds of its value are known"
        super().__init__(f"{why}; {known}")
        self.why, self.bounds = why, bounds


class Steps(NamedTuple):
    """The successors of ``B`` states at which player 0 has ``m`` legal actions and player 1 has ``n``.

    The states are the last axis: the others are short, and NumPy is slow if the last axis is short.
    """

    rows: Ints  # [B], indices among the given states
    actions: tuple[Ints, Ints]  # [m, B] and [n, B]
    after: Ints  # [m, n, B], codes, OVER for terminal states
    rewards: Floats  # [m, n, B], to player 0
    chances: Floats | None = None  # [m, B], at chance states: then ``m`` is the number of outcomes


def allowed_masks(game: Game, codes: Ints, allowed: tuple[Ints, Ints] | None) -> Mask:
    """Returns the allowed actions of player 0 and player 1 ``[2, B, actions]``: action 0 at chance states."""
    masks = np.empty((2, len(codes), game.num_actions), np.int8)
    chance = turns_of(game, codes) == CHANCE
    if chance.any():  # for which the rules define no actions
        masks[:] = np.eye(1, game.num_actions, dtype=np.int8)
        left = None if allowed is None else (allowed[0][~chance], allowed[1][~chance])
        masks[:, ~chance] = allowed_masks(game, codes[~chance], left)
        return masks
    for player in range(2):
        legal_all(game.compiled, codes, np.full(len(codes), player), masks[player])
        if allowed is not None:
            masks[player] &= (allowed[player][:, None] >> np.arange(game.num_actions) & 1).astype(np.int8)
    return masks


def steps(game: Game, codes: Ints, allowed: tuple[Ints, Ints] | None = None) -> Iterator[Steps]:
    """Yields the successors of states ``[B]``, grouped by numbers of actions.

    Raises:
        CertificateError: a player has no legal action, a reward is not finite, or a code does not hold its state.
    """
    masks = allowed_masks(game, codes, allowed)
    counts = masks.sum(axis=2, dtype=np.int64)
    shapes = counts[0] * (game.num_actions + 1) + counts[1]
    chance = np.flatnonzero(turns_of(game, codes) == CHANCE)
    if len(chance) > 0:
        yield from _by_outcomes(game, codes, chance)
        shapes[chance] = 0  # which no other state has
    for shape in np.flatnonzero(np.bincount(shapes)).tolist():
        if shape == 0 and len(chance) > 0:
            continue
        rows = np.flatnonzero(shapes == shape)
        m, n = divmod(shape, game.num_actions + 1)
        own, other = (
            np.ascontiguousarray(np.nonzero(masks[player, rows])[1].reshape(len(rows), count).T)
            for player, count in enumerate((m, n))
        )
        grid = np.empty((3, m, n, len(rows)), np.int64)
        grid[0], grid[1], grid[2] = codes[rows], own[:, None], other
        after, rewards = grid[0].reshape(-1), np.empty(grid[0].size)
        over, illegal = np.empty(len(after), np.bool_), np.empty(len(after), np.int64)
        play_all(game.compiled, after, grid[1].reshape(-1), grid[2].reshape(-1), LOSE, rewards, over, illegal)
        reject(game, codes[rows[np.flatnonzero(after < 0) % len(rows)]], NOT_HELD)
        faulty = rows if m * n == 0 else rows[np.flatnonzero(~np.isfinite(rewards)) % len(rows)]
        reject(game, codes[faulty], "there is no legal action, or a reward that is not finite")
        after[over] = OVER
        yield Steps(rows, (own, other), grid[0], rewards.reshape(m, n, -1))


def _by_outcomes(game: Game, codes: Ints, rows: Ints) -> Iterator[Steps]:
    """Yields the outcomes of the chance states among some states, grouped by numbers of outcomes.

    Raises:
        CertificateError: the outcomes are no distribution, or a reward is not finite.
    """
    if not game.has_chance:
        reject(game, codes[rows], "it is the turn of chance in a game without")
    outcomes, counts = np.empty((len(rows), ROOM), np.int64), np.empty(len(rows), np.int64)
    probabilities, rewards = np.empty((2, len(rows), ROOM))
    try:
        outcomes_all(game.compiled, codes[rows], outcomes, probabilities, rewards, counts)
    except ChanceError as error:
        raise CertificateError(str(game.chance_error(error))) from None
    reject(game, codes[rows[~np.isfinite(rewards).all(axis=1)]], "there is a reward that is not finite")
    for count in np.unique(counts).tolist():
        here = np.flatnonzero(counts == count)
        paid, chances = (columns[here, :count].T.copy() for columns in (rewards, probabilities))
        after, nobody = outcomes[here, :count].T.copy(), np.zeros((1, len(here)), np.int64)
        yield Steps(rows[here], (nobody, nobody), after[:, None], paid[:, None], chances)


def reject(game: Game, codes: Ints, objection: str) -> None:
    """Raises an error that names the first of some states, if there is one."""
    if len(codes) > 0:
        raise CertificateError(f"{game.name}: {objection}, at {game.spell(int(codes[0]))}")
