"""``nashzoo play``: what a person is told and asked, in either seat and in every game."""

import io
import json
import os
import re
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

import nim
from command import Command, interrupt
from nashzoo import agents
from nashzoo.agents.basic.keyboard import KeyboardAgent
from nashzoo.app.matches import play
from nashzoo.app.matches.perfect_play import equilibrium_table, move_notes
from nashzoo.arena import records
from nashzoo.arena.live_match import LiveMatch
from nashzoo.baselines import solve
from nashzoo.envs import Game, footsies_v0, make_game, tictactoe_v0
from nashzoo.envs.drawing.palette import SIDES
from processes import PATIENCE, Terminal

LESSON = re.compile(
    r" (Your worst move: |The worst move: |No |Neither player |\d+ of \d+ choices |You \w+, and )[^()]*$"
)
ROWS = 24  # of a terminal
COLUMNS = 80


def test_the_rules_are_told_without_the_marks_of_pages(nashzoo: Command) -> None:
    out = nashzoo.prints("play footsies_v0 --against counter", "rules\n")
    assert (
        "beats Attack and Grab Attack hits Grab; 2 hits in succession win Block stops Attack, 3 times" in out
        and "[Grab]" not in out
    )


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("seed", range(4))
def test_a_game_against_counter(nashzoo: Command, seat: int, seed: int) -> None:
    # It begins at random and answers an Attack with a Block: Attack, then Grab, fails at a Dragon Punch alone.
    out = nashzoo.prints(f"play footsies_v0 --against counter --seat {seat} --seed {seed}", "a\nGrab\n")
    assert f"You are {SIDES[seat]}. Both choose a move at the same time" in out
    assert "The other: The Simple-Minded." in out
    if "the other played Dragon Punch" in out.lower():
        assert LESSON.sub("", out).endswith("You lose. (\N{MINUS SIGN}1)")
        assert "Dragon Punch beats Attack: you got knocked down; the other won the game." in out
        assert "in the lead: other by 1 you: blocks 3" in out
    else:
        assert LESSON.sub("", out).endswith("You win. (+1)")
        assert "Grab beats Block: the other got thrown; you won the game." in out
        assert "in the lead: you by 1 you: blocks 3" in out
    assert "player 0:" not in out
    assert "player 1:" not in out


@pytest.mark.parametrize("seat", [0, 1])
def test_the_last_page_is_the_state_in_which_the_match_ended(nashzoo: Command, seat: int) -> None:
    out = nashzoo.prints(f"play footsies_v0 --against manual --seat {seat} --param max_turns=9", "a\nb\ng\nb\n")
    assert LESSON.sub("", out).endswith(
        "in the lead: you by 1 you: blocks 3, last move Grab other: blocks 2, last move Block You win. (+1)"
    )


def test_wrong_answers_are_asked_again(nashzoo: Command) -> None:
    out = nashzoo.prints("play footsies_v0 --against random --seed 1", "kick\n7\n\n" + 50 * "dp\n")
    assert "'kick' is none of 1 (Attack), 2 (Block), 3 (Grab), 4 (Dragon Punch)" in out
    assert "'7' is none of" in out
    assert "'' is none of" in out
    assert LESSON.sub("", out).endswith(("You win. (+1)", "You lose. (\N{MINUS SIGN}1)"))


@pytest.mark.parametrize("answers", ["", "a\n", "a", "q\n", "QUIT\n", "exit\n"])
def test_the_end_of_input_ends_the_game(nashzoo: Command, answers: str) -> None:
    out = nashzoo.prints("play footsies_v0 --against manual", answers)
    assert "The game was left unfinished. It is not saved; with --save FILE it would be." in out


def test_two_players_are_watched(nashzoo: Command) -> None:
    said = nashzoo.refused("play roshambo_v0 random counter --games 2")
    assert "--against random" in said and said.endswith("nashzoo watch roshambo_v0 random counter")


