"""The recorded matches are what the commands print."""

import pytest

from studies.recordings import COMMANDS, PAGE, recorded


@pytest.mark.parametrize("title", COMMANDS)
def test_a_recording_is_what_the_command_prints(title: str) -> None:
    line = COMMANDS[title]
    assert f"## {title}\n\n```text\n$ {line}\n\n{recorded(line)}\n```\n" in PAGE.read_text()
