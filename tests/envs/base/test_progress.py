"""Progress: on standard error, where that is a terminal and nobody asked for quiet."""

import contextlib
import re
from collections.abc import Iterator

import pytest

from nashzoo.envs.base.progress import progress_bar, set_quiet, showing, working

ESCAPES = r"\x1b\[[0-9;?]*[A-Za-z]"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("FORCE_COLOR", "1")  # Rich then takes a file for a terminal
    yield
    set_quiet(False)


def work() -> None:
    with working("solving"), showing() as progress:
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


def test_what_has_no_known_end_is_shown(terminal: None, capsys: pytest.CaptureFixture[str]) -> None:
    with showing() as show:
        show("training", 12_345, 60_000)
        show("measuring", 0, None)
        show("against bluff(bluff=[/1])", 0, 3)  # is no markup
        show("against bluff(bluff=[/1])", 3, 3)
        show("drawing", 7, None)
    err = re.sub(ESCAPES, "", capsys.readouterr().err)
    assert all(word in err for word in ("against bluff(bluff=[/1])", "3 of 3", "100%", "drawing", "0:00:0"))


def test_all_of_it_is_one_line(
    terminal: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    with working("solving"), showing() as show:
        for count in range(10):
            show(f"exploring {10**count:,} states, and what follows from them", count, 9)
    with progress_bar("playing"):
        pass
    written = capsys.readouterr().err
    shown = re.split(r"[\r\n]", re.sub(ESCAPES, "", written))
    assert max(map(len, shown)) <= 40
    assert any("exploring" in line for line in shown)
    assert not re.search(r"(\x1b\[1A.*){2}", written.replace("\n", ""))  # it never goes up by two lines


def test_who_asks_for_quiet_has_it(terminal: None, capsys: pytest.CaptureFixture[str]) -> None:
    set_quiet(True)
    work()
    assert capsys.readouterr() == ("", "")


def test_a_file_is_not_written_to(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    work()
    assert capsys.readouterr() == ("", "")


def test_a_line_that_ended_in_another_thread_is_not_shown_again(terminal: None) -> None:
    outer, inner = showing(), showing()
    with contextlib.ExitStack() as stack:
        stack.enter_context(outer)
        inner.__enter__()("solving", 1, 2)
    inner.__exit__(None, None, None)
