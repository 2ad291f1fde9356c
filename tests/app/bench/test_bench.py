"""``nashzoo bench``: other people's learners run by the protocol, and what goes wrong in them."""

import contextlib
import csv
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nashzoo import agents
from nashzoo.agents.learning.own_class import learner_of
from nashzoo.app.commands import bench
from nashzoo.arena.measurement.checkpoints import Run, content_of
from nashzoo.arena.measurement.classes import ClassContestant
from nashzoo.arena.measurement.contestants import contestant
from nashzoo.arena.measurement.protocol import HIDDEN, OPEN, SEEDS, schedule
from nashzoo.arena.measurement.reference import FILE, others_than, reference
from nashzoo.baselines import exploitability
from nashzoo.baselines.information.sequence_form import levels
from nashzoo.envs import footsies_v0
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.base.modules import module_at
from processes import PATIENCE, hear_interruptions, wait_until

SECONDS = 0.3
NOTHING = contextlib.nullcontext()

LEARNERS = '''
import os, time
import numpy as np
from nashzoo import agents


class Mixture:
    """Plays the equilibrium in a share of all games that grows with what it has learned."""

    NAME, GIVEN = "mixture", "the rules"

    def __init__(self, game, seed):
        self.game, self.num_timesteps = game, 0
        self.nash = agents.make("nash", game)

    def learn(self, num_timesteps):
        time.sleep(0)
        sum(range(20 * num_timesteps))
        self.num_timesteps += num_timesteps

    def action_probabilities(self, observations, action_masks):
        share = self.num_timesteps / (self.num_timesteps + 100_000)
        uniform = action_masks / action_masks.sum(axis=1, keepdims=True)
        return share * self.nash.action_probabilities(observations, action_masks) + (1.0 - share) * uniform


class Solver(Mixture):
    def action_probabilities(self, observations, action_masks):
        return self.nash.action_probabilities(observations, action_masks)


class Uneven(Mixture):
    def action_probabilities(self, observations, action_masks):
        return np.ones(action_masks.shape)


class Chooser:
    def __init__(self, game, seed): ...
    def learn(self, num_timesteps): ...
    def predict(self, observations, deterministic=False):
        return np.zeros(len(observations), int), None


class Late(Mixture):
    def learn(self, num_timesteps):
        begun = time.process_time()
        while time.process_time() - begun < 1.0:
            self.num_timesteps += sum([1] * 10_000)


class Tardy(Mixture):
    def learn(self, num_timesteps):
        begun = time.process_time()
        while time.process_time() - begun < 0.45:
            self.num_timesteps += sum([1] * 10_000)


class Timed(Mixture):
    """Learns at a pace of its own, by a clock of its own; the second one that is made is slower."""

    now, made = 0.0, 0

    def __init__(self, game, seed):
        super().__init__(game, seed)
        Timed.made += 1
        self.pace = 1000.0 if Timed.made == 1 else Timed.slower

    def learn(self, num_timesteps):
        self.num_timesteps += num_timesteps
        Timed.now += num_timesteps / self.pace


class Still(Mixture):
    def learn(self, num_timesteps): ...


class Broken(Mixture):
    def learn(self, num_timesteps):
        if self.game.name == "tictactoe_v0" and not os.path.exists("mended"):
            raise RuntimeError("boom")
        super().learn(num_timesteps)


class Killed(Mixture):
    def learn(self, num_timesteps):
        os.kill(os.getpid(), 9)


class Leaver(Mixture):
    def learn(self, num_timesteps):
        raise SystemExit(0)


class Moody(Mixture):
    """Other probabilities whenever it is asked."""

    def action_probabilities(self, observations, action_masks):
        weights = np.random.default_rng().random(action_masks.shape) * action_masks
        return weights / weights.sum(axis=1, keepdims=True)


class Ordered(Mixture):
    """Probabilities by the place in the batch."""

    def action_probabilities(self, observations, action_masks):
        weights = (1 + np.arange(len(action_masks))[:, None]) ** np.arange(action_masks.shape[1]) * action_masks
        return weights / weights.sum(axis=1, keepdims=True)


class Asleep(Mixture):
    def learn(self, num_timesteps):
        time.sleep(1000)


class Unsaved(Mixture):
    def save(self, path):
        open(path, "w").close()

    @classmethod
    def load(cls, path, game, seed):
        raise ValueError("nothing in it")


class Demanding(Mixture):
    def __init__(self, game, seed, options): ...


class Untaught:
    def __init__(self, game, seed): ...
'''


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(LEARNERS)
    return "./mine.py:{}".format


