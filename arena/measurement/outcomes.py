"""What a learner reached in the games of the protocol: the figures of each run, and of runs together."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nashzoo.arena.measurement.protocol import FAILED, LATE, OPEN, SECONDS, Size, Suite
from nashzoo.baselines.information.sequence_form import MOST_HISTORIES


class RunOutcome(NamedTuple):
    """The outcome of one run: a learner, in one game, with one seed.

    Attributes:
        seed: The seed.
        curve: The learning curve, from the untrained policy on: ``timesteps``, ``seconds`` of the processor, and
            ``exploitability`` in points per game, None where it could not be computed.
        values: By scripted player, the points per game against it and their standard error, 0 if they are exact.
        weaknesses: The states where the last policy loses most, as dictionaries with the fields of
            :class:`nashzoo.baselines.weak_states.Weakness`; none where they are not computed.
        error: What ended the run, in a sentence; empty if nothing did.
    """

    seed: int
    curve: Sequence[dict[str, Any]]
    values: dict[str, list[float]]
    weaknesses: Sequence[dict[str, Any]]
    error: str = ""


class SizeOutcome(NamedTuple):
    """What a learner reached in one game of the protocol."""

    learner: str  # its name
    given: str  # the information about the game that it uses
    unit: str  # what its timesteps count
    size: Size  # the game
    states: int  # the number of states that an exact measure passes over, or of histories that it walks
    runs: Sequence[RunOutcome]  # the runs, by seed
    best: dict[str, float | None]  # points per game of best responses, by scripted player; None where not computed
    seconds: float = SECONDS  # of the processor, in which it learned in each run
    suite: Suite = OPEN  # by whose protocol

    @property
    def state(self) -> str:
        """What is counted as ``states``, in words."""
        walked = self.size.state != "state" and self.states > MOST_HISTORIES
        return "history" if walked else self.size.state

    def share(self, point: Mapping[str, Any]) -> float | None:
        """Returns the exploitability at a point of a curve as a share of the stake; None if it is not known."""
        points = point.get("exploitability")
        return None if points is None else points / self.size.stake

    def shares(self, run: RunOutcome) -> list[tuple[float, float, float]]:
        """Returns the points of a run's curve whose exploitability is known: timesteps, seconds, and the share."""
        return [
            (point["timesteps"], point["seconds"], share)
            for point in run.curve
            if (share := self.share(point)) is not None
        ]

    @property
    def late(self) -> dict[int, float]:
        """The seconds of the runs, by seed, that took more than the protocol allows, though no error."""
        taken = {run.seed: run.curve[-1]["seconds"] for run in self.runs if run.curve and not run.error}
        return {seed: seconds for seed, seconds in taken.items() if seconds > LATE * self.seconds}

    @property
    def scores(self) -> list[float]:
        """The exploitability of the last policy by seed, as a share of the stake; ``FAILED`` after an error."""
        last = [self.shares(run)[-1:] for run in self.runs]
        return [FAILED if run.error or not end else end[0][2] for run, end in zip(self.runs, last, strict=True)]
