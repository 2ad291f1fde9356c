"""Confidence sequences, and tournaments that play until the points are known."""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import Command
from nashzoo import agents
from nashzoo.app.shared.tournament_tables import standings_caption
from nashzoo.arena.luck import solved
from nashzoo.arena.match import MatchResult, Z, play_match
from nashzoo.arena.sequential import FIRST, games_of_block, half_width
from nashzoo.arena.tournament import Tournament, tournament
from nashzoo.baselines import evaluate
from nashzoo.envs import footsies_v0
from nashzoo.envs.base.errors import UsageError

FOOTSIES = footsies_v0.game()
PLAYERS = {"nash": "nash", "random": "random"}


def test_the_width_is_that_of_the_paper() -> None:
    """Theorem 2.2 for 1,000 games with the variance 1 and alpha 0.05, with rho squared by hand: 0.0079."""
    points = np.tile([1.0, -1.0], 500) * math.sqrt(0.999)
    rho = math.sqrt((-2 * math.log(0.05) + math.log(-2 * math.log(0.05) + 1)) / 1_000)
    inside = 2 * (1_000 * rho**2 + 1) / (1_000**2 * rho**2) * math.log(math.sqrt(1_000 * rho**2 + 1) / 0.05)
    inside *= 1 + 0.999 / 1_000  # one more time, as far from the mean as any that was seen
    assert half_width(MatchResult(points), 0.0) == pytest.approx(math.sqrt(inside))
    assert half_width(MatchResult(points), 0.0) == pytest.approx(0.0960, abs=1e-4)


def test_games_that_are_alike_leave_an_interval() -> None:
    alike = [half_width(MatchResult(np.ones(games)), 1.0) for games in (FIRST - 1, FIRST, 10 * FIRST)]
    assert alike[0] == math.inf and alike[1] > 0.01 > alike[2] > 0


def test_blocks_grow_in_proportion_and_end_with_the_most() -> None:
    sizes: list[int] = []
    while sum(sizes) < 1_000:
        sizes.append(games_of_block(len(sizes), sum(sizes), 1_000))
    assert sizes == [200, 100, 150, 224, 326] and sum(sizes) == 1_000


def test_pairs_play_until_their_points_are_known() -> None:
    wide, narrow = (tournament(FOOTSIES, PLAYERS, 10**6, 1, luck_adjusted=True, until=until) for until in (0.03, 0.01))
    plain = tournament(FOOTSIES, PLAYERS, 10**6, 1, until=0.04)
    true = evaluate(FOOTSIES, agents.make("nash", FOOTSIES), agents.make("random", FOOTSIES))
    for played, until in ((wide, 0.03), (narrow, 0.01), (plain, 0.04)):
        result = played.results["nash", "random"]
        assert played.half_width("nash", "random") <= until
        assert abs(result.adjusted_mean - true) <= until  # the seed is one of the 95 in 100
        assert np.count_nonzero(result.seats == 0) == result.games / 2
    assert wide.results["nash", "random"].games < narrow.results["nash", "random"].games
    assert narrow.results["nash", "random"].games < plain.results["nash", "random"].games / 5
    short = tournament(FOOTSIES, PLAYERS, 300, 1, until=0.04)
    assert short.results["nash", "random"].games == 300 and short.half_width("nash", "random") > 0.04
    assert short.wide == [short.names] and not wide.wide and not plain.wide


