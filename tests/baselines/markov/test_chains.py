"""Markov chains with probabilities of all sizes, by every algorithm, against fractions."""

from fractions import Fraction

import numpy as np
import pytest

from fraction_chains import OUT, Process, chain_values, decisions, leaving, random_process, solve
from nashzoo import agents
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.baselines import evaluate
from nashzoo.baselines.markov import iteration, likely_play, markov_chain
from nashzoo.baselines.markov.elimination import visit_chain
from nashzoo.baselines.markov.iteration import iterated_values
from nashzoo.baselines.markov.likely_play import expected_visits, likely_value
from nashzoo.baselines.markov.transitions import explored
from nashzoo.baselines.policies.tabular import LazyPolicyTable
from nashzoo.baselines.states.components import components
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.envs import bodega_brawl_v0
from nashzoo.envs.core.game import Floats

CLOSE = 1e-12
LEAST = Fraction(2) ** -1074
PLENTY = 1_000  # connections
MODERATE = (1.0, 0.5, 0.1)


def check(values: Floats, errors: Floats, exact: list[Fraction]) -> None:
    """Checks that values are within their errors, but for numbers below the smallest of float64."""
    for value, error, true in zip(values, errors, exact, strict=True):
        assert error == np.inf or abs(Fraction(float(value)) - true) <= Fraction(float(error)) + LEAST


def closed(rng: np.random.Generator, states: int, sizes: tuple[float, ...]) -> Process:
    """Returns a chain whose states all lead to each other, with a reward for some of the transitions."""
    chain = random_process(rng, states, sizes=sizes)
    for k, (line,) in enumerate(chain):
        line[0] = ((k + 1) % states, line[0][1], float(rng.choice([0.0, 0.25])))
    chain[0][0].append((OUT, 1.0, 1.0))
    return chain


def test_chains_of_several_components() -> None:
    rng = np.random.default_rng(0)
    for _ in range(150):
        chain = random_process(rng, int(rng.integers(1, 9)))
        found = markov_chain.chain_values(decisions(chain))
        check(found.values, found.errors, chain_values(chain))
        assert found.errors.max() <= CLOSE


def test_rewards_on_the_way() -> None:
    rng = np.random.default_rng(1)
    for _ in range(80):
        chain = closed(rng, int(rng.integers(1, 9)), (1.0, 0.5, 1e-3, 1e-9))
        found, exact = markov_chain.chain_values(decisions(chain)), chain_values(chain)
        check(found.values, found.errors, exact)
        assert (found.errors <= CLOSE * max(1.0, float(max(exact)))).all()


def test_rewards_without_end_have_no_bound() -> None:
    found = markov_chain.chain_values(decisions([[[(1, 1.0, 1.0)]], [[(0, 1.0, 0.0)]], [[(OUT, 1.0, 0.5)]]]))
    assert found.errors.tolist()[:2] == [np.inf, np.inf] and found.values[2] == 0.5


@pytest.mark.parametrize(("sizes", "proven"), [(MODERATE, 1.0), ((1.0, 1e-3), 0.9), ((1.0, 1e-30), 0.0)])
def test_iteration(sizes: tuple[float, ...], proven: float) -> None:
    rng, close = np.random.default_rng(2), 0
    for _ in range(50):
        chain = closed(rng, int(rng.integers(2, 12)), sizes)
        exact, members = chain_values(chain), np.arange(len(chain))
        found = iterated_values(decisions(chain), members, np.zeros(len(chain)))
        check(found.values, np.full(len(chain), found.error), exact)
        close += found.error <= 1e-10 * max(1.0, float(max(exact)))
    assert close >= 50 * proven


def test_iteration_uses_the_values_outside_of_the_component() -> None:
    # 0 and 1 lead to each other, and as likely to 2, which is worth 0.75, or to an end, which pays 0.25.
    chain: Process = [[[(1, 1.0, 0.0), (2, 1.0, 0.0)]], [[(0, 1.0, 0.0), (OUT, 1.0, 0.25)]], [[(OUT, 1.0, 0.75)]]]
    found = iterated_values(decisions(chain), np.array([0, 1]), np.array([9.0, 9.0, 0.75]))
    check(found.values, np.full(2, found.error), [Fraction(7, 12), Fraction(5, 12)])
    assert found.error <= CLOSE


def test_few_iterations_too_are_tried_with_both_tolerances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iteration, "ENOUGH", (0.9, 1e-4))  # the first is too large for a bound
    wealth = np.arange(1, 40)  # of a gambler, who has won at 40
    chain: Process = [[[(k - 1, 1.0, 0.0), (k + 1, 1.0, 0.0)]] for k in range(len(wealth))]
    chain[0][0][0], chain[-1][0][1] = (OUT, 1.0, 0.0), (OUT, 1.0, 1.0)
    found = iterated_values(decisions(chain), np.arange(len(wealth)), np.zeros(len(wealth)), iterations=30)
    assert found.values == pytest.approx(wealth / 40, abs=CLOSE)  # gambler's ruin: Feller (1968), XIV.2
    assert found.error <= CLOSE


