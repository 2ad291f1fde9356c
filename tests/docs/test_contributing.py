"""CONTRIBUTING.md shows the house as it is."""

from floors import PAGE, floor_map, with_map


def test_the_map_is_drawn_from_the_code() -> None:
    page = PAGE.read_text()
    assert page == with_map(page, floor_map()), "draw it anew: make map"