def test_results_that_are_stored_are_not_played_again(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    match = FOOTSIES, {**PLAYERS, "counter": "counter"}, 10**6, 2
    first, again, other = (
        tournament(*match, show, luck_adjusted=True, until=0.02, folder=folder, processes=processes)
        for folder, processes, show in (
            (tmp_path, 1, lambda done, of: seen.append((done, of))), (tmp_path, 1, None), (None, 2, None)
        )
    )  # fmt: skip
    games = {pair: result.games for pair, result in first.results.items()}
    assert len(set(games.values())) > 1 and seen[0] < (3, 3) and sorted(seen) == seen and seen[-1] == (3, 3)
    for pair, result in first.results.items():
        assert again.results[pair].points.tolist() == other.results[pair].points.tolist() == result.points.tolist()
        assert other.results[pair].adjusted_mean == result.adjusted_mean


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"until": 0.0}, "until must be above 0, not 0.0"),
        ({"until": -1.0}, "until must be above 0, not -1.0"),
        ({"until": math.nan}, "until must be above 0, not nan"),
        ({"until": 0.1, "games": 198}, "with until at least 200 games are needed"),
    ],
)
def test_a_limit_is_above_0_and_for_games_enough(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        tournament(FOOTSIES, PLAYERS, **({"games": 200} | options))


@pytest.mark.slow
@pytest.mark.parametrize("names", [("nash", "counter"), ("nash", "bluff"), ("random", "random")], ids=str)
def test_the_true_points_are_inside_at_all_times_95_times_in_100(names: tuple[str, str]) -> None:
    """Intervals for a fixed number of games, looked at as often, miss them several times as often."""
    replications, games = 500, 2_000
    first, second = (agents.make(name, FOOTSIES) for name in names)
    played = [
        play_match(FOOTSIES, first, second, replications * 400, k, solution=solved(FOOTSIES))
        for k in range(games // 400)
    ]
    looks: list[int] = []
    while not looks or looks[-1] < games:
        before = looks[-1] if looks else 0
        looks.append(before + games_of_block(len(looks), before, games))
    for figure in ("adjusted", "points"):
        points = np.concatenate([getattr(part, figure).reshape(replications, 400) for part in played], axis=1)
        # bluff has no exact value: its mean over 1,000,000 games has an error far below the intervals
        true = points.mean() if names[1] == "bluff" else evaluate(FOOTSIES, first, second)  # type: ignore[arg-type]
        missed, missed_by_fixed = np.zeros((2, replications), np.bool_)
        for k, one in enumerate(points):
            for look in looks:
                result = MatchResult(one[:look])
                off = abs(result.mean - true)
                missed[k] |= off > half_width(result, 1.0)
                missed_by_fixed[k] |= off > Z * result.standard_error
        assert missed.mean() <= 0.05 < 0.15 < missed_by_fixed.mean(), figure


def test_the_command_plays_until_then(nashzoo: Command) -> None:
    line = "tournament footsies_v0 --agents nash counter --until 0.05 --luck-adjusted --seed 3"
    told = nashzoo.json(line)
    pair = told["pairs"][0]
    assert pair["half_width"] <= 0.05 and pair["games"] < 2_000
    assert abs(pair["luck_adjusted_points_per_game"] - pair["points_per_game"]) < 5 * pair["standard_error"]
    assert {one["points"] for one in told["standings"]} == {
        pair["luck_adjusted_points_per_game"], -pair["luck_adjusted_points_per_game"]
    }  # fmt: skip
    with open("tournament/cross_table.csv", newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["player"] == pair["player"])
    for column in ("luck_adjusted_points_per_game", "luck_adjusted_standard_error", "half_width", "points_per_game"):
        assert float(row[column]) == pytest.approx(pair[column], abs=1e-6)
    assert {one["plain_points"] for one in told["standings"]} == {pair["points_per_game"], -pair["points_per_game"]}


def test_the_command_names_pairs_whose_points_are_not_known_as_well_as_wanted(nashzoo: Command) -> None:
    line = "tournament footsies_v0 --agents nash counter random --games 300 --until 0.13"
    narrow = nashzoo.json(line)
    pairs = {tuple(sorted(pair)) for pair in narrow["not_reached"]}
    wide = {tuple(sorted((p["player"], p["opponent"]))) for p in narrow["pairs"] if p["half_width"] > 0.13}
    assert narrow["until"] == 0.13 and pairs == wide and pairs
    out = nashzoo.prints(f"{line} --out again")
    said = out.partition("Not known to ± 0.13 after the most games allowed: ")[2]
    assert all(f"{a} - {b}" in said for a, b in narrow["not_reached"])
    assert "Not known" not in nashzoo.prints("tournament footsies_v0 --agents nash counter --games 200 --out usual")


def test_the_table_has_luck_adjusted_points_with_the_plain_ones_beside(nashzoo: Command) -> None:
    line = "tournament footsies_v0 --agents nash counter --games 1000 --seed 3"
    adjusted, plain = nashzoo.prints(f"{line} --luck-adjusted --out adjusted"), nashzoo.prints(f"{line} --out usual")
    result = tournament(FOOTSIES, {"nash": "nash", "counter": "counter"}, 1_000, 3, luck_adjusted=True)
    pair = result.results["nash", "counter"]
    assert f"{pair.adjusted_mean:+.4f}" in adjusted and f"{Z * pair.adjusted_error:.4f}" in adjusted
    assert f"plain {pair.mean:+.4f}" in adjusted
    assert f"{pair.adjusted_mean:+.3f} {pair.mean:+.3f}" in adjusted  # in the standings
    assert "plain" not in plain and f"{pair.mean:+.3f}" in plain
    assert "Below: luck-adjusted points per game ± half of the 95 % interval." in adjusted and "Below" not in plain


def test_the_caption_says_what_elo_is_of_and_when_intervals_hold() -> None:
    def caption(points: float, until: float | None = None) -> str:
        result = MatchResult(np.array([points, -1.0]), luck=np.array([0.5, -0.5]))
        return standings_caption(Tournament(FOOTSIES, {("a", "b"): result, ("b", "a"): result.reversed()}, until=until))

    elo, fixed = "Elo of games won and drawn, not luck-adjusted", "95 % intervals for a fixed number of games"
    assert elo in caption(2.0) and elo not in caption(1.0)
    assert fixed in caption(1.0, until=0.1) and fixed not in caption(1.0)
