"""Whatever a hosted program does: every wait has an end, its limits hold, and nothing of it is left behind."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from nashzoo.agents.hosted import script_process, script_worker
from nashzoo.agents.hosted.script_process import Forfeit, HostedMatch, Limits
from processes import PATIENCE, wait_until

Host = Callable[..., HostedMatch]

RPSCONTEST = Limits(match_seconds=5, move_seconds=None, megabytes=1024)

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells and ends all processes")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """Starts matches; the format is Kaggle's where there is a limit for a move."""
    with ExitStack() as matches:

        def start(source: str, limits: Limits = RPSCONTEST) -> HostedMatch:
            path = tmp_path / "bot.py"
            path.write_text(textwrap.dedent(source))
            form = "rpscontest" if limits.move_seconds is None else "kaggle"
            task = {"format": form, "name": str(path), "rounds": 1000, "seed": 0}
            return matches.enter_context(closing(HostedMatch(task, limits)))

        yield start


KAGGLE = Limits(match_seconds=None, move_seconds=0.1, megabytes=1024)


def cause(match: HostedMatch, rounds: int = 20) -> str:
    """Plays until the match is lost; returns why."""
    with pytest.raises(Forfeit) as error:
        for _ in range(rounds):
            match.ask(0 if match.rounds else None)
            match.answer()
    return str(error.value)


def is_gone(pid: int) -> bool:
    """Returns whether a process has ended; its parent may still have to notice."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except ProcessLookupError:
        return True
    except FileNotFoundError:  # no /proc, or it has ended meanwhile
        return False


def wait_for_end(*pids: int) -> None:
    wait_until(lambda: all(is_gone(pid) for pid in pids))


def number_in(path: Path) -> int:
    """Waits until a program has written a number; returns it."""
    wait_until(lambda: path.exists() and path.read_text().endswith("."))
    return int(path.read_text()[:-1])


def test_a_program_that_closes_its_streams_and_sleeps_loses(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_process, "END_SECONDS", 0.2)
    match = host("import os, time\nos.closerange(0, 64)\ntime.sleep(60)")
    assert cause(match) == "it closed the connection"


def test_a_program_that_does_not_read_is_written_to_without_waiting(host: Host) -> None:
    match = host("import time\ntime.sleep(60)")
    for _ in range(50_000):  # more than a pipe holds
        match.ask(0)


ANSWERS = [
    b"[" * 3000, b"{" * 3000, b"\xff\xfe\x00", b"", b"0 0", b"00", b"3", b"-1", b"1e999", b"true", b"null", b"ready",
    b"lost", b'{"throw": 0}', b"\x1b[2J",
]  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: repr(answer[:12]))
def test_an_answer_of_another_form_loses(host: Host, answer: bytes) -> None:
    """A worker is not trusted either: the script in it can write what it likes."""
    told = cause(host(f"import os\nos.write(4, {answer!r} + b'\\n')\noutput = 'R'"))
    assert told.startswith("garbled answer") and told.isprintable()


@pytest.mark.parametrize("answer", [b"[" * 60_000, b"0" * 1_000_000, b"\n" * 100_000])
def test_an_answer_that_is_too_long_loses(host: Host, answer: bytes) -> None:
    assert cause(host(f"import os\nos.write(4, {answer!r})\noutput = 'R'")).startswith("garbled answer")


def test_an_answer_that_comes_byte_by_byte_is_not_waited_for(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_process, "WALL_SECONDS_PER_CPU_SECOND", 10)
    match = host("import os, time\ndef agent(o):\n    while True: os.write(4, b'0'); time.sleep(0.01)", limits=KAGGLE)
    assert cause(match) == "gave no answer within 1 s"


def test_what_a_program_says_is_shown_without_control_characters(host: Host) -> None:
    told = cause(host("raise ValueError('\\x1b[2J\\x07' + 'x' * 10_000)"))
    assert told.startswith("ValueError: ?[2J?xxx") and len(told) <= 200


def test_waiting_is_limited_over_a_whole_match(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_process, "WALL_SECONDS_PER_CPU_SECOND", 0.1)
    match = host("import time\ntime.sleep(0.2)\noutput = 'R'")
    assert cause(match) == "let the match wait for more than 0.5 s"
    assert match.rounds <= 3


@linux
def test_the_time_of_a_move_is_not_what_the_script_says(host: Host) -> None:
    match = host(
        """
        import time
        clock = time.process_time
        for name in ("process_time", "time", "monotonic", "perf_counter"):
            setattr(time, name, lambda: 0.0)

        def agent(observation):
            end = clock() + 0.5
            while clock() < end:
                pass
            return 0
        """,
        limits=KAGGLE,
    )
    told = cause(match)
    assert told.startswith("took 0.") and told.endswith(" s of CPU time for a move; 0.1 s are allowed")


@linux
def test_the_time_of_a_move_counts_other_processes_of_the_script(host: Host) -> None:
    match = host(
        """
        import os, time
        def agent(observation):
            ready, write = os.pipe()
            if os.fork() == 0:
                os.setsid()
                while time.process_time() < 0.5:
                    pass
                os.write(write, b"1")
                time.sleep(600)
            os.read(ready, 1)
            return 0
        """,
        limits=KAGGLE,
    )
    assert cause(match).endswith(" s of CPU time for a move; 0.1 s are allowed")


def test_many_short_moves_are_not_one_long_move(host: Host) -> None:
    match = host(
        "import time\ndef agent(o):\n    end = time.process_time() + 0.02\n    while time.process_time() < end: pass\n"
        "    return 0",
        limits=KAGGLE,
    )
    for _ in range(20):
        match.ask(0 if match.rounds else None)
        assert match.answer() == 0


@linux
@pytest.mark.slow
def test_a_limit_of_a_match_holds_although_the_signal_is_ignored(host: Host) -> None:
    source = "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    match = host(source, limits=Limits(match_seconds=1, move_seconds=None, megabytes=1024))
    assert cause(match) == "took more than 1 s of CPU time for the match"


@pytest.mark.parametrize(
    ("act", "told"),
    [
        ("os.kill(os.getpid(), 40)", "its process crashed (signal 40)"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "its process crashed (SIGKILL)"),
        ("os.killpg(0, signal.SIGTERM)", "its process crashed (SIGTERM)"),
        ("os._exit(139)", "its process ended with exit code 139"),
        ("os.execv('/bin/false', ['false'])", "its process ended with exit code 1"),
    ],
)
def test_how_a_process_ended_is_told(host: Host, act: str, told: str) -> None:
    assert cause(host(f"import os, signal\n{act}")) == told


@linux
@pytest.mark.parametrize("then", ["output = 'R'", "1 / 0", "while True: pass"])
def test_a_process_in_a_session_of_its_own_does_not_outlive_the_match(host: Host, tmp_path: Path, then: str) -> None:
    note = tmp_path / "pid"
    source = f"""
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                with open({str(note)!r}, "w") as file:
                    file.write(f"{{os.getpid()}}.")
                time.sleep(600)
            os._exit(0)
        os.wait()
        {then}
    """
    match = host(source)
    match.ask(None)
    pid = number_in(note)
    match.close()
    wait_for_end(pid)


ORPHANS = {
    "as it is": "time.sleep(600)",
    "in another folder": "os.chdir('/')\ntime.sleep(600)",
    "without variables": "os.execve('/bin/sleep', ['sleep', '600'], {})",
    "busy": "while True: pass",
    "that kills all supervisors": "while 'script_' in open(f'/proc/{os.getppid()}/cmdline').read():\n"
    "    os.kill(os.getppid(), 9)\n    time.sleep(0.01)\ntime.sleep(600)",
}


@linux
@pytest.mark.parametrize("orphan", ORPHANS)
@pytest.mark.parametrize("then", ["output = 'R'", "time.sleep(600)"])
def test_a_process_that_kills_its_supervisor_does_not_outlive_the_match(
    host: Host, tmp_path: Path, orphan: str, then: str
) -> None:
    note = tmp_path / "pid"
    act = textwrap.indent(ORPHANS[orphan], "    ")
    source = f"""import os, time
