"""Default settings of training, by game and by kind of opponent.

Those of PPO against itself and against the population come from ``python -m studies.ppo_defaults``.
"""

import dataclasses
from typing import Literal

from nashzoo.agents.learning.past_policies import SELF

POPULATION = "population"  # in the place of an opponent's name

Observation = Literal["compact", "one_hot"]
RULES = "game"  # games start as the rules say
MagnetKind = Literal["none", "copy", "average"]


@dataclasses.dataclass(frozen=True)
class Settings:
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


DQN = Settings(gamma=0.99)  # with 1, overestimated values can diverge where states recur

# Against itself: this much entropy prevents cycles, and the falling learning rate makes both sides converge.
CONVERGING = Settings(ent_coef=0.2, learning_rate=1e-3, falling=True)

BOTH_SEATS = Settings(
    timesteps=5_000_000, num_envs=2048, ent_coef=0.2, learning_rate=2e-3, falling=True,
    n_steps=16, batch_size=8192, n_epochs=2,
)  # fmt: skip

AGAINST_MANY = Settings(
    timesteps=2_000_000, num_envs=512, ent_coef=0.01, learning_rate=1e-3, falling=True,
    n_steps=32, batch_size=4096, n_epochs=4, observation="one_hot",
)  # fmt: skip

# Settings of PPO and MaskablePPO, by game and opponent.
TUNED: dict[tuple[str, str], Settings] = {
    ("footsies_v0", SELF): dataclasses.replace(
        BOTH_SEATS, num_envs=512, batch_size=4096, learning_rate=5e-4, timesteps=5_000_000
    ),
    ("bodega_brawl_v0", SELF): dataclasses.replace(
        BOTH_SEATS, num_envs=1024, learning_rate=5e-4, observation="one_hot", starts="reachable"
    ),
    ("tictactoe_v0", SELF): dataclasses.replace(
        BOTH_SEATS,
        timesteps=1_200_000,
        num_envs=128,
        batch_size=512,
        n_epochs=4,
        ent_coef=0.1,
        learning_rate=1e-3,
        starts="reachable",
    ),
    ("footsies_v0", POPULATION): AGAINST_MANY,
    ("bodega_brawl_v0", POPULATION): AGAINST_MANY,
    ("tictactoe_v0", POPULATION): AGAINST_MANY,
    ("soccer_v0", POPULATION): dataclasses.replace(
        AGAINST_MANY,
        timesteps=8_000_000,
        num_envs=1024,
        gamma=0.97,
        learning_rate=2e-3,
        batch_size=8192,
        n_epochs=2,
        width=128,
        starts="reachable",
    ),
    ("roshambo_v0", POPULATION): dataclasses.replace(AGAINST_MANY, gamma=0.9),  # there is a reward at every throw
}


def settings_of(game: str, opponent: str, algorithm: str, both_seats: bool) -> Settings:
    """Returns the settings of a run.

    Args:
        game: The name of the game.
        opponent: ``"self"``, ``"psro"``, ``"population"`` or the name of a player.
        algorithm: The learning algorithm.
        both_seats: Whether the learner plays both seats of every game.
    """
    if algorithm.endswith("dqn"):
        return DQN
    if opponent == SELF and not (both_seats and algorithm.endswith("ppo")):
        return CONVERGING
    if algorithm not in ("ppo", "maskable_ppo"):
        return Settings()
    return TUNED.get((game, opponent), BOTH_SEATS if both_seats else Settings())
