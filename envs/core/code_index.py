"""Numbers for codes in the order of their first use: a hash table with open addressing and linear probing.

Numba's own sets and dictionaries take several times as long. Source: Knuth, The Art of Computer Programming 3, 6.4.
"""

import numpy as np
from numpy.typing import NDArray

from nashzoo.envs.jit.compiled import Ints, compiled
from nashzoo.envs.jit.numba import int32, int64, void

Numbers = NDArray[np.int32]

FREE = -1
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio: spreads neighbouring codes
LEAST = 10  # bits of the smallest table


@compiled(int64(int64[::1], int64, int32[::1], int64, int64[::1], int32[::1]))
def _number(codes: Ints, known: int, slots: Numbers, bits: int, wanted: Ints, numbers: Numbers) -> int:
    """Fills ``numbers`` with those of the codes wanted, new ones if necessary; leaves marks, which are negative.

    Returns:
        The number of known codes; ``codes`` must have room for them.
    """
    shift, last = np.uint64(64 - bits), len(slots) - 1
    for k in range(len(wanted)):
        code = wanted[k]
        if code < 0:
            numbers[k] = code
            continue
        slot = np.int64(np.uint64(code) * GOLDEN >> shift)
        while slots[slot] != FREE and codes[slots[slot]] != code:
            slot = slot + 1 & last
        if slots[slot] == FREE:
            slots[slot] = known
            codes[known] = code
            known += 1
        numbers[k] = slots[slot]
    return known


@compiled(void(int64[::1], int64, int32[::1], int64))
def _fill(codes: Ints, known: int, slots: Numbers, bits: int) -> None:
    """Enters the known codes into an empty table."""
    shift, last = np.uint64(64 - bits), len(slots) - 1
    for number in range(known):
        slot = np.int64(np.uint64(codes[number]) * GOLDEN >> shift)
        while slots[slot] != FREE:
            slot = slot + 1 & last
        slots[slot] = number


class Numbering:
    """Gives codes the numbers 0, 1, 2, ... in the order of their first use."""

    def __init__(self) -> None:
        self._codes = np.empty(0, np.int64)
        self._known = 0
        self._bits = 0
        self._slots = np.empty(0, np.int32)

    def __len__(self) -> int:
        return self._known

    @property
    def codes(self) -> Ints:
        """The codes by number ``[n]``."""
        return self._codes[: self._known]

    def number(self, wanted: Ints) -> Numbers:
        """Returns the numbers of codes ``[...]``; negative entries are returned unchanged."""
        most = self._known + wanted.size
        if most > len(self._codes):
            self._codes = np.concatenate([self.codes, np.empty(2 * most - self._known, np.int64)])
        if 2 * most > len(self._slots):
            self._bits = max(LEAST, int(2 * most).bit_length())
            self._slots = np.full(1 << self._bits, FREE, np.int32)
            _fill(self._codes, self._known, self._slots, self._bits)
        numbers = np.empty(wanted.shape, np.int32)
        flat = np.ascontiguousarray(wanted).reshape(-1), numbers.reshape(-1)
        self._known = _number(self._codes, self._known, self._slots, self._bits, *flat)
        return numbers