supervisor = os.getppid()
if os.fork() == 0:
    os.setsid()
    os.kill(supervisor, 9)
    with open({str(note)!r}, "w") as file:
        file.write(f"{{os.getpid()}}.")
{act}
{then}
"""
    match = host(source)
    match.ask(None)
    pid = number_in(note)
    told = cause(match)
    assert told == "its process crashed (SIGKILL)"
    match.close()
    wait_for_end(pid)
    assert not Path(match._folder.name).exists()


@linux
def test_a_stopped_supervisor_ends_everything_all_the_same(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script_process, "END_SECONDS", 2 * PATIENCE)  # this is not waited for
    note = tmp_path / "pid"
    match = host(
        f"""
        import os, signal
        os.kill(os.getppid(), signal.SIGSTOP)
        with open({str(note)!r}, "w") as file:
            file.write(f"{{os.getpid()}}.")
        while True:
            pass
        """
    )
    match.ask(None)
    pid = number_in(note)
    match.close()
    wait_for_end(pid)


def test_what_a_program_writes_is_removed(host: Host) -> None:
    match = host(
        "import os, tempfile\nos.makedirs('a/b')\nopen('a/b/c', 'w').close()\ntempfile.mkdtemp()\noutput = 'R'"
    )
    folder = Path(match._folder.name)
    match.ask(None)
    assert match.answer() == 0
    assert len(list(folder.iterdir())) == 2, "It works in its own folder, which is that of temporary files too."
    match.close()
    assert not folder.exists()
    match.close()  # nothing is left to be done


PARENT = """
    import sys, time
    from nashzoo.agents.hosted.script_process import HostedMatch, Limits
    task = {"format": "rpscontest", "name": sys.argv[1], "rounds": 1, "seed": 0}
    match = HostedMatch(task, Limits(60, None, 1024))
    match.ask(None)
    print(match._process.pid, match._folder.name, flush=True)
    time.sleep(600)
"""


@linux
@pytest.mark.slow
def test_all_ends_with_the_process_that_plays_the_match(tmp_path: Path) -> None:
    """SIGKILL leaves it no time to clean up."""
    script, note = tmp_path / "bot.py", tmp_path / "pid"
    script.write_text(
        f"import os\nif os.fork() == 0: os.setsid()\nelse: open({str(note)!r}, 'w').write(f'{{os.getpid()}}.')\n"
        "open('left', 'w').close()\nwhile True: pass\n"
    )
    command = [sys.executable, "-c", textwrap.dedent(PARENT), str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        supervisor, folder = parent.stdout.readline().split()
        worker = number_in(note)
        parent.send_signal(signal.SIGKILL)
    wait_for_end(int(supervisor), worker)
    assert not Path(folder).exists()


def test_a_system_that_refuses_limits_of_memory_has_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """macOS says that the limit is above the largest one."""
    import resource

    limits = {}

    def set_limit(kind: int, both: tuple[int, int]) -> None:
        if kind == resource.RLIMIT_AS:
            raise ValueError("current limit exceeds maximum limit")
        limits[kind] = both

    monkeypatch.setattr(resource, "setrlimit", set_limit)
    script_worker.limit_resources(5, 1024)
    assert limits[resource.RLIMIT_CPU] == (5, 6)
