"""``nashzoo menace``: what it writes, what it shows, and games with a person."""

import csv
import datetime
import json
import re
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import Command, interrupt
from nashzoo.agents import make
from nashzoo.agents.learning.menace.agent import MenaceAgent
from nashzoo.agents.learning.menace.boxes import Boxes, Settings, load, settings_of, write_json
from nashzoo.agents.learning.menace.training import Lessons, Training
from nashzoo.app.menace import plot
from nashzoo.app.menace.measures import measure, rivals
from nashzoo.app.menace.play import seated
from nashzoo.baselines import evaluate, exploitability
from nashzoo.envs import tictactoe_v0
from nashzoo.envs.core.seeds import derived
from processes import hear_interruptions


@pytest.fixture
def nashzoo(nashzoo: Command) -> Any:
    """Runs a command of MENACE."""
    return lambda words, typed="": nashzoo.raw(f"menace {words}", typed)


GAME = tictactoe_v0.game()
EXACT = 1e-6  # as the summary is rounded


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open() as file:
        return list(csv.DictReader(file))


def emptied() -> Boxes:
    """Writes boxes whose first one is empty into ``b.json``; returns them."""
    boxes = Boxes(settings_of("michie"))
    boxes.beads[0] = 0
    write_json(Path("b.json"), boxes.as_json())
    return boxes


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("train --iterations 0", "iterations must be a whole number of at least 1, not 0"),
        ("train --alpha 1 2", "alpha must be one number or 4"),
        ("train --preset big", "there is no preset 'big'"),
        ("train --opponent manual", "manual chooses by more than the state"),
        ("train --probability 2", "probability must be a number from 0 to 1"),
        ("train --final-probability 2", "final_probability must be a number from 0 to 1"),
        ("train --opponent random --final-probability 1", "final_probability is for the human"),
        ("train --opponent self --side noughts", "against self MENACE plays both sides; leave out --side"),
        ("train --opponent self --side crosses", "against self MENACE plays both sides; leave out --side"),
        ("train --anneal 5", "--anneal says when --final-probability is reached; give that too, or leave out --anneal"),
        ("train --alpha 2 --floor 5", "floor must be at most alpha, 2 beads, for no move to begin below it, not 5"),
        ("show --board xoxoxoox.", "has one empty cell: the move is forced, so that there is no box"),
        ("show --board xxxoo....", "play does not lead to xxxoo...., or is over there"),
        ("show --board xx.......", "as many crosses as noughts, or one more"),
        ("show --board x", "board must be 9 characters"),
        ("show --boxes none.json", "there is no file none.json"),
        ("play --learn", "--learn needs --boxes"),
        ("play --games 0", "games must be a whole number of at least 1"),
        ("play --boxes x.json", "there is no file x.json"),
        ("plot --seeds 0", "seeds must be a whole number from 1 to 10000, not 0"),
        ("plot --probabilities 3", "probabilities must be a number from 0 to 1"),
        ("plot --probabilities", "probabilities must be at least one number"),
        ("plot --rising 0.5 2", "rising must be a number from 0 to 1, not 2.0"),
    ],
)
def test_mistakes_are_told(nashzoo: Any, words: str, told: str) -> None:
    said = nashzoo(words)
    assert (said.code, said.out) == (2, "") and told in said.err
    assert list(Path().iterdir()) == []  # nothing was begun


