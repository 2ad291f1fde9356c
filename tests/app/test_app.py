"""The ``nashzoo`` command."""

import csv
import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import nim
import oshi_zumo
import table_games
from command import Command
from nashzoo import agents
from nashzoo.app import commands as folder
from nashzoo.app import index
from nashzoo.app.shared.arguments import LOADS_CODE
from nashzoo.app.web.library import Library
from nashzoo.baselines import exploitability
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, games, make_game
from nashzoo.envs.base.errors import MissingPackageError
from typed import commands, example

EXACT = 1e-9  # the certificate that solutions come with
COMMANDS = tuple(
    name for name in index.names() if name not in ("web", "mcp", "menace", "text")
)  # which have tests of their own
LOAD_MODELS = {
    "train", "play", "watch", "tournament", "exploitability", "weaknesses", "results", "web", "mcp", "menace train",
}  # fmt: skip
ROOT = Path(__file__).resolve().parents[2]


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

    def test_lines_break_between_fields(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        game = bodega_brawl_v0.game(preset="tiny")
        for columns in (50, 63, 80):
            monkeypatch.setenv("COLUMNS", str(columns))
            out = nashzoo.prints("solve bodega_brawl_v0 --param preset=tiny").split()
            assert "".join(word for word in out if re.match(r"\w+=\d", word)) == game.spell(int(game.start_codes[0]))

    def test_for_people_it_prints_value_certificate_and_both_strategies(self, nashzoo: Command) -> None:
        out = nashzoo.prints("solve footsies_v0 --at blocks1=0,hits0=1")
        assert "value to red: 0.111111111 points" in out
        assert re.search(r"certificate \(largest gap at any state\): \d\.\de-\d\d", out)
        assert "blocks0=3,blocks1=0,hits0=1,hits1=0,last0=none" in out
        assert re.search(r"Block │ 0\.4444 │ 0\.2222", out)

    def test_a_solution_in_a_file_is_named_and_its_state_is_spelled(self, nashzoo: Command) -> None:
        for _ in range(2):  # solved, then read
            out = nashzoo.prints("solve bodega_brawl_v0 --param preset=small --out small.safetensors")
            assert out.endswith("The solution is kept in small.safetensors.")
            assert re.search(r"states solved, at the start: red strikes .* \w+=0,\w+=0,", out) and "State(" not in out
        assert "is kept in" not in nashzoo.prints("solve footsies_v0")

    def test_random_starts(self, nashzoo: Command) -> None:
        line = f"solve {nim.__file__} --param heap=5 first=random"
        assert set(nashzoo.json(line)) == {"value", "certificate", "optimal", "states"}
        assert "at its random start value to red: 0 points" in nashzoo.prints(line)
        out = nashzoo.prints(f"{line} --at heap=5,mover=0")
        assert "value to red: 1 point certificate" in out
        assert "moves to the end: 3 best moves of red: take 1" in out
        assert "states ┏" not in out
        # Four objects, at most three at a time: whoever moves loses, the longest in two moves (Bouton 1901).
        at = nashzoo.json(f"{line} --at heap=4,mover=1")
        assert (at["value"], at["distance"], at["turn"]) == (1, 2, 1)
        assert at["best_moves"] == [*at["strategy1"]] == ["take 1", "take 2", "take 3"]
        assert "states" not in at

    def test_states_are_counted_by_who_wins(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        # With 5, 3, 2 or 1 objects the mover wins, with 4 the other (Bouton 1901).
        game = Game(nim, heap=5, first="random")
        monkeypatch.setattr("nashzoo.app.shared.parsing.game_of", lambda name, param: game)
        line = f"solve {nim.__file__}"
        assert nashzoo.json(line)["states"] == [{"player_0_wins": 5, "draws": 0, "player_1_wins": 5}]
        assert re.search(r"won by red ┃ draws ┃ won by blue ┃ all .* 5 │ 0 │ 5 │ 10", nashzoo.prints(line))
        game = table_games.with_rules(game, GROUPED_BY=("mover",), WORDS={"mover": ("first", "second")})
        assert nashzoo.json(line)["states"] == [
            {"mover": "first", "player_0_wins": 4, "draws": 0, "player_1_wins": 1},
            {"mover": "second", "player_0_wins": 1, "draws": 0, "player_1_wins": 4},
        ]
        out = nashzoo.prints(line)
        assert re.search(r"first │ 4 │ 0 │ 1 │ 5 .* second │ 1 │ 0 │ 4 │ 5 .* all │ 5 │ 0 │ 5 │ 10", out)
        out = nashzoo.prints(f"{line} --at heap=3,mover=second")
        assert "at ||| blue to move heap=3,mover=second value to red: \N{MINUS SIGN}1 point certificate" in out
        assert "moves to the end: 1 best moves of blue: take 3" in out

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
    LINE = "tournament footsies_v0 --agents random counter nash --games 100"

    @pytest.mark.slow
    def test_it_prints_a_table_and_writes_csv_and_picture(self, nashzoo: Command, tmp_path: Path) -> None:
        out = nashzoo.prints(f"{self.LINE} --seed 1 --out results")
        files = ("cross_table.csv", "standings.csv", "cross_table.png", "ratings.png")
        assert all(f"results/{name}" in out and (tmp_path / "results" / name).exists() for name in files)
        with (tmp_path / "results" / "standings.csv").open(newline="") as file:
            standings = list(csv.DictReader(file))
        assert [row["rank"] for row in standings] == ["1", "2", "3"]
        assert all(float(row["rating_low"]) < float(row["rating"]) < float(row["rating_high"]) for row in standings)
        assert (tmp_path / "results" / "cross_table.png").read_bytes().startswith(b"\x89PNG")

    def test_json_holds_everything(self, nashzoo: Command) -> None:
        found = nashzoo.json(f"{self.LINE} --exact")
        assert found["game"].startswith("footsies_v0(") and len(found["pairs"]) == 6
        nash = {one["player"]: one for one in found["standings"]}["nash"]
        assert nash["exploitability"] < 1e-9 and nash["nash_interval"][0] == nash["nash_interval"][1] == nash["nash"]

    def test_people_read_players_after_the_game_or_the_option_and_intervals_that_say_nothing(
        self, nashzoo: Command
    ) -> None:
        out = nashzoo.prints("tournament footsies_v0 random counter --games 4 --seed 1 --agents nash")
        assert "footsies_v0: 4 games a pair" in out and all(
            f" {name} " in out for name in ("random", "counter", "nash")
        )
        assert "Nash ?: more games are needed." in out and " 0-100 " not in out
        assert "Games won by the player on the left, %, with 95 % intervals ┏" in out
        assert re.search("\N{MINUS SIGN}0[.]\\d\\d\\d ", out) and not re.search(r"-0[.]\d", out)

    @pytest.mark.slow
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
            has = f"the folder t has a tournament with other settings: {told}"
            assert message == f"{has}; choose another --out, or remove it"
        assert nashzoo(line)[0] == 0
        assert (tmp_path / "t" / "cross_table.csv").read_bytes() == before
        (tmp_path / "t" / "settings.json").unlink()
        assert "the folder t has a tournament without its settings" in nashzoo(line)[2]

    @pytest.mark.slow
    def test_all_scripted_agents_play_if_none_are_named(self, nashzoo: Command, tmp_path: Path) -> None:
        nashzoo.prints("tournament footsies_v0 --games 2")
        with (tmp_path / "tournament" / "cross_table.csv").open(newline="") as file:
            players = {row["player"] for row in csv.DictReader(file)}
        assert players == set(agents.names(footsies_v0.game())) - {"manual"}

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("--agents random", "a tournament needs at least two players, not 1"),
            ("--agents random nobody", "there is no player 'nobody'; the players of footsies_v0 are manual, random"),
            ("--agents nash random nash", "nash takes part twice; name it once, or with other options"),
        ],
    )
    def test_wrong_use(self, nashzoo: Command, words: str, message: str) -> None:
        assert nashzoo.refused(f"tournament footsies_v0 {words}").startswith(message)


