"""Roshambo: prints the tables of ``docs/roshambo_theory.md`` and draws its picture.

python -m studies.roshambo
python -m studies.roshambo --matches 1000 --out runs/roshambo
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tyro

from nashzoo import agents
from nashzoo.agents.bots.roshambo.counting import HedgeAgent
from nashzoo.arena.match import play_match
from nashzoo.baselines import best_response
from nashzoo.envs import Game, roshambo_v0
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import DRAWS, Agent
from nashzoo.envs.core.game import Floats
from nashzoo.envs.core.seeds import streams

KNOWN = ("constant", "biased", "rotating", "copy", "debruijn", "pi", "recent", "habits")
WINNERS = ("hedge", "frequency", "antirotation", "markov_k", "history", "roll", "iocaine", "mixture")
RIVALS = ("random", "constant", "biased", "rotating", "copy", "habits", "roll", "frequency", "markov_k", "iocaine")
REGRETFUL = ("hedge", "frequency", "roll", "iocaine")
DRAWN = ("constant", "rotating", "roll", "iocaine")


@dataclass
class Options:
    """Print the tables of Roshambo's theory page and draw its picture."""

    matches: int = 1000
    """Matches of each pair."""
    seed: int = 0
    """Seed of everything random."""
    out: Path = Path("docs/images/roshambo-regret.png")
    """The picture to draw."""


def what_can_be_won(game: Game, matches: int, seed: int) -> list[list[str]]:
    """Returns a row for each player with an exact best response: its points, and those of other players."""
    winners = [name for name in WINNERS if name in agents.names(game)]
    rows = [["from", "best response, exact", *(f"`{name}`" for name in winners)]]
    for name in KNOWN:
        rival = agents.make(name, game)
        best = best_response(game, rival, 0).value
        won = [play_match(game, agents.make(winner, game), rival, matches, seed).mean for winner in winners]
        rows.append([f"`{name}`", f"{best:.1f}", *(f"{points:.1f}" for points in won)])
    return rows


class Course(NamedTuple):
    """A player's regret over a match: ``[matches, throws]``."""

    regret: Floats

    @property
    def mean(self) -> Floats:
        """The mean over the matches, after each throw ``[throws]``."""
        return self.regret.mean(axis=0)

    @property
    def error(self) -> float:
        """The standard error of the mean at the end."""
        return float(self.regret[:, -1].std(ddof=1) / np.sqrt(len(self.regret)))


def course(game: Game, player: Agent, rival: Agent, matches: int, seed: int) -> Course:
    """Plays matches; returns the regret against the best single throw in hindsight, after each throw."""
    payoffs = game.rules.tables_of(game.params).payoffs
    codes, seeds = np.full(matches, game.start_codes[0]), streams(seed, matches)
    memories = [np.zeros((matches, agent.memory_size)) for agent in (player, rival)]
    masks = np.ones((matches, game.num_actions), np.int8)
    rewards, over, illegal = np.empty(matches), np.empty(matches, np.bool_), np.empty(matches, np.int64)
    points, singles = np.zeros(matches), np.zeros((matches, game.num_actions))
    regret = np.empty((matches, int(game.options["rounds"])))
    for throw in range(regret.shape[1]):
        actions = []
        for seat, agent in enumerate((player, rival)):
            uniforms = np.empty((matches, DRAWS))
            kernels.draw_uniforms(seeds, uniforms)
            seen = np.empty((matches, game.num_features), np.float32)
            kernels.observe_all(game.compiled, codes, np.full(matches, seat), seen)
            chosen, memories[seat] = agent.act(seen, memories[seat], masks, uniforms)
            actions.append(chosen)
        kernels.play_all(game.compiled, codes, *actions, kernels.LOSE, rewards, over, illegal)
        points += rewards
        singles += payoffs[:, actions[1]].T
        regret[:, throw] = singles.max(axis=1) - points
    return Course(regret)


def regrets(courses: dict[tuple[str, str], Course]) -> list[list[str]]:
    """Returns a row for each player: the mean regret at the end of a match, and its standard error."""
    rows = [["regret of", *(f"`{name}`" for name in REGRETFUL)]]
    for rival in RIVALS:
        cells = (courses[player, rival] for player in REGRETFUL)
        rows.append([f"against `{rival}`", *(f"{cell.mean[-1]:.1f} ± {cell.error:.1f}" for cell in cells)])
    return rows


def draw(courses: dict[tuple[str, str], Course], bound: Callable[[int], float], path: Path) -> None:
    """Draws the regrets of multiplicative weights and of fictitious play over a match, with the bound."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for axes, player in zip(figure.subplots(1, 2), ("hedge", "frequency"), strict=True):
        for rival in DRAWN:
            mean = courses[player, rival].mean
            axes.plot(np.arange(1, len(mean) + 1), mean, label=f"against {rival}")
        throws = np.arange(1, len(mean) + 1)
        axes.plot(
            throws, [bound(int(throw)) for throw in throws], color="black", linestyle="--", label="bound of hedge"
        )
        axes.set(title=f"mean regret of {player}", xlabel="throws", ylabel="points")
        axes.grid(alpha=0.3)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=len(DRAWN) + 1)
    with written_whole(path) as temporary:
        figure.savefig(temporary, format=path.suffix.removeprefix(".") or "png", dpi=110)


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Returns rows, the first of them headings, as a table."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def main(options: Options) -> None:
    """Computes, plays, prints and draws."""
    game = roshambo_v0.game()
    print(f"Points per match of {game.options['rounds']} throws, means over {options.matches} matches.\n")
    print(markdown(what_can_be_won(game, options.matches, options.seed)), "\n")
    courses = {
        (player, rival): course(
            game, agents.make(player, game), agents.make(rival, game), options.matches, options.seed
        )
        for player in REGRETFUL
        for rival in RIVALS
    }
    hedge = HedgeAgent(game)
    print(f"Regret at the end, bound of hedge {hedge.bound():.1f}.\n")
    print(markdown(regrets(courses)))
    draw(courses, hedge.bound, options.out)
    print(f"\n{options.out}")


if __name__ == "__main__":
    main(tyro.cli(Options))
