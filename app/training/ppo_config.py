"""Settings of training models of Stable-Baselines3: what they are, and those that were tuned for a game."""

import dataclasses
from typing import Literal

from nashzoo.agents.learning.registry import LearnerEntry

POPULATION = "population"  # in the place of an opponent's name

Observation = Literal["compact", "one_hot"]
RULES = "game"  # games start as the rules say


@dataclasses.dataclass(frozen=True)
class PPOConfig:
    """Settings of learning. None leaves a number to the algorithm, see ``SETTINGS`` in ``sb3_training.py``."""

    timesteps: int = 500_000  # decisions to learn from
    num_envs: int = 64  # games played side by side
    gamma: float = 1.0  # discount factor for each decision
    ent_coef: float | None = None  # weight of the entropy
    learning_rate: float | None = None
    falling: bool = False  # whether the learning rate falls to 0 over the run
    n_steps: int | None = None  # decisions in each environment per rollout
    batch_size: int | None = None  # decisions per gradient step, at most those of a rollout
    n_epochs: int | None = None  # number of passes over each rollout
    clip_range: float | None = None  # clipping of PPO: largest change of a probability in an update, as a share of it
    width: int | None = None  # width of the two hidden layers of the policy's and of the value's network
    observation: Observation = "compact"  # kind of observations
    starts: str = RULES  # where games start: as the rules say, "reachable", or a file, see --starts


DQN = PPOConfig(gamma=0.99)  # with 1, overestimated values can diverge where states recur

AGAINST_MANY = PPOConfig(
    timesteps=2_000_000, num_envs=512, ent_coef=0.01, learning_rate=1e-3, falling=True,
    n_steps=32, batch_size=4096, n_epochs=4, observation="one_hot",
)  # fmt: skip

# Against the population: tuned by a small search, by the game; ``docs/results/ppo_defaults.json`` has its runs.
TUNED = {
    "bodega_brawl_v0": AGAINST_MANY,
    "footsies_v0": AGAINST_MANY,
    "roshambo_v0": dataclasses.replace(AGAINST_MANY, gamma=0.9),  # there is a reward at every throw
    "soccer_v0": dataclasses.replace(
        AGAINST_MANY, timesteps=8_000_000, num_envs=1024, gamma=0.97, learning_rate=2e-3, batch_size=8192, n_epochs=2,
        width=128, starts="reachable",
    ),
    "tictactoe_v0": AGAINST_MANY,
}  # fmt: skip


def config_of(game: str, opponent: str, algorithm: LearnerEntry) -> PPOConfig:
    """Returns the settings of a run against ``"psro"``, ``"population"`` or a player by name."""
    if algorithm.family and not algorithm.actor_critic:
        return DQN
    is_ppo = algorithm.family == "ppo" and not algorithm.remembers
    return TUNED.get(game, PPOConfig()) if is_ppo and opponent == POPULATION else PPOConfig()
