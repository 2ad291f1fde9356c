"""The batch kernel on two threads, Footsies, beside Pgx's tic-tac-toe: random play of thousands of games.

A step of ours is a joint step with one view per game; a step of Pgx is one move with the mover's view.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks import pgx_tic_tac_toe
from benchmarks.random_kernel import random_play
from benchmarks.report import Row, row_of_rates
from benchmarks.timing import Work, compare, rates
from nashzoo.envs import footsies_v0
from nashzoo.envs.core.game import Game

THREADS = 2
NUM_ENVS = pgx_tic_tac_toe.BATCH
STEPS, PEER_STEPS = 500, 50

SCANNED = "Pgx tic-tac-toe, one lax.scan"
OTHERS = ("Pgx tic-tac-toe, a jitted call per step", "Pgx tic-tac-toe, lax.scan, own draw and reset")


def playing(game: Game, pool: ThreadPoolExecutor, observe: bool) -> Work:
    """Returns a work that plays ``STEPS`` random joint actions on each of ``NUM_ENVS`` games, shared by the threads."""
    games = NUM_ENVS // THREADS
    starts = np.full(games, game.start_codes[0])
    shares = [
        (starts.copy(), np.random.default_rng(thread).integers(2**63, size=games).astype(np.uint64))
        for thread in range(THREADS)
    ]
    views = [np.empty((games if observe else 0, game.num_features), np.float32) for _ in range(THREADS)]

    def work() -> int:
        plays = [
            pool.submit(random_play, game.compiled, codes, starts, seeds, STEPS, view)
            for (codes, seeds), view in zip(shares, views, strict=True)
        ]
        for play in plays:
            play.result()
        return STEPS * NUM_ENVS

    return work


def run(repetitions: int) -> list[Row]:
    """Measures steps per second."""
    game = footsies_v0.game()
    with ThreadPoolExecutor(THREADS) as pool:
        watched, unwatched, scanned, *others = rates(
            [
                playing(game, pool, observe=True),
                playing(game, pool, observe=False),
                pgx_tic_tac_toe.scanned(PEER_STEPS),
                pgx_tic_tac_toe.step_by_step(PEER_STEPS),
                pgx_tic_tac_toe.tuned(PEER_STEPS),
            ],
            repetitions,
        )
    with_views, without = "random play with observations", "random play without observations"
    rows = [
        row_of_rates(with_views, compare(watched, scanned), "steps/s", SCANNED, least_ratio=5),
        row_of_rates(without, compare(unwatched, scanned), "steps/s", SCANNED, least_ratio=20),
    ]
    for name, other in zip(OTHERS, others, strict=True):
        rows.append(row_of_rates(with_views, compare(watched, other), "steps/s", name))
        rows.append(row_of_rates(without, compare(unwatched, other), "steps/s", name))
    return rows
