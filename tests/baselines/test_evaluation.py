"""What policies are worth: facts, brute force over all replies, and games played out."""

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import brute_force
import nim
import repeated_rps
from made_games import graph
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.baselines import (
    ListedStates,
    Solution,
    TabularPolicy,
    best_response,
    evaluate,
    exploitability,
    nash_conv,
    outcomes,
    solve,
)
from nashzoo.baselines.state_values import best_response_values, evaluated
from nashzoo.envs import footsies_v0
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask

CERTIFIED = 1e-9
EXACT = 1e-12
BRUTE_FORCE = 1e-8  # tiny probabilities, squared sixty times


class ByState(PolicyAgent):
    """Plays what a function of the codes says ``[B, actions]``."""

    def __init__(self, game: Game, probabilities: Callable[[Ints], Any]) -> None:
        super().__init__(game)
        self.probabilities = probabilities

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        codes, _ = self.states_of(observations)
        return np.asarray(self.probabilities(codes), np.float64)


def always(game: Game, *probabilities: float) -> ByState:
    return ByState(game, lambda codes: np.tile(probabilities, (len(codes), 1)))


def at_nodes(game: Game, rows: Any) -> ByState:
    """Plays row ``k`` at node ``k`` of a graph."""
    return ByState(game, lambda codes: np.array(rows, np.float64)[codes])


def optimal(solution: Solution) -> TabularPolicy:
    return TabularPolicy(solution.states, solution.policies)


@functools.cache
def footsies(**options: Any) -> Game:
    return footsies_v0.game(**options)


class TestRockPaperScissors:
    game = Game(repeated_rps, rounds=1)

    def test_nearly_uniform_and_its_likeliest_action(self) -> None:
        # Paper against (.34, .33, .33) gains .34 - .33; against Rock alone it gains all.
        assert exploitability(self.game, always(self.game, 0.34, 0.33, 0.33)) == pytest.approx(0.01, abs=EXACT)
        assert exploitability(self.game, always(self.game, 1, 0, 0)) == pytest.approx(1, abs=EXACT)
        assert exploitability(self.game, always(self.game, 1 / 3, 1 / 3, 1 / 3)) == pytest.approx(0, abs=EXACT)

    def test_each_round_adds(self) -> None:
        game = Game(repeated_rps, rounds=5)
        assert exploitability(game, always(game, 0.34, 0.33, 0.33)) == pytest.approx(0.05, abs=EXACT)
        assert nash_conv(game, always(game, 0.34, 0.33, 0.33)) == pytest.approx(0.1, abs=EXACT)

    def test_best_response_is_paper(self) -> None:
        for player in (0, 1):
            value, policy = best_response(self.game, always(self.game, 0.5, 0.25, 0.25), player)
            assert value == pytest.approx(0.25, abs=EXACT)
            assert policy.predict(self.game.observe(int(self.game.start_codes[0]), player))[0] == 1

    def test_two_seats_with_two_policies(self) -> None:
        rock, scissors = always(self.game, 1, 0, 0), always(self.game, 0, 0, 1)
        even = always(self.game, 1 / 3, 1 / 3, 1 / 3)
        assert evaluate(self.game, rock, scissors) == 1
        assert evaluate(self.game, scissors, rock) == -1
        assert nash_conv(self.game, rock, even) == pytest.approx(1, abs=EXACT)
        assert exploitability(self.game, even, scissors, player=0) == pytest.approx(0, abs=EXACT)
        assert exploitability(self.game, even, scissors, player=1) == pytest.approx(1, abs=EXACT)


