"""Pages have the figures of their studies, and the studies run."""

import csv
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.image import imread

from nashzoo import agents
from nashzoo.baselines import best_response
from nashzoo.envs import footsies_v0, roshambo_v0
from studies import deep_hedge, game_pictures, learning_curves, reward_and_truth, roshambo, self_play

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


@pytest.mark.slow
def test_every_game_is_drawn_and_shown(tmp_path: Path) -> None:
    game_pictures.draw_boards(tmp_path)
    assert len(list(tmp_path.iterdir())) == 5
    for drawn in tmp_path.iterdir():
        assert imread(DOCS / "images" / drawn.name).shape == imread(drawn).shape
        assert f"(images/{drawn.name})" in (DOCS / f"{drawn.stem}.md").read_text()


def test_regret_by_hand() -> None:
    # Rock against R P S R P gets 0 -1 1 0 -1. The best single throw after each: P 1; P 1; R, P, S 0; P 1; P 1.
    game = roshambo_v0.game(rounds=5)
    regret = roshambo.regret(game, agents.make("constant", game), agents.make("rotating", game), 3, seed=0)
    assert regret.tolist() == [[1, 2, 0, 1, 2]] * 3


@pytest.mark.slow
def test_the_study_of_roshambo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = roshambo_v0.game(rounds=50)
    monkeypatch.setattr(roshambo.roshambo_v0, "game", lambda: game)
    roshambo.main(2, tmp_path / "regret.png")
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    best = {row[0]: row[1] for row in rows}
    assert (best["`constant`"], best["`biased`"], best["`copy`"]) == ("50.0", "12.5", "49.0")
    assert (tmp_path / "regret.png").stat().st_size
    page = (DOCS / "roshambo_theory.md").read_text()
    assert all(f"`{name}`" in page for name in (*roshambo.KNOWN, *roshambo.RIVALS))


@pytest.mark.slow
def test_the_study_of_self_play(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_play, "GAMES", {"Footsies": footsies_v0.game()})
    monkeypatch.setattr(self_play, "ITERATIONS", 100)
    self_play.main(tmp_path / "picture.png")
    cells = [cell.strip() for cell in capsys.readouterr().out.splitlines()[-1].strip("|").split("|")]
    assert cells[0] == "Footsies" and float(cells[2]) < self_play.ENOUGH < float(cells[4]) < 0.15
    assert (tmp_path / "picture.png").stat().st_size


def test_the_page_has_the_figures_of_the_whole_soccer_field() -> None:
    with (DOCS / "results" / "values_field.csv").open() as file:
        answers = list(csv.DictReader(file))
    page = (DOCS / "values.md").read_text()
    for figure in ("evaluate", "exploitability"):
        mine = [row for row in answers if row["figure"] == figure]
        refused = sum(row["refused"] == "True" for row in mine)
        line = rf"the whole soccer field \| `{figure}` \| +{len(mine)} \| 0 \| 0 \| {refused} \|"
        assert len(re.findall(line, page)) == 1, figure


def test_the_first_picture_has_the_figures_of_its_file_and_moves_only_where_motion_is_wanted() -> None:
    game, text = footsies_v0.game(), reward_and_truth.PICTURE.read_text()
    lines = reward_and_truth.curves()
    most = best_response(game, agents.make(reward_and_truth.OPPONENT, game), player=0).value
    assert text == reward_and_truth.picture(lines, most), "python -m studies.reward_and_truth --draw"
    drawing = ElementTree.fromstring(text)
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}polyline"))) == len(lines) == 3
    still, moving = text.split("@media (prefers-reduced-motion: no-preference)")
    assert "animation:" not in still and "0%, 16% { opacity: 1 }" in moving
    for page, folder in ((ROOT / "README.md", "docs/images"), (DOCS / "index.md", "images")):
        assert f"({folder}/{reward_and_truth.PICTURE.name})" in page.read_text().split("## ")[0]


def test_the_first_picture_shows_what_it_says() -> None:
    lines = reward_and_truth.curves()
    ends = {line: points[-1][1] for line, points in lines.items()}
    rewards, exploited = reward_and_truth.COLUMNS[3:]
    assert ends["PPO", rewards] == pytest.approx(0.5, abs=0.005)  # all that can be won from the opponent
    assert ends["PPO", exploited] > 0.99 and ends["policy_gradient", exploited] < 0.05
    assert min(points[-1][0] for points in lines.values()) > 0.6 * reward_and_truth.SECONDS


@pytest.mark.slow
def test_the_study_of_the_first_picture_trains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(reward_and_truth.RUNS, "PPO", "--opponent counter --timesteps 8192 --num-envs 8")
    rows = list(reward_and_truth.trained("PPO"))
    assert [name for name, *_ in rows] == ["PPO"] * len(rows) and len(rows) >= 2
    assert float(str(rows[0][4])) < float(str(rows[-1][4])) <= 1


def test_the_page_of_results_has_the_small_table_of_the_large_one() -> None:
    assert learning_curves.PAGE.read_text() == learning_curves.page(), "python -m studies.learning_curves"
    with (DOCS / "results" / "results.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["game"].startswith("tictactoe") and row["player"] == "PPO"]
    by_seed = {row["seed"]: float(row["exploitability"]) for row in rows}
    (line,) = re.findall(r"^\| tic-tac-toe \| ([\d.]+) ", learning_curves.PAGE.read_text(), re.MULTILINE)
    assert float(line) == pytest.approx(sum(by_seed.values()) / len(by_seed), abs=0.0005)


def test_the_picture_of_deep_hedge_says_what_is_stored() -> None:
    ends = {name: deep_hedge.leduc()[name].scores[0] * 13 for name in deep_hedge.PLACES}  # chips, of 13 at stake
    assert max(ends["mccfr"], ends["deep_hedge"]) < 0.1 < ends["policy_gradient"] < ends["PPO"]
    text = deep_hedge.PICTURE.read_text()
    assert text == deep_hedge.picture(), "python -m studies.deep_hedge"
    assert all(f">{deep_hedge.ENDS[name][0]} {end:.2g}</text>" in text for name, end in ends.items())
    assert f">{ends['deep_hedge']:.2g} chips a game" in text
    assert "(images/learning-leduc.svg)" in (DOCS / "deep_hedge.md").read_text()


@pytest.mark.slow
def test_the_curves_are_drawn_the_same_again_without_a_date_and_in_both_themes() -> None:
    for file, picture in learning_curves.drawn():
        text = file.read_text()
        assert text == picture, "python -m studies.learning_curves"
        assert "date" not in text and all(f"prefers-color-scheme: {theme}" in text for theme in ("light", "dark"))
