"""Training with the algorithms of Stable-Baselines3 and sb3-contrib."""

import dataclasses
import math
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nashzoo.envs.base.errors import MissingPackageError, UsageError

try:
    import torch
    from stable_baselines3 import DQN
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.utils import LinearSchedule, set_random_seed
except ImportError as error:
    raise MissingPackageError(
        f"{error}; training needs more than the games: pip install '.[train]' in nashzoo's folder"
    ) from error

from nashzoo import agents
from nashzoo.agents.basic.keyboard import check_unattended
from nashzoo.agents.learning.maskable_dqn import MaskableDQNPolicy
from nashzoo.agents.learning.past_policies import PSRO, SelfPlay
from nashzoo.agents.learning.sb3 import check_saved, loaded
from nashzoo.app.training.options import LARGEST_SEED, Options
from nashzoo.app.training.ppo_config import RULES
from nashzoo.arena.measurement import pacer
from nashzoo.arena.measurement.checkpoints import Checkpoint, Run, Visit
from nashzoo.arena.measurement.games import MeasuredGame
from nashzoo.arena.measurement.learning import Learning
from nashzoo.arena.measurement.pacer import Schedule, apart
from nashzoo.arena.measurement.points import Points
from nashzoo.envs import Game
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.base.progress import note
from nashzoo.envs.base.signals import postponed
from nashzoo.envs.core.agent import Opponent
from nashzoo.envs.core.reachable import reachable_or_none
from nashzoo.envs.core.seeds import derived
from nashzoo.envs.core.starts import REACHABLE
from nashzoo.envs.vector.game_batch import GameBatch

RMSPROP = {"optimizer_class": torch.optim.RMSprop, "optimizer_kwargs": {"alpha": 0.99, "eps": 1e-5}}  # as in A2C

MODEL, REPLAY_BUFFER, PAST_SELVES = "model.zip", "replay_buffer.pkl", "past_selves"
FIRST = 20_000  # decisions of the first trial that finds the pace
WHOLE_ROLLOUT = sys.maxsize

DQN_SETTINGS: dict[str, Any] = {
    "buffer_size": 100_000,
    "gradient_steps": 16,
    "batch_size": 256,
    "learning_rate": 3e-4,
    "exploration_final_eps": 0.1,
}

# Settings that differ from Stable-Baselines3, besides gamma: most games are short, with the reward at the end.
SETTINGS: dict[str, dict[str, Any]] = {
    "ppo": {"n_steps": 32, "batch_size": 512, "ent_coef": 0.005},
    "maskable_ppo": {"n_steps": 32, "batch_size": 512, "ent_coef": 0.005},
    "recurrent_ppo": {"n_steps": 64, "batch_size": 512, "ent_coef": 0.005},
    "a2c": {"n_steps": 5, "ent_coef": 0.005, "learning_rate": 2e-3},
    "maskable_a2c": {
        "n_steps": 5, "batch_size": WHOLE_ROLLOUT, "n_epochs": 1, "ent_coef": 0.005, "learning_rate": 2e-3,
        "gae_lambda": 1.0, "normalize_advantage": False, "policy_kwargs": RMSPROP,
    },
    "dqn": DQN_SETTINGS,
    "maskable_dqn": DQN_SETTINGS | {"learning_starts": 0},
}  # fmt: skip

GIVEN = ("gamma", "ent_coef", "learning_rate", "n_steps", "batch_size", "n_epochs", "clip_range")  # to the algorithm