def here(tasks, *_):
    """Does tasks in this process, which spares the start of another, of a second."""
    return ((task, task()) for task in tasks)


def run(place, *games, seeds=1, seconds=SECONDS, apart=False, fails=False, page=False, **options):
    """Runs the command, its learners ``apart`` or in this process; a ``page``, the scorecard, takes a second."""
    asked = {"seeds": seeds, "seconds": seconds, "processes": 1, "as_json": True, **options}
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit, match="1") if fails else NOTHING:
        if not apart:
            patch.setattr("nashzoo.arena.tasks.run_tasks", here)
        if not page:
            patch.setattr("nashzoo.app.bench.scorecard.write", lambda comparison, folder: [])
        bench.main(place, games or ("Footsies, 1 round, 1 block",), **asked)


def outcome(capsys):
    return json.loads(capsys.readouterr().out)


def test_exact_figures_of_every_checkpoint(place, capsys):
    run(place("Mixture"), "Footsies", apart=True, page=True)
    told = outcome(capsys)
    assert (told["protocol"], told["learner"], told["given"]) == (OPEN.version, "mixture", "the rules")
    game = next(game for game in told["games"] if game["title"] == "Footsies")
    (one,) = game["runs"]
    first, last = one["curve"][0], one["curve"][-1]
    made = footsies_v0.game()
    assert first["timesteps"] == first["seconds"] == 0
    assert first["exploitability"] == pytest.approx(exploitability(made, agents.make("random", made)))
    steps = [point["timesteps"] for point in one["curve"]]
    figures = [point["exploitability"] for point in one["curve"]]
    assert steps == sorted(set(steps))
    assert figures == sorted(figures, reverse=True)
    learner = module_at("./mine.py").Mixture(made, 0)
    learner.num_timesteps = last["timesteps"]
    assert figures[-1] == pytest.approx(exploitability(made, learner))
    assert last["seconds"] >= SECONDS
    assert game["states"] == 129
    assert one["values"]["random"][1] == 0.0
    assert one["error"] == ""
    assert all(Path("bench", name).stat().st_size > 0 for name in ("scorecard.html", "scorecard.png", "outcomes.csv"))


@pytest.mark.slow
def test_a_solved_game_ends_the_run(place, capsys):
    run(place("Solver"))
    (one,) = outcome(capsys)["games"][0]["runs"]
    assert [point["timesteps"] for point in one["curve"]] == [0]


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("Uneven", "distribution"),
        ("Chooser", "action_probabilities"),
        ("Untaught", "learn"),
        ("Demanding", "options"),
        ("Unsaved", "nothing in it"),
    ],
)
def test_breaches_of_the_contract_are_refused_before_anything_is_written(place, tmp_path, kind, why):
    with pytest.raises((UsageError, UsageTypeError, ValueError), match=why):
        run(place(kind), "tic-tac-toe", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("Late", "budget"),
        ("Still", "num_timesteps"),
        ("Leaver", "SystemExit"),
        ("Moody", "asked again"),
        ("Ordered", "asked again"),
    ],
)
def test_runs_that_break_the_contract_are_rows_with_their_errors(place, capfd, kind, why):
    run(place(kind), fails=True)
    captured = capfd.readouterr()
    (one,) = json.loads(captured.out)["games"][0]["runs"]
    assert why in one["error"]
    assert ("Traceback" in captured.err) == (kind == "Leaver")  # its own code, and not the contract


