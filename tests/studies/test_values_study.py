"""The study of values: its references are right, it tells what is wrong, and some of its pairs are true here too."""

import csv
import signal
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import brute_force
import chance_game
import graph_game
from nashzoo.baselines import Bounds, UnprovenValueError
from nashzoo.envs import Game, footsies_v0, tictactoe_v0
from studies.values import __main__ as study
from studies.values import graphs, layers, policies, reference, responses, trials
from studies.values import wide as blocks
from studies.values.families import FAMILIES
from studies.values.numbers import Interval, wide
from studies.values.reference import EndlessRewardsError, Graph, Row, Table
from studies.values.tally import markdown, read
from studies.values.trials import Trial

SEED = 0
PRECISE = 1e-15  # relative, of numbers with 64 bits on graphs of a dozen states


def record(family: str, figure: str, pair: int) -> trials.Answer:
    (found,) = study.records([family], [figure], range(pair, pair + 1), SEED)
    return found.answer


def walk(chance: float) -> tuple[Graph, Table, Table]:
    """From 0 to 1 surely; from 1 back, or to a win or, three times as likely, a loss."""
    game = Game(graph_game, tables=[[[1]], [[0], [2], [3]], None, None], pays=[0.0, 0.0, 1.0, -1.0])
    return Graph(game), [[1.0], [1.0 - 4 * chance, chance, 3 * chance]], [[1.0], [1.0]]


def random_pair(rng: np.random.Generator) -> tuple[Graph, Table, Table]:
    """Returns a random graph without rewards on the way, and a pair, with rare chances."""
    trial = graphs.at_the_end(rng)
    states = Graph(trial.game)
    first, second = (policies.rows(states, policy, player) for player, policy in enumerate(trial.policies))
    return states, first, second