def test_a_folder_in_the_place_of_a_player_leads_to_its_model(nashzoo: Command) -> None:
    model = Path("run") / "model.zip"
    model.parent.mkdir()
    for command in ("exploitability footsies_v0 run", "tournament footsies_v0 --agents random run"):
        assert nashzoo.refused(command).startswith("there is no player 'run'")
    model.touch()
    for command in ("exploitability footsies_v0 run", "tournament footsies_v0 --agents random run"):
        assert nashzoo.refused(command) == f"run is a folder; name the model in it, {model}"


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
        told = nashzoo.refused(f"exploitability footsies_v0 {agent}")
        assert "a policy that depends on the state alone" in told and "as nashzoo tournament does" in told


class TestList:
    def test_everything_is_listed(self, nashzoo: Command) -> None:
        out = nashzoo.prints("list")
        assert all(name in out for name in (*games(), *agents.registry.self_play_learners()))
        assert "Begin here: nashzoo play footsies_v0" in out and "footsies_v0 A fighting game" in out
        for name in games():
            assert all(f" {agent} " in nashzoo.prints(f"list {name}") for agent in agents.names(make_game(name)))

    @pytest.mark.parametrize("name", ["footsies_v0", "tictactoe_v0", "roshambo_v0"])
    def test_players_have_the_names_of_the_browser(self, nashzoo: Command, name: str) -> None:
        library, out = Library(), nashzoo.prints(f"list {name}")
        levels, *groups = library.opponents(library.game(name), agents.names(library.game(name)))
        assert [one["title"] for one in levels["players"]] == ["Beginner", "Casual", "Strong", "Perfect"]
        assert all(f"{one['title']} ({one['name']})" in out for one in levels["players"])
        assert all(f"{one['name']} {one['title']}" in out for group in groups for one in group["players"])

    def test_one_game_has_its_parameters_and_players_and_one_learner_its_settings(self, nashzoo: Command) -> None:
        out = nashzoo.prints("list footsies_v0")
        assert all(f"{name}={value} " in out for name, value in footsies_v0.game().options.items())
        assert "blocks=3 Attacks that each player can block in a round. " in out
        assert "The Statistician (alpha=1.0, risk_threshold=0.2" in out and "minimax_q" not in out
        assert "counter The Simple-Minded. Answers your last move." in out
        assert "exploring_length=10 Joint actions after which a" in nashzoo.prints("list regret_matching")
        told = "regret_matching: Regret matching; from self-play that starts at any state"
        assert told in nashzoo.prints("list regret_matching")
        everything = nashzoo.json("list")
        (name, about), *others = nashzoo.json("list footsies_v0")["games"].items()
        assert (about, others) == (everything["games"][name], [])
        assert nashzoo.json("list cfr") == {"games": {}, "learners": {"cfr": everything["learners"]["cfr"]}}
        assert nashzoo.refused("list footsies").startswith("there is no game 'footsies'")
        assert nashzoo.refused("list ppo").startswith("the settings of ppo are options of nashzoo train GAME --algor")
        assert nashzoo.refused("list mcts").startswith("mcts is a player; nashzoo list GAME has the players")

    @pytest.mark.parametrize("line", ["list", *(f"list {name}" for name in (*games(), "deep_minimax"))])
    @pytest.mark.parametrize("columns", [80, 40])
    def test_nothing_is_cropped_in_a_terminal(
        self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch, line: str, columns: int
    ) -> None:
        monkeypatch.setenv("COLUMNS", str(columns))
        out = nashzoo.raw(line).out
        assert max(map(len, out.splitlines())) <= columns and "…" not in out and out.count("\n") < 4500 / columns
        if line == "list" and columns == 80:
            assert out.count("\n") <= self.most()

    def most(self) -> int:
        """Returns the most lines of the index; other tests may have made games known, with two lines each."""
        return 22 + 2 * len(games())

    def test_without_pytorch_the_index_is_as_short_and_a_learner_says_how_to_get_it(
        self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings = agents.options

        def options(name: str) -> dict[str, Any]:
            if name in ("deep_minimax", "distilled", "policy_gradient", "deep_hedge"):
                raise MissingPackageError("deep learners need PyTorch: pip install it")
            return settings(name)

        monkeypatch.setattr(agents, "options", options)
        monkeypatch.setenv("COLUMNS", "80")
        out = nashzoo.raw("list").out
        assert (
            "deep_hedge       Hedge with networks; deep learners need PyTorch\n" in out
            and out.count("\n") <= self.most()
        )
        assert "network; deep learners need PyTorch: pip install it" in nashzoo.prints("list deep_minimax")


class TestBounds:
    def test_bounds_of_a_game_that_cannot_be_listed(
        self, nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "400")  # no command is broken into lines
        game = "nashzoo.examples.connect_four"
        size = "--param width=7 height=6"
        assert "too many to list" in (refused := nashzoo.refused(f"exploitability {game} random {size}"))
        assert refused.endswith("--bounds searches for proven bounds instead")
        keep = tmp_path / "found.response"
        line = f"exploitability {game} random {size} --bounds --seconds 600 --keep {keep} --quiet --gap"
        out = nashzoo.prints(f"{line} 0.9")
        assert "A game of the response that wins at least 0." in out and "red played column" in out
        assert "to 1 points a game: proven bounds." in out and f"nashzoo play {game} {size} --against {keep}" in out
        first, later = nashzoo.json(f"{line} 0.9"), nashzoo.json(f"{line} 0.3")
        lower, upper = later["exploitability"]
        assert 0.1 <= first["exploitability"][0] < 0.7 <= lower < upper <= 1 + 1e-9
        assert later["nodes"] > first["nodes"]

    def test_bounds_that_meet_are_the_exact_figure(self, nashzoo: Command) -> None:
        exact = nashzoo.json("exploitability footsies_v0 counter")["exploitability"]
        found = nashzoo.json("exploitability footsies_v0 counter --bounds --quiet")
        assert found["done"] and found["exploitability"] == pytest.approx([exact, exact], abs=1e-8)
        out = nashzoo.prints("exploitability footsies_v0 counter --bounds --quiet")
        assert "wins 0.5 points a game: proven." in out and "A game of the best response, as" in out
        for wrong in ("--seconds 0", "--seconds nan", "--gap -1", "--keep found.npz"):
            assert "must" in nashzoo.refused(f"exploitability footsies_v0 counter --bounds {wrong}")

    def test_what_given_players_win_is_proven_or_sampled(self, nashzoo: Command) -> None:
        line = "exploitability nashzoo.examples.connect_four random --param width=5 height=5 --quiet"
        assert "are of the search for bounds: they need --bounds" in nashzoo.refused(f"{line} --response random")
        out = nashzoo.prints(f"{line} --bounds --seconds 0.5 --response random")
        assert "random as red: at least " in out and "(sampled, 95 %, " in out
        line = "exploitability tictactoe_v0 random --bounds --quiet --response nash"
        assert "nash as crosses: 0.994792 (proven)" in nashzoo.prints(line)
        rows = nashzoo.json(line)["responses"]
        assert [(row["player"], row["seat"], row["games"]) for row in rows] == [("nash", 0, 0), ("nash", 1, 0)]

    def test_bounds_of_a_value(self, nashzoo: Command) -> None:
        games = Path(__file__).resolve().parents[2] / "examples" / "games"
        lower, upper = nashzoo.json(f"solve {games / 'kuhn.py'} --bounds --seconds 3 --quiet")["value"]
        assert -2.0 <= lower <= -1 / 18 <= upper <= 2.0  # at stake are 2 chips
        out = nashzoo.prints(f"solve {games / 'connect_four.py'} --param width=7 height=6 --bounds --seconds 1 --quiet")
        assert "points a game as" in out and "proven bounds" in out and "policy_gradient" in out
        line = f"solve {games / 'connect_four.py'} --param width=7 height=6"
        assert "--bounds searches for proven bounds instead" in nashzoo.refused(line)
        assert "leave out --at" in nashzoo.refused(f"{line} --bounds --at mover=0")
        assert "seconds must be above 0" in nashzoo.refused(f"{line} --bounds --seconds 0")

    def test_bounds_of_a_player_with_memory(self, nashzoo: Command, tmp_path: Path) -> None:
        line = "exploitability roshambo_v0 recent --param rounds=4 --option order=0 window=2"
        exact, keep = nashzoo.json(line)["exploitability"], tmp_path / "found.response"
        found = nashzoo.json(f"{line} --bounds --quiet")
        assert found["done"] and found["exploitability"] == pytest.approx([exact, exact], abs=1e-8)
        out = nashzoo.prints(f"{line} --bounds --quiet --keep {keep}")
        assert "wins 3 points a game: proven." in out and "A game of the best response" in out
        assert "nashzoo play" not in out  # the file alone is no player
        assert "answers a player with memory" in nashzoo.refused(f"play roshambo_v0 --param rounds=4 --against {keep}")
        assert nashzoo.json(f"{line} --bounds --quiet --keep {keep}") == found


class TestEveryCommand:
    def test_what_is_missing_is_named_with_an_example(self, nashzoo: Command) -> None:
        said = nashzoo.refused("exploitability footsies_v0")
        assert said.startswith("name PLAYER, as in: nashzoo exploitability footsies_v0 random; the players of foot")
        said = nashzoo.refused("watch soccer_v0")
        assert said.startswith("name two players, as in: nashzoo watch soccer_v0 random mcts; the players of soccer_v0")
        said = nashzoo.refused("watch")
        assert said.startswith("name GAME and two players, as in:") and said.endswith("list GAME shows its players")
        assert nashzoo.refused("exploitability chess").startswith("there is no game 'chess'")
        assert nashzoo.refused("check") == "name GAME, as in: nashzoo check footsies_v0"

    @pytest.mark.parametrize("line", ["exploitability", "weaknesses"])
    def test_a_player_that_cannot_be_measured_is_met_with_those_that_can(self, nashzoo: Command, line: str) -> None:
        said = nashzoo.refused(f"{line} footsies_v0 bayesian")
        assert said.startswith("bayesian chooses by more than the state") and said.endswith("and nash can be measured")
        for name in said.split("footsies_v0, ")[1].removesuffix(" can be measured").replace(" and ", ", ").split(", "):
            assert 0 <= nashzoo.json(f"exploitability footsies_v0 {name}")["exploitability"] <= 1

    @pytest.mark.parametrize("command", [*COMMANDS, "web", "mcp", "menace train", "text dataset", "text review"])
    def test_help_has_an_example_and_warns_of_code_in_models(self, nashzoo: Command, command: str) -> None:
        out = nashzoo.prints(f"{command} --help")
        assert f"Example: nashzoo {command}" in out
        warns = LOADS_CODE in " ".join(re.sub("[│╭╮╰╯─]", " ", out).split())
        assert warns or command not in LOAD_MODELS

    def test_help_after_an_argument_has_all_arguments_and_no_none(self, nashzoo: Command) -> None:
        out = nashzoo.prints("results footsies_v0 --help")
        assert "[OPTIONS] [GAME ...] Measure all" in out and "--timesteps INT" in out and "(default: 3)" in out
        assert "None" not in out and "(default: )" not in out

    @pytest.mark.parametrize("command", commands())
    def test_help_fits_the_terminal(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
        monkeypatch.setenv("COLUMNS", "5")  # in less than 8 tyro finds no end
        assert nashzoo.raw(f"{command} --help").code == 0
        monkeypatch.setenv("COLUMNS", "80")
        out = nashzoo.raw(f"{command} --help").out
        assert max(len(line) for line in out.splitlines() if not line.startswith("usage:")) <= 80
        assert f"Example: {example(command)}\n" in out.replace(" \\\n  ", " ")

    def test_a_command_is_one_file(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "tell_odds.py").write_text(
            '"""Tell the odds.\n\nExample: nashzoo tell-odds 3\n"""\n\n'
            "from typing import Annotated\n\nfrom tyro.conf import Positional, arg\n\n\n"
            "def main(\n"
            '    games: Annotated[Positional[int], arg(metavar="GAMES", help="How many.")], /, double: bool = False\n'
            ") -> None:\n"
            "    print(games * (2 if double else 1))\n"
        )
        monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
        monkeypatch.delitem(sys.modules, "nashzoo.app.commands.tell_odds", raising=False)
        assert "tell-odds Tell the odds." in nashzoo.prints("--help")
        assert "Example: nashzoo tell-odds 3" in nashzoo.prints("tell-odds --help")
        assert nashzoo.prints("tell-odds 4 --double") == "8"
        assert "did you mean tell-odds?" in nashzoo.raw("tell-ods 4").err

    def test_help_names_all_commands(self, nashzoo: Command) -> None:
        out = nashzoo.prints("--help")
        for name, summary in index.summaries().items():
            assert f"{name} {summary}" in out
            assert (index.command(name).__doc__ or "").startswith(summary)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            (
                "solve chess",
                "there is no game 'chess'; the games are {games} (nashzoo list), and one of your own is named by ",
            ),
            ("play chess", "there is no game 'chess'; the games are "),
            ("tournament chess", "there is no game 'chess'; the games are "),
            ("exploitability chess nash", "there is no game 'chess'; the games are "),
            ("play footsies_v0 --against nobody", "there is no player 'nobody'; the players of footsies_v0 are manual"),
            ("exploitability footsies_v0 nobody", "there is no player 'nobody'; the players of footsies_v0 are manual"),
            ("solve footsies_v0 --param lives=3", "footsies_v0 has no parameter lives; it has rounds, blocks, "),
            ("solve footsies_v0 --param rounds", "'rounds' should have the form name=value"),
            ("solve footsies_v0 --param rounds=0", "rounds must be a whole number from 1 to 63, not 0"),
            ("solve footsies_v0 --param rounds=three", "rounds must be a whole number from 1 to 63, not 'three'"),
            ("solve footsies_v0 --at lives=3", "footsies_v0 has no field lives"),
        ],
    )
    def test_wrong_use_is_told_in_one_line(self, nashzoo: Command, line: str, message: str) -> None:
        assert nashzoo.refused(line).startswith(message.format(games=", ".join(games())))

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
        board = nashzoo.prints("check nashzoo.examples.connect_four --param width=3 height=2 line=3")
        assert told["symmetries"] == 1 and "with 2 symmetries; 94 states" in board