def new_model(options: Options, envs: GameVecEnv, tensorboard: Path) -> BaseAlgorithm:
    """Returns an untrained model."""
    algorithm, chosen = options.entry, options.settings()
    masks_values = algorithm.masks and not algorithm.actor_critic
    policy: Any = "MlpLstmPolicy" if algorithm.remembers else MaskableDQNPolicy if masks_values else "MlpPolicy"
    settings = SETTINGS[algorithm.name] | {"seed": options.seed, "device": "cpu"}
    settings |= {name: getattr(chosen, name) for name in GIVEN if getattr(chosen, name) is not None}
    if chosen.falling:
        settings["learning_rate"] = LinearSchedule(settings["learning_rate"], end=0.0, end_fraction=1.0)
    if "n_steps" in settings and "batch_size" in settings:
        settings["batch_size"] = min(settings["batch_size"], settings["n_steps"] * envs.num_envs)
    network = dict(settings.get("policy_kwargs", {}))
    if policy is MaskableDQNPolicy:
        network["game"] = envs.batch.game
    if chosen.width is not None:
        network["net_arch"] = [chosen.width, chosen.width]
    settings["policy_kwargs"] = network
    model: BaseAlgorithm = algorithm.load()(policy, envs, tensorboard_log=str(tensorboard), **settings)
    model.made_for = repr(envs.batch.game)  # type: ignore[attr-defined]  # saved with it
    model.made_by = f"nashzoo {version('nashzoo')}"  # type: ignore[attr-defined]
    return model


def environments(options: Options, game: Game, opponent: Opponent) -> GameVecEnv:
    """Returns the training environments.

    Reachable states are too many to list in some games; then games start as the rules say, unless the user chose.

    Raises:
        UsageError: games cannot start at the states of ``--starts``.
        TooManyStatesError: the reachable states are too many to list.
    """
    settings = options.settings()
    starts = None if settings.starts == RULES else settings.starts
    if starts == REACHABLE and options.starts is None and reachable_or_none(game) is None:
        note("training games start as the rules say: there are too many states to draw other starts from")
        starts = None
    return GameVecEnv(
        GameBatch(game, settings.num_envs, opponent, options.seat, observation=settings.observation, starts=starts)
    )


class ModelContestant:
    """A model of Stable-Baselines3, which learns in one seat against an opponent, or against its past policies.

    Attributes:
        resumes: Whether it goes on from files.
        file: The name of the file of the model.
        unit: What its timesteps count.
        points: What measures its learning curve.

    Raises:
        UsageError: there is no such opponent, or games cannot start at the states of ``--starts``.
        TooManyStatesError: the states are too many to list, or for tables of policies.
    """

    resumes, file, unit = True, MODEL, "decisions"

    def __init__(self, options: Options, game: Game) -> None:
        self.options, self._past = options, None
        if options.opponent_name() == PSRO:
            self._past = SelfPlay(game, options.folder() / PAST_SELVES, options.past_selves_every())
            opponent: agents.Agent = self._past.mixed
        else:
            met, _ = options.population(game)
            opponent = agents.as_agent(dict.fromkeys(met, 1) or options.opponent_name(), game, seed=options.seed)
            check_unattended(opponent, options.opponent_name())
        self.points = Points(game, opponent, self._past, options.seats, options.seed)
        self._envs = environments(options, game, opponent)

    def learn(self, game: MeasuredGame, seed: int, schedule: Schedule, run: Run, visit: Visit) -> None:
        """Learns by the decisions of the schedule, see :class:`nashzoo.arena.measurement.checkpoints.Contestant`."""
        envs, options = self._envs, self.options
        torch.set_num_threads(options.threads)
        resumes = (run.folder / MODEL).exists()
        if resumes:
            model = load_checkpoint(run.folder, options.entry.load(), envs)
        else:
            model = new_model(options, envs, run.folder / "tensorboard")
        run.resume(model.num_timesteps)
        rollout = getattr(model, "n_steps", 0) * envs.num_envs
        if schedule.timesteps < rollout and not resumes:
            note(
                f"the first step of learning needs {rollout:,} decisions, {model.n_steps} in each of "
                f"{envs.num_envs:,} environments: the run learns from these, not from {schedule.timesteps:,}"
            )
        # Resuming with the seed itself would repeat the random numbers before.
        set_random_seed((seed + model.num_timesteps) % (LARGEST_SEED + 1))
        envs.seed(derived(seed, model.num_timesteps))  # no random numbers in common with other runs
        if self._past is not None:
            self._past.begin(model)
        files: dict[str, Any] = {REPLAY_BUFFER: model.save_replay_buffer} if isinstance(model, DQN) else {}
        files[MODEL] = model.save

        def seen(due: bool) -> bool:
            return visit(Checkpoint(model, agents.as_agent(model, self.points.game, seed=seed), due, files))

        left = int(schedule.timesteps) - model.num_timesteps
        if seen(False) and left > 0:
            watch = _Watch(schedule, run, seen, self._past)
            model.learn(left, callback=watch, reset_num_timesteps=not resumes, tb_log_name="run")
            watch.keep()


