"""The site of the documentation: what its pages say of games, pictures and addresses is what the program knows."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
from PIL import Image, ImageSequence
from starlette.routing import Route

from command import Command
from nashzoo.app.menace.web import menace_page
from nashzoo.app.web.library import Library
from nashzoo.app.web.routes import Application
from nashzoo.arena import records
from nashzoo.baselines import solve
from nashzoo.envs import make_game
from studies.game_pages import DOCS, HEADINGS, TITLES, measured, pages
from studies.game_pictures import IMAGES, MATCHES, SOLUTIONS, animation_commands
from studies.tables import run

LARGEST_PICTURE = 300_000  # bytes
MOST_IN_THE_SIDEBAR = 35  # pages of the front page's toctrees; it shows no others but those below the present one
EXACT = 1e-9

sys.path.append(str(DOCS / "_ext"))


def headings(page: Path) -> list[str]:
    outside_code = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^## (.*)$", outside_code, re.MULTILINE)


@pytest.mark.parametrize("game", TITLES)
def test_a_page_of_a_game_has_the_headings_of_all(game: str) -> None:
    assert headings(DOCS / f"{game}.md") == list(HEADINGS)


@pytest.mark.slow
def test_what_the_program_knows_is_on_the_pages() -> None:
    for page, text in pages().items():
        assert page.read_text() == text, f"write {page.name} anew: python -m studies.game_pages"


@pytest.mark.parametrize("game", ["footsies", "roshambo", "tictactoe", pytest.param("soccer", marks=pytest.mark.slow)])
def test_states_and_value_are_those_of_the_solution(game: str) -> None:
    solution, figures = solve(make_game(f"{game}_v0")), measured()["games"][game]
    assert solution.num_states == figures["states"]
    assert solution.start_value == pytest.approx(figures["value"], abs=EXACT)
    assert solution.certificate <= max(1e-10, 10 * figures["certificate"])


def test_so_many_states_has_bodega_brawl() -> None:
    game = make_game("bodega_brawl_v0")
    assert game.indexed_rules is not None
    assert game.indexed_rules.num_states(game.params) == measured()["games"]["bodega_brawl"]["states"]


@pytest.mark.parametrize("game", MATCHES)
def test_every_game_is_shown_by_a_small_moving_picture(game: str) -> None:
    file = IMAGES / f"{game}.gif"
    assert file.stat().st_size < LARGEST_PICTURE
    for page in (f"{game}.md", "games.md"):
        assert f"images/{game}.gif" in (DOCS / page).read_text()
    with Image.open(file) as image:
        count = image.n_frames  # type: ignore[attr-defined]
        assert count > 5
        durations = [frame.info["duration"] for frame in ImageSequence.Iterator(image)]
    assert durations.index(max(durations)) == count - 1  # the end of the match


@pytest.mark.parametrize("game", SOLUTIONS)
def test_every_solution_is_shown(game: str) -> None:
    page = (DOCS / f"{game}.md").read_text()
    solution = page[page.index("## The exact solution") : page.index("## Results")]
    assert f"images/{game}-solution.png" in solution and (IMAGES / f"{game}-solution.png").exists()


def test_a_moving_picture_has_a_frame_for_each_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    watch, picture = animation_commands("tictactoe")
    run(watch)
    assert "--match 2" in picture
    played = records.nth(tmp_path / "tictactoe.jsonl", 2)
    with Image.open(IMAGES / "tictactoe.gif") as image:
        assert image.n_frames == len(played.trajectory.steps) + 1  # type: ignore[attr-defined]


def toctrees() -> dict[str, list[str]]:
    """Returns by page the pages in its toctrees, all without the ending."""
    found = {}
    for page in DOCS.rglob("*.md"):
        blocks = re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
        lines = [line for block in blocks for line in block.splitlines() if line and not line.startswith(":")]
        names = [re.sub(r".*<(.*)>", r"\1", line) for line in lines]
        found[page.relative_to(DOCS).with_suffix("").as_posix()] = [
            (page.parent / name).resolve().relative_to(DOCS).as_posix() for name in names if name != "self"
        ]
    return found


def test_the_sidebar_is_short_and_leads_to_every_page() -> None:
    listed = toctrees()
    assert len(listed["index"]) <= MOST_IN_THE_SIDEBAR
    everywhere = sorted(page for pages in listed.values() for page in pages if "generated" not in page)
    assert everywhere == sorted(set(listed) - {"index"})


def test_a_page_links_to_the_pages_below_it() -> None:
    for parent, children in toctrees().items():
        text = (DOCS / f"{parent}.md").read_text()
        for child in children if parent != "index" else ():
            name = child.rpartition("/")[2]
            assert "generated" in child or re.search(rf"\]\([^)]*\b{name}\.md", text), (
                f"{parent} has no link to {child}"
            )


def test_every_key_of_a_record_is_on_its_page(nashzoo: Command) -> None:
    page = (DOCS / "records.md").read_text()
    keys = page[page.index("## The format") : page.index("## In Python")]
    listed = {key for row in re.findall(r"^\| (`.*?) \|", keys, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)}
    pig = DOCS.parent / "examples" / "games" / "pig.py"
    nashzoo.prints(f"watch {pig} random random --param target=5 --save by_chance.jsonl")
    nashzoo.prints("watch tictactoe_v0 random random --save plain.jsonl")
    by_chance, plain = (set(json.loads(Path(f"{name}.jsonl").read_text())) for name in ("by_chance", "plain"))
    assert by_chance - plain == {"chance"} and by_chance | {"by"} == listed


def test_every_address_of_the_web_is_on_its_page() -> None:
    page = (DOCS / "reference" / "http.md").read_text()
    listed = {
        (method, re.sub(r"\?.*", "", path))
        for method, path in re.findall(r"^- `(GET|POST) (/\S+?)`", page, re.MULTILINE)
    }
    application = Application(Library(), pages=[menace_page()])
    known = {
        ("POST" if "POST" in route.methods else "GET", route.path.replace("{id}", "ID"))
        for route in application.routes()
        if isinstance(route, Route) and "{rest:path}" not in route.path  # which refuses all others
    }
    application.close()
    assert listed == known


def test_links_out_of_the_folder_lead_to_the_pages_that_show_what_is_there() -> None:
    from outside_links import SHOWN_BY, moved

    assert moved("[a](../CONTRIBUTING.md#tests)", "docs", "docs/web.md") == "[a](development/contributing.md#tests)"
    assert moved("[a](docs/web.md)", "", "docs/development/contributing.md") == "[a](../web.md)"
    assert moved("[a](https://a.b/c) [b](#c)", "", "docs/development/contributing.md") == "[a](https://a.b/c) [b](#c)"
    for file, page in SHOWN_BY.items():
        assert (DOCS.parent / file).exists() and (DOCS.parent / page).exists()


def test_the_citation_names_this_version() -> None:
    listed = dict(re.findall(r"^(version|license): (.*)$", (DOCS.parent / "CITATION.cff").read_text(), re.MULTILINE))
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())["project"]
    assert listed == {"version": project["version"], "license": project["license"]}
