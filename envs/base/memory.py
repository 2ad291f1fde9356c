"""What the system says of memory and of this process, so that work that needs more memory can be refused before."""

import os
from pathlib import Path

MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")  # limits of a container
STATUS = Path("/proc/self/status")
BEGAN, BOOTED = Path("/proc/self/stat"), Path("/proc/stat")


def available_memory() -> int | None:
    """Returns the bytes of memory that are left without swapping; None where the system does not say, as on Windows."""
    left = []
    try:
        lines = dict(line.split(":") for line in MEMINFO.read_text(encoding="utf-8").splitlines())
        left.append(1024 * int(lines["MemAvailable"].split()[0]))
    except (OSError, KeyError, ValueError):
        return None
    try:
        most, used = ((GROUP / f"memory.{name}").read_text(encoding="utf-8").strip() for name in ("max", "current"))
        if most != "max":
            left.append(int(most) - int(used))
    except (OSError, ValueError):
        pass
    return max(min(left), 0)


def used_memory() -> int | None:
    """Returns the bytes of memory of this process; None where the system does not say."""
    try:
        lines = dict(line.split(":", 1) for line in STATUS.read_text(encoding="utf-8").splitlines())
        return 1024 * int(lines["VmRSS"].split()[0])
    except (OSError, KeyError, ValueError):
        return None


def started() -> float | None:
    """Returns when this process began, in seconds since the epoch; None where the system does not say."""
    try:
        ticks = int(BEGAN.read_text(encoding="utf-8").rpartition(")")[2].split()[19])  # since the system was booted
        lines = dict(line.split(" ", 1) for line in BOOTED.read_text(encoding="utf-8").splitlines())
        return int(lines["btime"]) + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, KeyError, ValueError, IndexError):
        return None
