"""The ``nashzoo`` command."""

import csv
import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import nim
import table_games
from command import Command
from nashzoo import agents
from nashzoo.app import arguments, main
from nashzoo.app.commands import solve as solve_command
from nashzoo.app.commands.players import LOADS_CODE
from nashzoo.baselines import exploitability, solve
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, games

EXACT = 1e-9  # the certificate that solutions come with
COMMANDS = (
    "train",
    "solve",
    "verify",
    "check",
    "play",
    "watch",
    "replay",
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


RACE = """
from typing import NamedTuple

NAME = "race_v0"
ACTIONS = ("one", "two")


class Params(NamedTuple):
    length: int = 5


class State(NamedTuple):
    left: int
    mover: int


def field_maxima(params):
    return State(params.length, 1)


def start(params):
    return State(params.length, 0)


def turn(state):
    return state.mover


def legal(state, player):
    return True, state.left > 1


def step(params, state, action0, action1):
    action = action0 if state.mover == 0 else action1
    return State(state.left - 1 - action, 1 - state.mover)


def terminal(params, state):
    return state.left == 0


def payoff(params, state):
    return 0 if state.left else 2 * state.mover - 1
"""


class TestSolve:
    def test_the_start_is_worth_nothing_and_attack_is_never_played(self, nashzoo: Command) -> None:
        solved = nashzoo.json("solve footsies_v0")
        assert set(solved) == {"value", "certificate", "optimal", "strategy0", "strategy1"}
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

    @pytest.mark.parametrize("columns", [50, 63, 80])
    def test_lines_break_between_fields(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
        monkeypatch.setenv("COLUMNS", str(columns))
        game = bodega_brawl_v0.game(preset="tiny")
        out = nashzoo("solve bodega_brawl_v0 --param preset=tiny")[1].split()
        assert "".join(word for word in out if re.match(r"\w+=\d", word)) == game.spell(int(game.start_codes[0]))

    def test_for_people_it_prints_value_certificate_and_both_strategies(self, nashzoo: Command) -> None:
        code, out, err = nashzoo("solve footsies_v0 --at blocks1=0,hits0=1")
        assert (code, err) == (0, "")
        assert "value to player 0: 0.111111111 points" in out
        assert re.search(r"certificate \(largest gap at any state\): \d\.\de-\d\d", out)
        assert "blocks0=3,blocks1=0,hits0=1,hits1=0,last0=none" in out
        assert re.search(r"Block │ 0\.4444 │ 0\.2222", out)

    def test_a_solution_in_a_file_is_named_and_its_state_is_spelled(self, nashzoo: Command) -> None:
        for _ in range(2):  # solved, then read
            code, out, _ = nashzoo("solve bodega_brawl_v0 --param preset=small --out small.safetensors")
            assert code == 0 and out.endswith("The solution is kept in small.safetensors.")
            assert re.search(r"states solved, at \w+=0,\w+=0,", out) and "State(" not in out
        assert "is kept in" not in nashzoo("solve footsies_v0")[1]

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

    def test_random_starts(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(solve_command, "game_of", lambda name, param: Game(nim, heap=5, first="random"))
        assert set(nashzoo.json("solve nim")) == {"value", "certificate", "optimal", "states"}
        assert "at its random start value to player 0: 0 points" in nashzoo("solve nim")[1]
        code, out, _ = nashzoo("solve nim --at heap=5,mover=0")
        assert code == 0
        assert "value to player 0: 1 point certificate" in out
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
        assert "at heap=3,mover=second value to player 0: -1 point certificate" in out
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


class TestTournament:
    LINE = "tournament footsies_v0 --agents random counter nash --games 400"

    def test_it_prints_a_table_and_writes_csv_and_picture(self, nashzoo: Command, tmp_path: Path) -> None:
        code, out, _ = nashzoo(f"{self.LINE} --seed 1 --out results")
        assert code == 0
        files = ("cross_table.csv", "standings.csv", "cross_table.png", "ratings.png")
        assert all(f"results/{name}" in out and (tmp_path / "results" / name).exists() for name in files)
        with (tmp_path / "results" / "standings.csv").open(newline="") as file:
            standings = list(csv.DictReader(file))
        assert [row["rank"] for row in standings] == ["1", "2", "3"]
        assert all(float(row["rating_low"]) < float(row["rating"]) < float(row["rating_high"]) for row in standings)
        assert (tmp_path / "results" / "cross_table.png").read_bytes().startswith(b"\x89PNG")

    def test_nobody_takes_part_twice(self, nashzoo: Command) -> None:
        line = "tournament footsies_v0 --agents nash random nash --games 10"
        assert nashzoo.refused(line) == "nash takes part twice; name it once, or with other options"

    def test_json_holds_everything(self, nashzoo: Command) -> None:
        code, out, _ = nashzoo(f"{self.LINE} --json --exact")
        found = json.loads(out)
        assert code == 0 and found["game"].startswith("footsies_v0(") and len(found["pairs"]) == 6
        nash = {one["player"]: one for one in found["standings"]}["nash"]
        assert nash["exploitability"] < 1e-9 and nash["nash_interval"][0] == nash["nash_interval"][1] == nash["nash"]

    def test_a_finished_one_is_not_overwritten_by_another(self, nashzoo: Command, tmp_path: Path) -> None:
        line = "tournament footsies_v0 --agents random counter --games 10 --seed 0 --out t"
        assert nashzoo(line)[0] == 0
        before = (tmp_path / "t" / "cross_table.csv").read_bytes()
        for old, new, told in (
            ("games 10", "games 20", "games was 10, not 20"),
            ("seed 0", "seed 3", "seed was 0, not 3"),
            ("random counter", "random nash", "agents was ['random', 'counter'], not ['random', 'nash']"),
        ):
            message = nashzoo.refused(line.replace(old, new))
            assert message == f"t holds a tournament with other settings: {told}; choose another --out, or remove it"
        assert nashzoo(line)[0] == 0
        assert (tmp_path / "t" / "cross_table.csv").read_bytes() == before
        (tmp_path / "t" / "settings.json").unlink()
        assert "t holds a tournament without its settings" in nashzoo(line)[2]

    def test_all_scripted_agents_play_if_none_are_named(self, nashzoo: Command, tmp_path: Path) -> None:
        assert nashzoo("tournament footsies_v0 --games 10")[0] == 0
        with (tmp_path / "tournament" / "cross_table.csv").open(newline="") as file:
            players = {row["player"] for row in csv.DictReader(file)}
        assert players == set(agents.names(footsies_v0.game())) - {"manual"}

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("--agents random", "a tournament needs at least two players, not 1"),
            ("--agents random nobody", "there is no player 'nobody'; the players of footsies_v0 are manual, random"),
        ],
    )
    def test_wrong_use(self, nashzoo: Command, words: str, message: str) -> None:
        assert nashzoo.refused(f"tournament footsies_v0 {words}").startswith(message)


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
        assert nashzoo.refused("exploitability footsies_v0 missing.zip") == "there is no file missing.zip"

    @pytest.mark.parametrize("agent", ["bayesian", "bluff", "markov"])
    def test_agents_that_remember_have_none(self, nashzoo: Command, agent: str) -> None:
        assert "a policy that depends on the state alone" in nashzoo.refused(f"exploitability footsies_v0 {agent}")


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
        example = re.search(r"Example: nashzoo (.*)", arguments.command(command).__doc__ or "")
        assert example is not None
        if command == "replay":
            nashzoo("watch tictactoe_v0 random random --games 2 --save games.jsonl")
        code, _, _ = nashzoo(example[1])
        assert code == 0

    @pytest.mark.parametrize(
        "command",
        [
            "train", "play", "watch", "tournament", "exploitability", "population", "results", "web", "menace train",
        ],
    )  # fmt: skip
    def test_help_warns_of_code_in_models(self, nashzoo: Command, command: str) -> None:
        words = " ".join(re.sub("[│╭╮╰╯─]", " ", nashzoo(f"{command} --help")[1]).split())
        assert LOADS_CODE in words

    def test_help_names_all_commands(self, nashzoo: Command) -> None:
        code, out, _ = nashzoo("--help")
        assert code == 0
        assert [*main.SUMMARIES] == [*arguments.COMMANDS]
        for name, summary in main.SUMMARIES.items():
            assert f"{name} {summary}" in out
            assert (arguments.command(name).__doc__ or "").startswith(summary)

    @pytest.mark.parametrize("line", ["solve chess", "play chess", "tournament chess", "exploitability chess nash"])
    def test_unknown_games_list_the_known_ones(self, nashzoo: Command, line: str) -> None:
        known = ", ".join(games())
        message = f"there is no game 'chess'; the games are {known}, and a game of your own is named by "
        assert nashzoo.refused(line).startswith(message)

    @pytest.mark.parametrize(
        "line", ["play footsies_v0 --against nobody", "exploitability footsies_v0 nobody"], ids=lambda line: line
    )
    def test_unknown_agents_list_the_known_ones(self, nashzoo: Command, line: str) -> None:
        known = "there is no player 'nobody'; the players of footsies_v0 are manual, random"
        assert nashzoo.refused(line).startswith(known)

    @pytest.mark.parametrize("words", ["--param lives=3", "--param rounds", "--param rounds=0", "--at lives=3"])
    def test_other_wrong_use_is_told_in_one_line(self, nashzoo: Command, words: str) -> None:
        nashzoo.refused(f"solve footsies_v0 {words}")

    @pytest.mark.parametrize("line", ["", "solve", "dance", "solve footsies_v0 --loudly", "play footsies_v0 --seat x"])
    def test_what_is_not_understood_has_exit_code_2(self, nashzoo: Command, line: str) -> None:
        assert nashzoo(line)[0] == 2


class TestJson:
    def test_list(self, nashzoo: Command) -> None:
        told = nashzoo.json("list")
        assert list(told["games"]) == list(games())
        assert told["games"]["footsies_v0"]["parameters"] == footsies_v0.game().options
        bluff = told["games"]["footsies_v0"]["agents"]["bluff"]
        assert bluff == {"title": "The High Roller", "options": {"bluff": 0.2}}
        assert told["learners"]["minimax_q"]["missing"] is None

    def test_check(self, nashzoo: Command) -> None:
        told = nashzoo.json("check footsies_v0")
        assert (told["game"], told["problems"], told["states"], told["actions"]) == ("footsies_v0", [], 129, 4)
        assert (told["turn_based"], told["chance"], told["symmetric"]) == (False, False, True)

    def test_population(self, nashzoo: Command) -> None:
        told = nashzoo.json("population footsies_v0 --agent nash --matches 4 --processes 1")
        assert (told["game"], told["matches"], list(told["players"])) == ("footsies_v0", 4, ["nash"])
        score = told["players"]["nash"]
        means = [member["points_per_match"] for member in score["members"].values()]
        assert score["population_return"] == pytest.approx(sum(means) / len(means))
        assert score["exploitability"] == pytest.approx(-min(means))


def test_a_member_that_is_evaluated_alone_has_no_row(nashzoo: Command) -> None:
    code, _, _ = nashzoo("population footsies_v0 --agent counter --matches 4 --processes 1")  # warnings are errors
    assert code == 0


def test_a_state_that_play_does_not_lead_to_is_told(nashzoo: Command) -> None:
    told = "Play from the start leads to no state with hits0=1,hits1=1; the figures are of play that begins there."
    assert told in nashzoo("solve footsies_v0 --at hits0=1,hits1=1")[1]
    out = nashzoo("solve footsies_v0 --at hits0=1")[1]
    assert "leads to no state" not in out
    assert "130 states solved (129 that play from the start reaches), at" in out
    assert "129 states solved, at" in nashzoo("solve footsies_v0")[1]
    assert nashzoo.json("solve footsies_v0 --at hits0=1,hits1=1")["reachable"] is False
    assert nashzoo.json("solve footsies_v0 --at hits0=1")["reachable"] is True
    assert nashzoo.json("solve tictactoe_v0 --at board=x...o....")["reachable"] is True


def test_the_version(nashzoo: Command) -> None:
    assert nashzoo("--version") == (0, f"nashzoo {version('nashzoo')}", "")


def test_completion_knows_all_commands(nashzoo: Command) -> None:
    code, out, _ = nashzoo("--tyro-print-completion bash")
    assert code == 0
    assert all(name in out for name in main.SUMMARIES)
    assert "--exploitability" not in out and "--algorithm" in out


def test_commands_are_guessed(nashzoo: Command) -> None:
    code, out, err = nashzoo("solv footsies_v0")
    assert (code, out) == (2, "")
    assert "nashzoo: there is no command 'solv' (did you mean solve?); the commands are train, solve" in err
    assert nashzoo("")[0] == 2


def test_quiet_shows_no_progress(nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # Rich then takes standard error for a terminal
    assert "computing best responses" in nashzoo("exploitability footsies_v0 counter")[2]
    assert nashzoo("exploitability footsies_v0 counter --quiet")[2] == ""


def test_an_own_games_parameter_out_of_range_is_named(nashzoo: Command, tmp_path: Path) -> None:
    (tmp_path / "race.py").write_text(RACE)
    assert nashzoo("solve ./race.py --param length=3")[0] == 0
    message = "race_v0 cannot have length=-1: the largest value of left must be a whole number from 0"
    assert nashzoo.refused("solve ./race.py --param length=-1").startswith(message)


def test_the_installed_command_is_this_one() -> None:
    command = Path(sys.executable).with_name("nashzoo")
    done = subprocess.run([command, "solve", "chess"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("nashzoo: there is no game 'chess'")
    done = subprocess.run([sys.executable, "-m", "nashzoo.app", "list"], capture_output=True, text=True, check=True)
    assert "footsies_v0" in done.stdout
