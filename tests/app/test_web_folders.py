"""Folders of runs, tournaments and tables of results, as the pages show them."""

import csv
import json
import shutil
import statistics
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from command import Command
from nashzoo.app.shared.words import NOT_COMPUTED
from nashzoo.app.web import folders
from nashzoo.app.web.library import Library
from nashzoo.app.web.routes import Application
from nashzoo.arena.measurement.checkpoints import FILE, content_of, signed
from nashzoo.arena.measurement.protocol import OPEN
from nashzoo.arena.measurement.runs import BenchTask
from nashzoo.envs.base.errors import UsageError
from training import report_of, trained

ROOT = Path(__file__).resolve().parents[2]


def columns(table: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the cells by row and column."""
    name = table["columns"].index("player") if "player" in table["columns"] else 0
    return {row[name]: dict(zip(table["columns"], row, strict=True)) for row in table["rows"]}


def written(folder: Path, **content: Any) -> None:
    """Writes a part of the file of a run anew."""
    before = content_of(folder / FILE) if (folder / FILE).exists() else {}
    (folder / FILE).write_text(json.dumps(signed(before | content)))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("whole")
    trained(folder, game="footsies_v0", algorithm="minimax_q", timesteps=2000, games=20)
    return folder


def test_a_run_is_followed_while_it_trains_and_shown_when_it_is_done(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    done, report = folders.shown(tmp_path), report_of(tmp_path)
    assert (done["kind"], done["live"]) == ("run", False)
    exploitability = done["charts"][1]["series"][0]["y"]
    assert exploitability[-1] == report["exploitability"] and done["charts"][1]["x"][-1] == report["timesteps"]
    assert (
        columns(done["tables"][0])["The Simple-Minded (counter)"]["exact"]["value"]
        == report["rows"]["counter"]["exact_value"]
    )
    unknown = any(row["exact_value"] is None for row in report["rows"].values())
    assert unknown and done["tables"][0]["about"].endswith("\N{EN DASH}: " + NOT_COMPUTED)
    (tmp_path / "report.json").unlink()
    going_on = folders.shown(tmp_path)
    assert going_on["live"] and going_on["tables"] == [] and going_on["charts"][1]["series"][0]["y"] == exploitability
    written(tmp_path, curve=[])
    assert folders.shown(tmp_path)["charts"] == []


def test_a_run_of_the_benchmark_is_shown_like_one_of_training(tmp_path: Path) -> None:
    task = BenchTask("minimax_q", OPEN.sizes_of(["Footsies, 1 round, 1 block"], False)[0], 0, 0.02, tmp_path)
    curve = task()["curve"]
    shown = folders.shown(tmp_path / task.name)
    assert (shown["title"], shown["live"]) == ("minimax_q in self-play in footsies_v0:blocks=1", True)
    (chart,) = shown["charts"]
    assert chart["series"][0]["y"] == [point["exploitability"] for point in curve]


def test_a_tournament_is_shown_with_its_intervals(nashzoo: Command, tmp_path: Path) -> None:
    nashzoo("tournament footsies_v0 --agents nash counter --games 50 --out .")
    standings, cross_table = folders.shown(tmp_path)["tables"]
    lines = list(csv.DictReader((tmp_path / "cross_table.csv").read_text().splitlines()))
    cell = columns(cross_table)["nash"]["counter"]
    line = next(line for line in lines if line["player"] == "nash")
    assert [cell["value"], cell["low"], cell["high"]] == [
        float(line[name]) for name in ("win_share", "win_low", "win_high")
    ]
    assert columns(cross_table)["nash"]["nash"]["value"] is None
    assert {row["player"] for row in columns(standings).values()} == {"nash", "counter"}


def test_the_table_of_results_is_shown_with_means_over_seeds() -> None:
    shown = folders.shown(ROOT / "docs" / "results")
    titles = [table["title"].partition("(")[0] for table in shown["tables"]]
    assert titles[0] == "footsies_v0"
    assert "tictactoe_v0" in titles
    first = shown["tables"][0]
    groups = {str(row[first["group"]]).partition(", ")[0] for row in first["rows"]}
    assert groups == {"transitions", "a simulator", "the rules", "by hand"}
    assert [first["columns"][place] for place in first["aside"]] == ["kind"]
    rows = columns(first)
    assert rows["exact solution"]["exploitability"]["value"] == 0
    lines = csv.DictReader((ROOT / "docs" / "results" / "results.csv").read_text().splitlines())
    found = {
        line["seed"]: float(line["exploitability"])
        for line in lines
        if line["game"].startswith("footsies") and line["player"] == "policy_gradient"
    }
    cell = rows["policy_gradient"]["exploitability"]
    assert cell["value"] == pytest.approx(statistics.fmean(found.values()))
    assert 0 <= cell["low"] < cell["value"] < cell["high"]


def test_folders_that_cannot_be_shown(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no training run \(run.json\), games of MENACE \(games.csv\), tourn"):
        folders.shown(tmp_path)
    (tmp_path / FILE).write_text("[]")
    with pytest.raises(UsageError, match=r"run.json is missing, or is not what was written"):
        folders.shown(tmp_path)
    (tmp_path / FILE).unlink()
    written(tmp_path, about={"opponent": None, "algorithm": "ppo", "game": "footsies_v0"}, curve=[])
    application = Application(Library(), folders=(tmp_path,))
    client = TestClient(Starlette(routes=application.routes()))
    assert client.get("/api").json()["folders"] == [{"folder": str(tmp_path), "kind": "run"}]
    assert client.get("/api/folder", params={"folder": str(tmp_path)}).json()["live"] is True
    refused = client.get("/api/folder", params={"folder": "/etc"})
    assert refused.status_code == 403
    assert refused.json()["error"] == "only folders that were named on the command line can be looked at"
    application.close()


def test_a_run_has_a_headline_and_an_opponent_and_names_its_pictures(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    for kind in ("png", "svg"):
        (tmp_path / f"report.{kind}").touch()
    (model,) = folders.learned(tmp_path)
    application = Application(Library(named_players=[model]), folders=(tmp_path,))
    client, asked = TestClient(Starlette(routes=application.routes())), {"folder": str(tmp_path)}
    shown = client.get("/api/folder", params=asked).json()
    assert shown["title"] == "minimax_q in self-play in footsies_v0"
    assert shown["headline"].startswith("An opponent who knows minimax_q wins ")
    assert shown["facts"]["pictures"] == "report.png, report.svg"
    assert shown["play"] == [{"game": "footsies_v0", "p1": model}]
    offered = {one["game"]: [player["name"] for player in one["agents"]] for one in client.get("/api").json()["games"]}
    assert [game for game, names in offered.items() if model in names] == ["footsies_v0"]
    match = {"game": shown["play"][0]["game"], "players": ["human player", shown["play"][0]["p1"]], "seed": 0}
    begun = client.post("/api/matches", json=match).json()
    assert client.post(f"/api/matches/{begun['id']}/step", json={"actions": {"0": 0}}).json()["steps"]
    application.close()
    written(tmp_path, about=content_of(tmp_path / FILE)["about"] | {"opponent": "counter"})
    told = report_of(tmp_path) | {
        "headline": "minimax_q wins 0.40 of at most 0.50 a game from counter (sampled: 0.3 to 0.5)."
    }
    (tmp_path / "report.json").write_text(json.dumps(told))
    named = folders.shown(tmp_path)  # the opponent has one name
    assert named["headline"] == "Wins 0.40 of at most 0.50 a game from the Simple-Minded (counter)."
    assert named["title"] == "minimax_q against the Simple-Minded (counter) (sampled: 0.3 to 0.5) in footsies_v0"
    for told in ("loses 0.25 a game to", "wins 0.20 a game from"):
        (tmp_path / "report.json").write_text(json.dumps(report_of(tmp_path) | {"headline": f"PPO {told} counter."}))
        assert folders.shown(tmp_path)["headline"] == f"PPO {told} the Simple-Minded (counter)."


def test_the_last_point_of_the_curve_is_the_figure_of_the_headline(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    report = report_of(tmp_path) | {"opponent": "bayesian"}
    (tmp_path / "report.json").write_text(json.dumps(report))
    point = {"timesteps": report["timesteps"], "games": 1, "value": 0.5, "exploitability": 0.25, "seconds": 0.0}
    written(tmp_path, curve=[point | {"timesteps": 0}, point])
    row = report["rows"]["bayesian"]  # which remembers, so that its figures are sampled
    points = folders.shown(tmp_path)["charts"][0]
    assert points["within"] == [-1, 1]  # so that little looks like little
    assert points["series"][0]["y"][-1] == row["points_per_game"] and row["exact_value"] is None


def test_a_folder_of_runs_stands_for_them(whole: Path, tmp_path: Path) -> None:
    for name in ("second", "first"):
        shutil.copytree(whole, tmp_path / name)
    (tmp_path / "empty").mkdir()
    assert folders.inside(tmp_path) == [tmp_path / "first", tmp_path / "second"]
    assert folders.inside(tmp_path / "first") == [tmp_path / "first"]
    with pytest.raises(UsageError, match="holds no training run"):
        folders.inside(tmp_path / "empty")


def test_matchboxes_are_shown_with_their_points_and_played(nashzoo: Command, tmp_path: Path) -> None:
    nashzoo.prints(f"menace train --opponent perfect --side noughts --iterations 40 --seed 0 --out {tmp_path} --json")
    shown, (boxes,) = folders.shown(tmp_path), folders.learned(tmp_path)
    lost = -sum(
        line["outcome"] == "crosses won" for line in csv.DictReader((tmp_path / "games.csv").read_text().splitlines())
    )
    assert shown["title"] == "MENACE after 40 games" and shown["charts"][0]["series"][0]["y"][-1] == lost < 0
    assert shown["play"] == [{"game": "tictactoe_v0", "p1": boxes}]
    library = Library(named_players=[boxes])
    assert library.agent(boxes, library.game("tictactoe_v0"), 0).name
    assert not any(one["name"] == boxes for one in library.agents(library.game("footsies_v0")))


def asked_for(folder: Path) -> Any:
    """Returns what the server answers to who looks at a folder."""
    application = Application(Library(), folders=(folder,))
    answer = TestClient(Starlette(routes=application.routes())).get("/api/folder", params={"folder": str(folder)})
    application.close()
    return answer


@pytest.mark.parametrize("figure", ["NaN", "Infinity", "1e999", "null"])
def test_figures_that_are_no_numbers_are_shown_as_unknown(whole: Path, tmp_path: Path, figure: str) -> None:
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    report = report_of(tmp_path)
    report["rows"]["counter"] |= {"standard_error": "FIGURE", "exact_value": "FIGURE"}
    (tmp_path / "report.json").write_text(json.dumps(report).replace('"FIGURE"', figure))
    curve = content_of(tmp_path / FILE)["curve"]
    curve[0]["exploitability"] = json.loads(figure)
    written(tmp_path, curve=curve)
    answer = asked_for(tmp_path)
    assert answer.status_code == 200
    assert answer.json()["charts"][1]["series"][0]["y"][0] is None
    row = columns(answer.json()["tables"][0])["The Simple-Minded (counter)"]
    assert row["exact"]["value"] is None and row["points per game"]["low"] is None


@pytest.mark.parametrize("text", ["[]", "{}", '{"rows": []}', "[" * 200_000, "\\xff"])
def test_a_damaged_report_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    written(tmp_path, about={"opponent": None, "algorithm": "ppo", "game": "footsies_v0"}, curve=[])
    (tmp_path / "report.json").write_text(text)
    answer = asked_for(tmp_path)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(f"a file in {tmp_path} is damaged: ")
