"""Grid soccer against the second implementation of its rules, and both against moves worked out by hand."""

import numpy as np
import pytest

from nashzoo.envs import soccer_v0
from nashzoo.envs.core.game import Game
from soccer_by_the_book import BLUE, KICK, RED, Book, Cell, Goal, State

RIGHT, LEFT, UP, DOWN, RIGHT_UP, RIGHT_DOWN, LEFT_UP, LEFT_DOWN = range(1, 9)

RED_RESET = State((5, 7), (15, 7), RED, RED)
BLUE_RESET = State((5, 7), (15, 7), BLUE, BLUE)
FAR = (10, 1)


def red_has(red: Cell, blue: Cell) -> State:
    """It is red's turn, with the ball."""
    return State(red, blue, RED, RED)


def blue_has(red: Cell, blue: Cell) -> State:
    """It is blue's turn, with the ball."""
    return State(red, blue, BLUE, BLUE)


def red_hunts(red: Cell, blue: Cell) -> State:
    """It is red's turn, and blue has the ball."""
    return State(red, blue, BLUE, RED)


def blue_hunts(red: Cell, blue: Cell) -> State:
    """It is blue's turn, and red has the ball."""
    return State(red, blue, RED, BLUE)


def loose(red: Cell, blue: Cell, turn: str) -> State:
    return State(red, blue, None, turn)


# Worked out by hand from the text of the rules, on the field of 19 x 13 with rows 5 to 9 for a goal.
BY_HAND = {
    # The ball on the centre cell
    "takes the ball": (loose((9, 7), (15, 7), RED), RIGHT, blue_hunts((10, 7), (15, 7))),
    "takes the ball by a diagonal": (loose((5, 7), (11, 8), BLUE), LEFT_DOWN, red_hunts((5, 7), (10, 7))),
    "nobody has the ball": (loose((9, 8), (10, 8), RED), RIGHT, loose((9, 8), (10, 8), BLUE)),
    # A kick from (15, 7): 20 * (2 * atan(2.5 / 5.5))**2 / 5.5**2 = 0.481; from (14, 7) 0.255 with 6.5 for 5.5
    "kick, goal": (red_has((15, 7), FAR), KICK, Goal(RED)),
    "kick, missed": (red_has((14, 7), FAR), KICK, BLUE_RESET),
    "kick of blue, goal": (blue_has(FAR, (5, 7)), KICK, Goal(BLUE)),
    "kick of blue, missed": (blue_has(FAR, (6, 7)), KICK, RED_RESET),
    # From (15, 7) the lines to the posts part by 2.5 in 4.5 columns to either side. (18, 9) is 3 columns and 2 rows
    # away: 1.67 < 2, but the point a quarter further and a quarter lower: 1.81 > 1.75. At (17, 9) 1.25 < 1.75.
    "kick, intercepted": (red_has((16, 7), (18, 7)), KICK, blue_has((9, 7), (18, 7))),
    "kick, intercepted by a quarter": (red_has((15, 7), (18, 9)), KICK, blue_has((9, 8), (18, 9))),
    "kick, just past": (red_has((15, 7), (17, 9)), KICK, Goal(RED)),
    "kick, the other behind": (red_has((15, 7), (14, 7)), KICK, Goal(RED)),
    "kick of blue, intercepted": (blue_has((2, 7), (4, 7)), KICK, red_has((2, 7), (11, 7))),
    # Walking out with the ball
    "red walks into the goal": (red_has((19, 5), FAR), RIGHT, Goal(RED)),
    "blue walks into the goal": (blue_has(FAR, (1, 9)), LEFT, Goal(BLUE)),
    "own goal of red": (red_has((1, 9), FAR), LEFT, Goal(BLUE)),
    "own goal of blue": (blue_has(FAR, (19, 5)), RIGHT, Goal(RED)),
    "red past the upper sideline": (red_has((4, 13), FAR), UP, BLUE_RESET),
    "red past the lower sideline": (red_has((4, 1), (4, 2)), DOWN, BLUE_RESET),
    "red past a sideline by a diagonal": (red_has((4, 13), FAR), RIGHT_UP, BLUE_RESET),
    "red past a sideline from the last column": (red_has((19, 13), FAR), LEFT_UP, BLUE_RESET),
    "blue past the upper sideline": (blue_has(FAR, (4, 13)), UP, RED_RESET),
    "blue past the lower sideline by a diagonal": (blue_has((9, 9), (1, 1)), RIGHT_DOWN, RED_RESET),
    "red past the goal line beside the goal": (red_has((19, 4), FAR), RIGHT, BLUE_RESET),
    "blue past the goal line beside the goal": (blue_has(FAR, (1, 10)), LEFT, RED_RESET),
    "red at the wrong end, corner": (red_has((1, 10), FAR), LEFT, blue_has((3, 3), (1, 1))),
    "blue at the wrong end, corner": (blue_has(FAR, (19, 4)), RIGHT, red_has((19, 1), (17, 3))),
    # The ball changes hands: red to half-way between blue and (0, 7), blue to half-way between red and (20, 7)
    "red walks onto the holder": (red_hunts((7, 7), (8, 7)), RIGHT, blue_hunts((7, 7), (13, 7))),
    "blue walks onto the holder": (blue_hunts((7, 4), (8, 3)), LEFT_UP, red_hunts((4, 5), (8, 3))),
    "red walks onto blue": (red_has((7, 7), (8, 7)), RIGHT, blue_has((4, 7), (8, 7))),
    "blue walks onto red": (blue_has((8, 12), (8, 13)), DOWN, red_has((8, 12), (14, 9))),
    # ... where that is column 0: column 1
    "placed on column 1": (blue_hunts((2, 9), (1, 9)), RIGHT, red_hunts((1, 8), (1, 9))),
    # ... where the new holder stands there, or the loser stood there
    "placed to the right of the holder": (blue_hunts((1, 8), (1, 7)), UP, red_hunts((2, 7), (1, 7))),
    "placed to the right of its own cell": (red_has((9, 7), (18, 7)), KICK, blue_has((10, 7), (18, 7))),
    "placed to the left": (red_hunts((19, 7), (19, 8)), UP, blue_hunts((19, 7), (18, 7))),
    "placed above, at the right": (red_hunts((19, 7), (18, 7)), LEFT, blue_hunts((19, 7), (19, 8))),
    "placed above, at the left": (red_has((2, 7), (1, 7)), LEFT, blue_has((1, 8), (1, 7))),
}

