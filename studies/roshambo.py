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
from nashzoo.envs.drawing.palette import INK
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.jit.numba import float64, uint64, void
from studies.tables import DOCS, markdown

KNOWN = ("constant", "biased", "rotating", "copy", "debruijn", "pi", "recent", "habits")
WINNERS = ("hedge", "frequency", "antirotation", "markov_k", "history", "roll", "iocaine", "mixture")
RIVALS = ("random", "constant", "biased", "rotating", "copy", "habits", "roll", "frequency", "markov_k", "iocaine")
REGRETFUL = ("hedge", "frequency", "roll", "iocaine")
DRAWN = ("constant", "rotating", "roll", "iocaine")
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
    """Draws the regrets of multiplicative weights and of fictitious play over a match, with the bound."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    worst, panels = [], figure.subplots(1, 2)
    for axes, player in zip(panels, ("hedge", "frequency"), strict=True):
        ends = []
        for rival, colour, dashes in zip(DRAWN, pictures.SERIES, pictures.DASHES, strict=False):
            mean = regrets[player, rival].mean(axis=0)
            throws = range(1, len(mean) + 1)
            axes.plot(throws[::SAMPLED], mean[::SAMPLED], color=colour, linestyle=dashes)
            ends.append(pictures.End(throws[-1], float(mean[-1]), f"against {rival}", colour))
        worst.append(max(end.value for end in ends))
        bound, ink = [*map(hedge.bound, throws)], pictures.COLOURS[INK]
        axes.plot(throws, bound, color=ink, linewidth=1.2)
        axes.set(title=f"mean regret of {player}", xlabel="throws", ylabel="points")
        pictures.name_ends(axes, [*ends, pictures.End(throws[-1], bound[-1], "bound of hedge", ink)])
    seen = f"After {len(throws):,} throws hedge regrets {worst[0]:.0f} points at most, frequency {worst[1]:.0f}."
    left, right = (axes.get_ylim()[1] for axes in panels)
    panels[1].set_title(f"mean regret of frequency, on a scale {right / left:.0f} times as long")
    note = "Of these four opponents; regret: against the best single throw in hindsight. frequency: fictitious play."
    pictures.headed(figure, seen, note)
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
