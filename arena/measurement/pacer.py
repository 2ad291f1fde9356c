"""The pace of learning: when a policy is measured, when learning ends, and how many decisions fit into a time.

A call of ``learn`` is as long as the last one shows that it should be; what it takes is measured by a clock.
"""

import dataclasses
import itertools
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from nashzoo.agents.hosted.script_process import cpu_seconds
from nashzoo.agents.learning.self_play_learner import SelfPlayLearner
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.jit.clock import working_processor_time

PATIENCE = 10.0  # seconds of waiting for each second of work, as the machine may be busy; and of waiting for the end
STATUS = Path("/proc/self/stat")  # Linux says how long each process has worked
TOO_LATE = 3.0  # times the time: beyond, a run is an error
CALLS = 200  # of a learner that plays both seats, and updates of the progress, unless measurements need more
MEASURING, FREE = 0.1, 1.0  # usual share of the time for measuring, and seconds of it that are always allowed
POINTS_A_DECADE = 8  # of a learning curve, which is drawn on a logarithmic axis
FIRST, TIMES = 1_000, 4  # decisions of the first trial, and how many times as many of the next
LONG_ENOUGH = 3.0  # seconds that trials take, or a tenth of the given time if that is less
MOST, SHORTEST = 10**9, 1e-6  # decisions of a trial, and seconds that it is taken for, where learning takes no time


def clock() -> float:
    """Returns the seconds that processors have worked for this process, and on Linux for those that it started.

    Compilation by Numba in this process is left out.
    """
    return working_processor_time() + (cpu_seconds(os.getpid()) if STATUS.exists() else 0.0)


def clock_of_others() -> float:
    """Returns seconds of a clock for processes that this one starts: of one on the wall where their work is unknown."""
    return clock() if STATUS.exists() else time.monotonic()


def decisions_in(seconds: float, trial: Callable[[int], tuple[int, float]], first: int = FIRST) -> int:
    """Returns about how many decisions a learner learns from in some time, by the pace of the last of several trials.

    Args:
        seconds: The time of learning.
        trial: Learns from at least so many decisions; returns from how many it did, and its seconds. What is compiled
            at the first use is compiled before.
        first: Decisions of the first trial.
    """
    spent, asked = 0.0, first
    while True:
        learned, took = trial(asked)
        spent += took
        if spent >= min(LONG_ENOUGH, seconds / 10) or asked >= MOST:
            return max(1, round(learned * seconds / max(took, SHORTEST)))
        asked *= TIMES


@dataclasses.dataclass
class Effort:
    """The games and the time of learning so far, also before an interruption."""

    games: int = 0
    seconds: float = 0.0  # of the processor, without the time of measuring


def every(number: int) -> Callable[[int], float]:
    """Returns marks after each so many decisions."""
    return lambda timesteps: float((timesteps // number + 1) * number)


def a_decade(first: int) -> Callable[[int], float]:
    """Returns marks at equal distances on a logarithmic axis."""
    return lambda timesteps: among(round(first * 10 ** (k / POINTS_A_DECADE)) for k in itertools.count())(timesteps)


def among(marks: Iterable[int]) -> Callable[[int], float]:
    """Returns some marks, which are in order."""
    return lambda timesteps: next((float(mark) for mark in marks if mark > timesteps), math.inf)


@dataclasses.dataclass(frozen=True)
class Schedule:
    """When the policies of a run are measured, and when learning ends."""

    mark: Callable[[int], float]  # returns the first number of decisions after a number at which a policy is measured
    timesteps: float = math.inf  # decisions, after which learning ends
    seconds: float = math.inf  # of the processor, after which learning ends
    shares: Sequence[float] = (1.0,)  # of these seconds, in order, after which a policy is measured, too
    most: float = math.inf  # decisions of one call of learn
    untrained: bool = True  # whether the policy is measured before it learns, too
    late: float = TOO_LATE  # times the seconds: who takes longer breaks the contract
    earliest: float = 0.0  # seconds of learning before which nothing is measured
    measuring: float = math.inf  # most time of measuring, as a share of that of learning; the first second is free

    def moment(self, seconds: float) -> float:
        """Returns the first moment after some seconds when a policy is measured."""
        return next((moment for share in self.shares if (moment := share * self.seconds) > seconds), math.inf)


def usual(first: int, acceptable: float, timesteps: int | None, seconds: float = math.inf) -> Schedule:
    """Returns the usual schedule of a learner that plays both seats: most of the time is that of learning.

    Args:
        first: Decisions before the first point of its curve.
        acceptable: The number of points whose time is acceptable; 0 for the end alone.
        timesteps: Decisions, after which learning ends; None for no end.
        seconds: Of the processor, after which learning ends.
    """
    budget, most = (math.inf, math.inf) if timesteps is None else (timesteps, max(1, timesteps // CALLS))
    earliest = 0.0 if acceptable else math.inf
    return Schedule(a_decade(first), budget, seconds, (1.0,), most, False, math.inf, earliest, MEASURING)


def apart(distance: float, timesteps: int) -> Schedule:
    """Returns the schedule of a model, measured after each so many decisions; if they are inf, at the end alone."""
    return Schedule(lambda done: done + distance, timesteps, untrained=distance < math.inf)


class Pacer:
    """Lets a learner learn by a schedule.

    Args:
        schedule: The schedule.
        learner: The learner, which may have learned before.
        effort: Of its learning so far, to which more is added.
        pace: Decisions a second, at most.
        clock: Returns seconds of the processor.
        around: Makes the context of each call of ``learn``.
    """

    def __init__(
        self,
        schedule: Schedule,
        learner: SelfPlayLearner,
        effort: Effort,
        pace: float = math.inf,
        clock: Callable[[], float] = clock,
        around: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.learner, self.effort = learner, effort
        self._schedule, self._pace, self._clock, self._around = schedule, pace, clock, around

    def learn(self, timesteps: int) -> tuple[int, float]:
        """Lets it learn; returns from how many decisions it did, and in what time. Its code can raise anything."""
        with self._around():
            before, begun = self.learner.num_timesteps, self._clock()
            self.learner.learn(timesteps)
            took = self._clock() - begun
            self.effort.games = self.learner.num_games
            self.effort.seconds += took
        return self.learner.num_timesteps - before, took

    def calls(self) -> Iterator[bool]:
        """Lets it learn to the end of the schedule; yields after each call whether its policy is to be measured.

        Raises:
            UsageError: a call took much longer than the schedule allows.
        """
        plan, pace = self._schedule, self._pace
        while self.learner.num_timesteps < plan.timesteps and self.effort.seconds < plan.seconds:
            before, begun = self.learner.num_timesteps, self.effort.seconds
            mark, moment = plan.mark(before), plan.moment(begun)
            until = min(mark, plan.timesteps, before + plan.most)
            asked = max(1, round(min(until - before, (moment - begun) * pace)))
            learned, took = self.learn(asked)
            pace = min(self._pace, learned / max(took, SHORTEST))  # what was slow may stay so
            if self.effort.seconds > plan.late * plan.seconds:
                raise UsageError(
                    f"learn({asked}) took {took:.3g} s of the processor where {plan.seconds - begun:.3g} s of "
                    f"{plan.seconds:g} were left, more than {plan.late:g} times the budget; a learner returns from "
                    "learn(num_timesteps) after about so many decisions"
                )
            yield self.effort.seconds >= moment or self.learner.num_timesteps >= mark
