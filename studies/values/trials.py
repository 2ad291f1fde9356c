"""What the library says of a pair of policies, and whether it is true."""

import inspect
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, NamedTuple, cast

from nashzoo.baselines import UnprovenValueError, evaluate, exploitability
from nashzoo.envs.core.game import Game
from studies.values.numbers import Interval

ENOUGH = 1e-9  # what the library promises, for values around 1
SMALL = 1e-14  # below, refusals are allowed in one pair of a hundred
QUESTIONS: dict[str, Callable[..., float]] = {"evaluate": evaluate, "exploitability": exploitability}

Reference = Callable[[], Interval | None]  # None where there is none


class Trial(NamedTuple):
    """A pair of policies to be measured.

    Attributes:
        game: The game.
        policies: Of player 0 and player 1.
        smallest: The smallest positive chance in either policy; None where it is not known.
        value: Where the value of the pair lies.
        exploitability: Where half of its NashConv lies; it may ask the library for responses, to start from them.
    """

    game: Game
    policies: tuple[Any, Any]
    smallest: float | None
    value: Reference
    exploitability: Reference


class UnfinishedError(Exception):
    """The library has not answered in time."""


class Answer(NamedTuple):
    """What came of one question to the library.

    Attributes:
        figure: ``evaluate`` or ``exploitability``.
        said: The number it returned; None where it refused, or failed.
        error: What was raised.
        refused: Whether it refused, by the error that it has for that.
        unfinished: Whether it was stopped because it took too long.
        width: Upper less lower bound, where it has bounds.
        off: By how much the number, or a bound, misses the true value, beyond what is promised; None without a
            reference.
        seconds: How long it took.
    """

    figure: str
    said: float | None
    error: str
    refused: bool
    unfinished: bool
    width: float | None
    off: float | None
    seconds: float

    @property
    def wrong(self) -> bool:
        """Whether it is not true, or no answer at all."""
        failed = self.said is None and not self.refused and not self.unfinished
        return failed or (self.off is not None and self.off > 0)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises an UnfinishedError within after some seconds, as soon as compiled code returns; never where they are 0."""

    def late(number: int, frame: Any) -> None:
        raise UnfinishedError(f"stopped after {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def ask(figure: str, question: Callable[..., float], trial: Trial, reference: Reference, limit: float = 0.0) -> Answer:
    """Asks the library for a figure of a pair, at most for some seconds, or without end for 0, and compares."""
    said, error, refused, unfinished, bounds = None, "", False, False, None
    begun = time.perf_counter()
    try:
        with limited(limit):
            said = float(question(trial.game, *trial.policies))
    except UnfinishedError as why:
        error, unfinished = str(why), True
    except UnprovenValueError as why:
        error, refused, bounds = str(why), True, getattr(why, "bounds", None)
    except Exception as why:  # whatever else it raises is wrong, and is counted
        error = f"{type(why).__name__}: {why}"
    seconds = time.perf_counter() - begun
    if said is not None and "bounds" in inspect.signature(question).parameters:
        try:
            bounds = cast(Any, question)(trial.game, *trial.policies, bounds=True)
        except Exception as why:  # where there is a number, there are bounds
            said, error = None, f"{type(why).__name__}: {why}"
    truth = None if said is None and bounds is None else reference()
    off = None if truth is None else missed(truth, said, bounds)
    width = None if bounds is None else float(bounds[1] - bounds[0])
    return Answer(figure, said, error, refused, unfinished, width, off, seconds)


def missed(truth: Interval, said: float | None, bounds: tuple[float, float] | None) -> float:
    """Returns by how much a number is off beyond what is promised, or the true value lies outside bounds; 0 if not."""
    off = 0.0
    if said is not None:
        allowed = ENOUGH * max(1.0, abs(float(truth.lower)))
        if not abs(said) < float("inf"):
            return float("inf")
        distance = truth.off(said)
        off = distance if distance > allowed else 0.0
    if bounds is not None:
        lower, upper = bounds
        if lower > truth.upper:  # plain comparisons of floats and fractions are exact
            off = max(off, float(Fraction(lower) - truth.upper))
        if upper < truth.lower:
            off = max(off, float(truth.lower - Fraction(upper)))
        if not lower <= upper:
            off = float("inf")
    return off


def questions() -> tuple[str, ...]:
    """Returns the names of the figures."""
    return tuple(QUESTIONS)


def ask_for(figure: str, trial: Trial, limit: float = 0.0) -> Answer:
    """Asks the library for a figure of a pair by its name, at most for some seconds, or without end for 0."""
    reference = trial.value if figure == "evaluate" else trial.exploitability
    return ask(figure, QUESTIONS[figure], trial, reference, limit)
