"""Games with hidden information: exploration, solution, exact measures and regret minimization.

Beside them OpenSpiel, in Python and in C++, and LiteEFG, which is left out where it is not installed: it wants other
versions of its own requirements than these benchmarks.
"""

import importlib.util
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyspiel
from open_spiel.python.algorithms import cfr
from open_spiel.python.algorithms.exploitability import exploitability as in_python
from open_spiel.python.policy import TabularPolicy as TheirTabularPolicy
from open_spiel.python.policy import python_policy_to_pyspiel_policy
from torch import nn

from benchmarks.report import Row, row_of_rates
from benchmarks.timing import Work, compare, median_rate, rates
from nashzoo.baselines import exploitability, solve
from nashzoo.baselines.information.measures import form_or_reason, sequence_form_of
from nashzoo.baselines.information.regret_minimization import RegretMinimizer
from nashzoo.baselines.information.sequence_form import sequence_form
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.envs import make_game

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "games"
SAME = 1e-9
ENOUGH = 5_000_000  # histories times calls of one measurement
LARGE = 100_000  # histories, from which OpenSpiel takes minutes in Python
LITEEFG = "LiteEFG"


class Measured(NamedTuple):
    """A game, and the targets of its figures."""

    file: str
    name: str  # in OpenSpiel
    exploring: float | None = None  # s, at most
    solving: float | None = None  # s, at most
    measuring: float | None = None  # policies/s, at least
    iterating: float | None = None  # iterations/s, at least
    asking: float | None = None  # networks/s, at least


GAMES = (
    Measured("kuhn", "kuhn_poker"),
    Measured("leduc", "leduc_poker", solving=1.0, measuring=10_000, iterating=20_000, asking=500),
    Measured("liars_dice", "liars_dice", exploring=0.2, solving=10.0, measuring=500, iterating=1_200, asking=20),
)


class Peer(NamedTuple):
    """What another library does in a game."""

    name: str
    measure: Callable[[], float]  # the exploitability of uniform play
    iterate: Callable[[], Any]  # an iteration of CFR+


def times(calls: int, call: Callable[[], Any]) -> Work:
    """Returns a work that calls something so many times."""

    def work() -> int:
        for _ in range(calls):
            call()
        return calls

    return work


def openspiel(name: str, large: bool) -> Iterator[Peer]:
    """Yields OpenSpiel in C++, and in Python unless the game is large."""
    game = pyspiel.load_game(name)
    uniform = TheirTabularPolicy(game)
    policy, solver = python_policy_to_pyspiel_policy(uniform), pyspiel.CFRPlusSolver(game)
    yield Peer("OpenSpiel, C++", lambda: pyspiel.exploitability(game, policy), solver.evaluate_and_update_policy)
    if not large:
        iterate = cfr.CFRPlusSolver(game).evaluate_and_update_policy
        yield Peer("OpenSpiel, Python", lambda: in_python(game, uniform), iterate)


def liteefg(name: str) -> Peer:
    """Returns LiteEFG, which keeps its file of the game in the home folder: in a temporary one."""
    import LiteEFG
    from LiteEFG.baselines import CFRplus

    home = os.environ.get("HOME", "")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        graph, env = CFRplus.graph(), LiteEFG.OpenSpielEnv(pyspiel.load_game(name))
    os.environ["HOME"] = home
    env.set_graph(graph)
    strategy = graph.current_strategy()

    def iterate() -> None:
        graph.update_graph(env)
        env.update_strategy(strategy)

    return Peer(LITEEFG, lambda: sum(env.exploitability(strategy, "default")) / 2, iterate)


def peers(name: str, large: bool) -> Iterator[Peer]:
    """Yields the other libraries that are installed."""
    yield from openspiel(name, large)
    if importlib.util.find_spec(LITEEFG) is None:
        print(f"{LITEEFG} is not installed, and not measured")
    else:
        yield liteefg(name)


def measured(game: Measured, repetitions: int) -> Iterator[Row]:
    """Yields the rows of a game."""
    ours, few = make_game(str(FOLDER / f"{game.file}.py")), max(repetitions // 5, 1)
    form = sequence_form_of(ours)
    plex0, plex1 = form.treeplexes
    note = f"{form.num_histories:,} histories, {len(plex0.codes) + len(plex1.codes):,} information states"
    seconds = 1.0 / median_rate(times(1, lambda: sequence_form(ours)), few)
    yield Row(f"exploring {game.name}", seconds, "s", most=game.exploring, note=note)

    def solving() -> int:
        form_or_reason.cache_clear()
        solve(ours)
        return 1

    solution = solve(ours)
    note = f"value {solution.start_value:.9f}, gap {solution.certificate:.0e}, exploration included"
    yield Row(f"solving {game.name}", 1.0 / median_rate(solving, few), "s", most=game.solving, note=note)

    form = sequence_form_of(ours)  # which has been made anew
    states = form.states
    uniform = TabularPolicy(states, (states.table(0, plex0.uniform()), states.table(1, plex1.uniform())))
    learner, calls = RegretMinimizer(form), max(ENOUGH // form.num_histories, 1)
    figure = exploitability(ours, uniform)

    def iterating() -> int:
        learner.run(calls)
        return calls

    network = nn.Sequential(nn.Linear(ours.num_features, 64), nn.Tanh(), nn.Linear(64, ours.num_actions))
    what = f"exploitability of a table of {game.name}", f"CFR+ in {game.name}", f"that of a network of {game.name}"
    asking = times(max(calls // 50, 1), lambda: exploitability(ours, network))
    works = times(calls, lambda: exploitability(ours, uniform)), iterating, asking
    units = "policies/s", "iterations/s", "points of a curve/s"
    least = game.measuring, game.iterating, game.asking
    for k in range(3):
        yield Row(what[k], median_rate(works[k], repetitions), units[k], least=least[k])
    for peer in peers(game.name, form.num_histories > LARGE):
        if abs(peer.measure() - figure) > SAME:
            raise AssertionError(f"{peer.name} finds another exploitability of uniform play in {game.name}")
        for k, call in enumerate((peer.measure, peer.iterate, peer.measure)):  # which need not ask a network
            pair = rates((works[k], times(max(calls // 1000, 1), call)), few)
            yield row_of_rates(what[k], compare(*pair), units[k], peer.name)


def run(repetitions: int) -> Iterator[Row]:
    """Measures all games."""
    for game in GAMES:
        yield from measured(game, repetitions)
