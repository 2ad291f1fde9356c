"""Trains a reinforcement-learning agent in one of the games, and holds it against the exact solution.

    python train.py footsies_v0 --opponent counter

Every run has a folder: the options, checkpoints, TensorBoard logs, and at the end ``report.json`` and
``report.png``. An interrupted run goes on with ``--resume``.
"""

import contextlib
import dataclasses
import json
import math
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import rich
import tyro
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

try:
    import torch
    from sb3_contrib import MaskablePPO, RecurrentPPO
    from stable_baselines3 import A2C, DQN, PPO
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.utils import set_random_seed
except ImportError as error:
    sys.exit(f"train.py: {error}; training needs more than the games: pip install -e '.[train]'")

from nashzoo import agents
from nashzoo.agents.checks import check_count, check_probability
from nashzoo.agents.population import members_of
from nashzoo.agents.self_play import KINDS, SelfPlay
from nashzoo.app.errors import run_program
from nashzoo.app.names import game_of
from nashzoo.app.report import Curve, Report, Yardstick
from nashzoo.app.self_play import answer_exactly
from nashzoo.envs import Game
from nashzoo.envs.files import written_whole
from nashzoo.envs.sb3_vec_env import TablesVecEnv
from nashzoo.envs.tables import Tables

Algorithm = Literal["ppo", "a2c", "dqn", "maskable_ppo", "recurrent_ppo"]

MEASURE_EVERY = 5_000  # decisions, unless told otherwise

CLASSES: dict[Algorithm, type[Any]] = {
    "ppo": PPO,
    "a2c": A2C,
    "dqn": DQN,
    "maskable_ppo": MaskablePPO,
    "recurrent_ppo": RecurrentPPO,
}

POPULATION = "population"  # in the place of an opponent's name
HELD_OUT_EVERY = 4

# Options that may be others when a run is resumed.
CHANGING = ("timesteps", "resume", "run_dir", "checkpoint_every", "measure_every", "games", "threads", "iterations")

# What is set otherwise than in Stable-Baselines3, besides gamma: most games are short and pay at the end.
SETTINGS: dict[Algorithm, dict[str, Any]] = {
    "ppo": {"n_steps": 32, "batch_size": 512, "ent_coef": 0.005},
    "maskable_ppo": {"n_steps": 32, "batch_size": 512, "ent_coef": 0.005},
    "recurrent_ppo": {"n_steps": 64, "batch_size": 512, "ent_coef": 0.005},
    "a2c": {"n_steps": 8, "ent_coef": 0.005},
    "dqn": {"buffer_size": 100_000, "gradient_steps": 2, "exploration_final_eps": 0.1},
}


