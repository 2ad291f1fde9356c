"""Roshambo: matches side by side on one core, and exact measures of a thousand layers of states."""

from collections.abc import Iterator

import numpy as np

from benchmarks.report import Row
from benchmarks.timing import Work, median_rate
from nashzoo import agents
from nashzoo.arena.match import play_match
from nashzoo.baselines import best_response, exploitability, solve
from nashzoo.envs import Game, roshambo_v0

MATCHES = 1_000
PLAYERS = ("roll", "frequency", "markov_k", "antirotation", "recent", "habits", "hedge", "history", "iocaine")
SLOW = ("history", "iocaine")  # look through all throws before


def matches(game: Game, name: str, number: int) -> Work:
    """Returns a work that plays matches against random throws; its unit is a joint throw."""
    player, random = agents.make(name, game), agents.make("random", game)

    def work() -> int:
        play_match(game, player, random, number, seed=0)
        return number * int(game.options["rounds"])

    return work


def run(repetitions: int) -> Iterator[Row]:
    """Measures throws per second and the time of exact figures."""
    game = roshambo_v0.game()
    for name in PLAYERS:
        number = MATCHES // 10 if name in SLOW else MATCHES
        speed = median_rate(matches(game, name, number), repetitions)
        least = 5e6 if name == "roll" else None
        yield Row(f"{name} against random, {number} matches at once", speed, "throws/s", least=least)
    copy, recent = agents.make("copy", game), agents.make("recent", game)

    def solving() -> int:
        return solve(game).num_states

    def exploiting() -> int:
        assert np.isclose(exploitability(game, copy), 999)
        return 1

    def responding() -> int:
        best_response(game, recent, 0)
        return 1

    for what, work, unit in (
        ("solve, the past left out", solving, "states/s"),
        ("exploitability of copy, 8,992 states", exploiting, "policies/s"),
        ("best response to recent, 3,273,088 states with memory", responding, "players/s"),
    ):
        yield Row(what, median_rate(work, repetitions), unit)
