"""The number of decisions that a learner learns from in a given time, to compare learners by time."""

import dataclasses
import itertools
import json
import tempfile
from pathlib import Path

from nashzoo.app.training.options import Options
from nashzoo.envs.base.files import written_whole

FIRST, TIMES = 20_000, 4  # decisions of the first trial, and how many times as many of the next
LONG_ENOUGH = 3.0  # seconds of learning that a trial must take, or a tenth of the given time if that is less


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
    settings = options.settings()
    trial, enough = max(FIRST, settings.num_envs * (settings.n_steps or 1)), min(LONG_ENOUGH, seconds / 10)
    for number in itertools.count():
        with tempfile.TemporaryDirectory() as folder:
            short = dataclasses.replace(options, timesteps=trial, run_dir=Path(folder) / "trial", resume=False)
            learned = learn(short, measure=False)
        if number == 0:
            continue  # its time includes compilation
        if learned.seconds >= enough:
            break
        trial *= TIMES
    decisions = max(1, round(seconds * learned.timesteps / learned.seconds))
    kept.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(kept) as path:
        path.write_text(json.dumps(decisions), encoding="utf-8")
    return decisions
