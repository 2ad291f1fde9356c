"""Any game as a PettingZoo ``AECEnv``: agents act one after the other.

With simultaneous moves player 0 acts first, and the state changes after player 1's action. Player 1 does not observe
player 0's action. If only one player is to move, only that one acts.
"""

from typing import Any

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from nashzoo.envs.api.pettingzoo_base import AGENTS, FLOAT32, INT8, PLAYER_0, PLAYER_1, PettingZooBase
from nashzoo.envs.base.errors import NoGameRunningError, OutOfBoundsError, UsageError
from nashzoo.envs.core.checks import check_action
from nashzoo.envs.core.game import BOTH, Game, illegal_action_message


class GameAECEnv(PettingZooBase, AECEnv):  # type: ignore[misc]  # pettingzoo has no type information
    """A game as an ``AECEnv``; options as in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.

    Observations are as in the parallel environment, but the mask of an agent who is not to act is all zeros,
    as in PettingZoo's board games. ``max_cycles`` counts joint steps.
    """

    def __init__(self, game: Game, *options: Any, **named: Any) -> None:
        AECEnv.__init__(self)
        PettingZooBase.__init__(self, game, *options, **named)
        # PettingZoo's conversion reads both masks before either agent acts, when one of them is all zeros.
        self.metadata["is_parallelizable"] = not (game.masked or game.turn_based)
        self._observations, self._masks = np.zeros(self._seen, FLOAT32), np.zeros(self._allowed, INT8)
        self._split()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game. The same seed gives the same start.

        Raises:
            UsageError: the options are no dictionary, or the seed is no whole number of at least 0.
        """
        self._start(seed, options)
        self.rewards = {PLAYER_0: 0.0, PLAYER_1: 0.0}
        self._cumulative_rewards = {PLAYER_0: 0.0, PLAYER_1: 0.0}
        self.terminations = {PLAYER_0: False, PLAYER_1: False}
        self.truncations = {PLAYER_0: False, PLAYER_1: False}
        self._chosen = 0
        self._observations[...], self._masks[...] = self._first_view()
        self._ask(int(self._turn == 1))
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Any:
        """Returns the observation of ``agent``.

        Raises:
            UsageError: there is no such agent.
        """
        if agent not in self._seen_by:
            raise UsageError(f"the agents are {', '.join(AGENTS)}, not {agent!r}")
        observation = self._seen_by[agent].copy()
        if self._encoding is not None:
            observation = self._encoding.encode(observation[None])[0]
        if not self._masked:
            return observation
        info = self.infos.get(agent)  # none where the agent has left a finished game
        mask = np.zeros(self.game.num_actions, INT8) if info is None else info["action_mask"]
        return {"observation": observation, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Plays the action of ``agent_selection``.

        Raises:
            UsageError: the action is no whole number, or no game is running (after an end PettingZoo's loop steps once
                with None for each agent); or it is illegal and the environment was made with
                ``illegal_action="raise"``.
        """
        if not self.agents:
            raise NoGameRunningError("no game is running: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise NoGameRunningError("no game is running: call reset() first")
            self._was_dead_step(action)
            return
        action, turn = check_action(action), self._turn
        if turn == BOTH and agent == PLAYER_0:
            if self.illegal_action == "raise":
                self._check_legal(0, action)
            self._cumulative_rewards[agent] = 0.0
            self.rewards = {PLAYER_0: 0.0, PLAYER_1: 0.0}
            self._chosen = action
            self._ask(1)
            return
        first = (action, 0, self._chosen)[turn]
        second = 0 if turn == 0 else action
        reward, over, late = self._play(first, second, self._observations, self._masks)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {PLAYER_0: reward, PLAYER_1: 0.0 - reward}
        if over or late:
            self.terminations = {PLAYER_0: over, PLAYER_1: over}
            self.truncations = {PLAYER_0: late, PLAYER_1: late}
        self._ask(int(self._turn == 1))  # at an end a turn may be anything
        if reward:
            self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._split()

    def _split(self) -> None:
        """Stores views of the rows that the kernel fills: indexing them at every step takes longer than many rules."""
        self._seen_by = dict(zip(AGENTS, self._observations, strict=True))
        self._allowed_to = tuple(self._masks)

    def _ask(self, player: int) -> None:
        self.agent_selection = AGENTS[player]
        nothing = np.zeros(self.game.num_actions, INT8)
        asked = self._allowed_to[player].copy()
        if player == 0:
            self.infos = {PLAYER_0: {"action_mask": asked}, PLAYER_1: {"action_mask": nothing}}
        else:
            self.infos = {PLAYER_0: {"action_mask": nothing}, PLAYER_1: {"action_mask": asked}}


class Guarded(wrappers.OrderEnforcingWrapper, wrappers.AssertOutOfBoundsWrapper):  # type: ignore[misc]
    """PettingZoo's usual checks of the order of calls and the bounds of actions, in one wrapper.

    The environment itself handles illegal actions within bounds (``illegal_action``). This wrapper looks up attributes
    once; PettingZoo's wrappers look them up at every step, which takes longer than the game.
    """

    env: GameAECEnv

    def step(self, action: Any) -> None:
        """Plays the action of ``agent_selection``.

        Raises:
            UsageError: the action is no whole number, or not in its action space.
            NoGameRunningError: the game is over.
            AssertionError: no game has begun.
        """
        if not self._has_reset:
            super().step(action)
        env = self.env
        agent = env.agent_selection
        goes_on = env.agents and not (env.terminations[agent] or env.truncations[agent])
        if goes_on and not env.action_space(agent).contains(action):
            player, action = AGENTS.index(agent), check_action(action)
            legal = env.game.legal_actions(env.code, player)
            raise OutOfBoundsError(illegal_action_message(env.game, player, action, legal))
        self._has_updated = True
        env.step(action)

    def last(self, observe: bool = True) -> Any:
        """Returns observation, reward, terminated, truncated and info of ``agent_selection``."""
        return self.env.last(observe) if self._has_reset else super().last(observe)

    @property
    def agents(self) -> Any:
        """The agents who have not left the game."""
        return self.env.agents if self._has_reset else self.__getattr__("agents")

    @property
    def agent_selection(self) -> Any:
        """The agent that is to act."""
        return self.env.agent_selection if self._has_reset else self.__getattr__("agent_selection")

    def __str__(self) -> str:
        return str(self.env)


def wrapped(env: GameAECEnv) -> AECEnv:
    """Returns the environment with PettingZoo's usual checks: order of calls, bounds of actions."""
    return Guarded(env)
