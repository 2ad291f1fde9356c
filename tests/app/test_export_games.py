"""Games and policies written for other programs, and read back here and by Gambit where it is installed."""

import csv
from pathlib import Path

import numpy as np
import pytest

from command import Command
from nashzoo.baselines import best_response_gaps, solve, solve_matrix, strategic_form
from nashzoo.envs import make_game, matrix_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.unfolded import fractions, unfolded

EXACT = 1e-9
EXAMPLES = Path(__file__).parents[2] / "examples/games"

# Both choose at once, twice; chance doubles the first round or not; the sum is 3 and a third; a payoff of a third.
STAGES = """EFG 2 R "Two stages" { "one" "other" }
c "" 1 "" { "x" 1/3 "y" 2/3 } 0
p "" 1 1 "" { "a" "b" } 1 "" { 1/3 3 }
p "" 2 1 "" { "a" "b" } 0
t "" 2 "" { 1 -1 }
t "" 3 "" { -1/7 1/7 }
p "" 2 1 0
t "" 3
t "" 2
p "" 1 1 1
p "" 2 1 0
t "" 2
t "" 0
p "" 2 1 0
t "" 0
t "" 3
"""


@pytest.fixture
def stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stages.efg").write_text(STAGES)
    return tmp_path / "stages.efg"


def told(nashzoo: Command, words: str) -> tuple[float, float]:
    found = nashzoo.json(f"solve {words}")
    return found["value"], found.get("value1", -found["value"])


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("stages.efg", "efg"),
        ("stages.efg", "nfg"),
        ("stages.efg", "csv"),
        (f"{EXAMPLES}/kuhn.py", "efg"),
        ("roshambo_v0 --param rounds=2", "efg"),
        ("roshambo_v0 --param rounds=1", "nfg"),
        ("roshambo_v0 --param rounds=1", "csv"),
    ],
)
def test_a_game_that_is_written_and_read_has_the_same_value(
    stages: Path, nashzoo: Command, name: str, format: str
) -> None:
    assert nashzoo.prints(f"export {name} --format {format} --out written.{format}") == f"Written to written.{format}."
    before, after = told(nashzoo, name), told(nashzoo, f"written.{format}")
    assert after[0] == pytest.approx(before[0], abs=EXACT)
    assert format == "csv" or after[1] == pytest.approx(before[1], abs=EXACT)


def test_gambit_reads_what_is_written_and_finds_the_same_value(stages: Path, nashzoo: Command) -> None:
    gambit = pytest.importorskip("pygambit")
    for name, value in (("stages.efg", None), (f"{EXAMPLES}/kuhn.py", -1 / 18), ("roshambo_v0 --param rounds=2", 0.0)):
        expected = nashzoo.json(f"solve {name}")["value"] if value is None else value
        for format in ("efg", "nfg"):
            nashzoo.prints(f"export {name} --format {format} --out written.{format}")
            game = getattr(gambit, f"read_{format}")(f"written.{format}")
            found = gambit.nash.lp_solve(game, rational=True)
            if hasattr(found, "equilibrium"):  # since version 17
                won = found.equilibrium.payoffs[next(iter(game.players))]
            else:
                won = found.equilibria[0].payoff(next(iter(game.players)))
            assert float(won) == pytest.approx(expected, abs=EXACT)
            Path(f"written.{format}").unlink()


def test_plans_are_named_by_their_choices_and_worth_what_they_win(stages: Path) -> None:
    form = strategic_form(matrix_game([[3, 0], [1, 2]], rows=["U", "D"], columns=["L", "R"]))
    assert form.rows == ("U / L", "D / R") == form.columns and form.payoffs.tolist() == [[3.0, 0.0], [1.0, 2.0]]
    kuhn = strategic_form(make_game(f"{EXAMPLES}/kuhn.py"))
    assert kuhn.payoffs.shape == (27, 64)  # 3 plans for each card of the first, 4 of the second (Kuhn 1950)
    assert solve_matrix(kuhn.payoffs).value == pytest.approx(-1 / 18, abs=EXACT)
    with pytest.raises(UsageError, match="has more than 2,000 plans: 6,561 from one choice on; write it as a tree"):
        strategic_form(make_game("roshambo_v0", rounds=3))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("footsies_v0 --param rounds=1", "of footsies_v0 has no end; let the state count moves"),
        ("roshambo_v0 random --format efg", "a player is written as rpscontest, kaggle, csv, gambit, not 'efg'"),
        ("roshambo_v0 --format kaggle", "a game is written as efg, nfg, csv, not 'kaggle'"),
        ("roshambo_v0 --seed 3", "--option and --seed are of a player; name one after the game"),
        ("stages.efg", "stages.efg exists; choose another --out"),
        ("roshambo_v0 mixture --format csv", "mixture chooses by more than the state"),
    ],
)
def test_what_cannot_be_written(stages: Path, nashzoo: Command, words: str, message: str) -> None:
    assert message in nashzoo.refused(f"export {words}")
    assert [path.name for path in Path.cwd().iterdir()] == ["stages.efg"]


