"""Runs of training, in the process of the tests."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

from nashzoo.app.training import train
from nashzoo.app.training.options import Options

# As short as a run can be that does everything.
SHORT: dict[str, Any] = {
    "timesteps": 2048, "num_envs": 16, "measure_every": 512, "checkpoint_every": 512, "games": 20
}  # fmt: skip


def trained(folder: Path, picture: bool = False, **options: Any) -> dict[str, Any]:
    """Trains with these options, and draws the report on demand alone; returns what ``report.json`` says."""
    with patch.object(train, "write_picture", train.write_picture if picture else lambda report, path: None):
        train.train(Options(run_dir=folder, **options))
    return report_of(folder)


def report_of(folder: Path) -> dict[str, Any]:
    """Returns what ``report.json`` says."""
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report
