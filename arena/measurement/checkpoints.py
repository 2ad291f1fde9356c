"""What a learner of the benchmark is: something that yields the policies of a run, at the times of the protocol."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from nashzoo.agents.hosted.script_process import cpu_seconds
from nashzoo.arena.measurement.games import GameRow
from nashzoo.envs.jit.clock import working_processor_time

PATIENCE = 10.0  # seconds of waiting for each second of work, as the machine may be busy; and of waiting for the end
STATUS = Path("/proc/self/stat")  # Linux says how long each process has worked


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

    def checkpoints(self, row: GameRow, seed: int, seconds: float, folder: Path) -> Iterator[Checkpoint]:
        """Yields the policies of a run, from the untrained one on.

        Args:
            row: The game, with its parameters.
            seed: The seed.
            seconds: Of the processor, to learn in.
            folder: What is needed to go on after an interruption is kept here.

        Raises:
            UsageError: the learner breaks the contract.
            Exception: any exception of its code.
        """
        ...


def clock() -> float:
    """Returns the seconds that processors have worked for this process, and on Linux for those that it started.

    Compilation by Numba in this process is left out.
    """
    return working_processor_time() + (cpu_seconds(os.getpid()) if STATUS.exists() else 0.0)


def clock_of_others() -> float:
    """Returns seconds of a clock for processes that this one starts: of one on the wall where their work is unknown."""
    return clock() if STATUS.exists() else time.monotonic()
