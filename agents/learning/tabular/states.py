"""The states of a game for tabular learners: numbered, with the successors of each joint action.

A learner reads only the transitions that it has played: the table is the fastest simulator, since each rule is
evaluated once. Joint actions are numbered as in :class:`nashzoo.baselines.states.space.Successors`.
"""

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.certificate.bounds import Bounds
from nashzoo.baselines.equilibrium import equilibrium_values
from nashzoo.baselines.solvers.backup import backup_equilibrium
from nashzoo.baselines.solvers.step_penalty import with_step_penalty
from nashzoo.baselines.state_values import best_responses, start_estimate
from nashzoo.baselines.states.indexed import numbering
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.baselines.states.space import Successors
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import uniform_over
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.core.game import Floats, Game, Ints, Mask
from nashzoo.envs.core.reachable import MAX_STATES, OVER, TooManyStatesError
from nashzoo.envs.jit.compiled import Bools, compiled

RECURRENT_GAMMA = 0.99  # in turn-based games with recurring states, so that earlier wins have higher values
STEP_PENALTY = 1e-10  # points: far above the changes of values that learners leave out
MOST_BACKUPS = 5_000_000  # of the states, when ties are decided by the step penalty
WITH_CHANCE = 4  # in games with chance, largest number of states of a game to learn from, for each joint action


class Simulator(NamedTuple):
    """The true transitions of a game, as tables; ``n`` states, at most ``c`` joint actions or outcomes of chance."""

    rows: Ints  # [n], number of player 0's legal actions; 1 where chance decides
    columns: Ints  # [n], of player 1's
    following: Numbers  # [n, c], OVER after the end; by outcome where chance decides
    rewards: Floats  # [n, c], to player 0
    starts: Ints  # [S], start states
    thresholds: Floats  # [S - 1], the distribution function of the starts
    max_cycles: int
    chances: Floats  # [n, outcomes], 0 where players choose; no columns in games without chance


@compiled(inline=True)
def by_chance(chances: Floats, state: int) -> bool:
    """Returns whether chance decides at a state."""
    return chances.shape[1] > 0 and chances[state, 0] > 0.0  # type: ignore[no-any-return]


@compiled(inline=True)
def outcome(chances: Floats, state: int, uniform: float) -> int:
    """Returns an outcome of chance at a state, by a number in [0, 1)."""
    drawn = 0
    while drawn < chances.shape[1] - 1 and uniform >= chances[state, drawn]:
        uniform -= chances[state, drawn]
        drawn += 1
    return drawn


@compiled()
def expected(worth: Floats, counts: Ints, state: int) -> float:
    """Returns the mean of ``worth`` ``[n, c]`` over the outcomes of chance at a state, weighted by their counts."""
    total, times = 0.0, 0
    for k in range(counts.shape[1]):
        total += counts[state, k] * worth[state, k]
        times += counts[state, k]
    return total / times


