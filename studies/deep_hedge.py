"""The picture of ``docs/deep_hedge.md``: exploitability in Leduc poker by decisions, as ``nashzoo bench`` measures it.

python -m studies.deep_hedge             # draws what is stored
python -m studies.deep_hedge --measure   # measures the four learners anew, a processor's minute each, stores and draws
"""

import argparse
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nashzoo.app.bench.pictures import on_page
from nashzoo.arena.measurement.comparison import by_learner
from nashzoo.arena.measurement.outcomes import SizeOutcome
from nashzoo.arena.measurement.protocol import HIDDEN
from nashzoo.arena.measurement.reference import reference
from nashzoo.envs.drawing.palette import CHALK, MUTED, PLAYER_COLOURS, shade
from studies import bench_reference
from studies.learning_curves import themed
from studies.tables import DOCS, run, write_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURE, GAME = DOCS / "images" / "learning-leduc.svg", "Leduc poker"
PLACES = {  # by the name of a learner, where it is
    "deep_hedge": "deep_hedge",
    "policy_gradient": "policy_gradient",
    "PPO": "examples/ppo_self_play.py:PPO",
    "mccfr": "mccfr",
}
ENDS = {  # by the name of a learner: what it is called, its colour, and where the name is from the end of its line
    "deep_hedge": ("deep_hedge", PLAYER_COLOURS[0], (7, 0), "left"),
    "policy_gradient": ("policy_gradient", PLAYER_COLOURS[1], (7, 0), "left"),
    "PPO": ("PPO", MUTED, (4, -19), "center"),
    "mccfr": ("mccfr, a table", CHALK, (-9, -2), "right"),
}
DASHES = ("-", (0, (5, 2)), (0, (1, 1)), (0, (7, 2, 1.5, 2)))
DECISIONS = {1e4: "10,000", 1e5: "100,000", 1e6: "1 million", 1e7: "10 million", 1e8: "100 million"}  # the first drawn
CHIPS = (0.01, 0.03, 0.1, 0.3, 1, 3)
SIZE = (7.0, 4.0)  # inches


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


def draw(axes: "Axes", outcomes: Mapping[str, SizeOutcome]) -> None:
    """Draws the first run of each learner, chips by decisions."""
    ends = {}
    for (learner, (name, role, offset, side)), dashes in zip(ENDS.items(), DASHES, strict=True):
        one, colour = outcomes[learner], shade(role)
        points = [(steps, share * one.size.stake) for steps, _, share in one.shares(one.runs[0])]
        drawn = [point for point in points if point[0] >= min(DECISIONS)]
        axes.plot(*zip(*drawn, strict=True), color=colour, linestyle=dashes, linewidth=2.4, marker="o", markersize=4)
        ends[learner] = f"{drawn[-1][1]:.2g}"
        text = {"ha": side, "va": "center", "size": 10, "weight": "bold", "color": colour}
        axes.annotate(f"{name} {ends[learner]}", drawn[-1], offset, textcoords="offset points", **text)
    axes.set(xscale="log", yscale="log", xlabel="decisions of learning", ylabel="exploitability, chips per game")
    axes.set_xticks(list(DECISIONS), list(DECISIONS.values()))
    axes.set_yticks(CHIPS, [f"{chips:g}" for chips in CHIPS])
    axes.minorticks_off()
    seen = f"Of networks that learn {GAME} for a minute, deep_hedge loses least:\n{ends['deep_hedge']} chips a game, "
    headline = f"{seen}policy_gradient {ends['policy_gradient']}, PPO in self-play {ends['PPO']}"
    axes.get_figure(root=True).suptitle(headline, size=11, x=0.01, ha="left")


def picture() -> str:
    """Returns the picture of what is stored, in the colours of the reader's theme."""
    return themed(on_page(partial(draw, outcomes=leduc()), SIZE, f"Exploitability in {GAME} by decisions"))


def main() -> None:
    """Measures if so wished, and draws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure the learners anew")
    if parser.parse_args().measure:
        measure()
    write_page(PICTURE, picture())


if __name__ == "__main__":
    main()
