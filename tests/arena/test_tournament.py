"""Round robins, and the command that plays them."""

import csv
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

import nim
from command import Command, interrupt
from nashzoo import agents
from nashzoo.agents.loading import fingerprint, located
from nashzoo.app.shared.tournament_tables import (
    cross_table,
    cross_table_csv,
    cross_table_picture,
    ratings_picture,
    standings_table,
)
from nashzoo.arena.match import MatchResult, wilson
from nashzoo.arena.standings import standings
from nashzoo.arena.tournament import Tournament, tournament
from nashzoo.baselines.certificate.bounds import Bounds, UnprovenValueError
from nashzoo.envs import footsies_v0, roshambo_v0
from nashzoo.envs.core.game import Game
from opponents import Always

FOOTSIES = footsies_v0.game()
A, B, G, D = range(4)
ROCK, PAPER, SCISSORS = range(3)


@pytest.mark.parametrize(
    ("names", "games", "message"),
    [
        ("a", 10, "at least two players, not 1"),
        ("ab", 11, "games must be even, for half of them in each seat, not 11"),
        ("ab", 0, "games must be a whole number of at least 2, not 0"),
    ],
)
def test_wrong_numbers_are_told(names: str, games: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tournament(FOOTSIES, {name: Always(A) for name in names}, games)


@pytest.fixture(scope="module")
def played() -> Tournament:
    names = ("random", "counter", "bayesian", "markov")
    return tournament(FOOTSIES, {name: agents.make(name, FOOTSIES) for name in names}, 200, seed=3)


def test_seats_are_swapped() -> None:
    """The first mover wins Nim with five objects when both play well, so each player wins the half it opens."""
    game = Game(nim, heap=5)
    nash = agents.make("nash", game)
    result = tournament(game, {"one": nash, "two": nash}, 10, seed=0).results["one", "two"]
    assert result.points.tolist() == [1] * 5 + [-1] * 5


def test_what_one_wins_the_other_loses(played: Tournament) -> None:
    for (player, opponent), result in played.results.items():
        assert result.games == 200
        assert result.points.tolist() == (-played.results[opponent, player].points).tolist()


def test_the_best_stand_first(played: Tournament) -> None:
    scores = [played.score(name) for name in played.names]
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == pytest.approx(0)


def test_a_pair_plays_alike_in_any_company(played: Tournament) -> None:
    names = ("markov", "nash", "random")
    again = tournament(FOOTSIES, {name: agents.make(name, FOOTSIES) for name in names}, 200, seed=3)
    theirs = again.results["markov", "random"].points
    assert np.sort(theirs).tolist() == np.sort(played.results["markov", "random"].points).tolist()
    assert theirs[:100].tolist() == played.results["markov", "random"].points[100:].tolist()
    other = tournament(FOOTSIES, {name: agents.make(name, FOOTSIES) for name in names}, 200, seed=4)
    assert other.results["markov", "random"].points.tolist() != theirs.tolist()


def test_exact_points_stand_next_to_the_sampled_ones(tmp_path: Path) -> None:
    for game, names in (
        (FOOTSIES, ("random", "counter", "bayesian")),
        (Game(nim, heap=5, first="random"), ("random", "nash")),
    ):
        played = tournament(game, {name: agents.make(name, game) for name in names}, 4000, seed=1, exact=True)
        remember = [pair for pair in played.results if "bayesian" in pair]
        assert set(played.exact) == set(played.results) - set(remember)
        for pair, value in played.exact.items():
            sample = played.results[pair]
            assert abs(sample.mean - value) < 4 * sample.standard_error
    cross_table_csv(played, tmp_path / "cross.csv")
    text = (tmp_path / "cross.csv").read_text()
    lines = {(line["player"], line["opponent"]): line for line in csv.DictReader(text.splitlines())}
    assert float(lines["nash", "random"]["exact_points_per_game"]) == pytest.approx(played.exact["nash", "random"])


def test_a_bug_in_a_policy_is_not_taken_for_one_that_remembers() -> None:
    class Broken(Always):
        def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
            raise TypeError("a bug")

    players = {"random": agents.make("random", FOOTSIES), "broken": Broken(A)}
    with pytest.raises(TypeError, match="a bug"):
        tournament(FOOTSIES, players, 2, seed=0, exact=True)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    players = {"a": Always(A), "b": Always(B), "d": Always(D)}
    tournament(FOOTSIES, players, 2, seed=0, progress=lambda done, total: told.append((done, total)), max_cycles=3)
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


def same(one: Tournament, other: Tournament) -> bool:
    return one.exact == other.exact and {pair: result.points.tolist() for pair, result in one.results.items()} == {
        pair: result.points.tolist() for pair, result in other.results.items()
    }


@pytest.mark.slow
def test_it_does_not_matter_who_plays() -> None:
    names = {name: name for name in ("random", "counter", "markov")}
    players = {name: agents.make(name, FOOTSIES) for name in names}
    here = tournament(FOOTSIES, players, 60, seed=3, exact=True)
    assert set(here.exact) == {("random", "counter"), ("counter", "random")}
    for given in (names, players):
        for processes in (1, 2):
            there = tournament(FOOTSIES, given, 60, seed=3, exact=True, processes=processes)
            assert same(here, there)
            assert there.names == here.names
    with pytest.raises(ValueError, match="in processes or on a Ray cluster; choose one of the two"):
        tournament(FOOTSIES, names, 60, processes=2, ray="local")
    with pytest.raises(ValueError, match="there is no player 'nobody'"):
        tournament(FOOTSIES, {"random": "random", "unknown": "nobody"}, 60, processes=2)


def test_an_interrupted_tournament_goes_on(tmp_path: Path) -> None:
    names = {name: name for name in ("random", "counter", "markov")}

    def interrupt(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    def play(progress: Callable[[int, int], None] | None = None, games: int = 20) -> Tournament:
        return tournament(FOOTSIES, names, games, 1, progress, exact=True, folder=tmp_path)

    with pytest.raises(KeyboardInterrupt):
        play(interrupt)
    told: list[int] = []
    again = play(lambda done, total: told.append(done))
    assert told == [2, 3, 4, 5, 6]  # three pairs, and how exploitable three players are
    assert same(again, tournament(FOOTSIES, names, 20, 1, exact=True))
    with pytest.raises(ValueError, match=r"results\.jsonl has other settings: games was 20, not 40;"):
        play(games=40)
    names["random"] = "nash"  # under the other's name
    told.clear()
    play(lambda done, total: told.append(done))
    assert told[0] == 2 + 1 and told[-1] == 6


@pytest.mark.slow
def test_files_are_told_apart_by_what_they_hold(tmp_path: Path) -> None:
    script, game, told = tmp_path / "bot.py", roshambo_v0.game(rounds=5), []
    for throw, wins in (("R", 0), ("P", 10)):
        script.write_text(f"output = '{throw}'")
        players: dict[str, Any] = {"bot": str(script), "rock": "constant"}
        result = tournament(
            game, players, 10, 1, lambda done, total: told.append(done), processes=2, folder=tmp_path / "kept"
        )
        assert result.results["bot", "rock"].wins == wins
    assert told == [0, 1] * 2
    assert fingerprint(str(script)).startswith(f"{script}#")
    for name in ("random", "missing.py"):
        assert fingerprint(name) == located(name) == name


def test_files_are_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bot.py").write_text("output = 'R'")
    monkeypatch.chdir(tmp_path)
    place, learner = located("bot.py"), located("./bot.py:Bot(depth=2)")
    monkeypatch.chdir("/")
    assert learner == f"{place}:Bot(depth=2)"
    assert Path(place).read_text() == "output = 'R'"


def test_the_csv_holds_the_results(played: Tournament, tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("old")
    cross_table_csv(played, path)
    with path.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * 3
    for row in rows:
        result = played.results[row["player"], row["opponent"]]
        assert int(row["wins"]) + int(row["draws"]) + int(row["losses"]) == int(row["games"]) == 200
        assert int(row["wins"]) == result.wins
        assert float(row["points_per_game"]) == pytest.approx(result.mean)
        assert float(row["win_low"]) < float(row["win_share"]) < float(row["win_high"])
        assert float(row["win_low"]) == pytest.approx(wilson(result.wins, 200)[0], abs=1e-6)
    assert [file.name for file in tmp_path.iterdir()] == ["results.csv"]


def shown(table: Table) -> str:
    console = Console(width=80)
    with console.capture() as capture:
        console.print(table)
    assert all(len(line) <= 80 for line in capture.get().splitlines())
    return capture.get()


def test_the_tables_fit_a_terminal(played: Tournament) -> None:
    everyone = standings(played)
    result = played.results[played.names[0], played.names[1]]
    assert f"{100 * result.wins / 200:.0f} %" in shown(cross_table(played))
    text = shown(standings_table(played, everyone))
    assert f"{played.score(played.names[0]):+.3f}" in text and f"{everyone[0].rating:+.0f}" in text
    assert all(name in text for name in played.names)


@pytest.mark.slow
def test_tables_of_many_players_with_long_names_cut_nothing() -> None:
    names = [f"mcts(simulations={10**k},exploration={k})" for k in range(14)]
    result = MatchResult(np.array([1.0, -1.0, 0.0, 1.0]))
    several = Tournament(FOOTSIES, {pair: result for pair in itertools.permutations(names, 2)})
    text = shown(standings_table(several, standings(several)))
    letters = "".join(character for character in text if not character.isspace())
    assert "…" not in text and "exploration=13" in letters.replace("13)", "13)")
    assert "…" not in shown(cross_table(several))


@pytest.mark.parametrize(
    ("points", "table", "ratings"),
    [
        (
            [1.0, -1.0, 0.0, 1.0],
            "is not surely ahead of its opponent",
            "Nobody is surely best; nash is rated highest in Footsies, +",
        ),
        ([1.0] * 99 + [-1.0], "is surely ahead of its opponent", "nash is rated highest in Footsies, +"),
    ],
)
def test_headlines_say_whether_the_games_tell_who_is_best(
    points: list[float], table: str, ratings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr("nashzoo.arena.pictures.write_each", lambda figure, path: drawn.append(figure))
    won = np.array(points)
    played = Tournament(FOOTSIES, {("nash", "bluff"): MatchResult(won), ("bluff", "nash"): MatchResult(-won)})
    cross_table_picture(played, Path("t"))
    ratings_picture(standings(played), "Footsies", Path("r"))
    seen = [figure.get_suptitle().replace("\n", " ") for figure in drawn]
    assert seen[0] == f"nash has the most points, and {table}."
    assert seen[1].startswith(ratings)
    axes = drawn[0].axes[0]
    assert axes.images[0].get_clim() == (-1.25, 1.25)  # the same for all matches for one point
    cell = ("+0.98", "bold") if "not" not in table else ("+0.25", "normal")  # the means of the points
    assert (axes.texts[0].get_text(), axes.texts[0].get_weight()) == cell


@pytest.mark.slow
def test_pictures_are_written_whole(tmp_path: Path) -> None:
    names = "nash", f"/home/{'folder/' * 20}bots.py:Calls"
    result = MatchResult(np.array([1.0, -1.0, 0.0, 1.0]))
    played = Tournament(FOOTSIES, {pair: result for pair in itertools.permutations(names, 2)})
    cross_table_picture(played, tmp_path / "t.svg")
    ratings_picture(standings(played), "Footsies", tmp_path / "r")
    assert (tmp_path / "t.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["r.pdf", "r.png", "r.svg", "t.pdf", "t.png", "t.svg"]


@pytest.mark.slow
def test_points_of_players_with_small_memories_are_exact_unless_they_are_too_many() -> None:
    game = roshambo_v0.game(rounds=200)
    players = {"copy": agents.make("copy", game), "recent": agents.make("recent", game, order=0, window=3)}
    players["habits"] = agents.make("habits", game, order=3)
    result = tournament(game, players, 200, seed=0, exact=True)
    assert set(result.exact) == set(itertools.permutations(("copy", "recent", "habits"), 2)) - {
        ("recent", "habits"),
        ("habits", "recent"),  # 1,792 states, 40 memory states of one and 820 of the other
    }
    for pair, exact in result.exact.items():
        assert abs(result.results[pair].mean - exact) < 5 * max(result.results[pair].standard_error, 1e-9)


def test_pairs_who_nearly_stand_still_have_no_exact_points(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_long(*arguments: Any) -> float:
        raise UnprovenValueError(Bounds(-1.0, 1.0))

    players = {name: agents.make(name, FOOTSIES) for name in ("random", "counter")}
    assert set(tournament(FOOTSIES, players, 2, 0, exact=True).exact) == {("random", "counter"), ("counter", "random")}
    monkeypatch.setattr("nashzoo.baselines.measures.evaluate", too_long)
    assert tournament(FOOTSIES, players, 2, 0, exact=True).exact == {}


class TestCommand:
    LINE = "tournament footsies_v0 --agents random counter nash --games 60 --exact"

    def test_interrupted_tournaments(self, nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("nashzoo.app.shared.tournament_tables.cross_table_csv", interrupt)
            assert nashzoo(self.LINE)[0] == 130
        with monkeypatch.context() as patch:
            patch.setattr("nashzoo.arena.tournament_tasks.play_match", interrupt)
            assert nashzoo(self.LINE)[0] == 0
        code, _, err = nashzoo(f"{self.LINE} --seed 1")
        assert code == 2 and "choose another" in err, "It is not written over."
        assert not (Path("tournament") / "results.jsonl").exists()

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("--ray head", "a Ray cluster is HOST:PORT, auto or local, not 'head'"),
            ("--ray 127.0.0.1:1", "no Ray cluster answers at 127.0.0.1:1: "),
            ("--ray local --processes 2", "work is done in processes or on a Ray cluster; choose one of the two"),
        ],
    )
    def test_wrong_use_is_told(self, words: str, message: str, nashzoo: Command) -> None:
        assert nashzoo.refused(f"{self.LINE} {words}").startswith(message)
