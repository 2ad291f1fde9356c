"""The pictures of the games in the documentation."""

from pathlib import Path

import pytest
from matplotlib.image import imread

from nashzoo.envs import games
from studies.gallery import main, recalled, scenes

ROOT = Path(__file__).resolve().parents[2]


def test_every_game_is_drawn_once_and_all_in_one_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(tmp_path)
    assert capsys.readouterr().out == f"written to {tmp_path}\n"
    assert {scene.game.name for scene in scenes()} <= set(games()) and len(scenes()) == 5  # tests register others
    drawn = {path.name: imread(path) for path in tmp_path.iterdir()}
    assert set(drawn) == {"games.png", *(f"{scene.file}.png" for scene in scenes())}
    height, width, _ = drawn["games.png"].shape
    assert 2 * width == pytest.approx(3 * height, rel=0.02)
    for name, image in drawn.items():
        assert image.std() > 0.05
        assert imread(ROOT / "docs" / "images" / name).shape == image.shape


def test_the_pages_show_them() -> None:
    assert "(docs/images/games.png)" in (ROOT / "README.md").read_text(encoding="utf-8").split("```")[0]
    for scene in scenes():
        page = (ROOT / "docs" / f"{scene.file}.md").read_text(encoding="utf-8")
        assert f"(images/{scene.file}.png)" in page


def test_throws_by_hand() -> None:
    assert recalled("PR SS") == 3 * 9 + 8
