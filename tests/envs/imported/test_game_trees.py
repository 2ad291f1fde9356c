"""Trees in files of other programs: each trap, values by a program of their own, and what is refused."""

import json
import pickle
from pathlib import Path

import pytest

from command import Command
from nashzoo import agents
from nashzoo.baselines import evaluate, exploitability, solve
from nashzoo.baselines.game_problems import game_problems
from nashzoo.envs import Game, make_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.efg import read_efg
from nashzoo.envs.imported.exact_numbers import distribution
from nashzoo.envs.imported.trees import distinct
from sequence_program import value_by_program

EXACT = 1e-9

# A card, ace or king, that player 0 alone sees; it bets or folds, and player 1 calls or folds. By hand: with an ace it
# bets, with a king in 1 of 3; player 1 calls in 2 of 3. Folding pays -1, a bet that is folded to 1, a call 2 or -2.
POKER = """EFG 2 R "One card" { "Alice" "Bob" } "a comment
over two lines"
c "" 1 "cards" { "ace" 1/2 "king" 0.5 } 0
p "" 1 1 "ace" { "bet" "fold" } 0
p "" 2 1 "bet" { "call" "fold" } 0
t "" 1 "two" { 2, -2 }
t "" 2 "one" { 1 -1 }
t "" 3 "" { -1,1 }
p "" 1 2 "king" { "bet" "fold" } 0
p "" 2 1 0
t "" 4 "" { -2, 2, }
t "" 2
t "" 3
"""
# The same with payoffs that sum to 10, and all that may be written otherwise: a chance that never comes, with a sum of
# its own and its own information set; payoffs at inner nodes; labels that are missing, or not unique; numbers of
# information sets that both players have, in any order; and outcomes that are used again.
TRAPS = r"""EFG 2 D "Traps \"and\" tricks" { "Alice" "" }
c "here" 7 "" { "ace" 1/2 "never" 0 "king" 5e-1 } 12 "" { 5 5 }
p "here" 1 99 "" { "" "" } 1 "bet" { 1.0e0, -1 }
p "" 2 99 "x" { "call" "call" } 0
t "same" 3 "" { 1, -1 }
t "same" 0
t "" 5 "" { -2,2 }
t "" 4 "" { 1e3 .25 }
p "" 1 3 "" { "" "" } 1
p "here" 2 99 "x" { "call" "call" } 0
t "" 6 "" { -3 3 }
t "" 0
t "" 5
"""
LITEEFG = """# as LiteEFG writes it
node / chance actions ace=0.5 king=0.5
node /C:ace player 1 actions bet fold
node /C:ace/P1:bet player 2 actions call fold
node /C:ace/P1:bet/P2:call leaf payoffs 1=2 2=-2
node /C:ace/P1:bet/P2:fold leaf payoffs 1=1 2=-1
node /C:ace/P1:fold leaf payoffs 1=-1 2=1
node /C:king/P1:bet player 2 actions call fold
node /C:king/P1:bet/P2:call leaf payoffs 1=-2 2=2
node /C:king/P1:bet/P2:fold leaf payoffs 1=1 2=-1
node /C:king/P1:fold leaf payoffs 1=-1 2=1
node /C:king player 1 actions bet fold

infoset bet nodes /C:ace/P1:bet /C:king/P1:bet
"""
# Chance pays and ends play before anybody chooses: half of 6, and half of the value 1/2 of pennies that pay 0 or 1.
EARLY = """EFG 2 R "Early" { "A" "B" }
c "" 1 "" { "over" 0.5 "on" 0.5 } 1 "" { 2 0 }
t "" 2 "" { 4 1 }
p "" 1 1 "" { "heads" "tails" } 3 "" { 0 4 }
p "" 2 1 "" { "heads" "tails" } 0
t "" 4 "" { 1 0 }
t "" 5 "" { 0 1 }
p "" 2 1 0
t "" 5
t "" 4
"""


