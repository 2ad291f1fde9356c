"""Proven lower and upper bounds of a value, all rounding included."""

import threading
from typing import NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.jit.compiled import Floats

PROVEN = 1e-9  # largest error of every figure, in points; relative for figures above 1
UNIT = 2.0**-53  # the largest relative rounding error of one operation
LEAST = 2.0**-1074  # points: the largest error of a product that underflows
SLACK = 1.0 + 1e-6  # for products of rounding errors, and the rounding of the bounds themselves


class Bounds(NamedTuple):
    """A lower and an upper bound of a value, proven, in points."""

    lower: float
    upper: float


class Estimate(NamedTuple):
    """A value as computed, and proven bounds of the true one, in points."""

    value: float
    lower: float
    upper: float

    @property
    def bounds(self) -> Bounds:
        """The bounds alone."""
        return Bounds(self.lower, self.upper)

    def negative(self) -> "Estimate":
        """Returns the negative of the value."""
        return Estimate(-self.value, -self.upper, -self.lower)

    def plus(self, other: "Estimate") -> "Estimate":
        """Returns the sum of two values."""
        total = Estimate(self.value + other.value, self.lower + other.lower, self.upper + other.upper)
        return total._replace(lower=total.lower - UNIT * abs(total.lower), upper=total.upper + UNIT * abs(total.upper))

    def times(self, factor: float) -> "Estimate":
        """Returns a multiple of the value; the factor is a power of two, and positive."""
        lower, upper = factor * self.lower, factor * self.upper
        return Estimate(
            factor * self.value,
            lower if lower / factor == self.lower else lower - LEAST,
            upper if upper / factor == self.upper else upper + LEAST,
        )

    @property
    def close(self) -> bool:
        """Whether the true value is within ``PROVEN`` of the computed one, relative for values above 1."""
        tolerance = PROVEN * max(1.0, abs(self.value))
        return self.upper - self.value <= tolerance and self.value - self.lower <= tolerance

    def within(self, least: float, most: float) -> "Estimate":
        """Returns the estimate of a value that is known to lie between two numbers, in the middle if this is closer."""
        estimate = Estimate(self.value, max(self.lower, least), min(self.upper, most))
        return estimate if estimate.close else estimate._replace(value=(estimate.lower + estimate.upper) / 2)

    def closer(self, other: "Estimate") -> "Estimate":
        """Returns the one of two estimates of the same value whose bounds are closer together."""
        return self if self.upper - self.lower <= other.upper - other.lower else other

    def proven(self) -> float:
        """Returns the value.

        Raises:
            UnprovenValueError: its error may be larger than ``PROVEN``.
        """
        if not self.close:
            raise UnprovenValueError(self.bounds)
        return self.value


class UnprovenValueError(UsageError, ArithmeticError):
    """A value cannot be computed to within ``PROVEN``.

    Attributes:
        bounds: Proven bounds of the value.
    """

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        self.bounds = bounds

    def __str__(self) -> str:
        return (
            f"the value lies between {self.bounds.lower:.12g} and {self.bounds.upper:.12g}; it cannot be computed to "
            f"within {PROVEN:g}, because play can last too long, or payoffs are far larger than the value; with "
            "bounds=True these bounds are returned"
        )


class Rounding:
    """Sums bounds of rounding errors over the layers: for each layer the largest at any of its states.

    Attributes:
        total: A bound of the error of the values.
    """

    def __init__(self) -> None:
        self.total = 0.0
        self._lock = threading.Lock()
        self._terms = 0
        self._reward = 0.0
        self._after = 0.0  # the largest value so far

    def count(self, terms: int, reward: float) -> None:
        """Updates the bound by the most joint choices of some states of a layer, and their largest reward."""
        with self._lock:  # parts of a layer are backed up by several threads
            self._terms = max(self._terms, terms)
            self._reward = max(self._reward, reward)

    def next_layer(self, values: Floats) -> None:
        """Ends a layer whose states have these values ``[L]``."""
        # Probabilities are products, divided by two rounded sums of as many terms; then there are products and a sum.
        largest = self._reward + self._after + self.total
        self.total += (3 * self._terms + 10) * (UNIT * SLACK * largest + (LEAST if largest > 0.0 else 0.0))
        self._after = max(self._after, float(np.abs(values).max(initial=0.0)))
        self._reward = 0.0
