"""Equilibrium strategies that end play: among those that guarantee the same values, the ones in which steps cost most.

Where states can recur, a strategy that is optimal in the matrix game of every state may keep a won state for ever, as
waiting preserves the value: it wins nothing. Such a tie is decided by a small step penalty. A player who pays it waits
only where that gains more than it costs, and loses at most the penalty per step. Each player's strategy comes from the
game in which this player pays. A discount factor would delay the loss of the player behind instead: that one's strategy
can then rest on so small a probability of ending play that a patient opponent gains from it.

Only the player ahead must end play. If the other pays too, play is shorter, but it may have to pay for ever, and what
it does to pay less may lose a little at every step. So it need not pay.

Sources: Shapley (1953), "Stochastic games", for a cost of each step in the form of a chance to stop; Everett (1957),
"Recursive games", for play without end; Condon (1992), "The complexity of stochastic games"; Puterman (1994), section
7.2, on why a policy that is greedy for the values need not be optimal with total rewards.
"""

from collections.abc import Iterable

import numpy as np

from nashzoo.baselines.solvers.backup import NOBODY, Trusted, backup_equilibrium
from nashzoo.baselines.states.space import Layer, Successors
from nashzoo.envs.jit.compiled import Floats

ROUNDED = 0.01  # of the penalty: differences that are left out of account
PENALTY_SWEEPS = 64
NEGLIGIBLE = 1e-15  # a probability that is a rounding error, and would be a mistake to wait for in play without end


def with_step_penalty(
    successors: Successors,
    layers: Iterable[Layer],
    values: Floats,
    num_actions: int,
    penalty: float,
    settled: float,
    most_sweeps: int,
    behind_too: bool = True,
    trusted: Trusted = NOBODY,
) -> tuple[Floats, Floats, float]:
    """Returns each player's equilibrium strategy if every step costs this player a penalty, ``[n, actions]`` each.

    The last number is the largest difference between the values with and without the penalty, in points.

    Args:
        successors: The successors of all states ``[n]``.
        layers: The order in which to solve them.
        values: Their values ``[n]``, which equal their backups.
        num_actions: The number of actions.
        penalty: Points, far above the errors of the values.
        settled: Largest change in a last sweep. Below the penalty, every step of a player ahead is progress.
        most_sweeps: Largest number of sweeps of a layer with recurring states.
        behind_too: Whether a player who is not ahead also pays, in the first sweeps.
        trusted: How a player chooses at all states that is trusted; its strategy is that with which it chooses freely.
    """
    strategies, moved = np.zeros((2, len(values), num_actions)), 0.0
    for player, payer in enumerate((1, -1)):
        ahead = payer * values > ROUNDED * penalty
        costly = values.copy()
        for ids, cyclic in layers:
            here, known = successors.at(ids), trusted.at(ids)
            for sweep in range(most_sweeps if cyclic else 1):
                swept, *both = backup_equilibrium(here, costly, num_actions, known)
                change = swept - payer * penalty - costly[ids]
                if sweep >= PENALTY_SWEEPS or not behind_too:
                    change[~ahead[ids]] = 0.0
                costly[ids] += change
                if np.abs(change).max() <= settled:
                    break
            strategies[player, ids] = both[player]
            if not behind_too:
                behind = ids[~ahead[ids]]
                mixed = backup_equilibrium(successors.at(behind), values, num_actions)[1 + player]
                mixed[mixed < NEGLIGIBLE] = 0.0
                strategies[player, behind] = mixed
        moved = max(moved, float(np.abs(costly - values).max()))
    return strategies[0], strategies[1], moved
