"""What learns and is measured: it shows its policies while it learns, and goes on as long as it is asked to."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from nashzoo.arena.measurement.games import MeasuredGame
from nashzoo.arena.measurement.kept import Files, Run
from nashzoo.arena.measurement.pacer import Schedule


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
