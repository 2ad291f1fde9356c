"""Environments that return the regret of each action against perfect play.

The regret of an action at a state is the value of the best action minus its value, if the opponent plays the
equilibrium strategy at this state and both players play the equilibrium afterwards. In games that end, the expected
sum of regrets is the player's loss against the equilibrium.
"""

from typing import Any

import numpy as np

from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solvers.backup import action_values
from nashzoo.baselines.states.space import Successors
from nashzoo.baselines.store import solution_of
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.gymnasium_vector_env import GameVectorEnv
from nashzoo.envs.core.checks import check_actions, check_seen
from nashzoo.envs.core.game import Bools, Features, Floats, Game, Ints
from nashzoo.envs.core.reachable import expand

LOST = -1.0  # value of an illegal action that loses the game


class Regret:
    """Regrets in a game, by its exact solution.

    Args:
        solution: The game's solution, if it is at hand; looked up or computed when None.

    Raises:
        NotSeenError: a player does not see the whole state, so that an action has no value of its own there.
    """

    def __init__(self, game: Game, solution: Solution | None = None) -> None:
        check_seen(game, "there is no regret")
        self.game = game
        self.solution = solution_of(game) if solution is None else solution

    def action_values(self, codes: Ints, players: Ints) -> Floats:
        """Returns the value of each action ``[B, actions]`` to acting players at non-terminal states; -inf if illegal.

        Raises:
            KeyError: a state is unreachable or terminal.
        """
        legal0, legal1, after, rewards, chances = expand(self.game, codes)
        following, live = np.full(after.shape, -1, np.int32), after >= 0  # negative marks: the end of the game
        following[live] = np.arange(live.sum())
        values = np.append(self.solution.values[self.solution.states.ids(after[live])], 0.0)
        successors = Successors(legal0, legal1, following, rewards, chances)
        policies = self.solution.strategies(codes)
        values0, values1 = (action_values(successors, values, policies[1 - player], player) for player in range(2))
        return np.where((players == 0)[:, None], values0, values1)

    def __call__(self, codes: Ints, players: Ints, actions: Ints, illegal_action: str = "lose") -> Floats:
        """Returns the regrets ``[B]`` of actions, in points.

        Args:
            codes: States ``[B]``, not terminal.
            players: The acting players ``[B]``.
            actions: Their actions ``[B]``.
            illegal_action: Effect of illegal actions, as in
                :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`: with ``"lose"`` they lose the game, else their
                regret is 0.

        Raises:
            KeyError: a state is unreachable or terminal.
        """
        action_values = self.action_values(codes, players)
        best = action_values.max(axis=1)
        known = (actions >= 0) & (actions < self.game.num_actions)
        chosen = action_values[np.arange(len(codes)), np.where(known, actions, 0)]
        legal = known & (chosen > -np.inf)
        regrets: Floats = best - np.where(legal, chosen, LOST if illegal_action == "lose" else best)
        return regrets


class RegretEnv(GameEnv):
    """An environment with the regret of each action in ``info["regret"]``; see :class:`Regret`."""

    def __init__(self, game: Game, *options: Any, **named: Any) -> None:
        super().__init__(game, *options, **named)
        self._regret = Regret(game)

    def step(self, action: Any) -> tuple[Features, float, bool, bool, dict[str, Any]]:
        """Plays the action; returns observation, reward, terminated, truncated and info."""
        batch = self.batch
        regrets = self._regret(batch.codes, batch.seats, np.array([action], np.int64), batch.illegal_action)
        *outcome, info = super().step(action)
        return *outcome, info | {"regret": float(regrets[0])}  # type: ignore[return-value]  # a list has no length


class RegretVectorEnv(GameVectorEnv):
    """Environments with the regret of each action in ``info["regret"]`` ``[B]``; see :class:`Regret`."""

    def __init__(self, game: Game, *options: Any, **named: Any) -> None:
        super().__init__(game, *options, **named)
        self._regret = Regret(game)

    def step(self, actions: Ints) -> tuple[Features, Floats, Bools, Bools, dict[str, Any]]:
        """Plays an action in each game ``[B]``; returns the same as :class:`RegretEnv`, as arrays."""
        batch, actions = self.batch, check_actions(actions, self.num_envs)
        rows, regrets = np.flatnonzero(batch.running), np.zeros(self.num_envs)
        regrets[rows] = self._regret(batch.codes[rows], batch.seats[rows], actions[rows], batch.illegal_action)
        *outcome, infos = super().step(actions)
        infos |= {"regret": regrets, "_regret": np.ones(len(regrets), np.bool_)}
        if "final_info" in infos:
            ended = infos["_final_info"]
            infos["final_info"] |= {"regret": np.where(ended, regrets, 0.0), "_regret": ended.copy()}
        return *outcome, infos  # type: ignore[return-value]
