"""States worth practising: found again by trying every choice without thought, and every line of two moves."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import repeated_rps
from nashzoo.agents.basic.nash import NashAgent
from nashzoo.baselines import solve
from nashzoo.baselines.forms import form_of
from nashzoo.baselines.practice import AHEAD, COUNTED, STAKE, decided_start, mixes_of, worth_practising
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs import bodega_brawl_v0, footsies_v0, make_game, tictactoe_v0
from nashzoo.envs.core.game import Game

EXACT = 1e-9
KUHN = Path(__file__).resolve().parents[2] / "examples" / "games" / "kuhn.py"


@pytest.mark.parametrize("game", [footsies_v0.game(), bodega_brawl_v0.game(preset="tiny")], ids=str)
def test_neither_one_action_nor_all_alike_are_right(game: Game) -> None:
    solution = solve(game)
    found = worth_practising(solution)
    assert len(found) >= 10 and len(set(found)) == len(found)
    largest = max(
        abs(solution.value(code)) for code in solution.states.codes_at(np.arange(len(solution.states))).tolist()
    )
    for code, player in found[:20]:
        assert (player, game.movers(code)) == (0, (0, 1))

        def worth(own: int, reply: int, code: int = code) -> float:
            after = game.step(code, own, reply)
            return game.payoff(after) + (0.0 if game.terminal(after) else solution.value(after))

        own, replies = game.legal_actions(code, 0), game.legal_actions(code, 1)
        alone = [min(worth(action, reply) for reply in replies) for action in own]
        alike = min(np.mean([worth(action, reply) for action in own]) for reply in replies)
        assert max([*alone, alike]) <= solution.value(code) - STAKE * largest + EXACT


@pytest.mark.parametrize("player", [0, 1])
def test_what_a_mix_loses_by_trying_each_reply(player: int) -> None:
    game = bodega_brawl_v0.game(preset="tiny")
    solution, rng, sign = solve(game), np.random.default_rng(player), 1 - 2 * player
    for code, _ in worth_practising(solution)[:10]:
        stage = stage_game(solution, code)
        own, replies = game.legal_actions(code, player), game.legal_actions(code, 1 - player)
        mix = rng.dirichlet(np.ones(len(own)))
        brings = []
        for reply in replies:
            after = [game.step(code, *((one, reply) if player == 0 else (reply, one))) for one in own]
            paid = [game.payoff(one) + (0.0 if game.terminal(one) else solution.value(one)) for one in after]
            brings.append(sign * float(mix @ paid))
        regret, best = stage.exploited(player, mix)
        assert regret == pytest.approx(sign * solution.value(code) - min(brings), abs=EXACT)
        assert brings[replies.index(best)] == pytest.approx(min(brings), abs=EXACT)


def test_no_line_of_two_moves_ends_the_game_and_most_moves_are_wrong() -> None:
    game = tictactoe_v0.game()
    solution = solve(game)
    found = worth_practising(solution)
    assert len(found) >= 20
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    assert AHEAD == 2
    for code, player in found:
        board = game.spell(code).removeprefix("board=")
        assert player == (len(board.replace(".", "")) % 2)
        for line, mark in itertools.product(lines, "xo"):  # nobody has two in an open line
            marks = [board[cell] for cell in line]
            assert not (marks.count(mark) == 2 and marks.count(".") == 1), board
        best = solution.optimal_actions(np.array([code]))[0]
        assert 0 < 2 * best.sum() <= board.count("."), board


def test_the_order_is_the_same_and_where_all_alike_is_right_there_is_none() -> None:
    solution = solve(footsies_v0.game())
    assert worth_practising(solution) == worth_practising(solve(footsies_v0.game()))
    assert worth_practising(solve(Game(repeated_rps, rounds=3))) == []


def test_with_hidden_information_a_mix_is_worth_it_that_no_play_without_thought_replaces() -> None:
    game = make_game(str(KUHN))
    solution, form = solve(game), form_of(game)
    found = worth_practising(solution)
    assert found == worth_practising(solve(game))
    seen = {game.spell(code, [player]) for code, player in found}  # Kuhn (1950): both mix with two to one
    assert {"dealt=1,card0=?,card1=1,moves=1,history=0", "dealt=1,card0=2,card1=?,moves=2,history=2"} == seen
    for code, player in found:
        legal, ways = list(game.legal_actions(code, player)), mixes_of(2)
        lost = []
        for mix in ways:  # by what the whole policy secures
            policy = form.tabulated(NashAgent(game, solution=solution))
            policy.tables[player][policy.numbering.ids(np.array([code]))[0], legal] = mix / COUNTED
            lost.append(solution.start_value * (1 - 2 * player) - form.secured(policy, player).value)
        assert solution.exploited(code, player, ways / COUNTED) == pytest.approx(lost, abs=EXACT)
        assert ways.sum(axis=1).tolist() == [COUNTED] * (COUNTED + 1)
        assert ways[np.argmin(lost)].tolist() == [4, 2] and min(lost) < EXACT < 0.01 < sorted(lost)[1]


def test_a_decided_start_is_won_by_the_first_player_where_starts_differ() -> None:
    solution = solve(make_game("soccer_v0", width=11, height=5, goal_height=3))
    drawn = [decided_start(solution, seed) for seed in range(5)]
    assert {solution.value(code) for code in drawn if code is not None} == {1.0} and len({*drawn}) > 1
    assert {*drawn} <= {*solution.game.start_codes.tolist()}
    assert decided_start(solve(tictactoe_v0.game()), 0) is None