class TestVerbose:
    def test_where_both_choose_it_shows_the_equilibrium_from_the_persons_side(self, nashzoo: Command) -> None:
        out = nashzoo.prints("play footsies_v0 --against nash --verbose --seat 1")
        assert "equilibrium, worth 0 to you" in out
        assert "[1] Attack 0.0000 0.0000 [2] Block 0.3333 0.3333" in out

    @pytest.mark.parametrize(
        ("seat", "worth", "mine"), [(0, "+0.1111", "0.4444"), (1, "\N{MINUS SIGN}0.1111", "0.2222")]
    )
    def test_the_equilibrium_is_turned_round_for_the_second_seat(self, seat: int, worth: str, mine: str) -> None:
        game = footsies_v0.game()
        table = equilibrium_table(solve(game), game.code(blocks0=0, blocks1=0, hits0=1, last0=1, last1=3), seat, seat)
        assert table.columns[0].header == f"equilibrium, worth {worth} to you"
        assert list(table.columns[1].cells)[1] == mine

    def test_in_turn_only_the_mover_is_shown_with_value_distance_and_loss(self) -> None:
        # Nim with 5: taking 1 leaves 4, which loses (Bouton 1901) in three more moves; all else wins for the other.
        game = Game(nim, heap=5)
        notes = move_notes(solve(game), int(game.start_codes[0]), 0)
        assert notes == {0: "(+1 in 3)", 1: "(\N{MINUS SIGN}1 in 2, loses 2)", 2: "(\N{MINUS SIGN}1 in 2, loses 2)"}

    def test_a_draw_has_no_distance(self, nashzoo: Command) -> None:
        out = nashzoo.prints("play tictactoe_v0 --verbose --seed 0", "0\n")
        assert "worth 0 to you 0 (0) 1 (0)" in out
        assert "other 1.0000" not in out
        for move in ("1 (0, loses", "(\N{MINUS SIGN}1 in"):
            assert move not in out.split("0 (0) 1 (0)")[0]

    @pytest.mark.parametrize(
        "game",
        [
            "footsies_v0", "roshambo_v0", "bodega_brawl_v0 --param preset=small", "tictactoe_v0",
            pytest.param("soccer_v0", marks=pytest.mark.slow),  # seconds to solve
        ],
    )  # fmt: skip
    def test_no_page_is_higher_or_wider_than_a_terminal(self, nashzoo: Command, game: str) -> None:
        keys = "".join(f"{key}\n" for key in range(10))
        _, out, _ = nashzoo.raw(f"play {game} --against random --verbose --seed 2", 6 * keys)
        pages = re.split(r"(?:Your move: )+", out)
        assert len(pages) > 2
        for page in pages[1:-1]:
            asked_again = re.sub(r"^'.*\n", "", page)
            assert len(asked_again.splitlines()) < ROWS
            assert all(len(line) <= COLUMNS for line in asked_again.splitlines())