class TestFootsies:
    SLOW = (pytest.param(options, marks=pytest.mark.slow) for options in ({}, {"rounds": 2, "max_turns": 3}))
    options = pytest.mark.parametrize(
        "options", [{}, {"rounds": 2, "max_turns": 3}, {"blocks": 1, "exhausted_block": "free"}], ids=str
    )

    @options
    def test_the_solution_is_not_exploitable(self, options: dict[str, Any]) -> None:
        game = footsies(**options)
        policy = optimal(solve(game))
        assert exploitability(game, policy) == pytest.approx(0, abs=CERTIFIED)
        assert evaluate(game, policy, policy) == pytest.approx(0, abs=CERTIFIED)
        for player in (0, 1):
            assert exploitability(game, policy, player=player) == pytest.approx(0, abs=CERTIFIED)
            assert best_response(game, policy, player).value == pytest.approx(0, abs=CERTIFIED)

    @options
    def test_a_best_response_earns_its_value_when_played(self, options: dict[str, Any]) -> None:
        game = footsies(**options)
        for policy in (RandomAgent(game), always(game, 0.1, 0.6, 0.3, 0.0), always(game, 0, 1, 0, 0)):
            value0, reply0 = best_response(game, policy, 0)
            value1, reply1 = best_response(game, policy, 1)
            assert evaluate(game, reply0, policy) == pytest.approx(value0, abs=EXACT)
            assert evaluate(game, policy, reply1) == pytest.approx(-value1, abs=EXACT)
            assert value0 == pytest.approx(value1, abs=EXACT)  # the game is symmetric
            assert nash_conv(game, policy) == pytest.approx(value0 + value1, abs=EXACT)
            assert exploitability(game, policy) == pytest.approx((value0 + value1) / 2, abs=EXACT)
            for player in (0, 1):
                assert exploitability(game, policy, player=player) == pytest.approx(value0, abs=CERTIFIED)

    @pytest.mark.parametrize("options", [{"blocks": 1, "exhausted_block": "free"}, *SLOW], ids=str)
    def test_against_uniform_play_by_a_second_route(self, options: dict[str, Any]) -> None:
        game = footsies(**options)
        best = brute_force.sweep(game, lambda _, matrix: float(matrix.mean(axis=1).max()), 1e-13)
        value, _ = best_response(game, RandomAgent(game), 0)
        assert value == pytest.approx(best[int(game.start_codes[0])], abs=1e-11)
        even = brute_force.sweep(game, lambda _, matrix: float(matrix.mean()), 1e-13)
        tables = np.full((2, len(even), 4), 0.25)
        assert evaluated(ListedStates(game), *tables, everywhere=True).values == pytest.approx(
            np.array(list(even.values())), abs=1e-11
        )

    def test_play_that_never_ends_is_worth_nothing(self) -> None:
        game = footsies()
        attack, block = always(game, 1, 0, 0, 0), always(game, 0, 1, 0, 0)
        assert evaluate(game, attack, attack) == 0
        assert evaluate(game, block, block) == 0
        assert evaluate(game, attack, block) == 1  # three blocks, then two hits
        free = footsies(exhausted_block="free")
        assert evaluate(free, always(free, 1, 0, 0, 0), always(free, 0, 1, 0, 0)) == 0


class TestTurns:
    def test_nim(self) -> None:
        game = Game(nim, heap=9)
        policy = optimal(solve(game))
        assert evaluate(game, policy, RandomAgent(game)) == 1  # 9 is not a multiple of 4: the first player wins
        assert exploitability(game, policy) == 0
        assert best_response(game, RandomAgent(game), 0).value == 1
        assert exploitability(game, RandomAgent(game), player=1) == 0  # a lost game is lost with any policy
        # Seat 0 wins if it finds the one right move of three, three times: from 9, then 7, 6 or 5, then 3.
        lost = 2 * (1 - 1 / 27)
        assert exploitability(game, RandomAgent(game), player=0) == pytest.approx(lost, abs=EXACT)
        assert nash_conv(game, RandomAgent(game)) == pytest.approx(lost, abs=EXACT)

    def test_uniform_play_by_hand(self) -> None:
        # One object: the mover wins. Two, either move with 1/2: take both and win, or leave one and lose.
        game = Game(nim, heap=3, most=2)
        # Three, take one or two: worth -(0) to the mover, or -(1).
        assert evaluate(game, RandomAgent(game), RandomAgent(game)) == pytest.approx(-1 / 2, abs=EXACT)
        # Who answers well wins at two and at one.
        assert best_response(game, RandomAgent(game), 1).value == 1

    def test_starts_are_weighed(self) -> None:
        game = Game(nim, heap=1, first="random")
        assert evaluate(game, RandomAgent(game), RandomAgent(game)) == 0


