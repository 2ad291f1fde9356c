"""Exact solutions: known values, games solved by hand, and a slow second solver; the certificate above all."""

import functools
import itertools
from typing import Any

import numpy as np
import pytest

import brute_force
import chance_game
import nim
import repeated_rps
from made_games import graph
from nashzoo.baselines import CertificateError, Solution, solve
from nashzoo.baselines.certificate.steps import UnprovenSolutionError
from nashzoo.envs import footsies_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game
from nashzoo.envs.games.footsies.rules import ATTACK

CERTIFIED = 1e-9  # the gap that is promised
EXACT = 1e-12
SECOND_SOLVER = 1e-8  # sweeps by linear programs stop at 1e-10

FREE = {"exhausted_block": "free"}


@functools.cache
def footsies(**options: Any) -> Solution:
    return solve(footsies_v0.game(**options))


class TestFootsies:
    def test_the_start(self) -> None:
        solution = footsies()
        assert solution.start_value == pytest.approx(0, abs=EXACT)
        for strategy in solution.strategies(solution.game.start_codes):
            assert strategy == pytest.approx(np.array([[0, 1 / 3, 1 / 3, 1 / 3]]), abs=EXACT)

    def test_one_hit_ahead_without_blocks(self) -> None:
        game = footsies_v0.game()
        code = game.code(blocks0=0, blocks1=0, hits0=1)
        mirrored = int(game.swap_players(np.array([code]))[0])
        solution = solve(game, roots=[code, mirrored])
        assert solution.value(code) == pytest.approx(1 / 9, abs=EXACT)
        strategy0, _ = solution.strategies(np.array([code]))
        assert strategy0 == pytest.approx(np.array([[3, 4, 0, 2]]) / 9, abs=1e-9)
        assert solution.value(mirrored) == pytest.approx(-1 / 9, abs=EXACT)

    @pytest.mark.parametrize("options", [{}, {"blocks": 5}, {"rounds": 2}, {"attacks_to_win": 3}], ids=str)
    def test_attack_enters_only_against_a_player_without_blocks(self, options: dict[str, Any]) -> None:
        solution = footsies(**options)
        entered = np.zeros(2, np.bool_)
        for number, code in enumerate(solution.states.codes):
            state = solution.game.state(int(code))
            for player, others_blocks in ((0, state.blocks1), (1, state.blocks0)):
                attacks = solution.policies[player][number, ATTACK] > CERTIFIED
                assert not (attacks and others_blocks)
                entered[player] |= attacks
        assert entered.all()

    @pytest.mark.parametrize("options", [FREE, {**FREE, "rounds": 3}, {**FREE, "attacks_to_win": 4}], ids=str)
    def test_a_free_block_makes_every_round_even(self, options: dict[str, Any]) -> None:
        solution = footsies(**options)
        for code, value in zip(solution.states.codes, solution.values, strict=True):
            if solution.game.state(int(code)).lead == options.get("rounds", 1):
                assert value == pytest.approx(0, abs=EXACT)

    @pytest.mark.parametrize(
        ("rounds", "finished", "lead", "value"),
        [(2, 1, 1, 1 / 2), (2, 1, -1, -1 / 2), (3, 1, 1, 1 / 2), (3, 2, 2, 1), (3, 2, 0, 0), (4, 2, 2, 3 / 4)],
    )
    def test_a_match_is_a_walk_of_fair_rounds(self, rounds: int, finished: int, lead: int, value: float) -> None:
        # Without a limit of turns either player wins a round with probability 1/2.
        game = footsies_v0.game(rounds=rounds)
        code = game.code(round=finished, lead=rounds + lead)
        solution = solve(game, roots=[code])
        assert solution.value(code) == pytest.approx(value, abs=EXACT)
        assert solution.certificate <= CERTIFIED

    def test_one_turn_by_hand(self) -> None:
        # Without blocks, one hit wins and one turn is played: Attack is at least as good as Grab everywhere, and among
        # the other three Attack beats Block, Block beats Dragon Punch, Dragon Punch beats Attack.
        solution = footsies(blocks=0, attacks_to_win=1, max_turns=1)
        assert solution.start_value == pytest.approx(0, abs=EXACT)
        for strategy in solution.strategies(solution.game.start_codes):
            assert strategy == pytest.approx(np.array([[1 / 3, 1 / 3, 0, 1 / 3]]), abs=EXACT)

    @pytest.mark.parametrize(
        "options",
        [{}, {"rounds": 2, "max_turns": 3}, {"blocks": 1, "attacks_to_win": 3}, {"blocks": 0}],
        ids=str,
    )
    def test_swapping_the_players_changes_the_sign(self, options: dict[str, Any]) -> None:
        solution = footsies(**options)
        mirrored = solution.states.ids(solution.game.swap_players(solution.states.codes))
        assert solution.values[mirrored] == pytest.approx(-solution.values, abs=EXACT)

    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"blocks": 0, "attacks_to_win": 3},
            {"blocks": 1, **FREE},
            {"blocks": 2, "max_turns": 4, "attacks_to_win": 3},
            {"blocks": 1, "max_turns": 2, "rounds": 2},
        ],
        ids=str,
    )
    def test_a_second_solver_agrees(self, options: dict[str, Any]) -> None:
        solution = footsies(**options)
        values = brute_force.sweep(solution.game, lambda _, matrix: brute_force.matrix_value(matrix), 1e-10)
        assert list(values) == solution.states.codes.tolist()
        assert solution.values == pytest.approx(np.array(list(values.values())), abs=SECOND_SOLVER)

    def test_certificate_on_a_few_parameters(self) -> None:
        for rounds, blocks, attacks, turns, exhausted in itertools.product(
            (1, 3), (0, 2), (1, 3), (0, 3), ("hit", "free")
        ):
            solution = footsies(
                rounds=rounds, blocks=blocks, attacks_to_win=attacks, max_turns=turns, exhausted_block=exhausted
            )
            assert -EXACT <= solution.certificate <= CERTIFIED
            assert solution.start_value == pytest.approx(0, abs=EXACT)  # the game is symmetric


