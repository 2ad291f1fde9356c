"""WoLF policy hill-climbing: both players learn independently, quickly when losing and slowly when winning.

Each player learns the values of its own actions by Q-learning, and does not observe the other's actions. Its policy
moves towards the best action by small steps: by ``winning_step`` if its value is above that of the average of its
policies so far, else by the larger ``losing_step`` ("win or learn fast"). It plays the average of its policies; in
turn-based games the current one, since the average contains all earlier mistakes.

It needs less than minimax-Q: neither the actions of the other nor a matrix game. Convergence is proven only for
games with two actions each. Its steps fall to 0 over ``total_timesteps``.

Source: Bowling and Veloso (2002), "Multiagent learning using a variable learning rate".
"""

import dataclasses
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.tabular.learner import TabularLearner
from nashzoo.agents.learning.tabular.wolf_phc_kernel import Climber, ClimbSchedule, play_and_climb
from nashzoo.envs.core.checks import check_flag
from nashzoo.envs.core.game import Features, Floats, Mask


@dataclasses.dataclass(frozen=True)
class WolfPHCSettings:
    """Settings of WoLF policy hill-climbing.

    Attributes:
        total_timesteps: Joint actions over which the learning rate changes to its final value and the steps to 0.
        gamma: Discount factor; None for 1, and 0.99 in turn-based games with recurring states.
        learning_rate: Of Q-learning, at the start.
        final_learning_rate: The same at the end.
        winning_step: Probability by which the policy changes at a visit of a state where the player wins.
        losing_step: The same where it loses.
        exploration: Probability of a uniformly random action.
        exploring_starts: Share of the games that begin at a reachable state, drawn uniformly.
        average: Whether to play the average of the policies so far; None for True, but False in turn-based games.
    """

    total_timesteps: int = 1_000_000
    gamma: float | None = None
    learning_rate: float = 0.3
    final_learning_rate: float = 0.01
    winning_step: float = 0.001
    losing_step: float = 0.004
    exploration: float = 0.1
    exploring_starts: float = 0.5
    average: bool | None = None


class WolfPHC(TabularLearner):
    """Learns a policy for each seat independently, see the module.

    Raises:
        TooManyStatesError: the states do not fit a table.
        UsageError: a setting is out of its range.
    """

    NAME = "wolf_phc"
    GIVEN = "transitions, exploring starts, without the other's actions"
    TIMESTEPS = 20_000_000
    Settings: ClassVar[type[Any]] = WolfPHCSettings
    COUNTS = ("total_timesteps",)
    FLAGS = ("average",)
    PROBABILITIES = (
        "gamma", "learning_rate", "final_learning_rate", "winning_step", "losing_step", "exploration",
        "exploring_starts",
    )  # fmt: skip

    def make_tables(self) -> None:
        """Makes the tables of the untrained learner."""
        if self.settings.average is not None:
            check_flag("average", self.settings.average)
        simulator = self.learned.simulator
        self._climbers = _climber(simulator.rows), _climber(simulator.columns)

    def update(self, timesteps: int) -> tuple[int, int]:
        """Learns from at least ``timesteps`` more joint actions, to the end of a game."""
        schedule, done = self.schedule(ClimbSchedule), self.num_timesteps
        return play_and_climb(*self._climbers, self.learned.simulator, schedule, self.streams, done, done + timesteps)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]``."""
        codes, players = self.states_of(observations)
        averaged = not self.game.turn_based if self.settings.average is None else self.settings.average
        first, second = (climber.average if averaged else climber.policy for climber in self._climbers)
        return self.learned.policies(codes, players, action_masks, (first, second))

    def tables(self) -> dict[str, NDArray[Any]]:
        """Returns the tables by name."""
        tables = {
            f"{name}{player}": array
            for player, climber in enumerate(self._climbers)
            for name, array in climber._asdict().items()
        }
        return tables | {"streams": self.streams}


def _climber(counts: NDArray[np.int64]) -> Climber:
    """Returns the initial tables of a player with ``counts`` ``[n]`` legal actions: a uniform policy."""
    uniform = (np.arange(counts.max()) < counts[:, None]) / counts[:, None]
    return Climber(np.zeros(uniform.shape), uniform, uniform.copy(), np.zeros(len(counts)))