def test_a_state_that_play_does_not_lead_to_is_told(nashzoo: Command) -> None:
    told = "Play from the start leads to no state with hits0=1,hits1=1; the figures are of play that begins there."
    assert told in nashzoo.prints("solve footsies_v0 --at hits0=1,hits1=1")
    out = nashzoo.prints("solve footsies_v0 --at hits0=1")
    assert "leads to no state" not in out
    assert "130 states solved (129 that play from the start reaches), at" in out
    out = nashzoo.prints("solve footsies_v0")
    assert "129 states solved, at the start: red: blocks 3 blue: blocks 3 blocks0=3" in out
    # Both have landed a hit, though whoever lands one puts the other's count back to 0. All as usual by symmetry.
    off_play = nashzoo.json("solve footsies_v0 --at hits0=1,hits1=1")
    assert off_play["reachable"] is False and off_play["value"] == pytest.approx(0, abs=EXACT)
    assert nashzoo.json("solve footsies_v0 --at hits0=1")["reachable"] is True
    assert nashzoo.json("solve tictactoe_v0 --at board=x...o....")["reachable"] is True


def test_the_version(nashzoo: Command) -> None:
    assert nashzoo("--version") == (0, f"nashzoo {version('nashzoo')}", "")


def test_completion_knows_all_commands(nashzoo: Command) -> None:
    out = nashzoo.prints("--tyro-print-completion bash")
    assert all(name in out for name in index.names())
    assert "--exploitability" not in out and "--algorithm" in out


