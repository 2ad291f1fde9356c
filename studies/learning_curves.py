"""The first picture of the README: what learners reach in a minute, against the exact solution.

python -m studies.learning_curves
"""

from collections.abc import Mapping
from pathlib import Path

from nashzoo.app.bench.comparison import by_learner
from nashzoo.app.bench.outcomes import SizeOutcome
from nashzoo.app.bench.panels import TIME, curve_of
from nashzoo.app.bench.pictures import COLOURS, OWN, STYLE, draw_lines
from nashzoo.app.bench.reference import reference
from nashzoo.arena import heat_map
from studies.tables import DOCS

GAMES = ("Footsies", "Bodega Brawl, small", "Bodega Brawl, large", "tic-tac-toe", "soccer, 11 x 5", "soccer")
LEARNERS = {  # by name: what it is called here, and its colour
    "PPO": ("PPO against bots", "#7f8791"),
    "policy_gradient": ("policy_gradient", OWN),
    "deep_minimax": ("deep_minimax", COLOURS[0]),
    "minimax_q": ("minimax_q", COLOURS[1]),
}
ACROSS, PANEL = 3, (4.0, 2.5)  # panels, inches
PATH = DOCS / "images" / "learning-curves.png"


def draw(games: Mapping[str, Mapping[str, SizeOutcome]], path: Path) -> None:
    """Draws exploitability over the processor's time, a panel for each game."""
    import matplotlib
    from matplotlib.figure import Figure

    down = -(-len(GAMES) // ACROSS)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(PANEL[0] * ACROSS, PANEL[1] * down), layout="constrained")
        figure.suptitle(
            "What an opponent wins who knows the policy: a minute of learning, to the exact solution", size=12
        )
        for axes, title in zip(figure.subplots(down, ACROSS).flat, GAMES, strict=True):
            lines = [
                line._replace(learner=name)
                for learner, (name, _) in LEARNERS.items()
                if title in games[learner] and (line := curve_of(games[learner][title], TIME, False)) is not None
            ]
            draw_lines(
                axes, lines, "processor seconds", {name: (colour, "-") for name, colour in LEARNERS.values()}, width=2
            )
            axes.set_title(title)
        figure.supylabel("exploitability, share of the stake", size=9)
        heat_map.write(figure, path)


if __name__ == "__main__":
    draw(by_learner(reference()), PATH)
