"""The study of values: its references agree with each other, and the library with them on some of its pairs."""

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import brute_force
import chance_game
import graph_game
from nashzoo.envs import Game
from studies.values import __main__ as study
from studies.values import reference, responses, trials
from studies.values.families import FAMILIES
from studies.values.reference import Graph, Interval, Table, wide

PRECISE = 1e-15  # relative, of numbers with 64 bits on graphs of a dozen states


def answer(family: str, figure: str, pair: int) -> trials.Answer:
    (record,) = study.records([family], [figure], range(pair, pair + 1), seed=0)
    return record.answer


def random_pair(rng: np.random.Generator) -> tuple[Graph, Table, Table]:
    """Returns a random game without rewards on the way, and a pair."""
    game = brute_force.random_game(rng)
    states = Graph(game)
    first, second = (brute_force.random_table(rng, game, states.codes, player).tolist() for player in (0, 1))
    return states, first, second


@pytest.mark.parametrize("chance", [0.125, 2.0**-60, 2.0**-1000])
def test_a_walk_worked_out_by_hand(chance: float) -> None:
    # From 0 to 1 surely; from 1 back, or to a win or, three times as likely, a loss: (1 - 3) / (1 + 3).
    states = Graph(Game(graph_game, tables=[[[1]], [[0], [2], [3]], None, None], pays=[0.0, 0.0, 1.0, -1.0]))
    first, second = [[1.0], [1.0 - 4 * chance, chance, 3 * chance]], [[1.0], [1.0]]
    assert reference.value(states, first, second, Fraction) == Fraction(-1, 2)
    rows = reference.chain(states, first, second, wide)
    assert reference.solved(rows, wide, states.order) == {0: -0.5, 1: -0.5}


def test_chance_by_hand() -> None:
    # Three times out of four chance leads to a choice between 1/2 and -1, else to the loss of a point.
    nodes: list[Any] = [[[1]], {2: 0.75, 4: 0.25}, [[3], [4]], None, None]
    states = Graph(Game(chance_game, nodes=nodes, pays=[0.0, 0.0, 0.0, 0.5, -1.0]))
    rows, one = [[1.0], [1.0], [0.5, 0.5]], [[1.0]] * 3
    assert reference.value(states, rows, one, Fraction) == Fraction(-7, 16)
    assert responses.best_response(states, one, 0, Fraction)[0] == Fraction(1, 8)


def test_elimination_agrees_with_itself_and_with_a_long_horizon() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        states, first, second = random_pair(rng)
        exact = reference.value(states, first, second, Fraction)
        slow = brute_force.chain(states.game, states.codes, np.array(first), np.array(second))[0]
        assert float(exact) == pytest.approx(slow, abs=1e-9)
        rows = reference.chain(states, first, second, wide)
        for values in (reference.solved(rows, wide), reference.solved(rows, wide, states.order)):
            assert abs(Interval.of(reference.at_start(states, values, wide)).lower - exact) <= PRECISE


@pytest.mark.parametrize("player", [0, 1])
def test_policy_iteration_agrees_with_trying_everything(player: int) -> None:
    rng, tried = np.random.default_rng(3), 0
    while tried < 10:
        states, *tables = random_pair(rng)
        decided = responses.decisions(states, tables[1 - player], player, Fraction)
        if np.prod([len(lines) for lines in decided.values()]) <= 100:
            best = responses.by_trying(states, tables[1 - player], player, Fraction)
            assert responses.best_response(states, tables[1 - player], player, Fraction)[0] == best
            tried += 1


@pytest.mark.parametrize(
    ("said", "bounds", "wrong"),
    [
        (0.5 + 5e-10, None, False), (0.5 + 2e-9, None, True), (float("nan"), None, True), (None, (0.4, 0.6), False),
        (0.5, (0.5 + 1e-15, 0.6), True), (0.5, (0.4, 0.5 - 1e-15), True), (None, (0.6, 1.0), True),
    ],
)  # fmt: skip
def test_what_is_wrong(said: float | None, bounds: tuple[float, float] | None, wrong: bool) -> None:
    half = Interval(Fraction(1, 2), Fraction(1, 2))
    assert (trials.missed(half, said, bounds) > 0) == wrong


# Some of these were wrong: they are what the study noticed first.
PAIRS = [
    *(("footsies", figure, 2) for figure in ("evaluate", "exploitability")),
    pytest.param("footsies-anywhere", "evaluate", 1038, marks=pytest.mark.slow),
    ("footsies-anywhere", "evaluate", 1140),
    *(("footsies-rare", "evaluate", pair) for pair in (51, 135, 278)),
    ("footsies-rare", "exploitability", 51),
    pytest.param("bodega-brawl", "evaluate", 0, marks=pytest.mark.slow),
    *(("graphs", "evaluate", pair) for pair in (83, 126, 133, 407, 724)),
    *(("graphs", "exploitability", pair) for pair in (157, 318, 900)),
    *(("graphs-rewards", "evaluate", pair) for pair in (204, 532, 705)),
    ("graphs-rewards", "exploitability", 283),
    *(("graphs-trembles", "exploitability", pair) for pair in (55, 83)),
    *(("chance-trembles", "exploitability", pair) for pair in (2, 47, 112)),
    ("networks-footsies", "evaluate", 1),
    *(
        pytest.param(family, figure, 0, marks=pytest.mark.slow)
        for family in ("soccer", "soccer-random", "networks-soccer")
        for figure in trials.QUESTIONS
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "figure", "pair"), PAIRS)
def test_the_library_is_right_or_refuses(family: str, figure: str, pair: int) -> None:
    result = answer(family, figure, pair)
    assert result.off is not None  # a reference, or bounds with it
    assert not result.wrong, result
    assert result.said is not None or not family.endswith("trembles")


@pytest.mark.slow
def test_the_study_prints_a_table_and_writes_each_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "values.csv"
    monkeypatch.setattr(sys, "argv", f"values --family graphs --pairs 3 --seed 5 --out {out}".split())
    study.main()
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split(" | ")[:3] for row in rows] == [
        [f"| {FAMILIES['graphs'].title}", f"`{figure}`", "3"] for figure in trials.QUESTIONS
    ]
    assert len(out.read_text().splitlines()) == 1 + 6
