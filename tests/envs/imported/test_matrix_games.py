"""Matrix games from arrays and files: values that are known, and what is refused."""

import pickle
from decimal import Decimal
from fractions import Fraction
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
from nashzoo.envs.base.errors import UsageError
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
        ([1.0, 2.0], r"a matrix with rows and columns, not of the shape \(2,\)"),
        ([[]], r"not of the shape \(1, 0\)"),
        (np.zeros((63, 1)), r"63 rows, 1 column\): a Game has at most 62 of each"),
        ([[1.0, float("nan")]], "must be finite, not nan as in row 0, column 1"),
        ([["a", "b"]], "must be a matrix of numbers"),
    ],
)
def test_payoffs_that_are_none(payoffs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        matrix_game(payoffs)


@pytest.mark.parametrize(
    ("payoffs", "message"),
    [
        ([PENNIES, PENNIES], "must be one matrix, of player 0, as player 1 gets its negative, not 2"),
        ([[2**53 + 1, 0.5]], r"double precision makes 9007199254740992.0 of the payoff 9007199254740993"),
        (np.array([[2**53 + 1]]), r"double precision makes 9007199254740992.0 of the payoff 9007199254740993"),
        (np.array([[2**63 - 1]]), r"double precision makes 9.223372036854776e\+18 of the payoff 9223372036854775807"),
        ([[10**400]], "must be a matrix of numbers"),
        ([[1e308, -1e308]], r"must be from -1e\+100 to 1e\+100"),
    ],
)
def test_payoffs_that_double_precision_does_not_hold(payoffs: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        matrix_game(payoffs)


def test_numbers_that_it_holds() -> None:
    assert solve(matrix_game([[2**53, 10**22]])).start_value == 2**53
    assert solve(matrix_game([[Fraction(1, 3), Decimal("0.5")]])).start_value == pytest.approx(1 / 3, abs=EXACT)


def test_names_of_actions() -> None:
    assert matrix_game(PENNIES, rows=[0, 1], columns=[0, 1]).actions == ("0", "1")  # type: ignore[list-item]
    with pytest.raises(UsageError, match=r"an action needs a name, and one of \['U', ' '\] is empty"):
        matrix_game(PENNIES, rows=["U", " "])
    with pytest.raises(UsageError, match="takes one matrix, of player 0, as player 1 gets its negative"):
        matrix_game(PENNIES, PENNIES)  # type: ignore[arg-type]


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
        assert code == 0 and "value to red: 3 points" in out

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
        assert code == 0 and "exploitability 0 points per game" in out

    @pytest.mark.parametrize(
        ("text", "value", "actions"),
        [
            (",0,1\n0,-1,0\n1,0,-1\n", -0.5, ("0", "1")),  # as pandas writes a table
            (" ,1,2,3\n1,0,-1,2\n2,1,0,-1\n3,-2,1,0\n", 0.0, ("1", "2", "3")),
            ("0,1\n0,-1,0\n1,0,-1\n", -0.5, ("0", "1")),  # as R does
            ("V1,V2\n1,-1,0\n2,0,-1\n", -0.5, ("1 / V1", "2 / V2")),
            ("L,R\nU,3,0\n", 0.0, ("U / L", "R")),
            (",L,R\n3,0\n1,2\n", 1.5, ("action 0 / L", "action 1 / R")),
            ("x,L,R\n3,0\n1,2\n", 1.5, ("action 0 / L", "action 1 / R")),
            ("0,L,R\nU,3,0\nD,1,2\n", 1.5, ("U / L", "D / R")),
            ("U,3,0\nD,1,2\n", 1.5, ("U / action 0", "D / action 1")),
            ("\ufeff3,0\n1,2\n", 1.5, ("action 0", "action 1")),  # as Excel marks UTF-8
            ("3/2,0\n1/2,1\n", 0.75, ("action 0", "action 1")),
            ("1,5;0\n0,5;1\n", 0.75, ("action 0", "action 1")),  # decimal commas
            (
                "58%,95 %\n93%,70%\n",
                (0.58 * 0.70 - 0.95 * 0.93) / (0.58 + 0.70 - 0.95 - 0.93),
                ("action 0", "action 1"),
            ),
            (",10%,20%\n10%,3,0\n20%,1,2\n", 1.5, ("10%", "20%")),
            ("U;37,5%;-0,5%\nD;0%;1/2\n", 0.375 * 0.5 / (0.375 + 0.5 + 0.005), ("U / action 0", "D / action 1")),
            ("\N{MINUS SIGN}1,0\n0,\N{MINUS SIGN}1\n", -0.5, ("action 0", "action 1")),
            ("100000000.1,100000000.1\n", 100000000.1, ("action 0", "action 1")),
            ("0,1\n1,0\n", 0.5, ("action 0", "action 1")),
            ("1,2,3\n2,3,1\n3,1,2\n", 2.0, ("action 0", "action 1", "action 2")),
            ("0,-1,1\n1,0,-1\n-1,1,0\n", 0.0, ("action 0", "action 1", "action 2")),
            ("0.0,1.0,2.0\n1,0,1\n2,1,0\n", 1.0, ("action 0", "action 1", "action 2")),
            ("1,0\n0.5,0.5\n", 0.5, ("action 0", "action 1")),
            ("0.0,1.0\n1.0,0.0\n", 0.5, ("action 0", "action 1")),
            ("1,0\n0.0,1.5\n0.5,1\n", 2 / 3, ("action 0", "action 1", "action 2")),
        ],
    )
    def test_names_and_payoffs_in_csv(self, tmp_path: Path, text: str, value: float, actions: tuple[str, ...]) -> None:
        path = tmp_path / "x.csv"
        path.write_text(text, encoding="utf-8")
        game = make_game(str(path))
        assert game.actions == actions and solve(game).start_value == pytest.approx(value, abs=EXACT)

    @pytest.mark.parametrize(
        "text",
        [
            "0,1,2\n1,0,1\n2,1,0\n",  # distances, or two actions with an odd first field
            "0,1\n3,0\n1,2\n",  # as pandas writes without an index
            "0,3,0\n1,1,2\n",  # and without a header
            "9,1,2\n1,3,0\n2,1,2\n",
            "strategy,0,1\n0,-1,0\n1,0,-1\n",  # and with the name of the index
            "strategy,L,R\n0,3,0\n1,1,2\n",
            "strategy,0,1\nU,-1,0\nD,0,-1\n",
            "L,0\n3,0\n1,2\n",
            "0,L,R\n0,3,0\n1,1,2\n",
            "3,0\n1,2\nU,4\n",
            "10,20\n3.0,0.0\n1.0,2.0\n",  # as pandas writes floats without an index
            "10,20\n0.25,0.75\n0.5,0.125\n",
            "10,20\n3.0,0.0\n",
            "10%,20%\n3,0\n1,2\n",
            "10%,3,0\n20%,1,2\n",
        ],
    )
    def test_numbers_that_may_be_names_are_refused(self, tmp_path: Path, nashzoo: Command, text: str) -> None:
        (tmp_path / "x.csv").write_text(text)
        code, out, err = nashzoo("solve --matrix x.csv")
        assert code == 2 and out == "" and err.count("\n") == 1
        assert "may be names or payoffs; if they are names, leave the first field empty; if they are payoffs" in err
        assert not text.startswith("10,20") or "write 10.0 for 10; pandas leaves that field empty" in err

    @pytest.mark.parametrize(
        ("name", "content", "told"),
        [
            ("x.csv", bytes(range(256)), "x.csv is no text in UTF-8: its byte 128 is none"),
            ("x.nfg", bytes(range(256)), "x.nfg is no text in UTF-8: its byte 128 is none"),
            ("x.csv", b'1,2\n3,"' + b"4" * 200_000, "x.csv is no CSV: field larger than field limit"),
            ("x.csv", b"1,2\n3,1e308\n", "x.csv: payoffs must be from -1e+100 to 1e+100"),
            ("x.csv", b"1,2\n3,1e-999999999\n", "payoffs must be numbers of double precision, not 1e-999999999"),
            ("x.csv", b"1,2\n3,1/0\n", "x.csv: payoffs must be finite, not 1/0"),
            ("x.csv", b"1,2\n3,-inf\n", "x.csv: payoffs must be finite, not -inf"),
            ("x.csv", b"1;2\n3;1,000\n", "1,000 may be 1.000 or 1000: write the one that is meant without commas"),
            ("x.csv", b"1,2\n3,9007199254740993\n", "double precision makes 9007199254740992.0 of the payoff"),
            ("x.csv", b",L,\nU,1,2\nD,1,2\n", "an action needs a name, and one of ['L', ''] is empty"),
            ("x.csv", b",0,0\n0,1,2\n1,1,2\n", "2 actions need as many different names, not 0, 0"),
            ("x.nfg", b'NFG 1 R "x" ' + b"{ " * 100_000, "line 1: the name of a player in quotes is wanted, not '{'"),
            ("x.nfg", b'NFG 1 R "x" { "a" "b" } { 1 99999999999 } 1 -1', "99999999999 pairs of payoffs are wanted"),
            ("x.nfg", b'NFG 1 R "x" { "a" "b" } { 1 1 } 1 -1 2 -2', "1 pairs of payoffs are wanted, and there are 2"),
            ("x.nfg", b'NFG 1 R "x" { "a" "b" } { 1 2 } 1 -1 1e-10 5e-10', "1 against 2 pays 1e-10 and 5e-10"),
            ("x.nfg", b'NFG 1 R "x" { "a" "b" } { 1 2 } 1e10 -10000000000.000001 1 -1', "is not constant: 1 against 2"),
            ("x.nfg", b'NFG 1 R "x" { "a" "b" } { 1 1 } { { "o" 1 -1 } } -1', "is no outcome -1; they are 1 to 1"),
            ("x.nfg", b'NFG 1 R "x" { "a" "b" } { 1 1 } { { "o" 1 -1 } } 2', "is no outcome 2; they are 1 to 1"),
            ("x.nfg", b'NFG 1 R "x" { "a" "b" } { 1 1 } 1 -1 2', "a payoff is missing: there is one for each player"),
            ("x.nfg", b'NFG 1 R "x" { "a" "b" } { { "U" } 2 } 1 -1 2 -2', "a list in braces is wanted, not '2'"),
            ("x.nfg", b'NFG 1 R "x" { "a" "b } { 1 1 } 1 -1', "line 1: the name of a player in quotes is wanted, not"),
        ],
    )  # fmt: skip
    def test_files_that_cannot_be_used(
        self, tmp_path: Path, nashzoo: Command, name: str, content: bytes, told: str
    ) -> None:
        (tmp_path / name).write_bytes(content)
        code, _, err = nashzoo(f"solve --matrix {name}")
        assert code == 2 and told in err and err.count("\n") == 1

    def test_payoffs_of_nfg_are_compared_as_they_are_written(self, tmp_path: Path) -> None:
        (tmp_path / "x.nfg").write_text('NFG 1 R "x" { "a" "b" } { 1 2 } 1/3 -1/3 0.1 -1/10')
        assert solve(make_game(str(tmp_path / "x.nfg"))).start_value == pytest.approx(0.1, abs=EXACT)

    @pytest.mark.parametrize(
        ("name", "text", "told"),
        [
            ("x.csv", "", "x.csv is empty; a matrix has a line for each row"),
            ("x.csv", "1,2\n3\n", "x.csv: row 2 must be 2 numbers, as many as row 1, not ['3']"),
            ("x.nfg", "EFG 2 R", "it does not begin with NFG 1 R"),
            ("x.nfg", 'NFG 1 R "x" { "a" "b" "c" } { 2 2 2 } 1 2 3', "the game has 3 players (a, b, c)"),
            ("x.nfg", 'NFG 1 R "x" { "a" "b" } { 1 2 } 1 -1 2 2', "1 against 2 pays 2 and 2, and 1 against 1 1 and -1"),
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
            (
                "--matrix x.txt",
                "a matrix is a .csv or .tsv file of numbers, or Gambit's strategic form, .nfg, not x.txt",
            ),
        ],
    )
    def test_no_game_and_no_matrix(self, nashzoo: Command, words: str, message: str) -> None:
        code, _, err = nashzoo(f"solve {words}")
        assert code == 2 and message in err


def test_a_file_is_read_again_when_it_or_the_folder_is_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    for text, value in (("1,-1\n-1,1\n", 0), ("5,3\n2,9\n", 13 / 3)):  # (5 * 9 - 3 * 2) / (5 + 9 - 3 - 2)
        Path("m.csv").write_text(text)
        assert solve(make_game("m.csv")).start_value == pytest.approx(value, abs=EXACT)
    monkeypatch.chdir("other")
    Path("m.csv").write_text("7,7\n7,7\n")
    assert solve(make_game("m.csv")).start_value == pytest.approx(7, abs=EXACT)


def test_a_table_of_pandas_whose_rows_and_columns_have_names_is_read(tmp_path: Path) -> None:
    path = tmp_path / "named.csv"
    path.write_text("opponent,0,1\nme,,\n0,-1,0\n1,0,-1\n")
    game = make_game(str(path))
    assert solve(game).start_value == pytest.approx(-0.5, abs=EXACT) and game.actions == ("0", "1")
    path.write_text("1e23,0\n0,1e23\n")
    assert solve(make_game(str(path))).start_value == pytest.approx(5e22)


def test_the_advice_for_a_file_that_may_be_read_in_two_ways_leads_on(tmp_path: Path) -> None:
    path = tmp_path / "doubtful.csv"
    path.write_text("me,0,1\n0,1,-1\n1,-1,1\n")
    with pytest.raises(UsageError, match=r"write 0\.0 for 0 and 1\.0 for 1, and words for the columns beside me$"):
        make_game(str(path))
    path.write_text("me,you,it\n0.0,1.0,-1.0\n1.0,-1.0,1.0\n")  # the payoffs of a game with three columns
    assert make_game(str(path)).actions[:2] == ("action 0 / me", "action 1 / you")
    path.write_text(",0,1\n0,1,-1\n1,-1,1\n")
    assert make_game(str(path)).actions == ("0", "1")


def test_fields_may_be_separated_by_tabs(tmp_path: Path) -> None:
    for name in ("tabs.csv", "tabs.tsv"):
        path = tmp_path / name
        path.write_text("\tL\tR\nU\t3,5\t0\nD\t1\t2,5\n")  # (3.5 * 2.5 - 1 * 0) / (3.5 + 2.5 - 1 - 0)
        assert solve(make_game(str(path))).start_value == pytest.approx(1.75, abs=EXACT)
    (tmp_path / "one.tsv").write_text("0,5\n1,5\n")  # a decimal comma, and one column
    assert solve(make_game(str(tmp_path / "one.tsv"))).start_value == pytest.approx(1.5, abs=EXACT)