class TestPlayThatCanRecur:
    @pytest.mark.slow
    def test_every_reply_by_brute_force(self) -> None:
        rng = np.random.default_rng(7)
        for _ in range(40):
            game = brute_force.random_game(rng)
            states = ListedStates(game)
            codes = states.codes.tolist()
            for player in (0, 1):
                table = brute_force.random_table(rng, game, codes, 1 - player)
                values, choices = best_response_values(states, table, player)
                best = brute_force.best_reply(game, codes, table, player)
                assert values == pytest.approx(best, abs=BRUTE_FORCE)
                pure = np.eye(game.num_actions)[choices]
                pair = (pure, table) if player == 0 else (table, pure)
                assert evaluated(states, *pair, everywhere=True).values == pytest.approx(values, abs=EXACT)
                assert values == pytest.approx(brute_force.chain(game, codes, *pair), abs=BRUTE_FORCE)

    def test_endless_play_is_better_than_losing(self) -> None:
        # First: lose. Second: stay for ever. Third: a long way to lose.
        game = graph([[[1], [0], [2]], None, [[3]], [[1]]], {1: -1.0})
        idle = at_nodes(game, np.eye(4)[[0] * 4])
        value, policy = best_response(game, idle, 0)
        assert value == 0
        assert policy.predict(game.observe(0, 0))[0] == 1
        assert evaluate(game, policy, idle) == 0

    @pytest.mark.parametrize("chance", [1e-3, 1e-9, 1e-18, 1e-30, 1e-300, 5e-324])
    def test_endless_play_is_better_than_losing_in_the_long_run(self, chance: float) -> None:
        # First: next to no chance to lose, yet in the end for certain. Second: stay for ever.
        game = graph([[[1, 2], [0, 0]], [[0]], None], {2: -1.0})
        table = [[1 - chance, chance, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
        assert best_response(game, at_nodes(game, table), 0).value == 0
        # The same by way of another node.
        game = graph([[[1, 2], [1, 1]], [[0]], None], {2: -1.0})
        table = [[1 - chance, chance, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
        assert evaluate(game, at_nodes(game, [[1, 0, 0, 0]] * 3), at_nodes(game, table)) == pytest.approx(-1)
        assert best_response(game, at_nodes(game, table), 0).value == 0

    def test_a_win_is_not_kept_for_ever(self) -> None:
        # Staying, going back and forth and winning all keep the win; only one wins.
        game = graph([[[0], [1]], [[1], [0], [2]], [[2], [1], [3]], None], {3: 1.0})
        idle = at_nodes(game, np.eye(4)[[0] * 4])
        value, policy = best_response(game, idle, 0)
        assert value == 1
        assert evaluate(game, policy, idle) == 1

    @pytest.mark.parametrize("chance", [1e-3, 1e-7, 1e-10, 1e-15, 1e-20, 1e-38, 1e-300, 5e-324])
    def test_slow_chains_are_exact(self, chance: float) -> None:
        # Round 0, 1, 2, 0, ... until one of them is left: from 0 and 2 to a win, from 1, twice as likely, to a loss.
        game = graph([[[1], [3]], [[2], [4]], [[0], [3]], None, None], {3: 1.0, 4: -1.0})
        stay, stay1 = [1 - chance, chance, 0, 0], [1 - 2 * chance, 2 * chance, 0, 0]
        p = Fraction(chance)
        won, left = p + (1 - p) * (1 - 2 * p) * p, 1 - (1 - p) ** 2 * (1 - 2 * p)
        slow = at_nodes(game, [stay, stay1, stay, [1, 0, 0, 0], [1, 0, 0, 0]])
        idle = at_nodes(game, np.eye(4)[[0] * 5])
        exact = float((won - (1 - p) * 2 * p) / left)
        assert evaluate(game, slow, idle) == pytest.approx(exact, abs=EXACT)

    @pytest.mark.slow
    def test_states_that_are_hardly_ever_reached_need_not_be_solved(self) -> None:
        # Two nodes that are left for a win twice as often as for a loss, and hardly ever for a ring, where play stays
        # longer than can be computed.
        p, ring = 1e-20, range(4, 20_000)
        tables: list[Any] = [[[1], [2], [3], [4]], [[0]], None, None, *([[k + 1], [3]] for k in ring)]
        tables[-1] = [[4], [3]]
        rows = np.tile([1 - p, p, 0, 0], (len(tables), 1))
        rows[:2] = [1 - 3 * p, 2 * p, p, p * 1e-12], [1, 0, 0, 0]
        game = graph(tables, {2: 1.0, 3: -1.0})
        idle = at_nodes(game, np.eye(4)[[0] * len(tables)])
        assert evaluate(game, at_nodes(game, rows), idle) == pytest.approx(1 / 3, abs=EXACT)

    def test_endless_play_that_costs_is_no_way_out(self) -> None:
        # Lose half a point and end, or pay a point at every round.
        game = graph([[[1], [2]], [[0], [0]], None], {1: -1.0, 2: -0.5})
        assert best_response(game, at_nodes(game, np.eye(4)[[0] * 3]), 0).value == -0.5


class TestWrongUse:
    game = Game(repeated_rps, rounds=1)

    @pytest.mark.parametrize("player", [2, -1, "0", None])
    def test_no_such_player(self, player: Any) -> None:
        with pytest.raises(ValueError, match=f"player must be 0 or 1, not {player!r}"):
            best_response(self.game, RandomAgent(self.game), player)
        if player is not None:
            with pytest.raises(ValueError, match="player must be 0 or 1"):
                exploitability(self.game, RandomAgent(self.game), player=player)

    @pytest.mark.parametrize(
        "measure",
        [
            lambda game, policy: evaluate(game, policy, RandomAgent(game)),
            lambda game, policy: evaluate(game, RandomAgent(game), policy),
            lambda game, policy: best_response(game, policy, 0),
            nash_conv,
            exploitability,
            lambda game, policy: outcomes(game, RandomAgent(game), policy),
            lambda game, policy: exploitability(game, RandomAgent(game), policy),
        ],
    )
    def test_a_policy_that_remembers(self, measure: Callable[[Game, Any], Any]) -> None:
        class Remembers:
            def predict(self, observation: Any) -> int:
                return 0

        with pytest.raises(TypeError, match=r"Remembers has no action_probabilities.*depends on the state alone"):
            measure(self.game, Remembers())