class TestReferences:
    @pytest.mark.parametrize("chance", [0.125, 2.0**-60, 2.0**-1000])
    def test_a_walk_worked_out_by_hand(self, chance: float) -> None:
        states, first, second = walk(chance)
        assert reference.value(states, first, second, Fraction) == Fraction(-1, 2)  # (1 - 3) / (1 + 3)
        rows = reference.chain(states, first, second, wide)
        assert blocks.solved(blocks.Order(states), rows) == {0: -0.5, 1: -0.5}

    def test_rows_count_as_their_weights_over_their_sum(self) -> None:
        states, first, second = walk(0.125)
        doubled = [[2 * chance for chance in row] for row in first]
        assert reference.value(states, doubled, second, Fraction) == Fraction(-1, 2)

    def test_what_is_earned_on_the_way_by_hand(self) -> None:
        # Each return to 0 earns 1, and half of all steps return: 1/2 + 1/4 + ...
        states = Graph(Game(graph_game, tables=[[[0], [1]], None], pays=[1.0, 0.0]))
        assert reference.value(states, [[0.5, 0.5]], [[1.0]], Fraction) == 1
        assert reference.turnover(states, [[0.5, 0.5]], [[1.0]], Fraction) == 1

    def test_play_that_cannot_end_is_worth_nothing_unless_it_earns(self) -> None:
        states = Graph(Game(graph_game, tables=[[[0], [1]], None], pays=[0.0, 1.0]))
        assert reference.value(states, [[1.0, 0.0]], [[1.0]], Fraction) == 0
        earning = Graph(Game(graph_game, tables=[[[0], [1]], None], pays=[1.0, 0.0]))
        with pytest.raises(EndlessRewardsError, match="play that cannot end earns or pays"):
            reference.value(earning, [[1.0, 0.0]], [[1.0]], Fraction)

    def test_chance_by_hand(self) -> None:
        # Three times out of four chance leads to a choice between 1/2 and -1, else to the loss of a point.
        nodes: list[Any] = [[[1]], {2: 0.75, 4: 0.25}, [[3], [4]], None, None]
        states = Graph(Game(chance_game, nodes=nodes, pays=[0.0, 0.0, 0.0, 0.5, -1.0]))
        rows, one = [[1.0], [1.0], [0.5, 0.5]], [[1.0]] * 3
        assert reference.value(states, rows, one, Fraction) == Fraction(-7, 16)
        assert layers.value(states, rows, one).off(-7 / 16) == 0
        assert responses.best_response(states, one, 0, Fraction)[0] == Fraction(1, 8)
        assert layers.best_response(states, one, 0).off(1 / 8) == 0

    def test_random_starts_are_averaged(self) -> None:
        states, first, second = walk(0.25)
        states.starts = [(0, 0.25), (reference.OVER, 0.75)]
        assert reference.value(states, first, second, Fraction) == Fraction(-1, 8)

    def test_three_ways_of_elimination_agree(self) -> None:
        rng = np.random.default_rng(1)
        for _ in range(30):
            states, first, second = random_pair(rng)
            exact = reference.value(states, first, second, Fraction)
            rows = reference.chain(states, first, second, wide)
            for values in (reference.solved(rows, wide), blocks.solved(blocks.Order(states), rows)):
                found = Interval.of(reference.at_start(states, values, wide))
                assert abs(float(found.lower - exact)) <= PRECISE

    def test_elimination_agrees_with_a_long_horizon(self) -> None:
        rng = np.random.default_rng(2)
        for _ in range(20):
            game = brute_force.random_game(rng)
            states = Graph(game)
            first, second = (brute_force.random_table(rng, game, states.codes, player) for player in (0, 1))
            slow = brute_force.chain(game, states.codes, first, second)[0]
            exact = reference.value(states, first.tolist(), second.tolist(), Fraction)
            assert float(exact) == pytest.approx(slow, abs=1e-9)

    @pytest.mark.parametrize("player", [0, 1])
    def test_policy_iteration_agrees_with_trying_everything(self, player: int) -> None:
        rng = np.random.default_rng(3)
        tried = 0
        while tried < 20:
            states, first, second = random_pair(rng)
            table = second if player == 0 else first
            decided = responses.decisions(states, table, player, Fraction)
            if np.prod([len(lines) for lines in decided.values()]) <= 100:
                best, choices = responses.best_response(states, table, player, Fraction)
                assert best == responses.by_trying(states, table, player, Fraction)
                assert responses.best_response(states, table, player, Fraction, choices)[0] == best
                tried += 1

    def test_keeping_play_going_for_ever_by_hand(self) -> None:
        # Any move but the first loses; the first keeps play where it is, for nothing.
        states = Graph(Game(graph_game, tables=[[[0], [1]], None], pays=[0.0, -1.0]))
        assert responses.best_response(states, [[1.0]], 0, Fraction)[0] == 0

    def test_backward_induction_encloses_the_exact_value(self) -> None:
        tables: list[Any] = [[[1, 2], [2, 3]], [[2], [3]], [[3], [4]], None, None]
        states = Graph(Game(graph_game, tables=tables, pays=[0.0, 0.0, 0.25, 1.0, -1.0]))
        first, second = [[0.9, 0.1], [1e-300, 1.0], [0.3, 0.7]], [[0.2, 0.8], [1.0], [1.0]]
        order = [states.codes.index(code) for code in range(3)]
        first, second = ([table[states.codes[k]] for k in range(3)] for table in (first, second))
        assert sorted(order) == [0, 1, 2]
        exact = reference.value(states, first, second, Fraction)
        found = layers.value(states, first, second)
        assert found.lower <= exact <= found.upper
        assert found.upper - found.lower <= Fraction(1, 2**250)
        for player, table in ((0, second), (1, first)):
            best = responses.by_trying(states, table, player, Fraction)
            found = layers.best_response(states, table, player)
            assert found.lower <= best <= found.upper

    def test_backward_induction_refuses_what_recurs(self) -> None:
        with pytest.raises(ValueError, match="can recur: play has no layers"):
            layers.value(*walk(0.125))

    def test_the_states_of_tic_tac_toe(self) -> None:
        # 5,478 states (OEIS A008907), of which 958 are over.
        assert len(Graph(tictactoe_v0.game()).codes) == 5_478 - 958

    def test_weights_that_leave_the_exponent_are_refused(self) -> None:
        states, _, _ = walk(0.125)
        tiny = np.finfo(np.longdouble).smallest_subnormal
        rows = {0: Row({1: wide(1)}, wide(0), wide(0), wide(0)), 1: Row({0: tiny}, tiny, tiny, wide(0))}
        with pytest.raises(ArithmeticError, match="a weight has become too small for its exponent"):
            blocks.solved(blocks.Order(states), rows)

    def test_processors_without_long_exponents_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(np, "finfo", lambda kind: SimpleNamespace(maxexp=1024))
        with pytest.raises(RuntimeError, match="no floating point numbers with long exponents"):
            wide(1.0)


