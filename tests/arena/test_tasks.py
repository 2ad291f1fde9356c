"""Tasks done side by side, in processes or on a Ray cluster, and results that are kept."""

import http.server
import json
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nashzoo.arena.tasks import ResultStore, run_missing, run_tasks
from processes import wait_until


@dataclass(frozen=True, order=True)
class Square:
    """Returns the square of its number, and the process it was done in."""

    number: int

    @property
    def key(self) -> str:
        return str(self.number)

    def __call__(self) -> Any:
        if self.number < 0:
            raise LookupError(f"there is no {self.number}")
        return [self.number**2, os.getpid()]


@dataclass(frozen=True, order=True)
class Slow(Square):
    """Leaves a file when it begins."""

    folder: str

    def __call__(self) -> Any:
        (Path(self.folder) / self.key).touch()
        time.sleep(0.5)


@dataclass(frozen=True, order=True)
class Killing(Square):
    """Kills its process, as often as it is told."""

    folder: str
    times: int

    def __call__(self) -> Any:
        before = len(list(Path(self.folder).glob(f"{self.key}-*")))
        if before < self.times:
            (Path(self.folder) / f"{self.key}-{before}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.number


SQUARES = [Square(number) for number in range(6)]


def test_in_this_process_tasks_are_done_in_their_order() -> None:
    assert list(run_tasks(SQUARES, processes=1)) == [(task, [task.number**2, os.getpid()]) for task in SQUARES]


def test_a_pool_of_windows_has_no_more_processes_than_it_can_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def pool(workers: int, *arguments: Any, **options: Any) -> Any:
        raise InterruptedError(f"{workers} processes")

    monkeypatch.setattr("nashzoo.arena.tasks.ProcessPoolExecutor", pool)
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(InterruptedError, match="61 processes"):
        list(run_tasks([Square(number) for number in range(100)], processes=100))


@pytest.mark.slow
def test_each_task_comes_with_its_own_result_from_other_processes() -> None:
    results = list(run_tasks(SQUARES, processes=2))
    assert {task: square for task, (square, _) in results} == {task: task.number**2 for task in SQUARES}
    assert len(results) == len(SQUARES)
    assert os.getpid() not in {process for _, (_, process) in results}


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_what_a_task_raises_is_raised(processes: int) -> None:
    first = "-3" if processes == 1 else "-[34]"  # two processes may be done at once
    with pytest.raises(LookupError, match=f"there is no {first}"):
        list(run_tasks([Square(-3), Square(-4)], processes))


@pytest.mark.slow
def test_a_task_whose_process_is_killed_is_done_again(tmp_path: Path) -> None:
    tasks = [Killing(number, str(tmp_path), times=number % 2) for number in range(4)]
    assert sorted(run_tasks(tasks, processes=2)) == [(task, task.number) for task in tasks]


SLEEPERS = """
import os, time
from dataclasses import dataclass
from nashzoo.arena.tasks import run_tasks

@dataclass(frozen=True)
class Sleeper:
    key: str
    def __call__(self):
        open(self.key, "w").write(str(os.getpid()))
        time.sleep(1000)

if __name__ == "__main__":
    list(run_tasks([Sleeper("a"), Sleeper("b")], processes=2))
"""


@pytest.mark.slow
def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    (tmp_path / "sleepers.py").write_text(SLEEPERS)
    files = [tmp_path / "a", tmp_path / "b"]
    parent = subprocess.Popen([sys.executable, "sleepers.py"], cwd=tmp_path)
    wait_until(lambda: all(file.exists() and file.read_text() for file in files))
    parent.kill()
    parent.wait()
    workers = [Path("/proc") / file.read_text() for file in files]
    wait_until(lambda: not any(worker.exists() for worker in workers))


SQUARES_IN_A_FOLDER = """
import os
from test_tasks import Square
from nashzoo.arena.tasks import run_tasks

if __name__ == "__main__":
    print(sorted(square for _, (square, _) in run_tasks([Square(2), Square(3)], processes=2)))
    print(os.environ.get("PYTHONSAFEPATH"))
"""


@pytest.mark.slow
@pytest.mark.parametrize("safe", [None, "1"])
def test_processes_import_nothing_from_the_current_folder(safe: str | None, tmp_path: Path) -> None:
    here, program = tmp_path / "here", tmp_path / "squares.py"
    here.mkdir()
    (here / "socket.py").write_text("raise AssertionError('nobody named this file')")  # as multiprocessing does
    program.write_text(SQUARES_IN_A_FOLDER)
    paths = os.pathsep.join(str(Path(__file__).parents[1] / place) for place in ("arena", "support"))
    environment = {**os.environ, "PYTHONPATH": paths} | ({"PYTHONSAFEPATH": safe} if safe else {})
    line = [sys.executable, str(program)]
    done = subprocess.run(line, cwd=here, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"[4, 9]\n{safe}\n", "")


@pytest.mark.slow
def test_tasks_that_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nashzoo.arena.tasks.TRIES", 3)
    store = ResultStore(tmp_path, {})
    tasks = [Killing(7, str(tmp_path), 100), *(Killing(number, str(tmp_path), 0) for number in range(3))]
    with pytest.raises(ChildProcessError, match="a process was lost 3 times while it did 7"):
        run_missing(tasks, store, 2)
    assert dict(ResultStore(tmp_path, {})) == {"0": 0, "1": 1, "2": 2}


@pytest.mark.slow
def test_whoever_stops_waits_for_what_is_running_alone(tmp_path: Path) -> None:
    for _ in run_tasks([Slow(number, str(tmp_path)) for number in range(20)], processes=2):
        break
    assert 1 <= len(list(tmp_path.iterdir())) <= 2


def test_no_tasks_need_nobody() -> None:
    assert list(run_tasks([])) == list(run_tasks([], ray="nowhere:1")) == []


def test_wrong_use_is_told_at_once() -> None:
    with pytest.raises(ValueError, match="work is done in processes or on a Ray cluster; choose one of the two"):
        run_tasks(SQUARES, processes=2, ray="local")
    with pytest.raises(ValueError, match="processes must be a whole number of at least 1, not 0"):
        run_tasks(SQUARES, processes=0)


class TestComplete:
    def test_what_is_kept_is_not_done_again(self, tmp_path: Path) -> None:
        store = ResultStore(tmp_path, {})
        store["3"] = "kept"
        told: list[tuple[int, int]] = []
        run_missing(SQUARES, store, 1, progress=lambda done, total: told.append((done, total)))
        assert store.pop("3") == "kept"
        assert dict(store) == {task.key: [task.number**2, os.getpid()] for task in SQUARES if task.number != 3}
        assert told == [(done, 6) for done in range(1, 7)]

    def test_what_was_done_before_an_error_is_kept(self, tmp_path: Path) -> None:
        with pytest.raises(LookupError):
            run_missing([*SQUARES, Square(-7)], ResultStore(tmp_path, {}), 1)
        assert list(ResultStore(tmp_path, {})) == [task.key for task in SQUARES]


class TestResultStore:
    def test_results_are_there_the_next_time(self, tmp_path: Path) -> None:
        store = ResultStore(tmp_path / "new", {"game": "nim", "sizes": (3, 4)})
        assert dict(store) == {}
        store["a"] = [1, 2]
        store["b"] = None
        assert dict(ResultStore(tmp_path / "new", {"game": "nim", "sizes": (3, 4)})) == {"a": [1, 2], "b": None}
        assert [path.name for path in (tmp_path / "new").iterdir()] == ["results.jsonl"]

    def test_without_a_folder_nothing_is_kept(self) -> None:
        store = ResultStore(None, {})
        store["a"] = 1
        assert dict(store) == {"a": 1}

    @pytest.mark.parametrize(
        "text",
        ["{", "[]\n", "3\n", '{"results": {}}\n', '{"about": {}}\n3\n', '{"about": {}}\n["a", 1\n["b", 2]\n', "\xff\n"],
    )
    def test_files_that_hold_no_results_are_refused(self, text: str, tmp_path: Path) -> None:
        (tmp_path / "results.jsonl").write_bytes(text.encode("latin-1"))
        with pytest.raises(ValueError, match=r"results\.jsonl holds no results; remove it, or choose another folder"):
            ResultStore(tmp_path, {})

    def test_a_result_that_cannot_be_kept_does_no_harm(self, tmp_path: Path) -> None:
        store = ResultStore(tmp_path, {})
        store["a"] = 1
        with pytest.raises(TypeError, match="not JSON serializable"):
            store["b"] = object()
        assert dict(store) == dict(ResultStore(tmp_path, {})) == {"a": 1}

    def test_each_result_is_written_once(self, tmp_path: Path) -> None:
        store = ResultStore(tmp_path, {"seed": 0})
        for number in range(3):
            store[str(number)] = number
        store["1"] = "again"
        about, *lines = (tmp_path / "results.jsonl").read_text().splitlines()
        assert json.loads(about)["about"] == {"seed": 0}
        assert [json.loads(line)[:2] for line in lines] == [["0", 0], ["1", 1], ["2", 2], ["1", "again"]]
        assert dict(ResultStore(tmp_path, {"seed": 0})) == {"0": 0, "1": "again", "2": 2}
        with pytest.raises(ValueError, match=r"results\.jsonl has other settings: seed was 0, not 1; remove"):
            ResultStore(tmp_path, {"seed": 1})
        with pytest.raises(ValueError, match="settings: exact was None, not True; remove"):
            ResultStore(tmp_path, {"seed": 0, "exact": True})
        with pytest.raises(ValueError, match="settings: seed was 0, not None; remove"):
            ResultStore(tmp_path, {})

    def test_settings_that_are_no_numbers_are_the_same_again(self, tmp_path: Path) -> None:
        about = {"alpha": math.nan, "agents": [["a", {"c": math.nan}]]}
        ResultStore(tmp_path, about)["a"] = 1
        assert dict(ResultStore(tmp_path, about)) == {"a": 1}
        with pytest.raises(ValueError, match="settings: alpha was nan, not 1"):
            ResultStore(tmp_path, about | {"alpha": 1})

    @pytest.mark.parametrize("cut", range(1, 12))
    def test_a_line_that_a_killed_writer_left_half_written_is_written_over(self, cut: int, tmp_path: Path) -> None:
        ResultStore(tmp_path, {})["a"] = 1
        file = tmp_path / "results.jsonl"
        whole = file.read_bytes()
        file.write_bytes(whole + b'["b", "long"]'[:cut])
        store = ResultStore(tmp_path, {})
        assert dict(store) == {"a": 1}
        store["c"] = 3
        assert file.read_bytes().startswith(whole + b'["c", 3, ')
        assert dict(ResultStore(tmp_path, {})) == {"a": 1, "c": 3}

    @pytest.mark.parametrize(
        ("before", "after", "message"),
        [
            ("1.0", "0.25", "is damaged: line 2 is not what was written; without that line the same command"),
            ('"b"', '"a"', "is damaged: line 3 is not what was written"),
            ('"seed": 0', '"seed": 1', "is damaged in its first line"),
            (', "checksum": ', ', "sum": ', "is damaged in its first line; remove it, or choose"),
        ],
    )
    def test_a_changed_file_is_refused(self, before: str, after: str, message: str, tmp_path: Path) -> None:
        store, file = ResultStore(tmp_path, {"seed": 0}), tmp_path / "results.jsonl"
        store["a"], store["b"] = {1: 1.0, 10: float("nan"), 2: (3, 4)}, 2
        file.write_text(file.read_text().replace(before, after))
        with pytest.raises(ValueError, match=message):
            ResultStore(tmp_path, {"seed": 1} if "1" in after else {"seed": 0})

    def test_a_result_of_another_computation_is_refused(self, tmp_path: Path) -> None:
        for name in "ab":
            ResultStore(tmp_path / name, {"name": name})["game"] = 1
        lines = [(tmp_path / name / "results.jsonl").read_text().splitlines(keepends=True) for name in "ab"]
        (tmp_path / "a" / "results.jsonl").write_text(lines[0][0] + lines[1][1])
        with pytest.raises(ValueError, match="line 2 is not what was written"):
            ResultStore(tmp_path / "a", {"name": "a"})


class TestAddresses:
    @pytest.fixture
    def port(self) -> Iterator[int]:
        """Gives a port at which a web server answers."""
        server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()
        server.server_close()

    @pytest.mark.parametrize("address", ["", "head", ":6379", "head:", "head:port", "ray://head:10001"])
    def test_what_is_no_address_is_refused(self, address: str) -> None:
        with pytest.raises(ValueError, match=f"a Ray cluster is HOST:PORT, auto or local, not '{address}'"):
            list(run_tasks(SQUARES, ray=address))

    def test_nobody_answers(self) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            for port, why in ((unused.getsockname()[1], ".*refused"), (99999, "")):
                with pytest.raises(ConnectionError, match=f"no Ray cluster answers at 127.0.0.1:{port}: {why}"):
                    list(run_tasks(SQUARES, ray=f"127.0.0.1:{port}"))

    def test_somebody_else_answers(self, port: int, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(ConnectionError, match=f"what answers at 127.0.0.1:{port} is no Ray cluster"):
            list(run_tasks(SQUARES, ray=f"127.0.0.1:{port}"))

    def test_ray_is_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "ray", None)
        with pytest.raises(ImportError, match=r"work on a cluster needs Ray: pip install '\.\[ray\]'"):
            list(run_tasks(SQUARES, ray="local"))
