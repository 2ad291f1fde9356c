"""``nashzoo watch``, ``replay``, ``picture --replay`` and ``tournament --save-games``: matches shown and kept."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from command import Command
from nashzoo.app.matches import animation
from nashzoo.app.shared import pace
from nashzoo.app.shared.words import sided
from nashzoo.arena import records
from nashzoo.arena.tournament import tournament
from nashzoo.envs import make_game
from processes import PATIENCE, Terminal

WATCH = "watch footsies_v0 bayesian bluff(bluff=0.5) --seed 1"
EXAMPLES = Path(__file__).parents[2] / "examples" / "games"


def watched(nashzoo: Command, games: int = 2) -> str:
    """Saves matches and returns what was told of them."""
    out = nashzoo.prints(f"{WATCH} --games {games} --save games.jsonl")
    return out


class TestWatch:
    def test_the_players_are_named_in_every_turn(self, nashzoo: Command) -> None:
        watched(nashzoo, 1)
        for out in (nashzoo.prints(f"{WATCH} --param max_turns=9"), nashzoo.prints("replay games.jsonl")):
            turns = re.findall(r"\d+\. Red \(bayesian\) played [\w ]+, blue \(bluff\) played [\w ]+\.", out)
            assert turns and len(turns) == len(re.findall(r" \d+\. Red ", out))
            assert ("turn 1 of 9" in out) == ("max_turns=9" in out)
        assert "(random)" not in nashzoo.prints("watch footsies_v0 random random --seed 1")

    def test_every_turn_is_told_and_results_are_counted(self, nashzoo: Command) -> None:
        out = watched(nashzoo, 3)
        found = list(records.read("games.jsonl"))
        assert out.count(", game ") == len(found) == 3
        for record in found:
            for step in record.trajectory.steps:
                assert sided(record.game, record.trajectory.event(step)) in out
        wins, losses = (sum(record.points * sign > 0 for record in found) for sign in (1, -1))
        assert f"bayesian: won {wins}, drawn 0, lost {losses};" in out
        assert f"bluff(bluff=0.5): won {losses}, drawn 0, lost {wins};" in out

    def test_luck_is_told_after_each_match_and_again_of_the_records(self, nashzoo: Command) -> None:
        line = "footsies_v0 nash random --seed 3 --games 4"
        out = nashzoo.prints(f"watch {line} --save games.jsonl --luck-adjusted")
        out = out.replace("\N{MINUS SIGN}", "-")
        told = re.findall(r"Luck of red: (\S+); luck-adjusted points: (\S+)\.", out)
        points = [record.points for record in records.read("games.jsonl")]
        assert [float(luck) + float(adjusted) for luck, adjusted in told] == pytest.approx(points, abs=2e-4)
        total = re.findall(r"Luck-adjusted points of nash: (\S+)\.", out)
        assert float(total[0]) == pytest.approx(sum(float(adjusted) for _, adjusted in told), abs=1e-3)
        replayed = nashzoo.prints("replay games.jsonl --luck-adjusted").replace("\N{MINUS SIGN}", "-")
        assert re.findall(r"Luck of red: (\S+); luck-adjusted points: (\S+)\.", replayed) == told
        assert "Luck" not in nashzoo.prints(f"watch {line}") + nashzoo.prints("replay games.jsonl")

    def test_whose_probabilities_were_known_is_said_unless_both_were(self, nashzoo: Command) -> None:
        out = nashzoo.prints("watch footsies_v0 bluff random --seed 3 --save games.jsonl --luck-adjusted")
        assert "Only the probabilities of blue were known." in out
        lines = Path("games.jsonl").read_text()
        Path("gone.jsonl").write_text(lines.replace('"random"', '"gone"'))
        assert "Only the probabilities of blue were known." in nashzoo.prints("replay games.jsonl --luck-adjusted")
        out = nashzoo.prints("replay gone.jsonl --luck-adjusted")
        assert "Luck of red: +0.0000;" in out and "No probabilities were known." in out
        assert "known" not in nashzoo.prints("watch footsies_v0 nash random --seed 3 --luck-adjusted")

    def test_the_seed_decides_everything(self, nashzoo: Command) -> None:
        assert nashzoo(WATCH) == nashzoo(WATCH)
        assert len({nashzoo.prints(f"watch footsies_v0 random random --seed {seed}") for seed in range(4)}) > 1

    def test_verbose_shows_why_agents_choose(self, nashzoo: Command) -> None:
        line = "watch tictactoe_v0 minimax(depth=9) random --seed 1"
        out = nashzoo.prints(f"{line} --verbose")
        said = re.findall(r"(\w+) chose \w+: (.*?) evaluation points, ([\d,]+) states to depth 9", out)
        assert {who for who, _, _ in said} == {"crosses"}  # random says nothing
        # With best play tic-tac-toe is a draw; its game tree has 549,946 nodes.
        assert said[0][1:] == ("+0.00", "549,946")
        assert said[-1][1] == "+1008.00"  # a win at once: POINT, and a unit for each of the 8 moves that it is early
        assert " chose " not in nashzoo.prints(line)

    @pytest.mark.parametrize(
        "line",
        [
            "roshambo_v0 roll constant --param rounds=5",
            "bodega_brawl_v0 random argmax_counter(policy=random) --param preset=tiny",
            "tictactoe_v0 perfect menace",
            "soccer_v0 greedy random",
        ],
    )
    def test_in_every_game(self, nashzoo: Command, line: str) -> None:
        out = nashzoo.prints(f"watch {line} --seed 0 --save g.jsonl")
        assert "Over after " in out and " 1. " in out
        assert nashzoo.prints("replay g.jsonl").endswith(out[out.index(" 1. ") :])

    def test_control_c_keeps_what_was_played(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        waited: list[float] = []

        def interrupted(self: Any) -> str:
            waited.append(self.delay)
            if len(waited) > 2:
                raise KeyboardInterrupt
            return pace.NEXT

        monkeypatch.setattr(pace.Pace, "wait", interrupted)
        line = "watch roshambo_v0 random random --param rounds=9 --delay 0.25 --save g.jsonl"
        code, _, err = nashzoo(line)
        assert code == 130 and waited[0] == 0.25
        assert err.endswith("The game was left unfinished. What was played is kept: nashzoo replay g.jsonl\n")
        assert len(records.nth("g.jsonl", 1).trajectory.steps) == 2

    def test_a_person_may_take_part(self, nashzoo: Command) -> None:
        out = nashzoo.prints("watch roshambo_v0 manual constant --param rounds=2", "p\nquit\n")
        assert "Paper beats Rock: red won 1 point." in out and out.endswith("The game was left unfinished.")

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("footsies_v0 nobody random", "there is no player 'nobody'"),
            ("footsies_v0 random random --games 0", "games must be a whole number of at least 1, not 0"),
            ("footsies_v0 random random --delay -1", "the delay must be a number of seconds of at least 0, not -1"),
            ("footsies_v0 random random --seed -1", "seed must be a whole number of at least 0, not -1"),
            ("footsies_v0 random random --save d.txt", "d.txt exists and holds no records of matches"),
        ],
    )
    def test_mistakes_are_told(self, nashzoo: Command, words: str, message: str) -> None:
        Path("d.txt").write_text("Dear diary")
        assert nashzoo.refused(f"watch {words}").startswith(message)


class TestReplay:
    def test_one_match_or_all(self, nashzoo: Command) -> None:
        watched(nashzoo)
        one, two, both = (nashzoo.prints(f"replay games.jsonl{words}") for words in (" --match 1", " --match 2", ""))
        assert both == f"{one} {two}"
        assert "red: bayesian blue: bluff(bluff=0.5)" in one
        assert "Over after " in one

    def test_a_broken_match_is_refused_at_the_move(self, nashzoo: Command) -> None:
        watched(nashzoo)
        lines = Path("games.jsonl").read_text().splitlines()
        Path("games.jsonl").write_text(f"{lines[0]}\n" + lines[1].replace('[["', '[["Fly", "Fly"], ["', 1) + "\n")
        code, out, err = nashzoo("replay games.jsonl")
        assert code == 2 and "game 1" in out and "game 2" not in out
        assert "games.jsonl, line 2: steps, rewards and what chance decided must be equally many" in err
        Path("games.jsonl").write_text(lines[1].replace('[["', '[["Mega', 1) + "\n")
        assert "games.jsonl, line 1, move 1: player 0 played Mega" in nashzoo("replay games.jsonl")[2]

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("none.jsonl", "there is no file none.jsonl"),
            ("games.jsonl --match 3", "games.jsonl holds 2 matches; there is no match 3"),
            ("games.jsonl --step", "--step needs a terminal"),
            ("games.jsonl --delay nan", "the delay must be a number of seconds of at least 0, not nan"),
        ],
    )
    def test_mistakes_are_told(self, nashzoo: Command, words: str, message: str) -> None:
        watched(nashzoo)
        assert nashzoo.refused(f"replay {words}").startswith(message)

    def test_an_empty_file(self, nashzoo: Command) -> None:
        Path("games.jsonl").write_text("")
        assert nashzoo("replay games.jsonl") == (0, "games.jsonl holds no matches.", "")

    @pytest.mark.slow
    @pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of Unix")
    def test_keys_step_forward_and_back_and_quit(self, nashzoo: Command, tmp_path: Path) -> None:
        nashzoo("watch roshambo_v0 random random --param rounds=3 --seed 1 --games 2 --save games.jsonl")
        with Terminal("replay games.jsonl --step", tmp_path) as terminal:
            terminal.until("0 of 3 throws played")
            for key, shown in (
                (b"\n", "1 of 3"), (b"n", "2 of 3"), (b"b", "1 of 3"), (b"?", "space pauses"), (b"+", "0.25 seconds"),
                (b"-", "0.5 seconds"), (b"m", "game 2"), (b" ", "3 of 3"), (b"", "Over after 3 time steps"),
            ):  # fmt: skip
                before = len(terminal.shown)
                terminal.type(key)
                terminal.until(shown, before if key else 0)
            assert terminal.process.wait(PATIENCE) == 0


class TestPicture:
    def test_a_match_is_an_animation_whose_last_frame_lasts(self, nashzoo: Command) -> None:
        watched(nashzoo)
        steps = len(records.nth("games.jsonl", 2).trajectory.steps)
        out = nashzoo.prints("picture --replay games.jsonl --match 2 --out match.gif")
        assert out.endswith("written: match.gif")
        with Image.open("match.gif") as image:
            frames = []
            for number in range(image.n_frames):  # type: ignore[attr-defined]
                image.seek(number)
                frames.append((image.info["duration"], image.convert("RGB").tobytes()))
        assert [duration for duration, _ in frames] == [animation.FRAME] * steps + [animation.LAST_FRAME]
        assert len({pixels for _, pixels in frames}) == steps + 1

    @pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
    def test_a_single_state(self, nashzoo: Command, suffix: str) -> None:
        watched(nashzoo)
        assert nashzoo(f"picture --replay games.jsonl --move 1 --out state.{suffix}")[0] == 0
        assert Path(f"state.{suffix}").stat().st_size > 1000

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("", "name a game to draw its solution, or --replay FILE to draw a match that was recorded"),
            ("footsies_v0 --replay games.jsonl --out a.gif", "the file says that its game is footsies_v0; leave"),
            ("--replay games.jsonl --line --out a.gif", "--replay draws a match of a file"),
            ("--replay games.jsonl", "a match as a whole is drawn into a .gif; --move draws one of its states"),
            ("--replay games.jsonl --move 1 --out a.gif", "a match as a whole is drawn into a .gif"),
            ("--replay games.jsonl --out a.txt", "--out must end in .gif, or with --move in .png, .svg or .pdf"),
            ("--replay games.jsonl --move 99 --out a.png", "--move must be from 0 to "),
            ("--replay games.jsonl --match 9 --out a.gif", "games.jsonl holds 2 matches; there is no match 9"),
            ("--replay none.jsonl --out a.gif", "there is no file none.jsonl"),
            ("footsies_v0 --over blocks0,blocks1 --move 3", "--match and --move choose from a file of matches"),
        ],
    )
    def test_mistakes_are_told(self, nashzoo: Command, words: str, message: str) -> None:
        watched(nashzoo)
        assert message in nashzoo.refused(f"picture {words}")
        assert not Path("a.gif").exists()


def test_matches_of_ones_own_game_are_played_back_with_its_rules(nashzoo: Command) -> None:
    Path("mine.py").write_text((EXAMPLES / "pig.py").read_text())
    played = nashzoo.prints("watch ./mine.py random random --seed 1 --param target=5 --save g.jsonl")
    message = "g.jsonl, line 1: there is no game './mine.py' with a registered name, and files cannot have rules"
    assert nashzoo.refused("replay g.jsonl").startswith(message)
    out = nashzoo.prints("replay g.jsonl --game ./mine.py")
    assert out.endswith(played[played.index(" 1. ") :])
    assert nashzoo("picture ./mine.py --replay g.jsonl --move 1 --out state.png")[0] == 0
    watched(nashzoo)
    assert "leave out ./mine.py" in nashzoo("replay games.jsonl --game ./mine.py")[2]


class TestTournament:
    LINE = "tournament footsies_v0 --agents random bluff(bluff=0.3) counter --games 8 --seed 2"

    @pytest.mark.slow
    def test_games_are_kept_in_a_file_or_in_one_for_each_pair(self, nashzoo: Command) -> None:
        for words in ("--out a", "--out b --save-games kept", "--out c --save-games kept.jsonl"):
            nashzoo.prints(f"{self.LINE} {words}")
        assert Path("a/cross_table.csv").read_bytes() == Path("b/cross_table.csv").read_bytes()
        files = sorted(Path("kept").iterdir())
        assert len(files) == 3
        assert Path("kept.jsonl").read_bytes() == b"".join(file.read_bytes() for file in files)
        assert not Path("kept.jsonl.parts").exists()
        assert len(list(records.read("kept.jsonl"))) == 24

    @pytest.mark.slow
    def test_processes_keep_the_same_games(self, nashzoo: Command) -> None:
        for words in ("--out a --save-games kept", "--out b --save-games p --processes 2"):
            nashzoo.prints(f"{self.LINE} {words}")
        assert Path("a/cross_table.csv").read_bytes() == Path("b/cross_table.csv").read_bytes()
        kept, by_processes = ([file.read_bytes() for file in sorted(Path(name).iterdir())] for name in ("kept", "p"))
        assert kept == by_processes

    def test_the_records_are_of_the_games_that_were_counted(self, tmp_path: Path) -> None:
        game, names = make_game("roshambo_v0", rounds=10), ("random", "roll", "iocaine")
        played = tournament(game, {name: name for name in names}, 10, 1, records=tmp_path / "g")
        sums = {pair: 0.0 for pair in played.results}
        games = dict.fromkeys(played.results, 0)
        for file in (tmp_path / "g").iterdir():
            for record in records.read(file):
                for sign, pair in ((1, record.players), (-1, record.players[::-1])):
                    sums[pair] += sign * record.points
                    games[pair] += 1
        assert sums == {pair: result.points.sum() for pair, result in played.results.items()}
        assert games == {pair: result.games for pair, result in played.results.items()}

    def test_files_of_blocks_are_in_the_order_of_play(self, nashzoo: Command) -> None:
        nashzoo.prints("tournament footsies_v0 --agents random counter --until 0.001 --games 500 --save-games kept")
        files = sorted(Path("kept").iterdir())
        assert [len(list(records.read(file))) for file in files] == [200, 100, 150, 50]

    def test_a_file_that_is_there_is_left_alone(self, nashzoo: Command) -> None:
        Path("kept.jsonl").write_text("")
        message = nashzoo.refused(f"{self.LINE} --save-games kept.jsonl")
        assert message == "kept.jsonl is there already; choose another --save-games"
        assert not Path("tournament").exists()
