"""Markov decision processes against every policy, and their end components against every set of states."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from fraction_chains import OUT, Process, best_values, chain_values, decisions, random_process
from nashzoo.baselines.markov import decision_process
from nashzoo.baselines.markov.decision_process import optimum
from nashzoo.baselines.markov.end_components import collapsed
from nashzoo.baselines.markov.precise_process import precise_optimum

PROVEN = Fraction(1, 10**9)
PRECISE = Fraction(1, 10**15)


def chosen(process: Process, choices: list[int]) -> Process:
    """Returns the chain of decisions, numbered over all states."""
    lines = [line for options in process for line in options]
    return [[lines[choice]] for choice in choices]


@pytest.mark.parametrize("sign", [1, -1])
def test_optimal_values_by_trying_every_policy(sign: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(120):
        process = random_process(rng, int(rng.integers(1, 6)), 3)
        signed: Process = [
            [[(target, weight, sign * reward) for target, weight, reward in line] for line in options]
            for options in process
        ]
        found, best = optimum(decisions(process), float(sign)), best_values(signed)
        own = chain_values(chosen(signed, found.choices.tolist()))
        for state, true in enumerate(best):
            lower, upper = Fraction(float(found.lower[state])), Fraction(float(found.upper[state]))
            assert lower <= own[state] <= true <= upper <= lower + PROVEN


def test_bounds_lie_between_the_payoffs_when_no_policy_is_improved(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("MAX_SWEEPS", "MAX_IMPROVEMENTS", "FEW_STATES"):
        monkeypatch.setattr(decision_process, limit, 0)
    rng, widest = np.random.default_rng(4), 0.0
    for _ in range(60):
        process = random_process(rng, int(rng.integers(2, 6)), 3)
        if any(target != OUT and reward for options in process for line in options for target, _, reward in line):
            continue
        rewards = [reward for options in process for line in options for _, _, reward in line]
        bounds, best = optimum(decisions(process), 1.0), best_values(process)
        widest = max(widest, float((bounds.upper - bounds.lower).max()))
        assert min(*rewards, 0.0) <= bounds.lower.min() and bounds.upper.max() <= max(*rewards, 0.0)
        for state, true in enumerate(best):
            assert Fraction(float(bounds.lower[state])) <= true <= Fraction(float(bounds.upper[state]))
    assert widest > 0.5


def test_rewards_on_the_way_to_a_certain_end() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        process = random_process(rng, int(rng.integers(1, 6)), 3, sizes=(1.0, 0.5, 1e-3))
        for options in process:
            for line in options:
                line[0] = (line[0][0], line[0][1], float(rng.choice([-0.5, 0.0, 0.25])))
                line.append((OUT, 0.1, 0.5))
        found, best = optimum(decisions(process), 1.0), best_values(process)
        for state, true in enumerate(best):
            assert abs(Fraction(float(found.values[state])) - true) <= PROVEN
            assert Fraction(float(found.lower[state])) <= true <= Fraction(float(found.upper[state]))


def test_many_digits() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        process = random_process(rng, 4, 2)
        for options in process:
            for line in options:
                line.append((OUT, 10.0 ** -int(rng.integers(0, 300)), float(rng.choice([-1.0, 0.5]))))
        arrays = decisions(process)
        values, errors, choices = precise_optimum(arrays, arrays.first[:-1].copy())
        best, own = best_values(process), chain_values(chosen(process, choices.tolist()))
        for value, error, true, reached in zip(values, errors, best, own, strict=True):
            assert abs(Fraction(float(value)) - true) <= Fraction(float(error)) <= PRECISE
            assert true - reached <= PRECISE


def components_by_trying(process: Process) -> list[set[int]]:
    """Returns the maximal end components: every set of states is tried."""
    states, found = range(len(process)), []
    for size in range(len(process), 0, -1):
        for some in map(set, itertools.combinations(states, size)):
            if any(some <= larger for larger in found):
                continue
            after = {k: {way[0] for line in process[k] if inside(line, some) for way in line} for k in some}
            reached = {k: closure(after, k) for k in some}
            if all(after.values()) and all(some == reached[k] for k in some):
                found.append(some)
    return found


def inside(line: list[tuple[int, float, float]], some: set[int]) -> bool:
    """Returns whether a decision stays within a set of states, without reward."""
    return all(target in some and reward == 0.0 for target, _, reward in line)


def closure(after: dict[int, set[int]], start: int) -> set[int]:
    found, waiting = {start}, [start]
    while waiting:
        more = after[waiting.pop()] - found
        found |= more
        waiting += more
    return found


def test_end_components_by_trying_every_set_of_states() -> None:
    rng, sizes = np.random.default_rng(3), set()
    for _ in range(150):
        process = random_process(rng, int(rng.integers(1, 7)), 3, out=0.1)
        for options in process:
            line = options[0]
            line[0] = (line[0][0], line[0][1], line[0][2] or float(rng.random() < 0.1))
        found, expected = collapsed(decisions(process)), components_by_trying(process)
        for one, other in itertools.combinations(range(len(process)), 2):
            together = any({one, other} <= some for some in expected)
            assert (found.label[one] == found.label[other]) == together
        lines = [(k, line) for k, options in enumerate(process) for line in options]
        stays = [any(k in some and inside(line, some) for some in expected) for k, line in lines]
        assert found.stays.tolist() == stays
        sizes |= {len(some) for some in expected}
    assert {1, 2, 3} <= sizes


def test_a_policy_of_the_merged_process_is_one_of_the_whole() -> None:
    # 0 and 1 lead to each other; the best way out, of half a point, is from 1, and 2 can only stay.
    process: Process = [
        [[(1, 1.0, 0.0)], [(OUT, 1.0, 0.25)]],
        [[(0, 1.0, 0.0)], [(OUT, 1.0, 0.5)]],
        [[(2, 1.0, 0.0)], [(OUT, 1.0, -1.0)]],
    ]
    found = optimum(decisions(process), 1.0)
    assert found.values.tolist() == [0.5, 0.5, 0.0] and found.choices.tolist() == [0, 3, 4]
