"""What a learner of the benchmark is: something that yields the policies of a run, at the times of the protocol."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from nashzoo.arena.measurement.games import GameRow
from nashzoo.arena.measurement.pacer import Schedule


class Checkpoint(NamedTuple):
    """A policy, and what it took to learn it.

    Attributes:
        policy: What :func:`nashzoo.baselines.exploitability` measures.
        timesteps: Decisions that it has learned from.
        seconds: Of the processor, without the time of measuring.
    """

    policy: Any
    timesteps: int
    seconds: float


class Contestant(Protocol):
    """A learner of the benchmark, whatever it is made of."""

    name: str
    given: str
    unit: str
    fingerprint: str  # changes if its code does

    def check(self, row: GameRow) -> None:
        """Checks what can be checked before anything is learned.

        Raises:
            UsageError: the learner breaks the contract.
            Exception: any exception of its code.
        """
        ...

    def checkpoints(self, row: GameRow, seed: int, schedule: Schedule, folder: Path) -> Iterator[Checkpoint]:
        """Yields the policies of a run, from the untrained one on.

        Args:
            row: The game, with its parameters.
            seed: The seed.
            schedule: When policies are measured, and when learning ends.
            folder: What is needed to go on after an interruption is kept here.

        Raises:
            UsageError: the learner breaks the contract.
            Exception: any exception of its code.
        """
        ...
