"""What learns and is measured: it shows its policies while it learns, and its curve and effort are kept in a folder."""

import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from nashzoo.arena.measurement.games import MeasuredGame
from nashzoo.arena.measurement.pacer import Effort, Schedule
from nashzoo.arena.tasks import checksum
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import write_text, written_whole
from nashzoo.envs.base.json_text import json_text
from nashzoo.envs.base.signals import postponed
from nashzoo.envs.base.words import differences

FILE = "run.json"
Curve = list[dict[str, Any]]  # a point for each measurement, with the ``timesteps`` after which it was made
Files = Mapping[str, Callable[[Path], object]]  # by name, what writes a file


class Checkpoint(NamedTuple):
    """A learner at a time; it learns on afterwards, and is no copy."""

    learner: Any  # what learns; its num_timesteps are the decisions that it has learned from
    policy: Any  # what nashzoo.baselines.exploitability measures
    due: bool = True  # whether the schedule has it measured
    files: Files = MappingProxyType({})  # what writes the files to resume from, by name, the model's last

    @property
    def timesteps(self) -> int:
        """Decisions that it has learned from."""
        return int(self.learner.num_timesteps)


Visit = Callable[[Checkpoint], bool]  # measures and keeps a checkpoint; returns whether to go on


class Run:
    """A run: one learner in one game with one seed. Its file, which has a checksum, is written with each checkpoint.

    Args:
        folder: The folder.
        about: What it is a run of, which JSON can represent.

    Attributes:
        curve: The learning curve so far.
        effort: The games and the time of learning so far.
        total: The decisions that fit into its time; 0 if that is not known.

    Raises:
        UsageError: the folder has a run with other settings, or its file is damaged.
    """

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        self.folder, self.file, self.about = folder, folder / FILE, about
        self.curve: Curve = []
        self.effort, self.total = Effort(), 0
        self._efforts: dict[str, dict[str, Any]] = {}  # by decisions: an older model may be the one that is there
        if self.exists:
            before = content_of(self.file)
            if changed := differences(before["about"], about):
                raise UsageError(f"the run in {folder} has other options: {changed}")
            self.curve, self._efforts, self.total = before["curve"], before["efforts"], before["total"]

    @property
    def exists(self) -> bool:
        """Whether its file is there."""
        return self.file.exists()

    @property
    def begun(self) -> bool:
        """Whether there is a checkpoint of a policy that has learned."""
        return not self._efforts.keys() <= {"0"}

    def resume(self, timesteps: int) -> None:
        """Goes back to the checkpoint after ``timesteps`` decisions; to the beginning if that is none.

        Raises:
            UsageError: there is none.
        """
        known = self._efforts | {"0": {}}
        if str(timesteps) not in known:
            raise UsageError(f"{self.file} has no checkpoint after {timesteps} decisions: put back the files of one")
        self.curve = [point for point in self.curve if point["timesteps"] <= timesteps] if timesteps else []
        self.effort = Effort(**known[str(timesteps)])

    def save(self, timesteps: int, files: Files = MappingProxyType({})) -> None:
        """Writes a checkpoint; if the process is killed meanwhile, the previous checkpoint stays.

        Args:
            timesteps: Decisions learned from.
            files: The files of the model; the one to resume from is last.
        """
        with postponed():
            self._efforts[str(timesteps)] = dataclasses.asdict(self.effort)
            content = {"about": self.about, "curve": self.curve, "efforts": self._efforts, "total": self.total}
            write_text(self.file, json_text(signed(content)) + "\n")
            for name, write in files.items():
                with written_whole(self.folder / name) as path:
                    write(path)


def signed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the content of a run's file with its checksum."""
    plain = json.loads(json_text(content))
    plain.pop("checksum", None)
    return {**plain, "checksum": checksum(FILE, plain)}


def content_of(file: Path) -> dict[str, Any]:
    """Returns the content of a run's file.

    Raises:
        UsageError: it is missing, or is not what was written.
    """
    try:
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        is_whole = content == signed(content)
    except (AttributeError, FileNotFoundError, RecursionError, TypeError, ValueError):
        is_whole = False
    if not is_whole:
        raise UsageError(f"{file} is missing, or is not what was written: put it back, or choose another --run-dir")
    return content


class Learns(Protocol):
    """What learns by a schedule."""

    unit: str
    resumes: bool  # whether it goes on from files
    file: str  # the name of the file, or folder, of what it has learned

    def learn(self, game: MeasuredGame, seed: int, schedule: Schedule, run: Run, visit: Visit) -> None:
        """Learns, from the untrained policy or from the files of the run on.

        Args:
            game: The game, with its parameters.
            seed: The seed.
            schedule: When policies are measured, and when learning ends.
            run: Its effort is counted on; in its folder is what is needed to go on after an interruption.
            visit: Called with the untrained policy or the one of the files, and after each step of learning.

        Raises:
            UsageError: the learner breaks the contract.
            Exception: any exception of its code.
        """
        ...


class Contestant(Learns, Protocol):
    """What learns both seats, whatever it is made of."""

    name: str
    given: str
    fingerprint: str  # changes if its code does
    first_point: int  # decisions before the first point of its curve

    def check(self, game: MeasuredGame) -> None:
        """Checks what can be checked before anything is learned.

        Raises:
            UsageError: the learner breaks the contract.
            Exception: any exception of its code.
        """
        ...
