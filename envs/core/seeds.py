"""Random streams and seeds that are independent of those of other seeds, neighbouring ones too."""

import numpy as np

from nashzoo.envs.core.checks import check_seed
from nashzoo.envs.core.kernels import Seeds


def streams(seed: int | None, num_games: int) -> Seeds:
    """Returns the initial states of the games' random streams ``[B]``; that of game ``i`` does not depend on ``B``.

    Without a seed they are random numbers of the operating system.

    Raises:
        UsageError: the seed is not a whole number of at least 0.
    """
    states: Seeds = np.random.SeedSequence(check_seed(seed)).generate_state(num_games, np.uint64).astype(np.uint64)
    return states


def derived(*key: int) -> int:
    """Returns a 32-bit seed derived from a key: a seed, and numbers that identify a part of the work."""
    return int(np.random.SeedSequence(key).generate_state(1)[0])
