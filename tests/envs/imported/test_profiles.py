"""Lists of probabilities as Gambit's programs print them."""

import json
import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from command import Command
from nashzoo import agents
from nashzoo.baselines import exploitability, nash_conv
from nashzoo.envs import make_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.profiles import InformationSet, profile, read_profile

EXACT = 1e-9
# Bob's second set is between both of Alice's in the file, and its actions stand there in another order than in the
# first one; a third of his, with labels of its own, is after a chance that never comes.
POKER = """EFG 2 R "One card" { "Alice" "Bob" }
c "" 1 "cards" { "ace" 1/2 "never" 0 "king" 1/2 } 0
p "" 1 1 "ace" { "bet" "fold" } 0
p "" 2 7 "after a bet" { "call" "fold" } 0
t "" 1 "two" { 2 -2 }
t "" 2 "one" { 1 -1 }
p "" 2 3 "folded" { "fold" "call" } 0
t "" 3 "" { -1 1 }
t "" 3
p "" 2 9 "unseen" { "x" "y" "z" } 0
t "" 2
t "" 2
t "" 2
p "" 1 2 "king" { "bet" "fold" } 0
p "" 2 7 0
t "" 4 "" { -2 2 }
t "" 2
t "" 3
"""
# By hand: with an ace she bets, with a king in 1 of 3; he calls in 2 of 3.
EQUILIBRIUM = "NE,1,0,1/3,2/3,2/3,1/3,1,0,0,0,0\n"


@pytest.fixture
def poker(tmp_path: Path, nashzoo: Command) -> Path:
    (tmp_path / "card.efg").write_text(POKER)
    return tmp_path


def test_a_list_is_a_policy(poker: Path, nashzoo: Command) -> None:
    """The equilibrium is exploited by nobody. Who always calls loses 1/2 to bets with an ace alone, as she wins 1/2."""
    (poker / "nash.csv").write_text(EQUILIBRIUM)
    game = make_game("card.efg")
    assert nash_conv(game, agents.as_agent("nash.csv", game)) == pytest.approx(0.0, abs=EXACT)
    told = nashzoo.json("exploitability card.efg nash.csv")
    assert told["nash_conv"] == pytest.approx(0.0, abs=EXACT) and told["value"] == pytest.approx(1 / 3, abs=EXACT)
    (poker / "calls.csv").write_text("NE,1.0,0.0,0.0,1.0,1.0,0.0,0.5,0.5,0.0,1.0,0.0\n")
    calls = agents.as_agent("calls.csv", game)
    assert exploitability(game, calls, player=1) == pytest.approx(1 / 2 - 1 / 3, abs=EXACT)


def test_a_policy_is_written_as_a_list_and_read_back(poker: Path, nashzoo: Command) -> None:
    nashzoo.prints("export card.efg nash --format gambit --out written.csv")
    fields = (poker / "written.csv").read_text().strip().split(",")
    assert fields[0] == "NE" and fields[-3:] == ["1/3"] * 3
    assert [float(Fraction(field)) for field in fields[1:7]] == pytest.approx(
        [1, 0, 1 / 3, 2 / 3, 2 / 3, 1 / 3], abs=EXACT
    )
    assert nashzoo.json("exploitability card.efg written.csv")["nash_conv"] == pytest.approx(0.0, abs=EXACT)


def test_gambit_has_the_same_order(poker: Path) -> None:
    gambit = pytest.importorskip("pygambit")
    found = gambit.nash.lp_solve(gambit.read_efg("card.efg"), rational=True)
    profile = found.equilibrium if hasattr(found, "equilibrium") else found.equilibria[0]  # since version 17
    numbers = re.findall(r"Rational\((\d+), (\d+)\)", str(profile))
    (poker / "gambit.csv").write_text(",".join(["NE", *map("/".join, numbers)]))
    game = make_game("card.efg")
    assert nash_conv(game, agents.as_agent("gambit.csv", game)) == pytest.approx(0.0, abs=EXACT)


