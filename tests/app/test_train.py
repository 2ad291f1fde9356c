"""The training script: it learns, it reports what is so, and it can be interrupted at any moment."""

import contextlib
import itertools
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from stable_baselines3 import DQN, PPO

import train as script
from nashzoo import agents
from nashzoo.agents.basic.deterministic import DeterministicAgent
from nashzoo.app.commands import train as command
from nashzoo.app.training import evaluator, report, sb3_training, train
from nashzoo.app.training.options import Options
from nashzoo.app.training.report_pictures import write_picture
from nashzoo.app.training.train import opened
from nashzoo.arena.match import MatchResult
from nashzoo.arena.measurement import points
from nashzoo.arena.measurement.checkpoints import FILE, content_of, signed
from nashzoo.baselines import evaluate, exploitability
from nashzoo.envs import footsies_v0, roshambo_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.base import deadlines
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.base.files import PICTURES
from nashzoo.envs.base.progress import Show
from nashzoo.envs.jit import clock
from processes import PATIENCE, hear_interruptions, said, wait_until
from training import SHORT, report_of, trained

ROOT = Path(script.__file__).parent
OPTIMUM = 0.5  # against counter, by hand in test_app.py
NEAR = 0.02  # points per game, as far from the optimum as a short run may end
EXACT = 1e-9
STANDARD_ERRORS = 5
ROLLOUT = 512  # decisions of 16 tables in 32 steps
AGAINST_COUNTER: dict[str, Any] = {"game": "footsies_v0", "opponent": "counter", **SHORT}
BODEGA_BRAWL = {"game": "bodega_brawl_v0", "param": ("preset=tiny",), "opponent": "random"}


def run(folder: Path, **options: Any) -> dict[str, Any]:
    """Trains against counter, unless the options are others."""
    return trained(folder, **AGAINST_COUNTER | options)


def decisions(folder: Path) -> int:
    """Returns how far the checkpoint is."""
    with zipfile.ZipFile(folder / "model.zip") as archive:
        return int(json.loads(archive.read("data"))["num_timesteps"])


def curve_of(folder: Path) -> list[dict[str, Any]]:
    """Returns the learning curve."""
    curve: list[dict[str, Any]] = content_of(folder / FILE)["curve"]
    return curve


def moments(folder: Path) -> list[int]:
    """Returns where the learning curve has points."""
    return [point["timesteps"] for point in curve_of(folder)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("whole")
    run(folder, picture=True, games=200)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(whole, tmp_path / "run"))


