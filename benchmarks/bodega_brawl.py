"""Bodega Brawl, all 28.8 million states: the solution with its certificate, its file, and Nash playing from it."""

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.matrix_game import maximin
from benchmarks.report import Row, row_of_rates
from benchmarks.timing import Comparison, Cost, cost, in_new_process, median_rate
from nashzoo.agents.basic.nash import NashAgent
from nashzoo.arena.match import play_match
from nashzoo.baselines import solve
from nashzoo.baselines.layered_solution import LayeredSolution
from nashzoo.baselines.solvers.backup import matrix_at
from nashzoo.baselines.store import open_solution, save
from nashzoo.envs import bodega_brawl_v0
from nashzoo.envs.core.game import Floats, Ints

LONGEST = 20.0  # seconds
LEAST_RATIO = 2_000  # of core-seconds per state
MOST_MEMORY = 1.0  # GB
LARGEST_FILE = 120.0  # MB
LONGEST_OPENING = 0.5  # seconds
LONGEST_ANSWER = 0.001  # seconds
LEAST_GAMES = 10_000  # a second

SAMPLE = 300  # states solved by the peer
GAMES = 20_000
AGREEMENT = 1e-9


def solving(path: Path) -> tuple[Cost, int, float]:
    """Solves and saves the game; returns what solving cost, at how many states, and the certificate."""
    solve(bodega_brawl_v0.game(preset="small"))  # loads what Numba keeps on disk
    solution, needed = cost(lambda: solve(bodega_brawl_v0.game()))
    assert isinstance(solution, LayeredSolution)
    save(solution, path)
    return needed, solution.num_states, solution.certificate


def matrices(solution: LayeredSolution, ids: Ints) -> list[Floats]:
    """Returns the matrix games at some states, from the values of what follows."""
    states = solution.states
    successors = states.successors_at(ids)
    numbered = successors.following >= 0
    values = solution.values[successors.following[numbered]]
    successors.following[numbered] = np.arange(len(values))
    return [matrix_at(successors, values, k)[2] for k in range(len(ids))]


def core_seconds_of_linprog(payoffs: list[Floats], values: Floats) -> float:
    """Returns the core-seconds that scipy takes for both players' strategies, a linear program for each.

    Raises:
        AssertionError: it finds other values.
    """
    start = time.process_time()
    secured = [maximin(payoff) for payoff in payoffs]
    conceded = [-maximin(-payoff.T) for payoff in payoffs]
    seconds = time.process_time() - start
    if np.abs([secured - values, conceded - values]).max() > AGREEMENT:
        raise AssertionError("the two methods disagree")
    return seconds


def run(repetitions: int) -> Iterator[Row]:
    """Measures the solution in a process of its own, the rest in this one."""
    game = bodega_brawl_v0.game()
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.safetensors"
        needed, states, certificate = in_new_process(solving, path)
        note = f"{states:,} states, gap {certificate:.0e}, {needed.core_seconds:.1f} core-seconds"
        yield Row("exact solution", needed.seconds, "s", most=LONGEST, note=note)
        yield Row("peak memory of the solving process", needed.peak, "GB", most=MOST_MEMORY)
        yield Row("file of the solution", path.stat().st_size / 1e6, "MB", most=LARGEST_FILE)

        def opening() -> int:
            open_solution(game, path)
            return 1

        seconds = 1.0 / median_rate(opening, repetitions)
        yield Row("opening the file", seconds, "s", most=LONGEST_OPENING, note="checksum included")
        solution = open_solution(game, path)

        sample = rng.integers(len(solution.states), size=SAMPLE)
        payoffs, values = matrices(solution, sample), solution.values[sample]
        core_seconds_of_linprog(payoffs[:3], values[:3])
        ours, theirs = states / needed.core_seconds, SAMPLE / core_seconds_of_linprog(payoffs, values)
        yield row_of_rates(
            "states solved per core-second",
            Comparison(ours, theirs, ours / theirs),
            "/core-s",
            "scipy linprog, one call for each player, matrices given",
            least_ratio=LEAST_RATIO,
        )

        answers = []
        for code in solution.states.codes_at(rng.integers(len(solution.states), size=100 * repetitions)):
            start = time.perf_counter()
            solution.strategies(np.array([code]))
            answers.append(time.perf_counter() - start)
        yield Row("both strategies at one state", statistics.median(answers), "s", most=LONGEST_ANSWER, note="median")

        nash = NashAgent(game, solution=solution)

        def playing() -> int:
            play_match(game, nash, nash, GAMES, seed=0)
            return GAMES

        games = median_rate(playing, max(repetitions // 3, 1))
        yield Row("games between Nash and Nash", games, "games/s", least=LEAST_GAMES, note=f"{GAMES:,} in one process")
