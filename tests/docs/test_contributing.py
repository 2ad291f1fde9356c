"""CONTRIBUTING.md shows the packages as they are."""

from packages import PAGE, PICTURE, imports_between, package_map, picture, top_down, with_map


def test_the_map_is_made_from_the_code() -> None:
    page = PAGE.read_text()
    assert page == with_map(page, package_map()), "make map writes it"
    assert PICTURE.read_text() == picture(), "make map draws it"


def test_no_mark_stands_left_of_the_diagonal() -> None:
    place = {package: number for number, package in enumerate(top_down())}
    counts = imports_between()
    assert counts["envs/api", "envs/core"] >= 5  # every kind of environment
    assert all(place[package] < place[target] for package, target in counts)