@pytest.mark.slow
def test_a_run_that_takes_longer_is_a_row_with_what_it_took(place, capsys):
    run(place("Tardy"))
    told = outcome(capsys)
    (one,) = told["games"][0]["runs"]
    last = one["curve"][-1]
    assert one["error"] == "" and 1.25 * SECONDS < last["seconds"] <= 3.0 * SECONDS
    assert told["scores"]["Footsies, 1 round, 1 block"] == [last["exploitability"]]
    said = f"Footsies, 1 round, 1 block, seed 0: up to {last['seconds']:.3g} processor seconds instead of {SECONDS}"
    assert told["deviations"][-1] == said


def shown(learner, folder, seconds, game=OPEN.sizes[0]):
    """Returns the decisions and the seconds of the policies that are to be measured."""
    kept, policies = Run(folder, {}), []

    def visit(checkpoint):
        if checkpoint.due:
            policies.append((checkpoint.timesteps, kept.effort.seconds))
        return True

    learner.learn(game, 0, schedule(seconds), kept, visit)
    return policies


@pytest.mark.parametrize(("slower", "most"), [(1000.0, 1.0), (300.0, 1.0), (100.0, 1.0), (2.0, 3.0)])
def test_the_pace_is_learned_from_the_last_call(place, tmp_path, slower, most):
    timed = module_at(place("").partition(":")[0]).Timed
    timed.now, timed.made, timed.slower = 0.0, 0, slower
    learner = ClassContestant(place("Timed"), learner_of(timed), clock=lambda: timed.now)
    times = [seconds for _, seconds in shown(learner, tmp_path, 1.0)]
    assert times == sorted(times) and 1.0 <= times[-1] <= most + 1 / slower


def test_more_than_three_times_the_time_is_an_error(place, tmp_path):
    timed = module_at(place("").partition(":")[0]).Timed
    timed.now, timed.made, timed.slower = 0.0, 0, 1.0
    learner = ClassContestant(place("Timed"), learner_of(timed), clock=lambda: timed.now)
    with pytest.raises(
        UsageError, match=r"learn\(4\) took 4 s .* where 1 s of 1 were left, more than 3 times the budget"
    ):
        shown(learner, tmp_path, 1.0)


WAITING = """
from pathlib import Path
from nashzoo.arena.measurement import classes
from nashzoo.arena.measurement.classes import ClassContestant
from nashzoo.arena.measurement.contestants import contestant
from nashzoo.arena.measurement.checkpoints import Run
from nashzoo.arena.measurement.protocol import OPEN, schedule
classes.PATIENCE = 0.3
run = Run(Path("."), {})
contestant("./mine.py:Asleep").learn(OPEN.sizes[0], 0, schedule(0.3), run, lambda checkpoint: True)
"""


