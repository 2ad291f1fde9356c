"""Players that run in processes of their own, with limits on time and memory: one process for each match.

What comes from there is not trusted: a player that crashes, hangs, or answers nonsense loses its match, and nothing
else comes to harm. A process is no prison, though: it can still read files and use the network.
"""

import contextlib
import json
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

WORKER = Path(__file__).with_name("script_worker.py")
LONGEST_ANSWER = 1 << 16  # bytes
WALL_SECONDS_PER_CPU_SECOND = 10  # the machine may be busy with other things
START_SECONDS = 60.0  # to start Python, and whatever the player imports


class Forfeit(Exception):
    """A hosted player has lost its match; the message is the cause."""


@dataclass(frozen=True)
class Limits:
    """What a hosted player may use.

    Attributes:
        match_seconds: CPU time in a match; None for no limit.
        move_seconds: CPU time for a move; None for no limit but that of the match.
        megabytes: Memory, in units of 2**20 bytes.
    """

    match_seconds: int | None
    move_seconds: float | None
    megabytes: int

    @property
    def patience(self) -> float:
        """Seconds to wait for an answer before the player counts as hanging."""
        longest = [seconds for seconds in (self.match_seconds, self.move_seconds) if seconds is not None]
        return WALL_SECONDS_PER_CPU_SECOND * min(longest)


class HostedMatch:
    """One match of a hosted player.

    Args:
        task: What to play: ``format``, ``name``, ``rounds``, ``seed``.
        limits: What the player may use.
    """

    def __init__(self, task: dict[str, Any], limits: Limits) -> None:
        self.limits = limits
        self.rounds = 0  # answered
        self._seconds = 0.0
        self._said = b""
        self._folder = tempfile.TemporaryDirectory(prefix="nashzoo-", ignore_cleanup_errors=True)
        # One thread for numerical libraries: more would count as CPU time, and reserve memory.
        quiet = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=self._folder.name,
            env={"PATH": os.defpath, "HOME": self._folder.name, **quiet},
            start_new_session=True,
        )
        self._tell(
            {
                **task,
                "cpu_seconds": limits.match_seconds,
                "seconds": limits.move_seconds,
                "megabytes": limits.megabytes,
            }
        )
        self._started = False

    def ask(self, last: int | None) -> None:
        """Asks for the next throw; ``last`` is the other's last one. The answer is fetched by :meth:`answer`."""
        self._tell({"last": last})

    def answer(self) -> int:
        """Returns the throw.

        Raises:
            Forfeit: the player has lost the match.
        """
        if not self._started:  # awaited here and not earlier, so that several matches start side by side
            self._read(START_SECONDS)
            self._started = True
        answer = self._read(self.limits.patience)
        throw = answer.get("throw")
        if isinstance(throw, bool) or throw not in (0, 1, 2):
            raise Forfeit(f"garbled answer {str(answer)[:40]}")
        self._seconds += answer["seconds"]
        if self.limits.move_seconds is not None and answer["seconds"] > self.limits.move_seconds:
            raise Forfeit(
                f"took {answer['seconds']:.1f} s of CPU time for a move; {self.limits.move_seconds:g} s are allowed"
            )
        if self.limits.match_seconds is not None and self._seconds > self.limits.match_seconds:
            raise Forfeit(self._too_long())
        self.rounds += 1
        return int(throw)

    def close(self) -> None:
        """Ends the process and all that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.wait()
        self._folder.cleanup()

    def _tell(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # why it has ended shows when the answer is read
            self._process.stdin.write(json.dumps(message).encode() + b"\n")

    def _read(self, patience: float) -> dict[str, Any]:
        line = self._line(time.monotonic() + patience, patience)
        try:
            answer = json.loads(line)
        except ValueError:
            raise Forfeit(f"garbled answer {line[:40]!r}") from None
        if not isinstance(answer, dict) or not isinstance(answer.get("seconds"), float):
            raise Forfeit(f"garbled answer {line[:40]!r}")
        if "error" in answer:
            raise Forfeit(str(answer["error"]))
        return answer

    def _line(self, deadline: float, patience: float) -> bytes:
        assert self._process.stdout is not None
        stream = self._process.stdout.fileno()
        while b"\n" not in self._said:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([stream], [], [], left)[0]:
                raise Forfeit(f"gave no answer within {patience:g} s")
            more = os.read(stream, LONGEST_ANSWER)
            if not more:
                raise Forfeit(self._why_ended())
            self._said += more
            if len(self._said) > LONGEST_ANSWER:
                raise Forfeit("garbled answer without end")
        line, _, self._said = self._said.partition(b"\n")
        return line

    def _why_ended(self) -> str:
        code = self._process.wait()
        if code == -signal.SIGXCPU or (code == -signal.SIGKILL and self.limits.match_seconds is not None):
            return self._too_long()
        if code < 0:
            return f"its process crashed ({signal.Signals(-code).name})"
        return f"its process ended with exit code {code}"

    def _too_long(self) -> str:
        return f"took more than {self.limits.match_seconds} s of CPU time for the match"
