"""The study of chases in grid soccer: its tables say what the solution says, and the page what the study says."""

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from nashzoo.baselines.states.listed import OVER
from nashzoo.envs import soccer_v0
from nashzoo.envs.core.game import Ints
from studies.soccer_chase import __main__ as study
from studies.soccer_chase.field import Field
from studies.soccer_chase.search import (
    LONGEST,
    GameRecords,
    against_best,
    chased_to_the_end,
    given_away,
    play,
    side_steps,
)
from studies.soccer_chase.tables import (
    chase_table,
    goal_line_table,
    in_line_table,
    off_line_table,
    opposition_table,
    seed_table,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "soccer_chase.md"
SMALL = {"width": 11, "height": 5, "goal_height": 3}


@cache
def field() -> Field:
    return Field(soccer_v0.game(**SMALL))


def number(**state: int | str) -> int:
    return int(field().solution.states.ids(field().game.code(**state)))


def test_states_are_told_from_the_holder() -> None:
    # Blue, attacking to the left, on the third column from its own goal line, red two columns ahead and a row below.
    k = number(blue_x=9, blue_y=3, red_x=7, red_y=2, ball="blue", turn="blue")
    assert (field().x[k], field().y[k], field().ahead[k], field().aside[k]) == (3, 3, 2, -1)
    assert (field().held[k], field().to_move[k]) == (True, True)
    k = number(red_x=3, red_y=3, blue_x=5, blue_y=2, ball="red", turn="blue")
    assert (field().x[k], field().y[k], field().ahead[k], field().aside[k]) == (3, 3, 2, -1)
    assert (field().held[k], field().to_move[k]) == (True, False)
    assert not field().held[number(red_x=3, ball="none")]


def test_moves_lead_where_the_rules_say_and_are_worth_what_the_solution_says() -> None:
    game, solution = field().game, field().solution
    rng = np.random.default_rng(0)
    for k in rng.integers(len(field().codes), size=2000):
        code = int(field().codes[k])
        state = game.state(code)
        side = -1 if state.ball == 2 else 1
        assert field().worth[k] == side * solution.value(code)
        legal = game.legal_actions(code, state.turn)
        for action in range(game.num_actions):
            if action not in legal:
                assert np.isnan(field().worth_after[k, action])
                assert not field().steals[k, action]
                continue
            after = game.step(code, *((action, 0) if state.turn == 0 else (0, action)))
            if game.terminal(after):
                assert (field().after[k, action], field().steals[k, action]) == (OVER, False)
                assert field().worth_after[k, action] == side * game.payoff(after)
            else:
                assert field().codes[field().after[k, action]] == after
                assert field().worth_after[k, action] == side * solution.value(after)
                assert field().steals[k, action] == (game.state(after).ball != state.ball)


@pytest.mark.parametrize("size", [SMALL, {"width": 11, "height": 7, "goal_height": 5}])
def test_the_rule_is_never_wrong_in_the_holders_own_half(size: dict[str, int]) -> None:
    rows = chase_table(Field(soccer_v0.game(**size))).rows
    assert [row[-1] for row in rows if row[0] in ("a chase", "own half, hunter anywhere ahead")] == ["0"] * 4


def test_whoever_has_the_hunter_ahead_in_its_row_draws() -> None:
    own_half, further, _ = in_line_table(field()).rows
    states = 2 * 2 * 5 * 5  # holders, movers, columns, rows
    assert own_half[1:] == (str(states), "0", str(states), "0")
    assert further[2] == further[4] == "0"


def test_who_stands_on_its_goal_line_in_opposition_must_give_the_ball_away() -> None:
    goal_line, further_up = opposition_table(field()).rows
    assert (goal_line[1], goal_line[-1]) == ("10", "0.0%")  # holders, rows
    assert (further_up[1], further_up[-1]) == ("40", "100.0%")


def test_own_goals_and_shots_into_the_hunter_lose_on_the_goal_line() -> None:
    rows = {row: (hold.split(", "), lose.split(", ")) for row, hold, lose in goal_line_table(field()).rows}
    assert all("Left" in rows[row][1] for row in ("2", "3", "4"))  # into the own goal
    # The hunter gets the ball before the open goal, and in the middle row the holder is not placed where it was.
    assert {"Kick", "Right"} <= set(rows["3"][1])
    # A step aside loses the ball too, but the holder is placed beside the hunter, and takes it back.
    assert {"Up", "Down"} <= set(rows["3"][0])


def test_a_row_out_of_line_by_hand() -> None:
    # Two rows from the edge of the goal mouth, rows 2 to 4, on the centre row; see the page.
    assert off_line_table(field()).rows == [
        ("5", "", "drawn"),
        ("4", "won", "drawn"),
        ("3", "won", "won"),
        ("2", "drawn", "won"),
        ("1", "drawn", ""),
    ]


def test_who_takes_the_ball_beside_the_other_loses_it_unless_that_is_diagonally_behind() -> None:
    within, *_ = seed_table(field()).rows
    assert within == ("within one cell", "16", "4", "12", "0", "12", "12")


def test_perfect_players_get_what_states_are_worth_on_either_side() -> None:
    strategies = field().solution.strategies(field().codes)
    chosen = np.where(field().turn == 0, *(strategy.argmax(axis=1) for strategy in strategies))
    for worth in against_best(field(), chosen):
        np.testing.assert_array_equal(worth[field().held], field().worth[field().held])


def test_other_players_get_less_on_either_side() -> None:
    holder, hunter = against_best(field(), any_moves(2))
    held = field().held
    assert (holder <= field().worth)[held].all()
    assert (hunter >= field().worth)[held].all()
    assert (holder < field().worth)[held].any()
    assert (hunter > field().worth)[held].any()


def any_moves(seed: int) -> Ints:
    """Returns a legal move at each state ``[n]``."""
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(np.flatnonzero(~np.isnan(row))) for row in field().worth_after])


