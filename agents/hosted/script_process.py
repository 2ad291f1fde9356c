"""Players that run in processes of their own, with limits on time and memory: one process for each match.

Their answers are not trusted: a player that crashes, hangs, or returns an invalid answer loses its match, without
other effects. Every wait has a limit, and every answer is compared with the valid ones.
The process is not a sandbox: it can read files and use the network.
"""

import contextlib
import json
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nashzoo.agents.hosted.script_supervisor import children
from nashzoo.envs.base.words import printable

SUPERVISOR = Path(__file__).with_name("script_supervisor.py")
WORKER = Path(__file__).with_name("script_worker.py")
LONGEST_ANSWER = 1 << 12  # bytes
WALL_SECONDS_PER_CPU_SECOND = 10  # the machine may be busy with other things
START_SECONDS = 60.0  # to start Python and import modules
END_SECONDS = 5.0  # to end its processes
LOOK_SECONDS = 0.2  # between two checks of CPU time while the player computes
SLACK = 0.25  # share of a limit that a player may use between checks
CORES = os.cpu_count() or 1
SIGNALS = {one.value: one.name for one in signal.Signals}


class Forfeit(Exception):
    """A hosted player has lost its match; the message is the cause."""


@dataclass(frozen=True)
class Limits:
    """The limits of a hosted player."""

    match_seconds: int | None  # CPU time in a match; None for no limit
    move_seconds: float | None  # CPU time for a move; None for no limit but that of the match
    megabytes: int  # memory, in units of 2**20 bytes

    @property
    def seconds(self) -> float:
        """The smaller one of the two limits of CPU time."""
        return min(seconds for seconds in (self.match_seconds, self.move_seconds) if seconds is not None)

    @property
    def patience(self) -> float:
        """Seconds to wait, in a match or for a move, before the player forfeits."""
        return WALL_SECONDS_PER_CPU_SECOND * self.seconds


