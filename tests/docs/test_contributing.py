"""CONTRIBUTING.md shows the house as it is."""

from floors import PAGE, PICTURE, floor_map, imports_between, picture, rooms, with_map


def test_the_map_is_drawn_from_the_code() -> None:
    page = PAGE.read_text()
    assert page == with_map(page, floor_map()), "draw it anew: make map"


def test_the_picture_is_drawn_from_the_code() -> None:
    assert PICTURE.read_text() == picture(), "draw it anew: make map"


def test_no_mark_stands_left_of_the_diagonal() -> None:
    place = {room: number for number, room in enumerate(rooms())}
    found = imports_between()
    assert found["envs/api", "envs/core"] >= 5  # every kind of environment
    assert all(place[room] < place[target] for room, target in found)
