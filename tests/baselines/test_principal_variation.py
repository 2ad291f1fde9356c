"""How play goes on if both play perfectly."""

import itertools
from pathlib import Path

from nashzoo.baselines import solve
from nashzoo.baselines.principal_variation import principal_variation
from nashzoo.envs import bodega_brawl_v0, make_game, tictactoe_v0

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"


def test_tic_tac_toe_is_drawn_when_the_board_is_full() -> None:
    game = tictactoe_v0.game()
    line = principal_variation(solve(game), game.first_decision)
    assert len(line) == 9 and game.payoff(line[-1].after) == 0 and game.terminal(line[-1].after)
    assert all(earlier.after == later.before for earlier, later in itertools.pairwise(line))


def test_who_wins_does_so_in_as_many_moves_as_the_distance_says() -> None:
    game = tictactoe_v0.game()
    solution = solve(game)
    for board in ("x.o......", "xx.oo....", "x.......o"):
        code = game.code(board=board)
        line = principal_variation(solution, code)
        assert solution.value(code) == game.payoff(line[-1].after) != 0
        assert len(line) == solution.distance(code)


def test_actions_at_once_are_the_most_probable() -> None:
    game = bodega_brawl_v0.game(preset="small")
    solution = solve(game)
    for move in principal_variation(solution, game.first_decision):
        assert move.actions is not None
        for side, action in zip(solution.strategies([move.before]), move.actions, strict=True):  # type: ignore[arg-type]
            assert side[0, action] == side[0].max()
            assert game.step(move.before, *move.actions) == move.after


def test_it_ends_where_a_state_comes_again_where_it_is_told_to_and_with_the_game() -> None:
    game = make_game("soccer_v0", width=11, height=5, goal_height=3)
    solution = solve(game)
    line = principal_variation(solution, game.first_decision)
    assert not game.terminal(line[-1].after) and line[-1].after in [move.before for move in line]
    assert principal_variation(solution, game.first_decision, most=3) == line[:3]
    pig = make_game(str(EXAMPLES / "pig.py"), target=10)
    rolled = principal_variation(solve(pig), pig.first_decision)
    assert [move.actions is None for move in rolled][:2] == [False, True]
    assert principal_variation(solve(tictactoe_v0.game()), tictactoe_v0.game().code(board="xxxoo....")) == []
