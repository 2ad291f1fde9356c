"""What ``nashzoo solve --all`` says."""

from pathlib import Path

import pytest

from command import Command

KUHN = Path(__file__).resolve().parents[2] / "examples" / "games" / "kuhn.py"
ACE = """EFG 2 R "Guess the ace" { "Alice" "Bob" }
c "" 1 "" { "ace" 1/52 "other" 51/52 } 0
p "" 1 1 "Low" { "yes" "quit" } 0
p "" 2 1 "High" { "ace" "notace" } 0
t "" 1 "" { -1000 1000 }
t "" 2 "" { 1000 -1000 }
t "" 3 "" { 0 0 }
p "" 1 1 "Low" { "yes" "quit" } 0
p "" 2 1 "High" { "ace" "notace" } 0
t "" 4 "" { 1000 -1000 }
t "" 5 "" { -1000 1000 }
t "" 6 "" { 0 0 }
"""


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    """The last row alone secures 0; the columns may play whatever concedes 0 against all rows."""
    path = tmp_path / "shifted.csv"
    path.write_text("0,1,-1\n-1,0,2\n0,1,-1\n0,0,0\n")
    return path


def test_kuhns_family_is_told_by_its_parameter(nashzoo: Command) -> None:
    """Kuhn (1950): a bet of the lowest card with probability alpha, of the highest with 3 alpha, up to 1/3."""
    code, out, err = nashzoo.raw(f"solve {KUHN} --all")
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    out = " ".join(out.split())
    assert "kuhn_v0 has several equilibria" in out
    for told in ("bet alpha (0 to 1/3)", "bet 3 alpha (0 to 1)", "bet 1/3 + alpha (1/3 to 2/3)"):
        assert told in out


def test_one_decision_is_that_of_a_state(nashzoo: Command) -> None:
    assert nashzoo.prints(f"solve {KUHN} --all --at dealt=1,card0=1").endswith(": pass 2/3 to 1, bet 0 to 1/3")
    answer = nashzoo.json("solve tictactoe_v0 --all --at crosses=1")
    (decision,) = answer["decisions"]
    assert decision["player"] == 1 and decision["ranges"]["4"] == [1.0, 1.0] and len(decision["never"]) == 7
    assert decision["vertices"] == [{"4": "1"}] and answer["lost"] == 0 and "unique" not in answer


def test_vertices_of_a_matrix_are_fractions(nashzoo: Command, matrix: Path) -> None:
    """With q the columns' mix, q1 <= q2 and 2 q2 <= q0: by hand, three vertices."""
    out = nashzoo.prints(f"solve --matrix {matrix} --all")
    for told in ("action 0 1/2 to 1", "vertex: action 0 2/3, action 2 1/3", "action 0 1/2, action 1 1/4, action 2 1/4"):
        assert told in out
    answer = nashzoo.json(f"solve --matrix {matrix} --all")
    assert answer["unique"] is False and [one["player"] for one in answer["decisions"]] == [0, 1]
    assert {"action 0": "2/3", "action 2": "1/3"} in answer["decisions"][1]["vertices"]


def test_vertices_that_are_exact_lose_nothing(nashzoo: Command, tmp_path: Path) -> None:
    """The columns alike in pairs; the rows mix by thirds, which are no floats."""
    (tmp_path / "m.csv").write_text("2,2,0,0\n0,0,1,1\n")
    out = nashzoo.prints(f"solve --matrix {tmp_path / 'm.csv'} --all")
    assert "action 0 0 to 1/3" in out and "lose at most" not in out


def test_a_decision_has_its_name_of_the_file(nashzoo: Command, tmp_path: Path) -> None:
    (tmp_path / "ace.efg").write_text(ACE)
    (tmp_path / "alike.efg").write_text(ACE.replace('"Low"', '"High"'))
    assert "blue at High: ace 1 - alpha (0 to 1/2)" in nashzoo.prints(f"solve {tmp_path / 'ace.efg'} --all")
    assert nashzoo.json(f"solve {tmp_path / 'ace.efg'} --at High")["seen1"] == "High"
    said = nashzoo.refused(f"solve {tmp_path / 'alike.efg'} --at High")
    assert said.startswith("High is the name of number=") and said.endswith(": say which")


def test_one_equilibrium_is_told_as_such(nashzoo: Command) -> None:
    out = nashzoo.prints("solve roshambo_v0 --param rounds=1 --all")
    assert "has one equilibrium" in out and "blue at played=0, recalled=0: Rock 1/3, Paper 1/3, Scissors 1/3" in out


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("tictactoe_v0 --bounds", "--all goes with --at, --out and --tolerance alone: leave out --bounds"),
        ("tictactoe_v0 --tolerance 1", "nothing is hidden in tictactoe_v0"),
        (f"{KUHN} --out kuhn.npz", "solutions of kuhn_v0 are not kept in files"),
        (f"{KUHN} --at dealt=0", "nobody chooses at"),
    ],
)
def test_what_does_not_fit_is_refused(nashzoo: Command, options: str, why: str) -> None:
    assert why in nashzoo.refused(f"solve {options} --all --quiet")
