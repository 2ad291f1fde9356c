"""The table of results: who is in it, what it says, and that it goes on where it was interrupted."""

import csv
import dataclasses
import re
import shutil
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from command import Command
from nashzoo import agents
from nashzoo.agents.registry import scripted, self_play_learners
from nashzoo.app.commands import results as command
from nashzoo.app.results import results
from nashzoo.app.results.entrants import PSRO_STATES, entrants, rows_of
from nashzoo.app.results.results import EntrantTask, budget_text, table_of, tasks_of
from nashzoo.app.results.rows import ROWS, ResultsRow
from nashzoo.app.results.table import EntrantResult, GameTable, as_csv, as_markdown, draw_overview, game_table, overview
from nashzoo.app.training.options import Options
from nashzoo.arena.luck import solved
from nashzoo.arena.match import play_seats
from nashzoo.arena.measure import measure
from nashzoo.arena.measurement.checkpoints import Checkpoint, Run, Visit
from nashzoo.arena.measurement.pacer import Schedule
from nashzoo.arena.measurement.reference import reference
from nashzoo.arena.measurement.runs import FactsTask
from nashzoo.arena.tasks import ResultStore
from nashzoo.baselines import best_response, evaluate, exploitability
from nashzoo.baselines.states.indexed import numbering
from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.base.errors import MissingPackageError
from nashzoo.envs.core.agent import NoPolicyError

EXACT = 1e-12
GAME = tictactoe_v0.game()
# The table of soccer takes a second.
PARAMS = [
    pytest.param(row, id=str(row.title), marks=pytest.mark.slow if row.game == "soccer_v0" else ()) for row in ROWS
]
TINY = ResultsRow("tiny", "tictactoe_v0", simulations=(5,), depths=(2,))
LEARN = 300  # decisions
PIG = Path(__file__).resolve().parents[2] / "examples" / "games" / "pig.py"
LEDUC = Path(__file__).resolve().parents[2] / "examples" / "games" / "leduc.py"
TOLD = f"--seeds 2 --timesteps {LEARN} --processes 1"


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small table, made in one process."""
    folder = tmp_path_factory.mktemp("measured")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("nashzoo.app.results.entrants.rows_of", lambda names: [TINY])
        command.main(("tictactoe_v0",), seeds=2, timesteps=LEARN, processes=1, out=folder)
    return folder


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nashzoo.app.results.entrants.rows_of", lambda names: [TINY])
    monkeypatch.setattr("nashzoo.app.results.table.draw_overview", lambda tables, path: [])  # which takes a second


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "results.csv").open() as file:
        return list(csv.DictReader(file))


class TestEntrants:
    @pytest.mark.parametrize("row", PARAMS)
    def test_everyone_the_table_is_about_is_in_it(self, row: ResultsRow) -> None:
        game = row.make()
        names = [entrant.name for entrant in entrants(row)]
        assert len(set(names)) == len(names)
        assert {"PPO", "A2C", "DQN", "exact solution"} <= set(names)
        assert ("PPO, PSRO" in names) == (len(numbering(game)) <= PSRO_STATES)
        assert set(self_play_learners(game) if row.learners is None else row.learners) <= set(names)
        assert {"random", *scripted(game)} - set(agents.learners(game)) <= set(names)
        assert ("MENACE" in names) == (row.game == "tictactoe_v0")
        assert sum(name.startswith("MCTS") for name in names) == len(row.simulations)
        assert any(name.startswith("alpha-beta") for name in names) == game.turn_based
        algorithms = {entrant.options["algorithm"] for entrant in entrants(row) if entrant.player is None}
        for name in algorithms - set(self_play_learners()):  # learners know what is legal where not everything is
            assert name.startswith("maskable") == game.masked

    def test_other_options_are_kept_under_another_key(self) -> None:
        entrant = next(entrant for entrant in entrants(ROWS[0]) if entrant.player is None)
        other = dataclasses.replace(entrant, options={**entrant.options, "learning_rate": 0.5})
        assert EntrantTask(ROWS[0], entrant, 0, 1000, None).key != EntrantTask(ROWS[0], other, 0, 1000, None).key

    @pytest.mark.slow
    def test_each_task_is_kept_under_a_key_of_its_own_and_that_of_a_version(self, tmp_path: Path) -> None:
        keys = [task.key for row in ROWS for task in tasks_of(row, 3, 1000, tmp_path)]
        assert len(set(keys)) == len(keys)
        assert results.ABOUT["version"] == version("nashzoo")

    def test_who_depends_on_no_chance_is_measured_once(self, tmp_path: Path) -> None:
        tasks = [task for task in tasks_of(TINY, 3, 1000, tmp_path) if isinstance(task, EntrantTask)]
        seeds = {name: sum(task.entrant.name == name for task in tasks) for name in ("PPO", "MENACE", "greedy")}
        assert seeds == {"PPO": 3, "MENACE": 3, "greedy": 1}


def test_what_the_user_named_is_measured_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[Any] = []

    def interrupted(tasks: Sequence[Any], *rest: Any) -> None:
        asked.extend(tasks)
        raise KeyboardInterrupt

    monkeypatch.setattr("nashzoo.arena.tasks.run_missing", interrupted)
    with pytest.raises(KeyboardInterrupt):
        command.main(("footsies_v0",), agents=("mcts(simulations=3)",), learner=("nash_vi",), seeds=1, out=tmp_path)
    done = [task.entrant.name for task in asked if isinstance(task, EntrantTask)]
    assert done[:3] == ["nash_vi", "mcts(simulations=3)", "PPO"] and len(set(done)) == len(done)


ENDLESS = """
from typing import NamedTuple
NAME, ACTIONS = "endless_v0", ("stay", "leave")
class State(NamedTuple):
    at: int