def asked(question: Any, truth: float | None = 0.5) -> trials.Answer:
    known = None if truth is None else Interval.of(Fraction(truth))
    trial = Trial(footsies_v0.game(), (None, None), None, lambda: known, lambda: known)
    return trials.ask("evaluate", question, trial, trial.value)


def test_the_page_has_the_figures_of_the_whole_field() -> None:
    docs = Path(__file__).parents[2] / "docs"
    titles = {name: family.title for name, family in FAMILIES.items()}
    page = (docs / "values.md").read_text()
    assert "\n".join(markdown(read(docs / "results" / "values_field.csv"), titles)) in page


class TestAnswers:
    @pytest.mark.parametrize("said", [0.5, 0.5 + 5e-10])
    def test_what_is_near_enough_is_right(self, said: float) -> None:
        answer = asked(lambda game, first, second: said)
        assert (answer.wrong, answer.said, answer.off) == (False, said, 0.0)

    @pytest.mark.parametrize("said", [0.5 + 2e-9, -0.5, float("nan"), float("inf")])
    def test_what_is_further_off_is_wrong(self, said: float) -> None:
        assert asked(lambda game, first, second: said).wrong

    @pytest.mark.parametrize(
        ("bounds", "wrong"),
        [((0.5, 0.5), False), ((0.4, 0.6), False), ((0.5 + 1e-15, 0.6), True), ((0.4, 0.5 - 1e-15), True)],
    )
    def test_the_true_value_lies_within_bounds(self, bounds: tuple[float, float], wrong: bool) -> None:
        def question(game: Game, first: object, second: object, bounds: bool = False) -> Any:
            return given if bounds else 0.5

        given = bounds
        answer = asked(question)
        assert (answer.wrong, answer.width) == (wrong, bounds[1] - bounds[0])

    def test_a_number_without_bounds_is_wrong_where_there_should_be_some(self) -> None:
        def question(game: Game, first: object, second: object, bounds: bool = False) -> float:
            if bounds:
                raise ValueError("no bounds")
            return 0.5

        assert (asked(question).wrong, asked(question).error) == (True, "ValueError: no bounds")

    def test_refusals_are_not_wrong_but_their_bounds_may_be(self) -> None:
        def refuse(*bounds: float) -> Any:
            def question(game: Game, first: object, second: object) -> float:
                raise UnprovenValueError(Bounds(*bounds))

            return question

        assert not asked(refuse(0.0, 1.0)).wrong and asked(refuse(0.0, 1.0)).refused
        assert asked(refuse(0.6, 1.0)).wrong

    def test_other_errors_are_wrong(self) -> None:
        def question(game: Game, first: object, second: object) -> float:
            raise ZeroDivisionError("division by zero")

        answer = asked(question)
        assert (answer.wrong, answer.refused, answer.error) == (True, False, "ZeroDivisionError: division by zero")

    def test_what_takes_too_long_is_given_up(self) -> None:
        def question(game: Game, first: object, second: object) -> float:
            while True:
                pass

        trial = Trial(footsies_v0.game(), (None, None), None, lambda: None, lambda: None)
        answer = trials.ask("evaluate", question, trial, trial.value, limit=0.01)
        assert (answer.unfinished, answer.wrong, answer.said) == (True, False, None)
        assert answer.error == "stopped after 0.01 seconds"

    def test_a_signal_that_compiled_code_has_wrapped_is_no_other_error(self) -> None:
        def question(game: Game, first: object, second: object) -> float:
            raise SystemError("returned a result with an exception set") from trials.UnfinishedError("late")

        answer = asked(question)
        assert (answer.unfinished, answer.wrong) == (True, False)

    def test_without_a_reference_nothing_is_compared(self) -> None:
        answer = asked(lambda game, first, second: 7.0, truth=None)
        assert (answer.wrong, answer.off) == (False, None)