LEGAL_BY_HAND = {
    "red with the ball may do all": (red_has((1, 1), FAR), {KICK, RIGHT, LEFT, UP, DOWN, RIGHT_UP, RIGHT_DOWN}),
    "red in the last column": (red_has((19, 7), FAR), {KICK, RIGHT, LEFT, UP, DOWN, LEFT_UP, LEFT_DOWN}),
    "blue with the ball": (blue_has(FAR, (2, 13)), {KICK, RIGHT, LEFT, UP, DOWN, LEFT_UP, LEFT_DOWN}),
    "blue in the first column": (blue_has(FAR, (1, 7)), {KICK, RIGHT, LEFT, UP, DOWN, RIGHT_UP, RIGHT_DOWN}),
    "red without it stays on the field": (red_hunts((1, 1), FAR), {RIGHT, UP, RIGHT_UP}),
    "blue without it stays on the field": (blue_hunts(FAR, (19, 13)), {LEFT, DOWN, LEFT_DOWN}),
    "red while it is loose": (loose((2, 7), (15, 7), RED), {RIGHT, LEFT, UP, DOWN, RIGHT_UP, RIGHT_DOWN}),
}


# The environment, against both

FIELD = soccer_v0.game()
COLOURS = (RED, BLUE)
SMALL = {"width": 11, "height": 3, "goal_height": 1}


def code_of(game: Game, state: State) -> int:
    fields = {
        f"{colour}_{axis}": cell for colour in COLOURS for axis, cell in zip("xy", state.cell(colour), strict=True)
    }
    return game.code(**fields, ball=state.holder or "none", turn=state.turn)


