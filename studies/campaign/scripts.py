"""Hostile scripts: every match must end in time, without remaining processes or folders."""

import glob
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from nashzoo import agents
from nashzoo.agents.hosted import script_process
from nashzoo.agents.hosted.script_supervisor import children
from nashzoo.arena.match import play_match
from nashzoo.envs import roshambo_v0
from studies.campaign import Row

ROUNDS = 20
START_SECONDS = 5.0  # for a script before its first throw
LONGEST = 60.0  # for a match
FOLDERS = f"{tempfile.gettempdir()}/nashzoo-"  # of matches
START = "output = 'R'\n"

PROGRAMS = {
    "sleeps": "import time; time.sleep(1e6)",
    "works for ever": "while True: pass",
    "ignores signals": "import signal\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n"
    "    except (OSError, ValueError): pass\nwhile True: pass",
    "closes its streams and sleeps": "import os, time; os.closerange(0, 256); time.sleep(1e6)",
    "closes its streams and ends": "import os; os.closerange(0, 256); os._exit(0)",
    "writes without end": "import os\nwhile True: os.write(4, b'0' * 65536)",
    "writes brackets": "import os; os.write(4, b'[' * 60000)" + "\n" + START,
    "writes other answers": "import os; os.write(4, b'{\"throw\": 1e999}\\n')\n" + START,
    "writes to every descriptor": "import os\nfor n in range(256):\n    try: os.write(n, b'2\\n' * 999)\n"
    "    except OSError: pass\n" + START,
    "takes all memory": "x = []\nwhile True: x.append(bytearray(1 << 24))",
    "recurses": "def f(): return f()\nf()",
    "ends": "import os; os._exit(7)",
    "kills itself": "import os; os.kill(os.getpid(), 9)",
    "starts many processes": "import os, time\nfor _ in range(50):\n    if os.fork() == 0: time.sleep(1e6)\n" + START,
    "starts a session of its own": "import os, time\nif os.fork() == 0:\n    os.setsid()\n"
    "    if os.fork() == 0: time.sleep(1e6)\n    os._exit(0)\n" + START,
    "kills its supervisor": "import os, time\nsupervisor = os.getppid()\nif os.fork() == 0:\n    os.setsid()\n"
    "    os.kill(supervisor, 9)\n    time.sleep(1e6)\n" + START,
    "kills all above it": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    while os.getppid() > 1:\n"
    "        with open(f'/proc/{os.getppid()}/cmdline') as file:\n            if 'script_' not in file.read(): break\n"
    "        os.kill(os.getppid(), 9)\n        time.sleep(0.01)\n    time.sleep(1e6)\n" + START,
    "patches the clocks": "import time\ntime.process_time = time.time = time.perf_counter = lambda: 0.0\n"
    "while True: pass",
    "raises what is no error": "raise SystemExit('R')",
    "throws something else": "output = 'Q' * 100_000",
    "throws an object": "class O:\n    def __eq__(self, other): raise KeyError\noutput = O()",
    "leaves files": "import tempfile\nfor _ in range(20): open(tempfile.mktemp(), 'w').write('x' * 100_000)\n" + START,
    "changes its input": "input = None\ndel input\n" + START,
    "is empty": "",
    "is no Python": "this is not Python",
    "has a zero byte": "output = 'R'\0",
}


def folders_there() -> set[str]:
    """Returns the folders of matches."""
    return set(glob.glob(f"{FOLDERS}*"))


def rows(matches: int, seed: int) -> Iterator[Row]:
    """Yields a row of hostile scripts, each of which plays ``matches`` matches."""
    game, failures = roshambo_v0.game(rounds=ROUNDS), list[str]()
    script_process.START_SECONDS = START_SECONDS
    with tempfile.TemporaryDirectory() as name:
        for number, (what, source) in enumerate(PROGRAMS.items()):
            path = Path(name) / f"bot{number}.py"
            path.write_text(source)
            folders, running, begun = folders_there(), set(script_process.orphans(FOLDERS)), time.monotonic()
            try:
                script = agents.as_agent(path, game, seed, cpu_seconds=1)
                play_match(game, script, agents.make("roll", game), matches, seed)
            except Exception as error:
                failures.append(f"{what}: {type(error).__name__}: {error}")
            if time.monotonic() - begun > LONGEST * matches:
                failures.append(f"{what}: the match took {time.monotonic() - begun:.0f} seconds")
            if children(os.getpid()) or set(script_process.orphans(FOLDERS)) - running:
                failures.append(f"{what}: processes are left")
            if folders_there() - folders:
                failures.append(f"{what}: folders are left")
    yield Row("matches of hostile scripts", len(PROGRAMS) * matches, tuple(failures))
