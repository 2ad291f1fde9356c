"""What nashzoo's own learners reach in the games of the protocol; stored, to compare other learners with.

``python -m studies.bench_reference`` makes the file. It has the learning curves alone, thinned and rounded.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.app.bench.outcomes import RunOutcome, SizeOutcome
from nashzoo.app.bench.protocol import SIZES
from nashzoo.envs.base.files import written_whole

FILE = Path(__file__).with_name("reference.json")
POINTS = 12  # of a curve
DIGITS = 6
COLUMNS = ("timesteps", "seconds", "exploitability")


def reference() -> list[SizeOutcome]:
    """Returns the stored outcomes, by learner and game."""
    return read(FILE)


def read(path: Path) -> list[SizeOutcome]:
    """Returns the outcomes in a file that :func:`write` has written."""
    sizes = {size.row.title: size for size in SIZES}
    return [
        SizeOutcome(
            one["learner"], one["given"], one["unit"], sizes[one["game"]], one["states"],
            [
                RunOutcome(run["seed"], [dict(zip(COLUMNS, point, strict=True)) for point in run["curve"]], {}, [],
                           run.get("error", ""))
                for run in one["runs"]
            ],
            {},
        )
        for one in json.loads(path.read_text(encoding="utf-8"))
    ]  # fmt: skip


def write(outcomes: Iterable[SizeOutcome], path: Path) -> None:
    """Writes the learning curves of outcomes, thinned and rounded, a line for each learner and game."""
    lines = [json.dumps(_described(one), separators=(",", ":")) for one in outcomes]
    with written_whole(path) as temporary:
        temporary.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def merged(stored: Iterable[SizeOutcome], newer: Iterable[SizeOutcome]) -> list[SizeOutcome]:
    """Returns outcomes by learner and game, the newer one of two of the same learner in the same game."""
    places = [size.row.title for size in SIZES]
    latest = {(one.learner, one.size.row.title): one for some in (stored, newer) for one in some}
    return [latest[key] for key in sorted(latest, key=lambda key: (key[0], places.index(key[1])))]


def _described(outcome: SizeOutcome) -> dict[str, Any]:
    runs = [
        {"seed": run.seed, "curve": [[_rounded(point[name]) for name in COLUMNS] for point in _thinned(run)]}
        | ({"error": run.error} if run.error else {})
        for run in outcome.runs
    ]
    row = outcome.size.row
    about = {"learner": outcome.learner, "given": outcome.given, "unit": outcome.unit, "game": row.title}
    return about | {"states": outcome.states, "runs": runs}


def _thinned(run: RunOutcome) -> list[dict[str, Any]]:
    """Returns the first, the last, and points at equal distances in the order of the curve between them."""
    places = np.linspace(0, len(run.curve) - 1, min(POINTS, len(run.curve))).round().astype(int)
    return [run.curve[place] for place in places]


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else figure if isinstance(figure, int) else float(f"{figure:.{DIGITS}g}")
