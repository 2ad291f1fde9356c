"""Independent tasks in parallel, in processes of this machine or on a Ray cluster, and a store of their results.

A task is any object that can be pickled and called, and whose result is the same on all machines. So results do not
depend on the process, nor on repetitions after a process or a machine was lost.
"""

import contextlib
import itertools
import json
import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
import zlib
from collections import Counter, UserDict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Protocol, TypeVar

from nashzoo.envs.base.errors import MissingPackageError, UsageError
from nashzoo.envs.base.files import write_text
from nashzoo.envs.base.progress import set_quiet
from nashzoo.envs.base.threads import processors
from nashzoo.envs.base.words import differences
from nashzoo.envs.core.checks import check_count
from nashzoo.envs.jit.lazy import notice

RESULTS = "results.jsonl"
TRIES = 20  # of a task whose process or machine is lost repeatedly
MOST_ON_WINDOWS = 61  # processes that a pool can wait for there
ALONE = 2  # losses after which a task runs alone, so that it cannot lose the processes of others
SAFE_PATHS, ONLY_AT_START = "PYTHONSAFEPATH", "starting"  # any value means yes
AHEAD = 2  # tasks handed to a cluster for each of its processors, so that none waits for the next
PATIENCE = 3.0  # seconds in which a cluster must answer
ATTEMPTS = "RAY_gcs_server_port_wait_time_s"  # to connect, each followed by a second's rest; 20 if it is not set
SILENCED = "RAY_DEDUP_LOGS_SKIP_REGEX"  # lines that Ray shall not print
LOCAL, AUTO = "local", "auto"
HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])  # preface, no settings; RFC 9113, 3.4
SETTINGS = 4  # the type of the first frame of the other side


class Task(Protocol):
    """A task; it can be pickled, and its result is the same on all machines."""

    @property
    def key(self) -> str:
        """The key of its result, different for each task."""
        ...

    def __call__(self) -> Any:
        """Returns the result, which JSON can represent."""
        ...


T = TypeVar("T", bound=Task)
C = TypeVar("C", bound=Callable[..., Any])


def run_tasks(
    tasks: Sequence[T], processes: int | None = None, ray: str | None = None, lost: Callable[[T], Any] | None = None
) -> Iterator[tuple[T, Any]]:
    """Does tasks in parallel; yields each with its result when it is done.

    Args:
        tasks: The tasks.
        processes: Number of processes, 1 for this one alone; the number of processors when None.
        ray: A Ray cluster to use instead: ``"HOST:PORT"`` of one that this machine is a part of, ``"auto"`` for
            the one that runs here, ``"local"`` to start one on this machine. An existing session of Ray is used and
            not closed.
        lost: Returns the result of a task that loses every process that does it, for tasks whose code may do so; each
            then runs in a process apart from this one, three times at most. An error when None.

    Raises:
        UsageError: both are given, ``processes`` is no whole number of at least 1, or ``ray`` is no such address.
        MissingPackageError: Ray is not installed.
        ConnectionError: no cluster answers at the address.
        ChildProcessError: the process of a task was lost too often; the other tasks are done before.
        Exception: any exception of a task; then the other tasks are dropped.
    """
    if ray is not None:
        if processes is not None:
            raise UsageError("work is done in processes or on a Ray cluster; choose one of the two")
        return on_cluster(tasks, ray, lost=lost)
    workers = processors() if processes is None else check_count("processes", processes)
    if sys.platform == "win32":
        workers = min(workers, MOST_ON_WINDOWS)
    return _in_processes(tasks, min(workers, len(tasks)), lost)


def _in_processes(tasks: Sequence[T], workers: int, lost: Callable[[T], Any] | None) -> Iterator[tuple[T, Any]]:
    if workers <= 1 and lost is None:
        yield from ((task, task()) for task in tasks)
        return
    waiting = deque(tasks)
    losses: Counter[str] = Counter()
    tries = TRIES if lost is None else ALONE + 1
    while waiting:
        yield from _in_pool(waiting, workers, losses, tries)
    given_up = [task for task in tasks if losses[task.key] >= tries]
    if lost is not None:
        yield from ((task, lost(task)) for task in given_up)
    elif given_up:
        raise ChildProcessError(
            f"a process was lost {TRIES} times while it did {given_up[0].key}; the results of other tasks are kept"
        )


@contextlib.contextmanager
def _starting_processes() -> Iterator[None]:
    """Lets processes that start in this context import nothing from the current folder, and ignore Ctrl-C.

    Python looks there until a process has the parent's paths; and a terminal sends Ctrl-C to all of them.
    """
    can_block = hasattr(signal, "pthread_sigmask")
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if can_block else None
    try:
        with _set(SAFE_PATHS, ONLY_AT_START):
            yield
    finally:
        if blocked is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


