"""Players against a population: the three measures, results that are kept, and the command."""

import csv
from pathlib import Path

import numpy as np
import pytest

from command import Command
from nashzoo import agents
from nashzoo.app.commands.population import scores_table
from nashzoo.arena.population import Evaluation, Score, evaluate_population, members_of
from nashzoo.baselines import evaluate
from nashzoo.envs import footsies_v0, roshambo_v0
from nashzoo.envs.core.game import Floats

GAME = roshambo_v0.game(rounds=9)
BOTS = {
    "rock": "output = 'R'",
    "paper": "output = 'P'",
    "scissors": "output = 'S'",
    "crash": "output = 'R'\nif input: 1 / 0",
}


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    folder = tmp_path / "bots"
    folder.mkdir()
    for name, source in BOTS.items():
        (folder / f"{name}.py").write_text(source)
    return folder


def test_the_three_measures() -> None:
    score = Score(("a", "b", "c"), np.array([10.0, -4.0, 3.0]), np.array([3.0, 4.0, 0.0]))
    assert score.population_return == 3
    assert score.population_return_error == pytest.approx(5 / 3)
    assert score.exploitability == 4
    assert score.aggregate == -1
    beats_all = Score(("a", "b"), np.array([10.0, 2.0]), np.zeros(2))
    assert (beats_all.exploitability, beats_all.aggregate, beats_all.exploitability_bias) == (-2, 8, 0)


@pytest.mark.parametrize(("members", "expected"), [(1, 0.0), (2, 0.5642), (5, 1.1630), (43, 2.1882)])
def test_the_bias_of_the_maximum(members: int, expected: float) -> None:
    """With equal means it is the expected maximum of as many standard normal numbers.

    Source: Harter (1961), Expected values of normal order statistics; 43 by numerical integration.
    """
    score = Score(("x",) * members, np.zeros(members), np.ones(members))
    assert score.exploitability_bias == pytest.approx(expected, abs=0.03)


@pytest.mark.slow
def test_points_are_those_of_the_matches(bots: Path) -> None:
    rock, crash, paper, scissors = (str(bots / f"{name}.py") for name in ("rock", "crash", "paper", "scissors"))
    members = members_of(GAME, str(bots))
    assert members == tuple(sorted([rock, crash, paper, scissors]))
    evaluation = evaluate_population(GAME, [rock, crash], members, 3, processes=1)
    assert evaluation.scores[rock].members == (crash, paper, scissors)
    assert evaluation.scores[rock].means.tolist() == [8, -9, 9]
    assert evaluation.scores[crash].members == (paper, rock, scissors)
    assert evaluation.scores[crash].means.tolist() == [-9, -8, -8], "It lost its lead, and all other rounds."
    assert len(evaluation.forfeits) == 3 + 9
    assert set(evaluation.forfeits) == {"crash.py lost a match in round 2: ZeroDivisionError: division by zero"}


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_processes_and_are_kept(bots: Path, tmp_path: Path) -> None:
    (bots / "chance.py").write_text("import random\noutput = random.choice('RPS')")
    members, folder = members_of(GAME, str(bots)), tmp_path / "kept"
    alone = evaluate_population(GAME, ["random"], members, 13, seed=4, processes=1)
    other_seed = evaluate_population(GAME, ["random"], members, 13, seed=5, processes=1)
    progress: list[tuple[int, int]] = []
    together = evaluate_population(
        GAME, ["random"], members, 13, 4, folder, 2, lambda done, tasks: progress.append((done, tasks))
    )
    assert alone.scores["random"].means.tolist() == together.scores["random"].means.tolist()
    assert alone.scores["random"].means.tolist() != other_seed.scores["random"].means.tolist()
    assert progress == [(done, 10) for done in range(11)]

    about, *results = (folder / "results.jsonl").read_text().splitlines(keepends=True)
    lost = next(result for result in results if "chance" in result)
    (folder / "results.jsonl").write_text("".join([about, *(result for result in results if result != lost)]))
    progress.clear()
    again = evaluate_population(
        GAME, ["random"], members, 13, 4, folder, 1, lambda done, tasks: progress.append((done, tasks))
    )
    assert again.scores["random"].means.tolist() == alone.scores["random"].means.tolist()
    assert progress == [(9, 10), (10, 10)]


def test_populations_that_there_are_not(tmp_path: Path) -> None:
    for folder, message in (("nowhere", "a folder of scripts; nowhere is none"), (str(tmp_path), "there is no file")):
        with pytest.raises(ValueError, match=message):
            members_of(GAME, folder)
    for player, matches, message in (
        ("nobody", 2, "there is no player 'nobody'"),
        ("random", 1, "matches must be a whole number of at least 2, not 1"),
        ("random", 2, "nobody is in the population but random, who does not play itself"),
    ):
        with pytest.raises(ValueError, match=message):
            evaluate_population(GAME, [player], ["random"], matches)


def test_scripted_players_are_those_of_the_game() -> None:
    assert members_of(footsies_v0.game(), "scripted") == ("random", "counter", "bayesian", "bluff", "markov")


@pytest.mark.slow
def test_the_command(bots: Path, tmp_path: Path, nashzoo: Command) -> None:
    rock = bots / "rock.py"
    printed = nashzoo.prints(
        f"population roshambo_v0 --agent random {rock} --param rounds=9 --population {bots} --matches 2 --processes 1"
    )
    assert "crash.py lost a match in round 2: ZeroDivisionError: division by zero (4 times)" in printed
    with (tmp_path / "population" / "population.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 4 + 3
    points = {
        Path(line["member"]).stem: float(line["points_per_match"]) for line in lines if line["player"] == str(rock)
    }
    assert points == {"crash": 8, "paper": -9, "scissors": 9}
    assert (tmp_path / "population" / "population.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("plain", "below"), [(None, ""), (np.array([3.0, -2.0]), "\nplain 0.50")])
def test_the_table_says_who_is_hardest(plain: Floats | None, below: str) -> None:
    score = Score(("bots/a.py", "openspiel:b"), np.array([3.0, -1.5]), np.array([0.1, 0.2]), plain)
    table = scores_table(Evaluation(GAME, 10, ("bots/a.py", "openspiel:b"), {"mixture": score}, ()))
    cells = {str(column.header): next(iter(column.cells)) for column in table.columns}
    assert cells.pop("its bias") == f"{score.exploitability_bias:.2f}"
    assert cells == {
        "player": "mixture",
        "return": f"0.75 ± 0.11{below}",
        "exploitability": "1.50 ± 0.20",
        "aggregate": "-0.75",
        "hardest member": "b",
    }


def test_scores_are_luck_adjusted_on_request(tmp_path: Path) -> None:
    game = footsies_v0.game()
    match = game, ["nash"], ["random", "counter"], 100
    plain, adjusted, again = (
        evaluate_population(*match, processes=1, folder=folder, luck_adjusted=luck).scores["nash"]
        for folder, luck in ((None, False), (tmp_path, True), (tmp_path, True))
    )
    assert plain.plain_means is None and adjusted.plain_means is not None
    assert adjusted.plain_means.tolist() == plain.means.tolist()
    assert again.means.tolist() == adjusted.means.tolist() != plain.means.tolist()
    assert (adjusted.errors < plain.errors / 3).all()
    nash = agents.make("nash", game)
    for member, mean, error in zip(adjusted.members, adjusted.means, adjusted.errors, strict=True):
        assert abs(mean - evaluate(game, nash, agents.make(member, game))) < 4 * error