@pytest.mark.slow
def test_a_call_that_does_not_return_ends_its_process_and_is_an_error(place, tmp_path):
    for _ in range(2):  # once may be the fault of a machine that stood still
        done = subprocess.run([sys.executable, "-c", WAITING], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (1, "")
    with pytest.raises(UsageError, match=r"learn did not return within 103 s; .*stuck.txt tells where it was"):
        shown(contestant(place("Asleep")), tmp_path, SECONDS)


@pytest.mark.slow
def test_a_crash_is_a_row_with_its_error_until_it_is_tried_again(place, tmp_path, capsys):
    games = "tic-tac-toe", "Footsies, 1 round, 1 block"
    run(place("Broken"), *games, fails=True)
    errors = {game["title"]: game["runs"][0]["error"] for game in outcome(capsys)["games"]}
    assert errors == {"Footsies, 1 round, 1 block": "", "tic-tac-toe": "RuntimeError: boom"}
    (tmp_path / "mended").touch()
    run(place("Broken"), *games, fails=True)
    assert [bool(game["runs"][0]["error"]) for game in outcome(capsys)["games"]] == [False, True]
    run(place("Broken"), *games, retry=True)
    assert not any(game["runs"][0]["error"] for game in outcome(capsys)["games"])


@pytest.mark.slow
def test_a_killed_process_is_a_row_with_its_error(place, capsys):
    run(place("Killed"), apart=True, fails=True, page=True)
    (one,) = outcome(capsys)["games"][0]["runs"]
    assert "process" in one["error"]


@pytest.mark.slow
def test_other_protocols_and_other_code_are_not_mixed(place, tmp_path, capsys):
    out = tmp_path / "out"
    run(place("Solver"), out=out)
    with pytest.raises(UsageError, match="protocol was 'nashzoo-bench 1', not 'nashzoo-bench 2'"):
        run("policy_gradient", "Kuhn poker", out=out, suite="hidden")
    (tmp_path / "mine.py").write_text(LEARNERS + "\n")
    with pytest.raises(UsageError, match="learner"):
        run(place("Solver"), out=out)


@pytest.mark.slow
def test_learners_are_compared_with_those_of_a_file(place, tmp_path, capsys):
    run(place("Solver"), seeds=5)
    better = outcome(capsys)
    assert (better["seconds"], len(better["scores"]["Footsies, 1 round, 1 block"])) == (SECONDS, 5)
    assert better["deviations"][:2] == ["5 seeds instead of 10", "0.3 processor seconds instead of 60"]
    file = tmp_path / "solver.json"
    file.write_text(json.dumps(better))
    run(place("Mixture"), seeds=5, out=tmp_path / "mine", compare=[file])
    printed = outcome(capsys)
    over = next(row for row in printed["improvements"] if row["learner"] == "mixture (solver)")
    assert over["theirs"]["value"] == over["probability"]["value"] == 0.0
    assert over["probability"]["interval"] == [0.0, 0.0]
    ranks = {row["learner"]: row["rank"] for row in printed["ranking"]}
    assert ranks["mixture (solver)"] == 1 < ranks["mixture"]
    run(place("Mixture"), seeds=5, out=tmp_path / "mine", compare=[file], as_json=False, page=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("mixture, not by nashzoo-bench 1: 5 seeds instead of 10; 0.3 processor seconds")
    line = " ".join(" ".join(lines).split()).partition("interquartile mean over 1 game: ")[2]
    assert f"(rank {ranks['mixture']} of {len(ranks)}; the others have 5 to 10 runs of 0.3 to 60" in line
    line = next(line for line in lines if line.startswith("mixture (solver) "))
    assert re.fullmatch(r"mixture \(solver\) +0 +.* 1 +0", line)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[1, 2]", "not what nashzoo bench"),
        ("{", "not what nashzoo bench"),
        ("[" * 100_000, "not what nashzoo bench"),
        ("\xff", "not what nashzoo bench"),
        (
            json.dumps(json.loads(FILE.read_text())[0]).replace('"exploitability": 0', '"exploitability": "x", "y": 0'),
            "not what nashzoo bench",
        ),
        ('{"protocol": "old"}', "by old, not by"),
        ('{"protocol": "nashzoo-bench 2"}', "by nashzoo-bench 2, not by nashzoo-bench 1"),
    ],
)
def test_other_files_are_not_compared(place, tmp_path, text, why):
    (tmp_path / "other.json").write_text(text, encoding="latin-1")
    with pytest.raises(UsageError, match=why):
        run(place("Solver"), out=tmp_path / "out", compare=[tmp_path / "other.json"])
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_suite_with_hidden_information_has_its_own_figures(tmp_path, capsys):
    out = tmp_path / "out"
    run("cfr_plus", "Kuhn poker", out=out, suite="hidden", page=True)
    told = outcome(capsys)
    (game,) = told["games"]
    assert (told["protocol"], game["title"], game["states"], game["stake"]) == ("nashzoo-bench 2", "Kuhn poker", 12, 2)
    assert "without Leduc poker; liar's dice; Goofspiel, hidden bids, 4 cards" in told["deviations"]
    assert game["runs"][0]["curve"][0]["exploitability"] == pytest.approx(11 / 24)  # of uniform play
    with (out / "outcomes.csv").open() as file:
        assert {row["protocol"] for row in csv.DictReader(file)} == {"not by nashzoo-bench 2"}
    (tmp_path / "mine.json").write_text(json.dumps(told))
    run("dcfr", "Kuhn poker", out=tmp_path / "other", suite="hidden", compare=[tmp_path / "mine.json"])
    assert "cfr_plus (mine)" in {row["learner"] for row in outcome(capsys)["ranking"]}