class HostedMatch:
    """One match of a hosted player.

    Args:
        task: ``format``, ``name``, ``rounds`` and ``seed``.
        limits: The player's limits.

    Attributes:
        rounds: Number of throws that it has answered.
        side_by_side: Number of running matches in this process, which share the machine's time.
    """

    side_by_side = 0

    def __init__(self, task: dict[str, Any], limits: Limits) -> None:
        self.limits = limits
        self.rounds = 0
        self._waited = 0.0
        self._looked, self._seconds = 0.0, 0.0  # time of the last check of CPU time, and its result
        self._said = b""
        self._started = False
        self._folder = tempfile.TemporaryDirectory(prefix="nashzoo-", ignore_cleanup_errors=True)
        folder = self._folder.name
        # One thread for numerical libraries: more would count as CPU time, and reserve memory.
        quiet = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", str(SUPERVISOR), str(WORKER), str(limits.match_seconds or math.inf)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=folder,
            env={"PATH": os.defpath, "HOME": folder, "TMPDIR": folder, **quiet},
            start_new_session=True,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._questions, self._answers = self._process.stdin, self._process.stdout
        os.set_blocking(self._questions.fileno(), False)
        HostedMatch.side_by_side += 1
        self._tell(
            {**task, "cpu_seconds": limits.match_seconds, "seconds": limits.move_seconds, "megabytes": limits.megabytes}
        )

    def ask(self, last: int | None) -> None:
        """Asks for the next throw; ``last`` is the other's last one. The answer is fetched by :meth:`answer`."""
        self._tell(last)

    def answer(self) -> int:
        """Returns the throw.

        Raises:
            Forfeit: the player has lost the match.
        """
        if not self._started:  # not earlier, so that several matches start in parallel
            self._expect(START_SECONDS, b"ready")
            self._started = True
            self._look()
        patience = self.limits.patience
        if self.limits.match_seconds is not None:
            patience = patience * self.side_by_side - self._waited
        asked = time.monotonic()
        throw = int(self._expect(patience, b"0", b"1", b"2"))
        answered = time.monotonic()
        self._waited += answered - asked
        if CORES * (answered - self._looked) > SLACK * self.limits.seconds:
            self._check_cpu_time()
            self._look()
        self.rounds += 1
        return throw

    def close(self) -> None:
        """Ends the process and all its child processes."""
        if self._questions.closed:
            return
        HostedMatch.side_by_side -= 1
        self._questions.close()  # then the supervisor ends everything
        self._answers.close()
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGCONT)  # the player may have stopped it
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_SECONDS)
        end_orphans(self._folder.name)  # if the player has killed the supervisor
        self._folder.cleanup()

    def _tell(self, message: dict[str, Any] | int | None) -> None:
        # If the pipe is full or closed, nothing is written. Reading the answer finds the cause.
        with contextlib.suppress(BrokenPipeError):
            self._questions.write(json.dumps(message).encode() + b"\n")

    def _expect(self, patience: float, *answers: bytes) -> bytes:
        """Returns the next line, which must be one of the answers."""
        line = self._line(time.monotonic() + patience)
        if line.startswith(b"lost "):
            raise Forfeit(printable(line[5:].decode(errors="replace")))
        if line not in answers:
            raise Forfeit(f"garbled answer {line[:40].decode(errors='replace')!r}")
        return line

    def _line(self, deadline: float) -> bytes:
        while b"\n" not in self._said:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Forfeit(self._too_late())
            if not select.select([self._answers], [], [], min(left, LOOK_SECONDS))[0]:
                if self._process.poll() is not None:  # a process without it has no limits
                    raise Forfeit(self._why_ended())
                self._check_cpu_time()
                continue
            more = os.read(self._answers.fileno(), LONGEST_ANSWER)
            if not more:
                raise Forfeit(self._why_ended())
            self._said += more
            if len(self._said) > LONGEST_ANSWER:
                raise Forfeit("garbled answer without end")
        line, _, self._said = self._said.partition(b"\n")
        return line

    def _look(self) -> None:
        self._looked, self._seconds = time.monotonic(), cpu_seconds(self._process.pid)

    def _check_cpu_time(self) -> None:
        seconds = cpu_seconds(self._process.pid)
        match, move = self.limits.match_seconds, self.limits.move_seconds
        if match is not None and seconds > match:
            raise Forfeit(self._too_long())
        used = seconds - self._seconds
        if move is not None and self._started and used > (1 + SLACK) * move:
            raise Forfeit(f"took {used:.1f} s of CPU time for a move; {move:g} s are allowed")

    def _why_ended(self) -> str:
        try:
            code = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            return "it closed the connection"
        if code == -signal.SIGXCPU and self.limits.match_seconds is not None:
            return self._too_long()
        if code < 0:
            return f"its process crashed ({SIGNALS.get(-code, f'signal {-code}')})"
        return f"its process ended with exit code {code}"

    def _too_late(self) -> str:
        if not self._started:
            return f"was not ready within {START_SECONDS:g} s"
        if self.limits.match_seconds is not None:
            return f"let the match wait for more than {self.limits.patience:g} s"
        return f"gave no answer within {self.limits.patience:g} s"

    def _too_long(self) -> str:
        return f"took more than {self.limits.match_seconds} s of CPU time for the match"


def cpu_seconds(supervisor: int) -> float:
    """Returns the CPU time of all descendants of a process, in seconds; 0 if the system has no ``/proc``."""
    ticks = sum(_ticks(supervisor)[2:])
    below = children(supervisor)
    while below:
        pid = below.pop()
        ticks += sum(_ticks(pid))
        below += children(pid)
    return ticks / os.sysconf("SC_CLK_TCK")


def _ticks(pid: int) -> list[int]:
    """Returns the user and the system time of a process, and those of its children that have ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return []
    return [int(field) for field in fields[11:15]]


def orphans(folder: str) -> list[int]:
    """Returns the processes of players in a folder: it is the beginning of their home, or they work in it.

    A process that changes both is not found; none is if the system has no ``/proc``.
    """
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for name in filter(str.isdecimal, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                if f"HOME={folder}".encode() in file.read() or os.readlink(f"/proc/{name}/cwd").startswith(folder):
                    pids.append(int(name))
    return pids


def end_orphans(folder: str) -> None:
    """Ends the processes of a player in this folder that have no supervisor."""
    deadline = time.monotonic() + END_SECONDS
    while (left := orphans(folder)) and time.monotonic() < deadline:
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