def test_a_set_to_which_a_profile_does_not_lead_may_be_left_open(poker: Path) -> None:
    game = make_game("card.efg")
    line = ["NE", "1", "0", "0", "1", "0", "0", "1", "0", "1", "0", "0"]
    rows = dict(read_profile(line, game.rules.written, game.num_actions))
    assert len(rows) == 3 and all(sum(row) == 1.0 for row in rows.values())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NE,1,0\n", "nash.csv: after NE there are 2 fields, and the 5 information sets of the game have 11 actions"),
        (EQUILIBRIUM * 2, "nash.csv: it has 2 lists of Gambit; keep the line of one"),
        (EQUILIBRIUM.replace("1/3,2/3,2/3", "1/3,x,2/3"), "a number for each, as Gambit prints it"),
        (EQUILIBRIUM.replace("NE,1,0", "NE,1,1"), "has probabilities that add up to 2, not 1"),
        (EQUILIBRIUM.replace("NE,1,0", "NE,1,x"), "field 2 after NE is 'x', and must be a probability"),
        (EQUILIBRIUM.replace("NE,1,0", "NE,nan,0"), "nash.csv: probabilities must be finite, not nan"),
        (EQUILIBRIUM.replace("NE,1,0", "NE,1/0,0"), "nash.csv: probabilities must be finite, not 1/0"),
        ("key,bet,fold\nace,1e999,0\n", "nash.csv: probabilities must be finite, not 1e999"),
        (EQUILIBRIUM.replace("NE,1,0", "NE,1e5000 %,0"), "nash.csv: probabilities must be finite, not 1e5000"),
    ],
)
def test_what_is_no_list_of_the_game_is_refused(poker: Path, nashzoo: Command, text: str, message: str) -> None:
    (poker / "nash.csv").write_text(text)
    assert message in nashzoo.refused("exploitability card.efg nash.csv")


def test_games_without_a_file_have_no_order(poker: Path, nashzoo: Command) -> None:
    (poker / "nash.csv").write_text(EQUILIBRIUM)
    message = "lists of Gambit are of games in its files, .efg and .gbt: export the game as efg first"
    assert message in nashzoo.refused("exploitability roshambo_v0 nash.csv --param rounds=1")
    assert message in nashzoo.refused("export roshambo_v0 random --format gambit --param rounds=1")
    (poker / "chance.efg").write_text(
        'EFG 2 R "" { "a" "b" }\nc "" 1 "" { "l" 1/2 "r" 1/2 } 0\nt "" 1 "" { 1 -1 }\nt "" 2 "" { -1 1 }\n'
    )
    for line in "exploitability chance.efg nash.csv", "export chance.efg random --format gambit":
        assert "nobody chooses in this game" in nashzoo.refused(line)


def test_a_player_who_forgets_plays_alike(poker: Path, nashzoo: Command) -> None:
    """Bob forgets which of two equal questions he was asked, and guesses heads or tails of a coin."""
    (poker / "forgets.efg").write_text(
        'EFG 2 R "" { "a" "b" }\np "" 2 1 "first" { "l" "r" } 0\n'
        'p "" 1 1 "hide" { "heads" "tails" } 0\np "" 2 2 "guess" { "heads" "tails" } 0\n'
        't "" 1 "" { 1 -1 }\nt "" 2 "" { -1 1 }\np "" 2 2 0\nt "" 2\nt "" 1\n'
        'p "" 1 1 0\np "" 2 2 0\nt "" 1\nt "" 2\np "" 2 2 0\nt "" 2\nt "" 1\n'
    )
    (poker / "nash.csv").write_text("NE,1/2,1/2,1,0,1/2,1/2\n")
    code, out, err = nashzoo("exploitability forgets.efg nash.csv --json")
    assert code == 0 and json.loads(out)["nash_conv"] == pytest.approx(0.0, abs=EXACT) and "without loss" in err
    (poker / "heads.csv").write_text("NE,1/2,1/2,1,0,1,0\n")
    game = make_game("forgets.efg")
    assert exploitability(game, agents.as_agent("heads.csv", game), player=1) == pytest.approx(1.0, abs=EXACT)
    assert nashzoo.prints("export forgets.efg random --format gambit --out r.csv") == "Written to r.csv."
    assert (poker / "r.csv").read_text() == "NE,1/2,1/2,1/2,1/2,1/2,1/2\n"
    told = "key,heads,tails,l,r\nhide,1/2,1/2,,\nfirst,,,1/2,1/2\n"
    with pytest.raises(UsageError, match="no row for 2 information sets"):
        (poker / "part.csv").write_text(told)
        exploitability(game, agents.as_agent("part.csv(key=label)", game), player=1)


# Chance may end play before the first choice, or the first node pays; then matching pennies. By hand: nobody wins by
# changing from halves; against heads alone Bob wins 1 instead of 0, where play comes to that.
PENNIES = """p "" 1 1 "mine" { "h" "t" } 0
p "" 2 1 "yours" { "H" "T" } 0
t "" 2 "" { 1 -1 }
t "" 3 "" { -1 1 }
p "" 2 1 0
t "" 4 "" { -1 1 }
t "" 5 "" { 1 -1 }
"""
EARLY: dict[str, tuple[str, float]] = {
    "chance ends it": ('c "" 1 "" { "stop" 1/2 "on" 1/2 } 0\nt "" 1 "" { 1 -1 }\n' + PENNIES, 1 / 2),
    "paid at the root": (PENNIES.replace('"t" } 0', '"t" } 9 "" { 3 -3 }'), 1),
}


