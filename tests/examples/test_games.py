"""The rules files in ``examples/games``, by the command, by the contract, and by routes of their own."""

import itertools
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from chance_contract import ChanceContract
from command import Command
from contract import EnvironmentContract
from nashzoo import agents
from nashzoo.baselines import exploitability, solve
from nashzoo.envs import make_game
from nashzoo.envs.api.module import make_module
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.core import kernels
from nashzoo.envs.core.reachable import reachable
from nashzoo.envs.registry import rules_of

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "games"
EXACT = 1e-9
LARGER = "goofspiel", "connect_four", "pursuit", "littman_soccer", "random_game"


def path(name: str) -> str:
    return str(FOLDER / f"{name}.py")


def matrix_value(matrix: np.ndarray[Any, Any]) -> float:
    """Returns the value of a matrix game by SciPy's linear programming."""
    rows, columns = matrix.shape
    found = linprog(
        np.r_[np.zeros(rows), -1.0], A_ub=np.c_[-matrix.T, np.ones(columns)], b_ub=np.zeros(columns),
        A_eq=np.r_[np.ones(rows), 0.0][None], b_eq=[1.0], bounds=[(0, None)] * rows + [(None, None)],
    )  # fmt: skip
    return float(found.x[-1])


class TestGoofspiel(EnvironmentContract):
    public = make_module(module_at(path("goofspiel")))

    @pytest.fixture(
        params=[{"cards": 2}, pytest.param({"cards": 3, "ascending": False}, marks=pytest.mark.slow)], ids=str
    )
    def options(self, request: pytest.FixtureRequest) -> dict[str, Any]:
        options: dict[str, Any] = request.param
        return options


@pytest.mark.slow
class TestConnectFour(EnvironmentContract):
    public = make_module(module_at(path("connect_four")))

    @pytest.fixture
    def options(self) -> dict[str, Any]:
        return {"width": 3, "height": 2, "line": 2}


@pytest.mark.slow
class TestBlotto(EnvironmentContract):
    public = make_module(module_at(path("blotto")))

    @pytest.fixture
    def options(self) -> dict[str, Any]:
        return {"soldiers": 2}


@pytest.mark.parametrize("ascending", [True, False])
def test_goofspiel_is_worth_what_plain_recursion_finds(ascending: bool) -> None:
    game = make_game(path("goofspiel"), cards=4, ascending=ascending)
    prizes = (1, 2, 3, 4) if ascending else (4, 3, 2, 1)

    @cache
    def value(hand0: tuple[int, ...], hand1: tuple[int, ...], lead: int) -> float:
        if not hand0:
            return float(np.sign(lead))
        prize = prizes[4 - len(hand0)]

        def after(one: int, other: int) -> float:
            hands = (tuple(card for card in hand0 if card != one), tuple(card for card in hand1 if card != other))
            return value(*hands, lead + prize * ((one > other) - (one < other)))

        return matrix_value(np.array([[after(one, other) for other in hand1] for one in hand0]))

    solution = solve(game)
    assert solution.certificate <= 1e-12
    for hand0, hand1 in itertools.product(itertools.combinations((1, 2, 3, 4), 3), repeat=2):
        for lead in range(-4, 5):
            bits = [sum(1 << card - 1 for card in hand) for hand in (hand0, hand1)]
            code = game.code(hand0=bits[0], hand1=bits[1], lead=10 + lead)
            if code in solution.states:
                assert solution.value(code) == pytest.approx(value(hand0, hand1, lead), abs=EXACT)


class TestConnectFourSolution:
    # How many positions there are, and the values, with the first player to move: Tromp, "John's Connect Four
    # Playground". Positions in which the game is over count.
    @pytest.mark.slow
    @pytest.mark.parametrize(("size", "positions", "value"), [((4, 4), 161_029, 0), ((4, 5), 1_706_255, 0)])
    def test_known_boards(self, size: tuple[int, int], positions: int, value: int) -> None:
        game = make_game(path("connect_four"), width=size[0], height=size[1])
        solution = solve(game)
        assert solution.value(int(game.start_codes[0])) == value and solution.certificate == 0.0
        running = reachable(game)
        turns, illegal = np.empty((2, len(running)), np.int64)
        rewards, over = np.empty(len(running)), np.empty(len(running), np.bool_)
        kernels.turn_all(game.compiled, running, turns)
        ends: set[int] = set()
        for action in range(game.num_actions):
            after, actions = running.copy(), np.where(turns == [[0], [1]], action, 0)
            kernels.play_all(game.compiled, after, *actions, kernels.NOOP, rewards, over, illegal)
            ends.update(after[over].tolist())
        assert len(running) + len(ends) == positions

    def test_a_board_that_is_too_large_is_refused_with_its_size(self) -> None:
        with pytest.raises(ValueError, match=r"width times height plus 1 at most 62, not width=8, height=7, line=4$"):
            make_game(path("connect_four"), width=8, height=7)

    def test_games_at_random_are_those_of_a_board_of_lists(self) -> None:
        game, rng = make_game(path("connect_four"), width=7, height=6), np.random.default_rng(0)

        def wins(board: list[str], stone: str) -> bool:
            cells = {(x, y) for x in range(7) for y, one in enumerate(board[x]) if one == stone}
            steps = (0, 1), (1, 0), (1, 1), (1, -1)
            return any({(x + k * i, y + k * j) for k in range(4)} <= cells for x, y in cells for i, j in steps)

        for _ in range(30):
            code, board, mover = int(game.start_codes[0]), [""] * 7, 0
            while not game.terminal(code):
                legal = [column for column in range(7) if len(board[column]) < 6]
                assert game.legal_actions(code, mover) == tuple(legal)
                action = int(rng.choice(legal))
                board[action] += "xo"[mover]
                code = game.step(code, *((action, 0) if mover == 0 else (0, action)))
                won = wins(board, "xo"[mover])
                assert game.payoff(code) == (1 - 2 * mover if won else 0)
                assert game.terminal(code) == (won or all(len(column) == 6 for column in board))
                mover = 1 - mover

    def test_three_in_a_line_on_three_by_three_is_won_by_who_begins(self) -> None:
        game = make_game(path("connect_four"), width=3, height=3, line=3)

        @cache
        def value(columns: tuple[str, ...], mover: str) -> int:
            other = "ox"[mover == "o"]
            grid = [column.ljust(3, ".") for column in columns]
            lines = [*grid, *("".join(row) for row in zip(*grid, strict=True))]
            lines += ["".join(grid[k][k] for k in range(3)), "".join(grid[k][2 - k] for k in range(3))]
            if other * 3 in lines:
                return -1
            free = [k for k in range(3) if len(columns[k]) < 3]
            played = [tuple(c + mover * (k == place) for k, c in enumerate(columns)) for place in free]
            return max((-value(after, other) for after in played), default=0)

        assert solve(game).value(int(game.start_codes[0])) == value(("", "", ""), "x")


