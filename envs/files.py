"""Writing files such that a reader never meets half of one."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Gives a temporary path in the same folder; what was written there takes the file's name at the end.

    The folder is made if it is not there. An exception leaves whatever had the name before.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".unfinished-{os.getpid()}-{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