def field_maxima(params):
    return State(2)
def start(params):
    return State(0)
def step(state, action0, action1):
    return State(2 if action0 == action1 == 1 else 1 - state.at)
def payoff(state):
    return 1.0 * (state.at == 1)
def terminal(state):
    return state.at == 2
"""


class TestGamesOfOnesOwn:
    def test_they_have_default_entrants(self) -> None:
        (row,) = rows_of([f"{PIG}:target=5"])
        assert row.title == "pig_v0(target=5)"
        assert repr(row.make()) == "pig_v0(target=5)"
        assert set(row.learners) == set(self_play_learners(row.make()))
        searches = {"MCTS, 1,000 simulations", "alpha-beta, depth 4"}
        assert {"PPO", "A2C", "DQN", *searches, "greedy", "exact solution"} <= {one.name for one in entrants(row)}

    def test_those_with_hidden_information_have_entrants_that_play_them(self) -> None:
        pytest.importorskip("torch")
        (row,) = rows_of([str(LEDUC)])
        assert set(row.learners) == {"policy_gradient", "deep_hedge", "mccfr", "cfr", "cfr_plus", "dcfr", "pcfr_plus"}
        names = {one.name for one in entrants(row)}
        assert {"PPO", "DQN", "PPO, PSRO", "random", "exact solution", *row.learners} <= names
        assert not {name for name in names if name.startswith(("MCTS", "alpha-beta"))}

    def test_exploitability_with_hidden_information_is_exact(self, tmp_path: Path) -> None:
        (row,) = rows_of([str(LEDUC)])
        chosen = {
            task.entrant.name: task
            for task in tasks_of(row, 1, 2_000, tmp_path)
            if isinstance(task, EntrantTask) and task.entrant.name in ("random", "exact solution", "dcfr")
        }
        made = {name: task()["players"][name] for name, task in chosen.items()}
        assert made["random"]["exploitability"] == pytest.approx(2.373611111111, abs=EXACT)
        assert made["exact solution"]["exploitability"] == pytest.approx(0.0, abs=EXACT)
        assert made["dcfr"]["exploitability"] < 1e-3
        assert made["dcfr"]["values"]["random"][1] == 0.0

    @pytest.mark.parametrize(
        ("name", "parameters"),
        [
            ("footsies_v0:rounds=2,exhausted_block=free", {"rounds": 2, "exhausted_block": "free"}),
            ("roshambo_v0:payoff=[[0,1],[-1,0]],recall=2", {"payoff": [[0, 1], [-1, 0]], "recall": 2}),
        ],
    )
    def test_their_parameters_are_in_their_names(self, name: str, parameters: dict[str, object]) -> None:
        (row,) = rows_of([name])
        options = row.make().options
        assert {name: options[name] for name in parameters} == parameters
        assert not row.depths

    @pytest.mark.slow
    def test_a_game_of_openspiel(self) -> None:
        pytest.importorskip("pyspiel")
        (row,) = rows_of(["openspiel:markov_soccer(horizon=2)"])
        assert not row.param

    def test_learners_that_are_left_out(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        """Returns without a bound, which nash_vi needs."""
        (tmp_path / "endless.py").write_text(ENDLESS)
        (row,) = rows_of([str(tmp_path / "endless.py")])
        assert "nash_vi" not in row.learners
        assert "minimax_q" in row.learners
        assert "nashzoo: nash_vi is left out: " in capsys.readouterr().err
        without = dataclasses.replace(row, learners=())
        assert not {entrant.name for entrant in entrants(without)} & set(self_play_learners())

    @pytest.mark.parametrize(
        ("name", "before", "after"),
        [
            ("endless.py", ENDLESS, f"{ENDLESS}# a comment, or another rule"),
            ("m.csv", "0,1\n-1,0\n", "0,2\n-2,0\n"),
        ],
        ids=["rules", "matrix"],
    )
    def test_results_with_an_earlier_file(self, tmp_path: Path, name: str, before: str, after: str) -> None:
        keys = []
        for text in (before, after):
            (tmp_path / name).write_text(text)
            (row,) = rows_of([str(tmp_path / name)])
            keys.append(row.key)
        assert keys[0] != keys[1]

    def test_a_game_that_is_named_twice_is_measured_once(self) -> None:
        assert len(rows_of([f"{PIG}:target=5", f"{PIG}:target=5"])) == 1
        assert len(rows_of(["tictactoe_v0", "tictactoe_v0"])) == 1

    def test_parameters_are_checked(self) -> None:
        with pytest.raises(ValueError, match="target must be from 2 to 1000, not 1"):
            rows_of([f"{PIG}:target=1"])
        with pytest.raises(TypeError, match="pig_v0 has no parameter goal"):
            rows_of([f"{PIG}:goal=1"])

    @pytest.mark.slow
    def test_the_table_of_one(self, nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        # Of the learners one will do: each is compiled for the game.
        monkeypatch.setattr("nashzoo.app.results.entrants.self_play_learners", lambda *_: ("minimax_q",))
        monkeypatch.setattr("nashzoo.app.results.entrants._models", lambda row, game: [])
        words = "--seeds 1 --timesteps 2000 --processes 1 --quiet"
        out = nashzoo.prints(f"results {PIG}:target=5 {words} --out {tmp_path}")
        assert re.search(r"minimax_q +0\.\d+", out)
        found = {row["player"]: float(row["exploitability"]) for row in rows(tmp_path) if row["exploitability"]}
        assert found["exact solution"] == pytest.approx(0.0, abs=1e-9)
        assert found["random"] > 0.1


class TestFigures:
    def test_they_are_exact_where_they_can_be(self) -> None:
        rivals = {name: agents.make(name, GAME) for name in ("random", "greedy")}
        human = agents.make("human", GAME)
        found = measure(GAME, human, rivals=rivals)
        assert found.exploitability.value == pytest.approx(exploitability(GAME, human), abs=EXACT)
        for name, rival in rivals.items():
            value, error, *_ = found.values[name]
            expected = (evaluate(GAME, human, rival) - evaluate(GAME, rival, human)) / 2  # type: ignore[arg-type]
            assert (value, error) == (pytest.approx(expected, abs=EXACT), 0.0)

    def test_who_remembers_too_much_is_met_in_games(self) -> None:
        game = footsies_v0.game()
        search = agents.make("mcts", game, 0, simulations=20)  # another strategy each time: no policy
        found = measure(game, search, rivals={"counter": agents.make("counter", game)}, games=400)
        assert found.exploitability.value is None and isinstance(found.exploitability.why, NoPolicyError)
        with pytest.raises(NoPolicyError):
            assert found.exploitability.known
        value, error, plain, *_ = found.values["counter"]
        sampled = play_seats(game, search, agents.make("counter", game), 400, 0, solution=solved(game))
        assert plain == sampled.mean != value  # of which luck is subtracted
        assert value == pytest.approx(sampled.adjusted_mean) and error == pytest.approx(sampled.adjusted_error)
        assert 0 < error < sampled.standard_error / 1.1  # it has room for rare events
        assert value <= best_response(game, agents.make("counter", game), 0).value + 5 * error  # type: ignore[arg-type]

    def test_best_responses_are_the_most_that_anybody_wins(self) -> None:
        best = FactsTask(TINY)()["best"]
        assert list(best) == list(scripted(GAME))
        for name, value in best.items():
            both = [best_response(GAME, agents.make(name, GAME, 0), seat).value for seat in (0, 1)]  # type: ignore[arg-type]
            assert value == pytest.approx(sum(both) / 2, abs=EXACT)


@pytest.mark.slow
class TestTheTable:
    def test_everyone_is_measured_against_every_script(self, measured: Path) -> None:
        found = rows(measured)
        members = scripted(GAME)
        for entrant in entrants(TINY):
            mine = [row for row in found if row["player"] == entrant.name]
            assert len(mine) == len(members) * (2 if entrant.seeded else 1)
        # PPO with PSRO leaves a mixture as well, and two networks their most likely actions.
        assert len(found) == (4 * 2 + 1 * 2 + 2 * 2 + 2 + 8 * 2 + 2 + 1 + 3 + 1) * len(members)

    def test_the_exact_solution_loses_to_nobody(self, measured: Path) -> None:
        mine = [row for row in rows(measured) if row["player"] == "exact solution"]
        assert [float(row["exploitability"]) for row in mine] == [0.0] * len(mine)
        assert all(float(row["points_per_game"]) >= 0 for row in mine)

    def test_nobody_wins_more_than_a_best_response_and_learners_learn_from_as_many_decisions(
        self, measured: Path
    ) -> None:
        for row in rows(measured):
            assert float(row["points_per_game"]) <= float(row["best_response"]) + EXACT
            if row["kind"] == "learned":
                # Stable-Baselines3 ends with the rollout, MENACE with a thousand games.
                assert LEARN <= int(row["timesteps"]) < LEARN + 40_000
                assert float(row["seconds"]) >= 0
            else:
                assert row["timesteps"] == row["games"] == row["seconds"] == ""

    def test_the_last_point_of_the_curve_is_the_policys_exploitability(self, measured: Path) -> None:
        store = ResultStore(measured, results.ABOUT)
        entrant = next(entrant for entrant in entrants(TINY) if entrant.name == "PPO")
        found = store[EntrantTask(TINY, entrant, 1, LEARN, None).key]
        assert found["curve"][-1]["exploitability"] == pytest.approx(
            found["players"]["PPO"]["exploitability"], abs=EXACT
        )
        assert found["curve"][-1]["timesteps"] == found["timesteps"]

    def test_seeds_make_different_learners(self, measured: Path) -> None:
        found = {row["seed"]: row["exploitability"] for row in rows(measured) if row["player"] == "PPO"}
        assert len(set(found.values())) == 2

    def test_text_and_pictures_are_written(self, measured: Path) -> None:
        text = (measured / "results.md").read_text()
        assert f"Made by `nashzoo results tictactoe_v0 --seeds 2 --timesteps {LEARN} --out" in text
        assert "## tiny" in text
        assert (measured / "results.png").read_bytes().startswith(b"\x89PNG")

    def test_a_finished_table_is_not_made_again(
        self, measured: Path, tiny: None, monkeypatch: pytest.MonkeyPatch, nashzoo: Command
    ) -> None:
        before = rows(measured)
        monkeypatch.setattr(EntrantTask, "__call__", None)
        out = nashzoo.prints(f"results tictactoe_v0 {TOLD} --out {measured}")
        assert "exact solution 0.000 0." in out and "|" not in out
        assert rows(measured) == before

    def test_others_are_measured_too(self, measured: Path, tiny: None, tmp_path: Path, nashzoo: Command) -> None:
        shutil.copytree(measured, tmp_path / "more")
        named = "human(probability=0.9) minimax(depth=9)"
        out = nashzoo.prints(f"results tictactoe_v0 --agents {named} {TOLD} --out {tmp_path / 'more'}")
        assert "minimax(depth=9)" in out
        exploited = {row["player"]: float(row["exploitability"] or "nan") for row in rows(tmp_path / "more")}
        assert exploited["minimax(depth=9)"] == 0.0 < exploited["human(probability=0.9)"]
        text = (tmp_path / "more" / "results.md").read_text()
        assert "--agents 'human(probability=0.9)' 'minimax(depth=9)' --seeds 2" in text
        code, _, err = nashzoo(f"results tictactoe_v0 --agents counter {TOLD} --out {tmp_path / 'none'}")
        assert code == 2 and "counter plays footsies_v0, not tictactoe_v0" in err and not (tmp_path / "none").exists()

    def test_an_interrupted_table_goes_on(self, measured: Path, tiny: None, tmp_path: Path) -> None:
        about, *lines = (measured / "results.jsonl").read_text().splitlines(keepends=True)
        kept = [line for number, line in enumerate(lines) if number % 4]
        (tmp_path / "results.jsonl").write_text("".join([about, *kept]))
        command.main(("tictactoe_v0",), seeds=2, timesteps=LEARN, processes=1, out=tmp_path)
        again, before = ([row | {"seconds": ""} for row in rows(folder)] for folder in (tmp_path, measured))
        assert again == before


@pytest.mark.slow
def test_everyone_can_learn_for_as_long(tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nashzoo.app.training.sb3_training.FIRST", 2_000)  # enough for the pace of 0.2 seconds
    command.main(("tictactoe_v0",), seeds=1, processes=1, out=tmp_path, seconds=0.2)
    seconds = {row["player"]: float(row["seconds"]) for row in rows(tmp_path) if row["kind"] == "learned"}
    assert set(seconds) >= {"PPO", "MENACE"}
    assert all(took < 5.0 for took in seconds.values()), seconds
    assert all(seconds[name] > 0.05 for name in ("PPO", "MENACE", "wolf_phc"))  # others find the equilibrium sooner
    assert "--seeds 1 --seconds 0.2 --out" in (tmp_path / "results.md").read_text()


@pytest.mark.parametrize(
    ("budget", "processes", "ray", "text"),
    [
        ((None, 60.0), 4, None, "20 learning runs of 60 s take at least 8 min in 4 processes; compiling, searching"),
        (
            (None, 60.0),
            100,
            None,
            "20 learning runs of 60 s take at least 4 min in 100 processes; compiling, searching",
        ),
        ((1000, None), 4, None, "20 learning runs of 1,000 decisions in 4 processes; compiling"),
        ((None, 2.0), 4, None, "20 learning runs of 2 s take at least 16 s in 4 processes; compiling, searching"),
        (
            (None, 6000.0),
            1,
            None,
            "20 learning runs of 6000 s take at least 3,200 min in 1 process; compiling, searching",
        ),
        ((None, 60.0), None, "local", "20 learning runs of 60 s"),
        (
            (300_000, None),
            4,
            None,
            "20 learning runs of 300,000 decisions take at least 48 s in 4 processes; compiling",
        ),
    ],
)
def test_the_time_that_learning_takes_is_said_before(
    budget: tuple[int | None, float | None], processes: int | None, ray: str | None, text: str
) -> None:
    entrant, search = (next(one for one in entrants(TINY) if one.kind == kind) for kind in ("learned", "searched"))
    longer = dataclasses.replace(entrant, times=4)
    timesteps, seconds = budget
    tasks = [
        EntrantTask(TINY, one, seed, timesteps, None, seconds)
        for one, count in ((entrant, 16), (longer, 4), (search, 9))
        for seed in range(count)
    ]
    assert budget_text([*tasks, FactsTask(TINY)], processes, ray).startswith(text)
    assert budget_text([task for task in tasks if task.entrant is search], processes, ray) == ""


def test_compilation_does_not_shorten_the_budget(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sb3_training = pytest.importorskip("nashzoo.app.training.sb3_training")
    asked: list[float] = []

    class Model:
        def __init__(self, options: Options, game: object) -> None: ...

        def learn(self, game: object, seed: int, schedule: Schedule, run: Run, visit: Visit) -> None:
            asked.append(schedule.timesteps)
            run.effort.seconds = schedule.timesteps / 10_000 + (25.0 if len(asked) == 1 else 0.0)
            visit(Checkpoint(SimpleNamespace(num_timesteps=schedule.timesteps), None, due=False))

    monkeypatch.setattr(sb3_training, "ModelContestant", Model)
    for _ in range(2):
        run = Run(tmp_path, {})
        assert sb3_training.decisions_in(60.0, Options("footsies_v0"), TINY, run) == run.total == 600_000
        assert asked == [2_000, 20_000, 80_000], "the number is kept"


class TestText:
    TABLE = GameTable(
        ResultsRow("throws", "roshambo_v0", stake=10.0),
        [
            EntrantResult(
                "PPO", "learned", "transitions", seed, {"exploitability": found, "values": {"copy": [won, error]}}, made
            )
            for seed, found, won, error in ((0, 2.0, 5.0, 0.0), (1, 4.0, 6.0, 0.5))
            for made in ({"timesteps": 1000, "games": 20, "seconds": 3.0, "curve": []},)
        ]
        + [
            EntrantResult(*who, 0, {"exploitability": found, "values": {"copy": [0.0, 0.0]}}, {})
            for *who, found in (("copy", "scripted", "", 9.0), ("exact solution", "exact", "the rules", None))
        ],
        {"copy": 9.0},
    )

    def test_means_and_spreads_are_over_seeds(self) -> None:
        # The mean of 2 and 4 is 3, their standard deviation the square root of 2; of 5 and 6, 5.5 and that of 1/2.
        rows = game_table(self.TABLE)
        assert ["PPO", "3.000 ± 1.414", "5.500 ± 0.707*", "1,000 decisions", "3"] in rows
        assert ["copy", "9.000", "0.000", "", ""] in rows
        assert "| PPO | 3.000 ± 1.414 | 5.500 ± 0.707* | 1,000 decisions | 3 |" in as_markdown([self.TABLE], "")

    def test_in_the_picture_of_one_game_titles_are_whole_and_apart(self, monkeypatch: pytest.MonkeyPatch) -> None:
        drawn: list[Figure] = []
        monkeypatch.setattr("nashzoo.arena.pictures.write_each", lambda figure, path: drawn.append(figure))
        draw_overview([self.TABLE], Path("results"))
        (figure,) = drawn
        FigureCanvasAgg(figure).draw()
        seen = figure.get_suptitle().replace("\n", " ")
        assert seen == (
            "PPO wins 0.55 of the stake from the scripted players, no player more, "
            "and loses 0.30 of it to best responses."
        )
        boxes = {text.get_text(): text.get_window_extent() for text in figure.findobj(Text)}
        left, right = boxes["loses to best responses"], boxes["wins from the scripted players"]
        assert left.x1 < right.x0 and right.x1 <= figure.bbox.x1

    def test_the_picture_of_several_games_has_the_players_of_all_of_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        drawn: list[Figure] = []
        monkeypatch.setattr("nashzoo.arena.pictures.write_each", lambda figure, path: drawn.append(figure))
        one = self.TABLE
        other = one._replace(row=dataclasses.replace(one.row, stake=20.0), measured=one.measured[:2])
        draw_overview([one, other], Path("results"))
        left, right = drawn[0].axes
        assert [label.get_text() for label in left.get_yticklabels()] == ["PPO"]
        # 3 points of 10 and of 20 are lost, 5.5 are won.
        assert [bar.get_width() for axes in (left, right) for bar in axes.patches] == pytest.approx([0.225, 0.4125])

    def test_plain_points_are_in_the_csv_where_luck_was_subtracted(self) -> None:
        who = "PPO", "learned", "transitions"
        measured = [
            EntrantResult(*who, seed, {"exploitability": None, "values": {"copy": [2.0, 0.5, *plain]}}, {})
            for seed, plain in ((0, [3.25]), (1, []))
        ]
        lines = list(csv.DictReader(as_csv([self.TABLE._replace(measured=measured)]).splitlines()))
        assert [line["plain_points_per_game"] for line in lines] == ["3.250000000", ""]
        assert [line["points_per_game"] for line in lines] == ["2.000000000"] * 2

    def test_a_row_for_scripts_is_there_if_there_are_some(self) -> None:
        without = self.TABLE._replace(measured=[one for one in self.TABLE.measured if one.kind != "scripted"])
        assert "least exploitable script" not in [name for name, *_ in overview([without])]
        assert "least exploitable script" in [name for name, *_ in overview([without, self.TABLE])]

    def test_the_overview_is_in_shares_of_the_stake(self) -> None:
        rows = overview([self.TABLE])
        assert ["PPO", "transitions", "0.300 ± 0.141"] in rows
        assert ["least exploitable script", "by hand", "0.900"] in rows
        assert ["exact solution", "the rules", "-"] in rows  # not known here


def test_without_a_game_it_says_what_is_known_and_begins_no_work(
    nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nashzoo.arena.tasks.run_missing", None)
    out = nashzoo.prints(f"results --out {tmp_path / 'out'}")
    (scores,) = (one.scores for one in reference() if (one.learner, one.size.title) == ("PPO", "Roshambo"))
    assert f" Roshambo {sum(scores) / len(scores):.3f} ± " in out
    assert "Name a game" in out and "about 3 minutes" in out
    assert not (tmp_path / "out").exists()


class TestWrongUse:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("chess_v0", "there is no game 'chess_v0'"),
            ("--seeds 0", "seeds must be a whole number from 1 to 10000, not 0"),
            ("--timesteps 0", "timesteps must be a whole number of at least 1, not 0"),
            ("--seconds 0", "seconds must be"),
            ("--agents random", "name the games to measure in, such as footsies_v0"),
            ("--json", "name the games"),
            ("--seconds 5 --timesteps 100", "learners learn for so many seconds or from so many decisions"),
        ],
    )
    def test_it_is_told_in_one_line(self, nashzoo: Command, tmp_path: Path, words: str, message: str) -> None:
        assert message in nashzoo.refused(f"results {words} --out {tmp_path / 'out'}")
        assert not (tmp_path / "out").exists()

    def test_a_missing_library_is_told_before_the_work(
        self, nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def missing() -> None:
            raise MissingPackageError("pictures need matplotlib")

        monkeypatch.setattr("nashzoo.arena.pictures.need_matplotlib", missing)
        told = nashzoo.refused(f"results tictactoe_v0 {TOLD} --out {tmp_path / 'out'}")
        assert told == "pictures need matplotlib" and not (tmp_path / "out").exists()


COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "results"


def told() -> tuple[list[str], int, float]:
    """Returns games, seeds and seconds of the command that made the committed table."""
    text = (COMMITTED / "results.md").read_text()
    command = re.search(r"nashzoo results (.*)--seeds (\d+) --seconds (\d+) --out docs/results", text)
    assert command is not None
    return command[1].split(), int(command[2]), float(command[3])


@pytest.fixture(scope="module")
def committed() -> list[GameTable]:
    store = ResultStore(COMMITTED, results.ABOUT)
    games, seeds, seconds = told()
    tables = []
    for row in rows_of(games):  # players that came later have no rows yet
        tasks = [task for task in tasks_of(row, seeds, None, Path(), seconds) if task.key in store]
        tables.append(table_of(row, tasks, store))
    return tables


class TestTheCommittedTable:
    """What ``docs/results`` says is what its results say, and what needs no chance comes out again."""

    @pytest.mark.slow
    def test_text_and_csv_say_what_was_measured(self, committed: list[GameTable]) -> None:
        text = (COMMITTED / "results.md").read_text()
        command = text[text.index("`") + 1 : text.index("`.")]
        assert as_markdown(committed, command) == text
        assert as_csv(committed) == (COMMITTED / "results.csv").read_text()
        assert told()[1] >= 3

    @pytest.mark.parametrize("game", ["footsies_v0", "tictactoe_v0"])
    def test_what_needs_no_chance_comes_out_again(self, committed: list[GameTable], game: str) -> None:
        (table,) = (one for one in committed if one.row.game == game)
        made = table.row.make()
        rivals = {name: agents.make(name, made, 0) for name in scripted(made)}
        for name in ("random", "exact solution", *(["greedy", "human"] if made.turn_based else ["counter"])):
            (one,) = table.of(name)
            player = agents.make("nash" if name == "exact solution" else name, made, 0)
            found = measure(made, player, rivals={"random": rivals["random"]}).stored
            assert one.figures["exploitability"] == pytest.approx(found["exploitability"], abs=EXACT)
            assert one.figures["values"]["random"] == pytest.approx(found["values"]["random"], abs=EXACT)
