"""Roshambo: prints the tables of ``docs/roshambo_theory.md`` and draws its picture.

python -m studies.roshambo
"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from nashzoo import agents
from nashzoo.agents.bots.roshambo.counting import HedgeAgent
from nashzoo.arena import pictures
from nashzoo.arena.match import play_match
from nashzoo.baselines import best_response
from nashzoo.envs import Game, roshambo_v0
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import DRAWS, Agent
from nashzoo.envs.core.game import Floats
from nashzoo.envs.core.kernels import Seeds, draw_uniform
from nashzoo.envs.core.seeds import streams
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.jit.numba import float64, uint64, void
from studies.tables import DOCS, markdown

KNOWN = ("constant", "biased", "rotating", "copy", "debruijn", "pi", "recent", "habits")
WINNERS = ("hedge", "frequency", "antirotation", "markov_k", "history", "roll", "iocaine", "mixture")
RIVALS = ("random", "constant", "biased", "rotating", "copy", "habits", "roll", "frequency", "markov_k", "iocaine")
REGRETFUL = ("hedge", "frequency", "roll", "iocaine")
DRAWN = ("rotating", "roll", "iocaine")
MATCHES, SEED = 1000, 0  # of each pair
SAMPLED = 25  # throws between those that are drawn: some curves rise and fall with each throw


def what_can_be_won(game: Game, matches: int) -> list[list[str]]:
    """Returns a row for each player with an exact best response: its points, and those of other players."""
    winners = [name for name in WINNERS if name in agents.names(game)]
    rows = [["from", "best response, exact", *(f"`{name}`" for name in winners)]]
    for name in KNOWN:
        rival = agents.make(name, game)
        best = best_response(game, rival, 0).value
        won = [play_match(game, agents.make(winner, game), rival, matches, SEED).mean for winner in winners]
        rows.append([f"`{name}`", f"{best:.1f}", *(f"{points:.1f}" for points in won)])
    return rows


@compiled(void(uint64[::1], float64[:, ::1]))
def draw_uniforms(seeds: Seeds, out: Floats) -> None:
    """Fills ``out`` ``[B, k]`` with numbers in [0, 1), row ``i`` from stream ``i``, and advances the streams."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = draw_uniform(seeds, i)


def regret(game: Game, player: Agent, rival: Agent, matches: int, seed: int = SEED) -> Floats:
    """Plays matches; returns the regret against the best single throw in hindsight ``[matches, throws]``."""
    payoffs = game.rules.tables_of(game.params).payoffs
    codes, seeds = np.full(matches, game.start_codes[0]), streams(seed, matches)
    memories = [np.zeros((matches, agent.memory_size)) for agent in (player, rival)]
    masks = np.ones((matches, game.num_actions), np.int8)
    rewards, over, illegal = np.empty(matches), np.empty(matches, np.bool_), np.empty(matches, np.int64)
    points, singles = np.zeros(matches), np.zeros((matches, game.num_actions))
    regrets = np.empty((matches, int(game.options["rounds"])))
    for throw in range(regrets.shape[1]):
        actions = []
        for seat, agent in enumerate((player, rival)):
            uniforms = np.empty((matches, DRAWS))
            draw_uniforms(seeds, uniforms)
            seen = np.empty((matches, game.num_features), np.float32)
            kernels.observe_all(game.compiled, codes, np.full(matches, seat), seen)
            chosen, memories[seat] = agent.act(seen, memories[seat], masks, uniforms)
            actions.append(chosen)
        kernels.play_all(game.compiled, codes, *actions, kernels.LOSE, rewards, over, illegal)
        points += rewards
        singles += payoffs[:, actions[1]].T
        regrets[:, throw] = singles.max(axis=1) - points
    return regrets


def regret_table(regrets: dict[tuple[str, str], Floats]) -> list[list[str]]:
    """Returns a row for each player: the mean regret at the end of a match, and its standard error."""
    rows = [["regret of", *(f"`{name}`" for name in REGRETFUL)]]
    for rival in RIVALS:
        ends = (regrets[player, rival][:, -1] for player in REGRETFUL)
        cells = (f"{end.mean():.1f} ± {end.std(ddof=1) / np.sqrt(len(end)):.1f}" for end in ends)
        rows.append([f"against `{rival}`", *cells])
    return rows


@pictures.style()
def draw(regrets: dict[tuple[str, str], Floats], hedge: HedgeAgent, path: Path) -> None:
    """Draws the regrets of multiplicative weights and of fictitious play over a match, by opponent, with the bound."""
    figure = Figure(figsize=(9.5, 3.8), layout="constrained")
    panels, worst = figure.subplots(1, len(DRAWN), sharey=True), dict.fromkeys(("hedge", "frequency"), 0.0)
    for axes, rival in zip(panels, DRAWN, strict=True):
        curves = {player: regrets[player, rival].mean(axis=0) for player in worst}
        throws = range(1, len(curves["hedge"]) + 1)
        curves["bound of hedge"] = np.array([*map(hedge.bound, throws)])
        for (name, mean), colour, dashes in zip(curves.items(), pictures.SERIES, pictures.DASHES, strict=False):
            some = [*range(0, len(mean) - 1, SAMPLED), len(mean) - 1]
            axes.plot([throws[place] for place in some], mean[some], color=colour, linestyle=dashes)
            worst |= {name: max(worst[name], mean[-1])} if name in worst else {}
        axes.set(title=f"against {rival}", xlabel="throws")
        axes.locator_params(axis="x", nbins=3)
    panels[0].set_ylabel("mean regret, points")
    ends = zip(curves, curves.values(), pictures.SERIES, strict=False)
    pictures.name_ends(axes, [pictures.End(throws[-1], float(mean[-1]), name, colour) for name, mean, colour in ends])
    seen = f"Against these players hedge regrets at most {worst['hedge']:.0f} points, and frequency up to"
    note = "Regret: what the best single throw, known afterwards, would have won more. frequency: fictitious play."
    pictures.headed(figure, f"{seen} {worst['frequency']:.0f}.", note)
    pictures.write(figure, path)


def main(matches: int = MATCHES, out: Path = DOCS / "images" / "roshambo-regret.png") -> None:
    """Computes, plays, prints and draws."""
    game = roshambo_v0.game()
    print(f"Points per match of {game.options['rounds']} throws, means over {matches} matches.\n")
    print(markdown(what_can_be_won(game, matches)), "\n")
    regrets = {
        (player, rival): regret(game, agents.make(player, game), agents.make(rival, game), matches)
        for player in REGRETFUL
        for rival in RIVALS
    }
    hedge = HedgeAgent(game)
    print(f"Regret at the end, bound of hedge {hedge.bound():.1f}.\n")
    print(markdown(regret_table(regrets)))
    draw(regrets, hedge, out)


if __name__ == "__main__":
    main()
