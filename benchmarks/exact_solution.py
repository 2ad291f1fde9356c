"""The exact solution of Footsies in a warm process: states, values, strategies and certificate."""

from typing import Any

from benchmarks.report import Row
from benchmarks.timing import median_rate
from nashzoo.baselines import solve
from nashzoo.envs import footsies_v0

LONGEST = 0.1  # seconds

LARGER: tuple[dict[str, Any], ...] = (
    {"exhausted_block": "free"},
    {"max_turns": 20},
    {"rounds": 3},
    {"blocks": 10, "attacks_to_win": 5},
    {"rounds": 3, "max_turns": 20},
    {"rounds": 5, "blocks": 8, "attacks_to_win": 3, "max_turns": 10},
)


def measure(options: dict[str, Any], repetitions: int, most: float | None = None) -> Row:
    """Measures one set of parameters."""
    game = footsies_v0.game(**options)
    solution = solve(game)

    def work() -> int:
        solve(game)
        return 1

    parameters = ", ".join(f"{name}={value}" for name, value in options.items())
    return Row(
        f"exact solution of footsies_v0({parameters})",
        1.0 / median_rate(work, repetitions),
        "s",
        most=most,
        note=f"{len(solution.states):,} states, gap {solution.certificate:.0e}",
    )


def run(repetitions: int) -> list[Row]:
    """Measures the default parameters against the target, and larger matches for information."""
    return [
        measure({}, 3 * repetitions, LONGEST),
        *(measure(options, max(repetitions // 5, 1)) for options in LARGER),
    ]
