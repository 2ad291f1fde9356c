"""What the page, the picture and the table of a learner say."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from nashzoo.app.bench import scorecard
from nashzoo.app.bench.scorecard import write
from nashzoo.app.shared.words import sided
from nashzoo.arena.measurement.comparison import compare
from nashzoo.arena.measurement.outcomes import RunOutcome, SizeOutcome
from nashzoo.arena.measurement.protocol import HIDDEN, OPEN, Size
from nashzoo.arena.measurement.reference import reference
from nashzoo.envs import tictactoe_v0

SHORT = 5.0  # seconds
TWO_DIGITS = 0.0051
NAME = "my <learner>"
ERROR = "ZeroDivisionError: division by zero in <Mine.learn>"
FOOTSIES, LARGER = (
    next(size for size in OPEN.sizes if size.title == title) for title in ("Footsies", "Footsies, 3 rounds, 5 blocks")
)
MEDIUM, LARGE = (size for size in OPEN.sizes if size.title in ("Bodega Brawl, medium", "Bodega Brawl, large"))
TICTACTOE = next(size for size in OPEN.sizes if size.title == "tic-tac-toe")
HELD_OUT = Size("Footsies, blocks=2", "footsies_v0", ("blocks=2",), family="held out")
GAME = tictactoe_v0.game()
CODE = GAME.code(board="x..o.....")
CROSSES = {
    "seat": 0, "code": CODE, "situation": "board=x..o.....", "reach": 0.5, "regret": 0.25, "share": 0.125,
    "plays": {"2": 0.75, "3": 0.25}, "best": {"9": 1.0}, "punished_by": "",
}  # fmt: skip


def run(seed: int, *exploitability: float | None, **others: Any) -> RunOutcome:
    curve = [
        {"timesteps": 1_000 * number, "seconds": 0.5 * number, "exploitability": figure}
        for number, figure in enumerate(exploitability)
    ]
    return RunOutcome(seed, curve, **({"values": {"random": [0.25, 0.0]}, "weaknesses": []} | others))


def outcome(size: Size, *runs: RunOutcome, learner: str = NAME) -> SizeOutcome:
    return SizeOutcome(learner, "transitions", "decisions", size, 129, runs, {"random": 1 / 3}, SHORT)


OWN = [
    outcome(FOOTSIES, run(0, 0.5, 0.25, 0.125), run(1, 0.5, 0.25, 0.125)),
    outcome(LARGER, run(0, 0.5, 0.25, 0.125), run(1, 0.5, 0.25, 0.125)),
    outcome(
        TICTACTOE,
        run(0, 1.0, 0.5, weaknesses=[CROSSES] * 5),
        run(1, 1.0, values={}, error=ERROR),
        run(2, 0.75, 0.25, None, values={}),
    ),
    outcome(HELD_OUT, run(0, 1.0, 0.75), run(1, 1.0, 0.75)),
]


def text_of(page: ElementTree.Element) -> str:
    return re.sub(r"\s+", " ", " ".join(page.itertext()))


def written(folder: Path, own: Sequence[SizeOutcome], others: Sequence[SizeOutcome]) -> ElementTree.Element:
    """Writes a scorecard; returns the page, which is also well-formed XML."""
    page, *pictures, table, latex = write(compare(own, others), folder)
    assert [path.name for path in (page, table, latex)] == ["scorecard.html", "outcomes.csv", "scorecard.tex"]
    assert [path.name for path in pictures] == ["scorecard.png", "scorecard.svg", "scorecard.pdf"]
    for picture, begins in zip(pictures, (b"\x89PNG", b"<?xml", b"%PDF"), strict=True):
        assert picture.read_bytes().startswith(begins)
    return ElementTree.fromstring(page.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("card")


@pytest.fixture(scope="module")
def page(folder: Path) -> ElementTree.Element:
    others = [
        one for one in reference() if one.learner in ("PPO", "nash_vi", "MENACE") and one.size in (FOOTSIES, TICTACTOE)
    ]
    return written(folder, OWN, [*others, outcome(FOOTSIES, run(0, 0.0, 0.0), run(1, 0.0, 0.0), learner="another")])


@pytest.mark.slow
class TestThePage:
    def test_the_picture_says_what_an_opponent_wins_and_the_table_compiles(
        self, page: ElementTree.Element, folder: Path
    ) -> None:
        drawn = ElementTree.parse(folder / "scorecard.svg")
        assert page is not None and b"<dc:date>" not in ElementTree.tostring(drawn.getroot())
        table = (folder / "scorecard.tex").read_text()
        rows = [line.removesuffix(r" \\").split(" & ") for line in table.splitlines() if line.endswith(r"\\")]
        assert {len(row) for row in rows} == {5} and table.count(r"\begin{") == table.count(r"\end{") == 1
        assert rows[0] == ["game", "states", "exploitability", "decisions", "seconds"]
        assert rows[1] == ["Footsies", "129", "0.125", "2,000", "1"]
        assert rows[-1][0] == "interquartile mean, 2 games"
        assert all(line.startswith("%") or "<" not in line for line in table.splitlines())

    def test_it_says_who_was_measured_and_how(self, page: ElementTree.Element) -> None:
        said = text_of(page)
        assert f"{NAME}, not by {OPEN.version}" in said
        assert "Given transitions" in said
        assert "in each 2 to 3 runs of 5 processor seconds" in said
        assert f"{NAME} has 2 to 3 runs of 5 processor seconds in each game, the others 2 to 10 runs of 5 to 60" in said
        assert "There is no interval with fewer than 5 seeds" in said
        deviations = "not by the protocol: 2 seeds instead of 10; 5 processor seconds instead of 60; without "
        (missing,) = re.findall(f"{deviations}(.*?)\\.", said)
        assert set(missing.split("; ")) == {size.title for size in OPEN.sizes if size.small} - {
            one.size.title for one in OWN
        }

    def test_a_failed_run_is_named_and_counts_as_the_worst(self, page: ElementTree.Element) -> None:
        said = text_of(page)
        assert ERROR in said
        assert "counts as exploitability 1.0" in said
        assert "1 of 9 runs , which count as exploitability 1.0" in said
        (mean,) = re.findall(r"Result ([\d.]+) :", said)  # two games have 0.125 twice, the third 0.25, 0.5 and 1
        assert float(mean) == pytest.approx(((2 / 3 - 0.25) * 0.125 + (0.75 - 2 / 3) * 0.25) / 0.5, abs=TWO_DIGITS)

    def test_what_could_not_be_measured_is_named(self, page: ElementTree.Element) -> None:
        assert "The last policy could not be measured; the score is that after 1,000." in text_of(page)

    def test_held_out_games_are_apart(self, page: ElementTree.Element) -> None:
        said = text_of(page)
        assert "Held out 0.75 : the same in 1 game outside the protocol" in said
        assert "3 games of the protocol" in said

    def test_every_game_has_its_pictures_with_a_text(self, page: ElementTree.Element) -> None:
        pictures = [one.attrib for one in page.iter() if one.tag.endswith("svg")]
        assert {one["role"] for one in pictures} == {"img"}
        texts = [one["aria-label"] for one in pictures]
        assert len(texts) == len(set(texts)) == 1 + len(OWN)
        assert {f"{one.size.title}: exploitability over processor seconds" for one in OWN} <= {*texts}

    def test_learners_are_compared_where_both_have_learned(self, page: ElementTree.Element) -> None:
        rows = {row[0]: row[1:] for row in self.table(page, "Other learners")}
        assert {name: row[3:] for name, row in rows.items()} == {
            "nash_vi": ["2", "transitions"],
            "PPO": ["2", "transitions"],
            "MENACE": ["1", "transitions"],
            "another": ["1", "transitions"],
        }
        assert rows["nash_vi"][0] == "0"
        assert rows["nash_vi"][2] == "0"
        assert "In the 2 games that all of these 3 learners were run in (Footsies; tic-tac-toe)" in text_of(page)
        assert "rank 2 of 3" in text_of(page)
        assert "Nobody else was run in Footsies, 3 rounds" in text_of(page)

    def test_regret_is_what_best_responses_to_scripted_players_win_more(self, page: ElementTree.Element) -> None:
        for _, _, regret, *_ in self.table(page, "Opponents"):
            assert float(regret) == pytest.approx(1 / 3 - 0.25, abs=TWO_DIGITS)

    def test_the_three_worst_states_are_in_words(self, page: ElementTree.Element) -> None:
        rows = self.table(page, "States of tic-tac-toe")
        assert rows == [[sided(GAME, GAME.text(CODE)).strip(), "crosses", "2: 75%, 3: 25%", "9: 100%", "-", "0.12"]] * 3

    def test_opponents_win_what_the_learner_loses(self, page: ElementTree.Element) -> None:
        assert self.table(page, "Opponents")[0] == ["Footsies", "+0.125", "0.0833", "random -0.25"]

    def test_cost_is_in_decisions_and_seconds(self, page: ElementTree.Element) -> None:
        assert self.table(page, "Figures by game")[0] == [
            "Footsies", "129", "0.125", "0.125 to 0.125", "2,000", "1", "2,000",
        ]  # fmt: skip

    def test_it_is_one_file_without_scripts(self, page: ElementTree.Element) -> None:
        assert page.attrib == {"lang": "en"}
        tags = {one.tag.rpartition("}")[2] for one in page.iter()}
        assert not tags & {"script", "img", "link", "iframe"}
        links = [value for one in page.iter() for name, value in one.attrib.items() if name.endswith("href")]
        assert all(link.startswith("#") for link in links)
        assert "#012345" not in ElementTree.tostring(page, encoding="unicode")  # ink is the page's own colour

    def test_ids_are_unique_and_lead_somewhere(self, page: ElementTree.Element) -> None:
        ids = [one.attrib["id"] for one in page.iter() if "id" in one.attrib]
        assert len(ids) == len(set(ids))
        drawn = ElementTree.tostring(page, encoding="unicode")
        assert {*re.findall(r"url\(#([^)]+)\)", drawn), *re.findall(r'href="#([^"]+)"', drawn)} <= set(ids)

    def test_the_table_has_every_point(self, page: ElementTree.Element, folder: Path) -> None:
        with (folder / "outcomes.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == sum(len(one.curve) for each in OWN for one in each.runs)
        assert {row["learner"] for row in rows} == {NAME}
        assert [row["score"] for row in rows if row["error"]] == ["1.0"]
        assert [row["exploitability"] for row in rows if row["game"] == "Footsies"] == ["0.5", "0.25", "0.125"] * 2
        assert {row["protocol"] for row in rows} == {f"not by {OPEN.version}"}

    @staticmethod
    def table(page: ElementTree.Element, name: str) -> list[list[str]]:
        (region,) = (one for one in page.iter("div") if one.get("aria-label") == name)
        assert region.find("table/caption") is not None
        return [["".join(cell.itertext()).strip() for cell in row] for row in region.iter("tr")][1:]


@pytest.mark.slow
def test_one_seed_without_others_has_neither_intervals_nor_empty_parts(tmp_path: Path) -> None:
    run_without_curve = RunOutcome(0, [], {}, [], ERROR)
    said = text_of(written(tmp_path, [outcome(FOOTSIES, run_without_curve, learner="$L$" * 20)], []))
    assert "Result 1 : exploitability" in said
    assert "no interval with fewer" in said and "interval;" not in said
    for part in ("over time", "Where it loses", "What beats it", "rank", "Other learners"):
        assert part not in said
    assert len((tmp_path / "outcomes.csv").read_text().splitlines()) == 2


@pytest.mark.slow
def test_five_seeds_have_intervals_and_what_is_solved_at_once_is_drawn(tmp_path: Path) -> None:
    own = outcome(FOOTSIES, *(run(seed, 0.5, 0.25, 0.125) for seed in range(5)))
    others = [outcome(FOOTSIES, *(run(seed, 0.0) for seed in range(5)), learner="at once")]
    page = written(tmp_path, [own], others)
    said = text_of(page)
    assert "Result 0.12 : exploitability" in said and "no interval" not in said
    assert "rank 2 of 2 ; it has this rank in 100 % of the resamples" in said
    (picture,) = (one for one in page.iter() if one.get("aria-label", "").endswith("over processor seconds"))
    assert "at once" in text_of(picture)


def test_shares_are_of_the_largest_possible_return() -> None:
    (uneven,) = (size for size in OPEN.sizes if size.title == "Roshambo, uneven")
    assert outcome(uneven, run(0, 150.0, 30.0)).scores == [0.1]
    assert uneven.family == "Roshambo, uneven"


@pytest.mark.slow
def test_large_games_are_apart_and_have_all_their_digits(tmp_path: Path) -> None:
    small, *large = (
        outcome(size, *(run(seed, 0.5, share) for seed in range(5)))._replace(states=states)
        for size, share, states in ((FOOTSIES, 0.125, 1_527_694), (MEDIUM, 0.25, 1_527_694), (LARGE, 0.5, 28_823_580))
    )
    said = text_of(written(tmp_path, [small, *large], []))
    assert "Result 0.12 : exploitability in the small ones" in said
    assert "Large games 0.38 : the same" in said
    assert "The games have 1,527,694 to 28,823,580 states" in said


def test_what_is_counted_is_named_states_or_histories() -> None:
    by_title = {size.title: size for size in HIDDEN.sizes}
    known = {"Kuhn poker": 12, "liar's dice": 24_576, "dark hex, 3 x 3, abrupt": 14_647_765_747}
    own = [outcome(by_title[title], run(0, 0.5))._replace(states=states) for title, states in known.items()]
    assert scorecard._states(own) == "12 to 24,576 information states or 14,647,765,747 histories"
    assert [scorecard.cost(one)["states"] for one in own] == ["12", "24,576", "14,647,765,747 histories"]


def test_the_ranking_is_of_small_games_if_there_are_any() -> None:
    def reached(size: Size, *shares: float, learner: str = NAME) -> SizeOutcome:
        return outcome(size, *(run(seed, 1.0, share) for seed, share in enumerate(shares)), learner=learner)

    own = [reached(FOOTSIES, 0.25), reached(MEDIUM, 0.5), reached(HELD_OUT, 0.75)]
    others = [reached(one.size, 0.125, 0.125, learner="other") for one in own[:2]]
    comparison = compare(own, others)
    assert comparison.titles == ["Footsies"]
    assert [(row.learner, row.rank, row.mean.value) for row in comparison.ranking] == [
        ("other", 1, 0.125),
        (NAME, 2, 0.25),
    ]
    assert [row.games for row in comparison.improvements] == [2]
    assert compare(own[1:], []).titles == ["Bodega Brawl, medium"]
    with pytest.raises(ValueError, match="one outcome in each game"):
        compare(own, others * 2)


@pytest.mark.slow
def test_a_page_is_the_same_each_time(tmp_path: Path) -> None:
    one, other = (write(compare(OWN[:1], []), tmp_path / name)[0] for name in "ab")
    assert one.read_text() == other.read_text()


def test_outcomes_of_one_learner_are_needed() -> None:
    for own in ([], [OWN[0], OWN[1]._replace(learner="another")], [OWN[3]]):
        with pytest.raises(ValueError, match="one learner in games of the protocol"):
            compare(own, [])


def test_the_headline_is_in_per_cent_with_two_digits() -> None:
    own = [one._replace(learner="mine") for one in reference() if one.learner == "policy_gradient"]
    headline, note = scorecard.seen(compare(own, reference()))
    lost = r"mine loses \d\.\d% of all that it can lose: number 7 of 9 learners\."
    assert re.fullmatch(rf"To an opponent who knows how it plays, {lost}", headline)
    assert "Perfect play: 0%." in note
    hasty, _ = scorecard.seen(compare([one._replace(seconds=1.0) for one in own], reference()))
    assert hasty.endswith("learners (1 s a run, not comparable).")
