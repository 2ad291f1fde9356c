"""The number types of the study."""

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
    """Returns a number with 64 bits and a long exponent, for products of a few hundred probabilities.

    Raises:
        RuntimeError: this processor has no such numbers.
    """
    if np.finfo(np.longdouble).maxexp < 16_000:
        raise RuntimeError("this processor has no floating point numbers with long exponents")
    return np.longdouble(number)


class Interval(NamedTuple):
    """An interval that contains the true value."""

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
        """Returns the interval of the mean of two numbers."""
        return Interval((self.lower + other.lower) / 2, (self.upper + other.upper) / 2)

    def negative(self) -> "Interval":
        """Returns the interval of the negative number."""
        return Interval(-self.upper, -self.lower)

    def off(self, number: float) -> float:
        """Returns the distance of a number from the interval."""
        return float(max(self.lower - Fraction(number), Fraction(number) - self.upper, Fraction(0)))
