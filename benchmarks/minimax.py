"""Minimax and alpha-beta search of grid soccer, with the evaluation made by hand, and of tic-tac-toe to the end.

What each of the switches of alpha-beta saves is counted in states looked at, which is the same on every machine.
"""

from typing import Any

import numpy as np

from benchmarks.report import Row
from benchmarks.timing import median_rate
from nashzoo.agents.search.minimax import AlphaBetaAgent, LookingAhead, MinimaxAgent
from nashzoo.envs import soccer_v0, tictactoe_v0
from nashzoo.envs.core.game import Game, Ints

STATES = 100
DEPTHS = (4, 6, 8, 10)
TICTACTOE_DEPTH = 9
NODES_PER_SECOND = 5e6
SECONDS = 0.5  # for a move at depth 10

OFF: dict[str, Any] = {"ordering": False, "transposition_table": 0, "deepening": False}
SWITCHES: dict[str, dict[str, Any]] = {
    "plain": OFF,
    "deepening": {**OFF, "deepening": True},
    "ordering": {**OFF, "ordering": True},
    "ordering, deepening": {"transposition_table": 0},
    "table": {"ordering": False, "deepening": False},
    "table, ordering": {"deepening": False},
    "table, ordering, deepening": {},
}


def starts(game: Game) -> Ints:
    """Returns some of the game's start states, the same every time."""
    return np.random.default_rng(0).choice(game.start_codes, STATES)


def nodes_per_decision(agent: type[LookingAhead], game: Game, codes: Ints, **options: Any) -> float:
    """Returns the mean of the states looked at, each decision by a player who remembers no other."""
    return float(np.mean([agent(game, **options).search(codes[k : k + 1]).nodes[0] for k in range(len(codes))]))


def run(repetitions: int) -> list[Row]:
    """Measures states per second and seconds per move, and counts what the switches save."""
    soccer, tictactoe = soccer_v0.game(), tictactoe_v0.game()
    codes = starts(soccer)
    minimax = MinimaxAgent(soccer, depth=5)

    def search_all() -> int:
        return int(minimax.search(codes).nodes.sum())

    def move() -> int:
        for k in range(STATES):
            AlphaBetaAgent(soccer, depth=DEPTHS[-1]).search(codes[k : k + 1])
        return STATES

    rows = [
        Row(
            "minimax of soccer, one core",
            median_rate(search_all, repetitions),
            "nodes/s",
            least=NODES_PER_SECOND,
        ),
        Row("alpha-beta move in soccer at depth 10", 1 / median_rate(move, repetitions), "s", most=SECONDS),
    ]
    searches = [(soccer, codes, depth, f"soccer, depth {depth}") for depth in DEPTHS]
    searches.append((tictactoe, tictactoe.start_codes, TICTACTOE_DEPTH, "tic-tac-toe to the end"))
    for game, states, depth, what in searches:
        if depth < 8 or game is tictactoe:
            count = nodes_per_decision(MinimaxAgent, game, states, depth=depth)
            rows.append(Row(f"{what}: minimax", count, "nodes"))
        for name, options in SWITCHES.items():
            count = nodes_per_decision(AlphaBetaAgent, game, states, depth=depth, **options)
            rows.append(Row(f"{what}: alpha-beta, {name}", count, "nodes"))
    return rows