def test_commands_are_guessed(nashzoo: Command) -> None:
    code, out, err = nashzoo("solv footsies_v0")
    assert (code, out) == (2, "")
    assert "nashzoo: there is no command 'solv' (did you mean solve?); the commands are train, solve" in err


def test_quiet_shows_no_progress(nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    out = nashzoo.prints("exploitability footsies_v0 counter")
    assert (
        "a game. counter in footsies_v0, exact exploitability 0.5 points per game; perfect play: 0 NashConv 1 point,"
        in out
    )
    monkeypatch.setenv("FORCE_COLOR", "1")  # Rich then takes standard error for a terminal
    assert "computing best responses" in nashzoo("exploitability footsies_v0 counter")[2]
    assert nashzoo("exploitability footsies_v0 counter --quiet")[2] == ""


def test_an_own_games_parameter_out_of_range_is_named(nashzoo: Command) -> None:
    message = "oshi_zumo_v0 cannot have coins=2, size=-2: the largest value of place must be a whole number from 0"
    assert nashzoo.refused(f"solve {oshi_zumo.__file__} --param coins=2 size=-2").startswith(message)
    nashzoo.prints(f"solve {oshi_zumo.__file__} --param coins=2 size=1")


def test_the_installed_command_is_this_one() -> None:
    command = Path(sys.executable).with_name("nashzoo")
    done = subprocess.run([command, "solve", "chess"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("nashzoo: there is no game 'chess'")
    done = subprocess.run(
        [sys.executable, "-m", "nashzoo.app", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"nashzoo {version('nashzoo')}\n"


def test_a_game_is_solved_on_as_many_processors_as_are_named(nashzoo: Command) -> None:
    assert nashzoo.json("solve footsies_v0 --num-procs 1") == nashzoo.json("solve footsies_v0")
    assert "num_procs must be a whole number of at least 1, not 0" in nashzoo.refused("solve footsies_v0 --num-procs 0")


def test_a_certificate_is_written_and_checked(nashzoo: Command, tmp_path: Path) -> None:
    file = tmp_path / "kuhn.certificate"
    assert nashzoo("verify nashzoo.examples.kuhn")[0] == 0
    code, _, err = nashzoo(f"solve nashzoo.examples.kuhn --certificate {file}")
    assert (code, f"nashzoo verify {file} checks it" in err) == (0, True)
    code, out, _ = nashzoo(f"verify {file}")
    assert (code, "the value to player 0 is -1/18, about -0.0555555556 points" in out) == (0, True)
    code, _, err = nashzoo(f"verify {file} --game nashzoo.examples.leduc")
    assert (code, "leave out --game and --param" in err) == (2, True)
    code, out, _ = nashzoo.raw(f"verify {file} --json")
    assert json.loads(out) == {"game": "kuhn_v0", "value": ["-1/18", "-1/18"], "holds": True}
    file.write_text(file.read_text().replace("kuhn_v0", "kuhn_v1"))
    code, out, err = nashzoo(f"verify {file}")
    assert (code, out) == (1, "")
    assert "the certificate does not hold: the file is damaged, or not whole" in err
    assert json.loads(nashzoo.raw(f"verify {file} --json").out)["holds"] is False


def test_a_certificate_must_be_writable_before_the_work(nashzoo: Command, tmp_path: Path) -> None:
    code, _, err = nashzoo(f"solve nashzoo.examples.kuhn --certificate {tmp_path}")
    assert (code, "is a folder" in err) == (2, True)
    code, _, err = nashzoo(f"solve nashzoo.examples.kuhn --bounds --certificate {tmp_path / 'file'}")
    assert (code, "--bounds goes with --tolerance and --seconds alone: leave out --certificate" in err) == (2, True)
