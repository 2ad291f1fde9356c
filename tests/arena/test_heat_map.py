"""Heat maps: every text in its own cell, readable on its colour."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from nashzoo.arena.heat_map import cross_table, draw_cells
from nashzoo.arena.pictures import need_matplotlib, write

VALUES = np.array([[1.0, -1.0, 0.0], [0.1, np.nan, -0.1]])
TEXTS = [["a", "b", "c"], ["d", "e", "f"]]


@pytest.mark.parametrize("origin", ["upper", "lower"])
def test_texts_stand_in_their_cells(origin: str) -> None:
    axes = Figure().add_subplot()
    draw_cells(axes, VALUES, TEXTS, 1.0, origin=origin, extent=(10.5, 13.5, 4.5, 6.5))
    written = {text.get_text(): text.get_position() for text in axes.texts}
    first, last = (6, 5) if origin == "upper" else (5, 6)
    assert written == {
        "a": (11, first), "b": (12, first), "c": (13, first), "d": (11, last), "e": (12, last), "f": (13, last)
    }  # fmt: skip


@pytest.mark.parametrize("colours", ["RdBu", "coolwarm"])
def test_texts_are_white_on_dark_colours(colours: str) -> None:
    axes = Figure().add_subplot()
    draw_cells(axes, VALUES, TEXTS, 1.0, colours)
    white = {text.get_text() for text in axes.texts if text.get_color() == "white"}
    assert white == {"a", "b"}


def test_a_cross_table_is_blue_above_0_and_red_below() -> None:
    figure = cross_table(VALUES, TEXTS, ["x", "y"], ["r", "s", "t"], ("who wins", "and where"), "points", 1.0, (2.0, 1.0))
    axes, bar = figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["r", "s", "t"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["x", "y"]
    assert (figure.get_suptitle(), figure.get_supxlabel(), bar.get_ylabel()) == ("who wins", "and where", "points")
    (red_above, _, blue_above, _), (red_below, _, blue_below, _) = axes.images[0].to_rgba(VALUES[0, :2])
    assert blue_above > red_above
    assert red_below > blue_below
    larger = cross_table(VALUES, TEXTS, ["x", "y"], ["r", "s", "t"], ("who wins", "and where"), "points", 1.0, (3.0, 1.5))
    np.testing.assert_allclose(larger.get_size_inches() - figure.get_size_inches(), [3, 1])


def test_a_figure_is_written_whole(tmp_path: Path) -> None:
    figure = cross_table(VALUES, TEXTS, ["x", "y"], ["r", "s", "t"], ("", ""), "", 1.0)
    for name, start in (("t.png", b"\x89PNG"), ("t.svg", b"<?xml"), ("t", b"\x89PNG")):
        write(figure, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_the_same_figure_gives_the_same_file(tmp_path: Path, kind: str) -> None:
    for name in ("a", "b"):
        write(cross_table(VALUES, TEXTS, ["x", "y"], ["r", "s", "t"], ("", ""), "", 1.0), tmp_path / f"{name}.{kind}")
    text = (tmp_path / f"a.{kind}").read_bytes()
    assert text == (tmp_path / f"b.{kind}").read_bytes() and b"date>" not in text and b"CreationDate" not in text


def test_matplotlib_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pictures need matplotlib: pip install '\.\[train\]'"):
        need_matplotlib()


def test_everything_lies_within_the_picture() -> None:
    figure = cross_table(
        VALUES[:1, :1], TEXTS[:1], ["x"], ["r"], (30 * "long ", "a note"), "points per match of the player", 1.0
    )
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    drawn = figure.get_tightbbox()
    assert drawn.x0 >= 0 and drawn.y0 >= 0
    assert (drawn.max <= figure.get_size_inches()).all()
