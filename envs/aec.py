"""Any game as a PettingZoo ``AECEnv``: agents act one after the other.

Where both players choose at once, player 0 is asked first and the position changes when player 1 has answered,
who does not see what player 0 chose. Where one player is to move, only that one is asked.
"""

from typing import Any

from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from nashzoo.envs.face import AGENTS, Face
from nashzoo.envs.game import BOTH, Game


class GameAECEnv(Face, AECEnv, EzPickle):  # type: ignore[misc]  # pettingzoo has no type information
    """A game as an ``AECEnv``; options as in :class:`nashzoo.envs.face.Face`.

    Observations are as in the parallel environment, but the mask of an agent who is not to be asked is all zeros,
    as in PettingZoo's board games. ``max_cycles`` counts joint steps.
    """

    def __init__(
        self, game: Game, max_cycles: int = 1000, illegal_action: str = "lose", render_mode: str | None = None
    ) -> None:
        EzPickle.__init__(self, game, max_cycles, illegal_action, render_mode)
        AECEnv.__init__(self)
        Face.__init__(self, game, max_cycles, illegal_action, render_mode)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game. The same seed gives the same start."""
        self._start(seed)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._chosen = 0
        self._ask_first()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Any:
        """Returns what ``agent`` sees of the position."""
        player = AGENTS.index(agent)
        observation = self.game.observe(self._code, player)
        if not self.game.masked:
            return observation
        return {"observation": observation, "action_mask": self.infos[agent]["action_mask"].copy()}

    def step(self, action: Any) -> None:
        """Plays for ``agent_selection``.

        Raises:
            ValueError: the action is illegal and the environment was made with ``illegal_action="raise"``.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        turn = self.game.rules.turn(self.game.params, self._code)
        if turn == BOTH and agent == AGENTS[0]:
            self._chosen = int(action)
            self._ask(1)
            return
        actions = [self._chosen, int(action)] if turn == BOTH else [0, 0]
        if turn != BOTH:
            actions[turn] = int(action)
        reward, over, late, _, _ = self._play(*actions)
        self.rewards = {AGENTS[0]: reward, AGENTS[1]: 0.0 - reward}
        self.terminations = dict.fromkeys(AGENTS, over)
        self.truncations = dict.fromkeys(AGENTS, late)
        self._ask_first()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _ask_first(self) -> None:
        turn = self.game.rules.turn(self.game.params, self._code)
        self._ask(0 if turn == BOTH else turn)

    def _ask(self, player: int) -> None:
        self.agent_selection = AGENTS[player]
        _, masks = self._view()
        masks[1 - player] = 0
        self.infos = {agent: {"action_mask": masks[k]} for k, agent in enumerate(AGENTS)}


def wrapped(env: GameAECEnv) -> AECEnv:
    """Returns the environment with PettingZoo's usual guards around it: order of calls, bounds of actions.

    Illegal actions within bounds are the environment's own affair (``illegal_action``).
    """
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))