@dataclasses.dataclass
class Options:
    """Train an agent in a game against an opponent, and compare it with the exact solution.

    Example: python train.py footsies_v0 --opponent counter
    """

    game: Annotated[str, tyro.conf.Positional]
    """Name of the game, such as footsies_v0."""
    opponent: str = "counter"
    """Who to train against: an agent's name, the path of a model saved by an earlier run, or "population" for all
    scripted players of the game but those held out, of whom one is drawn for every game; "self" for the learner's own
    past selves, of whom one is drawn for every game; or "psro" for the equilibrium among all that past selves do."""
    held_out: tuple[str, ...] | None = None
    """Players that are not met in training against the population; every fourth of them when left out."""
    algorithm: Algorithm | None = None
    """Learning algorithm; maskable_ppo knows which actions are legal, recurrent_ppo remembers. When left out, it is
    maskable_ppo in games in which actions can be illegal, and ppo in others."""
    player: Literal["0", "1", "random"] = "random"
    """The learner's seat; random draws it anew for every game."""
    timesteps: int = 500_000
    """Decisions to learn from."""
    num_envs: int = 64
    """Games played side by side."""
    seed: int = 0
    """Seed of everything random."""
    param: tuple[str, ...] = ()
    """Parameters of the game, such as rounds=3 blocks=2."""
    run_dir: Path | None = None
    """Folder of the run; runs/GAME-ALGORITHM-OPPONENT-SEED when left out."""
    resume: bool = False
    """Go on with the run in the folder, if there is one; what it learns and from whom must be the same."""
    checkpoint_every: int = 50_000
    """Decisions between checkpoints: at most what an interruption loses."""
    measure_every: int | None = None
    """Decisions between the points of the learning curve, which are exact. When left out, 5,000; but in a game of more
    than 100,000 positions, where a point takes some seconds, a tenth of the run, and of more than a million positions
    only the end of the curve."""
    threads: int = 1
    """Threads of the network's arithmetic; for networks this small more are slower."""
    gamma: float = 1.0
    """What a point is worth a decision later; below 1 games that pay all the time are easier to learn."""
    ent_coef: float | None = None
    """Weight of the entropy in what is learned, not for dqn; when left out 0.005. Against self and psro a larger one
    keeps the learner from settling on what its past selves no longer do."""
    generation: int = 25_000
    """Against self and psro: decisions after which the learner becomes one more of its past selves."""
    selves: int = 50
    """Against self: how many past selves, the latest ones, it plays against."""
    oracle: Literal["learner", "exact"] = "learner"
    """Against self and psro: who answers, the learner or the exact best response. With exact ones self is fictitious
    play, and nothing is learned by reinforcement."""
    iterations: int = 100
    """Exact responses at most."""
    games: int | None = None
    """Games against every scripted agent for the report; when left out 10,000, and fewer where games are long."""

    def check(self) -> None:
        """Checks the numbers.

        Raises:
            ValueError: one that must be at least 1 is not.
        """
        for name in ("timesteps", "num_envs", "checkpoint_every", "threads", "generation", "selves", "iterations"):
            check_count(name, getattr(self, name))
        for name in ("measure_every", "games"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))
        check_probability("gamma", self.gamma)
        if self.ent_coef is not None:
            check_probability("ent_coef", self.ent_coef)
            if self.learner() == "dqn":
                raise ValueError("dqn has no entropy in what it learns; leave out --ent-coef, or choose another")
        if self.held_out is not None and self.opponent != POPULATION:
            raise ValueError(f"players are held out from --opponent {POPULATION}, not from {self.opponent}")
        if self.opponent not in KINDS:
            if self.oracle == "exact":
                raise ValueError(f"exact responses are to {' or '.join(KINDS)}, not to {self.opponent}")
        elif self.player != "random":
            raise ValueError(f"against {self.opponent} the learner plays both seats, not {self.player} alone")
        elif self.learner() == "recurrent_ppo":
            raise ValueError(f"against {self.opponent} the learner cannot remember; choose another than recurrent_ppo")

    def population(self, game: Game) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Returns who is met in training against the population, and who is held out.

        Raises:
            ValueError: somebody to be held out is not in the population, or nobody is left.
        """
        if self.opponent != POPULATION:
            return (), ()
        members = members_of(game, "scripted")
        held_out = members[HELD_OUT_EVERY - 1 :: HELD_OUT_EVERY] if self.held_out is None else self.held_out
        strange = sorted(set(held_out) - set(members))
        if strange:
            raise ValueError(f"the population is {', '.join(members)}; it has no {', '.join(strange)} to hold out")
        met = tuple(name for name in members if name not in held_out)
        if not met:
            raise ValueError("everybody is held out; nobody is left to train against")
        return met, held_out

    def learner(self) -> Algorithm:
        """Returns the learning algorithm."""
        return self.algorithm or ("maskable_ppo" if game_of(self.game, self.param).masked else "ppo")

    def folder(self) -> Path:
        """Returns the folder of the run."""
        opponent = Path(self.opponent).stem if self.opponent.endswith(".zip") else self.opponent
        learner = "exact" if self.oracle == "exact" else self.learner()
        return self.run_dir or Path("runs") / f"{self.game}-{learner}-{opponent}-{self.seed}"

    def lasting(self) -> dict[str, Any]:
        """Returns the options that cannot change when a run is resumed."""
        options = dataclasses.asdict(self) | {"algorithm": self.learner()}
        kept = {name: value for name, value in options.items() if name not in CHANGING}
        return json.loads(json.dumps(kept))  # type: ignore[no-any-return]  # tuples become lists, as in the file


class Run:
    """The folder of a run and what is in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.options = folder / "options.json"
        self.model = folder / "model.zip"
        self.curve = folder / "curve.json"
        self.replay_buffer = folder / "replay_buffer.pkl"
        self.past_selves = folder / "past_selves"
        self.tensorboard = folder / "tensorboard"

    def open(self, options: Options) -> bool:
        """Prepares the folder; returns whether there is a checkpoint to go on from.

        Raises:
            ValueError: the folder holds a run that is not to be resumed, or one with other options.
        """
        if self.options.exists():
            if not options.resume:
                raise ValueError(f"{self.folder} holds a run: go on with --resume, or choose another --run-dir")
            unsaid = {field.name: field.default for field in dataclasses.fields(options)}  # by an older version
            before, now = unsaid | json.loads(self.options.read_text()), options.lasting()
            changed = sorted(name for name in now if before.get(name) != now[name])
            if changed:
                differences = ", ".join(f"{name} was {before.get(name)!r}, not {now[name]!r}" for name in changed)
                raise ValueError(f"the run in {self.folder} has other options: {differences}")
            return self.model.exists()
        self.folder.mkdir(parents=True, exist_ok=True)
        with written_whole(self.options) as path:
            path.write_text(json.dumps(options.lasting(), indent=2) + "\n")
        return False

    def save(self, model: BaseAlgorithm, curve: Curve) -> None:
        """Writes a checkpoint; being killed while it is written leaves the one before."""
        with undisturbed():
            if isinstance(model, DQN):
                with written_whole(self.replay_buffer) as path:
                    model.save_replay_buffer(path)
            with written_whole(self.curve) as path:
                path.write_text(json.dumps(curve) + "\n")
            with written_whole(self.model) as path:
                model.save(path)


