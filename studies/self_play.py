"""Self-play with exact responses: prints the table of ``docs/self_play.md`` and draws its picture.

python -m studies.self_play
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from nashzoo.arena import pictures
from nashzoo.baselines import double_oracle, fictitious_play
from nashzoo.baselines.policy_average import Step
from nashzoo.envs import bodega_brawl_v0, footsies_v0, soccer_v0, tictactoe_v0
from studies.tables import DOCS, markdown

ENOUGH = 1e-9  # points per game
FLOOR = 1e-10  # smaller figures are drawn as this
ITERATIONS = 1000  # of fictitious play; it is measured a hundred times
GAMES = {
    "Footsies": footsies_v0.game(),
    "Bodega Brawl, small": bodega_brawl_v0.game(preset="small"),
    "tic-tac-toe": tictactoe_v0.game(),
    "soccer, 11 x 5": soccer_v0.game(width=11, height=5, goal_height=3),
}
DRAWN = ("Footsies", "Bodega Brawl, small")


def timed(method: Callable[..., tuple[Any, list[Step]]], *arguments: Any, **options: Any) -> tuple[list[Step], str]:
    """Returns the steps of a method, and the number of its iterations and of its seconds as text."""
    begun = time.perf_counter()
    steps = method(*arguments, **options)[1]
    return steps, f"{steps[-1].iteration}, {time.perf_counter() - begun:.1f}"


@pictures.style()
def draw(curves: dict[str, list[Step]], out: Path) -> None:
    """Draws the exploitability of mixed policies."""
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    (*_, solved), (*_, left), *_ = curves.values()
    seen = f"Double oracle is exact after {solved.iteration} iterations in {DRAWN[0]}; fictitious play has"
    note = f"Exact: below {ENOUGH:g}; figures below {FLOOR:g} are drawn as this."
    pictures.headed(figure, f"{seen} {left.exploitability:.2g} left after {left.iteration:,}.", note)
    ends = []
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel="iterations", ylabel="exploitability, points per game")
    for number, (name, steps) in enumerate(curves.items()):
        figures = [max(step.exploitability, FLOOR) for step in steps]
        colour, dashes = pictures.SERIES[number // 2], pictures.DASHES[number % 2]
        axes.plot([step.iteration for step in steps], figures, color=colour, linestyle=dashes)
        game, _, method = name.rpartition(", ")
        end = pictures.End(steps[-1].iteration, figures[-1], f"{method}\n({game})", colour)
        if end.place == ITERATIONS:
            ends.append(end)
        else:
            axes.annotate(end.name, end[:2], (8, 12), textcoords="offset points", size=pictures.NAME)
    pictures.name_ends(axes, ends)
    pictures.write(figure, out)


def main(out: Path = DOCS / "images" / "self-play.png") -> None:
    """Computes, prints and draws."""
    curves = {}
    rows = [("game", "`double_oracle`: iterations, seconds", "exploitability",
             "`fictitious_play`: iterations, seconds", "of the average", "of the last")]  # fmt: skip
    for name, game in GAMES.items():
        oracles, first = timed(double_oracle, game, 100, ENOUGH)
        play, second = timed(fictitious_play, game, ITERATIONS, ENOUGH, max(1, ITERATIONS // 100), measure_last=True)
        end = f"{play[-1].exploitability:.4f}", f"{play[-1].last:.4f}"
        rows.append((name, first, f"{oracles[-1].exploitability:.1e}", second, *end))
        if name in DRAWN:
            curves |= {f"{name}, double oracle": oracles, f"{name}, fictitious play": play}
    print(markdown(rows))
    draw(curves, out)


if __name__ == "__main__":
    main()