class TestRepeatedRockPaperScissors:
    def test_a_third_each_for_ever(self) -> None:
        solution = solve(Game(repeated_rps, rounds=4, recall=1))
        assert solution.values == pytest.approx(np.zeros(1 + 3 * 9), abs=EXACT)
        for policy in solution.policies:
            assert policy[:, :3] == pytest.approx(np.full((1 + 3 * 9, 3), 1 / 3), abs=EXACT)
        assert solution.certificate <= CERTIFIED


def lasting(heap: int, most: int) -> tuple[bool, int]:
    """Returns whether the mover wins at nim, and how many moves play lasts: the loser delays, the winner hurries."""
    if heap == 0:
        return False, 0
    after = [lasting(heap - taken, most) for taken in range(1, min(most, heap) + 1)]
    lost = [moves for wins, moves in after if not wins]
    return (True, 1 + min(lost)) if lost else (False, 1 + max(moves for _, moves in after))


class TestNim:
    @pytest.mark.parametrize(("heap", "most"), [(13, 3), (12, 2), (5, 1), (20, 3)])
    def test_who_wins_and_when(self, heap: int, most: int) -> None:
        solution = solve(Game(nim, heap=heap, most=most, first="random"))
        assert solution.certificate <= EXACT
        for code in solution.states.codes:
            state = solution.game.state(int(code))
            wins, moves = lasting(state.heap, most)
            assert wins == (state.heap % (most + 1) != 0)  # Bouton (1901)
            assert solution.value(int(code)) == (1 if wins == (state.mover == 0) else -1)
            assert solution.distance(int(code)) == moves

    def test_two_starts_are_weighed(self) -> None:
        assert solve(Game(nim, heap=7, first="random")).start_value == 0
        assert solve(Game(nim, heap=7, first=0)).start_value == 1
        assert solve(Game(nim, heap=8, first=0)).start_value == -1


