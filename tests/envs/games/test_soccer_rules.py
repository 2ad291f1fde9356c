"""Grid soccer: parameters, states, observations and pictures. Its moves are in ``test_soccer_by_the_book.py``."""

import math
from typing import Any

import numpy as np
import pytest

from nashzoo.arena.match import play_match
from nashzoo.envs import soccer_v0
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.pettingzoo_base import MOST_FIRST_VIEWS
from nashzoo.envs.core.agent import Opponent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.reachable import reachable
from nashzoo.envs.drawing.palette import HIGHLIGHT, PLAYER_COLOURS, TINTS
from nashzoo.envs.games.soccer.field import in_penalty_area
from nashzoo.envs.games.soccer.view import BALL
from traces import Sheet

UP, DOWN = 3, 4
PLAYS_BLUE = 9  # the number of an observation that tells the seats apart


@pytest.fixture(scope="module")
def full() -> Game:
    return soccer_v0.game()


@pytest.fixture(scope="module")
def small() -> Game:
    return soccer_v0.game(width=11, height=3, goal_height=1)


def test_every_column_and_row_survives_observation() -> None:
    game = soccer_v0.game(width=63, height=63, goal_height=1, random_positions=False)
    for k in range(1, 64):
        code = game.code(red_x=k, red_y=64 - k, blue_x=1 + k % 63, blue_y=k, ball="red", turn="blue")
        for player in range(2):
            assert tuple(game.rules.decode_observation(game.params, game.observe(code, player))) == (code, player)


