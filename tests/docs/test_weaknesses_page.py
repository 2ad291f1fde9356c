"""The page on weaknesses shows what the command prints."""

from pathlib import Path

from studies.recordings import recorded

PAGE = Path(__file__).resolve().parents[2] / "docs" / "weaknesses.md"


def test_the_page_shows_what_the_command_prints() -> None:
    line = "nashzoo weaknesses footsies_v0 counter"
    assert f"```text\n$ {line}\n\n{recorded(line)}\n```\n" in PAGE.read_text()
