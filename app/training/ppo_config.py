"""Settings of training models of Stable-Baselines3: what they are, and those that were tuned for a game."""

import dataclasses
from typing import Literal

from nashzoo.agents.learning.past_policies import SELF
from nashzoo.agents.learning.registry import LearnerEntry

POPULATION = "population"  # in the place of an opponent's name

Observation = Literal["compact", "one_hot"]
RULES = "game"  # games start as the rules say
MagnetKind = Literal["none", "copy", "average"]


@dataclasses.dataclass(frozen=True)
class PPOConfig:
    """Settings of learning. None leaves a number to the algorithm, see ``SETTINGS`` in ``sb3_training.py``.

    Attributes:
        timesteps: Decisions to learn from.
        num_envs: Games played side by side.
        gamma: Discount factor for each decision.
        ent_coef: Weight of the entropy, or of the divergence from the magnet.
        learning_rate: Learning rate.
        falling: Whether the learning rate falls to 0 over the run.
        n_steps: Decisions in each environment per rollout.
        batch_size: Decisions per gradient step, at most those of a rollout.
        n_epochs: Number of passes over each rollout.
        clip_range: Clipping of PPO: largest change of an action's probability in an update, as a share of it.
        width: Width of the two hidden layers of the policy's and of the value's network.
        observation: Kind of observations.
        starts: Where games start: as the rules say, ``"reachable"``, or a file, see ``--starts``.
        magnet: The policy that the learned one is kept near to, see :mod:`nashzoo.agents.learning.magnet`.
        magnet_every: Decisions after which the magnet is renewed, or over which it is an average.
    """

    timesteps: int = 500_000
    num_envs: int = 64
    gamma: float = 1.0
    ent_coef: float | None = None
    learning_rate: float | None = None
    falling: bool = False
    n_steps: int | None = None
    batch_size: int | None = None
    n_epochs: int | None = None
    clip_range: float | None = None
    width: int | None = None
    observation: Observation = "compact"
    starts: str = RULES
    magnet: MagnetKind = "none"
    magnet_every: int = 500_000


DQN = PPOConfig(gamma=0.99)  # with 1, overestimated values can diverge where states recur

# Against itself: this much entropy prevents cycles, and the falling learning rate makes both sides converge.
CONVERGING = PPOConfig(ent_coef=0.2, learning_rate=1e-3, falling=True)

BOTH_SEATS = PPOConfig(
    timesteps=5_000_000, num_envs=2048, ent_coef=0.2, learning_rate=2e-3, falling=True,
    n_steps=16, batch_size=8192, n_epochs=2,
)  # fmt: skip

AGAINST_MANY = PPOConfig(
    timesteps=2_000_000, num_envs=512, ent_coef=0.01, learning_rate=1e-3, falling=True,
    n_steps=32, batch_size=4096, n_epochs=4, observation="one_hot",
)  # fmt: skip

# Tuned by a small search, by the game and the opponent; ``docs/results/ppo_defaults.json`` has its runs.
TUNED = {
    ("bodega_brawl_v0", SELF): dataclasses.replace(
        BOTH_SEATS, num_envs=1024, learning_rate=5e-4, observation="one_hot", starts="reachable"
    ),
    ("bodega_brawl_v0", POPULATION): AGAINST_MANY,
    ("footsies_v0", SELF): dataclasses.replace(BOTH_SEATS, num_envs=512, batch_size=4096, learning_rate=5e-4),
    ("footsies_v0", POPULATION): AGAINST_MANY,
    ("roshambo_v0", POPULATION): dataclasses.replace(AGAINST_MANY, gamma=0.9),  # there is a reward at every throw
    ("soccer_v0", POPULATION): dataclasses.replace(
        AGAINST_MANY, timesteps=8_000_000, num_envs=1024, gamma=0.97, learning_rate=2e-3, batch_size=8192, n_epochs=2,
        width=128, starts="reachable",
    ),
    ("tictactoe_v0", SELF): dataclasses.replace(
        BOTH_SEATS, timesteps=1_200_000, num_envs=128, batch_size=512, n_epochs=4, ent_coef=0.1, learning_rate=1e-3,
        starts="reachable",
    ),
    ("tictactoe_v0", POPULATION): AGAINST_MANY,
}  # fmt: skip


def config_of(game: str, opponent: str, algorithm: LearnerEntry, both_seats: bool) -> PPOConfig:
    """Returns the settings of a run.

    Args:
        game: The name of the game.
        opponent: ``"self"``, ``"psro"``, ``"population"`` or the name of a player.
        algorithm: What is known of the learning algorithm.
        both_seats: Whether the learner plays both seats of every game.
    """
    if algorithm.family and not algorithm.actor_critic:
        return DQN
    is_ppo = algorithm.family == "ppo" and not algorithm.remembers
    if opponent == SELF and not (both_seats and is_ppo):
        return CONVERGING
    if not is_ppo:
        return PPOConfig()
    return TUNED.get((game, opponent), BOTH_SEATS if both_seats else PPOConfig())
