"""How well does a language model mix? From the address of a server to a picture, with exact figures.

The model reads three small games in which perfect players choose by chance, in plain words and in disguise, that is in
invented words. The probabilities of its answers are its policy, whose exploitability is exact. The picture shows its
mixtures beside the equilibrium's, and what best responses win from it, from a draw of lots and from the equilibrium.

python examples/mixing.py qwen http://127.0.0.1:8000/v1    # any server of the chat completions protocol
"""

import sys
from typing import Any, Literal

import numpy as np
import tyro
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from nashzoo import agents
from nashzoo.arena import pictures
from nashzoo.baselines import exploitability
from nashzoo.envs import Game, footsies_v0
from nashzoo.envs.base.errors import MissingPackageError, UsageError
from nashzoo.envs.imported.matrix import matrix_game

SIDES, THROWS = ("Heads", "Tails"), ("Rock", "Paper", "Scissors")
PENNIES = matrix_game([[3, -1], [-1, 1]], rows=SIDES, columns=SIDES, name="pennies_v0")
ROSHAMBO = matrix_game([[0, -2, 3], [2, 0, -1], [-3, 1, 0]], rows=THROWS, columns=THROWS, name="uneven_roshambo_v0")
FOOTSIES = footsies_v0.game(blocks=0)
GAMES = {"Uneven pennies": PENNIES, "Uneven Roshambo": ROSHAMBO, "Footsies": FOOTSIES}
AFTER_A_HIT = FOOTSIES.step(FOOTSIES.first_decision, 0, 2)  # the attack has landed on a grab

SITUATIONS = (  # title, what it is about, state; of player 0
    ("Uneven pennies", "both Heads wins 3, both Tails 1,\ndifferent sides lose 1", PENNIES.first_decision),
    ("Uneven Roshambo", "Rock wins 3, Paper wins 2,\nScissors win 1", ROSHAMBO.first_decision),
    ("Footsies", "a hit ahead:\nthe next hit wins the round", AFTER_A_HIT),
)
PLAIN, DISGUISED, UNIFORM, EQUILIBRIUM = "in plain words", "in invented words", "a draw of lots", "perfect play"
BARS = {
    PLAIN: {"color": "#006ba8"},
    DISGUISED: {"color": "#e8883a"},
    UNIFORM: {"facecolor": "#c2bfb5", "hatch": ".."},
    EQUILIBRIUM: {"facecolor": "white", "edgecolor": "#22252b", "hatch": "////"},
}
INK = "#5e6169"


def main(
    model: tyro.conf.Positional[str],
    url: tyro.conf.Positional[str | None] = None,
    mode: Literal["logprobs", "samples"] = "logprobs",
    n: int = 16,
    disguise: int = 1,
    replies: str = "mixing.jsonl",
    out: str = "mixing.png",
) -> dict[str, dict[str, float]]:
    """Draws the picture; returns the exploitability in each game by player, points per game.

    Args:
        model: The name of the model.
        url: The address of the server; OpenAI's own when left out.
        mode: Whether to take probabilities of answers, or frequencies of ``n`` answers.
        n: The number of answers.
        disguise: The seed of the invented words.
        replies: The file of all replies; what was interrupted goes on.
        out: The file of the picture.
    """
    asks: dict[str, Any] = {"model": model, "url": url, "mode": mode, "n": n, "replies": replies}
    players: dict[Game, dict[str, Any]] = {}
    measured: dict[str, dict[str, float]] = {}
    for name, game in GAMES.items():
        players[game] = {
            PLAIN: agents.make("llm", game, **asks),
            DISGUISED: agents.make("llm", game, disguise=disguise, **asks),
            UNIFORM: agents.make("random", game),
            EQUILIBRIUM: agents.make("nash", game),
        }
        measured[name] = {kind: exploitability(game, player) for kind, player in players[game].items()}
        print(name, {kind: round(figure, 3) for kind, figure in measured[name].items()})
    invalid = np.mean([players[game][kind].invalid for game in players for kind in (PLAIN, DISGUISED)])
    basis = "exact" if mode == "logprobs" else f"of the frequencies of {n} answers"
    pictures.write(draw(headline(model, measured), players, measured, float(invalid), basis), out)
    return measured


def headline(model: str, measured: dict[str, dict[str, float]]) -> str:
    """Returns what is seen: in how many games the model loses more than one that draws lots among all actions."""
    worse = sum(max(figures[PLAIN], figures[DISGUISED]) > figures[UNIFORM] for figures in measured.values())
    where = {0: "no game", len(measured): "every game"}.get(worse, f"{worse} of {len(measured)} games")
    return f"{model} loses more to a perfect opponent than a draw of lots does, in {where}."


def mixture(player: Any, code: int) -> Any:
    """Returns the probabilities ``[actions]`` of a player in seat 0 at a state."""
    observation = player.game.observe(code, 0)[None]
    return player.action_probabilities(observation, player.legal(observation))[0]


@pictures.style()
def draw(
    title: str, players: dict[Game, dict[str, Any]], measured: dict[str, dict[str, float]], invalid: float, basis: str
) -> Figure:
    """Returns the picture, a column for each game: a mixture above, exploitability below."""
    figure = Figure(figsize=(9.5, 6.4), layout="constrained")
    note = f"Draw of lots: all actions equally often. {1 - invalid:.0%} of answers named one. Figures are {basis}."
    pictures.headed(figure, title, note)
    above, below = figure.subplots(2, len(GAMES), sharey="row", width_ratios=(3, 3, 4))
    for upper, lower, (name, about, code) in zip(above, below, SITUATIONS, strict=True):
        game = GAMES[name]
        legal = list(game.legal_actions(code, 0))
        bars(upper, {kind: mixture(players[game][kind], code)[legal] for kind in (PLAIN, DISGUISED, EQUILIBRIUM)})
        upper.set_xticks(range(len(legal)), [game.actions[action].replace(" ", "\n") for action in legal])
        upper.set_title(f"{name}\n\n", weight="bold")
        upper.text(0, 1.0, about, transform=upper.transAxes, va="bottom", color=INK, size=9)
        upper.set(ylim=(0, 1), yticks=(0, 0.5, 1), yticklabels=("0", "50%", "100%"))
        bars(lower, {kind: [measured[name][kind]] for kind in BARS}, "{:.2f}")
        lower.set(xticks=[])
        lower.margins(y=0.15)
    above[0].set_ylabel("how often it chooses")
    below[0].set_ylabel("exploitability, points per game")
    patches = [Patch(**style, label=kind) for kind, style in BARS.items()]
    lower.legend(handles=patches, framealpha=1, edgecolor="white", loc="upper right")
    return figure


def bars(axes: Axes, heights: dict[str, Any], written: str = "") -> None:
    """Draws bars in groups, the colours of the players side by side; their heights are written above if so wished."""
    width = 0.8 / len(heights)
    for number, (kind, values) in enumerate(heights.items()):
        places = np.arange(len(values)) + (number - (len(heights) - 1) / 2) * width
        drawn = axes.bar(places, values, width, label=kind, **BARS[kind])
        if written:
            axes.bar_label(drawn, [written.format(value) for value in values], padding=2)
    axes.grid(visible=False, axis="x")


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except (UsageError, MissingPackageError, OSError) as error:
        sys.exit(f"mixing: {error}")
