"""Games with a clock, solved backwards without a list of all successors, beside the same games listed."""

from typing import Any

import numpy as np
import pytest

import clocked_game
import mutations
from made_games import with_rules
from nashzoo.baselines import ListedStates, TabularPolicy, equilibrium, exploitability, layered_solution, solve
from nashzoo.baselines.certificate.checker import CertificateError
from nashzoo.baselines.layered_solution import LayeredSolution, solve_layers
from nashzoo.baselines.states.clocked import ClockedStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.reachable import TooManyStatesError

GAME = Game(clocked_game)


def test_states_are_those_of_a_list() -> None:
    clocked, listed = ClockedStates(GAME), ListedStates(GAME)
    assert clocked.codes.tolist() == listed.codes.tolist()
    assert sorted(id for ids, cyclic in clocked.layers for id in ids.tolist() if not cyclic) == list(
        range(len(clocked))
    )
    everywhere = np.arange(len(clocked))
    mine, theirs = clocked.successors_at(everywhere), listed.successors_at(everywhere)
    assert (mine.following == theirs.following).all() and (mine.rewards == theirs.rewards).all()
    with pytest.raises(KeyError, match="play does not lead to"):
        clocked.ids([GAME.code(rope=0, rested=0, clock=2)])


@pytest.mark.parametrize("moves", [1, 2, 6, 11])
def test_solution_is_that_of_a_list(moves: int) -> None:
    game = Game(clocked_game, moves=moves)
    listed, clocked = solve(game), solve_layers(ClockedStates(game))
    assert clocked.values == pytest.approx(listed.values, abs=1e-12)
    assert clocked.certificate < 1e-12 and clocked.verify() == clocked.certificate
    policy = TabularPolicy(listed.states, clocked.strategies(listed.states.codes))
    assert exploitability(game, policy) < 1e-12


def test_the_scale_does_not_matter() -> None:
    game = Game(with_rules(clocked_game, payoff=lambda params, state: 1e12 * clocked_game.payoff(params, state)))
    solution, expected = solve_layers(ClockedStates(game)), solve_layers(ClockedStates(GAME))
    assert solution.values == pytest.approx(1e12 * expected.values, rel=1e-9, abs=1.0)
    assert solution.certificate < 1.0


def test_games_with_too_many_states_to_list(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not isinstance(solve(GAME), LayeredSolution)
    expected = solve(GAME).start_value
    monkeypatch.setattr(equilibrium, "MAX_STATES", 100)
    solution = solve(GAME)
    assert isinstance(solution, LayeredSolution) and solution.optimal
    assert solution.start_value == pytest.approx(expected, abs=1e-12)
    root = GAME.code(rope=5, rested=3, clock=4)
    assert solve(GAME, roots=[root]).value(root) == pytest.approx(solution.value(root), abs=1e-12)


@pytest.mark.parametrize("by", [1e-6, -1e-6, np.nan])
def test_a_false_value_is_noticed(by: float) -> None:
    solution = solve_layers(ClockedStates(GAME))
    middle = len(solution.values) // 2
    solution.values[middle] += by
    with pytest.raises(CertificateError, match="secures less than the value in one step"):
        solution.verify()


def test_false_strategies_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    solution = solve_layers(ClockedStates(GAME))

    resting = mutations.careful_alone(lambda solve, matrix: (np.eye(len(matrix))[0], solve(matrix)[1]))
    monkeypatch.setattr(layered_solution, "SOLVER", resting(layered_solution.SOLVER))
    with pytest.raises(CertificateError, match="player 0's strategy secures less"):
        solution.verify()


def test_a_clock_that_stands_still_is_refused() -> None:
    def step(state: Any, action0: int, action1: int) -> Any:
        return clocked_game.State(min(state.rope + action0 - action1, 8), 0, state.clock + (state.rope != 5))

    def turn() -> int:
        return 2

    game = Game(with_rules(clocked_game, "chance", step=step, turn=turn))
    with pytest.raises(UsageError, match="clock, the CLOCK of tug_v0, does not grow from rope=5"):
        ClockedStates(game)


@pytest.mark.parametrize("clock", ["rope", "time"])
def test_the_clock_is_the_last_field(clock: str) -> None:
    with pytest.raises(UsageError, match="it must be the last field of State, or of BITS if there are: 'clock'"):
        Game(with_rules(clocked_game, CLOCK=clock))


def test_too_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nashzoo.baselines.states.clocked.available_memory", lambda: 1_000)
    with pytest.raises(TooManyStatesError, match="each takes 32 bytes of memory"):
        ClockedStates(GAME)
