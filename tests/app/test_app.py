"""The ``nashzoo`` command."""

import csv
import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nim
import table_games
from command import Command
from nashzoo import agents
from nashzoo.agents.basic.keyboard import KeyboardAgent
from nashzoo.app import main
from nashzoo.app.commands import play
from nashzoo.app.commands import solve as solve_command
from nashzoo.baselines import exploitability, solve
from nashzoo.envs import Game, footsies_v0, games

EXACT = 1e-9  # the certificate that solutions come with
COMMANDS = (
    "train",
    "solve",
    "verify",
    "play",
    "tournament",
    "exploitability",
    "population",
    "results",
    "export",
    "picture",
    "list",
)
SLOW = ("population", "results", "train")  # whose examples take long
ROOT = Path(__file__).resolve().parents[2]


class TestSolve:
    def test_the_start_is_worth_nothing_and_attack_is_never_played(self, nashzoo: Command) -> None:
        solved = nashzoo.json("solve footsies_v0")
        assert set(solved) == {"value", "certificate", "strategy0", "strategy1"}
        assert solved["value"] == pytest.approx(0, abs=EXACT)  # a symmetric game
        assert 0 <= solved["certificate"] <= EXACT
        thirds = {"Attack": 0, "Block": 1 / 3, "Grab": 1 / 3, "Dragon Punch": 1 / 3}  # the cycle B < G < D < B
        assert solved["strategy0"] == pytest.approx(thirds, abs=EXACT)
        assert solved["strategy1"] == pytest.approx(thirds, abs=EXACT)

    @pytest.mark.parametrize("state", ["blocks0=0,blocks1=0,hits0=1", "blocks1=0,hits0=1"])
    def test_a_state_that_is_worth_something(self, nashzoo: Command, state: str) -> None:
        # By hand: Attack wins against Block and Grab, so that the matrix of player 0 is that of wins and losses
        #   A: 0 +1 +1 -1;  B: 0 0 -1 +1;  G: 0 +1 0 -1;  D: +1 -1 +1 0, whose value is 1/9.
        solved = nashzoo.json(f"solve footsies_v0 --at {state}")
        assert solved["value"] == pytest.approx(1 / 9, abs=EXACT)
        assert list(solved["strategy0"].values()) == pytest.approx([3 / 9, 4 / 9, 0, 2 / 9], abs=EXACT)
        assert list(solved["strategy1"].values()) == pytest.approx([0, 2 / 9, 3 / 9, 4 / 9], abs=EXACT)

    def test_parameters_change_the_game(self, nashzoo: Command) -> None:
        state = "--at blocks0=0,blocks1=0,hits0=1"
        assert nashzoo.json(f"solve footsies_v0 --param exhausted_block=free {state}")["value"] == pytest.approx(0)
        several = nashzoo.json(f"solve footsies_v0 --param rounds=2 max_turns=3 {state}")
        assert 0 < several["value"] < 1 / 9  # there is a round to come, and time may run out

    def test_for_people_it_prints_value_certificate_and_both_strategies(self, nashzoo: Command) -> None:
        code, out, err = nashzoo("solve footsies_v0 --at blocks1=0,hits0=1")
        assert (code, err) == (0, "")
        assert "value to player 0: 0.111111111 points" in out
        assert re.search(r"certificate \(largest gap at any state\): \d\.\de-\d\d", out)
        assert "blocks0=3, blocks1=0, hits0=1, hits1=0" in out
        assert re.search(r"Block │ 0\.4444 │ 0\.2222", out)

    def test_a_state_that_play_does_not_lead_to_is_solved_too(self, nashzoo: Command) -> None:
        # Both have landed a hit, though whoever lands one puts the other's count back to 0. All as usual by symmetry.
        assert nashzoo.json("solve footsies_v0 --at hits0=1,hits1=1")["value"] == pytest.approx(0, abs=EXACT)

    def test_turn_based_games_have_a_distance(self) -> None:
        # Four objects, at most three at a time: the first player loses, the longest in two moves (Bouton 1901).
        game = Game(nim, heap=4)
        described = solve_command.describe(solve(game), int(game.start_codes[0]))
        assert described["value"] == pytest.approx(-1, abs=EXACT)
        assert described["distance"] == 2
        assert list(described["strategy0"]) == ["take 1", "take 2", "take 3"]

    def test_a_random_start_has_a_value_but_no_strategies(
        self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(solve_command, "game_of", lambda name, param: Game(nim, heap=5, first="random"))
        assert set(nashzoo.json("solve nim")) == {"value", "certificate", "states"}
        assert "at its random start value to player 0: 0 points" in nashzoo("solve nim")[1]
        code, out, _ = nashzoo("solve nim --at heap=5,mover=0")
        assert code == 0
        assert "value to player 0: 1 points" in out
        assert "moves to the end: 3 best moves of player 0: take 1" in out
        assert "states ┏" not in out
        at = nashzoo.json("solve nim --at heap=4,mover=1")
        assert (at["value"], at["distance"], at["turn"]) == (1, 2, 1)
        assert at["best_moves"] == ["take 1", "take 2", "take 3"]
        assert "states" not in at

    def test_states_are_counted_by_who_wins(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        # With 5, 3, 2 or 1 objects the mover wins, with 4 the other (Bouton 1901).
        game = Game(nim, heap=5, first="random")
        monkeypatch.setattr(solve_command, "game_of", lambda name, param: game)
        assert nashzoo.json("solve nim")["states"] == [{"player_0_wins": 5, "draws": 0, "player_1_wins": 5}]
        assert re.search(r"player 0 wins ┃ draws ┃ player 1 wins ┃ all .* 5 │ 0 │ 5 │ 10", nashzoo("solve nim")[1])
        game = table_games.with_rules(game, GROUPED_BY=("mover",), WORDS={"mover": ("first", "second")})
        assert nashzoo.json("solve nim")["states"] == [
            {"mover": "first", "player_0_wins": 4, "draws": 0, "player_1_wins": 1},
            {"mover": "second", "player_0_wins": 1, "draws": 0, "player_1_wins": 4},
        ]
        _, out, _ = nashzoo("solve nim")
        assert re.search(r"first │ 4 │ 0 │ 1 │ 5 .* second │ 1 │ 0 │ 4 │ 5 .* all │ 5 │ 0 │ 5 │ 10", out)
        code, out, _ = nashzoo("solve nim --at heap=3,mover=second")
        assert code == 0
        assert "at heap=3,mover=second value to player 0: -1 points" in out
        assert "moves to the end: 1 best moves of player 1: take 3" in out

    def test_tic_tac_toe(self, nashzoo: Command) -> None:
        # 5,478 states, of which 626 are won by crosses, 316 by noughts, and 16 are full; play goes on at the others.
        (counted,) = nashzoo.json("solve tictactoe_v0")["states"]
        assert sum(counted.values()) == 5478 - 626 - 316 - 16
        at = nashzoo.json("solve tictactoe_v0 --at board=xx.oo....")
        assert (at["value"], at["distance"], at["turn"], at["best_moves"]) == (1, 1, 0, ["2"])
        at = nashzoo.json("solve tictactoe_v0 --at board=x........")  # only the middle does not lose
        assert (at["value"], at["distance"], at["turn"], at["best_moves"]) == (0, None, 1, ["4"])
        assert len(nashzoo.json("solve tictactoe_v0 --at board=.........")["best_moves"]) == 9


class TestPlay:
    @pytest.mark.parametrize("seat", [0, 1])
    @pytest.mark.parametrize("seed", range(4))
    def test_a_game_against_counter(self, nashzoo: Command, seat: int, seed: int) -> None:
        # It begins at random and answers an Attack with a Block: Attack, then Grab, fails at a Dragon Punch alone.
        code, out, err = nashzoo(f"play footsies_v0 --against counter --seat {seat} --seed {seed}", "a\nGrab\n")
        assert (code, err) == (0, "")
        assert f"You are player {seat}, the other is counter." in out
        if "The other played Dragon Punch." in out:
            assert out.endswith("You lose. (-1)")
            assert "in the lead: other by 1 you: blocks 3" in out
        else:
            assert out.endswith("You win. (+1)")
            assert "You played Grab. The other played Block. round 1 of 1, in the lead: you by 1 you: blocks 3" in out
        assert "player 0:" not in out
        assert "player 1:" not in out

    def test_wrong_answers_are_asked_again(self, nashzoo: Command) -> None:
        _, out, _ = nashzoo("play footsies_v0 --against random --seed 1", "kick\n7\n\n" + 50 * "dp\n")
        assert "'kick' is none of a (Attack), b (Block), g (Grab), dp (Dragon Punch)" in out
        assert "'7' is none of" in out
        assert "'' is none of" in out
        assert out.endswith(("You win. (+1)", "You lose. (-1)"))

    @pytest.mark.parametrize("answers", ["", "a\n", "a"])
    def test_the_end_of_input_ends_the_game(self, nashzoo: Command, answers: str) -> None:
        code, out, err = nashzoo("play footsies_v0 --against manual", answers)
        assert (code, err) == (0, "")
        assert out.endswith("The game was left unfinished.")

    def test_verbose_shows_the_equilibrium_from_the_persons_side(self, nashzoo: Command) -> None:
        _, out, _ = nashzoo("play footsies_v0 --against nash --verbose --seat 1")
        assert "equilibrium, worth +0.0000 to you" in out
        assert re.search(r"Attack │ 0\.0000 │ 0\.0000 .*Block │ 0\.3333 │ 0\.3333", out)

    @pytest.mark.parametrize(("seat", "worth", "mine"), [(0, "+0.1111", "0.4444"), (1, "-0.1111", "0.2222")])
    def test_the_equilibrium_is_turned_round_for_the_second_seat(self, seat: int, worth: str, mine: str) -> None:
        game = footsies_v0.game()
        table = play.equilibrium_table(solve(game), game.code(blocks0=0, blocks1=0, hits0=1, last0=1, last1=3), seat)
        assert table.title == f"equilibrium, worth {worth} to you"
        assert list(table.columns[1].cells)[1] == mine

    def test_results_are_the_persons_and_only_whoever_is_to_move_is_asked(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        game = Game(nim, heap=5)  # taking one leaves four, which is won
        answers = io.StringIO("t1\nt1\nt2\nt3\nt3\n")
        person = KeyboardAgent(game, source=answers, target=io.StringIO())
        other = agents.make("random", game, seed=3)
        rng = np.random.default_rng(0)
        result = play.play(game, person, other, 0, rng, None)
        told = capsys.readouterr().out.splitlines()
        assert told[0] == "You played take 1."
        assert told[1].startswith("The other played take ")
        assert result.points == (1.0 if told[-1].startswith("You") else -1.0)

    @pytest.mark.parametrize("seat", [0, 1])
    def test_driven_it_shows_its_move_before_it_is_answered(self, nashzoo: Command, seat: int) -> None:
        line = f"play bodega_brawl_v0 --param preset=tiny --against random --drive --seed 1 --seat {seat}"
        told = re.search(r"Play for it: (\w+ \w+ ?\w*) you", nashzoo(line)[1])
        assert told
        code, out, err = nashzoo(line, "bc\n")
        assert (code, err) == (0, "")
        assert out.index("Play for it") < out.index("Your move:") < out.index(f"The other played {told[1]}.")

    def test_options_of_the_agent(self, nashzoo: Command) -> None:
        _, out, _ = nashzoo("play footsies_v0 --against bluff --option bluff=0.0", "a\n")
        assert "The other played Attack." in out  # its tendency is 0, below 1
        code, _, err = nashzoo("play footsies_v0 --against bluff --option bluf=0.0")
        assert (code, err) == (2, "nashzoo: bluff has no option bluf; it has bluff\n")

    def test_there_are_two_seats(self, nashzoo: Command) -> None:
        assert nashzoo("play footsies_v0 --seat 2") == (2, "", "nashzoo: the seat must be 0 or 1, not 2\n")


class TestTournament:
    LINE = "tournament footsies_v0 --agents random counter nash --games 400"

    def test_it_prints_a_table_and_writes_csv_and_picture(self, nashzoo: Command, tmp_path: Path) -> None:
        code, out, _ = nashzoo(f"{self.LINE} --seed 1 --out results")
        assert code == 0
        assert "Written to results/cross_table.csv and results/cross_table.png." in out
        with (tmp_path / "results" / "cross_table.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert {(row["player"], row["opponent"]) for row in rows} == {
            (a, b) for a in ("random", "counter", "nash") for b in ("random", "counter", "nash") if a != b
        }
        for row in rows:
            assert int(row["wins"]) + int(row["draws"]) + int(row["losses"]) == int(row["games"]) == 400
            assert float(row["win_low"]) < float(row["win_share"]) < float(row["win_high"])
        assert (tmp_path / "results" / "cross_table.png").read_bytes().startswith(b"\x89PNG")

    def test_the_seed_decides_everything(self, nashzoo: Command, tmp_path: Path) -> None:
        for seed, out in ((1, "a"), (1, "b"), (2, "c")):
            nashzoo(f"{self.LINE} --seed {seed} --out {out}")
        first, same, different = ((tmp_path / out / "cross_table.csv").read_bytes() for out in "abc")
        assert first == same != different

    def test_all_scripted_agents_play_if_none_are_named(self, nashzoo: Command, tmp_path: Path) -> None:
        assert nashzoo("tournament footsies_v0 --games 10")[0] == 0
        with (tmp_path / "tournament" / "cross_table.csv").open(newline="") as file:
            players = {row["player"] for row in csv.DictReader(file)}
        assert players == set(agents.names(footsies_v0.game())) - {"manual"}

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("--agents random", "a tournament needs at least two players, not 1"),
            ("--agents random nash --games 7", "games must be even, for half of them in each seat, not 7"),
            (
                "--agents random nobody",
                "there is no player 'nobody'; the players of footsies_v0 are manual, random",
            ),
        ],
    )
    def test_wrong_use(self, nashzoo: Command, words: str, message: str) -> None:
        code, _, err = nashzoo(f"tournament footsies_v0 {words}")
        assert code == 2
        assert f"nashzoo: {message}" in err


class TestExploitability:
    @pytest.mark.parametrize(
        ("agent", "figure"),
        [
            ("nash", 0.0),
            # By hand: a Dragon Punch wins against two of four moves, loses to one, and one changes nothing.
            ("random", 1 / 3),
            # By hand: it begins at random and answers an Attack with a Block; Attack, then Grab, loses to a Dragon
            # Punch at the first turn and wins otherwise.
            ("counter", 3 / 4 - 1 / 4),
        ],
    )
    def test_agents_by_name(self, nashzoo: Command, agent: str, figure: float) -> None:
        figures = nashzoo.json(f"exploitability footsies_v0 {agent}")
        wanted = {"exploitability": figure, "nash_conv": 2 * figure, "player_0": figure, "player_1": figure}
        assert figures == pytest.approx(wanted, abs=EXACT)

    def test_a_search_with_its_randomness_fixed_by_state(self, nashzoo: Command) -> None:
        line = "exploitability footsies_v0 mcts --option search_seed=0 simulations="
        few, many = (nashzoo.json(f"{line}{simulations}")["exploitability"] for simulations in (50, 5000))
        assert 0 < many < few

    def test_for_people(self, nashzoo: Command) -> None:
        _, out, _ = nashzoo("exploitability footsies_v0 counter")
        assert "points per game, exact exploitability 0.500000000 NashConv 1.000000000 in seat 0 0.500000000" in out

    def test_a_saved_model(self, nashzoo: Command, tmp_path: Path) -> None:
        from stable_baselines3 import PPO

        from nashzoo.envs.api.sb3_vec_env import GameVecEnv
        from nashzoo.envs.vector.game_batch import GameBatch

        game = footsies_v0.game(rounds=2)
        model = PPO("MlpPolicy", GameVecEnv(GameBatch(game, 1, agents.make("random", game))), seed=1, device="cpu")
        model.save(tmp_path / "model.zip")
        figures = nashzoo.json("exploitability footsies_v0 model.zip --param rounds=2")
        assert figures["exploitability"] == pytest.approx(exploitability(game, agents.as_agent(model, game)), abs=EXACT)
        code, _, err = nashzoo("exploitability footsies_v0 missing.zip")
        assert (code, err) == (2, "nashzoo: there is no file missing.zip\n")

    @pytest.mark.parametrize("agent", ["bayesian", "bluff", "markov"])
    def test_agents_that_remember_have_none(self, nashzoo: Command, agent: str) -> None:
        code, out, err = nashzoo(f"exploitability footsies_v0 {agent}")
        assert (code, out) == (2, "")
        assert "exact measures need a policy that depends on the state alone" in err
        assert err.count("\n") == 1


class TestList:
    def test_everything_is_listed(self, nashzoo: Command) -> None:
        code, out, err = nashzoo("list")
        assert (code, err) == (0, "")
        for name in games():
            assert name in out
        assert "rounds=1, blocks=3, attacks_to_win=2, max_turns=0, exhausted_block='hit'" in out
        for agent in agents.names(footsies_v0.game()):
            assert agent in out
        assert "The Statistician │ alpha=1.0, risk_threshold=0.2" in out


class TestEveryCommand:
    @pytest.mark.parametrize("command", COMMANDS)
    def test_help_has_an_example(self, nashzoo: Command, command: str) -> None:
        code, out, _ = nashzoo(f"{command} --help")
        assert code == 0
        assert f"Example: nashzoo {command}" in out

    @pytest.mark.parametrize(
        "command", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in COMMANDS]
    )
    def test_the_examples_run(self, nashzoo: Command, command: str) -> None:
        example = re.search(r"Example: nashzoo (.*)", main.COMMANDS[command].__doc__ or "")
        assert example is not None
        code, _, _ = nashzoo(example[1])
        assert code == 0

    def test_help_names_all_commands(self, nashzoo: Command) -> None:
        code, out, _ = nashzoo("--help")
        assert code == 0
        *commands, last = COMMANDS
        assert "{" + ",".join([*commands, "menace", last]) + "}" in out  # menace is a group, with commands of its own

    @pytest.mark.parametrize("line", ["solve chess", "play chess", "tournament chess", "exploitability chess nash"])
    def test_unknown_games_list_the_known_ones(self, nashzoo: Command, line: str) -> None:
        known = ", ".join(games())
        assert nashzoo(line) == (2, "", f"nashzoo: there is no game 'chess'; the games are {known}\n")

    @pytest.mark.parametrize(
        "line", ["play footsies_v0 --against nobody", "exploitability footsies_v0 nobody"], ids=lambda line: line
    )
    def test_unknown_agents_list_the_known_ones(self, nashzoo: Command, line: str) -> None:
        code, _, err = nashzoo(line)
        assert code == 2
        assert err.startswith("nashzoo: there is no player 'nobody'; the players of footsies_v0 are manual, random")
        assert err.count("\n") == 1

    @pytest.mark.parametrize("words", ["--param lives=3", "--param rounds", "--param rounds=0", "--at lives=3"])
    def test_other_wrong_use_is_told_in_one_line(self, nashzoo: Command, words: str) -> None:
        code, out, err = nashzoo(f"solve footsies_v0 {words}")
        assert (code, out) == (2, "")
        assert err.startswith("nashzoo: ")
        assert err.count("\n") == 1

    @pytest.mark.parametrize("line", ["", "solve", "dance", "solve footsies_v0 --loudly", "play footsies_v0 --seat x"])
    def test_what_is_not_understood_has_exit_code_2(self, nashzoo: Command, line: str) -> None:
        assert nashzoo(line)[0] == 2


def test_the_installed_command_is_this_one() -> None:
    command = Path(sys.executable).with_name("nashzoo")
    done = subprocess.run([command, "solve", "chess"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("nashzoo: there is no game 'chess'")
    done = subprocess.run(
        [sys.executable, "-m", "nashzoo.app.main", "list"], capture_output=True, text=True, check=True
    )
    assert "footsies_v0" in done.stdout
