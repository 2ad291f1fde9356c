"""A training run while it goes on: its folder, its checkpoints and its learning curve."""

import dataclasses
import json
import math
import time
from pathlib import Path
from typing import Any, TypeVar

from rich.progress import Progress
from stable_baselines3 import DQN
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from nashzoo import agents
from nashzoo.agents.learning.past_policies import SelfPlay
from nashzoo.agents.learning.sb3 import check_saved
from nashzoo.app.command_line.interruption import undisturbed
from nashzoo.app.training.evaluator import Evaluator
from nashzoo.app.training.options import Options
from nashzoo.app.training.report import Curve
from nashzoo.app.training.settings import Settings
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import written_whole

T = TypeVar("T")

MEASURE_EVERY = 5_000  # decisions, unless told otherwise
MOST_POINTS = 100  # of a learning curve, likewise


@dataclasses.dataclass
class Effort:
    """What learning has taken so far, also before an interruption."""

    games: int = 0
    seconds: float = 0.0  # without what was measured meanwhile


class Run:
    """The folder of a run and what is in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.options = folder / "options.json"
        self.model = folder / "model.zip"
        self.curve = folder / "curve.json"
        self.effort = folder / "effort.json"
        self.replay_buffer = folder / "replay_buffer.pkl"
        self.past_selves = folder / "past_selves"
        self.tensorboard = folder / "tensorboard"

    def open(self, options: Options) -> bool:
        """Prepares the folder; returns whether there is a checkpoint to go on from.

        Raises:
            UsageError: the folder holds a run that is not to be resumed, one with other options, or only parts of one.
        """
        if self.options.exists():
            if not options.resume:
                raise UsageError(f"{self.folder} holds a run: go on with --resume, or choose another --run-dir")
            unsaid = {field.name: field.default for field in dataclasses.fields(options)}  # by an older version
            unsaid |= {"observation": Settings.observation, "starts": Settings.starts}
            before, now = unsaid | self._told(self.options, dict), options.lasting()
            changed = sorted(name for name in now if before.get(name) != now[name])
            if changed:
                differences = ", ".join(f"{name} was {before.get(name)!r}, not {now[name]!r}" for name in changed)
                raise UsageError(f"the run in {self.folder} has other options: {differences}")
            if self.curve.exists() and not self.model.exists():
                raise UsageError(f"{self.model} is missing: put it back, or choose another --run-dir to begin anew")
            return self.model.exists()
        parts = self.model, self.curve, self.effort, self.replay_buffer, self.past_selves
        found = [path.name for path in parts if path.exists()]
        if found:
            raise UsageError(
                f"{self.folder} holds {', '.join(found)}, but no {self.options.name}, which says of what run: "
                "put it back, or choose another --run-dir"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        with written_whole(self.options) as path:
            path.write_text(json.dumps(options.lasting(), indent=2) + "\n")
        return False

    def load(self, kind: type[Any], batch: VecEnv) -> tuple[Any, Curve, Effort]:
        """Returns the model of the checkpoint, its learning curve, and what learning has taken.

        Raises:
            UsageError: a file is missing or damaged.
        """
        check_saved(self.model)
        model = kind.load(self.model, env=batch, device="cpu")
        try:
            curve = [point for point in self._told(self.curve, list) if point["timesteps"] <= model.num_timesteps]
        except (KeyError, TypeError):
            raise self._damaged(self.curve, "its points do not say when they were measured") from None
        if isinstance(model, DQN):
            try:
                model.load_replay_buffer(self.replay_buffer)
            except Exception as error:  # a damaged pickle can raise anything
                raise self._damaged(self.replay_buffer, error) from error
        return model, curve, self._effort_of(model)

    def _effort_of(self, model: BaseAlgorithm) -> Effort:
        """Returns what learning the model has taken.

        Raises:
            UsageError: the file that says so is missing or damaged.
        """
        if not self.effort.exists() and hasattr(model, "games_played"):  # earlier runs counted in the model
            return Effort(model.games_played, getattr(model, "seconds_learned", 0.0))
        try:
            return Effort(**self._told(self.effort, dict)[str(model.num_timesteps)])
        except (KeyError, TypeError):
            raise self._damaged(self.effort, f"it does not say what {model.num_timesteps} decisions took") from None

    def _told(self, path: Path, kind: type[T]) -> T:
        """Returns what a file of JSON says."""
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError) as error:
            raise self._damaged(path, error) from None
        if not isinstance(told, kind):
            raise self._damaged(path, f"it holds no {kind.__name__}")
        return told

    def _damaged(self, path: Path, why: object) -> UsageError:
        return UsageError(f"{path} is missing or damaged ({why}): put it back, or choose another --run-dir")

    def save(self, model: BaseAlgorithm, curve: Curve, effort: Effort) -> None:
        """Writes a checkpoint; being killed while it is written leaves the one before."""
        with undisturbed():
            # By decisions, and with those before: being killed before the model is written leaves the older one.
            before = self._told(self.effort, dict) if self.effort.exists() else {}
            with written_whole(self.effort) as path:
                efforts = before | {str(model.num_timesteps): dataclasses.asdict(effort)}
                path.write_text(json.dumps(efforts) + "\n")
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
        evaluator: Evaluator,
        curve: Curve,
        effort: Effort,
        progress: Progress,
        self_play: SelfPlay | None,
    ) -> None:
        super().__init__()
        self.run = run
        self.options = options
        self.evaluator = evaluator
        self.curve = curve
        self.effort = effort
        self.progress = progress
        self.self_play = self_play
        self.timesteps = options.settings().timesteps
        apart = self.timesteps / min(evaluator.points, MOST_POINTS) if evaluator.points else math.inf
        self.measure_every = options.measure_every or max(MEASURE_EVERY, apart)
        self.next_measure = self.next_checkpoint = self.since = 0.0

    def _on_training_start(self) -> None:
        done = self.model.num_timesteps
        self.bar = self.progress.add_task("training", total=self.timesteps, completed=done)
        self.next_measure = done if self.measure_every < math.inf else math.inf
        self.next_checkpoint = done + self.options.checkpoint_every
        self.since = time.perf_counter()

    def _on_rollout_start(self) -> None:
        done = self.model.num_timesteps
        self.effort.seconds += time.perf_counter() - self.since
        self.progress.update(self.bar, completed=done)
        self.keep_self()
        if done >= self.next_measure:
            self.measure()
            self.next_measure = done + self.measure_every
        if done >= self.next_checkpoint:
            self.run.save(self.model, self.curve, self.effort)
            self.next_checkpoint = done + self.options.checkpoint_every
        self.since = time.perf_counter()

    def _on_step(self) -> bool:
        rows_per_game = getattr(self.training_env, "rows_per_game", 1)
        self.effort.games += int(self.locals["dones"].sum()) // rows_per_game
        return True

    def end(self) -> None:
        """Takes stock when everything is learned."""
        self.effort.seconds += time.perf_counter() - self.since
        self.keep_self()
        self.measure()

    def keep_self(self) -> None:
        """Makes the learner one of its past selves, if it is time."""
        if self.self_play is not None and self.self_play.due(self.model.num_timesteps):
            with undisturbed():
                self.self_play.add(self.model)

    def measure(self) -> None:
        """Adds a point to the learning curve, unless it has one for this moment; after an interruption it may."""
        if self.curve and self.curve[-1]["timesteps"] == self.model.num_timesteps:
            return
        policy = agents.as_agent(self.model, self.evaluator.game, seed=self.options.seed)
        point = self.evaluator.point(policy, self.model.num_timesteps, self.effort.games)
        self.curve.append(point)
        for name, figure in point.items():
            if name not in ("timesteps", "games") and figure is not None:
                self.logger.record(f"exact/{name}", figure)
