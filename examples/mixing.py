"""How well does a language model mix? From the address of a server to a picture, with exact figures.

The model reads three small games in which perfect players choose by chance, in plain words and in disguise, that is in
invented words. The probabilities of its answers are its policy, whose exploitability is exact. The picture shows its
mixtures beside the equilibrium's, and what best responses win from it, from uniform play and from the equilibrium.

python examples/mixing.py qwen http://127.0.0.1:8000/v1    # any server of the chat completions protocol
"""

import sys
from typing import Any, Literal

import matplotlib
import numpy as np
import tyro
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from nashzoo import agents
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

SITUATIONS = (  # title, what it is about, game, state; of player 0
    ("Uneven pennies", "both Heads wins 3, both Tails 1,\ndifferent sides lose 1", PENNIES, PENNIES.first_decision),
    ("Uneven Roshambo", "Rock wins 3, Paper wins 2,\nScissors win 1", ROSHAMBO, ROSHAMBO.first_decision),
    ("Footsies: the start", "two hits in a row win the round", FOOTSIES, FOOTSIES.first_decision),
    ("Footsies: a hit ahead", "the next hit wins the round", FOOTSIES, AFTER_A_HIT),
)
PLAIN, DISGUISED, UNIFORM, EQUILIBRIUM = "in plain words", "in invented words", "uniform play", "equilibrium"
BARS = {
    PLAIN: {"color": "#006ba8"},
    DISGUISED: {"color": "#e8883a"},
    UNIFORM: {"color": "#c2bfb5"},
    EQUILIBRIUM: {"facecolor": "white", "edgecolor": "#22252b", "hatch": "////"},
}
STYLE = {"font.size": 13, "axes.spines.top": False, "axes.spines.right": False}
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
    draw(headline(model, measured), players, measured, float(invalid), basis).savefig(
        out, dpi=110, bbox_inches="tight", pad_inches=0.2
    )
    return measured


def headline(model: str, measured: dict[str, dict[str, float]]) -> str:
    """Returns what is seen: the least and the most that the model loses in a game, and that uniform play loses."""
    ends = []
    for kinds in ((PLAIN, DISGUISED), (UNIFORM,)):
        lost = [figures[kind] for figures in measured.values() for kind in kinds]
        ends += [f"{min(lost):.2f} to {max(lost):.2f}"]
    return f"{model} loses {ends[0]} a game to perfect opponents,\nuniform play {ends[1]}."


def mixture(player: Any, code: int) -> Any:
    """Returns the probabilities ``[actions]`` of a player in seat 0 at a state."""
    observation = player.game.observe(code, 0)[None]
    return player.action_probabilities(observation, player.legal(observation))[0]


def draw(
    title: str, players: dict[Game, dict[str, Any]], measured: dict[str, dict[str, float]], invalid: float, basis: str
) -> Any:
    """Returns the picture: mixtures above, exploitability below."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(14, 9.6), layout="constrained")
        head, above, below = figure.subfigures(3, 1, height_ratios=(0.34, 1, 0.85))
        head.suptitle(title, fontsize=21, fontweight="bold", x=0.01, ha="left")
        patches = [Patch(**style, label=kind) for kind, style in BARS.items()]
        head.legend(handles=patches, ncols=4, frameon=False, loc="lower center", fontsize=15)
        above.suptitle("How often it chooses each action, and how often perfect players do", fontsize=16)
        for axes, (name, about, game, code) in zip(
            above.subplots(1, 4, sharey=True, width_ratios=(3, 3, 4, 4)), SITUATIONS, strict=True
        ):
            legal = list(game.legal_actions(code, 0))
            bars(axes, {kind: mixture(players[game][kind], code)[legal] for kind in (PLAIN, DISGUISED, EQUILIBRIUM)})
            axes.set_xticks(range(len(legal)), [game.actions[action].replace(" ", "\n") for action in legal])
            axes.set_title(name, fontweight="bold")
            axes.text(0.5, 1, about, transform=axes.transAxes, ha="center", va="top", color=INK, fontsize=12)
            axes.set(ylim=(0, 1.3), yticks=(0, 0.5, 1), yticklabels=("0", "50 %", "100 %"))
            axes.spines["left"].set_bounds(0, 1)
        below.suptitle(f"Exploitability: what perfect opponents win from it, points per game, {basis}", fontsize=16)
        axes = below.subplots()
        bars(axes, {kind: [measured[name][kind] for name in measured] for kind in BARS}, "{:.2f}")
        axes.set_xticks(range(len(measured)), list(measured), fontweight="bold")
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.margins(y=0.15)
        note = f"{invalid:.0%} of its answers named no action. Made by nashzoo, examples/mixing.py"
        axes.set_xlabel(note, loc="right", color=INK, fontsize=11)
    return figure


def bars(axes: Any, heights: dict[str, Any], written: str = "") -> None:
    """Draws bars in groups, the colours of the players side by side; their heights are written above if so wished."""
    width = 0.8 / len(heights)
    for number, (kind, values) in enumerate(heights.items()):
        places = np.arange(len(values)) + (number - (len(heights) - 1) / 2) * width
        drawn = axes.bar(places, values, width, label=kind, **BARS[kind])
        if written:
            axes.bar_label(drawn, [written.format(value) for value in values], padding=2)


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except (UsageError, MissingPackageError, OSError) as error:
        sys.exit(f"mixing: {error}")