def decisions_in(seconds: float, options: Options, place: MeasuredGame, run: Run) -> int:
    """Returns the number of decisions that a run learns from in some time, estimated by shorter runs, and keeps it."""

    def trial(decisions: int) -> tuple[int, float]:
        with tempfile.TemporaryDirectory() as folder:
            tried = Run(Path(folder), {})
            short = dataclasses.replace(options, timesteps=decisions, run_dir=tried.folder)
            learning = Learning(tried, lambda *_: {"timesteps": 0, "exploitability": None}, keeps=False)
            plan = apart(math.inf, decisions)  # nothing is measured
            done = learning.learn(ModelContestant(short, place.make()), place, options.seed, plan)
        return done.timesteps, tried.effort.seconds

    if not run.total:
        settings = options.settings()
        first = max(FIRST, settings.num_envs * (settings.n_steps or 1))
        trial(first // 10)  # its time includes compilation
        run.total = pacer.decisions_in(seconds, trial, first)
        run.save(0)
    return run.total


class _Watch(BaseCallback):
    """Shows the policy before every rollout, and adds it to the past policies if this is due."""

    def __init__(self, schedule: Schedule, run: Run, visit: Callable[[bool], bool], self_play: SelfPlay | None) -> None:
        super().__init__()
        self.schedule, self.run, self.visit, self.self_play = schedule, run, visit, self_play
        self.goes_on, self.mark, self.since = True, 0.0, 0.0

    def _on_training_start(self) -> None:
        self.mark = self.model.num_timesteps if self.schedule.untrained else math.inf
        self.since = time.process_time()

    def _on_rollout_start(self) -> None:
        self.keep()
        done, points = self.model.num_timesteps, len(self.run.curve)
        due = done >= self.mark
        self.goes_on = self.visit(due)
        if due:
            self.mark = self.schedule.mark(done)
        for name, figure in self.run.curve[-1].items() if len(self.run.curve) > points else ():
            if name not in ("timesteps", "games", "seconds") and figure is not None:
                self.logger.record(f"exact/{name}", figure)
        self.since = time.process_time()

    def _on_step(self) -> bool:
        self.run.effort.games += int(self.locals["dones"].sum())
        return self.goes_on

    def keep(self) -> None:
        """Counts the time of learning, and adds the policy to the past policies."""
        self.run.effort.seconds += time.process_time() - self.since
        if self.self_play is not None and self.self_play.due(self.model.num_timesteps):
            with postponed():
                self.self_play.add(self.model)


def load_checkpoint(folder: Path, kind: type[Any], envs: GameVecEnv | None) -> Any:
    """Returns the model of a checkpoint.

    Raises:
        UsageError: a file is missing or damaged.
    """
    check_saved(folder / MODEL)
    model = loaded(folder / MODEL, kind, env=envs, device="cpu")
    if isinstance(model, DQN):
        try:
            model.load_replay_buffer(folder / REPLAY_BUFFER)
        except Exception as error:  # a damaged pickle can raise anything
            raise UsageError(
                f"{folder / REPLAY_BUFFER} is missing or damaged ({error}): put it back, or choose another --run-dir"
            ) from error
    return model
