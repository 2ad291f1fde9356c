"""A training run: its folder, its checkpoints, and its results."""

import dataclasses
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import rich

from nashzoo.agents import Agent
from nashzoo.app.training.evaluator import Evaluator
from nashzoo.app.training.options import Options
from nashzoo.app.training.report import Curve, lacks_point
from nashzoo.arena.measurement.pacer import Effort
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.base.json_text import json_text
from nashzoo.envs.base.signals import postponed
from nashzoo.envs.base.words import differences

T = TypeVar("T")


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
            now = dict(sorted(options.resume_key().items()))
            if changed := differences(self._contents(self.options, dict), now):
                raise UsageError(f"the run in {self.folder} has other options: {changed}")
            if self.curve.exists() and not self.model.exists():
                raise UsageError(f"{self.model} is missing: put it back, or choose another --run-dir to begin anew")
            if not self.model.exists() and options.oracle != "exact":  # exact responses save no model
                rich.print(f"There is no checkpoint in {self.folder} yet; the run begins anew.")
            return self.model.exists()
        parts = self.model, self.curve, self.effort, self.replay_buffer, self.past_selves
        names = [path.name for path in parts if path.exists()]
        if names:
            raise UsageError(
                f"{self.folder} holds {', '.join(names)}, but no {self.options.name} with the options of the run: "
                "put it back, or choose another --run-dir"
            )
        if options.resume:
            rich.print(f"There is no run in {self.folder} yet; one begins there.")
        self.folder.mkdir(parents=True, exist_ok=True)
        with written_whole(self.options) as path:
            path.write_text(json.dumps(options.resume_key(), indent=2) + "\n", encoding="utf-8")
        return False

    def resumed(self, timesteps: int) -> tuple[Curve, Effort]:
        """Returns the learning curve and the effort up to a checkpoint after ``timesteps`` decisions.

        Raises:
            UsageError: a file is missing or damaged.
        """
        try:
            curve = [point for point in self._contents(self.curve, list) if point["timesteps"] <= timesteps]
        except (KeyError, TypeError):
            raise self.damaged(self.curve, "its points have no timesteps") from None
        try:
            effort = Effort(**self._contents(self.effort, dict)[str(timesteps)])
        except (KeyError, TypeError):
            raise self.damaged(self.effort, f"it has no entry for {timesteps} decisions") from None
        rich.print(f"Going on from {timesteps:,} decisions in {self.folder}.")
        return curve, effort

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
            before = self._contents(self.effort, dict) if self.effort.exists() else {}
            with written_whole(self.effort) as path:
                path.write_text(
                    json.dumps(before | {str(timesteps): dataclasses.asdict(effort)}) + "\n", encoding="utf-8"
                )
            with written_whole(self.curve) as path:
                path.write_text(json_text(curve, None) + "\n", encoding="utf-8")
            for file, write in models.items():
                with written_whole(file) as path:
                    write(path)

    def _contents(self, path: Path, kind: type[T]) -> T:
        try:
            contents = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, RecursionError, ValueError) as error:
            raise self.damaged(path, error) from None
        if not isinstance(contents, kind):
            raise self.damaged(path, f"it holds no {kind.__name__}")
        return contents

    def damaged(self, path: Path, why: object) -> UsageError:
        """Returns the error for a missing or damaged file."""
        return UsageError(f"{path} is missing or damaged ({why}): put it back, or choose another --run-dir")


@dataclasses.dataclass
class Training:
    """A training: its run and options, its learning curve and effort so far, and what measures it.

    Attributes:
        measured: Whether to measure the policy; the learning curve is empty otherwise.
    """

    run: Run
    options: Options
    evaluator: Evaluator
    curve: Curve
    effort: Effort
    measured: bool

    def measure(self, policy: Agent, timesteps: int, seconds: float = math.inf) -> dict[str, Any]:
        """Adds a point to the learning curve, and returns it; nothing if there is one after as many decisions.

        Figures that take longer than ``seconds`` are None.
        """
        if not (self.measured and lacks_point(self.curve, timesteps)):
            return {}
        point = self.evaluator.point(policy, timesteps, self.effort.games, seconds)
        self.curve.append(point | {"seconds": self.effort.seconds})
        return point


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