class Watch(BaseCallback):
    """Measures the policy exactly while it learns, keeps checkpoints and shows how far the run is."""

    def __init__(
        self,
        run: Run,
        options: Options,
        yardstick: Yardstick,
        curve: Curve,
        progress: Progress,
        self_play: SelfPlay | None,
    ) -> None:
        super().__init__()
        self.run = run
        self.options = options
        self.yardstick = yardstick
        self.curve = curve
        self.progress = progress
        self.self_play = self_play
        apart = options.timesteps / yardstick.points if yardstick.points else math.inf
        self.measure_every = options.measure_every or max(MEASURE_EVERY, apart)
        self.next_measure = self.next_checkpoint = 0.0

    def _on_training_start(self) -> None:
        done = self.model.num_timesteps
        self.bar = self.progress.add_task("training", total=self.options.timesteps, completed=done)
        self.next_measure = done if self.measure_every < math.inf else math.inf
        self.next_checkpoint = done + self.options.checkpoint_every

    def _on_rollout_start(self) -> None:
        done = self.model.num_timesteps
        self.progress.update(self.bar, completed=done)
        self.keep_self()
        if done >= self.next_measure:
            self.measure()
            self.next_measure = done + self.measure_every
        if done >= self.next_checkpoint:
            self.run.save(self.model, self.curve)
            self.next_checkpoint = done + self.options.checkpoint_every

    def _on_step(self) -> bool:
        count_games(self.model, int(self.locals["dones"].sum()))
        return True

    def keep_self(self) -> None:
        """Makes the learner one of its past selves, if it is time."""
        if self.self_play is not None and self.self_play.due(self.model.num_timesteps):
            with undisturbed():
                self.self_play.add(self.model)

    def measure(self) -> None:
        """Adds a point to the learning curve, unless it has one for this moment; after an interruption it may."""
        if self.curve and self.curve[-1]["timesteps"] == self.model.num_timesteps:
            return
        policy = agents.as_agent(self.model, self.yardstick.game, seed=self.options.seed)
        point = self.yardstick.point(policy, self.model.num_timesteps, games_of(self.model))
        self.curve.append(point)
        for name, figure in point.items():
            if name not in ("timesteps", "games") and figure is not None:
                self.logger.record(f"exact/{name}", figure)


def games_of(model: BaseAlgorithm) -> int:
    """Returns how many games a model has learned from."""
    return getattr(model, "games_played", 0)


