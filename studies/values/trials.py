"""A pair of policies, the library's answers on it, and their comparison with the reference."""

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from nashzoo.baselines import UnprovenValueError, evaluate, exploitability
from nashzoo.envs.core.game import Game
from studies.values.reference import Interval

ENOUGH = 1e-9  # the library's documented accuracy, for values around 1
QUESTIONS: dict[str, Callable[..., Any]] = {"evaluate": evaluate, "exploitability": exploitability}

Reference = Callable[[], Interval | None]  # None where there is none


class Trial(NamedTuple):
    """A pair of policies to be measured."""

    game: Game
    policies: tuple[Any, Any]  # of player 0 and player 1
    smallest: float | None  # positive probability in either policy, if it is known
    value: Reference
    exploitability: Reference  # half of the pair's NashConv; it may start from the library's responses


class Answer(NamedTuple):
    """An answer of the library."""

    figure: str  # evaluate or exploitability
    said: float | None  # the number it returned, unless it refused, or failed
    error: str  # the exception
    refused: bool  # with UnprovenValueError
    width: float | None  # upper bound minus lower bound, if it refused, or if there is a reference
    off: float | None  # the error of the number, or of a bound, if it is larger than documented, else 0; see ``missed``
    seconds: float

    @property
    def wrong(self) -> bool:
        """Whether it is wrong, or failed with another error."""
        failed = self.said is None and not self.refused
        return failed or (self.off is not None and self.off > 0)


def ask(figure: str, trial: Trial) -> Answer:
    """Computes a figure of a pair with the library, and compares it."""
    question = QUESTIONS[figure]
    said, error, refused, bounds = None, "", False, None
    begun = time.perf_counter()
    try:
        said = float(question(trial.game, *trial.policies))
    except UnprovenValueError as why:
        error, refused, bounds = str(why), True, why.bounds
    except Exception as why:  # any other exception counts as wrong
        error = f"{type(why).__name__}: {why}"
    seconds = time.perf_counter() - begun
    reference = trial.value if figure == "evaluate" else trial.exploitability
    truth = None if said is None and bounds is None else reference()
    if said is not None and truth is not None:
        try:
            bounds = question(trial.game, *trial.policies, bounds=True)
        except Exception as why:  # where there is a number, there are bounds
            said, error = None, f"{type(why).__name__}: {why}"
    off = None if truth is None else missed(truth, said, bounds)
    width = None if bounds is None else float(bounds[1] - bounds[0])
    return Answer(figure, said, error, refused, width, off, seconds)


def missed(truth: Interval, said: float | None, bounds: tuple[float, float] | None) -> float:
    """Returns the error of a number if it is above the documented accuracy, or of wrong bounds; otherwise 0."""
    off = Fraction(0)
    for number in (said, *(bounds or ())):
        if number is not None and not abs(number) < float("inf"):
            return float("inf")
    if said is not None:
        distance = max(truth.lower - Fraction(said), Fraction(said) - truth.upper)
        off = distance if distance > ENOUGH * max(1.0, abs(float(truth.lower))) else off
    if bounds is not None:
        lower, upper = map(Fraction, bounds)
        off = max(off, lower - truth.upper, truth.lower - upper, lower - upper)
    return float(off)
