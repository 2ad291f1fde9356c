"""The process above somebody else's player: it runs the player's program, and ends all that the player has started.

It is started by :mod:`nashzoo.agents.hosted.script_process` with the path of the program, and ends it as soon as nobody
can write to its standard input any more: when the match is over, or when the process that plays the match has died. Its
exit status is that of the program.
"""

import contextlib
import ctypes
import os
import runpy
import select
import signal
import sys
import threading
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # <linux/prctl.h>
END_SECONDS = 10.0  # a process of another user, as sudo makes one, cannot be ended at all


def prctl(option: int, value: int) -> None:
    """Sets an attribute of this process, where the operating system has such attributes."""
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def children(pid: int) -> list[int]:
    """Returns the child processes of a process; none where the operating system does not tell."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def run(program: str, supervisor: int) -> None:
    """Runs the program in this process, which ends with the supervisor."""
    os.setsid()  # a signal to its own process group does not reach the supervisor
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == supervisor:
        runpy.run_path(program, run_name="__main__")


def end_when_unused(worker: int) -> None:
    """Waits until nobody can write to the standard input any more, and ends the program."""
    standard_input = select.poll()
    standard_input.register(0, 0)  # that it was closed is reported without being asked for
    standard_input.poll()
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)


def wait_for(worker: int) -> int:
    """Returns the exit code of the program, negative for a signal, as soon as it has ended."""
    while True:
        pid, status = os.wait()  # of adopted processes too
        if pid == worker:
            return os.waitstatus_to_exitcode(status)


def end_all(worker: int) -> None:
    """Ends the processes that the program has left behind.

    On Linux those whose parent has died become children of this process, whatever session they are in, so that none
    is left when there are no children. Elsewhere only the program's process group is known.
    """
    with contextlib.suppress(OSError):
        os.killpg(worker, signal.SIGKILL)
    deadline = time.monotonic() + END_SECONDS
    while time.monotonic() < deadline:
        for child in children(os.getpid()):
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.001)
        except ChildProcessError:
            return


def remove(folder: str) -> None:
    """Removes the folder in which the program worked."""
    try:
        os.rmdir(folder)
    except OSError:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


def leave(code: int) -> None:
    """Ends this process as the program has ended."""
    if code < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError):  # SIGKILL cannot be handled, and need not be
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(abs(code))


def main() -> None:
    """Runs the program whose path is the only argument."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    folder, supervisor = os.getcwd(), os.getpid()
    worker = os.fork()
    if worker == 0:
        run(sys.argv[1], supervisor)
        return
    os.close(1)  # so that the end of the program is the end of what it says
    threading.Thread(target=end_when_unused, args=(worker,), daemon=True).start()
    code = wait_for(worker)
    end_all(worker)
    remove(folder)
    leave(code)


if __name__ == "__main__":
    main()
