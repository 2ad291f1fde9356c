"""Training with the algorithms of Stable-Baselines3 and sb3-contrib."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import rich

from nashzoo.envs.base.errors import MissingPackageError

try:
    import torch
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.utils import LinearSchedule, set_random_seed
except ImportError as error:
    raise MissingPackageError(
        f"{error}; training needs more than the games: pip install '.[train]' in nashzoo's folder"
    ) from error

from nashzoo import agents
from nashzoo.agents.basic.keyboard import check_unattended
from nashzoo.agents.learning.maskable_dqn import MaskableDQNPolicy
from nashzoo.agents.learning.past_policies import PSRO, SelfPlay
from nashzoo.agents.learning.registry import LearnerEntry
from nashzoo.app.shared.parsing import game_of
from nashzoo.app.training.evaluator import Evaluator
from nashzoo.app.training.options import LARGEST_SEED, Options
from nashzoo.app.training.ppo_config import RULES
from nashzoo.app.training.report import Curve
from nashzoo.app.training.run import Run, Trained, Training
from nashzoo.app.training.watch import TrainingCallback, load_checkpoint, save_checkpoint
from nashzoo.arena.measurement.pacer import Effort
from nashzoo.envs import Game
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.base.progress import Show
from nashzoo.envs.core.reachable import reachable_or_none
from nashzoo.envs.core.seeds import derived
from nashzoo.envs.core.starts import REACHABLE
from nashzoo.envs.vector.game_batch import GameBatch, Opponent

RMSPROP = {"optimizer_class": torch.optim.RMSprop, "optimizer_kwargs": {"alpha": 0.99, "eps": 1e-5}}  # as in A2C

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
    policy = _policy(algorithm)
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


def _policy(algorithm: LearnerEntry) -> Any:
    """Returns the class of a model's policy, or the name by which Stable-Baselines3 knows it."""
    if algorithm.remembers:
        return "MlpLstmPolicy"
    return MaskableDQNPolicy if algorithm.masks and not algorithm.actor_critic else "MlpPolicy"


def environments(options: Options, game: Game, opponent: Opponent) -> GameVecEnv:
    """Returns the training environments.

    Args:
        options: The options.
        game: The game.
        opponent: The opponent in them.

    Raises:
        UsageError: games cannot start at the states of ``--starts``.
        TooManyStatesError: the reachable states are too many to list.
    """
    settings, starts = options.settings(), _starts(options, game)
    return GameVecEnv(
        GameBatch(game, settings.num_envs, opponent, options.seat, observation=settings.observation, starts=starts)
    )


def _starts(options: Options, game: Game) -> str | None:
    """Returns where training games start, None for the starts of the rules.

    Reachable states are too many to list in some games; then games start as the rules say, unless the user chose.
    """
    chosen = options.settings().starts
    if chosen == REACHABLE and options.starts is None and reachable_or_none(game) is None:
        rich.print("Training games start as the rules say: there are too many states to draw other starts from.")
        return None
    return None if chosen == RULES else chosen


def learn(options: Options, show: Show, measure: bool = True) -> Trained:
    """Trains a model of Stable-Baselines3, see :func:`nashzoo.app.training.train.learn`."""
    game = game_of(options.game, options.param)
    settings = options.settings()
    met, held_out = options.population(game)
    run = Run(options.folder(), "model.zip")
    self_play: SelfPlay | None = None
    opponent: agents.Agent
    if options.opponent_name() == PSRO:
        self_play = SelfPlay(game, run.past_selves, options.past_selves_every())
        opponent = self_play.mixed
    else:
        opponent = agents.as_agent(dict.fromkeys(met, 1) or options.opponent_name(), game, seed=options.seed)
        check_unattended(opponent, options.opponent_name())
    envs = environments(options, game, opponent)  # before the folder is made, since it may raise
    resumed = run.open(options)

    torch.set_num_threads(options.threads)
    curve: Curve = []
    effort = Effort()
    if resumed:
        model = load_checkpoint(run, options.entry.load(), envs)
        curve, effort = run.resumed(model.num_timesteps)
    else:
        model = new_model(options, envs, run.tensorboard)
    rollout = getattr(model, "n_steps", 0) * envs.num_envs
    if settings.timesteps < rollout and not resumed:
        rich.print(
            f"The first step of learning needs {rollout:,} decisions, {model.n_steps} in each of {envs.num_envs:,} "
            f"environments: the run learns from these, not from {settings.timesteps:,}."
        )
    # Resuming with the seed itself would repeat the random numbers before.
    seed = (options.seed + model.num_timesteps) % (LARGEST_SEED + 1)
    set_random_seed(seed)
    envs.seed(derived(options.seed, model.num_timesteps))  # no random numbers in common with other runs

    if self_play is not None:
        self_play.begin(model)
    evaluator = Evaluator(
        game, options.opponent_name(), opponent, options.seat, options.seed, met, held_out, self_play,
        options.report_seconds,
    )  # fmt: skip
    training = Training(run, options, evaluator, curve, effort, measure)
    watch = TrainingCallback(training, show, self_play)
    left = settings.timesteps - model.num_timesteps
    try:
        if left > 0 and not options.reached(curve):
            model.learn(left, callback=watch, reset_num_timesteps=not resumed, tb_log_name="run")
            watch.end()
    finally:
        save_checkpoint(training, model)
    policy = agents.as_agent(model, game, seed=options.seed)
    return Trained(policy, model.num_timesteps, effort.games, effort.seconds, curve, evaluator)
