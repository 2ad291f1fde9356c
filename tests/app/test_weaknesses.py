"""``nashzoo weaknesses``, and the states that lose most in reports of training."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from command import Command
from nashzoo import agents
from nashzoo.app.shared.weak_spots import Spot, explained
from nashzoo.baselines import Policy, Weakness, best_response, evaluate
from nashzoo.baselines.markov import likely_play
from nashzoo.envs import footsies_v0, make_game, tictactoe_v0
from nashzoo.envs.base.words import either, often

EXACT = 1e-9
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"
WHITE = 255


class TestAllStates:
    def test_for_people_it_says_where_and_why(self, nashzoo: Command) -> None:
        # By hand: counter answers a Block with a Grab, and a Dragon Punch wins against it.
        out = nashzoo.prints("weaknesses footsies_v0 counter --apart")
        assert (
            "counter in footsies_v0 loses 0.5 points per game to an opponent who knows how it plays (exact) 1." in out
        )
        assert (
            "1. It plays Grab too often in an even position, as red: every time, a perfect mix 1 time in 3 "
            "Costs 0.25 points per game: 1 point each time, 1 time in 4 games "
            "red: blocks 3, last move Attack "
            "blue: blocks 2, last move Block "
            "it plays Grab: 100% equilibrium Block: 33%, Grab: 33%, Dragon Punch: 33% punished by Dragon Punch 2."
        ) in out
        assert "3. " not in out and "-0." not in out  # what a best response gives up is no weakness
        assert out.endswith("No other mistake costs anything.")

    def test_what_is_given_up_is_the_difference_of_the_figures_that_are_shown(self) -> None:
        spots: list[Any] = [SimpleNamespace(states=[0], share=share) for share in (0.5, 0.474)]
        for total, said in (
            (0.9562, "These 2 mistakes cost 0.97 points per game; to get there, the opponent gives 0.01 up elsewhere."),
            (0.4, "To reach these positions, the opponent gives points up elsewhere."),
            (0.9736, "0.974 points per game; to get there, the opponent gives 0.0004 up elsewhere."),
        ):
            assert said in explained(spots, total, "game")

    def test_a_heading_says_what_is_played_too_often_and_when(self, nashzoo: Command) -> None:
        random = nashzoo.json("weaknesses bodega_brawl_v0 random --apart --param preset=small --most 300")["weaknesses"]
        for each in random:
            off = {name: share - each["best"][name] for name, share in each["plays"].items()}
            much, little = max(off.values()), min(off.values())
            words, _, shares = each["heading"].removeprefix("It plays ").partition(": ")
            words, _, when = words.partition(" in a")
            never = [name for name, share in each["plays"].items() if share >= 0.005 > each["best"][name]]
            wrong = sum(each["plays"][name] for name in never)
            if 1 < len(never) <= 4 and wrong > max(much, -little):
                assert words == f"{either(never)} too often"
                assert shares == f"{often(wrong)}, a perfect mix {often(sum(each['best'][name] for name in never))}"
                continue
            named = next(name for name in sorted(off, key=len, reverse=True) if words.startswith(name))
            assert off[named] == pytest.approx(much if "too often" in words else little), each["heading"]
            assert shares == f"{often(each['plays'][named])}, a perfect mix {often(each['best'][named])}"
            good = "good" if each["value"] > 0 else "bad"
            assert when.strip() == ("n even position" if abs(each["value"]) < EXACT else f"{good} position")
        assert len({each["heading"] for each in random}) > 10

    def test_where_one_player_moves_the_heading_names_what_is_right(self, nashzoo: Command) -> None:
        # By hand: of the answers to a cross in the middle the corners draw; of those to two in a line, one does.
        first, second, *_ = nashzoo.json("weaknesses tictactoe_v0 human --apart")["weaknesses"]
        assert (first["right"], second["right"]) == (["0", "2", "6", "8"], ["7"])
        assert first["heading"] == "0, 2, 6 or 8 is best here: missed about 1 time in 7"  # 3 of 20
        assert second["heading"] == "Only 7 is best here: missed 1 time in 4"
        assert second["mix"] == [["7", pytest.approx(0.75), 1.0], ["others", pytest.approx(0.25), 0.0]]
        out = nashzoo.prints("weaknesses tictactoe_v0 human --apart --most 2")
        assert (
            "75%, others: 25% right bottom middle answer left middle, right middle or bottom middle, to top right These"
            in out
        )
        for each in nashzoo.json("weaknesses tictactoe_v0 greedy --apart --most 3")["weaknesses"]:
            assert re.fullmatch(r"(Only \d|\d[\d, ]* or \d) is best here: it plays \d every time", each["heading"])
            assert not {*each["right"]} & {name for name, share in each["plays"].items() if share}

    def test_where_fewer_actions_are_wrong_the_heading_names_them(self) -> None:
        plays = {name: 1 / 7 for name in ("Kick", "Right", "Left", "Up", "Down", "Right Up", "Right Down")}
        state = Weakness(0, 0, "", 1.0, 0.1, 0.1, plays, {"Up": 1.0}, "")
        spot = Spot((state,), right=tuple(plays)[1:])
        assert spot.heading == "Kick is bad here: played 1 time in 7"
        assert spot.mix == [("Kick", pytest.approx(1 / 7), 0.0), ("others", pytest.approx(6 / 7), 1.0)]
        plays = {"top left": 0.0, "middle": 0.2, "top right": 0.4, "bottom left": 0.4}
        state = Weakness(0, 0, "", 1.0, 0.1, 0.1, plays, {"top right": 1.0}, "")
        spot = Spot((state,), 5, right=("top right", "bottom left"))
        assert spot.heading == "Top right or bottom left is best here: it played middle 1 time of 5"
        spot = Spot((state,), 5, right=("top right", "bottom left", "a", "b"))
        assert spot.heading == "Middle is bad here: played 1 time of 5"

    def test_images_of_a_state_by_symmetry_are_one(self, nashzoo: Command) -> None:
        told = nashzoo.json("weaknesses tictactoe_v0 human --most 20")["weaknesses"]
        game = tictactoe_v0.game()
        assert len({game.canonical(each["code"]) for each in told}) == len(told) == 20
        assert max(each["states"] for each in told) > 1

    @pytest.mark.parametrize("name", ["footsies_v0 random", "tictactoe_v0 human"])
    def test_all_shares_add_up_to_the_exploitability(self, nashzoo: Command, name: str) -> None:
        told = nashzoo.json(f"weaknesses {name} --most 1000000")
        expected = nashzoo.json(f"exploitability {name}")["exploitability"]
        assert told["exploitability"] == expected > 0.1
        assert sum(each["share"] for each in told["weaknesses"]) == pytest.approx(expected, abs=EXACT)
        assert told["explained"] == pytest.approx(expected, abs=EXACT)
        assert all(each["share"] == pytest.approx(each["reach"] * each["regret"]) for each in told["weaknesses"])

    def test_json_has_the_words_and_the_fields(self, nashzoo: Command) -> None:
        told = nashzoo.json("weaknesses tictactoe_v0 human --apart --most 2")
        assert (told["game"], told["parameters"], told["player"]) == ("tictactoe_v0", {}, "human")
        first, second = told["weaknesses"]
        game = tictactoe_v0.game()
        words = " ".join(game.text(game.code(board="....x....")).split())
        assert (first["situation"], " ".join(first["words"].split())) == ("board=....x....", words)
        assert (first["seat"], first["punished_by"], first["best"]["0"], first["states"]) == (1, "", 1.0, 1)
        assert told["explained"] == pytest.approx(first["share"] + second["share"])

    def test_a_player_with_a_finite_memory_is_measured(self, nashzoo: Command) -> None:
        told = nashzoo.json("weaknesses roshambo_v0 habits --param rounds=4 --apart --most 1000")
        lost = sum(each["share"] for each in told["weaknesses"])
        assert lost == pytest.approx(
            nashzoo.json("exploitability roshambo_v0 habits --param rounds=4")["exploitability"], abs=EXACT
        )

    def test_the_same_mistakes_are_put_together(self, nashzoo: Command) -> None:
        # It copies the other's last throw: known after the first, and 1 point is lost at each of the 19 others.
        line = "weaknesses roshambo_v0 copy --param rounds=20"
        told = nashzoo.json(line)
        assert told["exploitability"] == pytest.approx(19, abs=EXACT)
        beaten_by = {"Rock": "Paper", "Paper": "Scissors", "Scissors": "Rock"}
        assert {
            max(each["plays"], key=each["plays"].get): each["punished_by"] for each in told["weaknesses"]
        } == beaten_by
        assert told["explained"] == pytest.approx(19, abs=EXACT)
        assert all("played" in each["differing"] and each["states"] >= 6 for each in told["weaknesses"])
        assert sum(each["reach"] for each in told["weaknesses"]) == pytest.approx(19, abs=EXACT)
        out = nashzoo.prints(f"{line} --most 1")
        assert re.search(r"the same at \d+ other states, they differ in throws played and last throws", out)
        assert nashzoo.json(f"{line} --apart --most 10")["explained"] == pytest.approx(10, abs=EXACT)

    def test_at_most_three_fields_in_which_states_differ_are_named_as_on_the_board(self, nashzoo: Command) -> None:
        out = nashzoo.prints("weaknesses bodega_brawl_v0 random --param preset=small --most 2")
        assert "they differ in strikes on red's head, strikes on " in out
        assert re.search(r"differ in [\w' ]+, [\w' ]+, [\w' ]+ and \d+ more", out)

    def test_perfect_play_loses_nothing(self, nashzoo: Command) -> None:
        out = nashzoo.prints("weaknesses footsies_v0 nash --apart --out nash.png")
        assert "loses 0 points per game to an opponent who knows how it plays (exact); nothing costs it anything" in out
        assert nashzoo.json("weaknesses footsies_v0 nash --apart")["weaknesses"] == []

    def test_refusals(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        hidden = nashzoo.refused(f"weaknesses {EXAMPLES / 'kuhn.py'} random")
        assert hidden.startswith("no state has a loss of its own: the players of kuhn_v0 see a part of the state each")
        assert "a policy that depends on the state alone" in nashzoo.refused("weaknesses footsies_v0 bayesian")
        assert nashzoo.refused("weaknesses footsies_v0 random --most 0").startswith("most must be a whole number")
        refused = nashzoo.refused("weaknesses footsies_v0 random --out spots.txt")
        assert "--out must end in .png, .svg or .pdf, not 'spots.txt'" in refused
        monkeypatch.setattr(likely_play, "MOST_CONNECTED", 1)
        message = nashzoo.refused(f"weaknesses {EXAMPLES / 'pig.py'} random --param target=5")
        assert message.startswith("play returns to too many states for their visits to be counted; --states 200 asks ")


class TestAgainst:
    @pytest.mark.parametrize(
        "pair",
        [
            ("footsies_v0", "counter", "random"),
            pytest.param(("tictactoe_v0", "human", "random"), marks=pytest.mark.slow),
        ],
    )
    def test_shares_add_up_to_what_a_best_response_wins_more(
        self, nashzoo: Command, pair: tuple[str, str, str]
    ) -> None:
        name, player, other = pair
        told = nashzoo.json(f"weaknesses {name} {player} --against {other} --most 1000000")
        game = make_game(name)
        one, two = (cast(Policy, agents.make(each, game)) for each in (player, other))
        wins = (evaluate(game, one, two) - evaluate(game, two, one)) / 2
        best = (best_response(game, two, 0).value + best_response(game, two, 1).value) / 2
        assert (told["wins"], told["best_response"]) == pytest.approx((wins, best), abs=EXACT)
        assert told["difference"] == pytest.approx(best - wins, abs=EXACT)
        assert sum(each["share"] for each in told["weaknesses"]) == pytest.approx(best - wins, abs=EXACT)
        assert told["against"] == other and all("opponent" in each for each in told["weaknesses"])

    def test_for_people_it_says_what_the_opponent_plays(self, nashzoo: Command) -> None:
        # By hand: after an Attack counter always blocks, and a Grab, which random plays once in four, wins.
        out = nashzoo.prints("weaknesses footsies_v0 random --against counter")
        assert "wins 0.04 points per game from counter, exact; a best response wins 0.5, 0.46 more" in out
        assert re.search(r"it plays Attack: 25%, .{,60} best reply Grab: 100% opponent Block: 100% the same at 11", out)
        assert "punished" not in out
        perfect = nashzoo.prints("weaknesses tictactoe_v0 nash --apart --against nash")
        assert ", 0 more; nothing costs it anything" in perfect

    @pytest.mark.slow
    def test_of_records_the_matches_of_both_count(self, nashzoo: Command) -> None:
        for other in ("random", "markov"):
            nashzoo.prints(f"watch footsies_v0 bayesian {other} --games 10 --seed 1 --save kept/{other}.jsonl")
        told = nashzoo.json(
            "weaknesses footsies_v0 bayesian --apart --records kept --against markov --most 100000 --out it.png"
        )
        assert told["matches"] == 10 and told["explained"] == pytest.approx(told["difference"], abs=EXACT)
        assert Path("it.png").stat().st_size > 0

    def test_refusals(self, nashzoo: Command) -> None:
        line = "weaknesses footsies_v0 random --against"
        assert "leave out --states" in nashzoo.refused(f"{line} counter --states 9")
        assert "a policy that depends on the state alone" in nashzoo.refused(f"{line} bayesian")


class TestDrawnStates:
    LINE = "weaknesses footsies_v0 random --apart --states 50"

    def test_the_regret_of_random_play(self, nashzoo: Command) -> None:
        # By hand: against equal probabilities a Dragon Punch wins two times of four and loses once, at the start.
        told = nashzoo.json(f"{self.LINE} --seed 1")
        assert told["drawn"] == 50 and "exploitability" not in told
        assert told["mean_regret"] == pytest.approx(told["explained"], abs=EXACT)
        assert told["states_with_regret"] == len(told["weaknesses"])
        first = told["weaknesses"][0]
        assert first["situation"] == footsies_v0.game().spell(footsies_v0.game().first_decision)
        assert (first["regret"], first["punished_by"]) == (pytest.approx(1 / 4), "Dragon Punch")
        assert told == nashzoo.json(f"{self.LINE} --seed 1")
        reach = {seed: nashzoo.json(f"{self.LINE} --seed {seed}")["weaknesses"][0]["reach"] for seed in range(3)}
        assert len(set(reach.values())) > 1

    def test_for_people_it_says_how_states_are_drawn(self, nashzoo: Command) -> None:
        out = nashzoo.prints("weaknesses tictactoe_v0 human --apart --states 50 --most 2")
        drawn = "in 50 random positions of perfect play"
        assert re.search(
            rf"loses 0\.\d+ points per decision to .* how it plays \(95 % interval ± 0\.\d+\), {drawn}",
            out,
        )
        assert re.search(r"These 2 mistakes cost \d+% of the 0\.\d+ points per decision\.$", out)

    def test_without_a_mistake_it_says_what_is_certain(self, nashzoo: Command) -> None:
        out = nashzoo.prints("weaknesses footsies_v0 nash --apart --states 50")
        assert out.endswith("none costs anything, so with 95 % confidence at most 6.0% do")

    def test_refusals(self, nashzoo: Command) -> None:
        hidden = nashzoo.refused(f"weaknesses {EXAMPLES / 'kuhn.py'} random --states 5")
        assert hidden.startswith("no state has a loss of its own")
        assert "a policy that depends on the state alone" in nashzoo.refused("weaknesses footsies_v0 markov --states 5")
        assert nashzoo.refused("weaknesses footsies_v0 random --states 1").startswith("states must be a whole number")

    def test_they_are_advised_where_states_are_too_many(self, nashzoo: Command) -> None:
        message = nashzoo.refused("weaknesses bodega_brawl_v0 random")
        assert "2,000,000 is the most among which weaknesses are looked for; --states 200 asks it at" in message


class TestRecords:
    def test_a_player_of_recorded_matches(self, nashzoo: Command) -> None:
        nashzoo.prints("watch footsies_v0 counter random --games 20 --seed 1 --save kept/games.jsonl")
        line = "weaknesses footsies_v0 counter --apart --records kept"
        out = nashzoo.prints(line)
        assert re.search(r"\d+ decisions in 20 games; where it chose nothing it is taken to play the equil", out)
        assert re.search(r"it plays Grab: 40%, .* punished by Dragon Punch recorded \d+ decision", out)
        told = nashzoo.json(f"{line} --most 1000")
        assert told == nashzoo.json("weaknesses footsies_v0 counter --apart --records kept/games.jsonl --most 1000")
        assert told["matches"] == 20 and told["explained"] == pytest.approx(told["exploitability"], abs=EXACT)
        chosen = [each["decisions"] for each in told["weaknesses"] if each["regret"] > 0]
        assert min(chosen) > 0 and sum(chosen) <= told["decisions"]

    def test_a_game_of_a_file(self, nashzoo: Command) -> None:
        pig = EXAMPLES / "pig.py"
        nashzoo.prints(f"watch {pig} random random --param target=5 --seed 1 --save games.jsonl")
        out = nashzoo.prints(f"weaknesses {pig} random --param target=5 --records games.jsonl")
        assert "decisions in 1 game" in out and "is to move, turn total" in out

    def test_refusals(self, nashzoo: Command) -> None:
        nashzoo.prints("watch footsies_v0 counter random --seed 1 --save games.jsonl")
        line = "--records games.jsonl"
        message = nashzoo.refused(f"weaknesses footsies_v0 ann {line}")
        assert message.startswith("ann chose in no recorded match of footsies_v0: the players are counter, random")
        assert "leave out --option" in nashzoo.refused(f"weaknesses footsies_v0 counter {line} --option bluff=1")
        assert nashzoo.refused("weaknesses footsies_v0 ann --records a.jsonl") == "there is no file a.jsonl"


@pytest.mark.parametrize("name", ["footsies_v0 counter", "tictactoe_v0 human"])
def test_the_picture_has_a_margin_all_around(nashzoo: Command, name: str) -> None:
    assert nashzoo.prints(f"weaknesses {name} --out drawn/states.png").endswith("Drawn into drawn/states.png.")
    with Image.open("drawn/states.png") as image:
        pixels = np.array(image.convert("L"))
    for edge in (pixels[:2], pixels[-2:], pixels[:, :2], pixels[:, -2:]):
        assert (edge == WHITE).all()
    assert (pixels[:, : pixels.shape[1] // 4] < WHITE).any() and (pixels[:, -pixels.shape[1] // 4 :] < WHITE).any()


def test_the_picture_says_what_is_lost_and_draws_the_five_worst_states(
    nashzoo: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr("nashzoo.arena.pictures.write", lambda figure, path: drawn.append(figure))
    nashzoo.prints("weaknesses tictactoe_v0 human --apart --most 7 --out states.pdf")
    (figure,) = drawn
    assert said(figure) == (
        "human loses 0.48 points per game to an opponent who knows how it plays, above all where 0, 2, 6 or 8 is best."
    )
    assert figure.get_supxlabel() == "In tictactoe_v0: exact."
    *boards, bars, words = figure.axes
    assert len(boards) == 5 and len(bars.patches) == 6 and bars.get_xlabel() == "costs, points per game"
    assert any(text.get_text() == "2. Only 7 is best here, as noughts: missed 1 time in 4" for text in words.texts)
    told = nashzoo.json("weaknesses tictactoe_v0 human --apart")
    assert sum(bar.get_width() for bar in bars.patches) == pytest.approx(told["exploitability"])
    nashzoo.prints("weaknesses footsies_v0 counter --apart --out states.pdf")
    assert said(drawn[1]) == (
        "counter loses 0.5 points per game to an opponent who knows how it plays, above all where it plays Grab too "
        "often in an even position."
    )
    assert "blocks 2, last move Block" in [text.get_text() for text in drawn[1].axes[-1].texts]
    assert drawn[1].get_supxlabel() == "In footsies_v0: exact. As blue it is the same."
    nashzoo.prints("weaknesses footsies_v0 counter --apart --against random --out states.pdf")
    pair = "counter wins 0.37 points per game less from random than a best response, above all where it plays"
    assert said(drawn[2]).startswith(pair)
    assert not any("mono" in family for text in words.texts for family in text.get_fontfamily())


def said(figure: Figure) -> str:
    """Returns the headline of a figure in one line."""
    return figure.get_suptitle().replace("\n", " ")


@pytest.mark.slow
def test_a_report_of_training_names_the_three_worst_states_first(nashzoo: Command) -> None:
    line = "train tictactoe_v0 --algorithm ppo --opponent random --player 1 --timesteps 2000 --games 10 --seed 0"
    out = nashzoo.prints(f"{line} --run-dir run --quiet")
    worst, table = out[out.index("Where it loses most: 1. It plays ") :].split(" ppo, ")
    states = re.findall(r"\d\. It plays [^.]*?, as noughts: [^;]*; costs \S+ per game, at (\d) states?", worst)
    assert sum(map(int, states)) == 3 and "regret" in table  # the same mistake is named once
    assert "mistakes cost" in worst or "No other mistake costs anything." in worst
    told = json.loads(Path("run/report.json").read_text())
    first, *others = told["weaknesses"]
    assert len(others) == 2 and first["seat"] == 1 and 0 < first["share"] < told["exploitability"]