def test_every_learner_has_a_name_of_its_own(place, tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps(json.loads(FILE.read_text())[0]))
    name = others_than("mine", [file])[-1].learner
    with pytest.raises(UsageError, match=r"give .*a\.json another name"):
        others_than("mine", [file, file])
    with pytest.raises(UsageError, match=r"give .*a\.json another name"):
        others_than(name, [file])
    names = {one.learner for one in others_than("nash_vi", [])}
    assert "nash_vi (stored)" in names and "nash_vi" not in names
    assert {one.learner for one in others_than("mine", [])} == {one.learner for one in reference()}


RESUMED = """
import json, time
from pathlib import Path


class Learner:
    def __init__(self, game, seed):
        self.num_timesteps, self.loaded = 0, False

    def learn(self, num_timesteps):
        begun = time.process_time()
        while time.process_time() - begun < 1e-5 * num_timesteps:
            sum(range(1000))  # asking for the time alone would be work of the system
        self.num_timesteps += num_timesteps
        with open("calls", "a") as file:
            file.write(f"{self.num_timesteps}\\n" * self.loaded)

    def action_probabilities(self, observations, action_masks):
        return action_masks / action_masks.sum(axis=1, keepdims=True)

    def save(self, path):
        Path(path).write_text(str(self.num_timesteps))

    @classmethod
    def load(cls, path, game, seed):
        learner = cls(game, seed)
        learner.num_timesteps, learner.loaded = int(Path(path).read_text()), True
        return learner
"""


