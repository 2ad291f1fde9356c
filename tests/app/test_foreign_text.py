"""Texts that others wrote do not control the terminal: names in files, and what an error repeats."""

from pathlib import Path

from command import Command
from nashzoo.arena.records import called

RED = "\x1b[31m"


def test_an_error_repeats_no_control_characters(nashzoo: Command) -> None:
    assert nashzoo.refused(f"solve ./{RED}rules.py").endswith("?[31mrules.py")
    assert RED not in nashzoo.refused(f"watch roshambo_v0 {RED}random nash")


def test_names_of_actions_in_a_file_lose_their_control_characters(nashzoo: Command, tmp_path: Path) -> None:
    (tmp_path / "colours.csv").write_text(f",{RED}left,right\n\u202etop,1,-1\nbottom,-1,1\n", encoding="utf-8")
    shown = nashzoo.prints("solve --matrix colours.csv")
    assert "?[31mleft" in shown and "?top" in shown and RED not in shown and "\u202e" not in shown


def test_names_of_players_in_records_lose_their_control_characters() -> None:
    assert called({"name": "grün\r", "options": {"told": RED}}) == "grün?(told=?[31m)"
