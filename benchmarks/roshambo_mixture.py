"""How long ``mixture`` takes for a match of a thousand throws, alone and with many matches side by side."""

from benchmarks.report import Row
from benchmarks.timing import median_rate
from nashzoo import agents
from nashzoo.arena.match import play_match
from nashzoo.envs import Game, roshambo_v0

OPPONENTS = ("random", "rotating", "roll")
MOST = 10.0  # ms for a match


def milliseconds(game: Game, opponent: str, number: int, repetitions: int) -> float:
    """Returns the time for one of a number of matches side by side."""
    mixture, other = agents.make("mixture", game), agents.make(opponent, game)

    def work() -> int:
        play_match(game, mixture, other, number, seed=0)
        return number

    return 1000 / median_rate(work, repetitions)


def run(repetitions: int) -> list[Row]:
    """Measures matches; the opponent's time and the game's are included."""
    game = roshambo_v0.game()
    return [
        Row(f"mixture against {opponent}, {number} matches at once", time, "ms/match", most=MOST)
        for number in (10, 100)
        for opponent in OPPONENTS
        for time in [milliseconds(game, opponent, number, repetitions)]
    ]