def state_of(game: Game, code: int) -> State | Goal:
    """Reads a state of the environment as the book has it."""
    state = game.state(code)
    if game.terminal(code):
        assert game.payoff(code) in (1.0, -1.0)
        return Goal(RED if game.payoff(code) > 0 else BLUE)
    assert game.payoff(code) == 0.0
    holder = (None, *COLOURS)[state.ball]
    return State((state.red_x, state.red_y), (state.blue_x, state.blue_y), holder, COLOURS[state.turn])


def assert_same_moves(game: Game, book: Book, state: State) -> None:
    """Both allow the same moves, and every one of them leads to the same state or goal."""
    code, mover = code_of(game, state), COLOURS.index(state.turn)
    assert state_of(game, code) == state
    moves = book.legal(state)
    assert set(game.legal_actions(code, mover)) == moves, state
    assert game.legal_actions(code, 1 - mover) == (0,)
    for move in moves:
        actions = (move, 0) if mover == 0 else (0, move)
        assert state_of(game, game.step(code, *actions)) == book.play(state, move), (state, move)


def random_state(book: Book, rng: np.random.Generator) -> State:
    """Draws a state; every other time the players are near each other, as they seldom are by chance."""
    while True:
        red, blue = ((int(x), int(y)) for x, y in rng.integers((1, 1), (book.width + 1, book.height + 1), (2, 2)))
        if rng.random() < 0.5:
            blue = red[0] + int(rng.integers(-3, 4)), red[1] + int(rng.integers(-3, 4))
        holder = (None, RED, BLUE)[rng.integers(3)]
        state = State(red, blue, holder, COLOURS[rng.integers(2)])
        if book.possible(state):
            return state


@pytest.mark.parametrize("case", BY_HAND)
def test_moves_worked_out_by_hand(case: str) -> None:
    state, move, after = BY_HAND[case]
    actions = (move, 0) if state.turn == RED else (0, move)
    assert state_of(FIELD, FIELD.step(code_of(FIELD, state), *actions)) == after
    assert_same_moves(FIELD, Book(), state)


@pytest.mark.parametrize("case", LEGAL_BY_HAND)
def test_legal_moves_worked_out_by_hand(case: str) -> None:
    state, moves = LEGAL_BY_HAND[case]
    assert set(FIELD.legal_actions(code_of(FIELD, state), COLOURS.index(state.turn))) == moves
    assert_same_moves(FIELD, Book(), state)


def test_every_move_of_every_state_of_a_small_field() -> None:
    game, book = soccer_v0.game(**SMALL), Book(**SMALL)
    for state in book.states():
        assert_same_moves(game, book, state)


@pytest.mark.slow
@pytest.mark.parametrize(
    "size",
    [
        {"width": 11, "height": 7, "goal_height": 3},
        {"width": 13, "height": 5, "goal_height": 5},
        {"width": 15, "height": 5, "goal_height": 1},
    ],
)
def test_every_move_of_every_state_of_larger_fields(size: dict[str, int]) -> None:
    game, book = soccer_v0.game(**size), Book(**size)
    for state in book.states():
        assert_same_moves(game, book, state)


@pytest.mark.slow
def test_every_move_of_random_states_of_the_full_field() -> None:
    book, rng = Book(), np.random.default_rng(0)
    for _ in range(20_000):
        assert_same_moves(FIELD, book, random_state(book, rng))


@pytest.mark.parametrize("options", [SMALL, {}, {"random_positions": False}, {**SMALL, "random_positions": False}])
def test_the_start_is_as_likely(options: dict[str, int]) -> None:
    game = soccer_v0.game(**options)
    sizes = {name: value for name, value in options.items() if name != "random_positions"}
    starts = Book(**sizes).starts(bool(options.get("random_positions", True)))
    assert sum(starts.values()) == 1
    found = [state_of(game, int(code)) for code in game.start_codes]
    assert len(found) == len(starts)
    assert dict(zip(found, game.start_probabilities, strict=True)) == pytest.approx(starts)
