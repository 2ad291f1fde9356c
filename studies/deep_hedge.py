"""The picture of ``docs/deep_hedge.md``: exploitability in Leduc poker by decisions, as ``nashzoo bench`` measures it.

python -m studies.deep_hedge             # draws what is stored
python -m studies.deep_hedge --measure   # measures the four learners anew, a processor's minute each, stores and draws
"""

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure

from nashzoo.arena import pictures
from nashzoo.arena.measurement.comparison import by_learner
from nashzoo.arena.measurement.outcomes import SizeOutcome
from nashzoo.arena.measurement.protocol import HIDDEN
from nashzoo.arena.measurement.reference import reference
from studies import bench_reference
from studies.tables import DOCS, run, write_page

PICTURE, GAME = DOCS / "images" / "learning-leduc.png", "Leduc poker"
PLACES = {  # by the name of a learner, where it is
    "deep_hedge": "deep_hedge",
    "policy_gradient": "policy_gradient",
    "PPO": "examples/ppo_self_play.py:PPO",
    "mccfr": "mccfr",
}
NAMES = {"PPO": "PPO, self-play", "mccfr": "mccfr, a table"}
FIRST, LAST = 1e4, 1.2e7  # decisions that are drawn
TICKS = (0.03, 0.1, 0.3, 1.0, 3.0)  # chips


def measure() -> None:
    """Measures the learners by the protocol, one run of each, and stores the outcomes."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{name}.json" for name in PLACES]
        for file, (name, place) in zip(files, PLACES.items(), strict=True):
            line = f"nashzoo bench {place} '{GAME}' --suite hidden --seeds 1 --processes 1 --quiet --json"
            write_page(file, run(f"{line} --out {folder}/{name}"))
        bench_reference.main(bench_reference.Options(tuple(files)))


def leduc() -> dict[str, SizeOutcome]:
    """Returns the stored outcomes in the game, by learner."""
    return {name: games[GAME] for name, games in by_learner(reference(HIDDEN)).items() if GAME in games}


@pictures.style()
def draw(outcomes: Mapping[str, SizeOutcome], path: Path) -> None:
    """Draws the first run of each learner, chips by decisions."""
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    axes, ends = figure.subplots(), {}
    axes.set(xscale="log", yscale="log", xlabel="decisions", ylabel="exploitability, chips per game")
    for name, colour, dashes in zip(PLACES, pictures.SERIES, pictures.DASHES, strict=False):
        one = outcomes[name]
        points = [(steps, share * one.size.stake) for steps, _, share in one.shares(one.runs[0])]
        drawn = [point for point in points if FIRST <= point[0] <= LAST]
        axes.plot(*zip(*drawn, strict=True), color=colour, linestyle=dashes, marker="o", markersize=3)
        below = f"\ngoes on to {points[-1][1]:.1g}" * (points[-1][0] > LAST)  # outside the picture
        ends[name] = pictures.End(*drawn[-1], NAMES.get(name, name) + below, colour, name == "deep_hedge")
    axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.minorticks_off()
    pictures.name_ends(axes, ends.values())
    lost = {name: f"{end.value:.2g}" for name, end in ends.items()}
    seen = f"Of networks that learn {GAME} for a minute, deep_hedge loses least: {lost['deep_hedge']} chips a game,"
    headline = f"{seen} policy_gradient {lost['policy_gradient']}, PPO {lost['PPO']}."
    pictures.headed(figure, headline, "One run of each, 60 processor seconds; mccfr learns in a simulator.")
    pictures.write(figure, path)


def main() -> None:
    """Measures if so wished, and draws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure the learners anew")
    if parser.parse_args().measure:
        measure()
    draw(leduc(), PICTURE)


if __name__ == "__main__":
    main()