def game_in(folder: Path, text: str, name: str = "game.efg") -> Game:
    (folder / name).write_text(text, encoding="utf-8")
    return make_game(folder / name)


@pytest.mark.parametrize(
    ("text", "value", "total"), [(POKER, 1 / 3, 0.0), (TRAPS, 5 + 1 / 3, 10.0), (EARLY, 3.25 + 1, 7.0)]
)
def test_a_tree_has_the_value_of_its_sequence_form(tmp_path: Path, text: str, value: float, total: float) -> None:
    game = game_in(tmp_path, text)
    assert value_by_program(read_efg(text)) == pytest.approx(value, abs=EXACT)
    assert game.points(solve(game).start_value) == pytest.approx(value, abs=EXACT)
    assert game.constant_sum == total and game.hides and game_problems(game) == []
    assert pickle.loads(pickle.dumps(game)) == game


def test_the_names_of_a_file_are_those_of_the_game(tmp_path: Path) -> None:
    game = game_in(tmp_path, POKER)
    assert game.actions == ("bet", "fold", "call")
    start = int(game.start_codes[0])
    ace = int(game.outcomes(start)[0][0])
    bet = game.step(ace, 0, 0)
    assert game.text(start) == "start" and game.text(bet) == "ace, bet"
    assert game.text(game.information_state(ace, 0)) == "Alice sees ace, and has not chosen yet\nchoices: bet, fold"
    assert game.text(game.information_state(bet, 1)) == "Bob sees bet, and has not chosen yet\nchoices: call, fold"
    assert game.text(game.information_state(bet, 0)) == "Alice waits, and last chose bet"
    assert [game.actions[action] for action in game.legal_actions(bet, 1)] == ["fold", "call"]
    assert game.payoff(game.step(bet, 0, 2)) == 2.0 and game.payoff(game.step(bet, 0, 1)) == 1.0


def test_the_same_game_in_all_files_of_trees(tmp_path: Path) -> None:
    head = '<?xml version="1.0"?>\n<gambit:document xmlns:gambit="x"><colors/>\n<game>\n<efgfile>\n'
    gbt = f"{head}{POKER.replace('ace', 'ace & <co>')}</efgfile>\n<analysis/></game></gambit:document>"
    escaped = head + POKER.replace('"', "&quot;") + "</efgfile></game></gambit:document>"
    nfg = '<game><nfgfile>NFG 1 R "x" { "a" "b" } { 1 2 } 5 1 4 2</nfgfile></game>'
    for name, text in (("a.efg", "\ufeff" + POKER), ("b.gbt", gbt), ("c.gbt", escaped), ("d.game", LITEEFG)):
        assert solve(game_in(tmp_path, text, name)).start_value == pytest.approx(1 / 3, abs=EXACT)
    game = game_in(tmp_path, nfg, "e.gbt")
    assert game.points(solve(game).start_value) == 4.0 and game.constant_sum == 6.0
    with pytest.raises(UsageError, match=r"f\.gbt: line 6: an information set needs an action"):
        game_in(tmp_path, head + 'EFG 2 R "" { "a" "b" }\np "" 1 1 "" { } 0\n</efgfile>', "f.gbt")
    with pytest.raises(UsageError, match=r"g\.gbt: it has no game in it: neither <efgfile> nor <nfgfile>"):
        game_in(tmp_path, "<game></game>", "g.gbt")


