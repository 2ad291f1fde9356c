"""Locked decisions: what is optimal if a player is fixed at some of its decisions, and free at the others."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.even_solution import as_found
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.policies.adapters import is_table
from nashzoo.baselines.policies.keyed import KeyedPolicy
from nashzoo.baselines.policies.tabular import Rows, as_policy, asked, observed
from nashzoo.baselines.solution import LARGEST_CERTIFICATE, Solution
from nashzoo.baselines.state_form import StateForm
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats, Game, Ints

if TYPE_CHECKING:  # few games have hidden information
    from nashzoo.baselines.information_form import InformationForm

LEAST = 0.005  # by which a probability changes at least, so that rounding does not hide it
COSTS = 1e-6  # points, which rounding does not reach
MOST_COMPARED = 10_000  # states at which choices are compared


class LockedSolution(Solution):
    """The solution of a game in which a player is fixed at some decisions, measured when it is made.

    Args:
        form: The form of the game.
        player: The player.
        mixes: Its fixed probabilities ``[actions]``, by state; with hidden information, by information state.

    Attributes:
        player: The player.
        mixes: Its fixed probabilities.
        certificate: The most that both players' strategies lose together, points, at any state, or else in a game.

    Raises:
        UsageError: the game is too large.
    """

    def __init__(self, form: "StateForm | InformationForm", player: int, mixes: Mapping[int, Floats]) -> None:
        self.form, self.game, self.states, self.player, self.mixes = form, form.game, form.states, player, mixes
        self.start_estimate, self.policies, self._values = form.locked(player, mixes)
        self.has_values = self._values is not None
        self.certificate = self.verify()

    def verify(self, progress: Progress | None = None) -> float:
        """Returns the certificate, by what both players' strategies were measured to secure."""
        if self._values is None:
            return self.start_estimate.upper - self.start_estimate.lower
        return float(np.max(self._values.below + self._values.above))

    @property
    def optimal(self) -> bool:
        """Whether the policies are optimal but for rounding, as far as they are free."""
        return self.certificate <= LARGEST_CERTIFICATE * max(1.0, abs(self.start_value))

    @property
    def values(self) -> Rows:
        """The value of each state to player 0, by number, points."""
        return super().values if self._values is None else self._values.values

    def cost(self, player: int, table: Floats) -> float:
        """Returns what a player would secure less in the game with other probabilities ``[n, actions]``, points."""
        tables = (table, self.policies[1]) if player == 0 else (self.policies[0], table)
        changed, found = self.form.within(tables, self.player, self.mixes)[0], self.start_estimate
        return float((changed.upper - changed.lower) - (found.upper - found.lower))

    def strategy(self, code: int, player: int) -> Floats:
        """Returns the probabilities of a player ``[actions]`` at a state, or at what it sees of it.

        Raises:
            UsageError: the player does not choose there, or play never comes there.
        """
        seen = self.game.information_state(code, player)
        row: Floats = self.strategies(np.array([seen]))[player][0] if seen in self.states else np.zeros(0)
        if player not in self.game.movers(code) or not row.any():
            raise UsageError(f"player {player} does not choose at {self.game.spell(code)}, or play never comes there")
        return row


def fixed(game: Game, policy: Any, player: int, where: Mapping[str, Any] | None) -> dict[int, Floats]:
    """Returns the probabilities of a policy where a player is fixed, see :func:`nashzoo.baselines.forms.solve`."""
    if player not in (0, 1):
        raise UsageError(f"player must be 0 or 1, not {player}")
    if where is not None and not isinstance(where, Mapping):
        raise UsageError(f"where must be fields with their values, as in {{'round': 0}}, not {where!r}")
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
    policy = KeyedPolicy(policy, game, locks=player) if is_table(policy) else as_policy(policy, game)
    at = observed(game, np.array(views), player)
    if isinstance(policy, KeyedPolicy) and not policy.complete[player]:
        if policy.findings.unknown:
            raise UsageError(
                f"the key {policy.findings.unknown[0]!r} of the table is no information set of {game.name}"
            )
        rows, _ = policy.rows_of(at.observations, at.masks)
        at = at.at(np.flatnonzero((at.masks.sum(axis=1) > 1) & ~np.isnan(rows[:, 0])))
        if not len(at.codes):
            raise UsageError(f"the table has no row for these decisions of player {player}")
    return dict(zip(at.codes.tolist(), asked(policy, at), strict=True))


class Change(NamedTuple):
    """A choice that has to change because of locked decisions, with its reason.

    Attributes:
        cost: What the player would secure less if it chose as before, points.
        code: The state, or information state.
        player: Who chooses.
        action: The action whose probability changes most.
        probability: Its probability in the solution of the locked game.
        before: Its probability in that of the free game.
    """

    cost: float
    code: int
    player: int
    action: int
    probability: float
    before: float


def changes(found: LockedSolution, free: Solution) -> list[Change]:
    """Returns the decisions at which a player cannot choose as in a solution without locks, the dearest first.

    Solutions differ by mere picks among equally good choices, too. So choices as before are put back, as many as cost
    nothing together; each that is left would cost points. Decisions to which the player's own play did not lead without
    locks are left out.

    Args:
        found: The solution of the locked game.
        free: A solution of the game without locks.

    Raises:
        UsageError: there are too many decisions.
    """
    if len(found.states) > MOST_COMPARED:
        raise UsageError(f"{found.game} has too many states for all its decisions to be compared")
    codes, told = found.states.codes_at(np.arange(len(found.states))), []
    both = zip(found.strategies(codes), as_found(free).strategies(codes), strict=True)  # the even mixes take long
    for player, (mixes, alike) in enumerate(both):
        differ = np.abs(mixes - alike).max(axis=1) >= LEAST
        if player == found.player:
            differ &= ~np.isin(codes, list(found.mixes))
        if isinstance(free, InformationSolution):
            plex = free.form.treeplexes[player]
            differ &= np.isin(codes, plex.codes[free.weights[player][plex.parents] > 0.0])
        table, before, rows = mixes.copy(), mixes.copy(), np.flatnonzero(differ)
        before[rows] = free.strategies(codes[rows])[player]
        for row in _needed(found, player, table, before, rows):
            other = table.copy()
            other[row] = before[row]
            action = int((mixes[row] - before[row]).argmax())
            ends = float(mixes[row, action]), float(before[row, action])
            told.append(Change(found.cost(player, other), int(codes[row]), player, action, *ends))
    return sorted(told, reverse=True)


def _needed(found: LockedSolution, player: int, table: Floats, before: Floats, rows: Ints) -> list[int]:
    """Puts back what was chosen before at rows of a player's table, where that costs nothing; returns the others."""
    kept = table[rows]
    table[rows] = before[rows]
    if not len(rows) or found.cost(player, table) <= COSTS:
        return []
    table[rows] = kept
    if len(rows) == 1:
        return [int(rows[0])]
    return [row for half in np.array_split(rows, 2) for row in _needed(found, player, table, before, half)]