class TestPlayThatCanRecur:
    def test_a_winner_makes_progress(self) -> None:
        # A walk to the right end wins; player 0 can step either way or stay.
        last = 9
        tables = [[[max(k - 1, 0)], [k], [k + 1]] for k in range(last)] + [None]
        solution = solve(graph(tables, {last: 1.0}))
        assert (solution.values == 1).all()
        assert [solution.distance(k) for k in range(last)] == list(range(last, 0, -1))
        assert (solution.policies[0].argmax(axis=1) == 2).all()
        assert solution.certificate == 0

    def test_who_loses_delays_and_who_draws_has_no_distance(self) -> None:
        # From 0, player 1 loses at once or by way of 2; at 3, player 1 can stay for ever; from 4, player 0 chooses.
        tables = [[[1, 2]], None, [[1], [1]], [[1, 3]], [[0], [3]]]
        solution = solve(graph(tables, {1: 1.0}), roots=[3, 4])
        assert solution.values.tolist() == [1, 1, 0, 1]
        assert [solution.distance(k) for k in (0, 2, 3, 4)] == [2, 1, None, 3]
        assert solution.policies[1][0].tolist() == [0, 1, 0, 0]
        assert solution.certificate == 0

    @pytest.mark.parametrize("columns", [1, 2], ids=["turn-based", "simultaneous"])
    @pytest.mark.parametrize("steps", [3, 300])
    def test_a_distant_loss_is_not_walked_into(self, columns: int, steps: int) -> None:
        # Player 0 can stay at 0 for ever; if it leaves, player 1 leads it to a loss in so many steps, or back.
        # The loss and staying, at the loss's worth, are both consistent with themselves; only staying is right.
        lead = [[k + 1, 0] for k in range(steps)]
        tables = [[[1] * columns, [0] * columns], *([row] * columns for row in lead[1:]), None]
        solution = solve(graph(tables, {steps: -1.0}))
        assert solution.values.tolist() == [0] + [-1] * (steps - 1)
        assert solution.certificate == 0

    @pytest.mark.parametrize("columns", [1, 2], ids=["turn-based", "simultaneous"])
    @pytest.mark.parametrize("steps", [3, 300])
    def test_a_distant_win_is_not_kept_for_ever(self, columns: int, steps: int) -> None:
        tables = [[[k] * columns, [0] * columns, [k + 1] * columns] for k in range(steps)] + [None]
        for pay in (1.0, -1.0):
            player = 0 if pay > 0 else 1
            turned = tables if player == 0 else [t and np.transpose(t).tolist() for t in tables]
            solution = solve(graph(turned, {steps: pay}))
            assert (solution.values == pay).all()
            assert solution.certificate == 0
            assert (solution.policies[player].argmax(axis=1) == 2).all()

    def test_an_irrational_value(self) -> None:
        # V = val [[W, 1], [1, 0]] = 1 / (2 - W) and W = val [[V, -1], [-1, 0]] = -1 / (2 + V): V is the continued
        # fraction 1 / (2 + 1 / (2 + ...)), the square root of 2 less 1.
        solution = solve(graph([[[1, 2], [2, 3]], [[0, 4], [4, 3]], None, None, None], {2: 1.0, 4: -1.0}))
        assert solution.values == pytest.approx(np.array([np.sqrt(2) - 1, 1 - np.sqrt(2)]), abs=EXACT)
        assert solution.certificate <= CERTIFIED
        # Where the first row and column have probability p: p W + (1 - p) = p.
        p = 1 / (2 - (1 - np.sqrt(2)))
        for policy in solution.policies:
            assert policy[0, :2] == pytest.approx(np.array([p, 1 - p]), abs=CERTIFIED)

    @pytest.mark.parametrize(("safe", "value"), [(0.1, 0.1), (-0.1, 0.0)])
    @pytest.mark.parametrize("seat", [0, 1])
    def test_a_deadline_is_no_part_of_play_without_end(self, safe: float, value: float, seat: int) -> None:
        # Who runs to the side that is not guarded wins 0.5, and else loses 1 one step later: val [[-1, 0.5], [0.5, -1]]
        # is -0.25. With a deadline it waits for the last step, in which val [[0, 0.5], [0.5, 0]] is 0.25.
        table = [[1, 2], [2, 1], [0, 0], [4, 4]]
        sign = 1 - 2 * seat
        tables = [table if seat == 0 else np.transpose(table).tolist(), ((3,),), None, None, None]
        solution = solve(graph(tables, {2: 0.5 * sign, 3: -1.0 * sign, 4: safe * sign}))
        assert solution.start_value == pytest.approx(sign * value, abs=CERTIFIED)
        assert solution.optimal

    @pytest.mark.slow
    def test_no_optimal_strategy_shows_in_the_certificate(self) -> None:
        # Everett's (1957) kind of game: V = val [[V, 1], [1, 0]] is 1, but whoever secures it never takes the risk
        # of the second row, and then play never ends. Only values below 1 can be secured, as near as one likes.
        solution = solve(graph([[[0, 1], [1, 2]], None, None], {1: 1.0}))
        assert not solution.optimal
        assert 1 - 1e-3 < solution.values[0] <= 1

    @pytest.mark.slow
    @pytest.mark.parametrize(("odds", "scale"), [(1e-10, 1.0), (1e-14, 1e10)])
    def test_what_cannot_be_proven_has_bounds(self, odds: float, scale: float) -> None:
        # Player 0 wins at once, or waits at node 1, where it loses so late that rounding hides it.
        nodes = (((1,), (2,)), {1: 1.0 - odds, 3: odds}, None, None)
        with pytest.raises(UnprovenSolutionError, match="the value of the game lies between") as caught:
            solve(Game(chance_game, nodes=nodes, pays=(0.0, 0.0, scale, -scale)))
        assert isinstance(caught.value, UsageError)
        assert isinstance(caught.value, CertificateError)
        assert -scale <= caught.value.bounds.lower <= scale <= caught.value.bounds.upper

    @pytest.mark.slow
    def test_no_bounds_are_claimed_where_play_without_end_pays(self) -> None:
        with pytest.raises(UnprovenSolutionError, match="no bounds of its value are known"):
            solve(graph([[[1, 1], [1, 0]], [[0, 1], [1, 0]]], {0: 1.0, 1: -1.0}))

    @pytest.mark.parametrize("scale", [1e-9, 3e-5, 1.0, 1e3, 1e4, 1e12])
    def test_the_scale_does_not_matter_where_play_can_wait(self, scale: float) -> None:
        # Pure strategies are optimal at node 0: each player has a move that secures 0 whatever the other does.
        waits, draws, loses, wins = 0, 4, 5, 6
        table = [[1, waits, wins], [draws, draws, waits], [waits, 2, waits]]
        nodes = [table, {wins: 0.5, draws: 0.5}, {loses: 0.5, waits: 0.5}, None, None, None, None]
        solution = solve(Game(chance_game, nodes=nodes, pays=(0.0,) * 5 + (-scale, scale / 2)))
        assert solution.start_value == 0
        assert solution.certificate <= CERTIFIED * scale
        assert solution.optimal

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("terraces", "scale", "gap"),
        [(1, 1.0, 1e-6), (2, 1.0, 0.1), (3, 1e-9, 0.25), (3, 1.0, 0.25), (3, 1e12, 0.25), (6, 1.0, 0.9)],
    )
    def test_purgatory_is_bounded(self, terraces: int, scale: float, gap: float) -> None:
        # Hansen, Koucky and Miltersen (2009), "Winning concurrent reachability games requires doubly-exponential
        # patience": a right guess leads up, the top is worth 1, and so is the game; no strategy secures it.
        top, lost = terraces, terraces + 1
        tables = [((k + 1, lost), (0, k + 1)) for k in range(terraces)]
        solution = solve(graph([*tables, None, None], {top: scale}))
        assert not solution.optimal
        assert solution.start_value <= scale <= (solution.start_value + solution.certificate) * (1 + EXACT)
        assert solution.certificate < scale * gap

    def test_rewards_on_the_way(self) -> None:
        # One point from 0 to 1, where player 1 gives it back or returns; play then may go on, for nothing.
        solution = solve(graph([[[1]], [[2, 3]], [[2]], None], {1: 1.0, 3: -0.25}))
        assert solution.values.tolist() == [0.75, -0.25, 0]
        assert [solution.distance(k) for k in range(3)] == [2, 1, None]
        paid_then_endless = solve(graph([[[1]], [[1]]], {0: 0.0, 1: 0.0}))
        assert paid_then_endless.start_value == 0
        last_point = solve(graph([[[1]], [[2]], [[2]]], {1: 1.0}))
        assert last_point.distance(0) == 1  # after the last point nothing is left to decide

    @pytest.mark.slow
    def test_random_games(self) -> None:
        rng = np.random.default_rng(5)
        certified = 0
        for _ in range(40):
            game = brute_force.random_game(rng)
            solution = solve(game)
            codes = solution.states.codes.tolist()
            secured = brute_force.best_reply(game, codes, solution.policies[0], 1)
            conceded = brute_force.best_reply(game, codes, solution.policies[1], 0)
            assert (conceded - secured).max() == pytest.approx(solution.certificate, abs=1e-7)
            assert (secured <= solution.values + solution.certificate + EXACT).all()
            assert (solution.values <= conceded + solution.certificate + EXACT).all()
            certified += solution.certificate <= CERTIFIED
        assert certified >= 35  # the others have no optimal strategy


class TestUse:
    def test_a_state_outside_the_solution(self) -> None:
        solution = footsies()
        other = footsies_v0.game(rounds=2).code(round=1)
        for ask in (solution.value, solution.strategies, solve(Game(nim)).distance):
            with pytest.raises(KeyError, match="play does not lead to"):
                ask(other)

    def test_large_payoffs(self) -> None:
        # Rock-paper-scissors for a million, after which nothing follows.
        game = graph([[[1, 2, 3], [3, 1, 2], [2, 3, 1]], None, None, None], {2: 1e6, 3: -1e6})
        solution = solve(game)
        assert solution.start_value == pytest.approx(0, abs=1e6 * EXACT)
        assert solution.policies[0][0, :3] == pytest.approx(np.full(3, 1 / 3), abs=EXACT)
