"""The number of decisions that a learner learns from in a given time, to compare learners by time."""

import dataclasses
import json
import tempfile
from pathlib import Path

from nashzoo.app.training.options import Options
from nashzoo.arena.measurement import pacer
from nashzoo.envs.base.files import written_whole

FIRST = 20_000  # decisions of the first trial


def decisions_in(seconds: float, options: Options, kept: Path) -> int:
    """Returns the number of decisions that a run would learn from in ``seconds``, estimated by shorter runs.

    Args:
        seconds: Time of learning; the time of measuring does not count.
        options: The options of the run.
        kept: A file that stores the number, so that an interrupted run resumes with the same one.
    """
    from nashzoo.app.training.train import learn

    if kept.exists():
        return int(json.loads(kept.read_text(encoding="utf-8")))

    def trial(decisions: int) -> tuple[int, float]:
        with tempfile.TemporaryDirectory() as folder:
            short = dataclasses.replace(options, timesteps=decisions, run_dir=Path(folder) / "trial", resume=False)
            learned = learn(short, measure=False)
        return learned.timesteps, learned.seconds

    settings = options.settings()
    first = max(FIRST, settings.num_envs * (settings.n_steps or 1))
    trial(first)  # its time includes compilation
    decisions = pacer.decisions_in(seconds, trial, first)
    kept.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(kept) as path:
        path.write_text(json.dumps(decisions), encoding="utf-8")
    return decisions
