"""Self-play: prints the tables of ``docs/self_play.md`` and draws its picture.

python -m studies.self_play
python -m studies.self_play runs/self runs/psro --out runs/self_play.png
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from matplotlib.figure import Figure

from nashzoo.app.training.report import MIXED
from nashzoo.arena import heat_map
from nashzoo.baselines import double_oracle, fictitious_play
from nashzoo.baselines.policy_average import Step
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, soccer_v0, tictactoe_v0
from studies.tables import markdown

ENOUGH = 1e-9  # points per game
FLOOR = 1e-10  # smaller figures are drawn as this
GAMES = {
    "Footsies": footsies_v0.game(),
    "Bodega Brawl, small": bodega_brawl_v0.game(preset="small"),
    "tic-tac-toe": tictactoe_v0.game(),
    "soccer, 11 x 5": soccer_v0.game(width=11, height=5, goal_height=3),
}
DRAWN = ("Footsies", "Bodega Brawl, small")


@dataclass
class Options:
    """Print the tables of the page on self-play and draw its picture."""

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional] = ()
    """Folders of runs of train.py to draw as well."""
    iterations: int = 1000
    """Iterations of fictitious play."""
    out: Path = Path("docs/images/self-play.png")
    """The picture to draw."""


def exact(game: Game, iterations: int) -> tuple[list[Step], float, list[Step], float]:
    """Returns the steps and the seconds of response oracles, and of fictitious play."""
    begun = time.perf_counter()
    oracles = double_oracle(game, 100, ENOUGH)[1]
    between = time.perf_counter()
    play = fictitious_play(game, iterations, ENOUGH, max(1, iterations // 100), measure_last=True)[1]
    return oracles, between - begun, play, time.perf_counter() - between


def curve_of(folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """Returns the title of a run, and its learning curve."""
    report = json.loads((folder / "report.json").read_text())
    return f"{report['game'].removesuffix('_v0')}, {report['opponent']}", report["curve"]


def draw(
    steps: dict[str, tuple[list[Step], list[Step]]], runs: list[tuple[str, list[dict[str, Any]]]], out: Path
) -> None:
    """Draws the exploitability of mixed policies, with exact responses on the left and learned ones on the right."""
    figure = Figure(figsize=(13, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for number, (name, (oracles, play)) in enumerate(steps.items()):
        for kind, line, done in (("psro", "--", oracles), ("fictitious play", "-", play)):
            figures = [max(step.exploitability, FLOOR) for step in done]
            left.plot([step.iteration for step in done], figures, line, color=f"C{number}", label=f"{name}, {kind}")
    left.set(xscale="log", yscale="log", xlabel="iterations", title="exact responses")
    for number, (name, curve) in enumerate(runs):
        for kind, line, key in (("mixed", "-", MIXED), ("last", ":", "exploitability")):
            points = [(point["timesteps"] / 1000, point[key]) for point in curve if point[key] is not None]
            right.plot(*zip(*points, strict=True), line, color=f"C{number}", label=f"{name}, {kind}")
    right.set(xlabel="thousand decisions", title="learned responses", ylim=(-0.02, 1.05))
    for axes in (left, right):
        axes.set_ylabel("exploitability, points per game")
        axes.grid(alpha=0.3)
    left.legend(fontsize=8)
    if runs:
        right.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    heat_map.write(figure, out, 110)


def main(options: Options) -> None:
    """Computes, prints and draws."""
    drawn = {}
    rows = [("game", "`double_oracle`: iterations, seconds", "exploitability",
             "`fictitious_play`: iterations, seconds", "of the average", "of the last")]  # fmt: skip
    for name, game in GAMES.items():
        oracles, first, play, second = exact(game, options.iterations)
        cells = f"{oracles[-1].iteration}, {first:.1f}", f"{oracles[-1].exploitability:.1e}"
        more = f"{play[-1].iteration}, {second:.1f}", f"{play[-1].exploitability:.4f}", f"{play[-1].last:.4f}"
        rows.append((name, *cells, *more))
        if name in DRAWN:
            drawn[name] = oracles, play
    print(markdown(rows))
    runs = [curve_of(folder) for folder in options.runs]
    for name, curve in runs:
        print(f"{name}: mixed {curve[-1][MIXED]:.4f}, last {curve[-1]['exploitability']:.4f}")
    draw(drawn, runs, options.out)


if __name__ == "__main__":
    main(tyro.cli(Options))
