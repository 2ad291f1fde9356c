"""A learner measured from Python gets what the commands show: one figure for one policy."""

import csv
import json
import time
from pathlib import Path

import numpy as np
import pytest

from command import Command
from nashzoo import agents
from nashzoo.app.results.entrants import entrants, rows_of
from nashzoo.app.results.results import EntrantTask, table_of
from nashzoo.app.results.table import as_csv, game_table
from nashzoo.arena.measurement import run
from nashzoo.arena.measurement.checkpoints import content_of
from nashzoo.arena.measurement.outcomes import SizeOutcome
from nashzoo.arena.measurement.pacer import decisions_in
from nashzoo.arena.measurement.protocol import HIDDEN, OPEN, Size
from nashzoo.arena.measurement.runs import BenchTask, FactsTask, _duration
from nashzoo.arena.trainer_probes import PROBES
from nashzoo.baselines import exploitability
from nashzoo.baselines.information import measures
from nashzoo.baselines.information.traversal import counted
from nashzoo.baselines.weak_states import weaknesses
from nashzoo.envs import Game, footsies_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Features, Floats, Mask
from processes import PATIENCE

TITLE, NAME, GAME = "Footsies, 1 round, 1 block", "footsies_v0:blocks=1", footsies_v0.game(blocks=1)
EXACT = 1e-9  # points

LEARNER = '''
import numpy as np


class Sloping:
    """Prefers actions with smaller numbers, whatever it learns."""

    def __init__(self, game, seed): ...

    def learn(self, num_timesteps): ...

    def action_probabilities(self, observations, action_masks):
        weights = 0.5 ** np.arange(action_masks.shape[1]) * (action_masks != 0)
        return weights / weights.sum(axis=1, keepdims=True)
'''


class Sloping:
    """The same class, in this file."""

    def __init__(self, game: Game, seed: int) -> None: ...

    def learn(self, num_timesteps: int) -> None: ...

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        weights = 0.5 ** np.arange(action_masks.shape[1]) * (action_masks != 0)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@pytest.fixture(scope="module")
def measured() -> dict[str, object]:
    """What is known of the policy, computed directly."""
    policy = Sloping(GAME, 0)
    return {"exploitability": exploitability(GAME, policy), "worst": weaknesses(GAME, policy, 1)[0].code}


@pytest.fixture(scope="module")
def outcome() -> SizeOutcome:
    (one,) = run(Sloping, [TITLE], seeds=1, seconds=0.02)
    return one


