"""Locked decisions: what is optimal if a player is fixed at some of its decisions, and free at the others."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nashzoo.baselines.forms import form_of
from nashzoo.baselines.policies.tabular import as_policy, asked, observed
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats, Game, Ints


class LockedSolution:
    """The solution of a game in which a player is fixed at some decisions.

    Args:
        game: The game.
        player: The player.
        mixes: Its fixed probabilities ``[actions]``, by state; with hidden information, by information state.

    Attributes:
        game: The game.
        player: The player.
        mixes: Its fixed probabilities.
        start_estimate: The value to player 0, with bounds: what both players' strategies secure.

    Raises:
        UsageError: the game is too large.
    """

    distances = None

    def __init__(self, game: Game, player: int, mixes: Mapping[int, Floats]) -> None:
        self.game, self.player, self.mixes = game, player, mixes
        form = form_of(game)
        self.states, self.num_states = form.states, form.num_states
        self.start_estimate, self._tables, self._values = form.locked(player, mixes)

    @property
    def has_values(self) -> bool:
        """Whether states have values, since nothing is hidden."""
        return self._values is not None

    @property
    def start_value(self) -> float:
        """The value to player 0, points; it is within the certificate of the true one."""
        return self.start_estimate.value

    @property
    def certificate(self) -> float:
        """The most that both players' strategies lose together, points, at any state, or else in a game."""
        _, lower, upper = self.start_estimate
        return upper - lower if self._values is None else float(np.max(self._values.below + self._values.above))

    def value(self, code: int) -> float:
        """Returns the value of a state to player 0, points.

        Raises:
            UsageError: play never comes there.
        """
        assert self._values is not None
        try:
            return float(self._values.values[self.states.ids([code])[0]])
        except KeyError as error:
            raise UsageError(str(error.args[0])) from None

    def distance(self, code: int) -> None:
        """Returns None: moves to the end are not counted."""

    def strategies(self, codes: Ints) -> tuple[Floats, Floats]:
        """Returns both players' probabilities at states, or at information states ``[B, actions]``."""
        ids = self.states.ids(codes)
        return self._tables[0][ids], self._tables[1][ids]

    def strategy(self, code: int, player: int) -> Floats:
        """Returns the probabilities of a player ``[actions]`` at a state, or at what it sees of it.

        Raises:
            UsageError: the player does not choose there, or play never comes there.
        """
        seen = self.game.information_state(code, player)
        try:
            row: Floats = self.strategies(np.array([seen]))[player][0]
        except KeyError:
            row = np.zeros(0)
        if player not in self.game.movers(code) or not row.any():
            raise UsageError(f"player {player} does not choose at {self.game.spell(code)}, or play never comes there")
        return row


def solve_locked(game: Game, policy: Any, player: int, where: Mapping[str, Any] | None = None) -> LockedSolution:
    """Solves a game in which a player plays a policy at some decisions: what is best against it, and for it elsewhere.

    Args:
        game: The game.
        policy: Anything with probabilities, as for :func:`nashzoo.baselines.evaluate`.
        player: The player who is fixed.
        where: Values of fields, as numbers or words, that the player sees where it is fixed; everywhere when None.

    Raises:
        UsageError: the player has no such decision, the policy has no probabilities there, or the game is too large.
        TooManyStatesError: there are too many states.

    >>> from nashzoo.envs import footsies_v0
    >>> round(solve_locked(footsies_v0.game(), "random", 1).start_value, 4) > 0
    True
    """
    if player not in (0, 1):
        raise UsageError(f"player must be 0 or 1, not {player}")
    if unknown := [name for name in where or () if name not in game.field_maxima._fields]:
        raise UsageError(f"{game.name} has no field {unknown[0]}; it has {', '.join(game.field_maxima._fields)}")

    def fits(view: int) -> bool:
        state = game.state(view)
        values = {name: getattr(state, name) for name in where or ()}
        return all((where or {})[n] in (v, game.view.field_text(game.params, n, v)) for n, v in values.items())

    codes = (code for code in ListedStates(game).codes.tolist() if player in game.movers(code))
    if not (views := list(filter(fits, sorted({game.information_state(code, player) for code in codes})))):
        raise UsageError(
            f"player {player} has no decision with {', '.join(f'{k}={v}' for k, v in (where or {}).items())}"
        )
    table = asked(as_policy(policy, game), observed(game, np.array(views), player))
    return LockedSolution(game, player, dict(zip(views, table, strict=True)))
