"""Random streams and seeds that are independent of those of other seeds, neighbouring ones too."""

import numpy as np

from nashzoo.envs.core.checks import check_seed
from nashzoo.envs.core.kernels import Seeds


def streams(seed: int | None, num_games: int) -> Seeds:
    """Returns the starting points of the games' random streams ``[B]``; those of the first do not depend on ``B``.

    Without a seed they come from the operating system's randomness.

    Raises:
        UsageError: the seed is not a whole number of at least 0.
    """
    found: Seeds = np.random.SeedSequence(check_seed(seed)).generate_state(num_games, np.uint64).astype(np.uint64)
    return found


def derived(*key: int) -> int:
    """Returns a seed of 32 bits for a part of what has a seed: the seed, and numbers that say which part."""
    return int(np.random.SeedSequence(key).generate_state(1)[0])
