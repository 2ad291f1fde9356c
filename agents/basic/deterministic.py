"""The deterministic policy of a stochastic one."""

from nashzoo.baselines.policies.outputs import greedy
from nashzoo.envs.base.errors import UsageTypeError
from nashzoo.envs.core.agent import Agent, PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Mask


class DeterministicAgent(PolicyAgent):
    """Plays the most likely action of another agent, the first of several, as ``predict(deterministic=True)`` does.

    Args:
        agent: The other agent, not copied.

    Raises:
        UsageTypeError: the other agent has a memory.
    """

    def __init__(self, agent: Agent, seed: int | None = None) -> None:
        if not isinstance(agent, PolicyAgent):
            raise UsageTypeError(
                f"deterministic is for policies of the state alone; {type(agent).__name__} has a memory"
            )
        super().__init__(agent.game, seed)
        self.policy = agent
        self.thread_safe, self.slow = agent.thread_safe, agent.slow

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns 1 for the most likely action, 0 for the others ``[B, actions]``."""
        return greedy(self.policy.action_probabilities(observations, action_masks))
