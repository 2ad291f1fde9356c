"""The parent process of a third-party player: it runs the player's program, and ends all of its processes.

:mod:`nashzoo.agents.hosted.script_process` starts it with the path of the program, and with its limit of CPU time,
which may be infinite. It ends the program as soon as its standard input is closed: when the match is over, or when the
process that plays the match has died. Its exit status is that of the program; SIGXCPU if the program was killed beyond
its limit.
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
PAUSE = 0.1  # seconds between two looks at the standard input
END_SECONDS = 10.0  # a process of another user, as sudo makes one, cannot be ended at all


def prctl(option: int, value: int) -> None:
    """Sets an attribute of this process, if the operating system has ``prctl``."""
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def children(pid: int) -> list[int]:
    """Returns the child processes of a process; none if the operating system has no ``/proc``."""
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                pids += map(int, file.read().split())
    return pids


def run(program: str, supervisor: int) -> None:
    """Runs the program in this process; the process ends when the supervisor does."""
    os.setsid()  # a signal to its own process group does not reach the supervisor
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == supervisor:
        runpy.run_path(program, run_name="__main__")


def end_when_unused(worker: int) -> None:
    """Waits until the standard input is closed, and ends the program."""
    standard_input = select.poll()
    standard_input.register(0, select.POLLHUP)  # macOS waits for nothing but what is named
    while not standard_input.poll():  # macOS may return without an event, when there is something to read
        time.sleep(PAUSE)
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)


def wait_for(worker: int, cpu_seconds: float) -> int:
    """Returns the exit code of the program, negative for a signal, as soon as it has ended.

    The operating system kills a program that ignores SIGXCPU; its exit code is that of this signal too.
    """
    while True:
        pid, status, used = os.wait4(-1, 0)  # adopted processes too
        if pid == worker:
            code = os.waitstatus_to_exitcode(status)
            beyond = code == -signal.SIGKILL and used.ru_utime + used.ru_stime >= cpu_seconds
            return -signal.SIGXCPU if beyond else code


def end_all(worker: int) -> None:
    """Ends the remaining processes of the program.

    On Linux processes whose parent has died become children of this process, in any session. So all have ended when
    there are no children. On other systems only the program's process group is ended.
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
    """Removes the working folder of the program."""
    try:
        os.rmdir(folder)
    except OSError:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


def leave(code: int) -> None:
    """Ends this process with the program's exit code or signal."""
    if code < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError):  # SIGKILL cannot be handled, and need not be
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(abs(code))


def main() -> None:
    """Runs the program whose path is the first argument; the second is its limit of CPU time, in seconds."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    folder, supervisor = os.getcwd(), os.getpid()
    worker = os.fork()
    if worker == 0:
        run(sys.argv[1], supervisor)
        return
    os.close(1)  # so that the pipe ends when the program does
    threading.Thread(target=end_when_unused, args=(worker,), daemon=True).start()
    code = wait_for(worker, float(sys.argv[2]))
    end_all(worker)
    remove(folder)
    leave(code)


if __name__ == "__main__":
    main()
