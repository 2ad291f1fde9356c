"""Matrix games from arrays and files: values that are known, and what is refused."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import Command
from contract import EnvironmentContract
from nashzoo import agents
from nashzoo.baselines import exploitability, solve
from nashzoo.baselines.game_problems import game_problems
from nashzoo.envs import make_game, matrix_game
from nashzoo.envs.api.module import make_module
from nashzoo.envs.imported.matrix import MatrixRules

EXACT = 1e-9
PENNIES = [[1.0, -1.0], [-1.0, 1.0]]
# By hand: rows (1/4, 3/4) earn 3/2 against either column, and columns (1/2, 1/2) concede 3/2 to either row.
UNEVEN = [[3.0, 0.0], [1.0, 2.0]]

NFG = """NFG 1 R "Two by three" { "Rose" "Colin" } { 2 3 }

1 -1 -1 1 1/2 -1/2
2 -2 -1 1 0 0
"""
OUTCOMES = """NFG 1 R "By outcomes" { "Rose" "Colin" }
{ { "up" "down" }
{ "left" "middle" "right" }
}
"a comment"

{
{ "first" 1, -1 }
{ "second" -2.5, 2.5 }
}
1 2 0 1 1 2
"""


class TestPennies(EnvironmentContract):
    public = make_module(MatrixRules(PENNIES, name="pennies_v0"))  # type: ignore[arg-type]
    tried = pytest.param({"rounds": 1}, marks=pytest.mark.slow), {"rounds": 3}


def test_a_known_value_and_its_strategies() -> None:
    game = matrix_game(UNEVEN, rows=["U", "D"], columns=["L", "R"])
    solution = solve(game)
    assert solution.start_value == pytest.approx(1.5, abs=EXACT)
    rows, columns = solution.strategies(0)
    assert rows == pytest.approx([0.25, 0.75], abs=EXACT) and columns == pytest.approx([0.5, 0.5], abs=EXACT)
    assert game.actions == ("U / L", "D / R") and game.text(game.step(0, 1, 0)) == "round 1: D against L"
    uniform = agents.make("random", game)
    assert exploitability(game, uniform, player=0) == pytest.approx(0.5, abs=EXACT)  # the columns win (0 + 2) / 2 = 1


def test_rounds_add_up() -> None:
    game = matrix_game(UNEVEN, rounds=4)
    assert solve(game).start_value == pytest.approx(6.0, abs=EXACT)
    assert game_problems(game) == []
    assert pickle.loads(pickle.dumps(game)) == game != matrix_game(UNEVEN, rounds=3)


def test_who_gives_up_loses_all_that_could_still_be_lost() -> None:
    game = matrix_game([[3.0, -1.0], [-4.0, 2.0]], rounds=3)
    later = [game.step(0, 1, 0)]
    later.append(game.step(later[0], 0, 1))
    later.append(game.step(later[1], 0, 0))
    assert [game.at_stake(code) for code in (0, *later)] == [12.0, 8.0, 4.0, 0.0]  # 4 in each round that is left


def test_as_many_rows_and_columns_as_there_can_be() -> None:
    matrix = np.random.default_rng(0).normal(size=(62, 5))
    solution = solve(matrix_game(matrix))
    rows, columns = solution.strategies(0)
    assert (rows @ matrix).min() == pytest.approx(solution.start_value, abs=EXACT)
    assert (matrix @ columns[:5]).max() == pytest.approx(solution.start_value, abs=EXACT)


@pytest.mark.parametrize(
    ("payoffs", "message"),
    [
        ([1.0, 2.0], r"a matrix with 1 to 62 rows and columns, not of the shape \(2,\)"),
        ([[]], r"not of the shape \(1, 0\)"),
        (np.zeros((63, 1)), r"not of the shape \(63, 1\)"),
        ([[1.0, float("nan")]], "must be finite, not nan as in row 0, column 1"),
        ([["a", "b"]], "must be a matrix of numbers"),
    ],
)
def test_payoffs_that_are_none(payoffs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        matrix_game(payoffs)


def test_other_wrong_use() -> None:
    with pytest.raises(ValueError, match="2 actions need as many different names, not U, U"):
        matrix_game(PENNIES, rows=["U", "U"])
    with pytest.raises(ValueError, match="rounds must be a whole number from 1 to 10000, not 0"):
        matrix_game(PENNIES, rounds=0)


class TestFiles:
    @pytest.mark.parametrize(
        ("text", "actions"),
        [
            ("3,0\n1,2\n", ("action 0", "action 1")),
            ("L,R\n3,0\n1,2\n", ("action 0 / L", "action 1 / R")),
            (",L,R\nU, 3, 0\nD, 1, 2\n\n", ("U / L", "D / R")),
            ("Rock,Paper\n3,0\n1,2\n", ("action 0 / Rock", "action 1 / Paper")),
        ],
    )
    def test_csv(self, tmp_path: Path, nashzoo: Command, text: str, actions: tuple[str, ...]) -> None:
        path = tmp_path / "uneven.csv"
        path.write_text(text)
        game = make_game(str(path))
        assert game.actions == actions and solve(game).start_value == pytest.approx(1.5, abs=EXACT)
        code, out, _ = nashzoo(f"solve {path} --param rounds=2")
        assert code == 0 and "value to player 0: 3 points" in out

    def test_nfg(self, tmp_path: Path, nashzoo: Command) -> None:
        path = tmp_path / "game.nfg"
        path.write_text(NFG)
        matrix = MatrixRules([[1, 0.5, -1], [-1, 2, 0]])
        game = make_game(str(path))
        assert solve(game).start_value == pytest.approx(solve(matrix_game(matrix._matrix)).start_value, abs=EXACT)
        path = tmp_path / "outcomes.nfg"
        path.write_text(OUTCOMES)
        expected = np.array([[1, 0, 1], [-2.5, 1, -2.5]])
        game = make_game(str(path))
        assert game.actions == ("up / left", "down / middle", "right")
        for row in range(2):
            for column in range(3):
                assert game.payoff(game.step(0, row, column)) == expected[row, column]
        code, out, _ = nashzoo(f"exploitability {path} nash")
        assert code == 0 and "exploitability 0.000000000" in out

    @pytest.mark.parametrize(
        ("name", "text", "told"),
        [
            ("x.csv", "", "x.csv is empty; a matrix has a line for each row"),
            ("x.csv", "1,2\n3\n", "x.csv: row 2 must be 2 numbers, as many as row 1, not ['3']"),
            ("x.nfg", "EFG 2 R", "it does not begin with NFG 1 R"),
            ("x.nfg", 'NFG 1 R "x" { "a" "b" "c" } { 2 2 2 } 1 2 3', "two players are wanted, and the game has 3"),
            ("x.nfg", 'NFG 1 R "x" { "a" "b" } { 1 2 } 1 -1 2 2', "is not zero-sum: 1 against 2 pays [2.0, 2.0]"),
            ("x.nfg", 'NFG 1 R "x" { "a" "b" } { 2 2 } 1 -1', "4 pairs of payoffs are wanted, and there are 1"),
        ],
    )  # fmt: skip
    def test_files_that_hold_none(self, tmp_path: Path, nashzoo: Command, name: str, text: str, told: str) -> None:
        path = tmp_path / name
        path.write_text(text)
        code, _, err = nashzoo(f"solve {path}")
        assert code == 2 and told in err and err.count("\n") == 1

    def test_a_file_that_is_not_there(self, nashzoo: Command) -> None:
        code, _, err = nashzoo("solve nowhere.csv")
        assert code == 2 and "nowhere.csv" in err

    def test_a_matrix_is_solved_like_a_game(self, nashzoo: Command, tmp_path: Path) -> None:
        (tmp_path / "uneven.csv").write_text("3,0\n1,2\n")
        assert nashzoo.json("solve --matrix uneven.csv") == nashzoo.json("solve uneven.csv")

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("", "name either a game or the file of a --matrix"),
            ("footsies_v0 --matrix x.csv", "name either a game or the file of a --matrix"),
            ("--matrix x.txt", "a matrix is a file of numbers, .csv, or of Gambit's strategic form, .nfg, not x.txt"),
        ],
    )
    def test_no_game_and_no_matrix(self, nashzoo: Command, words: str, message: str) -> None:
        code, _, err = nashzoo(f"solve {words}")
        assert code == 2 and message in err