class _Terminated(SystemExit):
    """The signal to terminate came."""


def _prepare_process() -> None:
    """Ends this process when its parent process ends, which a pool does not; and quietly at the signal to terminate."""

    def stop(number: int, frame: Any) -> None:
        signal.signal(signal.SIGTERM, lambda *_: os._exit(1))  # a second one may come while this process ends
        raise _Terminated(1)

    signal.signal(signal.SIGTERM, stop)
    notice.said = True  # that this process compiles; the parent shows how far all are
    set_quiet(True)
    if os.environ.get(SAFE_PATHS) == ONLY_AT_START:
        del os.environ[SAFE_PATHS]  # programs that tasks start find their files
    if not hasattr(signal, "pthread_sigmask"):  # else it was started without Ctrl-C, see _starting_processes
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait_for_end() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait_for_end, daemon=True).start()


def _call_in_process(task: Task) -> Any:
    try:
        return task()
    except _Terminated:  # the pool would go on with other tasks
        os._exit(1)


def _in_pool(waiting: deque[T], workers: int, losses: Counter[str], tries: int) -> Iterator[tuple[T, Any]]:
    """Does tasks until none is waiting, or a process is lost: then the running tasks wait again, after the others.

    Those that are done are removed, and those that lost ``tries`` processes; ``losses`` by key are counted on.
    """
    with _starting_processes():  # multiprocessing's own
        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_prepare_process)
    running: dict[Future[Any], T] = {}
    others = multiprocessing.active_children()

    def can_run(task: T) -> bool:
        return not running or (
            len(running) < workers and all(losses[one.key] < ALONE for one in (task, *running.values()))
        )

    try:
        while waiting or running:
            while waiting and can_run(waiting[0]):  # tasks submitted to the pool cannot be taken back
                with _starting_processes():
                    running[pool.submit(_call_in_process, waiting[0])] = waiting[0]
                waiting.popleft()
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                result = future.result()
                yield running.pop(future), result
    except BrokenProcessPool:
        for future in wait(running).done:
            task = running[future]
            if not isinstance(future.exception(), BrokenProcessPool):
                yield task, future.result()
                continue
            losses[task.key] += 1  # it is unknown which of the running tasks lost its process
            if losses[task.key] < tries:
                waiting.append(task)
    except BaseException:
        for process in multiprocessing.active_children():
            if process not in others:
                process.terminate()
        raise
    finally:
        pool.shutdown()


def on_cluster(
    tasks: Sequence[C], address: str, *shared: Any, lost: Callable[[C], Any] | None = None
) -> Iterator[tuple[C, Any]]:
    """Does tasks on a Ray cluster; yields each with its result when it is done.

    Args:
        tasks: What is called; the lost ones are called again elsewhere.
        address: The cluster, see :func:`run_tasks`.
        *shared: The arguments of all tasks; they are sent to each machine once, and cannot be changed there.
        lost: See :func:`run_tasks`.
    """
    if not tasks:
        return
    with cluster(address) as ray:
        call = ray.remote(_call).options(num_cpus=1, max_retries=(TRIES if lost is None else ALONE + 1) - 1)
        sent = [ray.put(argument) for argument in shared]
        waiting = iter(tasks)
        running: dict[Any, C] = {}
        try:
            while True:
                most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 0)))  # machines may come and go
                for task in itertools.islice(waiting, max(0, most - len(running))):
                    running[call.remote(task, *sent)] = task
                if not running:
                    return
                (ready, *_), _ = ray.wait(list(running))
                task = running.pop(ready)
                try:
                    result = ray.get(ready)
                except ray.exceptions.RayTaskError as error:  # of a derived class, with a traceback in its message
                    raise error.cause from error
                except ray.exceptions.WorkerCrashedError:
                    if lost is None:
                        raise
                    result = lost(task)
                yield task, result
        finally:
            for one in running:
                ray.cancel(one, force=True)
            if running:
                ray.wait(list(running), num_returns=len(running), timeout=PATIENCE)


