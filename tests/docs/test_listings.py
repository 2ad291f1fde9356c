"""The entries for other projects' lists name the versions that the tests use, and have the form that is asked for."""

import re

from packages import ROOT

PAGE = (ROOT / "docs" / "development" / "listings.md").read_text(encoding="utf-8")
CONSTRAINTS = dict(re.findall(r"^(\w+)==(.+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE))


def entry(name: str) -> str:
    match = re.search(rf"<!-- {name} -->\n```markdown\n(.*?)```\n<!-- end of {name} -->", PAGE, re.DOTALL)
    assert match is not None
    return match[1]


def test_the_versions_are_those_of_the_tests() -> None:
    assert f"badge/PettingZoo-v{CONSTRAINTS['pettingzoo']}-blue" in entry("pettingzoo")
    assert f"badge/Gymnasium-v{CONSTRAINTS['gymnasium']}-blue" in entry("gymnasium")


def test_gymnasium_has_two_to_five_sentences() -> None:
    description = entry("gymnasium").strip().splitlines()[-1]
    assert 2 <= len(re.findall(r"[.!?](?:\s|$)", description)) <= 5


def test_the_gifs_are_as_small_as_is_said() -> None:
    pictures = list((ROOT / "docs" / "images").glob("*.gif"))
    assert len(pictures) == 5
    for picture in pictures:
        assert picture.stat().st_size < 300_000
        head = picture.read_bytes()[:10]
        assert int.from_bytes(head[6:8], "little") == 480
        assert int.from_bytes(head[8:10], "little") <= 660
