"""One run of the benchmark: a learner in one game with one seed, measured exactly after the times of the protocol."""

import dataclasses
import json
import math
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from nashzoo.app.bench.checkpoints import Checkpoint
from nashzoo.app.bench.contestants import contestant
from nashzoo.app.bench.protocol import WORST, Size
from nashzoo.app.results.results import SOLVED, BestTask, figures, rivals_in
from nashzoo.app.results.rows import ResultsRow
from nashzoo.app.training.evaluator import QUICK, SLOW
from nashzoo.baselines.certificate.bounds import UnprovenValueError
from nashzoo.baselines.evaluation import exploitability
from nashzoo.baselines.measures import UNKNOWN, states_measured, tabulated
from nashzoo.baselines.policies.tabular import as_policy
from nashzoo.baselines.weak_states import weaknesses
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import file_name, written_whole
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Mask

EARLIEST = 0.25  # of the time, before which nothing is measured where a measure takes seconds; if minutes, 1
CURVE = "curve.json"
LOST = "its process was lost three times: it crashed, or was killed for want of memory"


@dataclasses.dataclass(frozen=True)
class BenchTask:
    """A learner in one game with one seed.

    Attributes:
        place: The learner, see :func:`nashzoo.app.bench.contestants.contestant`.
        size: The game.
        seed: The seed.
        seconds: Of the processor, to learn in.
        folder: Folder of the runs, to resume them after an interruption; None to keep none.
    """

    place: str
    size: Size
    seed: int
    seconds: float
    folder: Path | None

    @property
    def key(self) -> str:
        """What the result is kept under."""
        return f"{self.size.row.key} {self.seed}"

    @property
    def name(self) -> str:
        """The name of its folder."""
        return file_name(f"{self.size.row.name} {self.seed}")

    def __call__(self) -> dict[str, Any]:
        """Returns the fields of :class:`nashzoo.app.bench.outcomes.RunOutcome`, without the seed."""
        curve: list[dict[str, Any]] = []
        try:
            with tempfile.TemporaryDirectory() if self.folder is None else nullcontext(self.folder) as folder:
                last = self._learned(curve, Path(folder) / self.name)
                if all(point["exploitability"] is None for point in curve):
                    raise UsageError("no policy could be measured")
                return {"curve": curve, **self._measured(last.policy, curve)}
        except (Exception, SystemExit) as error:  # the learner's code can raise anything
            if isinstance(error, SystemExit) and type(error) is not SystemExit:  # that of a signal
                raise
            if not isinstance(error, UsageError):
                traceback.print_exc(file=sys.stderr)
            return self.failed(f"{type(error).__name__}: {error}", curve)

    def failed(self, error: str = LOST, curve: Any = ()) -> dict[str, Any]:
        """Returns the result of a run that ended with an error."""
        return {"curve": list(curve), "values": {}, "weaknesses": [], "error": error}

    def _learned(self, curve: list[dict[str, Any]], folder: Path) -> Checkpoint:
        """Measures the policies of the run, and returns the last one."""
        game = self.size.row.make()
        states = states_measured(game)
        earliest = 0.0 if states <= QUICK else EARLIEST * self.seconds if states <= SLOW else math.inf
        kept = folder / CURVE
        if kept.exists():
            curve += json.loads(kept.read_text(encoding="utf-8"))
        last = None
        for checkpoint in contestant(self.place).checkpoints(self.size.row, self.seed, self.seconds, folder):
            curve[:] = [point for point in curve if point["timesteps"] < checkpoint.timesteps]
            if checkpoint.seconds >= earliest:
                curve.append(point_of(game, checkpoint))
                with written_whole(kept) as path:
                    path.write_text(json.dumps(curve), encoding="utf-8")
            last = checkpoint
            if curve and _exploitability(curve) <= SOLVED * self.size.row.stake:
                break
        assert last is not None
        if not curve or curve[-1]["timesteps"] != last.timesteps:
            curve.append(point_of(game, last))
        return last

    def _measured(self, policy: Any, curve: list[dict[str, Any]]) -> dict[str, Any]:
        game = self.size.row.make()
        measured = figures(game, _Player(game, policy), rivals_in(game, self.seed), self.seed, curve[-1])
        return {"values": measured["values"], "weaknesses": worst_of(game, policy)}


@dataclasses.dataclass(frozen=True)
class FactsTask:
    """The points of a best response against each scripted player of a game, and the number of its states."""

    row: ResultsRow

    @property
    def key(self) -> str:
        """What the result is kept under."""
        return BestTask(self.row).key

    def __call__(self) -> dict[str, Any]:
        """Returns the number of states, and points per game by scripted player, None where they are not computed."""
        return {"states": states_measured(self.row.make()), "best": BestTask(self.row)()}


class _Player(PolicyAgent):
    """A policy as a player, for games that are played."""

    def __init__(self, game: Game, policy: Any) -> None:
        super().__init__(game)
        self._policy = as_policy(policy, game)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns those of the policy ``[B, actions]``."""
        probabilities: Floats = self._policy.action_probabilities(observations, action_masks)
        return probabilities


def worst_of(game: Game, policy: Any) -> list[dict[str, Any]]:
    """Returns the states where a policy loses most; none where that would take long, or cannot be computed."""
    if states_measured(game) > QUICK or game.hides:
        return []
    try:
        return [weakness._asdict() for weakness in weaknesses(game, tabulated(game, policy), WORST)]
    except UNKNOWN:
        return []


def _exploitability(curve: Sequence[Mapping[str, Any]]) -> float:
    last = curve[-1]["exploitability"]
    return math.inf if last is None else float(last)


def point_of(game: Game, checkpoint: Checkpoint) -> dict[str, Any]:
    """Returns a point of the learning curve.

    Raises:
        NoPolicyError: its policy has a memory, or gives no probabilities, or others when it is asked again.
        UsageError: it gives no distribution over the legal actions.
    """
    exploited: float | None = None
    with suppress(UnprovenValueError):
        exploited = exploitability(game, tabulated(game, as_policy(checkpoint.policy, game)))
    return {"timesteps": checkpoint.timesteps, "seconds": checkpoint.seconds, "exploitability": exploited}
