"""MENACE's training, one process: games against a human who plays an optimal move with probability 0.7."""

from benchmarks.report import Row
from benchmarks.timing import Work, median_rate
from nashzoo.agents.learning.menace.boxes import PRESETS, Boxes
from nashzoo.agents.learning.menace.training import Lessons, Training

GAMES = 200_000
LEAST = 100_000


def training(preset: str) -> Work:
    """Returns a work that makes new boxes and a trainer, and trains."""

    def work() -> int:
        return len(Training(Boxes(PRESETS[preset]), Lessons("human", probability=0.7)).run(GAMES).plies)

    return work


def run(repetitions: int) -> list[Row]:
    """Measures games per second, the making of the boxes included."""
    return [
        Row(f"MENACE training, preset {name}", median_rate(training(name), repetitions), "games/s", least=LEAST)
        for name in PRESETS
    ]