class TestLearning:
    @pytest.mark.slow
    def test_ppo_finds_the_best_answer_to_counter(self, tmp_path: Path) -> None:
        report = run(tmp_path, timesteps=30_000, num_envs=64, measure_every=10_000, checkpoint_every=50_000)
        against = report["rows"]["counter"]
        assert against["best_response_value"] == pytest.approx(OPTIMUM, abs=EXACT)
        assert OPTIMUM - NEAR < against["exact_value"] <= OPTIMUM + EXACT
        assert against["regret"] == pytest.approx(OPTIMUM - against["exact_value"], abs=EXACT)

    @pytest.mark.slow
    def test_what_was_played_agrees_with_what_was_computed(self, whole: Path) -> None:
        compared = 0
        for row in report_of(whole)["rows"].values():
            if row["exact_value"] is not None:
                assert abs(row["points_per_game"] - row["exact_value"]) < STANDARD_ERRORS * row["standard_error"]
                assert row["exact_value"] <= row["best_response_value"] + EXACT
                compared += 1
        assert compared == 3  # counter, random, nash

    def test_the_saved_model_has_the_reported_exploitability(self, whole: Path) -> None:
        game = footsies_v0.game()
        model = agents.as_agent(str(whole / "model.zip"), game)
        assert report_of(whole)["exploitability"] == pytest.approx(exploitability(game, model), abs=EXACT)

    def test_the_curve_leads_from_the_untrained_to_the_final_policy(self, whole: Path) -> None:
        report = report_of(whole)
        curve = report["curve"]
        assert curve == curve_of(whole)
        assert curve[0]["timesteps"] == 0
        assert curve[0]["value"] < 0.2  # an untrained network is near uniformly random, which wins little
        assert curve[-1].pop("seconds") > 0
        assert curve[-1] == {
            "timesteps": report["timesteps"],
            "games": report["games"],
            "value": report["rows"]["counter"]["exact_value"],
            "exploitability": report["exploitability"],
        }
        assert moments(whole) == [0, 512, 1024, 1536, 2048]

    def test_the_report_says_what_was_done(self, whole: Path) -> None:
        report = report_of(whole)
        told = {"game": "footsies_v0", "algorithm": "ppo", "opponent": "counter", "player": "random", "seed": 0}
        assert {name: report[name] for name in told} == told
        assert report["optimum"] == pytest.approx(OPTIMUM, abs=EXACT)
        assert report["parameters"] == footsies_v0.game().options
        assert report["timesteps"] == decisions(whole) == 2048
        assert next(iter(report["rows"])) == "counter"
        assert set(report["rows"]) == set(agents.names(footsies_v0.game())) - {"manual"}
        for name, row in report["rows"].items():
            assert (row["title"], row["games"]) == (agents.title(name), 200)
            assert sum(row[outcome]["share"] for outcome in ("wins", "draws", "losses")) == pytest.approx(1)
            for outcome in ("wins", "draws", "losses"):
                low, high = row[outcome]["interval"]
                assert 0 <= low <= row[outcome]["share"] <= high <= 1
        assert (whole / "report.png").read_bytes().startswith(b"\x89PNG")
        assert list((whole / "tensorboard").glob("*/events.out.tfevents.*"))

    def test_the_learned_policy_can_be_the_next_opponent(self, whole: Path, tmp_path: Path) -> None:
        model = str(whole / "model.zip")
        report = run(tmp_path, opponent=model, timesteps=ROLLOUT, games=2)
        assert report["opponent"] == next(iter(report["rows"])) == model
        exploited = report_of(whole)["exploitability"]
        assert report["optimum"] == pytest.approx(exploited, abs=EXACT)  # the game's value is 0

    @pytest.mark.parametrize("player", ["0", "1"])
    def test_one_seat_alone(self, tmp_path: Path, player: str) -> None:
        run(tmp_path, player=player, timesteps=ROLLOUT, games=1)  # a single game has no standard error

        def no_json(constant: str) -> None:
            raise AssertionError(constant)

        report = json.loads((tmp_path / "report.json").read_text(), parse_constant=no_json)
        assert report["player"] == int(player)
        assert report["optimum"] == pytest.approx(OPTIMUM, abs=EXACT)
        assert report["rows"]["nash"]["exact_value"] <= EXACT
        assert report["rows"]["nash"]["standard_error"] is None

    @pytest.mark.slow
    @pytest.mark.parametrize(("algorithm", "timesteps"), [("a2c", 20_000), ("dqn", 24_000), ("maskable_ppo", 30_000)])
    def test_other_algorithms_run_go_on_and_learn(self, tmp_path: Path, algorithm: str, timesteps: int) -> None:
        chosen = {"algorithm": algorithm, "num_envs": 64, "measure_every": 50_000, "checkpoint_every": 50_000}
        run(tmp_path, **chosen)
        report = run(tmp_path, **chosen, timesteps=timesteps, resume=True)
        assert report["algorithm"] == algorithm
        assert report["timesteps"] == decisions(tmp_path) == moments(tmp_path)[-1] >= timesteps
        assert report["rows"]["counter"]["regret"] < NEAR

    def test_where_actions_can_be_illegal_the_default_knows_which(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        chosen = {**BODEGA_BRAWL, "timesteps": ROLLOUT, "resume": True}  # where nothing is yet, this is a start
        assert run(tmp_path / "new", **chosen)["algorithm"] == "maskable_ppo"
        told = " ".join(capsys.readouterr().out.split())
        assert "There is no run in" in told and "new yet; one begins there." in told
        assert run(tmp_path / "new", **chosen, algorithm="maskable_ppo")["timesteps"] == ROLLOUT

    @pytest.mark.slow
    def test_large_games_are_measured_rarely(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(points, "QUICK", 70)  # states; the game has 81
        monkeypatch.setattr(train, "MEASURE_EVERY", 1)
        run(tmp_path / "large", **BODEGA_BRAWL, measure_every=None)
        assert 5 <= len(moments(tmp_path / "large")) <= 11
        monkeypatch.setattr(points, "SLOW", 80)
        run(tmp_path / "larger", **BODEGA_BRAWL, measure_every=None)
        assert moments(tmp_path / "larger") == [2048]
        run(tmp_path / "told", **BODEGA_BRAWL)
        assert moments(tmp_path / "told") == [0, 512, 1024, 1536, 2048]
        monkeypatch.undo()
        run(tmp_path / "small", **BODEGA_BRAWL, measure_every=None)
        assert moments(tmp_path / "small") == [0, 2048]

    @pytest.mark.slow
    @pytest.mark.parametrize("algorithm", ["maskable_ppo", pytest.param("maskable_dqn", marks=pytest.mark.slow)])
    def test_reports_of_most_likely_actions(self, tmp_path: Path, algorithm: str) -> None:
        report = run(tmp_path, game="tictactoe_v0", algorithm=algorithm, opponent="random", timesteps=ROLLOUT, games=2)
        if algorithm == "maskable_dqn":  # plays them all the time
            assert report["deterministic"] is None
            return
        game = tictactoe_v0.game()
        model, greedy = agents.as_agent(f"{tmp_path}/model.zip(deterministic=true)", game), agents.make("greedy", game)
        assert report["deterministic"]["exploitability"] == pytest.approx(exploitability(game, model), abs=EXACT)
        row, drawn = (part["rows"]["greedy"] for part in (report["deterministic"], report))
        value = 0.5 * (evaluate(game, model, greedy) - evaluate(game, greedy, model))
        assert row["exact_value"] == pytest.approx(value, abs=EXACT)
        assert row["exact_value"] != drawn["exact_value"]
        assert row["best_response_value"] == drawn["best_response_value"]

    def test_a_policy_with_memory_has_no_deterministic_form(self) -> None:
        with pytest.raises(UsageTypeError, match="deterministic is for policies of the state alone; HedgeAgent has a"):
            DeterministicAgent(agents.make("hedge", roshambo_v0.game()))

    def test_an_opponent_who_remembers_has_no_exact_values(self, tmp_path: Path) -> None:
        report = run(tmp_path, opponent="bayesian", param=("blocks=1",), timesteps=ROLLOUT)
        assert report["parameters"]["blocks"] == 1
        assert report["optimum"] is None
        row = report["rows"]["bayesian"]
        assert row["exact_value"] is row["best_response_value"] is row["regret"] is None
        assert -1 <= row["points_per_game"] <= 1
        assert all(-1 <= point["value"] <= 1 for point in report["curve"])  # from games
        assert report["exploitability"] > 0  # the learner's is exact all the same

    @pytest.mark.slow
    def test_the_seed_decides_everything(self, tmp_path: Path) -> None:
        first, same, other = (run(tmp_path / name, seed=seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
        for point in first["curve"] + same["curve"] + other["curve"]:
            del point["seconds"]
        assert first == same
        assert first["curve"] != other["curve"]


class TestGoingOn:
    @pytest.mark.slow
    def test_a_report_without_time(self, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        in_time = report_of(whole)
        command.told(Options(**AGAINST_COUNTER, run_dir=tmp_path, report_seconds=1e-9))
        out = " ".join(capsys.readouterr().out.split())
        report = report_of(tmp_path)
        everyone = ", ".join(in_time["rows"])
        assert report["late"] == ["the exploitability"] + [
            f"{what} against {everyone}" for what in ("exact figures", "games")
        ]
        assert report["rows"] == {} and report["exploitability"] is None
        assert "against won drawn" not in out and "Shares" not in out  # no table without rows
        assert f"Not measured within 0 s: {'; '.join(report['late'])}." in out
        assert "With --resume and --report-seconds the report is made again in more time." in out
        again = run(tmp_path, resume=True, games=200)
        assert again["late"] == []
        assert (again["rows"], again["exploitability"]) == (in_time["rows"], in_time["exploitability"])

    def test_endless_exact_figures(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        best, now = evaluator.best_or_none, [0.0]
        still = SimpleNamespace(monotonic=lambda: now[0], process_time=lambda: now[0])
        for module in (deadlines, clock):  # whose time passes in endless work alone
            monkeypatch.setattr(module, "time", still)

        def endless(game: Any, opponent: Any, seats: Any) -> Any:
            while opponent.__class__.__name__ == "MCTSAgent":
                now[0] += 1.0
                deadlines.check_time()
            return best(game, opponent, seats)

        monkeypatch.setattr(evaluator, "best_or_none", endless)
        report = run(tmp_path, timesteps=ROLLOUT)
        rows = report["rows"]
        last = list(rows)[list(rows).index("mcts") :]
        assert report["late"][-1].startswith("exact figures against ")
        assert report["late"][-1].endswith(", ".join(last))
        assert {rows[name]["best_response_value"] for name in last} == {None}
        assert all(row["games"] == 20 for row in rows.values())

    @pytest.mark.slow
    def test_games_that_take_long_are_fewer(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        steps = evaluator.play_in_parts

        def slow(game: Any, player: Any, rival: Any, *options: Any) -> Any:
            parts = steps(game, player, rival, *options)
            return itertools.islice(parts, 1) if rival.__class__.__name__ == "MCTSAgent" else parts

        shown: list[str] = []

        @contextlib.contextmanager
        def showing() -> Iterator[Show]:
            yield lambda what, done, total: shown.append(f"{what} {done} of {total}")

        monkeypatch.setattr(train, "showing", showing)
        monkeypatch.setattr(evaluator, "play_in_parts", slow)
        monkeypatch.setattr(evaluator, "PLAYED_STEPS", 2_000)
        command.told(Options(**AGAINST_COUNTER | {"run_dir": tmp_path, "timesteps": ROLLOUT, "games": None}))
        out = " ".join(capsys.readouterr().out.split())
        report = report_of(tmp_path)
        games = {name: row["games"] for name, row in report["rows"].items()}
        assert games.pop("mcts") == 2 < report["games_each"]
        assert set(games.values()) == {report["games_each"]}
        assert f"measuring against mcts, game 2 of {report['games_each']}" in shown
        assert f"Fewer than {report['games_each']:,} games, for lack of time: mcts" in out

    def test_an_empty_learning_curve_gets_its_last_point_again(self, folder: Path) -> None:
        before = report_of(folder)
        content = content_of(folder / FILE)
        (folder / FILE).write_text(json.dumps(signed(content | {"curve": []})))
        after = run(folder, resume=True, games=2)
        assert after["exploitability"] == before["exploitability"]
        assert [point["timesteps"] for point in after["curve"]] == [2048]

    def test_a_finished_run_is_only_reported_again(self, folder: Path) -> None:
        before = report_of(folder)
        (folder / "report.json").unlink()
        assert run(folder, resume=True, games=200) == before

    def test_games_and_seconds_are_counted_on(self, folder: Path) -> None:
        games = report_of(folder)["games"]
        again = run(folder, resume=True, timesteps=2560, games=2)
        assert again["games"] == again["curve"][-1]["games"] > games
        efforts = content_of(folder / FILE)["efforts"]
        assert (efforts["2048"]["games"], efforts["2560"]["games"]) == (games, again["games"])
        assert 0 < efforts["2048"]["seconds"] < efforts["2560"]["seconds"]

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"seed": 5}, "seed was 0, not 5"),
            ({"algorithm": "a2c"}, "algorithm was 'ppo', not 'a2c'"),
            ({"opponent": "random", "num_envs": 32}, "num_envs was 16, not 32, opponent was 'counter', not 'random'"),
            ({"param": ("rounds=2",)}, r"param was \[\], not \['rounds=2'\]"),
        ],
    )
    def test_another_run_cannot_be_gone_on_with(self, tmp_path: Path, changed: dict[str, Any], message: str) -> None:
        opened(Options(**AGAINST_COUNTER, run_dir=tmp_path), "model.zip").save(0)
        with pytest.raises(ValueError, match=f"has other options: {message}"):
            run(tmp_path, resume=True, **changed)

    @pytest.mark.slow
    def test_checkpoints_are_no_further_apart_than_said(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        saved, save = [0], PPO.save

        def noticed(self: Any, *arguments: Any) -> None:
            save(self, *arguments)
            saved.append(self.num_timesteps)

        monkeypatch.setattr(PPO, "save", noticed)
        run(tmp_path, timesteps=5000, checkpoint_every=1000)
        gaps = [later - earlier for earlier, later in itertools.pairwise(saved)]
        assert len(gaps) > 3
        assert max(gaps) <= 1000 + ROLLOUT  # a checkpoint is written between rollouts

    @pytest.mark.slow
    def test_interrupted_checkpoints(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        save = PPO.save

        def interrupted(self: Any, path: Path) -> None:
            path.write_bytes(b"half of it")
            raise KeyboardInterrupt

        monkeypatch.setattr(PPO, "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(folder, resume=True, timesteps=4096)
        monkeypatch.setattr(PPO, "save", save)
        assert decisions(folder) == 2048
        assert run(folder, resume=True, timesteps=4096)["timesteps"] == 4096
        assert moments(folder) == sorted(set(moments(folder)))

    @pytest.mark.slow
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
    def test_whatever_ends_a_run_it_goes_on(self, tmp_path: Path, number: signal.Signals) -> None:
        words = [f"--{name.replace('_', '-')}={value}" for name, value in SHORT.items() if name != "timesteps"]
        line = [sys.executable, "train.py", "footsies_v0", "--opponent=counter", *words, "--timesteps=100000000"]
        line += [f"--run-dir={tmp_path}"]
        process = subprocess.Popen(
            line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_interruptions
        )
        try:
            wait_until(lambda: (tmp_path / "model.zip").exists() or process.poll() is not None)
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        if number == signal.SIGKILL:
            assert process.returncode == -signal.SIGKILL
        else:
            advice = f"Interrupted. Go on with the same command and --resume; the run is in {tmp_path}."
            assert (process.returncode, out, said(err)) == (130, "", [advice])
        done = decisions(tmp_path)
        assert done > 0
        report = run(tmp_path, resume=True, timesteps=done + 1024)
        assert report["timesteps"] == done + 1024
        assert moments(tmp_path) == sorted(set(moments(tmp_path)))
        assert moments(tmp_path)[0] == 0


POINTS = np.array([1.0] * 60 + [-1.0] * 40)  # mean 0.2; standard error sqrt(0.96 / 99), so 0.2 +- 0.19


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({}, "PPO wins 0.49 of at most 0.50 a game from counter. An opponent who knows it wins 0.98 a game."),
        ({"value": -0.25}, "PPO loses 0.25 a game to counter. An opponent who knows it wins 0.98 a game."),
        (
            {"value": None, "best": None, "exploitability": None},
            "PPO wins 0.20 a game from counter (sampled: 0.01 to 0.39). "
            "What an opponent who knows it wins is not known.",
        ),
        (
            {"opponent": "population"},
            "PPO wins 0.49 of at most 0.50 a game from its training opponents. "
            "An opponent who knows it wins 0.98 a game.",
        ),
        (
            {"rows": [], "exploitability": None, "late": ("the exploitability",)},
            "What an opponent who knows PPO wins was not measured in time.",
        ),
        (
            {"algorithm": "minimax_q", "opponent": "self", "exploitability": 1e-4},
            "An opponent who knows minimax_q wins less than 0.01 a game.",
        ),
        (
            {"opponent": "psro", "mixed_exploitability": 0.125},
            "An opponent who knows PPO wins 0.98 a game; one who knows the equilibrium of past policies 0.12.",
        ),
        (
            {"player": 0},
            "PPO wins 0.49 of at most 0.50 a game from counter. "
            "An opponent who knows it wins 0.98 more a game than from perfect play.",
        ),
    ],
)
def test_the_headline_says_what_was_learned(facts: dict[str, Any], told: str) -> None:
    figures = {"opponent": "counter", "value": 0.4856, "best": 0.5, **facts}
    row = report.Row(figures["opponent"], "", MatchResult(POINTS), figures["value"], figures["best"], None)
    known = {"algorithm": "ppo", "opponent": "counter", "player": "random", "rows": [row], "exploitability": 0.98}
    known |= {"timesteps": 1, "games": 1, "seed": 0, "optimum": None, "learners": {}, "curve": []}
    facts = {name: fact for name, fact in facts.items() if name not in ("value", "best")}
    assert report.headline(report.Report(footsies_v0.game(), **known | facts)) == told


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ([1.0] * 999 + [-1.0], "PPO wins 1.00 a game from counter (sampled: 0.99 to 1.00)."),
        ([1.0, -1.0, 1.0, 1.0], "PPO wins 0.50 a game from counter, in 4 games."),
        ([1.0], "PPO wins 1.00 a game from counter, in 1 game."),
        (-POINTS, "PPO loses 0.20 a game to counter (sampled: 0.01 to 0.39)."),
        (0.1 - POINTS, "PPO loses 0.10 a game to counter (sampled: \N{MINUS SIGN}0.09 to 0.29)."),
    ],
)
def test_its_sampled_points_have_an_interval_of_what_can_be_won_if_games_suffice(
    points: list[float], told: str
) -> None:
    rows = [report.Row("counter", "", MatchResult(np.array(points)), None, None, None)]
    made = report.Report(footsies_v0.game(), "ppo", "counter", 0, 1, 1, 0, None, None, {}, rows, [])
    assert report.headline(made).startswith(f"{told} What an opponent")


class TestCommandLine:
    @pytest.fixture(autouse=True)
    def place(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.chdir(tmp_path)

    def script(self, monkeypatch: pytest.MonkeyPatch, line: str) -> int:
        monkeypatch.setattr(sys, "argv", ["train.py", *line.split()])
        try:
            return script.main()
        except SystemExit as ended:
            return int(ended.code or 0)

    def test_it_prints_the_report_and_where_it_is(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        line = "footsies_v0 --opponent counter --num-envs 16 --timesteps 512 --games 2 --quiet"
        assert self.script(monkeypatch, line) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert "ppo, 512 decisions against counter in footsies_v0 against" in out
        assert "against won lost points exact best regret" in out  # nobody draws in Footsies
        assert "Exploitability of the learned policy (exact): 0." in out

    def test_it_begins_with_a_headline_and_the_place_of_the_picture(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        line = "footsies_v0 --opponent counter --num-envs 16 --timesteps 512 --games 2 --run-dir r"
        assert self.script(monkeypatch, line) == 0
        said = " ".join(capsys.readouterr().out.split())
        first = r"PPO (wins|loses) \d\.\d\d .* counter\. An opponent who knows it wins \d\.\d\d a game\."
        assert re.search(
            rf"^{first} Picture: {re.escape(str(Path('r', 'report.png')))} In the browser: nashzoo web r Where", said
        )

    @pytest.mark.parametrize("unfinished", [0, 1])
    def test_it_tells_of_games_that_were_cut_off(self, capsys: pytest.CaptureFixture[str], unfinished: int) -> None:
        row = report.Row("random", "Random moves", MatchResult(np.zeros(2), unfinished), 0.5, 1.0, None)
        report.Report(soccer_v0.game(), "ppo", "random", 0, 1, 1, 0, 1.0, 1.0, {}, [row], []).show()
        told = "Some games were cut off after 200 steps, and count with their points so far" in capsys.readouterr().out
        assert told == bool(unfinished)

    @pytest.mark.parametrize(
        ("points", "headings"), [([1.0, -1.0], "won lost points"), ([1.0, 0.0], "won drawn points")]
    )
    def test_columns_without_a_figure_are_left_out(
        self, capsys: pytest.CaptureFixture[str], points: list[float], headings: str
    ) -> None:
        row = report.Row("random", "Random moves", MatchResult(np.array(points)), None, None, None)
        report.Report(footsies_v0.game(), "ppo", "random", 0, 1, 1, 0, 1.0, 1.0, {}, [row], []).show()
        shown = " ".join(capsys.readouterr().out.split())
        assert (
            shown.startswith("ppo, 1 decisions against random in footsies_v0 against ")
            and f"against {headings} \u2500" in shown
        )

    def test_means_of_a_few_games_have_no_bar_in_the_picture(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        drawn: list[Figure] = []
        monkeypatch.setattr(Figure, "savefig", lambda figure, path, **options: drawn.append(figure) or path.touch())
        rows = [
            report.Row(name, name, MatchResult(np.resize([1.0, -1.0], games)), None, None, None)
            for name, games in (("many", 200), ("few", 2))
        ]
        curve = [{"timesteps": 1, "exploitability": 1.0, "value": 0.0}]
        against = report.Report(footsies_v0.game(), "ppo", "random", 0, 1, 1, 0, 1.0, 1.0, {}, rows, curve)
        write_picture(against, tmp_path / "report.png")
        everyone = drawn[0].axes[-1]
        assert [bar.get_width() for bar in everyone.patches] == [0.0]
        assert [text.get_text() for text in everyone.texts] == ["+0.00", " 2 games: too few"]
        assert max(map(abs, everyone.get_xlim())) < 1.0

    def test_help_has_an_example(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        assert self.script(monkeypatch, "--help") == 0
        assert "Example: nashzoo train footsies_v0 --opponent counter" in capsys.readouterr().out
        for line in ("", "footsies_v0 --algorithm sarsa", "footsies_v0 --loudly"):
            assert self.script(monkeypatch, line) == 2

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("chess", "there is no game 'chess'; the games are footsies_v0"),
            ("footsies_v0 --opponent nobody", "there is no player 'nobody'; the players of footsies_v0 are manual"),
            ("footsies_v0 --opponent missing.zip", "there is no file missing.zip"),
            ("footsies_v0 --measure-every 0", "measure_every must be a whole number of at least 1, not 0"),
        ],
    )
    def test_wrong_use_is_told_in_one_line(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, message: str
    ) -> None:
        assert self.script(monkeypatch, line) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1) and err.startswith("train.py: ") and message in err
        assert os.listdir() == []  # nothing was begun

    @pytest.mark.parametrize(
        ("options", "folder"),
        [
            ({}, "runs/footsies_v0-ppo-population-0"),
            ({"algorithm": "dqn", "opponent": "bluff", "seed": 3}, "runs/footsies_v0-dqn-bluff-3"),
            ({"opponent": "runs/first/model.zip"}, "runs/footsies_v0-ppo-model-0"),
            ({"game": "bodega_brawl_v0", "opponent": "random"}, "runs/bodega_brawl_v0-maskable_ppo-random-0"),
            ({"game": "openspiel:leduc_poker", "algorithm": "mccfr"}, "runs/openspiel_leduc_poker-mccfr-self-0"),
            ({"run_dir": Path("elsewhere")}, "elsewhere"),
        ],
    )
    def test_every_run_has_a_folder(self, options: dict[str, Any], folder: str) -> None:
        assert Options(**{"game": "footsies_v0"} | options).folder() == Path(folder)


def test_a_model_says_what_it_was_made_for_and_plays_nothing_else(whole: Path) -> None:
    with zipfile.ZipFile(whole / "model.zip") as archive:
        told = json.loads(archive.read("data"))
    assert told["made_for"] == repr(footsies_v0.game())
    assert told["made_by"] == f"nashzoo {version('nashzoo')}"
    agents.as_agent(whole / "model.zip", footsies_v0.game())
    with pytest.raises(UsageError, match=r"the model was made for footsies_v0\(.*\), not for footsies_v0\(.*blocks=2"):
        agents.as_agent(whole / "model.zip", footsies_v0.game(blocks=2))


class TestDamagedFolders:
    """What is missing or damaged is told in one sentence, and everything that is there stays as it is."""

    def refused(self, folder: Path, message: str, resume: bool = True) -> None:
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        with pytest.raises(UsageError, match=message):
            run(folder, resume=resume, timesteps=4096)
        assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before

    @pytest.mark.parametrize("name", [FILE, "model.zip"])
    @pytest.mark.parametrize("content", [b"", b"{", b"3", b"\xff\x00"])
    def test_damaged_files(self, name: str, content: bytes, folder: Path) -> None:
        (folder / name).write_bytes(content)
        self.refused(folder, rf"{name} is .*(damaged|not what was written)")

    def test_any_damage_to_the_model(self, folder: Path) -> None:
        model = folder / "model.zip"
        whole = model.read_bytes()
        for place in range(60, len(whole) - 60, len(whole) // 7):
            model.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            self.refused(folder, r"model\.zip is not a model that Stable-Baselines3 saved, or is damaged: ")

    def test_any_other_content_of_the_file_of_a_run(self, folder: Path) -> None:
        file = folder / FILE
        whole = file.read_text()
        for before, after in (
            ('"games": ', '"games": 1'),
            ('"seed": 0', '"seed": 1'),
            ('"timesteps": 512', '"at": 512'),
        ):
            assert before in whole
            file.write_text(whole.replace(before, after, 1))
            self.refused(folder, r"run\.json is missing, or is not what was written: put it back, or choose")

    def test_a_missing_model(self, folder: Path) -> None:
        (folder / "model.zip").unlink()
        self.refused(folder, r"model\.zip is missing: put it back, or choose another --run-dir to begin anew")

    def test_a_model_of_another_checkpoint(self, folder: Path) -> None:
        content = content_of(folder / FILE)
        (folder / FILE).write_text(json.dumps(signed(content | {"efforts": {"512": content["efforts"]["2048"]}})))
        self.refused(folder, r"run\.json has no checkpoint after 2048 decisions: put back the files of one")

    @pytest.mark.parametrize("resume", [False, True])
    def test_without_the_options_nothing_is_overwritten(self, resume: bool, folder: Path) -> None:
        (folder / FILE).unlink()
        self.refused(folder, r"holds model\.zip, but no run\.json with the options of the run", resume)

    def test_a_damaged_replay_buffer(self, tmp_path: Path) -> None:
        (tmp_path / "replay_buffer.pkl").write_bytes(b"\x80")

        class Model(DQN):
            num_timesteps = 0

            def __init__(self) -> None:
                pass

            @classmethod
            def load(cls, *arguments: Any, **options: Any) -> Any:
                return cls()

        with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
            for part in ("data", "policy.pth"):
                archive.writestr(part, "")
        with pytest.raises(UsageError, match=r"replay_buffer\.pkl is missing or damaged"):
            sb3_training.load_checkpoint(tmp_path, Model, None)

    def test_runs_without_a_checkpoint(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        opened(Options(**AGAINST_COUNTER, run_dir=tmp_path), "model.zip").save(0)
        assert run(tmp_path, resume=True, timesteps=ROLLOUT, games=2)["timesteps"] == ROLLOUT
        assert "There is no checkpoint in" in capsys.readouterr().out


class TestTimeOfTheReport:
    def test_what_compilation_cut_is_measured_once_more(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now, cut, given = [0.0], [2], []

        def within(seconds: float, work: Any) -> None:
            given.append(seconds)
            now[0] += 0.25  # the rest of the time was compilation
            cut[0] -= 1
            if cut[0] < 0:
                work()

        monkeypatch.setattr(points, "working_time", lambda: now[0])
        monkeypatch.setattr(points, "within", within)
        assert points.in_time(1.0, lambda: "measured") == "measured"
        assert given == [1.0, 0.75, 0.5]
        cut[0] = 9
        assert points.in_time(1.0, lambda: "measured") is None
        assert cut[0] == 5
        cut[0] = 0
        assert points.in_time(math.inf, lambda: None) is None  # a figure that is none is not asked for again

    def test_its_picture_names_what_was_cut_and_no_interval_is_beyond_what_can_be_won(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        figures: list[Figure] = []
        save = Figure.savefig

        def kept(figure: Figure, *arguments: Any, **options: Any) -> None:
            figures.append(figure)
            save(figure, *arguments, **options)

        monkeypatch.setattr(Figure, "savefig", kept)
        few, nearly_all = MatchResult(np.array([1.0, -1.0])), MatchResult(np.array([1.0] * 39 + [-1.0]))
        rows = [report.Row(name, name, result, None, None, None) for name, result in (("a", few), ("b", nearly_all))]
        point = {"timesteps": 2048, "games": 40, "value": 0.1, "exploitability": None}
        made = report.Report(
            footsies_v0.game(), "ppo", "counter", "random", 2048, 40, 0, 0.5, None, {}, rows, [point],
            report_seconds=10.0, late=("where it loses", "games against nash"),
        )  # fmt: skip
        write_picture(made, tmp_path / "report.png")
        figure = figures[0]
        assert len(figures) == len(PICTURES) and {one.suffix for one in tmp_path.glob("report.*")} == set(PICTURES)
        assert figure.get_suptitle().replace("\n", " ") == report.headline(made)
        below = figure.get_supxlabel().replace("\n", " ")
        assert "Not measured within 10 s: where it loses; games against nash." in below
        assert "ppo, 2,048 decisions against counter in footsies_v0" in below
        assert not any(axes.get_legend() for axes in figure.axes)
        everyone = figure.axes[-1]
        (errors,) = (made for made in everyone.containers if made.__class__.__name__ == "ErrorbarContainer")
        reached = [x for lines in errors.lines[2] for segment in lines.get_segments() for x, _ in segment]
        assert len(reached) == 2 and max(reached) <= 1.0
        assert everyone.get_xlim()[1] < 1.2 and everyone.get_xlim()[0] > -1.2