def test_games_follow_the_rules() -> None:
    chosen = any_moves(1)
    played = play(field(), chosen)
    game = field().game
    assert played.numbers.shape == (LONGEST + 1, len(game.start_codes))
    assert 0 < np.count_nonzero(played.results) < len(game.start_codes)
    for k in range(0, len(game.start_codes), 10):
        code = int(game.start_codes[k])
        for numbers in played.numbers[1:]:
            before = field().solution.states.ids(code)
            turn = game.state(code).turn
            code = game.step(code, *((chosen[before], 0) if turn == 0 else (0, chosen[before])))
            if game.terminal(code):
                assert (numbers[k], played.results[k]) == (OVER, game.payoff(code))
                break
            assert field().codes[numbers[k]] == code
        else:
            assert played.results[k] == 0


def test_what_becomes_of_chases() -> None:
    chased = number(red_x=2, red_y=3, blue_x=3, blue_y=3, ball="red", turn="red")
    free = number(red_x=5, red_y=3, blue_x=3, blue_y=3, ball="red", turn="red")
    blues = number(red_x=2, red_y=3, blue_x=3, blue_y=3, ball="blue", turn="red")
    assert chased_to_the_end(field())[[chased, free, blues]].tolist() == [True, False, False]
    games = {
        "through": ([chased, free, OVER], 1.0),
        "given away": ([chased, blues, free], 1.0),
        "own goal": ([chased, OVER, OVER], -1.0),
        "never chased": ([blues, free, OVER], 1.0),
        "unfinished": ([chased, free, free], 0.0),
    }
    played = GameRecords(
        np.array([numbers for numbers, _ in games.values()]).T, np.array([result for _, result in games.values()])
    )
    assert side_steps(field(), played).tolist() == [True, False, False, False, False]
    assert given_away(field(), played).tolist() == [False, True, False, False, False]
    assert played.ever(chased_to_the_end(field())).tolist() == [True, True, True, False, True]


@pytest.mark.parametrize("size", [SMALL, pytest.param({}, marks=pytest.mark.slow)])
def test_mirror_images_are_worth_the_same(size: dict[str, int]) -> None:
    """Although players are not placed between in mirrored cells."""
    told = Field(soccer_v0.game(**size))
    seen = np.stack([told.x, told.y, told.ahead, told.aside, told.to_move, told.worth, told.solution.distances])
    red, blue = (seen[:, told.ball == ball] for ball in (1, 2))
    for states in (red, blue):
        states[:] = states[:, np.lexsort(states)]
    np.testing.assert_array_equal(red, blue)


def run(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(sys, "argv", ["soccer_chase", *line.split()])
    study.main()


@pytest.mark.slow
def test_the_study_runs_on_a_small_field(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run(monkeypatch, f"--param width=11 height=5 goal_height=3 --depths 1 --out {tmp_path}")
    printed = capsys.readouterr().out
    assert printed.count("\n| --- |") == 13
    for name in ("map", "rows"):
        assert (tmp_path / f"soccer-chase-{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_page_has_the_figures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run(monkeypatch, f"--out {tmp_path}")
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    page = PAGE.read_text().splitlines()
    assert len(lines) > 40
    assert [line for line in lines if line not in page] == []
