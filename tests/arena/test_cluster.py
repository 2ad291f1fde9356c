"""Tasks on a Ray cluster: what is lost is done again, what is not wanted any more is ended."""

import csv
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from test_tasks import SQUARES, Square

import nim
import table_games
from command import Command
from nashzoo.app.commands import results
from nashzoo.app.results import entrants
from nashzoo.app.results.rows import ResultsRow
from nashzoo.arena.tasks import AHEAD, on_cluster, run_tasks
from nashzoo.baselines.certificate import layers
from nashzoo.baselines.certificate.layers import Part
from nashzoo.baselines.layered_solution import solve_layers
from nashzoo.baselines.states.indexed import IndexedStates
from processes import PATIENCE, said, wait_until

pytestmark = pytest.mark.slow
ENOUGH = "enough"


class Marked(NamedTuple):
    """Leaves a mark in a folder whenever it is begun; goes on for some seconds, or until the folder says enough."""

    number: int
    folder: str
    seconds: float = 0.0
    deadly: bool = False  # to its process, the first time

    @property
    def key(self) -> str:
        return str(self.number)

    def __call__(self) -> Any:
        before = len(marks(self.folder, self.number))
        (Path(self.folder) / f"{self.number}-{before}-{os.getpid()}").touch()
        if self.deadly and before == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        end = time.monotonic() + self.seconds
        while time.monotonic() < end and not (Path(self.folder) / ENOUGH).exists():
            time.sleep(0.01)
        return self.number**2


class Deadly(NamedTuple):
    """A part of a layer that kills its process the first time."""

    part: Part
    mark: Path

    def __call__(self, *known: Any) -> Any:
        if not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.part(*known)


def marks(folder: str | Path, number: int | str = "*") -> list[Path]:
    return list(Path(folder).glob(f"{number}-*"))


