"""Compiled code rounds after every operation, in the order of the source, so it computes the same on all processors."""

import numpy as np

from nashzoo.envs.jit.compiled import Floats, compiled

A = 1 + 2.0**-30  # its square has more bits than a number


@compiled()
def _left_by_rounding(a: Floats) -> Floats:
    """Returns a product less what it is rounded to, which is 0 unless both are one operation."""
    left = np.empty_like(a)
    for k in range(len(a)):
        left[k] = a[k] * a[k] - (1 + 2.0**-29)
    return left


@compiled()
def _sum(a: Floats) -> float:
    total = 0.0
    for k in range(len(a)):
        total += a[k] * a[k]
    return total


def test_a_product_is_rounded_before_it_is_added() -> None:
    assert (_left_by_rounding(np.full(40, A)) == A * A - (1 + 2.0**-29)).all()
    assert A * A - (1 + 2.0**-29) == 0.0


def test_sums_are_in_the_order_of_the_loop() -> None:
    rng, expected = np.random.default_rng(0), 0.0
    numbers = rng.random(1001)
    for number in numbers.tolist():
        expected += number * number
    assert _sum(numbers) == expected
