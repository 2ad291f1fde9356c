"""Random streams and seeds that are independent of those of other seeds, neighbouring ones too."""

from typing import Any

import numpy as np

from nashzoo.envs.batch import Seeds


def check_seed(seed: Any) -> int:
    """Returns a seed.

    Raises:
        ValueError: it is not a whole number of at least 0.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"a seed must be a whole number of at least 0, not {seed!r}")
    return int(seed)


def streams(seed: int | None, tables: int) -> Seeds:
    """Returns the starting points of the tables' random streams ``[B]``; those of the first do not depend on ``B``.

    Without a seed they come from the operating system's randomness.

    Raises:
        ValueError: the seed is not a whole number of at least 0.
    """
    entropy = None if seed is None else check_seed(seed)
    found: Seeds = np.random.SeedSequence(entropy).generate_state(tables, np.uint64).astype(np.uint64)
    return found


def derived(*key: int) -> int:
    """Returns a seed of 32 bits for a part of what has a seed: the seed, and numbers that say which part."""
    return int(np.random.SeedSequence(key).generate_state(1)[0])
