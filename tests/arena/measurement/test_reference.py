"""The stored outcomes of nashzoo's own learners, and that they are those of the table of results."""

import csv
import json
from collections import defaultdict

import pytest

from nashzoo.arena.measure import SOLVED
from nashzoo.arena.measurement import protocol
from nashzoo.arena.measurement.outcomes import RunOutcome, SizeOutcome
from nashzoo.arena.measurement.protocol import HIDDEN, OPEN
from nashzoo.arena.measurement.reference import FILE, others_than, outcomes_in, reference
from studies.bench_reference import PAGE, POINTS, SEEDS, TABLES, as_json, merged, table
from studies.tables import DOCS, with_block

MOST = 900_000  # bytes
EXACT = 1e-9
DIGITS = 1e-5  # relative, of six digits


def test_the_scores_are_those_of_the_table_of_results() -> None:
    """Those with three seeds, where the last policy could be measured, which is so but for a few runs in soccer."""
    known: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    with (DOCS / "results" / "results.csv").open() as file:
        for row in csv.DictReader(file):
            if row["exploitability"]:
                known[row["game"], row["player"]][int(row["seed"])] = float(row["exploitability"])
    games = {one.size.title: repr(one.size.make()) for one in reference() if one.learner == "PPO"}
    compared = 0
    for one in (one for one in reference() if len(one.runs) == SEEDS):
        figures = known[games[one.size.title], one.learner]
        for run, score in zip(one.runs, one.scores, strict=True):
            if run.seed in figures:
                points = pytest.approx(figures[run.seed], rel=DIGITS, abs=EXACT)
                assert score * one.size.stake == points, (one.learner, run.seed)
                compared += 1
    assert compared >= 136


def test_learners_that_reach_the_equilibrium_do_so_with_the_seeds_of_the_protocol_too() -> None:
    small = {size.title for size in OPEN.sizes if size.small}
    for learner in ("value_iteration", "minimax_q", "nash_vi"):
        games = {one.size.title: one for one in reference() if one.learner == learner}
        assert small <= games.keys()
        for title in small:
            assert [run.seed for run in games[title].runs] == list(range(protocol.SEEDS))
            assert max(games[title].scores) <= SOLVED


def test_it_has_the_learners_themselves_with_the_budget_of_the_protocol() -> None:
    learners = {one.learner for one in reference()}
    assert {"minimax_q", "nash_vi", "PPO", "policy_gradient", "MENACE"} <= learners
    assert not [name for name in learners if "budget" in name or "mixed" in name or "deterministic" in name]
    assert all(len(run.curve) <= POINTS for one in reference() for run in one.runs)
    assert FILE.stat().st_size < MOST


def test_what_bench_prints_takes_the_place_of_what_is_stored() -> None:
    stored = [one for one in reference() if one.learner in ("nash_vi", "wolf_phc")]
    (old,) = (one for one in stored if one.learner == "nash_vi" and one.size.title == "Footsies")
    curve = [{"timesteps": n, "seconds": n / 7, "exploitability": 1 / (3 + n)} for n in range(40)]
    new = old._replace(runs=[RunOutcome(9, curve, {"random": [0.5, 0.0]}, [{"seat": 0}], "it broke")])
    printed = [{
        "protocol": OPEN.version, "learner": "nash_vi", "given": old.given, "unit": old.unit, "seconds": old.seconds,
        "games": [
            {"title": "Footsies", "states": 129, "best_responses": {"random": 0.5}, "runs": [new.runs[0]._asdict()]},
            {"title": "a game that was held out", "states": 5, "best_responses": {}, "runs": []},
        ],
    }]  # fmt: skip
    together = merged(stored, outcomes_in(printed))
    assert len(together) == len(stored)
    text = as_json(together)
    assert text.count("\n") == 2 + len({"nash_vi", "wolf_phc"})  # a line each
    (read,) = (one for one in outcomes_in(json.loads(text)) if one.learner == "nash_vi" and one.size == old.size)
    assert [run.seed for run in read.runs] == [*range(10)]
    assert [len(run.curve) for run in read.runs[:9]] == [len(run.curve) for run in old.runs[:9]]
    run = read.runs[9]
    assert (run.seed, run.error, run.values, read.scores) == (9, "it broke", {}, [*old.scores[:9], 1.0])
    assert len(run.curve) == POINTS
    assert [run.curve[place]["timesteps"] for place in (0, -1)] == [0, 39]
    assert run.curve[-1]["exploitability"] == pytest.approx(1 / 42, rel=DIGITS)
    known = (old.learner, old.size)
    assert [one for one in together if (one.learner, one.size) != known] == [one for one in stored if one is not old]


def test_both_protocols_are_kept_apart() -> None:
    """A learner of both has a line of each, and what is compared is by the suite that is asked for."""
    (one,) = (one for one in reference() if (one.learner, one.size.title) == ("policy_gradient", "Footsies"))
    other = one._replace(size=HIDDEN.sizes[1], states=936, suite=HIDDEN)
    text = as_json(merged([one], [other]))
    assert [line["protocol"] for line in json.loads(text)] == ["nashzoo-bench 1", "nashzoo-bench 2"]
    assert [(read.suite, read.size) for read in outcomes_in(json.loads(text))] == [
        (OPEN, one.size),
        (HIDDEN, other.size),
    ]
    for suite in (OPEN, HIDDEN):
        assert {found.suite for found in others_than("mine", [], suite)} == {suite}


def test_games_are_in_the_order_of_the_protocol() -> None:
    titles = [size.title for size in OPEN.sizes]
    places = [titles.index(one.size.title) for one in reference() if one.learner == "PPO"]
    assert places == sorted(places)


def test_the_page_has_the_table_of_what_is_stored() -> None:
    page = PAGE.read_text()
    for suite, (block, _) in TABLES.items():
        assert with_block(page, block, table(reference(suite), suite)) == page


def test_the_table_has_what_all_seeds_reach() -> None:
    """The mean of the middle half of 0.1, ..., 0.9 and a failed run is that of the third to the eighth, weighed."""
    (size,) = (one for one in OPEN.sizes if one.title == "Footsies")
    curves = [[{"timesteps": 0, "seconds": 2.0, "exploitability": one / 10}] for one in range(1, 10)]
    runs = [RunOutcome(seed, curve, {}, []) for seed, curve in enumerate(curves)]
    failed = RunOutcome(9, [], {}, [], "it broke")
    solved = [run._replace(curve=[{"timesteps": 9, "seconds": 2.0, "exploitability": 0.0}]) for run in (*runs, failed)]
    mine = SizeOutcome("mine", "transitions", "decisions", size, 129, [*runs, failed], {})
    rows = table(
        [mine, mine._replace(learner="exact", runs=[run._replace(error="") for run in solved])], OPEN
    ).splitlines()
    assert rows[0] == "| game | `exact` | `mine` |"
    assert "| Footsies | 0 in 2 s | 0.55 |" in rows
    assert not table([mine._replace(runs=runs)], OPEN).count("mine")  # nine seeds
