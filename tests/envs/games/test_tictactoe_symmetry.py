"""The symmetries of the tic-tac-toe board, and how many states there are with and without them."""

import itertools

import numpy as np
import pytest

from nashzoo.envs import tictactoe_v0
from nashzoo.envs.games.tictactoe import rules as tictactoe
from nashzoo.envs.games.tictactoe.rules import CELLS, LINES, SYMMETRIES
from nashzoo.envs.games.tictactoe.symmetry import canonical
from nashzoo.envs.games.tictactoe.view import board_of

GAME = tictactoe_v0.game()
decode = GAME.rules.decode

# OEIS A008907: states after n plays up to rotation and reflection.
REDUCED = [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]

# Siripragada and Kumaar (2022), a course project: its log of states up to symmetry, from the first move on, and of
# the moves from them. Its games go on after three in a row.
LOGGED_MOVES = [24, 84, 228, 540, 696, 684, 348, 89]
LOGGED_REDUCED = [3, 12, 38, 108, 174, 228, 174, 89, 23]


def code_of(cells: list[int]) -> int:
    """Returns the code of cells 0..8 that are empty (0), crosses (1) or noughts (2)."""
    return GAME.rules.encode(
        tictactoe.State(*(sum(1 << c for c in range(CELLS) if cells[c] == mark) for mark in (1, 2)))
    )


def play(code: int, ply: int, cell: int) -> int:
    """Returns the state after the mark with number ``ply``."""
    return GAME.rules.step(GAME.params, code, *((cell, 0) if ply % 2 == 0 else (0, cell)))


def by_ply(on_after_a_win: bool = False) -> list[set[int]]:
    """Returns the codes of all states with 0, 1, ..., 9 marks that play leads to."""
    found = [{int(GAME.start_codes[0])}]
    for ply in range(CELLS):
        next_codes = set()
        for code in found[-1]:
            if on_after_a_win or not GAME.terminal(code):
                marks = decode(code)
                for cell in range(CELLS):
                    if not (marks.crosses | marks.noughts) >> cell & 1:
                        next_codes.add(play(code, ply, cell))
        found.append(next_codes)
    return found


def reduced(codes: set[int]) -> set[int]:
    return set(canonical(np.array(sorted(codes)))[0].tolist())


@pytest.fixture(scope="module")
def reachable() -> list[set[int]]:
    return by_ply()


class TestSymmetries:
    def test_they_are_the_permutations_of_cells_that_keep_the_lines(self) -> None:
        # The middle is on four lines, corners on three, the others on two, so that each kind stays among itself.
        corners, edges = (0, 2, 6, 8), (1, 3, 5, 7)
        found = set()
        for new_corners, new_edges in itertools.product(itertools.permutations(corners), itertools.permutations(edges)):
            goes = dict(zip((*corners, 4, *edges), (*new_corners, 4, *new_edges), strict=True))
            if {sum(1 << goes[c] for c in range(CELLS) if line >> c & 1) for line in LINES} == set(LINES):
                found.add(tuple(goes[c] for c in range(CELLS)))
        assert found == set(SYMMETRIES)
        assert len(SYMMETRIES) == 8

    def test_mirror_and_turn_of_the_course_project(self) -> None:
        corner = code_of([1, 0, 0, 0, 0, 0, 0, 0, 0])
        other_corner = code_of([0, 0, 1, 0, 0, 0, 0, 0, 0])
        assert canonical(np.array([corner]))[0] == canonical(np.array([other_corner]))[0]
        before, turned = [1, 2, 2, 0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 2, 0, 1, 2]
        (symmetry,) = [symmetry for image, symmetry in GAME.images(code_of(before)) if image == code_of(turned)]
        assert symmetry[0] == 2 and symmetry[6] == 0

    @pytest.mark.slow
    def test_marks_and_moves_go_there_at_every_state(self, reachable: list[set[int]]) -> None:
        for ply, codes in enumerate(reachable):
            for code in codes:
                board = board_of(decode(code))
                for number, (image, symmetry) in enumerate(GAME.images(code)):
                    assert all(board_of(decode(image))[symmetry[c]] == board[c] for c in range(CELLS))
                    assert GAME.terminal(image) == GAME.terminal(code)
                    assert GAME.payoff(image) == GAME.payoff(code)
                    if not GAME.terminal(code):
                        for move in GAME.legal_actions(code, ply % 2):
                            followed = play(image, ply, symmetry[move])
                            assert GAME.images(play(code, ply, move))[number] == (followed, symmetry)

    def test_canonical_states_are_the_same_for_all_images(self, reachable: list[set[int]]) -> None:
        codes = np.array(sorted(set.union(*reachable))[::10])
        standing, how = canonical(codes)
        for code, first, number in zip(codes.tolist(), standing.tolist(), how.tolist(), strict=True):
            assert GAME.images(code)[number][0] == first == GAME.canonical(code)[0]
            assert {GAME.canonical(image)[0] for image, _ in GAME.images(code)} == {first}

    def test_the_first_leaves_all_where_it_is(self) -> None:
        assert SYMMETRIES[0] == tuple(range(CELLS))


class TestCounts:
    def test_states_up_to_symmetry(self, reachable: list[set[int]]) -> None:
        assert [len(reduced(codes)) for codes in reachable] == REDUCED
        assert sum(REDUCED) == 765

    def test_the_log_of_the_course_project_plays_on_after_a_win(self) -> None:
        played_on = by_ply(on_after_a_win=True)
        assert [len(reduced(codes)) for codes in played_on[1:]] == LOGGED_REDUCED
        moves = [(CELLS - ply) * len(reduced(codes)) for ply, codes in enumerate(played_on)]
        assert moves[1:-1] == LOGGED_MOVES

    def test_three_in_a_row_of_the_course_project(self) -> None:
        crosses = decode(code_of([1, 2, 2, 2, 1, 1, 2, 2, 1])).crosses
        assert tictactoe.has_line(crosses)