class TestCommands:
    def test_help_says_what_can_be_entered(self, nashzoo: Command) -> None:
        for word in ("help", "?", "HELP"):
            out = nashzoo.prints("play footsies_v0", f"{word}\n")
            for command in ("draw offer a draw help this", "hint what a perfect", "quit leave", "undo take back"):
                assert command in out

    def test_a_claim_of_a_draw_is_offered_where_states_have_recurred(self, nashzoo: Command) -> None:
        claim = "draw offer a draw, or claim one once the state has occurred 3 times help this"
        assert claim in nashzoo.prints("play footsies_v0 --against manual", "a\na\na\na\nhelp\n")
        for cells in ("", "0\n1\n"):
            assert "claim" not in nashzoo.prints("play tictactoe_v0 --against manual", f"{cells}help\n")

    def test_a_hint_is_what_a_perfect_player_does(self, nashzoo: Command) -> None:
        out = nashzoo.prints("play footsies_v0", "hint\n")
        assert re.search(r"draws from (\w+( Punch)? 0\.3333,? ?){3}; the game is worth 0 to it\.", out)
        out = nashzoo.prints("play soccer_v0 --param random_positions=False width=11 height=5", "hint\n")
        assert "A perfect player plays " in out
        out = nashzoo.prints("play tictactoe_v0 --seat 1 --against alphabeta --seed 1", "hint\n")
        assert re.search(r"A perfect player plays \d( or \d)*; worth 0\.", out)

    def test_a_game_is_solved_once_for_all_hints(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        solved = []
        monkeypatch.setattr("nashzoo.baselines.store.solve", lambda game, **_: [solved.append(game), solve(game)][1])
        out = nashzoo.prints("play footsies_v0 --param blocks=7 --against random", "hint\nhint\n")
        assert out.count("A perfect player draws") == 2 and len(solved) == 1

    def test_hints_that_take_long(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr("nashzoo.app.matches.perfect_play.default_path", lambda game: tmp_path / "none")
        out = nashzoo.prints("play bodega_brawl_v0 --against random", "hint\ndraw\n")
        assert "perfect play takes minutes to compute; nashzoo solve bodega_brawl_v0 does, once" in out
        assert "The other does not say: perfect play takes minutes" in out

    def test_moves_are_taken_back(self, nashzoo: Command) -> None:
        out = nashzoo.prints("play tictactoe_v0 --against perfect --seed 1", "undo\n4\nundo\n0\nundo\nundo\n")
        assert out.count("There is no move to take back.") == 2
        assert out.count("Taken back.") == 2
        assert "You marked middle." in out and "You marked top left." in out

    def test_what_a_player_remembers_is_taken_back_too(self) -> None:
        game = footsies_v0.game()
        match = LiveMatch(game, [None, agents.make("bayesian", game, seed=0)], np.random.default_rng(0))
        for _ in range(3):
            match.act(1, 1)
        match.ask(1)
        match.act(1, 1)
        before = match.ask(1)
        match.act(1, 1)
        assert match.take_back(0)
        assert match.ask(1) == before and len(match.trajectory.steps) == 4
        assert match.take_back(0) and len(match.trajectory.steps) == 3

    def test_players_in_processes_take_nothing_back(self, nashzoo: Command, tmp_path: Path) -> None:
        (tmp_path / "rock.py").write_text("output = 'R'\n")
        out = nashzoo.prints("play roshambo_v0 --param rounds=5 --against rock.py", "p\nundo\nquit\n")
        assert "The other plays in a process of its own, which cannot take moves back." in out

    def test_a_draw_is_agreed_where_nobody_is_ahead(self, nashzoo: Command) -> None:
        out = nashzoo.prints("play tictactoe_v0 --save g.jsonl", "0\ndraw\n")
        assert "The other agrees." in out and LESSON.sub("", out).endswith("A draw is agreed. (0)")
        assert records.nth("g.jsonl", 1).ended == "draw agreed"

    def test_who_is_ahead_declines(self, nashzoo: Command) -> None:
        out = nashzoo.prints("play tictactoe_v0 --seat 1 --against constantly.py:Winner", "1\ndraw\nquit\n")
        assert "The other declines." in out

    def test_a_draw_is_claimed_at_the_third_time(self, nashzoo: Command) -> None:
        line = "play soccer_v0 --against pacing.py:Pacing --param random_positions=False"
        out = nashzoo.prints(line, "d\nu\n" * 20 + "draw\n")
        assert "The game has been here 3 times: you claim a draw." in out

    @pytest.fixture(autouse=True)
    def players(self, nashzoo: Command) -> None:
        head = "import numpy as np\nfrom nashzoo.envs.core.agent import Agent\n"
        Path("constantly.py").write_text(
            f"{head}class Winner(Agent):\n"
            "    def act(self, observations, memory, masks, uniforms):\n"
            "        order = [0, 4, 8, 2, 6, 3, 5, 7, 1]\n"
            "        return np.array([next(a for a in order if mask[a]) for mask in masks]), memory\n"
        )
        Path("pacing.py").write_text(
            f"{head}class Pacing(Agent):\n"
            "    memory_size = 1\n"
            "    def act(self, observations, memory, masks, uniforms):\n"
            "        memory[:, 0] = 1 - memory[:, 0]\n"
            "        return np.where(memory[:, 0] == 1, 3, 4), memory\n"
        )


class TestCutOff:
    def test_a_game_without_end_is_cut_off(self, nashzoo: Command) -> None:
        # Red paces up and down in its own half; nobody scores against the exact solution's blue, who need not attack.
        game = make_game("soccer_v0", random_positions=False)
        both = [KeyboardAgent(game, source=io.StringIO("d\nu\n" * 200), target=io.StringIO()) for _ in range(2)]
        match = LiveMatch(game, both, np.random.default_rng(0))
        play.play(match, play.Sides(0))
        assert (match.ended, len(match.trajectory.steps), match.points) == ("truncated", 200, 0.0)
        assert play.result(match, 0) == "The game is cut off after 200 moves. A draw. (0)"

    @pytest.mark.slow
    def test_it_is_told_before(self, nashzoo: Command) -> None:
        assert "A game is cut off after 200 moves." in nashzoo.prints("play soccer_v0 --against random")
        assert "cut off" not in nashzoo.prints("play footsies_v0")


class TestDrive:
    @pytest.mark.parametrize("seat", [0, 1])
    def test_it_speaks_from_the_side_of_whom_the_agent_plays_for(self, nashzoo: Command, seat: int) -> None:
        line = f"play bodega_brawl_v0 --param preset=tiny --against random --drive --seed 1 --seat {seat}"
        shown = re.search(r"Play: (\w+ \w+ ?\w*) \[", nashzoo.prints(line))
        assert shown
        out = nashzoo.prints(line, "bc\n")
        assert "Your move" not in out
        assert (
            out.index("Play: ") < out.index("The other's move:") < out.lower().index(f"you played {shown[1].lower()}")
        )

    def test_the_side_whose_moves_are_told_wins(self, nashzoo: Command) -> None:
        # Perfect crosses win from a nought beside a corner cross; whoever drives them is told that they win.
        for seed in range(20):
            out = nashzoo.prints(
                f"play tictactoe_v0 --against nash --drive --seed {seed}", "1\n3\n5\n7\n0\n2\n6\n8\n" * 3
            )
            assert "You lose" not in out
            if "you (x): three in a row" in out:
                assert "You win. (+1) Is that right? (quit or undo)" in out
                break
        else:
            pytest.fail("crosses never won")

    def test_a_wrong_entry_is_taken_back_and_the_card_on_the_table_stays(self, nashzoo: Command) -> None:
        line = "play bodega_brawl_v0 --param preset=small --against random --drive"
        for seed in range(8):
            first, _, again = re.findall(
                r"Play: (.*?) \[", nashzoo.prints(f"{line} --seed {seed}", "bc\nundo\nlc\nundo\n")
            )[:3]
            assert first == again, seed

    def test_the_same_entry_leads_to_the_same_card(self, nashzoo: Command) -> None:
        line = "play roshambo_v0 --param rounds=9 --against random --drive"
        for seed in range(8):
            cards = re.findall(r"Play: (\w+)", nashzoo.prints(f"{line} --seed {seed}", "r\np\nundo\np\n"))
            assert len(cards) == 5 and cards[1:3] == cards[3:5], seed

    def test_the_entry_that_ends_the_game_and_a_draw_are_taken_back(self, nashzoo: Command, tmp_path: Path) -> None:
        file = tmp_path / "kept.jsonl"
        line = f"play roshambo_v0 --param rounds=1 --against random --drive --seed 1 --save {file}"
        points = nashzoo.prints(line, "r\nquit\n"), nashzoo.prints(line, "p\nq\n")
        changed = nashzoo.prints(line, "r\nwhat\nundo\ndraw\nundo\np\n")  # the end of the input is one of the game
        assert changed.count("Taken back.") == 2 and "A draw is agreed." in changed
        assert "'what' is none of undo, help, quit" in changed
        results = [re.findall(r"You \w+\. \(.*?\)|A draw\. \(0\)", out) for out in (*points, changed)]
        assert results[2] == results[0] + results[1] and results[0] != results[1]
        ends = [record.ended for record in records.read(file)]
        assert ends == ["terminated"] * 3


class TestScore:
    LINE = "play roshambo_v0 --against constant"

    def test_a_long_match_is_short_for_a_person_and_its_score_runs(self, nashzoo: Command) -> None:
        out = nashzoo.prints(self.LINE, "p\n" * 20)
        assert "It is played with rounds=20 here; its usual length is --param rounds=1000." in out
        assert "You have won 7, drawn 0, lost 0; +7 points." in out
        assert LESSON.sub("", out).endswith("You win. (+20)")
        for rounds, told in ((1000, "1,000 times"), (1, "1 time,"), (10, "10 times")):
            assert told in nashzoo.prints(f"{self.LINE} --param rounds={rounds}")
        assert "usual length" not in nashzoo.prints(f"{self.LINE} --param rounds=20")

    def test_points_are_told_when_input_ends(self, nashzoo: Command) -> None:
        out = nashzoo.prints(self.LINE, "p\np\nr\ns\n")
        assert "The game was left unfinished. You have won 2, drawn 1, lost 1; +1 point." in out

    def test_several_games_are_counted(self, nashzoo: Command) -> None:
        out = nashzoo.prints(f"{self.LINE} --param rounds=1 --games 4", "p\nr\ns\np\n")
        assert out.count("Game ") == 4
        assert out.endswith("You have won 2, drawn 1, lost 1; +1 point.")
        out = nashzoo.prints(f"{self.LINE} --param rounds=1 --games 4", "p\nr\nquit\n")
        assert out.endswith("Of games before: You have won 1, drawn 1, lost 0; +1 point.")


class TestSave:
    def test_matches_are_kept_and_can_be_played_back(self, nashzoo: Command) -> None:
        line = "play footsies_v0 --against bluff(bluff=0.0) --games 2 --seed 3 --save games.jsonl"
        out = nashzoo.prints(line, "b\ndp\ndp\n" + "b\n" * 3)
        found = list(records.read("games.jsonl"))
        assert [record.number for record in found] == [0, 1]
        assert found[0].players == ("manual", "bluff(bluff=0.0)")
        assert {record.seed for record in found} == {3}
        assert [record.ended for record in found] == ["terminated", "terminated"]
        assert ("You win." if found[0].points > 0 else "You lose.") in out

    def test_an_unfinished_match_is_kept(self, nashzoo: Command) -> None:
        out = nashzoo.prints("play roshambo_v0 --seat 1 --against constant --save g.jsonl", "p\n")
        assert out.endswith("What was played is kept: nashzoo replay g.jsonl")
        (record,) = records.read("g.jsonl")
        assert (record.ended, record.points, record.players) == ("unfinished", -1.0, ("constant", "manual"))
        nashzoo("play roshambo_v0 --save g.jsonl", "")
        assert len(list(records.read("g.jsonl"))) == 1  # nothing was played

    def test_options_are_in_the_record(self, nashzoo: Command) -> None:
        nashzoo("play footsies_v0 --against bluff --option bluff=0.5 --save g.jsonl", "a\n")
        assert json.loads(Path("g.jsonl").read_text())["players"][1] == {
            "name": "bluff", "options": {"bluff": 0.5}, "title": "The High Roller",
        }  # fmt: skip

    def test_control_c_leaves_a_record(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("nashzoo.agents.basic.keyboard.KeyboardAgent.ask", interrupt)
        code, _, err = nashzoo("play tictactoe_v0 --seat 1 --save g.jsonl")
        assert code == 130
        assert err.endswith("The game was left unfinished.\nWhat was played is kept: nashzoo replay g.jsonl\n")
        assert len(next(records.read("g.jsonl")).trajectory.steps) == 1


class TestMistakes:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("--seat 2", "the seat must be 0 or 1, not 2"),
            ("--games 0", "games must be a whole number of at least 1, not 0"),
            ("--against bluff --option bluf=0.0", "bluff has no option bluf; it has bluff"),
            ("--save diary.txt", "diary.txt exists and holds no records of matches; choose another file"),
        ],
    )
    def test_they_are_told_before_anything_is_asked(self, nashzoo: Command, words: str, message: str) -> None:
        Path("diary.txt").write_text("Dear diary")
        assert nashzoo.refused(f"play footsies_v0 {words}") == message

    def test_a_player_that_breaks_forfeits(self, nashzoo: Command) -> None:
        Path("broken.py").write_text("output = 'X'\n")
        out = nashzoo.prints("play roshambo_v0 --param rounds=5 --against broken.py --save g.jsonl", "p\n")
        assert "broken.py lost a match in round 1" in out
        assert LESSON.sub("", out).endswith("You win. (+5)")
        assert records.nth("g.jsonl", 1).by == (1,)

    @pytest.mark.parametrize(
        "line",
        [
            "tournament footsies_v0 --agents manual random --processes 2",
            "train footsies_v0 --opponent manual",
        ],
    )
    def test_a_person_is_refused_where_nobody_can_type(self, nashzoo: Command, line: str) -> None:
        assert nashzoo.refused(line).startswith("manual is a person at the keyboard, who cannot play here")
        assert list(Path().iterdir()) == []

    def test_so_is_a_mixture_with_one(self) -> None:
        game = footsies_v0.game()
        assert agents.as_agent({"manual": 1, "random": 1}, game).asks_person
        assert not agents.as_agent({"nash": 1, "random": 1}, game).asks_person


def test_results_are_the_persons_and_only_whoever_is_to_move_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    game = Game(nim, heap=5)  # taking one leaves four, which is won
    person = KeyboardAgent(game, source=io.StringIO("t1\nt1\nt2\nt3\nt3\n"), target=io.StringIO())
    match = LiveMatch(game, [person, agents.make("random", game, seed=3)], np.random.default_rng(0))
    play.play(match, play.Sides(0))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "You played take 1."
    assert lines[1].startswith("The other played take ")
    played = [line for line in lines if "played" in line]
    assert match.points == (1.0 if played[-1].startswith("You") else -1.0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of Unix")
def test_at_a_terminal_lines_are_recalled_and_control_c_ends_on_a_line_of_its_own(tmp_path: Path) -> None:
    with Terminal("play tictactoe_v0 --against alphabeta(depth=1)", tmp_path) as terminal:
        terminal.until("Your move: ")
        terminal.type(b"nonsense\n")
        terminal.until("'nonsense' is none of")
        terminal.until("Your move: ", terminal.shown.index("is none of"))
        before = len(terminal.shown)
        while not terminal.until("'nonsense' is none of", before, patience=1.0):
            terminal.type(b"\x1b[A\n")  # arrow up; what is typed before the editor is ready can be lost
        terminal.until("Your move: ", terminal.shown.rindex("is none of"))
        before = len(terminal.shown)
        while not terminal.until("with --save FILE", before, patience=1.0):
            os.kill(terminal.process.pid, signal.SIGINT)  # likewise
        assert terminal.process.wait(PATIENCE) == 130
        assert re.search(r"Your move: [^\n]*\r\nInterrupted. The game was left unfinished\.", terminal.shown)


def test_hot_seat_draws_need_nobody_else(nashzoo: Command) -> None:
    out = nashzoo.prints("play tictactoe_v0 --against manual", "4\ndraw\n")
    assert "The other's move: " in out
    assert LESSON.sub("", out).endswith("A draw is agreed. (0)")


def test_the_goal_is_shown_where_it_was_scored() -> None:
    game = make_game("soccer_v0")
    before = game.code(red_x=19, red_y=7, blue_x=3, blue_y=3, ball=1)
    goal = game.state(game.view.shown(game.params, before, game.step(before, 0, 0)))
    assert goal == game.state(before)._replace(winner=1)
    other = game.step(before, 2, 0)
    assert game.view.shown(game.params, before, other) == other
    assert tictactoe_v0.game().view.shown(game.params, 0, 1) == 1
