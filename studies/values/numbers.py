"""The kinds of numbers that the study computes with."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

try:
    import gmpy2
except ImportError:  # several times as slow
    exact: Any = Fraction
else:
    exact = gmpy2.mpq


def wide(number: float) -> Any:
    """Returns a number with 64 bits and an exponent that no product of a few hundred chances leaves.

    Raises:
        RuntimeError: this processor has none.
    """
    if np.finfo(np.longdouble).maxexp < 16_000:
        raise RuntimeError("this processor has no floating point numbers with long exponents")
    return np.longdouble(number)


class Interval(NamedTuple):
    """Where the true value lies."""

    lower: Fraction
    upper: Fraction

    @classmethod
    def of(cls, number: Any, error: float = 0.0) -> "Interval":
        """Returns a number as an interval, ``error`` to either side."""
        if isinstance(number, np.longdouble):
            middle = Fraction(*number.as_integer_ratio())
        else:
            middle = Fraction(int(number.numerator), int(number.denominator))
        return cls(middle - Fraction(error), middle + Fraction(error))

    def mean_with(self, other: "Interval") -> "Interval":
        """Returns where the mean of two numbers lies."""
        return Interval((self.lower + other.lower) / 2, (self.upper + other.upper) / 2)

    def negative(self) -> "Interval":
        """Returns where the number with the other sign lies."""
        return Interval(-self.upper, -self.lower)

    def off(self, number: float) -> float:
        """Returns by how much a number misses it."""
        return float(max(self.lower - Fraction(number), Fraction(number) - self.upper, Fraction(0)))
