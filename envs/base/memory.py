"""How much memory is left, so that work that needs more can be refused before it takes it."""

from pathlib import Path

MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")  # limits of a container
STATUS = Path("/proc/self/status")


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
