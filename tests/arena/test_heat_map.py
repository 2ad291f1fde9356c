"""Heat maps: every text in its own cell, readable on its colour."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from nashzoo.arena.pictures import draw_cells, need_matplotlib, write

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


@pytest.mark.parametrize("colours", ["RdBu", "RdBu_r"])
def test_texts_are_white_on_dark_colours(colours: str) -> None:
    axes = Figure().add_subplot()
    draw_cells(axes, VALUES, TEXTS, 1.0, colours)
    white = {text.get_text() for text in axes.texts if text.get_color() == "white"}
    assert white == {"a", "b"}


def figure_of_cells() -> Figure:
    figure = Figure()
    draw_cells(figure.add_subplot(), VALUES, TEXTS, 1.0)
    return figure


def test_what_is_above_0_is_blue_and_what_is_below_red() -> None:
    (red_above, _, blue_above, _), (red_below, _, blue_below, _) = (
        figure_of_cells().axes[0].images[0].to_rgba(VALUES[0, :2])
    )
    assert blue_above > red_above
    assert red_below > blue_below


def test_a_figure_is_written_whole(tmp_path: Path) -> None:
    figure = figure_of_cells()
    for name, start in (("t.png", b"\x89PNG"), ("t.svg", b"<?xml"), ("t", b"\x89PNG")):
        write(figure, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_the_same_figure_gives_the_same_file(tmp_path: Path, kind: str) -> None:
    for name in ("a", "b"):
        write(figure_of_cells(), tmp_path / f"{name}.{kind}")
    text = (tmp_path / f"a.{kind}").read_bytes()
    assert text == (tmp_path / f"b.{kind}").read_bytes() and b"date>" not in text and b"CreationDate" not in text


def test_matplotlib_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pictures need matplotlib: pip install '\.\[train\]'"):
        need_matplotlib()
