"""A callback that measures exactly during training, for users' own scripts with Stable-Baselines3."""

from typing import NamedTuple

from nashzoo.envs.base.errors import MissingPackageError

try:
    from stable_baselines3.common.callbacks import BaseCallback
except ImportError as error:
    raise MissingPackageError(
        "a callback for Stable-Baselines3 needs it installed: pip install '.[train]' in nashzoo's folder"
    ) from error

from nashzoo.baselines import exploitability
from nashzoo.envs.core.checks import check_count
from nashzoo.envs.core.game import Game


class Measurement(NamedTuple):
    """The exploitability of a model at a time."""

    timesteps: int  # decisions it had learned from
    exploitability: float  # points per game


class ExploitabilityCallback(BaseCallback):
    """Measures a model's exact exploitability during training.

    The figure goes to the model's logger, and so to TensorBoard, as ``nashzoo/exploitability``, in points per game.

    Args:
        game: The game of the model's environment.
        eval_freq: Decisions, of all environments together, between measurements. There is one before
            training, too, and one after it.
        player: The seat to measure; None for the mean of both.
        verbose: 1 to print the measurements.

    Attributes:
        history: All measurements.

    Raises:
        UsageError: ``eval_freq`` is not at least 1; when training begins, that the model was made for another game.
        NoPolicyError: when training begins, that the model has a memory.

    >>> from stable_baselines3 import PPO
    >>> from nashzoo.agents.gym_factory import gymnasium_env
    >>> from nashzoo.envs import footsies_v0
    >>> callback = ExploitabilityCallback(footsies_v0.game(), eval_freq=1000)
    >>> model = PPO("MlpPolicy", gymnasium_env(footsies_v0.game(), "counter"), n_steps=500, batch_size=100, seed=0)
    >>> _ = model.learn(2000, callback)
    >>> [measurement.timesteps for measurement in callback.history]
    [0, 1000, 2000]
    """

    def __init__(self, game: Game, eval_freq: int = 10_000, player: int | None = None, verbose: int = 0) -> None:
        super().__init__(verbose)
        self.game = game
        self.eval_freq = check_count("eval_freq", eval_freq)
        self.player = player
        self.history: list[Measurement] = []
        self._next = 0

    def _on_training_start(self) -> None:
        self._next = self.num_timesteps + self.eval_freq
        self._measure()

    def _on_step(self) -> bool:
        if self.num_timesteps >= self._next:
            self._next += self.eval_freq * (1 + (self.num_timesteps - self._next) // self.eval_freq)
            self._measure()
        return True

    def _on_training_end(self) -> None:
        self._measure()
        self.logger.dump(self.num_timesteps)

    def _measure(self) -> None:
        measured = Measurement(self.num_timesteps, exploitability(self.game, self.model, player=self.player))
        if self.history and self.history[-1].timesteps == measured.timesteps:  # a measurement before the last update
            self.history.pop()
        self.history.append(measured)
        self.logger.record("nashzoo/exploitability", measured.exploitability)
        if self.verbose:
            print(f"{measured.timesteps:,} decisions: exploitability {measured.exploitability:.6f} points per game")  # noqa: T201