@pytest.mark.slow
def test_all_commands_and_python_show_the_same_figures(
    measured: dict[str, object],
    outcome: SizeOutcome,
    nashzoo: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(LEARNER)
    expected = pytest.approx(measured["exploitability"], abs=EXACT)

    (own,) = outcome.runs
    assert (outcome.scores, own.weaknesses[0]["code"]) == ([expected], measured["worst"])

    benched = nashzoo.json(f"bench ./mine.py:Sloping {NAME} --seeds 1 --seconds 0.02 --processes 1 --quiet --out bench")
    (by_command,) = benched["games"][0]["runs"]
    assert (by_command["values"], by_command["weaknesses"]) == (own.values, own.weaknesses)
    assert by_command["curve"][-1]["exploitability"] == expected
    last = list(csv.DictReader(Path("bench/outcomes.csv").read_text().splitlines()))[-1]  # beside the scorecard
    assert (float(last["exploitability"]), float(last["score"])) == (expected, expected)

    line = "train footsies_v0 --param blocks=1 --algorithm ./mine.py:Sloping --timesteps 100 --games 2 --out run"
    report = nashzoo.json(f"{line} --report-seconds {PATIENCE}")
    assert (report["exploitability"], report["weaknesses"][0]["code"]) == (expected, measured["worst"])
    kept = content_of(Path("run/run.json"))["curve"]
    assert kept == report["curve"] and kept[-1]["exploitability"] == expected
    values = {name: (row["exact_value"], row["best_response_value"]) for name, row in report["rows"].items()}
    for name in ("random", "counter"):
        assert values[name][0] == pytest.approx(own.values[name][0], abs=EXACT)
        assert values[name][1] == pytest.approx(outcome.best[name], abs=EXACT)

    (row,) = rows_of([NAME])
    (entrant,) = (one for one in entrants(row, others=["./mine.py:Sloping"]) if one.name == "Sloping")
    tasks = EntrantTask(row, entrant, 0, 100, None), FactsTask(row)
    stored = {task.key: task() for task in tasks}
    figures = stored[tasks[0].key]["players"]["Sloping"]
    assert figures == {"exploitability": expected, "values": own.values}
    table = table_of(row, tasks, stored)
    assert game_table(table)[1][:2] == ["Sloping", f"{figures['exploitability']:.3f}"] and table.best == outcome.best
    lines = list(csv.DictReader(as_csv([table]).splitlines()))
    assert [float(line["exploitability"]) for line in lines] == [expected] * len(lines)


def test_probes_of_trainers_show_what_a_class_loses(nashzoo: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LEARNER)
    _, out, _ = nashzoo(f"check-trainer {tmp_path}/mine.py:Sloping --probe one_state --json")
    (probe,) = json.loads(out)["probes"]
    game = next(one for one in PROBES if one.name == "one_state").game()
    expected = [exploitability(game, Sloping(game, 0), player=seat) for seat in (0, 1)]
    assert probe["losses"] == pytest.approx(expected, abs=EXACT)


def test_a_class_is_measured_where_it_stands(measured: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a class whose results are stored, .*, is named: \./file.py:MyLearner"):
        run(Sloping, [TITLE], folder=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("pace", "seconds", "trials", "decisions"),
    [
        (100.0, 60.0, [1_000], 6_000),  # 10 s, more than the 3 s that trials take
        (10_000.0, 60.0, [1_000, 4_000, 16_000, 64_000], 600_000),  # together 8.5 s
        (10_000.0, 1.0, [1_000], 10_000),  # a tenth of a second is enough
        (0.001, 1.0, [1_000], 1),
    ],
)
def test_a_pace_is_found_by_trials_that_take_long_enough(
    pace: float, seconds: float, trials: list[int], decisions: int
) -> None:
    asked = []

    def trial(timesteps: int) -> tuple[int, float]:
        asked.append(timesteps)
        return timesteps, timesteps / pace

    assert (decisions_in(seconds, trial), asked) == (decisions, trials)


class Untaught:
    """A learner of random play."""

    def __init__(self, game: Game, seed: int) -> None:
        self.policy = agents.make("random", game, seed)

    def learn(self, num_timesteps: int) -> None:
        """Takes a while."""
        time.sleep(0.001)


def test_what_measuring_takes_is_said_beforehand() -> None:
    """Of 60 s a tenth, and a second that is always allowed, in each of five rounds."""
    missing = [BenchTask("random", OPEN.sizes_of((), False)[0], seed, 60.0, None) for seed in range(10)]
    assert "5 min in 2 processes" in _duration(missing, 2, 60.0, False)
    assert "measuring takes up to 35 s more" in _duration(missing, 2, 60.0, False)


def test_what_measuring_takes_is_said_of_games_whose_histories_are_walked() -> None:
    """Dark hex of 3 by 3 cells, abrupt: uniform play was measured in 257 s of a processor, compilation included."""
    (size,) = HIDDEN.sizes_of(["dark hex, 3 x 3, abrupt"], False)
    told = _duration([BenchTask("random", size, seed, 60.0, None) for seed in range(2)], 1, 60.0, False)
    assert "dark hex, 3 x 3, abrupt has 14,647,765,747 histories, which take about 5 min" in told
    assert "in all 11 min" in told
    assert "histories" not in _duration([BenchTask("random", HIDDEN.small[1], 0, 60.0, None)], 1, 60.0, False)


def test_games_whose_histories_are_walked_are_measured_at_the_end_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    size = Size("dark hex, abrupt", "nashzoo.examples.dark_hex", ("rows=2", "columns=2", "abrupt=True"))
    expected = exploitability(size.make(), agents.make("random", size.make()))
    with monkeypatch.context() as large:
        large.setattr(measures, "MOST_HISTORIES", 1)
        for name in ("QUICK", "SLOW"):
            large.setattr(f"nashzoo.arena.measurement.runs.{name}", 1)
        measures.form_or_reason.cache_clear()
        found, facts = BenchTask(Untaught, size, 0, 0.02, None)(), FactsTask(size)()
    measures.form_or_reason.cache_clear()
    (point,) = found["curve"]
    assert point["exploitability"] == pytest.approx(expected, abs=EXACT) and "error" not in found
    assert found["values"]["random"][1] > 0.0  # from games
    assert facts == {"states": counted(size.make())[0], "best": {"random": None}}