class LearnedStates:
    """The states of a game that have a row in a table: all reachable ones.

    Raises:
        TooManyStatesError: they do not fit a table.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.states = _listed(game)
        self.recurrent = any(layer.cyclic for layer in self.states.layers)
        legal0, legal1, following, rewards, _ = self.states.successors
        rows, columns = (np.bitwise_count(legal).astype(np.int64) for legal in (legal0, legal1))
        starts, thresholds = self.states.ids(game.start_codes), np.cumsum(game.start_probabilities)[:-1]
        chances = _probabilities(self.states.successors)
        self.simulator = Simulator(rows, columns, following, rewards, starts, thresholds, game.max_cycles, chances)

    def gamma(self, chosen: float | None) -> float:
        """Returns the discount factor: the chosen one, else 1, or less in turn-based games with recurring states."""
        if chosen is not None:
            return chosen
        both_choose = ((self.simulator.rows > 1) & (self.simulator.columns > 1)).any()
        return RECURRENT_GAMMA if self.recurrent and self.game.turn_based and not both_choose else 1.0

    def most(self, gamma: float) -> Floats:
        """Returns a bound of the absolute value of each state ``[n]``, in points, by the rewards.

        Raises:
            UsageError: there is none: states can recur, there are rewards before the end, and ``gamma`` is 1 or chance
                may pay, which takes no time.
        """
        rewards = np.abs(self.simulator.rewards)
        most = np.full(len(rewards), rewards.max())
        if np.where(self.simulator.following >= 0, rewards, 0.0).max() == 0.0:  # the only rewards are at the end
            return most
        if not self.recurrent:
            sofar = 0.0
            for layer in self.states.layers:
                sofar += float(rewards[layer.ids].max())
                most[layer.ids] = sofar
            return most
        if gamma < 1.0 and not self.game.has_chance:
            return most / (1.0 - gamma)
        instead = "" if self.game.has_chance else ", or a gamma below 1"
        raise UsageError(f"{self.game} can pay without end: give the setting most{instead}")

    def identity(self) -> dict[str, Ints]:
        """Returns an array for a learner's file that identifies these states."""
        return {"codes": self.states.codes}

    def check(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Checks that a file is of these states.

        Raises:
            ValueError: it is of others.
        """
        if not np.array_equal(arrays["codes"], self.states.codes):
            raise ValueError("its states are others than those of the game")

    def ending_play(
        self, payoffs: Floats, gamma: float, tried: Bools | None = None, counts: Ints | None = None
    ) -> tuple[Floats, Floats] | None:
        """Returns those equilibrium strategies of all matrix games that end play, ``[n, actions]`` each.

        Where waiting and winning are worth the same, they win: see :mod:`nashzoo.baselines.solvers.step_penalty`. None
        if every equilibrium does: states cannot recur, or earlier wins have higher values.

        Args:
            payoffs: Values of joint actions and outcomes to player 0 ``[n, c]``.
            gamma: The discount factor of these.
            tried: Which of them are known ``[n, c]``; None for all.
            counts: How often each outcome of chance was drawn ``[n, outcomes]``; None if the probabilities are known.
        """
        if not self.recurrent or gamma < 1.0:
            return None
        successors = self.states.successors
        if counts is not None and successors.has_chance:
            drawn = np.where(successors.by_chance[:, None], np.maximum(counts, np.finfo(np.float64).tiny), 0.0)
            successors = successors._replace(chances=drawn)
        over = np.full_like(successors.following, OVER)
        num_actions, none = self.game.num_actions, np.zeros(1)
        values = backup_equilibrium(successors._replace(following=over, rewards=payoffs), none, num_actions)[0]
        following = successors.following if tried is None else np.where(tried, successors.following, OVER)
        rewards = payoffs - np.append(values, 0.0)[following]
        strategies0, strategies1, _ = with_step_penalty(
            successors._replace(following=following, rewards=rewards), self.states.layers, values, num_actions,
            STEP_PENALTY, STEP_PENALTY / 2, self._most_sweeps,
        )  # fmt: skip
        return strategies0, strategies1

    @property
    def _most_sweeps(self) -> int:
        return max(MOST_BACKUPS // len(self.states), 100)

    def secured(self, tried: Bools, otherwise: Floats, player: int) -> tuple[Floats, Bounds]:
        """Returns an equilibrium strategy of a player in the part of the game that is known ``[n, actions]``.

        It ends play, see :meth:`ending_play`. The game is one without chance. The second item are bounds, rounding
        included, of what the strategy guarantees from the start, to player 0.

        Args:
            tried: Which joint actions are known ``[n, c]``.
            otherwise: The values of the others to player 0 ``[n, c]``, at least as bad for the player as they are.
            player: The player.
        """
        known, successors = copy.copy(self.states), self.states.successors
        following, rewards = np.where(tried, successors.following, OVER), np.where(tried, successors.rewards, otherwise)
        known.successors = successors._replace(following=following, rewards=rewards)
        values = equilibrium_values(known, most_sweeps=self._most_sweeps)
        both = self.ending_play(rewards + np.append(values, 0.0)[following], 1.0, tried)
        assert both is not None
        responses = best_responses(known, both[player], 1 - player)
        return both[player], start_estimate(known, responses.values).bounds

    def strategies(
        self,
        codes: Ints,
        players: Ints,
        masks: Mask,
        payoffs: tuple[Floats, Floats],
        tables: tuple[Floats, Floats] | None = None,
    ) -> Floats:
        """Returns equilibrium strategies of matrix games ``[B, actions]``; uniformly random where there is no row.

        Args:
            codes: The states ``[B]``.
            players: The players of the strategies ``[B]``.
            masks: The legal actions ``[B, actions]``.
            payoffs: Values of joint actions to player 0 ``[n, c]``, as estimated by player 0 and by player 1.
            tables: The players' strategies at all states ``[n, actions]``, if :meth:`ending_play` has computed them.
        """
        policy = uniform_over(masks)
        places, known = self._places(codes)
        for player, matrices in enumerate(payoffs):
            here = np.flatnonzero(known & (players == player))
            if tables is not None:
                policy[here] = tables[player][places[here]]
                continue
            if len(here) == 0:
                continue
            successors = self.states.successors.at(places[here])
            over = np.full_like(successors.following, OVER)
            games = successors._replace(following=over, rewards=matrices[places[here]])
            policy[here] = backup_equilibrium(games, np.zeros(1), self.game.num_actions)[1 + player]
        return policy

    def policies(self, codes: Ints, players: Ints, masks: Mask, tables: tuple[Floats, Floats]) -> Floats:
        """Returns policies ``[B, actions]`` from each player's table ``[n, a]`` over its legal actions.

        Policies are uniformly random where there is no row.
        """
        policy = uniform_over(masks)
        places, known = self._places(codes)
        rank = np.cumsum(masks, axis=1) - 1
        for player, table in enumerate(tables):
            here = np.flatnonzero(known & (players == player))
            chosen = np.take_along_axis(table[places[here]], np.clip(rank[here], 0, table.shape[1] - 1), axis=1)
            policy[here] = np.where(masks[here], chosen, 0.0)
        return policy

    def _places(self, codes: Ints) -> tuple[Ints, Bools]:
        """Returns the numbers of states, and whether they have one."""
        places: Ints = np.minimum(np.searchsorted(self.states.codes, codes), len(self.states) - 1)
        return places, self.states.codes[places] == codes


def _probabilities(successors: Successors) -> Floats:
    """Returns the probability of each outcome of chance ``[n, outcomes]``."""
    if not successors.has_chance:
        return np.empty((len(successors.legal0), 0))
    totals = successors.chances.sum(axis=1, keepdims=True)
    probabilities: Floats = np.divide(
        successors.chances, totals, out=np.zeros_like(successors.chances), where=totals > 0
    )
    return probabilities


def _listed(game: Game) -> ListedStates:
    size = "more" if game.indexed_rules is None else f"{len(numbering(game)):,}"
    if game.indexed_rules is None or len(numbering(game)) <= MAX_STATES:
        try:
            return ListedStates(game)
        except TooManyStatesError:
            pass
    raise TooManyStatesError(
        f"a table holds {MAX_STATES:,} states and {game} has {size}: learn it with deep_minimax, or choose "
        "other parameters of the game"
    )
