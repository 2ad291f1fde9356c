"""The pace of learners: how many decisions fit into a time, so that they are compared by time."""

from collections.abc import Callable

FIRST, TIMES = 1_000, 4  # decisions of the first trial, and how many times as many of the next
LONG_ENOUGH = 3.0  # seconds that trials take, or a tenth of the given time if that is less
MOST, SHORTEST = 10**9, 1e-6  # decisions of a trial, and seconds that it is taken for, where learning takes no time


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
