"""The rules of tic-tac-toe, against a second implementation on strings, state by state."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from command import Command
from nashzoo import agents
from nashzoo.baselines import nash_conv, outcomes, solve
from nashzoo.envs import tictactoe_v0
from nashzoo.envs.drawing.palette import GLOW, INK, PLAYER_COLOURS
from nashzoo.envs.games.tictactoe.view import board_of
from traces import Sheet

GAME = tictactoe_v0.game()

EXACT = 1e-12

# Games that end with the n-th mark, and how many of them the first player wins, the second wins, nobody wins.
# Source: Henry Bottomley (2001), "How many Tic-Tac-Toe (noughts and crosses) games are possible?": 255168 in all.
GAMES_BY_LENGTH = {
    5: (1440, 0, 0),
    6: (0, 5328, 0),
    7: (47952, 0, 0),
    8: (0, 72576, 0),
    9: (81792, 0, 46080),
}


def winner(board: str) -> str:
    """Returns ``x``, ``o``, or nothing."""
    rows = [board[0:3], board[3:6], board[6:9]]
    columns = ["".join(row[k] for row in rows) for k in range(3)]
    diagonals = [rows[0][0] + rows[1][1] + rows[2][2], rows[0][2] + rows[1][1] + rows[2][0]]
    for mark in "xo":
        if 3 * mark in rows + columns + diagonals:
            return mark
    return ""


def over(board: str) -> bool:
    return bool(winner(board)) or "." not in board


def mover(board: str) -> str:
    return "x" if board.count("x") == board.count("o") else "o"


def cells(board: str) -> list[int]:
    return [cell for cell in range(9) if board[cell] == "."]


def marked(board: str, cell: int) -> str:
    return board[:cell] + mover(board) + board[cell + 1 :]


@cache
def boards() -> tuple[str, ...]:
    """Returns all boards that play leads to."""
    layer, found = {9 * "."}, []
    while layer:
        found += sorted(layer)
        layer = {marked(board, cell) for board in layer if not over(board) for cell in cells(board)}
    return tuple(found)


@cache
def worth(board: str) -> tuple[int, int]:
    """Returns what perfect play brings player 0, and in how many marks the winner, in a hurry, gets there."""
    if over(board):
        return {"x": 1, "o": -1, "": 0}[winner(board)], 0
    mine = 1 if mover(board) == "x" else -1
    after = [worth(marked(board, cell)) for cell in cells(board)]
    best = max(value * mine for value, _ in after)
    marks = [distance for value, distance in after if value * mine == best]
    return best * mine, 1 + (min(marks) if best > 0 else max(marks))


@cache
def code(board: str) -> int:
    return GAME.code(board=board)


class TestEveryState:
    def test_states_that_play_does_not_lead_to_are_refused_and_no_others(self) -> None:
        reached = set(boards())
        refused = 0
        for marks in itertools.product(".xo", repeat=9):
            board = "".join(marks)
            if board in reached:
                assert board_of(GAME.state(code(board))) == board
                continue
            refused += 1
            with pytest.raises(ValueError, match=r"there are as many crosses as noughts|play ends with three in a row"):
                code(board)
        assert refused == 3**9 - 5478

    def test_moves_lead_where_they_should(self) -> None:
        for board in boards():
            here = code(board)
            assert GAME.terminal(here) == over(board)
            assert GAME.payoff(here) == {"x": 1, "o": -1, "": 0}[winner(board)]
            if over(board):
                continue
            player = "xo".index(mover(board))
            assert GAME.turn(here) == player
            assert GAME.legal_actions(here, player) == tuple(cells(board))
            assert GAME.legal_actions(here, 1 - player) == (0,)
            for cell in cells(board):
                actions = (cell, 0) if player == 0 else (0, cell)
                assert GAME.step(here, *actions) == code(marked(board, cell))

    def test_each_player_sees_the_own_marks_first(self) -> None:
        for board in boards():
            for player, (own, other) in enumerate(("xo", "ox")):
                wanted = [*(mark == own for mark in board), *(mark == other for mark in board), player]
                assert GAME.observe(code(board), player).tolist() == wanted

    def test_the_solution(self) -> None:
        solution = solve(GAME)
        assert solution.certificate == 0
        running = [board for board in boards() if not over(board)]
        assert solution.num_states == len(running) == 4520
        for board in running:
            value, marks = worth(board)
            assert solution.value(code(board)) == value
            assert solution.distance(code(board)) == (marks if value else None)
        codes = np.array([code(board) for board in running])
        for board, good in zip(running, solution.optimal_actions(codes), strict=True):
            value, marks = worth(board)
            for cell in range(9):
                after = worth(marked(board, cell)) if board[cell] == "." else None
                wanted = after == (value, marks - 1) or (value == 0 and after is not None and after[0] == 0)
                assert good[cell] == wanted


class TestWhatIsKnown:
    def test_how_many_games_there_are(self) -> None:
        ways = Counter({int(GAME.start_codes[0]): 1})
        for length in range(1, 10):
            following: Counter[int] = Counter()
            for here, number in ways.items():
                player = GAME.turn(here)
                for cell in GAME.legal_actions(here, player):
                    following[GAME.step(here, *((cell, 0) if player == 0 else (0, cell)))] += number
            ended = {here: number for here, number in following.items() if GAME.terminal(here)}
            counts = tuple(sum(n for here, n in ended.items() if GAME.payoff(here) == paid) for paid in (1, -1, 0))
            assert counts == GAMES_BY_LENGTH.get(length, (0, 0, 0))
            ways = following - Counter(ended)
        assert sum(sum(counts) for counts in GAMES_BY_LENGTH.values()) == 255168

    def test_random_play(self) -> None:
        """Each game of ``n`` marks comes up with probability 1 / (9 * 8 * ... * (10 - n))."""
        wins, losses, draws = (
            sum(Fraction(counts[k], math.perm(9, length)) for length, counts in GAMES_BY_LENGTH.items())
            for k in range(3)
        )
        assert (wins, draws, losses) == (Fraction(737, 1260), Fraction(16, 126), Fraction(121, 420))
        player = agents.make("random", GAME)
        assert outcomes(GAME, player, player) == pytest.approx([float(wins), float(draws), float(losses)], abs=EXACT)

    def test_how_exploitable_random_play_is(self) -> None:
        # OpenSpiel 2.0.2: exploitability.nash_conv(load_game("tic_tac_toe"), UniformRandomPolicy)
        assert nash_conv(GAME, agents.make("random", GAME)) == pytest.approx(1.919659391534391, abs=EXACT)


class TestStatesByName:
    @pytest.mark.parametrize(
        ("board", "message"),
        [
            ("xx.......", "or one more, not 2 and 0"),
            ("o........", "or one more, not 0 and 1"),
            *((board, "play ends with three in a row") for board in ("xxxooo...", "xxx.oo..o", "ooo.xx.xx")),
            *((board, f"each one of . x o, not '{board}'") for board in ("x.o", 10 * ".", "x.o.-....")),
        ],
    )
    def test_wrong_boards(self, board: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            code(board)

    def test_boards_may_be_written_in_capitals(self) -> None:
        assert code("X.O......") == code("x.o......")

    def test_the_sets_of_cells_can_be_given_too(self) -> None:
        assert GAME.code(crosses=0b000_010_001, noughts=0b000_000_100) == code("x.o.x....")
        with pytest.raises(ValueError, match="a cell holds a cross or a nought, not both"):
            GAME.code(crosses=1, noughts=1)
        with pytest.raises(ValueError, match="noughts is given twice, by itself and by board"):
            GAME.code(noughts=2, board="xo.......")
        with pytest.raises(ValueError, match="tictactoe_v0 has no field board; it has crosses, noughts"):
            GAME.code(board=3)

    def test_a_state_is_called_by_its_board(self) -> None:
        assert GAME.spell(code("x.o.x....")) == "board=x.o.x...."


class TestShowing:
    @pytest.mark.parametrize(
        ("board", "text"),
        [
            (
                "x...o...x",
                """
 x |   |           | 1 | 2
