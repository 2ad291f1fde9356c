"""Learners of others: by class, by file, by name, and by the entry points of a package."""

import contextlib
import importlib.metadata
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import Command
from nashzoo import agents
from nashzoo.agents import registry
from nashzoo.agents.learning.own_class import learner_of
from nashzoo.agents.learning.tabular import learner as tabular
from nashzoo.agents.learning.tabular.minimax_q import MinimaxQ
from nashzoo.app.training.options import Options
from nashzoo.baselines import exploitability
from nashzoo.envs import Game, footsies_v0, make_game, matrix_game
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.base.modules import class_at
from processes import PATIENCE
from training import report_of

GAME = footsies_v0.game()
EXAMPLE = textwrap.dedent((tabular.__doc__ or "").partition("::\n\n")[2])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The example of the documentation, in a file in the present folder."""
    (tmp_path / "fictitious.py").write_text(EXAMPLE)
    monkeypatch.chdir(tmp_path)
    return "./fictitious.py:FictitiousPlay"


@pytest.fixture(autouse=True)
def unregistered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "LEARNERS", dict(registry.LEARNERS))
    monkeypatch.setattr("nashzoo.app.training.train.write_picture", lambda report, path: None)  # which takes a second
    yield
    registry._learners_of_others.cache_clear()


def test_the_page_has_the_example_of_the_docstring() -> None:
    page = (Path(__file__).parents[2] / "docs" / "own_learner.md").read_text()
    block = re.search(r"^```py\n# fictitious\.py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert block is not None and block[1].strip() == EXAMPLE.strip()


@pytest.mark.slow
def test_train_and_results_take_a_class_in_a_file(place: str, nashzoo: Command, tmp_path: Path) -> None:
    line = f"train footsies_v0 --algorithm {place} --games 2 --report-seconds {PATIENCE} --out run"
    report = nashzoo.json(f"{line} --timesteps 30000")
    assert (report["algorithm"], report["unit"]) == ("FictitiousPlay", "backups")
    assert report["exploitability"] < 0.1  # it depends on how ties are rounded: 0.01 to 0.03 on several processors
    nashzoo.prints(f"{line} --timesteps 31000 --resume")
    file = f"run/learner.safetensors(algorithm={place})"
    again = report_of(tmp_path / "run")["exploitability"]
    assert exploitability(GAME, agents.as_agent(file, GAME)) == pytest.approx(again, abs=1e-9)
    assert Options("footsies_v0", algorithm=place).folder() == Path("runs/footsies_v0-FictitiousPlay-self-0")


def test_a_table_of_results_has_its_rows(place: str) -> None:
    from nashzoo.app.results.entrants import entrants, rows_of
    from nashzoo.app.results.results import EntrantTask, tasks_of

    (row,) = rows_of(["footsies_v0"])
    (entrant,) = (one for one in entrants(row, others=[place, place]) if one.name == "FictitiousPlay")
    assert (entrant.given, entrant.unit) == ("a simulator", "backups")

    def tasks() -> list[EntrantTask]:
        made = tasks_of(row, 1, 500, None, learners=[place])
        return [task for task in made if isinstance(task, EntrantTask) and task.entrant.name == "FictitiousPlay"]

    (task,) = tasks()
    key = task.key
    assert task()["players"]["FictitiousPlay"]["exploitability"] < 0.5
    Path("fictitious.py").write_text(EXAMPLE + "\n# changed\n")
    assert tasks()[0].key != key  # results of an earlier file are not reused


TWO_METHODS = '''
import numpy as np


class Leaning:
    """Plays action 0 the less, the more it has learned."""

    NAME, GIVEN, UNIT = "a leaning one", "nothing", "moves"

    def __init__(self, game, seed, half=1000.0, total_timesteps=0):
        self.half, self.total, self.num_timesteps = half, total_timesteps, 0

    def learn(self, num_timesteps):
        self.num_timesteps += num_timesteps + 1

    def action_probabilities(self, observations, action_masks):
        weights = action_masks.astype(float)
        weights[:, 0] *= 1.0 + 8.0 * 0.5 ** (self.num_timesteps / self.half)
        return weights / weights.sum(axis=1, keepdims=True)


class Kept(Leaning):
    def save(self, path):
        path.write_text(str(self.num_timesteps))

    @classmethod
    def load(cls, path, game, seed):
        made = cls(game, seed)
        made.num_timesteps = int(path.read_text())
        return made


class Unlearning(Leaning):
    def learn(self, num_timesteps): ...


class Without: ...


class Alone:
    def __init__(self, game): ...
    def learn(self, num_timesteps): ...
'''


@pytest.fixture
def two_methods(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Classes of two methods, in a file in the present folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(TWO_METHODS)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Leaning", "Kept"])
def test_train_takes_a_class_of_two_methods(two_methods: Path, nashzoo: Command, name: str) -> None:
    line = f"train footsies_v0 --algorithm ./mine.py:{name} --games 2 --report-seconds {PATIENCE} --out run"
    report = nashzoo.json(f"{line} --timesteps 1000 --measure-every 500 --setting half=500")
    assert (report["algorithm"], report["unit"], report["timesteps"] >= 1000) == (name, "moves", True)
    own = class_at(f"./mine.py:{name}")(GAME, 0, half=500)
    own.num_timesteps = report["timesteps"]
    assert report["exploitability"] == pytest.approx(exploitability(GAME, own), abs=1e-9)
    saved = agents.as_agent(f"run/learner.safetensors(algorithm=./mine.py:{name})", GAME)
    expected = own if name == "Leaning" else class_at("./mine.py:Kept")(GAME, 0)  # whose load knows no settings
    expected.num_timesteps = own.num_timesteps
    assert exploitability(GAME, saved) == pytest.approx(exploitability(GAME, expected), abs=1e-9)
    with pytest.raises(UsageError, match=r"has no save") if name == "Leaning" else contextlib.nullcontext():
        registry.self_play_learner(f"./mine.py:{name}").load("run/learner.safetensors", GAME, 0).learn(10)


def test_the_same_class_is_a_learner_of_results_and_of_check_trainer(two_methods: Path) -> None:
    from nashzoo.app.commands.check_trainer import trainer_at
    from nashzoo.app.results.entrants import entrants, rows_of
    from nashzoo.app.results.results import EntrantTask

    (row,) = rows_of(["footsies_v0"])
    (entrant,) = (one for one in entrants(row, others=["./mine.py:Leaning"]) if one.name == "a leaning one")
    assert (entrant.given, entrant.unit) == ("nothing", "moves")
    result = EntrantTask(row, entrant, 0, 2000, None)()
    learned = trainer_at("./mine.py:Leaning")(GAME, 2000, 0)
    same = class_at("./mine.py:Leaning")(GAME, 0)
    for timesteps, measured in (
        (2001, exploitability(GAME, learned)),
        (result["timesteps"], result["players"]["a leaning one"]["exploitability"]),
    ):
        same.num_timesteps = timesteps
        assert measured == pytest.approx(exploitability(GAME, same), abs=1e-9)


def test_cards_are_saved_as_a_table_and_large_games_are_not(two_methods: Path) -> None:
    kind = registry.self_play_learner("./mine.py:Leaning")
    kuhn, large = make_game("nashzoo.examples.kuhn"), make_game("bodega_brawl_v0", preset="large")
    learner = kind(kuhn, 0)
    learner.learn(500)
    learner.save("kuhn.safetensors")
    own = class_at("./mine.py:Leaning")(kuhn, 0)
    own.num_timesteps = learner.num_timesteps
    assert exploitability(kuhn, kind.load("kuhn.safetensors", kuhn, 0)) == pytest.approx(exploitability(kuhn, own))
    kind(large, 0).save("large.safetensors")
    with pytest.raises(UsageError, match=r"large.safetensors holds no policy: a leaning one has no save\(path\)"):
        kind.load("large.safetensors", large, 0)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Without", r"Without has no learn\(num_timesteps\); a learner is made from a game and a seed"),
        ("Alone", "Alone is not made from a game and a seed: too many positional arguments"),
        ("Unlearning", r"learn\(10\) learned from nothing: num_timesteps, which counts the moves, is 0 as before"),
    ],
)
def test_classes_that_do_not_learn_are_refused(two_methods: Path, name: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        registry.self_play_learner(f"./mine.py:{name}")(GAME, 0).learn(10)


def test_a_registered_learner_is_known_by_name(place: str, nashzoo: Command) -> None:
    kind: Any = class_at(place)
    made = kind(GAME)
    made.learn(1_000)
    made.save("mine.safetensors")
    with pytest.raises(UsageError, match=r"mine.safetensors was learned by FictitiousPlay, which is not registered"):
        agents.as_agent("mine.safetensors", GAME)
    agents.register_learner(kind, title="Fictitious play")
    agents.register_learner(kind)
    assert type(agents.as_agent("mine.safetensors", GAME)) is kind
    assert nashzoo.json("list")["learners"]["FictitiousPlay"]["learns_from"] == "a simulator"
    assert "FictitiousPlay" in registry.self_play_learners() and "FictitiousPlay" not in agents.names(GAME)


def test_a_package_has_learners(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def points(group: str) -> list[importlib.metadata.EntryPoint]:
        learners = {"mine": "fictitious:FictitiousPlay", "ppo": "fictitious:FictitiousPlay", "lost": "nowhere:Nothing"}
        known = learners if group == "nashzoo.learners" else {}
        return [importlib.metadata.EntryPoint(name, value, group) for name, value in known.items()]

    monkeypatch.syspath_prepend(".")
    monkeypatch.setattr(registry, "entry_points", points)
    registry._learners_of_others.cache_clear()
    with pytest.warns(UserWarning) as warned:
        assert registry.self_play_learner("mine").NAME == "mine"
    texts = [str(one.message) for one in warned]
    assert len(texts) == 2 and "there is a learner ppo already" in texts[0] and "learner lost" in texts[1]


class Ppo(MinimaxQ):
    NAME = "ppo"


class Nash(MinimaxQ):
    NAME = "nash"


class Odd(MinimaxQ):
    NAME = "a/b"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nash_iv", r"there is no learner 'nash_iv' \(did you mean nash_vi\?\); the learners are ppo, a2c"),
        ("nowhere.learners:Mine", "there is no module nowhere"),
        ("./nowhere.py:Mine", r"there is no file .*nowhere\.py"),
        ("nashzoo.agents:Mine", "nashzoo.agents has no class or function Mine"),
        ("nashzoo.agents:Agent", r"Agent has no learn\(num_timesteps\)"),
        ("nashzoo.agents.learning.tabular.learner:TabularLearner", "TabularLearner lacks action_probabilities, make_"),
        (f"{__name__}:Ppo", "there is a learner ppo already; choose another NAME"),
        (f"{__name__}:Nash", "there is a player nash already; choose another NAME"),
        (f"{__name__}:Odd", "the name of a learner has letters, digits and _ alone, not 'a/b'"),
        ("qrdqn", "qrdqn is not trained here"),
    ],
)
def test_what_is_no_learner_is_refused(name: str, message: str, nashzoo: Command) -> None:
    assert re.match(message, nashzoo.refused(f"train footsies_v0 --algorithm {name}"))


def test_a_class_without_a_name_of_its_own_is_another_learner() -> None:
    class Mine(MinimaxQ):
        pass

    assert Mine.NAME == "Mine"
    with pytest.raises(UsageTypeError, match=r"3 has no learn\(num_timesteps\)"):
        agents.register_learner(3)  # type: ignore[arg-type]


def test_a_policy_that_changes_in_place_is_read_anew_after_learning() -> None:
    class Turned:
        """A table that plays the first action, and once it has learned the second."""

        def __init__(self, game: Game, seed: int) -> None:
            self.policy = {tuple(game.observe(game.first_decision, k).tolist()): [1.0, 0.0] for k in range(2)}

        def learn(self, num_timesteps: int) -> None:
            self.policy.update({seen: [0.0, 1.0] for seen in self.policy})

    game = matrix_game([[1, 0], [0, 1]])
    learner, asked = learner_of(Turned)(game, 0), (game.observe(game.first_decision, 0)[None], np.ones((1, 2), np.int8))
    assert learner.action_probabilities(*asked).tolist() == [[1.0, 0.0]]
    learner.learn(5)
    assert learner.action_probabilities(*asked).tolist() == [[0.0, 1.0]]
