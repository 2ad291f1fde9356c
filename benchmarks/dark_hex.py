"""Exact measures of uniform play in dark hex of 3 by 3 cells, whose histories are too many to keep.

The information states of the regular game, and what best responses win there, are those of exp-a-spiel, which comes to
them with 16 threads in 130 s. Its value of uniform play, 0.333684, is not: it adds numbers of 32 bits. The values here
are those of states without the order of tries, as in ``tests/baselines/information/test_traversal.py``.

Source: gabrfarina/exp-a-spiel, README, of Rudolph et al. (2025), "Reevaluating Policy Gradient Methods for
Imperfect-Information Games".
"""

from fractions import Fraction
from pathlib import Path

from benchmarks.report import Row
from benchmarks.timing import Cost, cost, in_new_process
from nashzoo import agents
from nashzoo.baselines import evaluate, nash_conv
from nashzoo.baselines.certificate.bounds import Bounds
from nashzoo.baselines.information.measures import measured_form
from nashzoo.envs import make_game
from nashzoo.envs.core.game import Game

FILE = str(Path(__file__).resolve().parents[1] / "examples" / "games" / "dark_hex.py")
VALUES = {False: Fraction(1, 3), True: Fraction(48431, 181440)}  # by whether the game is abrupt
STATES = 3_720_850, 2_352_067  # of the regular game
NASH_CONV, SINGLE = 1.166488 + 0.666318, 1e-5  # of the regular game, and its error in 32 bits
LONGEST, MOST_MEMORY = 300.0, 16.0  # s, GB


def figures(game: Game) -> tuple[Bounds, Bounds]:
    """Returns NashConv and the value of uniform play."""
    policy = agents.make("random", game)
    return nash_conv(game, policy, bounds=True), evaluate(game, policy, policy, bounds=True)


def measuring(abrupt: bool) -> tuple[tuple[Bounds, Bounds], Cost, int, tuple[int, int]]:
    """Returns both figures, what they cost, and the numbers of histories and of both players' information states."""
    figures(make_game(FILE, rows=2, columns=2))  # loads what Numba keeps on disk
    game = make_game(FILE, rows=3, columns=3, abrupt=abrupt)
    measured, needed = cost(lambda: figures(game))
    form = measured_form(game)
    plex0, plex1 = form.treeplexes
    return measured, needed, form.num_histories, (len(plex0.codes), len(plex1.codes))


def run(repetitions: int) -> list[Row]:
    """Measures seconds and memory, each version once and in a process of its own.

    Raises:
        AssertionError: a figure is not the known one.
    """
    rows = []
    for abrupt, value in VALUES.items():
        (conv, played), needed, histories, states = in_new_process(measuring, abrupt)
        if not Fraction(played.lower) <= value <= Fraction(played.upper):
            raise AssertionError(f"the value of uniform play is {value}, and not within {played}")
        if not abrupt and (states != STATES or abs(conv.upper - NASH_CONV) > SINGLE):
            raise AssertionError(f"exp-a-spiel has {STATES} information states and NashConv {NASH_CONV}, not {conv}")
        name = "abrupt" if abrupt else "regular"
        note = (
            f"NashConv {conv.lower:.12f} to {conv.upper:.12f}, value {played.lower:.12f} to {played.upper:.12f}; "
            f"{histories:,} histories, {states[0]:,} and {states[1]:,} information states; "
            f"{needed.core_seconds:.0f} core-seconds"
        )
        rows.append(Row(f"uniform play in {name} dark hex of 3 by 3", needed.seconds, "s", most=LONGEST, note=note))
        rows.append(Row("its peak memory", needed.peak, "GB", most=MOST_MEMORY))
    return rows