def _call(task: Callable[..., Any], *shared: Any) -> Any:
    return task(*shared)


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Any]:
    """Yields the module ``ray``, connected to a cluster within this context."""
    try:
        with _set(SILENCED, "."):  # read at the import; without it Ray prints lost machines on standard output
            import ray
    except ImportError as error:
        raise MissingPackageError("work on a cluster needs Ray: pip install '.[ray]' in nashzoo's folder") from error
    if ray.is_initialized():
        yield ray
        return
    if address not in (LOCAL, AUTO):
        _check_answer(address)
    with contextlib.nullcontext() if address == LOCAL else _set(ATTEMPTS, str(int(PATIENCE))):
        try:
            ray.init(
                address,
                num_cpus=processors() if address == LOCAL else None,
                include_dashboard=False,
                logging_level=logging.ERROR,
                log_to_driver=False,
            )
        except (ConnectionError, RuntimeError) as error:
            *_, reason = str(error.__cause__ or error).strip().splitlines()  # the last line of a traceback in words
            raise ConnectionError(f"no Ray cluster can be used at {address}: {reason}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


@contextlib.contextmanager
def _set(name: str, value: str) -> Iterator[None]:
    """Sets an environment variable within this context, unless the user has set it."""
    if name in os.environ:
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


def _check_answer(address: str) -> None:
    """Checks that a gRPC server such as Ray's answers, since Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdecimal():
        raise UsageError(f"a Ray cluster is HOST:PORT, {AUTO} or {LOCAL}, not {address!r}")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), PATIENCE) as connection:
            connection.settimeout(PATIENCE)
            connection.sendall(HTTP2)
            answer = connection.recv(4)
    except (OSError, OverflowError) as error:
        raise ConnectionError(f"no Ray cluster answers at {address}: {error}") from error
    if len(answer) < 4 or answer[3] != SETTINGS:
        raise ConnectionError(f"what answers at {address} is no Ray cluster")


def run_missing(
    tasks: Sequence[T],
    store: "ResultStore",
    processes: int | None = None,
    ray: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    lost: Callable[[T], Any] | None = None,
) -> None:
    """Does the tasks that have no results yet, and stores each result at once.

    ``progress`` is called with the number of tasks done and of all tasks, at first and after each; the other arguments
    are those of :func:`run_tasks`.

    Raises:
        Exception: as from :func:`run_tasks`; earlier results are kept.
    """
    missing = [task for task in tasks if task.key not in store]
    finished = len(tasks) - len(missing)
    if progress is not None:
        progress(finished, len(tasks))
    for task, result in run_tasks(missing, processes, ray, lost):
        store[task.key] = result
        finished += 1
        if progress is not None:
            progress(finished, len(tasks))


class ResultStore(UserDict[str, Any]):
    """Results by key; each is written to a file at once.

    The file has a line of JSON that describes the computation, and one for each result, with a checksum of both; of
    several with one key the last counts. An incomplete last line, of a killed writer, is ignored and overwritten.

    Args:
        folder: The folder of the file; None for no file.
        about: Description of the computation, which JSON can represent.

    Raises:
        UsageError: the folder holds results of another computation, or others than were written.
    """

    def __init__(self, folder: Path | None, about: dict[str, Any]) -> None:
        super().__init__()
        self.about = about
        self.path = None if folder is None else folder / RESULTS
        self._torn_at: int | None = None
        if self.path is None or not self.path.exists():
            return
        *lines, torn = self.path.read_bytes().split(b"\n")
        if torn:
            self._torn_at = sum(len(line) + 1 for line in lines)
        try:
            described = json.loads(lines[0])
            there, results = described["about"], [json.loads(line) for line in lines[1:]]
            self.data = {result[0]: result[1] for result in results}
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            raise UsageError(f"{self.path} holds no results; remove it, or choose another folder") from None
        if described.get("checksum") != checksum(there, there):
            raise UsageError(f"{self.path} is damaged in its first line; remove it, or choose another folder")
        for number, result in enumerate(results, 2):
            if len(result) != 3 or result[2] != checksum(there, result[:2]):
                raise UsageError(
                    f"{self.path} is damaged: line {number} is not what was written; without that line the same "
                    "command does its work anew"
                )
        now = dict.fromkeys(there) | json.loads(json.dumps(about))
        if changed := differences(there, now):
            raise UsageError(f"{self.path} has other settings: {changed}; remove it, or choose another folder")
        self.about = there  # as it was written, whose checksum lines have

    def __setitem__(self, key: str, result: Any) -> None:
        line = json.dumps([key, result, checksum(self.about, [key, result])]) + "\n"
        self.data[key] = result
        if self.path is None:
            return
        if not self.path.exists():
            described = {"about": self.about, "checksum": checksum(self.about, self.about)}
            write_text(self.path, json.dumps(described) + "\n")
        if self._torn_at is not None:
            os.truncate(self.path, self._torn_at)
            self._torn_at = None
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line)


def checksum(about: Any, result: Any) -> int:
    """Returns a checksum of a result, and of what it is a result of, which JSON can represent."""
    return zlib.crc32(json.dumps([about, result]).encode())