def test_a_constant_sum_is_shown_in_the_points_of_the_file(tmp_path: Path, nashzoo: Command) -> None:
    game_in(tmp_path, TRAPS)
    told = nashzoo.json("solve game.efg")
    assert (told["value"], told["value1"]) == (pytest.approx(16 / 3, abs=EXACT), pytest.approx(14 / 3, abs=EXACT))
    code, out, _ = nashzoo("solve game.efg")
    assert code == 0 and "value to red: 5.33333333 points value to blue: 4.66666667 points" in out
    told = nashzoo.json("exploitability game.efg nash")
    assert told["nash_conv"] == pytest.approx(0.0, abs=EXACT)
    (tmp_path / "m.nfg").write_text('NFG 1 R "x" { "a" "b" } { 2 2 } 3 1 1 3 0 4 2 2')  # rows 3, 0 and 1, 2
    told = nashzoo.json("solve m.nfg --param rounds=2")
    assert (told["value"], told["value1"]) == (pytest.approx(3.0, abs=EXACT), pytest.approx(5.0, abs=EXACT))
    game = make_game("m.nfg")
    assert pickle.loads(pickle.dumps(game)) == game and game.constant_sum == 4.0
    assert "value1" not in nashzoo.json("solve roshambo_v0 --param rounds=1")


def test_trees_of_perfect_information_are_solved_backwards(tmp_path: Path) -> None:
    # Gambit's centipede form: each may stop; the sum is constant, so the first stops at once if that pays more.
    text = (
        'EFG 2 R "" { "a" "b" } p "" 1 1 "" { "stop" "go" } 0 t "" 1 "" { 3 1 } '
        'p "" 2 1 "" { "stop" "go" } 0 t "" 2 "" { 1 3 } t "" 3 "" { 4 0 }'
    )
    game = game_in(tmp_path, text)
    solution = solve(game)
    assert not game.hides and game.points(solution.start_value) == 3.0 and solution.distance(0) == 1
    uniform = agents.make("random", game)
    assert exploitability(game, uniform, player=0) == pytest.approx(3 - (3 + 1) / 2, abs=EXACT)
    assert game.points(evaluate(game, uniform, uniform)) == pytest.approx((3 + 2.5) / 2, abs=EXACT)


def test_more_names_than_there_can_be_actions_are_numbered(tmp_path: Path) -> None:
    names = " ".join(f'"n{k}"' for k in range(40)), " ".join(f'"m{k}"' for k in range(40))
    ends = "\n".join(f't "" {k + 1} "" {{ {k} {-k} }}' for k in range(40))
    again = "\n".join(f't "" {k + 1}' for k in range(40))
    moves = "\n".join(f'p "" 2 1 "" {{ {names[1]} }} 0\n{again if k else ends}' for k in range(40))
    game = game_in(tmp_path, f'EFG 2 R "" {{ "a" "b" }}\np "" 1 1 "" {{ {names[0]} }} 0\n{moves}')
    assert game.actions[::39] == ("action 1", "action 40") and solve(game).start_value == pytest.approx(0.0, abs=EXACT)
    assert "choices: n0, n1, n2" in game.text(game.information_state(0, 0))


def test_a_deep_tree_is_read(tmp_path: Path) -> None:
    nodes = "\n".join(
        f'p "" {k % 2 + 1} {k} "" {{ "stop" "go" }} 0\nt "" {k + 1} "" {{ {k % 7} {-(k % 7)} }}' for k in range(1_500)
    )
    game = game_in(tmp_path, f'EFG 2 R "" {{ "a" "b" }}\n{nodes}\nt "" 9999 "" {{ 0 0 }}')
    assert len(game.rules.written.graph.turns) == 3_001