class TestStates:
    def test_those_not_told_stand_as_they_line_up(self, full: Game) -> None:
        assert full.state(full.code()) == (5, 7, 15, 7, 0, 0, 0)
        assert full.code() == soccer_v0.game(random_positions=False).code()

    def test_they_can_be_spelled(self, full: Game) -> None:
        assert full.state(full.code(ball="Red", turn="blue")) == (5, 7, 15, 7, 1, 1, 0)
        assert full.state(full.code(ball="blue", turn="red", red_x=1)) == (1, 7, 15, 7, 2, 0, 0)
        assert full.state(full.code(ball="none", winner="blue")) == (5, 7, 15, 7, 0, 0, 2)

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"ball": "green"}, "none, red or blue, not 'green'"),
            ({"turn": "none"}, "red or blue, not 'none'"),
            ({"winner": "1"}, "none, red or blue, not '1'"),
            ({"red_x": "five"}, "a whole number, not 'five'"),
            ({"red_x": 20}, "red_x must be from 0 to 19, not 20"),
            ({"blue_y": 0}, r"cells are numbered from 1; blue is on \(15, 0\)"),
            ({"red_x": 15, "ball": 1}, r"red and blue are both on \(15, 7\)"),
            ({"blue_x": 10}, r"blue is on the centre cell \(10, 7\), where the ball is"),
            ({"winner": 1, "red_x": 4}, "after a goal the players line up and red is to move"),
            ({"winner": 1, "turn": 1}, "after a goal the players line up and red is to move"),
        ],
        ids=str,
    )
    def test_some_cannot_be(self, full: Game, fields: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            full.code(**fields)

    def test_the_centre_cell_is_free_for_the_player_with_the_ball(self, full: Game) -> None:
        assert full.state(full.code(red_x=10, ball="red")).red_x == 10
        assert full.state(full.code(red_x=10, ball="blue")).red_x == 10

    @pytest.mark.slow
    def test_there_are_two_ends(self, small: Game) -> None:
        codes, ends = reachable(small).tolist(), {}
        for code in codes:
            mover = small.turn(code)
            for action in small.legal_actions(code, mover):
                after = small.step(code, *((action, 0) if mover == 0 else (0, action)))
                if small.terminal(after):
                    ends[small.payoff(after)] = small.state(after)
        assert ends == {1.0: (1, 2, 11, 2, 0, 0, 1), -1.0: (1, 2, 11, 2, 0, 0, 2)}
        # A holder: 33 cells for one player, 32 for the other; a loose ball: 32 and 31; two turns.
        assert len(codes) == 2 * (2 * 33 * 32 + 32 * 31)


class TestField:
    def test_the_penalty_areas(self) -> None:
        cells = {(x, y) for x in range(1, 20) for y in range(1, 14)}
        right = {cell for cell in cells if in_penalty_area(19, 13, 5, 0, *cell)}
        left = {cell for cell in cells if in_penalty_area(19, 13, 5, 1, *cell)}
        assert right == {(x, y) for x in (16, 17, 18, 19) for y in range(4, 11)}
        assert left == {(x, y) for x in (1, 2, 3) for y in range(4, 11)}

    def test_shots_count_from_the_same_cells_on_both_sides(self, full: Game) -> None:
        shots = full.rules.tables_of(full.params).shots
        red, blue = shots & 1, shots >> 1
        assert (red[:, ::-1] == blue).all() and (red[::-1] == red).all()
        # Cells in each column, from the 15th: 20 * angle**2 / dist**2 > 0.3.
        assert red.sum(axis=0).tolist() == [0] * 14 + [5, 7, 9, 9, 9]


class TestObservation:
    def test_a_state_and_its_reflection_look_the_same(self, full: Game) -> None:
        rng = np.random.default_rng(0)
        for _ in range(200):
            red_x, blue_x = (int(x) for x in rng.choice(np.arange(1, 20), 2, replace=False))
            red_y, blue_y = (int(y) for y in rng.integers(1, 14, 2))
            ball, turn = int(rng.integers(1, 3)), int(rng.integers(2))
            one = full.code(red_x=red_x, red_y=red_y, blue_x=blue_x, blue_y=blue_y, ball=ball, turn=turn)
            other = full.code(
                red_x=20 - blue_x, red_y=blue_y, blue_x=20 - red_x, blue_y=red_y, ball=3 - ball, turn=1 - turn
            )
            for player in range(2):
                here, there = full.observe(one, player), full.observe(other, 1 - player)
                assert (here[PLAYS_BLUE], there[PLAYS_BLUE]) == (player, 1 - player)
                assert (np.delete(here, PLAYS_BLUE) == np.delete(there, PLAYS_BLUE)).all()

    def test_its_numbers(self, full: Game) -> None:
        code = full.code(red_x=16, red_y=4, blue_x=17, blue_y=5, ball="red", turn="blue")
        said = dict(zip(full.features, full.observe(code, 0).tolist(), strict=True))
        assert said["(own column - 1) / (width - 1), counted towards the attacked goal"] == np.float32(15 / 18)
        assert said["(own row - 1) / (height - 1)"] == 0.25
        assert {name for name, number in said.items() if number == 1} == {
            "has the ball",
            "own shot would count if not intercepted",
            "other's column - own column is 1",
            "other's row - own row is 1",
        }
        said = dict(zip(full.features, full.observe(code, 1).tolist(), strict=True))
        assert said["(other's column - 1) / (width - 1), counted the same way"] == np.float32(3 / 18)
        assert {name for name, number in said.items() if number == 1} == {
            "other has the ball",
            "is to move",
            "plays blue",
            "other's shot would count if not intercepted",
            "other's column - own column is 1",
            "other's row - own row is -1",
        }

    def test_the_game_is_not_symmetric(self, full: Game) -> None:
        # Halves are rounded down: red, losing the ball to blue on column 7, is placed on column 3; blue, losing it to
        # red on column 13, which reflects 7, is placed on column 16, which does not reflect 3.
        assert not full.symmetric
        lost = full.state(full.step(full.code(red_x=6, blue_x=7, ball="red", turn="blue"), 0, 2))
        assert (lost.red_x, lost.blue_x, lost.ball) == (3, 7, 2)
        lost = full.state(full.step(full.code(red_x=13, blue_x=14, ball="blue", turn="red"), 1, 0))
        assert (lost.red_x, lost.blue_x, lost.ball) == (13, 16, 1)


class TestPictures:
    def test_the_text(self) -> None:
        game = soccer_v0.game(height=7, goal_height=3, random_positions=False)
        code = game.code(red_x=3, red_y=1, blue_x=18, blue_y=2, ball="blue", turn="red")
        assert game.text(code) == "\n".join(
            [
                " 7   + + . . . . . . . . . . . . . . . + +",
                " 6   * * * . . . . . . . . . . . . : * * *",
                " 5 [ * * * + . . . . . . . . . . . * * * * ]",
                " 4 [ * * * + . . . . . . . . . . . * * * * ]",
                " 3 [ * * * + . . . . . . . . . . . * * * * ]",
                " 2   * * * . . . . . . . . . . . . : * B *",
                " 1   + + r . . . . . . . . . . . . . . + +",
                "     1       5         10        15",
                "red to move, blue has the ball",
            ]
        )

    def test_the_loose_ball_and_the_end(self, full: Game) -> None:
        lines = full.text(full.code()).splitlines()
        assert lines[6] == " 7 [ * * * + r . . . . o . . . . b * * * * ]"
        assert lines[-1] == "red to move, the ball is loose"
        assert full.text(full.code(winner="blue")).splitlines()[-1] == "blue has scored"

    def test_the_drawing(self, full: Game) -> None:
        def circles(**fields: Any) -> dict[str, tuple[float, float]]:
            sheet = Sheet()
            full.draw(full.code(**fields), sheet)
            return {call[4]: call[1:3] for call in sheet.calls if call[0] == "circle"}

        red, blue = PLAYER_COLOURS
        seen = circles(red_x=1, red_y=1, blue_x=19, blue_y=13, ball="blue", turn="red")
        assert seen[HIGHLIGHT] == seen[red]
        assert math.dist(seen[BALL], seen[blue]) < 5 < math.dist(seen[BALL], seen[red])
        assert seen[red][0] < seen[blue][0] and seen[red][1] > seen[blue][1]
        seen = circles(turn="blue")
        assert seen[HIGHLIGHT] == seen[blue]
        assert seen[BALL] == pytest.approx((50, 53)) and red in seen
        assert HIGHLIGHT not in circles(winner="red")

    def test_goals_have_the_colour_of_who_attacks_them_and_shine_after_a_goal(self, full: Game) -> None:
        def goals(**fields: Any) -> dict[str, float]:
            sheet = Sheet()
            full.draw(full.code(**fields), sheet)
            return {call[5]: call[1] for call in sheet.calls if call[0] == "rectangle"}  # the last of a colour

        seen = goals()
        assert seen[TINTS[0]] > 90 and seen[TINTS[1]] < 10
        assert goals(winner="red")[HIGHLIGHT] > 90 and goals(winner="blue")[HIGHLIGHT] < 10

    def test_the_cells_from_which_shots_count_are_tinted(self, full: Game) -> None:
        sheet = Sheet()
        full.draw(full.code(), sheet)
        unit = 96 / (19 + 2)
        areas = {
            tint: sum(call[3] * call[4] for call in sheet.calls if call[0] == "rectangle" and call[5] == tint)
            for tint in TINTS
        }
        assert areas == {tint: pytest.approx((39 + 5) * unit**2) for tint in TINTS}  # 39 cells, and the goal's 5


class Pacing(Opponent):
    """Goes up and down, for ever."""

    memory_size = 1
    asked = 0

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        self.asked += len(observations)
        return np.where(memory[:, 0] == 0, UP, DOWN), 1 - memory


def test_a_game_is_cut_off_after_200_steps() -> None:
    game = soccer_v0.game(random_positions=False)
    parallel, single = soccer_v0.parallel_env(random_positions=False), GameEnv(game, Pacing())
    parallel.reset(seed=0)
    steps = 0
    while parallel.agents:
        parallel.step({"player_0": (UP, 0, DOWN, 0)[steps % 4], "player_1": (0, UP, 0, DOWN)[steps % 4]})
        steps += 1
    assert steps == single.batch.max_cycles == 200
    pacing = Pacing()
    assert play_match(game, pacing, pacing, 3, seed=0).unfinished == 3
    assert pacing.asked == 3 * 200


def test_first_views_do_not_pile_up(small: Game) -> None:
    env = soccer_v0.parallel_env(width=11, height=3, goal_height=1)
    for seed in range(500):
        observations, infos = env.reset(seed=seed)
        assert (observations["player_1"]["observation"] == small.observe(env.code, 1)).all()
        assert tuple(np.flatnonzero(infos["player_0"]["action_mask"])) == small.legal_actions(env.code, 0)
    assert len(env._first_views) <= MOST_FIRST_VIEWS < len(small.start_codes)


@pytest.mark.parametrize(
    ("x", "y", "ball", "action", "why"),
    [
        (9, 6, 1, 7, "Diagonal moves lead forward only"),  # Left Up
        (19, 9, 2, 5, "Only the player with the ball can leave"),  # Right Up
        (19, 9, 1, 5, "from the last column, back only"),
        (5, 13, 0, UP, "Only the player with the ball can leave"),
        (5, 13, 0, 0, "Only the player with the ball can kick"),
    ],
)
def test_people_are_told_why_a_move_is_forbidden(full: Game, x: int, y: int, ball: int, action: int, why: str) -> None:
    code = full.code(red_x=x, red_y=y, blue_x=12, blue_y=2, ball=ball)
    assert action not in full.legal_actions(code, 0) and why in full.view.why_not(full.params, code, action)
