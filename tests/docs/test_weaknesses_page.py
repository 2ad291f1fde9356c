"""The page on weaknesses shows what the command prints."""

from pathlib import Path

from studies.tables import run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "weaknesses.md"


def test_the_page_shows_what_the_command_prints() -> None:
    line = "nashzoo weaknesses footsies_v0 counter"
    printed = "\n".join(text.rstrip() for text in run(line).strip().splitlines())
    assert f"```text\n$ {line}\n\n{printed}\n```\n" in PAGE.read_text()
