"""When a policy is measured, and when learning ends: marks of decisions, moments of time, budgets of both."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

from nashzoo.arena.measurement.pacer import Effort, Pacer, Schedule, a_decade, among, every
from nashzoo.arena.measurement.protocol import schedule
from nashzoo.envs.base.errors import UsageError

RATE = 1024  # decisions a second, so that sums of seconds are exact


class Timed:
    """Learns so many decisions a second, in steps of some; only it makes time pass."""

    def __init__(self, step: int = 1) -> None:
        self.step, self.num_timesteps, self.num_games, self.now = step, 0, 0, 0.0

    def learn(self, timesteps: int) -> None:
        learned = -(-timesteps // self.step) * self.step
        self.num_timesteps += learned
        self.num_games += 1
        self.now += learned / RATE


def measured(plan: Schedule, learner: Timed) -> list[tuple[int, float]]:
    """Returns the decisions and the seconds after which a learner is measured."""
    anything: Any = learner
    effort = Effort()
    pacer = Pacer(plan, anything, effort, RATE, clock=lambda: learner.now)
    return [(learner.num_timesteps, effort.seconds) for due in pacer.calls() if due]


@pytest.mark.parametrize(
    ("marks", "moments"),
    [
        (every(300), [300, 600, 900]),
        (a_decade(100), [100, 133, 178, 237, 316, 422, 562, 750, 1000]),
        (among((10, 500, 2000)), [10, 500]),
    ],
)
def test_marks_are_met_exactly_and_decisions_end_it(marks: Any, moments: Sequence[int]) -> None:
    learner = Timed()
    plan = Schedule(marks, timesteps=1000, most=250)
    assert [timesteps for timesteps, _ in measured(plan, learner)] == moments
    assert learner.num_timesteps == 1000


def test_a_mark_that_a_step_goes_beyond_is_measured_after_it() -> None:
    assert measured(Schedule(among((100,)), timesteps=200), Timed(64)) == [(128, 0.125)]


def test_time_ends_it_and_has_shares() -> None:
    plan = Schedule(among(()), seconds=8.0, shares=(0.25, 0.5, 1.0))
    assert measured(plan, Timed()) == [(2048, 2.0), (4096, 4.0), (8192, 8.0)]


def test_the_protocol_halves_the_time_and_marks_powers_of_ten() -> None:
    moments = measured(schedule(32.0), Timed())
    assert [seconds for _, seconds in moments] == [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 10_000 / RATE, 16.0, 32.0]


def test_who_learns_on_after_an_interruption_meets_what_is_left() -> None:
    learner: Any = Timed()
    learner.num_timesteps, effort = 450, Effort(3, 450 / RATE)
    pacer = Pacer(Schedule(every(300), timesteps=1000), learner, effort, clock=lambda: learner.now)
    assert [learner.num_timesteps for due in pacer.calls() if due] == [600, 900]
    assert (effort.games, effort.seconds) == (learner.num_games, 1000 / RATE)


def test_a_call_that_takes_three_times_the_time_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"learn\(1024\) took 5 s .* where 1 s of 1 were left, more than 3 times"):
        measured(Schedule(among(()), seconds=1.0), Timed(5 * RATE))


def test_who_may_take_longer_ends_with_the_call() -> None:
    assert measured(Schedule(among(()), seconds=1.0, late=math.inf), Timed(5 * RATE)) == [(5 * RATE, 5.0)]
