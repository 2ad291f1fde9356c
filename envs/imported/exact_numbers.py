"""Numbers of users' files and arrays: exact as they are written, and in double precision."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Rational

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import MINUS

LARGEST = 1e100  # points: sums and products of payoffs are numbers too
ROUNDED = 3  # places of probabilities, from which on others are taken for left out
SINGLE = Fraction(1, 10**8)  # error of a probability in single precision, as LiteEFG writes them
SIMPLE = 1_000_000  # largest denominator of a simple fraction
SHOWN = 40  # digits of a number in errors
DECIMAL_COMMA = re.compile(r"^([-+]?\d*),(\d+)$")
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+")
PLAIN = re.compile(r"[-+]?\d{1,15}(\.\d+)?")  # whose whole part double precision has exactly
FAR = re.compile(r"e[-+]?0*\d{4}", re.IGNORECASE)  # an exponent that would fill the memory with digits


def number_in(text: str, what: str = "payoffs") -> Fraction | None:
    """Returns a number, written as such, as a fraction or in percent; None if it is none. Errors say ``what`` they are.

    Raises:
        UsageError: it is a number, but not finite, or out of range; or its comma may be of decimals or of thousands.

    >>> number_in("-1/3"), number_in("0,5"), number_in("50 %"), number_in("left")
    (Fraction(-1, 3), Fraction(1, 2), Fraction(1, 2), None)
    """
    text = text.replace(MINUS, "-")
    if text.endswith("%"):
        percent = number_in(text[:-1].rstrip(), what)
        return None if percent is None else percent / 100
    if THOUSANDS.fullmatch(text):
        decimal, whole = text.replace(",", ".", 1), text.replace(",", "")
        readings = whole if text.count(",") > 1 else f"{decimal} or {whole}"
        raise UsageError(f"{text[:SHOWN]} may be {readings}: write the one that is meant without commas")
    parts = DECIMAL_COMMA.sub(r"\1.\2", text).split("/")
    try:
        near = [float(part) for part in parts]
    except ValueError:
        return None
    if len(parts) > 2:
        return None
    if not all(map(math.isfinite, near)) or near[1:] == [0.0]:
        raise UsageError(f"{what} must be finite, not {text[:SHOWN]}")
    try:
        if not FAR.search(text):
            return Fraction(parts[0]) / Fraction(parts[1] if parts[1:] else 1)
    except ValueError:  # thousands of digits
        pass
    raise UsageError(f"{what} must be numbers of double precision, not {text[:SHOWN]}")


def distribution(words: Sequence[str]) -> tuple[Fraction, ...]:
    """Returns probabilities as they are written, or decimals that were rounded to three places or more by their sum.

    Raises:
        UsageError: they are no distribution, even if half a unit of the last place, or 1e-8, was rounded off each.

    >>> distribution(["0.333", "0.333", "0.333"])[0]
    Fraction(1, 3)
    """
    found = [number_in(word, "probabilities") for word in words]
    chances = [one for one in found if one is not None and one >= 0]
    total = sum(chances, Fraction(0))
    digits = [len(word.partition(".")[2]) if re.fullmatch(r"\d*\.\d+|[01]", word) else 0 for word in words]
    slack = digits.count(longest := max(digits)) * max(Fraction(1, 2 * 10**longest), SINGLE)
    if len(chances) != len(words) or (total != 1 and (longest < ROUNDED or abs(total - 1) > slack)):
        raise UsageError(f"probabilities must be at least 0, with the sum 1, not {', '.join(words)[: 2 * SHOWN]}")
    return tuple(chance / total for chance in chances)


def simple_fraction(number: float) -> Fraction:
    """Returns the simple fraction that is this number in double precision; if there is none, the number itself.

    >>> simple_fraction(1 / 3)
    Fraction(1, 3)
    """
    near = Fraction(number).limit_denominator(SIMPLE)
    return near if float(near) == number else Fraction(number)


def in_doubles(number: Rational | Decimal | float, text: str = "") -> float:
    """Returns a number in double precision, with a relative error of at most 2**-53; errors show it as ``text``.

    Raises:
        UsageError: it is a whole number that double precision changes, or out of range.
    """
    number = number.item() if isinstance(number, np.generic) else number
    exact = Fraction(number)
    if abs(exact) > LARGEST:
        raise UsageError(f"payoffs must be from {-LARGEST:g} to {LARGEST:g}")
    near = float(exact)
    if not isinstance(number, float) and exact.denominator == 1 and Fraction(repr(near)) != exact:
        # 2**53 + 1, for example, but not 1e23, which is written as the number in double precision is
        written = (text or str(number))[:SHOWN]
        raise UsageError(f"double precision makes {near!r} of the payoff {written}; give payoffs with fewer digits")
    return near


def double_in(text: str) -> float | None:
    """Returns a number in double precision, see :func:`number_in` and :func:`in_doubles`; None if it is none.

    A number without an exponent needs no fraction, which takes ten times as long: matrices have millions.

    Raises:
        UsageError: as these.
    """
    if PLAIN.fullmatch(text):
        return float(text)
    exact = number_in(text)
    return None if exact is None else in_doubles(exact, text)
