"""The one style: headlines fit, names stay apart beside their lines, and files are the same each time."""

import itertools
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from nashzoo.arena.pictures import (
    DASHES,
    LONGEST,
    SERIES,
    End,
    all_shortened,
    headed,
    name_ends,
    shortened,
    style,
    write_each,
)  # fmt: skip
from nashzoo.envs.drawing.palette import PLAYER_COLOURS, shade


@style()
def drawn(names: int, headline: str = "One line falls.") -> Figure:
    figure = Figure(figsize=(6, 4), layout="constrained")
    headed(figure, headline, "and what it is, for 1 $")
    axes, ends = figure.subplots(), []
    for number in range(names):
        axes.plot([0, 1], [0.0, number / 1000])
        ends.append(End(1.0, number / 1000, f"line {number}", SERIES[0]))
    axes.axhline(1.0)
    name_ends(axes, ends)
    FigureCanvasAgg(figure).draw()
    return figure


def test_names_are_apart_in_the_order_of_their_lines() -> None:
    texts = drawn(6).axes[0].texts
    boxes = [Text.get_window_extent(text) for text in texts]  # without the lines that lead to them
    assert [text.get_text() for text in texts] == [f"line {number}" for number in range(6)]
    assert all(lower.y1 <= upper.y0 for lower, upper in itertools.pairwise(boxes))


def test_a_long_headline_stays_within_the_picture() -> None:
    figure = drawn(2, 40 * "words ")
    box, width = figure.get_tightbbox(), figure.get_size_inches()[0]
    assert box.x0 >= 0 and box.x1 <= width


def test_lines_differ_without_colours_and_the_first_colours_are_the_sites() -> None:
    assert len(set(map(str, DASHES))) == len(DASHES)
    assert [to_rgb(colour) for colour in SERIES[:2]] == [to_rgb(shade(player)) for player in PLAYER_COLOURS]


@pytest.mark.slow
def test_a_picture_is_written_in_each_format_the_same_each_time(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        paths = write_each(drawn(2), tmp_path / folder / "it")
        assert [path.name for path in paths] == ["it.png", "it.svg", "it.pdf"]
    for path in paths:
        assert path.read_bytes() == (tmp_path / "a" / path.name).read_bytes()


def test_names_that_begin_and_end_alike_stay_apart() -> None:
    long = [f"mcts(simulations={number},search_seed=12345)" for number in (20, 21)]
    names = all_shortened([*long, "nash", f"{'x' * 30}$"])
    assert [name.replace("\n", "") for name in names[:3]] == [*long, "nash"]
    assert max(len(line) for name in names for line in name.split("\n")) <= LONGEST + 1
    assert names[3].endswith(r"x\$") and len(names[3]) == LONGEST + 1


def test_a_dollar_is_written_as_one_also_where_a_name_was_shortened_before() -> None:
    figure = Figure()
    headed(figure, f"{shortened('$a$')} wins 1 $.")
    assert figure.get_suptitle() == r"\$a\$ wins 1 \$."