def count_games(model: BaseAlgorithm, games: int) -> None:
    """Counts games in the model itself, which is saved with all that it knows."""
    setattr(model, "games_played", games_of(model) + games)  # noqa: B010  # it has no such attribute at first


def new_model(options: Options, tables: TablesVecEnv, tensorboard: Path) -> BaseAlgorithm:
    """Returns an untrained model."""
    algorithm = options.learner()
    settings = SETTINGS[algorithm] | {"seed": options.seed, "device": "cpu", "gamma": options.gamma}
    if options.ent_coef is not None:
        settings["ent_coef"] = options.ent_coef
    policy = "MlpLstmPolicy" if algorithm == "recurrent_ppo" else "MlpPolicy"
    model: BaseAlgorithm = CLASSES[algorithm](policy, tables, tensorboard_log=str(tensorboard), **settings)
    return model


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Lets a request to terminate end the run as Ctrl-C does."""

    def stop(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Puts off an interruption until the work within is done; PyTorch cannot be interrupted while it writes."""
    came: list[int] = []
    before = {
        number: signal.signal(number, lambda number, frame: came.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt


def train(options: Options) -> Report:
    """Trains, and returns the report.

    Raises:
        ValueError: an option has a value it cannot have.
        KeyboardInterrupt: the run was interrupted; a checkpoint has been written.
    """
    options.check()
    game = game_of(options.game, options.param)
    player: int | str = "random" if options.player == "random" else int(options.player)
    met, held_out = options.population(game)
    run = Run(options.folder())
    self_play = None
    if options.opponent in KINDS:
        self_play = SelfPlay(options.opponent, game, run.past_selves, options.generation, options.selves)
        opponent = self_play.opponent
    else:
        opponent = agents.as_agent(dict.fromkeys(met, 1) or options.opponent, game, seed=options.seed)
    resumed = run.open(options)
    if options.oracle == "exact":
        with Progress(console=rich.get_console()) as progress:
            report = answer_exactly(game, options.opponent, options.iterations, options.seed, options.games, progress)
        report.save(run.folder)
        return report

    torch.set_num_threads(options.threads)
    tables = TablesVecEnv(Tables(game, options.num_envs, opponent, player))
    curve: Curve = []
    if resumed:
        model = CLASSES[options.learner()].load(run.model, env=tables, device="cpu")
        curve = [point for point in json.loads(run.curve.read_text()) if point["timesteps"] <= model.num_timesteps]
        if isinstance(model, DQN):
            model.load_replay_buffer(run.replay_buffer)
        rich.print(f"Going on from {model.num_timesteps:,} decisions in {run.folder}.")
    else:
        model = new_model(options, tables, run.tensorboard)
    seed = options.seed + model.num_timesteps  # going on with the seed itself would repeat what was drawn before
    set_random_seed(seed)
    tables.seed(seed)

    if self_play is not None:
        self_play.resume(model.num_timesteps)
    yardstick = Yardstick(game, options.opponent, opponent, player, options.seed, met, held_out, self_play)
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,}")
    with Progress(*columns, TimeRemainingColumn(), console=rich.get_console()) as progress, interruptible():
        watch = Watch(run, options, yardstick, curve, progress, self_play)
        left = options.timesteps - model.num_timesteps
        try:
            if left > 0:
                model.learn(left, callback=watch, reset_num_timesteps=not resumed, tb_log_name="run")
                watch.keep_self()
                watch.measure()
        finally:
            run.save(model, curve)
        policy = agents.as_agent(model, game, seed=options.seed)
        report = yardstick.report(
            policy, options.learner(), model.num_timesteps, games_of(model), curve, options.games, progress
        )
    report.save(run.folder)
    return report


def main() -> int:
    """Runs the script; returns its exit code."""
    options = tyro.cli(Options, config=(tyro.conf.FlagCreatePairsOff,))

    def work() -> None:
        try:
            report = train(options)
        except KeyboardInterrupt:
            rich.print(f"\nInterrupted. Go on with the same command and --resume; the run is in {options.folder()}.")
            raise
        report.show()
        what = "Report and picture" if options.oracle == "exact" else "Report, picture and model"
        rich.print(f"{what} are in {options.folder()}.")

    return run_program("train.py", work)


if __name__ == "__main__":
    sys.exit(main())
