"""A callback of Stable-Baselines3: checkpoints, exact measurements, progress."""

import math
import time
from typing import Any

from stable_baselines3 import DQN
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from nashzoo import agents
from nashzoo.agents.learning.past_policies import SelfPlay
from nashzoo.agents.learning.sb3 import check_saved, loaded
from nashzoo.app.training.options import CHECKPOINT_EVERY
from nashzoo.app.training.run import Run, Training
from nashzoo.envs.base.progress import Show
from nashzoo.envs.base.signals import postponed

MEASURE_EVERY = 5_000  # decisions, by default
MOST_POINTS = 100  # of a learning curve, by default


def load_checkpoint(run: Run, kind: type[Any], envs: VecEnv) -> Any:
    """Returns the model of the checkpoint.

    Raises:
        UsageError: a file is missing or damaged.
    """
    check_saved(run.model)
    model = loaded(run.model, kind, env=envs, device="cpu")
    if isinstance(model, DQN):
        try:
            model.load_replay_buffer(run.replay_buffer)
        except Exception as error:  # a damaged pickle can raise anything
            raise run.damaged(run.replay_buffer, error) from error
    return model


def save_checkpoint(training: Training, model: BaseAlgorithm) -> None:
    """Writes a checkpoint; if the process is killed meanwhile, the previous checkpoint stays."""
    run = training.run
    files = {run.replay_buffer: model.save_replay_buffer} if isinstance(model, DQN) else {}
    run.save(model.num_timesteps, training.curve, training.effort, {**files, run.model: model.save})


class TrainingCallback(BaseCallback):
    """Measures the policy exactly during training, saves checkpoints and shows the progress."""

    def __init__(self, training: Training, show: Show, self_play: SelfPlay | None) -> None:
        super().__init__()
        self.training, self.show, self.self_play = training, show, self_play
        self.effort = training.effort
        options, evaluator = training.options, training.evaluator
        self.timesteps = options.settings().timesteps
        apart = self.timesteps / min(evaluator.points, MOST_POINTS) if evaluator.points else math.inf
        self.measure_every = options.measure_every or max(MEASURE_EVERY, apart)
        self.checkpoint_every = options.checkpoint_every or CHECKPOINT_EVERY
        self.next_measure = self.next_checkpoint = self.since = 0.0

    def _on_training_start(self) -> None:
        done = self.model.num_timesteps
        self.next_measure = done if self.measure_every < math.inf else math.inf
        self.next_checkpoint = done + self.checkpoint_every
        self.since = time.process_time()

    def _on_rollout_start(self) -> None:
        done = self.model.num_timesteps
        self.effort.seconds += time.process_time() - self.since
        self.show("training", done, self.timesteps)
        self.keep_self()
        if done >= self.next_measure:
            self.measure()
            self.next_measure = done + self.measure_every
        if done >= self.next_checkpoint:
            save_checkpoint(self.training, self.model)
            self.next_checkpoint = done + self.checkpoint_every
        self.since = time.process_time()

    def _on_step(self) -> bool:
        self.effort.games += int(self.locals["dones"].sum())
        return not self.training.options.reached(self.training.curve)

    def end(self) -> None:
        """Adds the last past policy and the last measurement."""
        self.effort.seconds += time.process_time() - self.since
        self.keep_self()
        self.show("measuring the policy", 0, None)
        self.measure(self.training.evaluator.left_for_exact)

    def keep_self(self) -> None:
        """Adds the policy to the past policies, if this is due."""
        if self.self_play is not None and self.self_play.due(self.model.num_timesteps):
            with postponed():
                self.self_play.add(self.model)

    def measure(self, seconds: float = math.inf) -> None:
        """Adds a point to the learning curve, and to the log."""
        training = self.training
        policy = agents.as_agent(self.model, training.evaluator.game, seed=training.options.seed)
        for name, figure in training.measure(policy, self.model.num_timesteps, seconds).items():
            if name not in ("timesteps", "games") and figure is not None:
                self.logger.record(f"exact/{name}", figure)