def alive(mark: Path) -> bool:
    """Returns whether the process that left a mark is running."""
    try:
        os.kill(int(mark.name.rpartition("-")[2]), 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Gives two machines with a processor each, which are processes of this one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # its processes must know these tests
        patch.setenv("RAY_worker_niceness", "0")  # else they wait for all other tests
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        cluster.add_node(num_cpus=1)
        yield cluster
        cluster.shutdown()


def test_results_are_those_of_this_process(cluster: Any, capfd: pytest.CaptureFixture[str]) -> None:
    found = list(run_tasks(SQUARES, ray=cluster.address))
    assert {task: square for task, (square, _) in found} == {task: task.number**2 for task in SQUARES}
    assert os.getpid() not in {process for _, (_, process) in found}
    assert capfd.readouterr() == ("", "")


def test_the_table_of_results_is_the_one_of_this_process(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = ResultsRow("tiny", nim.__file__, simulations=(5,), depths=(2,), learners=("minimax_q",))
    monkeypatch.setattr("nashzoo.app.results.entrants.rows_of", lambda names: [tiny])
    models = entrants._models  # of which one will do
    monkeypatch.setattr(entrants, "_models", lambda row, game: models(row, game)[:1])
    here, there = tmp_path / "here", tmp_path / "there"
    results.main(("tiny",), seeds=1, timesteps=300, processes=1, out=here)
    results.main(("tiny",), seeds=1, timesteps=300, ray=cluster.address, out=there)
    one, other = ((folder / "results.csv").read_text().splitlines() for folder in (here, there))
    took = one[0].split(",").index("seconds")
    assert len(one) == len(other) > 20
    for mine, yours in zip(csv.reader(one), csv.reader(other), strict=True):
        assert mine[:took] + mine[took + 1 :] == yours[:took] + yours[took + 1 :]
    assert not (there / "runs").exists()  # on machines that share no folder there is none to go on with


def test_the_command_solves_there(cluster: Any, nashzoo: Command, tmp_path: Path) -> None:
    files = [tmp_path / "here", tmp_path / "there"]
    for file, place in zip(files, ("", f"--ray {cluster.address}"), strict=True):
        code, *_ = nashzoo(f"solve bodega_brawl_v0 --param preset=tiny --out {file} {place}")
        assert code == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    code, _, err = nashzoo(f"solve footsies_v0 --ray {cluster.address}")
    assert code == 2 and err == "nashzoo: footsies_v0 is too small to be solved on a cluster; leave out --ray\n"


def interrupted(address: str, folder: Path) -> None:
    """Interrupts tasks, and checks that nothing is left running."""
    tasks = [Marked(0, str(folder)), *(Marked(number, str(folder), seconds=60.0) for number in range(1, 9))]
    for _ in run_tasks(tasks, ray=address):
        wait_until(lambda: len(marks(folder)) == 3)
        break  # as Ctrl-C does, this closes the iterator
    wait_until(lambda: not any(alive(path) for path in marks(folder, "[1-9]")))
    assert len(marks(folder)) == 3


def test_an_interruption_leaves_nothing_running(cluster: Any, tmp_path: Path) -> None:
    interrupted(cluster.address, tmp_path)


def run(line: str, folder: Path) -> str:
    """Runs the command in a process of its own; returns what it prints."""
    program = [sys.executable, "-m", "nashzoo.app", *line.split()]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, said(done.stderr)) == (0, [])
    return done.stdout


def test_the_command_comes_to_the_same_and_is_quiet(cluster: Any, tmp_path: Path) -> None:
    line = "tournament roshambo_v0 --agents random markov_k bot.py --param rounds=10 --games 20 --exact"
    (tmp_path / "bot.py").write_text("import random\noutput = random.choice('RPS')")
    printed = [
        run(f"{line} --out {name} {words}", tmp_path).replace(name, "")
        for name, words in (("alone", "--processes 1"), ("there", f"--ray {cluster.address}"))
    ]
    assert printed[0] == printed[1]
    alone, there = (sorted((tmp_path / name).glob("*.csv")) for name in ("alone", "there"))
    assert alone and [path.read_bytes() for path in alone] == [path.read_bytes() for path in there]


@pytest.fixture(scope="class")
def address(cluster: Any) -> Iterator[str]:
    """Connects to the cluster for all tests of a class; returns its address."""
    import ray

    ray.init(cluster.address, logging_level=logging.ERROR, log_to_driver=False)
    try:
        yield cluster.address
        assert ray.is_initialized()
    finally:
        ray.shutdown()


class TestTheCallersSession:
    """Is used, which spares each test the start of processes, and not closed."""

    def test_it_is_found_without_an_address(self, address: str) -> None:
        assert len(list(run_tasks(SQUARES, ray="auto"))) == len(SQUARES)

    def test_what_a_task_raises_is_raised(self, address: str) -> None:
        with pytest.raises(LookupError, match="there is no -3") as raised:
            list(run_tasks([Square(-3)], ray=address))
        assert raised.type is LookupError

    def test_a_task_whose_process_is_killed_is_done_again(self, address: str, tmp_path: Path) -> None:
        tasks = [Marked(number, str(tmp_path), deadly=number == 1) for number in range(4)]
        results = {task.number: result for task, result in run_tasks(tasks, ray=address)}
        assert results == {0: 0, 1: 1, 2: 4, 3: 9}
        assert [len(marks(tmp_path, number)) for number in range(4)] == [1, 2, 1, 1]

    def test_tasks_of_a_machine_that_is_lost_are_done_again(self, address: str, cluster: Any, tmp_path: Path) -> None:
        lost = cluster.add_node(num_cpus=2)
        tasks = [Marked(number, str(tmp_path), seconds=PATIENCE) for number in range(8)]

        def lose() -> None:
            wait_until(lambda: len(marks(tmp_path)) == 4)  # on all processors
            cluster.remove_node(lost)
            wait_until(lambda: sum(map(alive, marks(tmp_path))) == 2)
            (tmp_path / ENOUGH).touch()

        thread = threading.Thread(target=lose)
        thread.start()
        results = {task.number: result for task, result in run_tasks(tasks, ray=address)}
        thread.join()
        assert results == {number: number**2 for number in range(8)}
        assert len(marks(tmp_path)) > 8

    def test_a_long_list_is_handed_over_little_by_little(self, address: str, tmp_path: Path) -> None:
        handed: list[int] = []

        class Tasks(list[Marked]):
            def __iter__(self) -> Iterator[Marked]:
                for task in super().__iter__():
                    handed.append(task.number)
                    yield task

        for number, _ in enumerate(run_tasks(Tasks(Marked(k, str(tmp_path)) for k in range(20)), ray=address)):
            assert len(handed) <= number + 2 * AHEAD
        assert len(handed) == 20

    def test_an_interruption_leaves_nothing_running(self, address: str, tmp_path: Path) -> None:
        interrupted(address, tmp_path)

    def test_a_game_is_solved_to_the_same_bits_though_processes_are_lost(
        self, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(layers, "SENT", 400)
        game = table_games.game("small")
        sent = []

        def workers(parts: Any, *known: Any) -> Iterator[tuple[Part, Any]]:
            sent.append((len(parts), len(known[0])))
            losing = 2 if len(sent) % 16 == 4 else 0
            deadly = [Deadly(part, tmp_path / f"{part.rows.start}") for part in parts[:losing]] + parts[losing:]
            for part, result in on_cluster(deadly, address, *known):
                yield getattr(part, "part", part), result

        solution = solve_layers(IndexedStates(game), workers=workers)
        here = table_games.solved(game)
        assert solution.values.half.tobytes() == here.values.half.tobytes()
        assert solution.certificate == here.certificate
        sizes = np.diff(solution.states.bounds) // 2
        assert sent == [(-(-size // 400), before) for size, before in zip(sizes, [0, *sizes[:-1]], strict=True)]
        assert len(list(tmp_path.iterdir())) > len(sizes) // 16
