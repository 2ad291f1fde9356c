"""Exact measures of a turn-based game with cycles, grid soccer, over all 363,588 states, in a warm process."""

from collections.abc import Iterator

from benchmarks.exploitability import network, uniform
from benchmarks.report import Row
from benchmarks.timing import median_rate
from nashzoo.agents import PolicyAgent
from nashzoo.baselines import exploitability, solve
from nashzoo.envs import soccer_v0

LONGEST_SOLUTION = 2.0  # seconds
LONGEST_EXPLOITABILITY = 15.0
PLAYERS = {"uniform play": uniform, "a MaskablePPO network of 64x64": network}


def run(repetitions: int) -> Iterator[Row]:
    """Measures the solution, listing of the states and certificate included, and what players leave to be won."""
    game = soccer_v0.game()
    solution = solve(game)

    def solving() -> int:
        solve(game)
        return 1

    note = f"{solution.num_states:,} states, gap {solution.certificate:.0e}, distances included"
    seconds = 1.0 / median_rate(solving, max(repetitions // 3, 1))
    yield Row("exact solution of soccer_v0()", seconds, "s", most=LONGEST_SOLUTION, note=note)
    for name, player in PLAYERS.items():
        policy = player(game)
        figure = exploitability(game, policy)

        def measuring(policy: PolicyAgent = policy) -> int:
            exploitability(game, policy)
            return 1

        seconds = 1.0 / median_rate(measuring, max(repetitions // 15, 1))
        what = f"exploitability of {name} in soccer_v0()"
        yield Row(what, seconds, "s", most=LONGEST_EXPLOITABILITY, note=f"{figure:.9f}")
