"""What the hidden tests call: a function of a student is called, and a wrong result is explained."""

import contextlib
import copy
import signal
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.envs.jit.clock import working_processor_time

LONGEST = 200  # characters of a value in a message
MOST_SECONDS = 15.0  # of the processor, for all calls of a function, and for each cell

spent: dict[Any, float] = {}  # by function, seconds of the processor


class TooLong(BaseException):
    """The time of a function or a cell is over; no class that a student's code expects."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Ends what takes more seconds of the processor, without compilation, with ``TooLong``; on Windows nothing."""
    end = working_processor_time() + seconds

    def stop(number: int, frame: Any) -> None:
        if working_processor_time() >= end:
            raise TooLong(f"The {MOST_SECONDS:.0f} seconds of the processor are over: is there an endless loop?")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)  # again each second: it may compile, or catch it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def limit_cells(shell: Any, missing: str, seconds: float = MOST_SECONDS) -> None:
    """Limits each cell of a notebook, and writes the name of a package that is not installed to the file ``missing``.

    The cells after one that calls ``shell.unlimited()`` have no limit.
    """
    running = contextlib.ExitStack()

    def begin(info: Any) -> None:
        running.enter_context(limited(seconds))

    def end(result: Any) -> None:
        running.close()
        if isinstance(result.error_in_exec, ModuleNotFoundError):
            Path(missing).write_text(str(result.error_in_exec.name), encoding="utf-8")

    def unlimited() -> None:
        running.close()
        shell.events.unregister("pre_run_cell", begin)

    shell.events.register("pre_run_cell", begin)
    shell.events.register("post_run_cell", end)
    shell.unlimited = unlimited


def returned(env: dict[str, Any], name: str, *args: Any, idea: str = "") -> Any:
    """Returns what the function ``name`` of a notebook returns; its arguments are copies.

    Args:
        env: All names of the notebook.
        name: Of the function.
        *args: Its arguments.
        idea: A sentence on what may be wrong if it stops with an error.

    Raises:
        AssertionError: there is no such function, it stops with an error, returns nothing, or takes too long, in all
            its calls.
    """
    function = env.get(name)
    if not callable(function):
        raise AssertionError(f"There is no function {name}. Did its cell stop with an error?")
    given, began = copy.deepcopy(args), working_processor_time()
    left = MOST_SECONDS - spent.get(function, 0.0)
    try:
        if left <= 0:
            raise TooLong("The calls before took all of its time.")
        with limited(left):
            result = function(*given)
    except TooLong as error:
        raise AssertionError(f"{_call(name, args)} did not end. {error}") from None
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f" in {last.name}, at: {last.line}" if last.line else ""
        said = f"{_call(name, args)} stopped with {type(error).__name__}: {error}{where}"
        raise AssertionError(f"{said}. {idea}" if idea else said) from None
    finally:
        spent[function] = spent.get(function, 0.0) + working_processor_time() - began
    if result is None or result is ...:
        raise AssertionError(f"{_call(name, args)} returned {result}: it has no return yet, or not in each case.")
    return result


def check(env: dict[str, Any], name: str, *args: Any, want: Any, idea: str, tolerance: float = 1e-6) -> None:
    """Checks that a function of a notebook returns what it should.

    Args:
        env: All names of the notebook.
        name: Of the function.
        *args: Its arguments.
        want: The right result: a number, an array, a text, or tuples, lists, sets and dictionaries of these.
        idea: A sentence on what is missing if the result is another.
        tolerance: The largest difference of a number.

    Raises:
        AssertionError: it does not; the message has the call, both results, and the idea.
    """
    result = returned(env, name, *args)
    if not same(result, want, tolerance):
        raise AssertionError(f"{_call(name, args)} should return {_shown(want)}, and returned {_shown(result)}. {idea}")


def same(result: Any, want: Any, tolerance: float) -> bool:
    """Returns whether two results are equal, numbers up to ``tolerance``."""
    if isinstance(want, tuple | list):
        parts = list(result) if isinstance(result, tuple | list | np.ndarray) else []
        return len(parts) == len(want) and all(same(a, b, tolerance) for a, b in zip(parts, want, strict=True))
    if isinstance(want, dict):
        return (
            isinstance(result, dict)
            and result.keys() == want.keys()
            and all(same(result[key], want[key], tolerance) for key in want)
        )
    if isinstance(want, str | set) or isinstance(result, str):
        return bool(type(result) is type(want) and result == want)
    try:
        numbers = np.asarray(result, np.float64)
    except (TypeError, ValueError):
        return False
    return numbers.shape == np.shape(want) and bool(np.allclose(numbers, want, rtol=0, atol=tolerance))


def _call(name: str, args: tuple[Any, ...]) -> str:
    return f"{name}({', '.join(map(_shown, args))})"


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        value = value.round(6).tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple | list):
        text = ", ".join(map(_shown, value))
        text = f"[{text}]" if isinstance(value, list) else f"({text})"
        return text if len(text) <= LONGEST else text[:LONGEST] + "..."
    if callable(value):
        return getattr(value, "__name__", "...")
    text = f"{value:.6g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."
