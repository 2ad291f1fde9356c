"""Training in a game with learners of its own: they are measured after as many games against the same opponent."""

from pathlib import Path
from typing import Any

import pytest

import oshi_zumo
from nashzoo import agents
from nashzoo.agents.learning.menace.agent import MenaceAgent
from nashzoo.agents.learning.menace.boxes import Boxes
from nashzoo.agents.learning.menace.training import Lessons, Training
from nashzoo.app.training import train
from nashzoo.app.training.options import Options
from nashzoo.baselines import exploitability
from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.core.seeds import derived
from training import SHORT, trained

GAME = tictactoe_v0.game()


def run(folder: Path, **options: Any) -> dict[str, Any]:
    return trained(folder, **{"game": "tictactoe_v0", **SHORT} | options)


def test_who_learns() -> None:
    assert agents.learners(GAME) == ("menace",)
    assert agents.learners(footsies_v0.game()) == ()


@pytest.mark.slow
@pytest.mark.parametrize(("player", "side", "seats"), [("0", "crosses", (0,)), ("random", "both", (0, 1))])
def test_menace_plays_as_many_games(tmp_path: Path, player: str, side: Any, seats: tuple[int, ...]) -> None:
    report = run(tmp_path, opponent="random", player=player, seed=3)
    assert report["algorithm"] == "maskable_ppo"
    games = [point["games"] for point in report["curve"]]
    assert (games[0], games[-1]) == (0, report["games"])
    assert 2048 / 5 - 16 < games[-1] < 2048 / 3  # a game takes a player three to five moves
    boxes = Boxes()
    training = Training(boxes, Lessons("random", side=side, seed=derived(3, 0)))
    for point in report["curve"]:
        training.run(point["games"] - training.games)
        agent = MenaceAgent(GAME, boxes=boxes)
        expected = sum(exploitability(GAME, agent, player=seat) for seat in seats) / len(seats)
        assert point["exploitability_of_menace"] == pytest.approx(expected)
    assert report["learners"] == {"menace": report["curve"][-1]["exploitability_of_menace"]}


@pytest.mark.slow
def test_going_on_counts_on(tmp_path: Path) -> None:
    before = run(tmp_path, opponent="perfect")
    after = run(tmp_path, opponent="perfect", timesteps=4096, resume=True)
    assert after["curve"][: len(before["curve"])] == before["curve"]
    assert 1.5 < after["games"] / before["games"] < 2.5
    assert after["games"] > before["games"]


@pytest.mark.slow
def test_dqn_counts_games_too_and_menace_is_measured_as_an_opponent(tmp_path: Path) -> None:
    report = run(tmp_path, opponent="menace", algorithm="dqn")
    assert report["games"] >= 2048 / 5 - 16
    row = report["rows"]["menace"]
    assert row["exact_value"] <= row["best_response_value"] == pytest.approx(report["optimum"])


@pytest.mark.slow
def test_without_a_policy_to_learn_from_nobody_is_measured(tmp_path: Path) -> None:
    report = run(tmp_path, opponent="mcts", timesteps=512, measure_every=100_000)
    assert report["learners"] == {}
    assert set(report["curve"][-1]) == {"seconds", "timesteps", "games", "value", "exploitability"}


@pytest.mark.slow
def test_what_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = train.train(Options("tictactoe_v0", opponent="random", run_dir=tmp_path, **SHORT))
    report.show()
    said = " ".join(capsys.readouterr().out.split())
    figure = report.learners["menace"]
    assert f"Of menace after as many games, {report.games:,}, against random: {figure:.6f}. Of perfect play: 0." in said


def test_several_teachers_teach_in_turns() -> None:
    """They are drawn for every game, and what is learned counts as many decisions as marks were made."""
    mixture = agents.as_agent({"random": 1, "perfect": 3}, GAME)
    learner = MenaceAgent.untaught(GAME, mixture, "random", seed=5)
    lessons: list[tuple[Training, int]] = []
    for training in learner._classes:
        taught = training.run
        training.run = lambda games, taught=taught, who=training: (lessons.append((who, games)), taught(games))[1]  # type: ignore[assignment, misc]
    decisions = learner.learn(400)
    assert sum(games for _, games in lessons) == 400
    second = sum(games for who, games in lessons if who is learner._classes[1])
    assert abs(second - 300) < 50
    assert 400 * 2 <= decisions <= 400 * 5
    again = MenaceAgent.untaught(GAME, mixture, "random", seed=5)
    assert sum(again.learn(games) for games in (150, 250)) == decisions
    assert (again.boxes.beads == learner.boxes.beads).all()


def test_decisions_are_the_marks_that_it_made() -> None:
    boxes = MenaceAgent(GAME, games=0).boxes
    for side, most in (("crosses", 5), ("noughts", 4)):
        games = Training(boxes, Lessons("random", side=side)).run(50)  # type: ignore[arg-type]
        mine = [(plies + 1) // 2 if side == "crosses" else plies // 2 for plies in games.plies.tolist()]
        assert games.decisions == sum(mine) <= 50 * most


@pytest.mark.slow
def test_games_without_end_do_not_keep_the_report_waiting(tmp_path: Path) -> None:
    # Good players may both bid nothing, for 1,000 steps; and nobody plays so many games in 4 seconds.
    chosen = {"game": oshi_zumo.__file__, "algorithm": "minimax_q", "timesteps": 2000, "report_seconds": 4.0}
    report = run(tmp_path / "run", **chosen, num_envs=None, games=100_000_000)
    played = {name: row["games"] for name, row in report["rows"].items()}
    assert played.get("mcts", 0) < report["games_each"] == 100_000_000
    assert ("mcts" in played) != any("games against" in text and "mcts" in text for text in report["late"])