@pytest.mark.slow
def test_an_interrupted_run_goes_on_where_it_was_saved(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saved.py").write_text(RESUMED)
    command = ["bench", "./saved.py:Learner", "Footsies, 1 round, 1 block"]
    options = ["--seeds", "1", "--seconds", "3", "--processes", "1", "--out", "out", "--json", "--quiet"]
    line = [sys.executable, "-m", "nashzoo.app", *command, *options]
    process = subprocess.Popen(line, preexec_fn=hear_interruptions)
    file = tmp_path / "out/runs/footsies_v0_blocks=1_0/run.json"

    def efforts():
        return {int(timesteps): effort["seconds"] for timesteps, effort in content_of(file)["efforts"].items()}

    wait_until(lambda: (file.exists() and max(efforts().values()) > 0.3) or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 130
    saved = max(efforts())
    (tmp_path / "calls").unlink()
    run("./saved.py:Learner", seconds=3.0, out=tmp_path / "out")
    (one,) = outcome(capsys)["games"][0]["runs"]
    assert int((tmp_path / "calls").read_text().split()[0]) > saved
    steps = [point["timesteps"] for point in one["curve"]]
    assert saved in steps
    assert steps == sorted(set(steps))
    assert steps[0] == 0


SCRIPT = """
import argparse, sys
from pathlib import Path
from nashzoo.agents.learning.tabular.minimax_q import MinimaxQ
from nashzoo.envs import make_game
from nashzoo.envs.base.assignments import assignments

parser = argparse.ArgumentParser()
parser.add_argument("game")
parser.add_argument("--param", action="append", default=[])
parser.add_argument("--seed", type=int)
parser.add_argument("--run-dir", type=Path)
asked = parser.parse_args()
game = make_game(asked.game, **assignments(asked.param))
assert game.options["blocks"] == 1
learner = MinimaxQ(game, asked.seed)
for _ in range(3):
    learner.learn(500)
    learner.save(asked.run_dir / f"learner_{learner.num_timesteps}.safetensors")
if "crash" in sys.argv[0]:
    raise SystemExit("out of luck")
"""


@pytest.mark.slow
def test_a_script_is_measured_by_its_checkpoints(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.py").write_text(SCRIPT)
    run("./script.py", seconds=60.0)
    (one,) = outcome(capsys)["games"][0]["runs"]
    assert one["error"] == ""
    steps = [point["timesteps"] for point in one["curve"]]
    assert steps[0] == 0 and len(steps) >= 3
    assert one["curve"][-1]["exploitability"] < one["curve"][0]["exploitability"]


def test_a_script_declares_what_it_uses_and_is_not_run_for_it(tmp_path):
    file = tmp_path / "script.py"
    file.write_text('GIVEN = "transitions"\nUNIT = NAME = "games"\nraise RuntimeError\n')
    script = contestant(str(file))
    assert (script.name, script.given, script.unit) == ("games", "transitions", "games")
    file.write_text("GIVEN = 5\n")
    script = contestant(str(file))
    assert (script.name, script.given, script.unit) == ("script", "unknown", "decisions")
    file.write_text("print 5")
    with pytest.raises(UsageError, match="not valid Python"):
        contestant(str(file))


@pytest.mark.slow
def test_a_script_is_ended_where_no_processes_are_counted_and_no_groups_are_ended(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("nashzoo.arena.measurement.pacer.STATUS", tmp_path / "nothing")
    monkeypatch.delattr(os, "killpg")
    (tmp_path / "script.py").write_text(f"{SCRIPT}\nimport time\ntime.sleep(600)")
    (size,) = OPEN.sizes_of(["Footsies, 1 round, 1 block"], False)
    written = shown(contestant("./script.py"), tmp_path / "run", 20.0, size)
    assert written[0] == (0, 0.0) and len(written) >= 3


@pytest.mark.slow
def test_a_policy_that_was_cut_off_is_not_measured(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cut.py").write_text(f"{SCRIPT}\n(asked.run_dir / 'learner_9999.safetensors').write_bytes(b'half')\n")
    (size,) = OPEN.sizes_of(["Footsies, 1 round, 1 block"], False)
    written = shown(contestant("./cut.py"), tmp_path / "run", 60.0, size)
    assert 0 < written[-1][0] < 9999


@pytest.mark.slow
def test_what_a_script_says_at_its_end_is_the_error(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crash.py").write_text(SCRIPT)
    run("./crash.py", seconds=60.0, fails=True)
    (one,) = outcome(capsys)["games"][0]["runs"]
    assert "out of luck" in one["error"] and "exit code 1" in one["error"]


@pytest.mark.parametrize("place", ["minimax", "./nothing.py", "./nothing.py:Nothing", "ppo"])
def test_unknown_learners_are_refused(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"minimax|nothing|ppo"):
        run(place)


def test_games_of_the_protocol():
    assert len({size.title for size in OPEN.sizes}) == len(OPEN.sizes)
    assert [size.title for size in OPEN.sizes_of(["soccer, 11 x 5"], False)] == ["soccer, 11 x 5"]
    assert all(size.small for size in OPEN.sizes_of((), False))
    named = [size.title for size in OPEN.sizes_of(["bodega_brawl_v0:preset=large"], False)]
    assert named == ["Bodega Brawl, large"]
    assert [size.title for size in OPEN.sizes_of(["soccer_v0"], False)] == ["soccer, 11 x 3"]
    assert [size.title for size in OPEN.sizes_of(["soccer"], False)] == ["soccer"]
    assert {size.game for size in OPEN.sizes_of(["footsies_v0"], True)} == {"footsies_v0"}
    assert [size.title for size in OPEN.sizes_of(["Tic-tac-toe", "FOOTSIES"], False)] == ["Footsies", "tic-tac-toe"]
    with pytest.raises(UsageError, match=r"did you mean Footsies\?.*; it has footsies_v0"):
        OPEN.sizes_of(["Footsie"], False)
    assert SEEDS == 10


def test_the_games_with_hidden_information_are_a_suite_of_their_own():
    assert {size.make().hides for size in HIDDEN.sizes} == {True}
    assert {size.make().hides for size in OPEN.sizes if size.small} == {False}
    small = ["Kuhn poker", "Leduc poker", "liar's dice", "Goofspiel, hidden bids, 4 cards"]
    assert [size.title for size in HIDDEN.sizes_of((), False)] == small
    with pytest.raises(UsageError, match="nashzoo-bench 2 has no game 'Footsies'; it has nashzoo"):
        HIDDEN.sizes_of(["Footsies"], False)


def test_the_stake_is_the_largest_payoff():
    """All chips of a hand: one and a bet in Kuhn poker, 1 + 2 * 2 + 2 * 4 in Leduc poker; or a game won."""
    for size in HIDDEN.small:
        assert max(abs(level.rewards).max() for level in levels(size.make()) if len(level.rewards)) == size.stake