def test_a_tree_that_is_too_large_is_refused_with_the_number_that_was_reached() -> None:
    game = make_game("roshambo_v0", rounds=9)
    with pytest.raises(UsageError, match=r"has more than 500 nodes, and 7 moves were reached; other parameters may"):
        unfolded(game, most_nodes=500)


def test_a_policy_is_a_table_that_says_what_the_player_does(stages: Path, nashzoo: Command) -> None:
    nashzoo.prints("export stages.efg nash --format csv --out policy.csv")
    with Path("policy.csv").open() as file:
        rows = list(csv.DictReader(file))
    game, solution = make_game("stages.efg"), solve(make_game("stages.efg"))
    assert len(rows) == 5  # each player has one information set with two actions; and the first one goes on
    for row in rows:
        code = int(row["state"].removeprefix("number="))
        strategy = solution.strategies(np.array([code]))[int(row["player"])][0]
        assert float(row["probability"]) == pytest.approx(strategy[game.actions.index(row["action"])], abs=EXACT)
        assert "sees information set" in row["text"]


def test_a_policy_of_a_symmetric_game_is_read_back_whole(stages: Path, nashzoo: Command) -> None:
    nashzoo.prints("export roshambo_v0 random --param rounds=2 --format csv --out policy.csv")
    found = nashzoo.json("exploitability roshambo_v0 policy.csv --param rounds=2")
    assert found["table"]["unknown"] == found["table"]["missing"] == []
    assert found["nash_conv"] == pytest.approx(0.0, abs=EXACT)


def test_probabilities_add_up_to_exactly_one() -> None:
    for chances in ([0.1] * 10, [1 / 7] * 7, [0.3, 0.7], [2**-60, 1 - 2**-60]):
        assert sum(fractions(chances)) == 1 and all(0 < chance < 1 for chance in fractions(chances))


def test_what_best_responses_gain_in_a_game_whose_sum_is_not_constant() -> None:
    sexes = [[2, 0], [0, 1]], [[1, 0], [0, 2]]  # Luce and Raiffa (1957): mixed equilibrium (2/3, 1/3), (1/3, 2/3)
    assert best_response_gaps(*sexes, [2 / 3, 1 / 3], [1 / 3, 2 / 3]) == pytest.approx((0.0, 0.0), abs=EXACT)
    assert best_response_gaps(*sexes, [1, 0], [0, 1]) == (1.0, 1.0)
    zero_sum = np.random.default_rng(0).normal(size=(3, 3))
    mixes = [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]
    gap = nash_conv_of(zero_sum, *mixes)
    assert sum(best_response_gaps(zero_sum, -zero_sum, *mixes)) == pytest.approx(gap, abs=EXACT)
    for payoffs, strategy, told in (
        ([[1, 2]], [1, 0], r"two matrices of finite numbers of one shape, not \(1, 2\), \(2, 2\)"),
        ([[1, 2], [3, 4]], [0.5, 0.4], r"strategy0 must be 2 probabilities with the sum 1, not \[0.5, 0.4\]"),
    ):
        with pytest.raises(UsageError, match=told):
            best_response_gaps(payoffs, [[1, 2], [3, 4]], strategy, [1, 0])


def nash_conv_of(matrix: np.ndarray, mine: list[float], other: list[float]) -> float:
    return float((matrix @ other).max() - (np.array(mine) @ matrix).min())