@pytest.mark.parametrize("soldiers", [3, 5, 7])
def test_blotto_is_its_matrix(soldiers: int) -> None:
    game = make_game(path("blotto"), soldiers=soldiers)
    divisions = [(a, b, soldiers - a - b) for a in range(soldiers + 1) for b in range(soldiers + 1 - a)]
    assert game.actions == tuple("-".join(map(str, division)) for division in divisions)
    ours, theirs = np.array(divisions)[:, None], np.array(divisions)[None]
    matrix = np.sign(np.sign(ours - theirs).sum(axis=2))
    assert matrix_value(matrix) == pytest.approx(0.0, abs=EXACT)
    solution = solve(game)
    strategy = solution.strategies(int(game.start_codes[0]))[0]
    assert (strategy @ matrix).min() >= -EXACT
    uniform = np.full(len(divisions), 1 / len(divisions))
    assert exploitability(game, agents.make("random", game)) == pytest.approx(-(uniform @ matrix).min(), abs=EXACT)


class TestByTheCommand:
    @pytest.mark.parametrize("name", ["blotto", *(pytest.param(name, marks=pytest.mark.slow) for name in LARGER)])
    def test_nothing_is_wrong_with_them(self, nashzoo: Command, name: str) -> None:
        assert "Nothing is wrong with its rules." in nashzoo.prints(f"check {path(name)}")

    @pytest.mark.slow
    def test_all_that_a_game_of_ones_own_is_given_to(self, nashzoo: Command, tmp_path: Path) -> None:
        goofspiel = path("goofspiel")
        three = f"{goofspiel} --param cards=3"
        assert "value to red: 0 points" in nashzoo.prints(f"solve {three}")
        assert "nash" in nashzoo.prints(f"tournament {three} --agents random nash --games 100 --out tournament")
        nashzoo.prints(f"picture {three} --over hand0,hand1 --out map.png")
        assert (tmp_path / "map.png").exists()
        assert "card 1" in nashzoo.prints(f"play {goofspiel} --param cards=2", answers="1\n1\n1\n1\n")
        out = nashzoo.prints(f"train {three} --algorithm minimax_q --timesteps 20000 --games 20 --run-dir run")
        assert "Exploitability of the learned policy (exact): 0.000000" in out
        assert "exploitability 0 points per game" in nashzoo.prints(f"exploitability {goofspiel} nash --param cards=3")

    def test_a_game_is_loaded_once(self, tmp_path: Path) -> None:
        file = tmp_path / "once.py"  # one that no other test loads
        file.write_text(Path(path("blotto")).read_text().replace('"blotto_v0"', '"loaded_once_v0"'))
        assert rules_of(str(file)) is rules_of(str(file))
        assert make_game(str(file)) == make_game("loaded_once_v0")


@pytest.mark.slow
class TestPursuit(ChanceContract):
    public = make_module(module_at(path("pursuit")))

    @pytest.fixture
    def options(self) -> dict[str, Any]:
        return {"size": 2, "turns": 2}


def test_pursuit_is_worth_what_backward_induction_finds() -> None:
    size, turns, slip = 3, 4, 0.25
    game = make_game(path("pursuit"), size=size, turns=turns, slip=slip)
    directions = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))
    cells = list(itertools.product(range(size), repeat=2))

    def moved(cell: tuple[int, ...], direction: tuple[int, int]) -> dict[tuple[int, ...], float]:
        after = tuple(min(max(place + step, 0), size - 1) for place, step in zip(cell, direction, strict=True))
        chances = {cell: slip}
        chances[after] = chances.get(after, 0.0) + 1 - slip
        return chances

    def expected(one: dict[tuple[int, ...], float], other: dict[tuple[int, ...], float]) -> float:
        return sum(p * q * values[a, b] for a, p in one.items() for b, q in other.items())

    def backup(a: tuple[int, ...], b: tuple[int, ...]) -> float:
        rows = [[expected(moved(a, mine), moved(b, theirs)) for theirs in directions] for mine in directions]
        return matrix_value(np.array(rows))

    values = {(a, b): 1.0 if a == b else -1.0 for a in cells for b in cells}
    for _ in range(turns):
        values = {(a, b): 1.0 if a == b else backup(a, b) for a in cells for b in cells}
    solution = solve(game)
    assert solution.certificate < 1e-10
    assert solution.start_value == pytest.approx(values[(0, 0), (2, 2)], abs=EXACT)