HEAD = 'EFG 2 R "" { "a" "b" }\n'
PLAYED = 'p "" 1 1 "" { "L" "R" } 0\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('EFG 2 R "" { "a" "b" "c" }\n', "the game has 3 players (a, b, c); a game here has two"),
        ("NFG 1 R", "it does not begin with EFG 2 R"),
        ("", "line 1: EFG is wanted, not the end of the file"),
        (HEAD + PLAYED, "line 3: a node, c, p or t, is wanted, not the end of the file"),
        (HEAD + 'q "" 1', "line 2: a node begins with c, p or t, not q"),
        (HEAD + 'p "" 3 1', "line 2: there is no player 3; they are 1 and 2"),
        (HEAD + 'p "" 1 1 0', "line 2: information set 1 is not described so far: its name and its actions are wanted"),
        (HEAD + PLAYED + 't "" 1', "line 3: outcome 1 has no payoffs so far"),
        (HEAD + PLAYED + 't "" 1 "" { 1 }', "line 3: a payoff is wanted 2 times, not 1"),
        (HEAD + PLAYED + 't "" 1 "" { 1 one }', "line 3: a payoff is wanted, not 'one'"),
        (HEAD + PLAYED + 't "" 1 "" { 1 1/0 }', "line 3: payoffs must be finite, not 1/0"),
        (HEAD + PLAYED + 't "" 1 "" { 1 -1 }\nt "" 1 "" { 1 -2 }', "line 4: outcome 1 was described differently"),
        (HEAD + PLAYED + 'p "" 1 1 "" { "L" } 0', "line 3: information set 1 was described differently before"),
        (HEAD + PLAYED + 't "" 0\nt "" 0\nt "" 0', "line 5: the end, as the tree is complete, is wanted, not 't'"),
        (HEAD + 'c "" 1 "" { "a" 0.5 "b" 0.4 } 0', "must be at least 0, with the sum 1, not 0.5, 0.4"),
        (HEAD + 'c "" 1 "" { "a" 0.500 "b" 0.498 } 0', "with the sum 1, not 0.500, 0.498"),
        (HEAD + 'c "" 1 "" { "a" 1/3 "b" 1/3 } 0', "with the sum 1, not 1/3, 1/3"),
        (HEAD + 'c "" 1 "" { "a" 2 "b" -1 } 0', "with the sum 1, not 2, -1"),
        (
            HEAD + PLAYED + 't "x" 1 "" { 1 2 }\nt "" 2 "" { 1 1 }',
            "is not constant: 1 and 1 are won after R (line 4), but 1 and 2 at x (line 3); games whose sum",
        ),
        (
            HEAD + PLAYED + 'p "" 1 2 "" { "U" "D" } 0\nt "" 1 "" { 1 -1 }\nt "" 0\np "" 1 2 0\nt "" 0\nt "" 1',
            "(a) forgets: after R (line 6) it sees the same as after L (line 3), though it last chose R at ",
        ),
        (
            HEAD + PLAYED + 't "" 0\np "" 1 1 0\nt "" 0\nt "" 0',
            "player 0 (a) is absent-minded: after R (line 4) it sees the same as at the first node (line 2), though",
        ),
        (
            HEAD + f'p "" 1 1 "" {{ {" ".join(map(json.dumps, map(str, range(63))))} }} 0' + '\nt "" 0' * 63,
            "63 actions are more than 62, at the first node (line 2)",
        ),
    ],
)  # fmt: skip
def test_what_is_no_game_here_is_refused_with_its_place(tmp_path: Path, nashzoo: Command, text: str, told: str) -> None:
    (tmp_path / "x.efg").write_text(text)
    code, out, err = nashzoo("solve x.efg")
    assert code == 2 and out == "" and told in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("node /C:king/P1:fold leaf payoffs 1=-1 2=1\n", "", "for the node /C:king/P1:fold, which follows /C:king"),
        ("payoffs 1=2 2=-2", "payoffs 1=2 2=-2 3=0", "line 5: the game has 3 players (1, 2, 3); a game here has two"),
        ("payoffs 1=2 2=-2", "payoffs 1=2 2=two", "line 5: payoffs are 1=POINTS 2=POINTS, not 1=2 2=two"),
        ("ace=0.5", "ace=0.7", "line 2: probabilities must be at least 0, with the sum 1, not 0.7, 0.5"),
        ("player 2 actions", "player 3 actions", "line 4: a game here has the players 1 and 2, and no player 3"),
        ("player 1 actions bet fold", "player 1", "line 3: a node is written node PATH chance actions"),
        ("infoset", "sets", "line 14: a line begins with node, infoset or #, not sets"),
        ("infoset bet", "infoset x nodes /C:ace/P1:bet\ninfoset bet", "line 15: /C:ace/P1:bet is in the information"),
        ("node /C:ace p", "node /C:jack leaf payoffs 1=0 2=0\nnode /C:ace p", "line 3: no action leads to the node"),
        ("node /C:king player", "node /C:king/P1:bet player", "line 12: the node /C:king/P1:bet was described before"),
        ("payoffs 1=2 2=-2", "payoffs 1=2 1=3 2=-2", "line 5: payoffs are 1=POINTS 2=POINTS, not 1=2 1=3 2=-2"),
        ("/C:king/P1:bet\n", "/C:King/P1:bet\n", "set bet has /C:King/P1:bet, where its player does not choose"),
        ("/C:king/P1:bet\n", "/C:king\n", "set bet has /C:king, where its player does not choose"),
        ("/C:king/P1:bet\n", "/\n", "set bet has /, where its player does not choose"),
        ("king/P1:bet player 2 actions call fold", "king/P1:bet player 2 actions fold call", "(line 8) differ from"),
    ],
)  # fmt: skip
def test_lines_of_liteefg_that_are_wrong(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in LITEEFG
    with pytest.raises(UsageError) as caught:
        game_in(tmp_path, LITEEFG.replace(old, new, 1), "x.game")
    assert told in str(caught.value)


def test_chance_of_a_file_has_any_number_of_outcomes(tmp_path: Path) -> None:
    """One of 80 cards, which nobody sees, pays its number from 0 on, or nothing: by hand 79/2."""
    cards = " ".join(f'"{card}" 1/80' for card in range(80))
    deals = (f'{PLAYED}t "" {card + 1} "" {{ {card} {-card} }}\nt "" 0\n' for card in range(80))
    game = game_in(tmp_path, f'{HEAD}c "" 1 "" {{ {cards} }} 0\n{"".join(deals)}')
    assert solve(game).start_value == pytest.approx(79 / 2, abs=EXACT)


def test_rounded_probabilities_are_divided_by_their_sum(tmp_path: Path) -> None:
    text = (
        HEAD
        + 'c "" 1 "" { "a" 0.333 "b" 0.333 "c" 0.333 } 0\n'
        + 't "" 1 "" { 3 -3 }\n' * 2
        + PLAYED
        + 't "" 0\nt "" 0\n'
    )
    game = game_in(tmp_path, text)
    assert solve(game).start_value == pytest.approx(2.0, abs=EXACT)
    sixths = "0.16666667", "0.33333334", "0.50000001"  # as single precision makes them
    assert distribution(sixths)[0] == pytest.approx(1 / 6, abs=1e-7)
    with pytest.raises(UsageError, match=r"not 0\.16666667, 0\.33333334, 0\.50000004"):
        distribution(["0.16666667", "0.33333334", "0.50000004"])


@pytest.mark.slow
def test_a_rules_file_may_say_what_both_players_get_together(tmp_path: Path, nashzoo: Command) -> None:
    kuhn = Path(__file__).parents[3] / "examples/games/kuhn.py"
    (tmp_path / "potted.py").write_text(
        kuhn.read_text().replace("kuhn_v0", "potted_v0") + "\n\ndef constant_sum():\n    return 2.0\n"
    )
    told = nashzoo.json("solve potted.py")
    assert (told["value"], told["value1"]) == (pytest.approx(-1 / 18, abs=EXACT), pytest.approx(2 + 1 / 18, abs=EXACT))


def test_names_that_look_like_those_of_others_stay_different() -> None:
    assert distinct(["a", "a", "a (2)", "", "action 4"]) == ("a", "a (2)", "a (2) (3)", "action 4", "action 4 (5)")