@pytest.mark.parametrize("most_states", [0, 100])
def test_iteration_and_elimination_mixed(monkeypatch: pytest.MonkeyPatch, most_states: int) -> None:
    monkeypatch.setattr(markov_chain, "LARGE", 2)
    monkeypatch.setattr(markov_chain, "MOST_STATES", most_states)
    rng = np.random.default_rng(3)
    for _ in range(50):
        chain = random_process(rng, int(rng.integers(3, 12)), sizes=(*MODERATE, 1e-9))
        found = markov_chain.chain_values(decisions(chain))
        check(found.values, found.errors, chain_values(chain))
        assert most_states == 0 or found.errors.max() <= 1e-9


def visits(chain: Process, starts: list[Fraction]) -> list[Fraction]:
    """Returns the expected number of visits of each state from which play may end."""
    live = leaving(chain)
    rows = [[Fraction(i == j) for j in range(len(live))] + [starts[state]] for i, state in enumerate(live)]
    for j, state in enumerate(live):
        total = sum(Fraction(weight) for _, weight, _ in chain[state][0])
        for target, weight, _ in chain[state][0]:
            if target in live:
                rows[live.index(target)][j] -= Fraction(weight) / total
    return solve(rows)


def test_expected_numbers_of_transitions() -> None:
    rng = np.random.default_rng(4)
    for _ in range(80):
        chain = random_process(rng, int(rng.integers(1, 8)))
        arrays, starts = decisions(chain), rng.integers(0, 2, len(chain)).astype(np.float64)
        expected = visits(chain, [Fraction(start) for start in starts])
        flows, live = np.empty(len(arrays.targets)), leaving(chain)
        order, bounds = components(arrays.offsets, arrays.targets)
        columns = arrays.offsets, arrays.targets, arrays.weights, arrays.exponents
        error = Fraction(visit_chain(order, bounds, *columns, PLENTY, starts, flows))
        assert error <= CLOSE
        for state, times in zip(live, expected, strict=True):
            (line,), first = chain[state], int(arrays.offsets[state])
            total = sum(Fraction(weight) for _, weight, _ in line)
            for k, (target, weight, _) in enumerate(line):
                true = times * Fraction(weight) / total
                if target != state and 1e-200 < true < 1e200:  # staying only takes time
                    assert abs(Fraction(flows[first + k]) - true) <= 2 * error * true


def test_play_ends_or_enters_states_that_it_never_leaves() -> None:
    rng, endless = np.random.default_rng(6), 0
    for _ in range(80):
        chain = random_process(rng, int(rng.integers(1, 8)))
        starts = rng.integers(0, 2, len(chain)).astype(np.float64)
        flows, stays, _ = expected_visits(decisions(chain), starts)
        for line in chain:
            line[0] = [(target, weight, float(target == OUT)) for target, weight, _ in line[0]]
        exact = chain_values(chain)  # the probability of an end
        ended = sum(Fraction(start) * chance for start, chance in zip(starts, exact, strict=True))
        assert flows[decisions(chain).targets == OUT].sum() == pytest.approx(float(ended), abs=CLOSE)
        assert stays.sum() == pytest.approx(float(sum(starts) - ended), abs=CLOSE)
        assert (stays[np.array(exact) > 0] == 0).all()
        endless += (stays > 0).any()
    assert endless > 10


def test_two_states_that_play_never_leaves_are_entered_once() -> None:
    # A step leads to an end or to 1; 1 and 2 lead to each other.
    chain: Process = [[[(1, 1.0, 0.0), (OUT, 3.0, 0.0)]], [[(2, 1.0, 0.0)]], [[(1, 1.0, 0.0)]]]
    flows, stays, _ = expected_visits(decisions(chain), np.array([0.5, 0.0, 0.5]))
    assert stays.tolist() == [0, 0.125, 0.5] and flows.tolist() == [0.125, 0.375, 0, 0]


@pytest.mark.parametrize("likely", [likely_play.LIKELY, 2.0])  # with 2 no transition is likely at first
@pytest.mark.parametrize("rounds", [1, 3, likely_play.MAX_ROUNDS])
def test_likely_play(monkeypatch: pytest.MonkeyPatch, rounds: int, likely: float) -> None:
    monkeypatch.setattr(likely_play, "MAX_ROUNDS", rounds)
    monkeypatch.setattr(likely_play, "LIKELY", likely)
    rng = np.random.default_rng(5)
    for _ in range(60):
        chain = random_process(rng, int(rng.integers(1, 9)), sizes=(1.0, 0.5, 1e-2, 1e-4, 1e-9))
        chain.append([[(OUT, 1.0, 1.0)]])  # so that there is an end
        starts, chances = np.array([0, len(chain) - 1]), np.array([0.75, 0.25])
        found = likely_value(decisions(chain), starts, chances)
        exact = Fraction(3, 4) * chain_values(chain)[0] + Fraction(1, 4)
        assert Fraction(found.lower) <= exact <= Fraction(found.upper)
        assert rounds < 100 or found.upper - found.lower <= 1e-9


def test_play_among_states_with_an_index_is_a_chain() -> None:
    game = bodega_brawl_v0.game(preset="tiny")
    states, players = IndexedStates(game), (RandomAgent(game), agents.make("argmax_counter", game))
    tables = LazyPolicyTable(states, players[0], 0), LazyPolicyTable(states, players[1], 1)
    (start,) = starts = states.ids(game.start_codes)
    ids, chain = explored(states, tables, starts)
    (value,) = markov_chain.chain_values(chain).values[ids == start]
    assert value != 0 and value == pytest.approx(evaluate(game, *players), abs=CLOSE)