class TestTrain:
    def test_the_games_are_those_of_the_lessons(self, nashzoo: Any) -> None:
        said = nashzoo("train --iterations 300 --seed 4 --side both --out m")
        assert said.code == 0
        played = Training(Boxes(), Lessons(side="both", seed=4)).run(300)
        told = rows("m/games.csv")
        assert [int(row["game"]) for row in told] == list(range(300))
        outcomes = {1: "crosses won", 0: "draw", -1: "noughts won"}
        assert [row["outcome"] for row in told] == [outcomes[won] for won in played.crosses_won.tolist()]
        assert [int(row["moves"]) for row in told] == played.plies.tolist()
        assert {(row["crosses"], row["noughts"]) for row in told[::2]} == {("menace", "human")}
        assert {(row["crosses"], row["noughts"]) for row in told[1::2]} == {("human", "menace")}
        assert {float(row["epsilon"]) for row in told} == {0.3}
        won, drawn, lost = (int((played.points == points).sum()) for points in (1, 0, -1))
        assert f"won {won}  drawn {drawn}  lost {lost}" in said.out

    def test_states_with_and_without_symmetric_ones(self, nashzoo: Any) -> None:
        nashzoo("train --iterations 1 --out m")
        told = rows("m/positions.csv")
        assert [int(row["reduced"]) for row in told] == [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]  # OEIS A008907
        assert sum(int(row["positions"]) for row in told) == 5478
        assert [int(row["moves"]) for row in told[1:6]] == [9, 24, 84, 228, 540]
        assert [int(row["boxes"]) for row in told[:7:2]] == [1, 12, 108, 183]  # 304, Michie (1963)

    def test_the_log_has_the_numbers_of_states_with_times(self, nashzoo: Any) -> None:
        nashzoo("train --iterations 1 --out m")
        nashzoo("train --iterations 2 --out m --resume")
        told = re.findall(
            r"^(\d{4}-\d\d-\d\d [\d:.]{12}) next possible states: (\d+); without symmetric ones: (\d+)",
            Path("m/training.log").read_text(),
            re.MULTILINE,
        )
        assert [int(reduced) for _, _, reduced in told] == [3, 12, 38, 108, 174, 204, 153, 57, 15]  # OEIS A008907
        assert [int(moves) for _, moves, _ in told[:5]] == [9, 24, 84, 228, 540]  # the course project's log
        assert [stamp for stamp, _, _ in told] == sorted(stamp for stamp, _, _ in told)

    def test_the_summary_is_exact(self, nashzoo: Any) -> None:
        nashzoo("train --iterations 500 --out m")
        summary = Path("m/summary.txt").read_text()
        agent: Any = make("menace", GAME, file="m/boxes.json")
        rival: Any = make("human", GAME, probability=0.7)
        told = float(summary.split("exploitability")[1].split()[0])
        assert told == pytest.approx(exploitability(GAME, agent, player=0), abs=EXACT)
        line = next(line for line in summary.splitlines() if "human(0.7)" in line).split()
        win, loss = float(line[line.index("win") + 1]), float(line[line.index("loss") + 1])
        assert win - loss == pytest.approx(evaluate(GAME, agent, rival), abs=1e-3)

    def test_chances_as_noughts_are_those_of_noughts(self) -> None:
        boxes = Boxes()
        Training(boxes, Lessons(side="noughts")).run(500)
        agent: Any = MenaceAgent(GAME, boxes=boxes)
        for name, rival in rivals(0.7).items():
            chances = measure(boxes, (1,), {name: rival})[name]
            assert chances["win"] - chances["loss"] == pytest.approx(-evaluate(GAME, rival, agent))

    @pytest.mark.slow
    def test_going_on_is_as_never_having_stopped(self, nashzoo: Any) -> None:
        lessons = "--opponent human --probability 0.2 --final-probability 0.9 --anneal 150 --preset michie"
        nashzoo(f"train {lessons} --iterations 200 --out whole")
        nashzoo(f"train {lessons} --iterations 80 --out parts")
        assert nashzoo(f"train {lessons} --iterations 200 --out parts --resume").code == 0
        for name in ("boxes.json", "games.csv", "summary.txt"):
            assert Path("whole", name).read_text() == Path("parts", name).read_text()

    def test_resuming_needs_the_same_training(self, nashzoo: Any) -> None:
        nashzoo("train --iterations 10 --out m")
        said = nashzoo("train --iterations 5 --out m --resume")
        assert (said.code, said.out) == (2, "")
        assert "has played 10 games; --iterations says how many in all, so that it must be at least as many" in said.err
        assert "m holds boxes: go on with --resume" in nashzoo("train --out m").err
        said = nashzoo("train --out m --resume --seed 2 --side both")
        assert said.code == 2
        assert "other lessons: side was 'crosses', not 'both', seed was 0, not 2" in said.err
        said = nashzoo("train --out m --resume --beta 9").err
        assert "the boxes in m have other settings: beta is 1, not 9; leave out those, or choose another --out" in said
        Path("m/games.csv").write_text("game\n0\n")
        assert "games.csv has 1 games, but m/boxes.json has learned from 10" in nashzoo("train --out m --resume").err
        Path("m/games.csv").write_bytes(b"game\n" + b"\xff\n" * 10)
        before = Path("m/boxes.json").read_bytes()
        said = nashzoo("train --iterations 20 --out m --resume")
        assert said.err.startswith("nashzoo: m/games.csv is damaged: put it back, or choose another folder ('utf-8'")
        assert said.code == 2 and said.err.count("\n") == 1
        assert Path("m/boxes.json").read_bytes() == before
        write_json(Path("m/boxes.json"), Boxes().as_json())
        assert "has no record of its training" in nashzoo("train --out m --resume").err

    @pytest.mark.slow
    def test_boxes_that_learned_from_a_person_go_on_with_their_training(self, nashzoo: Any) -> None:
        nashzoo("train --iterations 30 --out m")
        nashzoo("play --boxes m/boxes.json --learn --games 2 --seed 1", TestPlay.EVERY_CELL)
        before = load("m/boxes.json").beads
        nashzoo("play --boxes m/boxes.json --seed 1", TestPlay.EVERY_CELL)  # without learning the file stays
        said = nashzoo("train --iterations 30 --out m --resume")
        assert (said.code, said.err) == (0, "")
        assert "MENACE after 30 games against human" in said.out
        assert ", and 2 against a person" in said.out
        assert (load("m/boxes.json").beads == before).all()
        nashzoo("play --boxes m/boxes.json --learn --seed 1", TestPlay.EVERY_CELL)
        assert ", and 3 against a person" in nashzoo("train --iterations 60 --out m --resume").out
        assert len(rows("m/games.csv")) == 60

    def test_the_log_has_the_time_of_everything(self, nashzoo: Any) -> None:
        nashzoo("train --iterations 20 --out m")
        nashzoo("train --iterations 40 --out m --resume")
        lines = Path("m/training.log").read_text().splitlines()
        times = [datetime.datetime.fromisoformat(" ".join(line.split()[:2])) for line in lines]
        assert times == sorted(times)
        of_training = ["begins", *["game"] * 20, "has", "ends"]
        assert [line.split()[2] for line in lines] == ["next"] * 9 + of_training * 2
        assert "begins after 20 games: Lessons(opponent='human', probability=0.7" in lines[32]
        assert "has played 40 of 40 games" in lines[53]
        known = [line.split(maxsplit=2)[2] for line in lines if " game " in line]
        assert known == [
            f"game {row['game']}: menace against human, menace_agent_prob 1, human_agent_prob 0.7: {row['outcome']}"
            for row in rows("m/games.csv")
        ]

    def test_resignations_are_in_the_log(self, nashzoo: Any) -> None:
        nashzoo("train --preset michie --side both --opponent perfect --alpha 1 --iterations 40 --out m")
        lines = [line for line in Path("m/training.log").read_text().splitlines() if " game " in line]
        assert [line.endswith(", MENACE resigned") for line in lines] == [
            row["resigned"] == "1" for row in rows("m/games.csv")
        ]
        assert "game 1: perfect against menace, menace_agent_prob 1: " in lines[1]

    @pytest.mark.parametrize(("anneal", "probability"), [(10, 0.9), (60, 0.5)])  # a third of it in 20 games
    def test_the_human_of_the_figures_is_the_last_one(self, nashzoo: Any, anneal: int, probability: float) -> None:
        words = f"train --iterations 20 --probability 0.3 --final-probability 0.9 --anneal {anneal} --out m --json"
        told = json.loads(nashzoo(words).out)
        assert (told["games"], told["games_by_hand"]) == (20, 0)
        human = make("human", GAME, probability=probability)
        policy: Any = make("menace", GAME, file="m/boxes.json")
        assert told["exploitability"] == pytest.approx(exploitability(GAME, policy, player=0))
        (chances,) = (told[name] for name in told if name.startswith("human"))
        assert chances == told[f"human({probability})"] and set(chances) == {"win", "draw", "loss"}
        assert chances["win"] - chances["loss"] == pytest.approx(evaluate(GAME, policy, human))

    def test_menace_may_play_by_chance(self, nashzoo: Any) -> None:
        nashzoo("train --iterations 300 --menace-probability 0.25 --seed 4 --out m")
        training = Training(Boxes(), Lessons(menace_probability=0.25, seed=4))
        training.run(300)
        assert (load("m/boxes.json").beads == training.boxes.beads).all()
        assert "draws a bead with probability 0.25" in Path("m/summary.txt").read_text()
        assert "menace_agent_prob 0.25, human_agent_prob 0.7: " in Path("m/training.log").read_text()
        said = nashzoo("train --iterations 400 --seed 4 --out m --resume")
        assert "menace_probability was 0.25, not 1.0" in said.err

    def test_two_menaces(self, nashzoo: Any) -> None:
        nashzoo("train --opponent self --iterations 20 --out m")
        assert {(row["crosses"], row["noughts"]) for row in rows("m/games.csv")} == {("menace", "menace")}
        assert "plays both sides" in Path("m/summary.txt").read_text()

    def test_resigning_is_told(self, nashzoo: Any) -> None:
        said = nashzoo("train --preset michie --probability 0.9 --iterations 2000 --out m")
        resigned = sum(row["resigned"] == "1" for row in rows("m/games.csv"))
        assert resigned > 0
        assert f"resigned {resigned:,}" in said.out
        empty = int((load("m/boxes.json").beads.sum(axis=1) == 0).sum())
        assert empty > 0
        assert f"empty boxes     {empty}: MENACE resigns there" in said.out

    def test_settings_are_those_given(self, nashzoo: Any) -> None:
        words = "train --iterations 1 --preset michie --alpha 9 7 5 3 --per cell --beta 5 --gamma 2 --delta 4 --floor 1"
        nashzoo(f"{words} --out m")
        told = json.loads(Path("m/boxes.json").read_text())["settings"]
        assert told == {"alpha": [9, 7, 5, 3], "per": "cell", "beta": 5, "gamma": 2, "delta": 4, "floor": 1}
        # The course project's set_possible_moves(states, alpha=2) puts two beads of every empty cell into a box.
        nashzoo("train --iterations 1 --alpha 2 --opponent perfect --out one")
        assert load("one/boxes.json").settings == Settings(alpha=2)
        assert "box ........., 18 beads" in nashzoo("show --alpha 2").out

    def test_an_interruption_loses_nothing(self, nashzoo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        # The signal comes with the first look at how far the training is, twenty thousand games into it.
        hear_interruptions()
        learners = Lessons.learners

        def interrupting(self: Lessons, numbers: Any) -> Any:
            if numbers[0] > 0:
                signal.raise_signal(signal.SIGINT)
            return learners(self, numbers)

        with monkeypatch.context() as patched:
            patched.setattr(Lessons, "learners", interrupting)
            said = nashzoo("train --iterations 1000000 --out m")
        assert said.code == 130
        assert "Interrupted. 40,000 games are in m. Go on with the same command and --resume." in said.err
        training = Training(Boxes(), Lessons())
        training.run(40_000)
        assert (load("m/boxes.json").beads == training.boxes.beads).all()
        assert len(rows("m/games.csv")) == 40_000


class TestShow:
    def test_beads_are_on_the_board_that_was_asked_for(self, nashzoo: Any) -> None:
        boxes = Boxes(settings_of("michie"))
        box, kinds = boxes.find(GAME.code(board="..o.x...."))
        boxes.beads[box, kinds[0]] = 17
        write_json(Path("b.json"), boxes.as_json())
        said = nashzoo("show --board o...x.... --boxes b.json")
        lines = [line.replace(" ", "") for line in said.out.splitlines()]
        assert len({len(line) for line in said.out.splitlines()[1:6]}) == 1
        assert lines[1:6] == ["o|3|17", "---|----|---", "3|x|3", "---|----|---", "17|3|3"]
        assert next(line for line in said.out.splitlines() if "2, 6" in line).split()[4] == "17"

    def test_an_empty_box_is_told(self, nashzoo: Any) -> None:
        emptied()
        assert "The box is empty: MENACE resigns." in nashzoo("show --boxes b.json").out


class TestPlay:
    EVERY_CELL = "\n".join("012345678" * 5)  # answers that are refused cost nothing

    def test_menace_begins_or_the_person_and_both_boards_are_shown(self, nashzoo: Any) -> None:
        said = nashzoo("play --seed 0", self.EVERY_CELL)
        assert said.code == 0
        assert "You play noughts; MENACE begins." in said.out
        assert said.out.index("MENACE marked") < said.out.index("Your move")
        assert "0 | 1 | 2" in said.out
        assert sum(word in said.out for word in ("You lose.", "A draw.", "You win.")) == 1
        said = nashzoo("play --first --seed 0", self.EVERY_CELL)
        assert said.out.index("Your move") < said.out.index("MENACE marked")

    @pytest.mark.parametrize("first", ["", "--first"])
    def test_who_has_three_in_a_row_wins(self, nashzoo: Any, first: str) -> None:
        won = set()
        for seed in range(8):
            said = nashzoo(f"play {first} --seed {seed}", self.EVERY_CELL).out
            for whose, told in (("other", "You lose."), ("you", "You win.")):
                assert (re.search(rf"{whose} \(.\): three in a row", said) is not None) == (told in said)
                won |= {told} if told in said else set()
            assert len(re.findall(r"You (win|lose)\.|A draw\.", said)) == 1
        assert won

    def test_it_learns_from_the_person(self, nashzoo: Any) -> None:
        said = nashzoo("play --boxes new.json --learn --games 2 --preset michie --seed 1", self.EVERY_CELL)
        assert said.out.count("Game ") == 2
        boxes, fresh = load("new.json"), Boxes(settings_of("michie"))
        assert 0 < (boxes.beads != fresh.beads).sum() <= said.out.count("MENACE marked")
        assert "You have won " in said.out
        worth = {"You lose. (\N{MINUS SIGN}1)": 3, "A draw. (0)": 1, "You win. (+1)": -1}
        results = [line for line in said.out.splitlines() if line in worth]
        assert (boxes.beads - fresh.beads)[0].sum() == sum(worth[result] for result in results)

    def test_an_empty_box_resigns(self, nashzoo: Any) -> None:
        boxes = emptied()
        said = nashzoo("play --boxes b.json --learn")
        assert "MENACE's box is empty: it resigns. You win. (+1)" in said.out
        assert (load("b.json").beads == boxes.beads).all()

    def test_an_unfinished_game_teaches_nothing(self, nashzoo: Any) -> None:
        said = nashzoo("play --boxes b.json --learn", "9\n")
        assert said.code == 0
        assert "left unfinished" in said.out
        assert not Path("b.json").exists()

    @pytest.mark.parametrize("command", ["play", "play --learn", "show"])
    def test_a_file_keeps_its_settings(self, nashzoo: Any, command: str) -> None:
        write_json(Path("b.json"), Boxes(Settings(beta=7)).as_json())
        before = Path("b.json").read_text()
        said = nashzoo(f"{command} --boxes b.json --beta 500")
        assert (said.code, said.out) == (2, "")
        assert "b.json have settings of their own: beta is 7, not 500; leave out those, or the file" in said.err
        assert "alpha is (4, 4, 4, 4), not (4, 3, 2, 1)" in nashzoo(f"{command} --boxes b.json --preset michie").err
        assert "beta is 7, not 1" in nashzoo(f"{command} --boxes b.json --preset classroom").err
        assert Path("b.json").read_text() == before
        assert nashzoo(f"{command} --boxes b.json --beta 7").code == 0

    def test_without_a_file_the_settings_are_those_it_was_taught_with(self) -> None:
        michie = settings_of("michie")
        assert (seated(None, False, michie).beads == MenaceAgent(GAME, preset="michie").boxes.beads).all()
        assert (seated(None, False, None).beads == MenaceAgent(GAME).boxes.beads).all()

    def test_control_c_ends_it(self, nashzoo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("nashzoo.agents.basic.keyboard.KeyboardAgent.ask", interrupt)
        assert nashzoo("play --boxes b.json --learn").code == 130
        assert not Path("b.json").exists()


class TestPlot:
    @pytest.mark.slow
    def test_tables_and_pictures(self, nashzoo: Any) -> None:
        said = nashzoo("plot --probabilities 0.5 --rising 0.2 0.8 --seeds 2 --iterations 20 --out plots")
        assert said.code == 0
        for name in ("games.png", "exact.png"):
            assert Path("plots", name).read_bytes().startswith(b"\x89PNG")

        def told(file: str, figure: str, probability: str) -> dict[str, float]:
            lines = [
                row for row in rows(f"plots/{file}.csv") if (row["probability"], row["games"]) == (probability, "20")
            ]
            return {row[figure]: float(row["mean"]) for row in lines}

        trainings = [Training(Boxes(), Lessons(probability=0.5, seed=derived(0, seed))) for seed in range(2)]
        points = [training.run(20).points for training in trainings]
        ended = {
            name: np.mean([(one == p).sum() for one in points])
            for name, p in {"won": 1, "drawn": 0, "lost": -1}.items()
        }
        assert told("games", "ended", "0.5") == ended
        last = told("exact", "figure", "0.5")
        write_json(Path("b.json"), trainings[0].boxes.as_json())
        write_json(Path("c.json"), trainings[1].boxes.as_json())
        policies: list[Any] = [make("menace", GAME, file=name) for name in ("b.json", "c.json")]
        assert last["exploitability"] == pytest.approx(np.mean([exploitability(GAME, p, player=0) for p in policies]))
        rival: Any = make("random", GAME)
        assert last["random win"] - last["random loss"] == pytest.approx(
            np.mean([evaluate(GAME, p, rival) for p in policies])
        )
        lessons = [
            Lessons(probability=0.2, final_probability=0.8, anneal=20, seed=derived(0, seed)) for seed in range(2)
        ]
        won = np.mean([(Training(Boxes(), rising).run(20).points == 1).sum() for rising in lessons])
        assert told("games", "ended", "0.2 to 0.8")["won"] == won
        for name in ("perfect", "random", "human"):
            assert sum(last[f"{name} {way}"] for way in ("win", "draw", "loss")) == pytest.approx(1)

    def test_untaught_boxes_are_measured_first(self) -> None:
        moments = plot.moments_of(2000)
        assert moments[0] == 0
        assert moments[-1] == 2000
        assert (np.diff(moments) > 0).all()
