"""Progress: on standard error, where that is a terminal and nobody asked for quiet."""

from collections.abc import Iterator

import pytest

from nashzoo.envs.base.progress import progress_bar, progress_bars, set_quiet, working


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("FORCE_COLOR", "1")  # Rich then takes a file for a terminal
    yield
    set_quiet(False)


def work() -> None:
    with working("solving"), progress_bars() as progress:
        for done in (1, 2):
            progress("first", done, 2)
        progress("second", 1, 4)
    with progress_bar("playing") as show:
        show(3, 4)


def test_the_parts_are_shown_while_they_last(terminal: None, capsys: pytest.CaptureFixture[str]) -> None:
    work()
    out, err = capsys.readouterr()
    assert out == ""
    assert all(word in err for word in ("solving", "first", "second", "100%", "25%", "playing", "75%"))


def test_who_asks_for_quiet_has_it(terminal: None, capsys: pytest.CaptureFixture[str]) -> None:
    set_quiet(True)
    work()
    assert capsys.readouterr() == ("", "")


def test_a_file_is_not_written_to(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    work()
    assert capsys.readouterr() == ("", "")