@pytest.mark.parametrize("text, lost", EARLY.values(), ids=EARLY)
def test_where_play_can_only_go_on_a_table_needs_no_row(poker: Path, nashzoo: Command, text: str, lost: float) -> None:
    (poker / "early.efg").write_text('EFG 2 R "" { "A" "B" }\n' + text)
    nashzoo.prints("export early.efg nash --format gambit --out nash.csv")
    assert (poker / "nash.csv").read_text() == "NE,1/2,1/2,1/2,1/2\n"
    (poker / "heads.csv").write_text("NE,1,0,1/2,1/2\n")
    (poker / "labels.json").write_text('{"mine": [0.5, 0.5], "yours": {"H": 0.5, "T": 0.5}}')
    for table, expected in ("nash.csv", 0.0), ("heads.csv", lost), ("labels.json", 0.0):
        told = nashzoo.json(f"exploitability early.efg {table}")
        assert told["table"]["missing"] == [] and told["player_1"] == pytest.approx(0.0, abs=EXACT)
        assert told["player_0"] == told["nash_conv"] == pytest.approx(expected, abs=EXACT)


# Alice chooses twice, and forgets the first choice; Bob is not asked if it does not matter. She can secure 1 by a, then
# y, or win nothing certain by b: the last row of a past to which she does not go says nothing.
FORGETS = """EFG 2 R "" { "A" "B" }
p "" 1 1 "first" { "a" "b" } 0
p "" 1 2 "second" { "x" "y" } 0
p "" 2 1 "bob" { "l" "r" } 0
t "" 1 "" { 2 SUM-2 }
t "" 2 "" { 1 SUM-1 }
t "" 3 "" { 1 SUM-1 }
p "" 1 2 "second" { "x" "y" } 0
p "" 2 1 "bob" { "l" "r" } 0
t "" 4 "" { 1 SUM-1 }
t "" 5 "" { 0 SUM }
t "" 6 "" { 0 SUM }
"""


def forgets(total: int) -> str:
    return re.sub(r"SUM(-\d)?", lambda found: str(total - int((found[1] or "-0")[1:])), FORGETS)


def test_a_past_to_which_the_player_does_not_go_has_no_say_in_a_list(poker: Path, nashzoo: Command) -> None:
    """Which of two best mixes at the second set is found is the solver's: what is written is an equilibrium."""
    (poker / "forgets.efg").write_text(forgets(0))
    code, _, err = nashzoo("export forgets.efg nash --format gambit --out nash.csv")
    assert code == 0, err
    assert (poker / "nash.csv").read_text().startswith("NE,1,0,")
    code, out, _ = nashzoo("exploitability forgets.efg nash.csv --json")
    assert json.loads(out)["nash_conv"] == pytest.approx(0.0, abs=EXACT)


def test_a_list_has_the_row_of_the_past_that_is_reached() -> None:
    rules = SimpleNamespace(sets=[InformationSet(0, 1, (0, 1), (5, 6, 7))])

    def row_at(player: int, code: int) -> np.ndarray:
        return {5: np.array([0.5, 0.5]), 6: np.array([0.0, 1.0]), 7: np.array([1e-12, 1.0])}[code]

    assert profile(rules, row_at, lambda player: {5: 0.0, 6: 0.75, 7: 0.25}) == "NE,0,1\n"
    assert profile(rules, row_at, lambda player: {5: 0.0, 6: 0.0, 7: 0.0}) == "NE,1/2,1/2\n"
    with pytest.raises(UsageError, match="player 0 does not forget what it should at information set 1"):
        profile(rules, row_at, lambda player: {5: 0.25, 6: 0.75, 7: 0.0})


def test_player_1_wins_what_the_file_pays_it(poker: Path, nashzoo: Command) -> None:
    """The value is 1 to Alice; of 3 points Bob wins the other 2, as ``solve`` says."""
    (poker / "three.efg").write_text(forgets(3))
    (poker / "nash.csv").write_text("NE,1,0,0,1,0,1\n")
    _, out, _ = nashzoo("solve three.efg --json")
    solved = json.loads(out)
    _, out, _ = nashzoo("exploitability three.efg nash.csv --json")
    told = json.loads(out)
    assert told["best_response_1"] == pytest.approx(2.0, abs=EXACT) == solved["value1"]
    assert told["best_response_0"] == pytest.approx(1.0, abs=EXACT) == solved["value"]
    _, out, _ = nashzoo("exploitability three.efg nash.csv")
    assert "best response wins 1.000000000 as red best response wins 2.000000000 as blue" in out