---|---|---     ---|---|---
   | o |         3 |   | 5
---|---|---     ---|---|---
   |   | x       6 | 7 |
player 1 (o) to move""",
            ),
            (
                "xxxoo....",
                """
 x | x | x         |   |
---|---|---     ---|---|---
 o | o |           |   | 5
---|---|---     ---|---|---
   |   |         6 | 7 | 8
player 0 (x): three in a row""",
            ),
            (
                "xx.ooox..",
                """
 x | x |           |   | 2
---|---|---     ---|---|---
 o | o | o         |   |
---|---|---     ---|---|---
 x |   |           | 7 | 8
player 1 (o): three in a row""",
            ),
            (
                "xoxxoxoxo",
                """
 x | o | x         |   |
---|---|---     ---|---|---
 x | o | x         |   |
---|---|---     ---|---|---
 o | x | o         |   |
a draw""",
            ),
        ],
    )
    def test_text(self, board: str, text: str) -> None:
        assert "\n" + GAME.text(code(board)) == text

    @pytest.mark.parametrize("board", [".........", "x........", "x...o...x", "xxxoo....", "oxx.ox..o", "xoxxoxoxo"])
    def test_what_is_drawn_stands_where_the_marks_are(self, board: str) -> None:
        sheet = Sheet()
        GAME.draw(code(board), sheet)
        cells = [call for call in sheet.calls if call[0] == "rectangle"]
        assert [cell_of(left + width / 2, top + height / 2) for _, left, top, width, height, *_ in cells] == [*range(9)]
        strokes = [(call[1], call[3]) for call in sheet.calls if call[0] == "stroke"]
        crossed = Counter(cell_of(*middle(points)) for points, colour in strokes if colour == PLAYER_COLOURS[0])
        assert crossed == {cell: 2 for cell in range(9) if board[cell] == "x"}
        ringed = {cell_of(*call[1:3]) for call in sheet.calls if call[0] == "circle" and call[4] == PLAYER_COLOURS[1]}
        assert ringed == {cell for cell in range(9) if board[cell] == "o"}
        numbered = {cell_of(*call[1:3]): call[3] for call in sheet.calls if call[0] == "text" and len(call[3]) == 1}
        assert numbered == {cell: str(cell) for cell in range(9) if board[cell] == "."}
        through = [points for points, colour in strokes if colour == INK]
        assert len(through) == bool(winner(board))
        for points in through:
            assert board[cell_of(*middle(points))] == winner(board)
        assert sum(call[5] == GLOW for call in cells) == (3 if winner(board) else 0)


def middle(points: Any) -> tuple[float, float]:
    (x0, y0), (x1, y1) = points
    return (x0 + x1) / 2, (y0 + y1) / 2


def cell_of(x: float, y: float) -> int:
    """Returns the cell in which a point is, on a board whose middle cell begins at (37, 29.5) and is 26 units wide."""
    return 3 * sum(y > edge for edge in (29.5, 55.5)) + sum(x > edge for edge in (37, 63))


class TestTheCommand:
    def test_solve(self, nashzoo: Command) -> None:
        code, out, err = nashzoo("solve tictactoe_v0 --at board=.........")
        assert (code, err) == (0, "")
        assert "4,520 states solved, at the start: | | 0 | 1 | 2" in out
        assert "crosses (x) to move board=......... value to crosses: 0 points" in out
        assert "moves to the end: neither can force a win" in out
        # The only good answer to a corner is the middle.
        assert nashzoo.json("solve tictactoe_v0 --at board=x........")["strategy1"]["4"] == 1

    def test_a_won_state(self, nashzoo: Command) -> None:
        # An edge beside the corner loses: X has three more marks to set, O two in between.
        described = nashzoo.json("solve tictactoe_v0 --at board=xo.......")
        assert (described["value"], described["distance"], described["certificate"]) == (1, 5, 0)
        assert "moves to the end: 5" in nashzoo("solve tictactoe_v0 --at board=xo.......")[1]
        assert nashzoo.refused("solve tictactoe_v0 --at board=xxxoo....") == "the game is over at board=xxxoo...."