# Some of these were wrong: they are what the study found first.
PAIRS = [
    *(("footsies", figure, 2) for figure in ("evaluate", "exploitability")),
    *(("footsies-anywhere", "evaluate", pair) for pair in (1038, 1140)),
    *(("footsies-rare", "evaluate", pair) for pair in (51, 135, 278)),
    ("footsies-rare", "exploitability", 51),
    ("bodega-brawl", "evaluate", 0),
    *(("graphs", "evaluate", pair) for pair in (83, 126, 133, 407, 724)),
    *(("graphs", "exploitability", pair) for pair in (157, 318, 900)),
    *(("graphs-rewards", "evaluate", pair) for pair in (204, 532, 705)),
    ("graphs-rewards", "exploitability", 283),
    ("networks-footsies", "evaluate", 1),
]


@pytest.mark.parametrize(("family", "figure", "pair"), PAIRS)
def test_the_library_is_right_or_refuses(family: str, figure: str, pair: int) -> None:
    answer = record(family, figure, pair)
    assert answer.off is not None  # a reference, or bounds with it
    assert not answer.wrong, answer


@pytest.mark.parametrize(
    ("family", "pair"),
    [("graphs-trembles", 55), ("graphs-trembles", 83), *(("chance-trembles", pair) for pair in (2, 47, 112))],
)
def test_trembles_in_large_graphs_are_measured(family: str, pair: int) -> None:
    answer = record(family, "exploitability", pair)
    assert answer.said is not None and not answer.wrong, answer


@pytest.mark.slow
@pytest.mark.parametrize("family", ["soccer", "soccer-random", "networks-soccer"])
def test_the_library_is_right_or_refuses_in_soccer(family: str) -> None:
    for figure in trials.questions():
        assert not record(family, figure, 0).wrong


def run(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(sys, "argv", ["values", *line.split()])
    before = signal.getsignal(signal.SIGTERM)
    try:
        study.main()
    finally:
        signal.signal(signal.SIGTERM, before)


def test_the_study_prints_a_table_and_writes_each_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "new" / "values.csv"
    said = []
    for _ in range(2):  # the same pairs each time
        run(monkeypatch, f"--family graphs graphs-rewards --pairs 3 --seed 5 --out {out}")
        with out.open() as file:
            said.append([(row["family"], row["pair"], row["smallest"], row["said"]) for row in csv.DictReader(file)])
    assert said[0] == said[1]
    assert len({smallest for _, _, smallest, _ in said[0]}) > 1
    assert [row[:2] for row in said[0]] == [
        (name, str(k // 2)) for name in ("graphs", "graphs-rewards") for k in range(6)
    ]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[:3] for line in lines[2:6]] == [
        [f"| {title}", f"`{figure}`", "3"]
        for title in ("random graphs", "random graphs, rewards on the way")
        for figure in ("evaluate", "exploitability")
    ]
    assert lines[6] == str(out)
    run(monkeypatch, f"--merge {out}")
    assert capsys.readouterr().out.splitlines() == lines[-7:-1]


def test_what_was_done_is_printed_when_it_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    draw = FAMILIES["graphs"].draw
    drawn: list[Trial] = []

    def stopped(rng: np.random.Generator) -> Trial:
        if len(drawn) == 2:
            signal.raise_signal(signal.SIGTERM)
        drawn.append(draw(rng))
        return drawn[-1]

    monkeypatch.setitem(FAMILIES, "graphs", FAMILIES["graphs"]._replace(draw=stopped))
    run(monkeypatch, f"--family graphs --figure evaluate --pairs 100 --out {tmp_path / 'values.csv'}")
    printed = capsys.readouterr()
    assert printed.out.splitlines()[2].startswith("| random graphs | `evaluate` | 2 |")
    assert printed.err.endswith("interrupted\n")
    assert len((tmp_path / "values.csv").read_text().splitlines()) == 3
