"""Logarithmic axes have plain numbers."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from nashzoo.arena.pictures import plain_numbers


@pytest.mark.parametrize(
    ("limits", "numbers"),
    [
        ((3e-6, 2.0), ["0.00001", "0.0001", "0.001", "0.01", "0.1", "1"]),
        ((0.15, 3.0), ["0.2", "0.5", "1", "2"]),
        ((0.5, 2000.0), ["1", "10", "100", "1000"]),
    ],
)
def test_numbers_are_plain_and_there_are_enough(limits: tuple[float, float], numbers: list[str]) -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.set(yscale="log", ylim=limits)
    plain_numbers(axes.yaxis)
    FigureCanvasAgg(figure).draw()
    low, high = limits
    shown = [label.get_text() for label in axes.get_yticklabels() if low <= label.get_position()[1] <= high]
    assert shown == numbers and not any(label.get_text() for label in axes.get_yticklabels(minor=True))
