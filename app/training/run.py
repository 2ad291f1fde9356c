"""A training run: its folder, its checkpoints, and its results."""

import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from nashzoo.agents import Agent
from nashzoo.app.training.evaluator import Evaluator
from nashzoo.app.training.options import Options
from nashzoo.app.training.ppo_config import PPOConfig
from nashzoo.app.training.report import Curve
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.base.json_text import json_text
from nashzoo.envs.base.signals import postponed

T = TypeVar("T")


@dataclasses.dataclass
class Effort:
    """The games and the time of learning so far, also before an interruption."""

    games: int = 0
    seconds: float = 0.0  # of the processor, without the time of measuring


class Run:
    """The folder of a run and its files.

    Args:
        folder: The folder.
        model: The name of the model's file.
    """

    def __init__(self, folder: Path, model: str) -> None:
        self.folder = folder
        self.options = folder / "options.json"
        self.model = folder / model
        self.curve = folder / "curve.json"
        self.effort = folder / "effort.json"
        self.replay_buffer = folder / "replay_buffer.pkl"
        self.past_selves = folder / "past_selves"
        self.tensorboard = folder / "tensorboard"

    def open(self, options: Options) -> bool:
        """Prepares the folder; returns whether there is a checkpoint to resume from.

        Raises:
            UsageError: the folder holds a run that is not to be resumed, one with other options, or only parts of one.
        """
        if self.options.exists():
            if not options.resume:
                raise UsageError(f"{self.folder} holds a run: go on with --resume, or choose another --run-dir")
            unsaid = {field.name: field.default for field in dataclasses.fields(options)}  # in older versions
            unsaid |= {"observation": PPOConfig.observation, "starts": PPOConfig.starts}
            unsaid |= {name: list(value) for name, value in unsaid.items() if isinstance(value, tuple)}
            before, now = unsaid | self._told(self.options, dict), options.resume_key()
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
                f"{self.folder} holds {', '.join(found)}, but no {self.options.name} with the options of the run: "
                "put it back, or choose another --run-dir"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        with written_whole(self.options) as path:
            path.write_text(json.dumps(options.resume_key(), indent=2) + "\n")
        return False

    def curve_until(self, timesteps: int) -> Curve:
        """Returns the learning curve up to a checkpoint after ``timesteps`` decisions.

        Raises:
            UsageError: its file is missing or damaged.
        """
        try:
            return [point for point in self._told(self.curve, list) if point["timesteps"] <= timesteps]
        except (KeyError, TypeError):
            raise self.damaged(self.curve, "its points have no timesteps") from None

    def effort_until(self, timesteps: int) -> Effort:
        """Returns the games and the time of learning up to a checkpoint after ``timesteps`` decisions.

        Raises:
            UsageError: the file is missing or damaged.
        """
        try:
            return Effort(**self._told(self.effort, dict)[str(timesteps)])
        except (KeyError, TypeError):
            raise self.damaged(self.effort, f"it has no entry for {timesteps} decisions") from None

    def save(
        self, timesteps: int, curve: Curve, effort: Effort, models: Mapping[Path, Callable[[Path], object]]
    ) -> None:
        """Writes a checkpoint; if the process is killed meanwhile, the previous checkpoint stays.

        Args:
            timesteps: Decisions learned from.
            curve: The learning curve.
            effort: The games and the time of learning.
            models: The files of the model, and the function that writes each; the one to resume from is last.
        """
        with postponed():
            # Earlier entries stay: if the process is killed before the model is written, the older model needs them.
            before = self._told(self.effort, dict) if self.effort.exists() else {}
            with written_whole(self.effort) as path:
                path.write_text(json.dumps(before | {str(timesteps): dataclasses.asdict(effort)}) + "\n")
            with written_whole(self.curve) as path:
                path.write_text(json_text(curve, None) + "\n")
            for file, write in models.items():
                with written_whole(file) as path:
                    write(path)

    def _told(self, path: Path, kind: type[T]) -> T:
        """Returns the contents of a JSON file."""
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError) as error:
            raise self.damaged(path, error) from None
        if not isinstance(told, kind):
            raise self.damaged(path, f"it holds no {kind.__name__}")
        return told

    def damaged(self, path: Path, why: object) -> UsageError:
        """Returns the error for a missing or damaged file."""
        return UsageError(f"{path} is missing or damaged ({why}): put it back, or choose another --run-dir")


class Trained(NamedTuple):
    """The results of training.

    Attributes:
        policy: The learned policy; it uses the model itself, not a copy.
        timesteps: Decisions it learned from.
        games: Number of games of training.
        seconds: Of the processor, without the time of measuring.
        curve: The learning curve.
        evaluator: The evaluator that measured it.
    """

    policy: Agent
    timesteps: int
    games: int
    seconds: float
    curve: Curve
    evaluator: Evaluator
