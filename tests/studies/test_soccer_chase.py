"""The study of chases in grid soccer: facts of small fields, and the figures of its page."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from nashzoo.envs import soccer_v0
from studies import soccer_chase as study

PAGE = Path(study.__file__).parents[1] / "docs" / "soccer.md"
SMALL = {"width": 11, "height": 5, "goal_height": 3}


@cache
def field(**size: int) -> study.Field:
    return study.Field(soccer_v0.game(**size))


@cache
def tables(**size: int) -> dict[str, list[tuple[str, ...]]]:
    return dict(study.solution_tables(field(**size)))


@pytest.mark.parametrize("size", [SMALL, {"width": 11, "height": 7, "goal_height": 5}])
def test_the_rule_is_never_wrong_in_the_holders_own_half(size: dict[str, int]) -> None:
    rows = tables(**size)["How chases end"]
    assert [row[-1] for row in rows if row[0] in ("a chase", "own half, hunter anywhere ahead")] == ["0"] * 4


def test_whoever_has_the_hunter_ahead_in_its_row_draws() -> None:
    _, own_half, further, _ = tables(**SMALL)["The hunter ahead in the holder's row"]
    states = 2 * 2 * 5 * 5  # holders, movers, columns, rows
    assert own_half[1:] == (str(states), "0", str(states), "0")
    assert further[2] == further[4] == "0"


def test_a_row_out_of_line_by_hand() -> None:
    # Two rows from the edge of the goal mouth, rows 2 to 4, on the centre row; see the page.
    _, *rows = tables(**SMALL)["The holder to move, the hunter a column ahead and a row out of line"]
    assert rows == [
        ("5", "", "drawn"),
        ("4", "won", "drawn"),
        ("3", "won", "won"),
        ("2", "drawn", "won"),
        ("1", "drawn", ""),
    ]


@pytest.mark.parametrize("size", [SMALL, pytest.param({}, marks=pytest.mark.slow)])
def test_mirror_images_have_the_same_values(size: dict[str, int]) -> None:
    """Although players are not placed between in mirrored cells."""
    soccer = field(**size)
    columns = soccer.x, soccer.y, soccer.ahead, soccer.aside, soccer.to_move, soccer.worth, soccer.solution.distances
    red, blue = (np.stack(columns)[:, soccer.ball == ball] for ball in (1, 2))
    np.testing.assert_array_equal(red[:, np.lexsort(red)], blue[:, np.lexsort(blue)])


@pytest.mark.slow
@pytest.mark.parametrize("y", [6, 7, 8])
def test_only_a_side_step_holds_the_draw_on_the_goal_line_before_the_goal(y: int) -> None:
    soccer = field()
    code = soccer.game.code(red_x=1, red_y=y, blue_x=2, blue_y=y, ball="red", turn="red")
    worth = dict(zip(soccer.game.actions, soccer.worth_after[int(soccer.solution.states.ids(code))], strict=True))
    assert {move for move, after in worth.items() if after == 0} == {"Up", "Down", "Right Up", "Right Down"}
    assert {move for move, after in worth.items() if after == -1} == {"Kick", "Right", "Left"}


@pytest.mark.slow
def test_the_page_has_the_figures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    study.main(tmp_path)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(lines) > 25
    assert set(lines) <= set(PAGE.read_text().splitlines())
    assert len(list(tmp_path.glob("*.png"))) == 2
