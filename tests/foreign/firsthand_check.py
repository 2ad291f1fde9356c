"""What users type first, where they type it: at a terminal of 80 columns, without one, in a notebook; interrupted, too.

The commands of README.md and the examples of the help run as they stand there, at a terminal; what takes long in a
second example of a command is shorter. Without a terminal one line of each command runs. Those of README.md begin with
empty caches, and find what those before them have compiled; the examples also find what other tests have.
"""

import contextlib
import json
import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pexpect
import pytest
from nbclient import NotebookClient
from rich.cells import cell_len

from nashzoo.app import index
from processes import hear_interruptions
from typed import blocks_of, commands, example

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
COLUMNS = 80
PATIENCE = 1200  # seconds for one command, on a machine that does much else

ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])")
COLOUR = re.compile(r"\x1b\[[0-9;]*\b(?:3[0-8]|4[0-8]|9[0-7])\b[0-9;]*m")
SHOWS_PROGRESS = "\x1b[?25l"  # a display hides the cursor while it lasts

APART = ("python3 -m venv", ". .venv", "pip install", "make test", "make docs")  # other steps of .ci/run are these
SERVE = ("web", "mcp")
SHORTER = "--timesteps 20000 --report-seconds 10"
# In the place of what takes long, where a run at a terminal, of the first line of a command, shows the whole.
LESS = {
    "--seeds 2": "--seeds 1",
    "--out menace-plots": "--iterations 50 --out menace-plots",
    "--timesteps 60000": "--timesteps 20000",
    "--timesteps 5000": "--timesteps 500",
    "footsies_v0 --seeds": "'Footsies, 1 round, 1 block' --seeds",
    "ppo_self_play.py:train": "ppo_self_play.py:train --probe seats",
    "--seeds 1 --timesteps": "--processes 1 --seeds 1 --timesteps",
}
# With --quiet, but progress of large games and of questions to a model alone, or results one by one.
QUICK = ("check-trainer", "text review", "text dataset")


def readme() -> list[str]:
    """Returns the commands of README.md."""
    page = (ROOT / "README.md").read_text()
    blocks = "".join(block for language in ("console", "sh") for block, _ in blocks_of(page, language))
    lines = [line.removeprefix("$ ").partition("#")[0].strip() for line in blocks.splitlines()]
    return [line for line in lines if line and not line.startswith(APART)]


README = readme()
SHOWN = list(dict.fromkeys([*README, *map(example, commands())]))
SERVING = [line for line in SHOWN if line.split()[1] in SERVE]
LINES = [line for line in SHOWN if line not in SERVING]

LEFT = {  # what commands leave, where the line does not say it
    "bench": ("bench/scorecard.html", "bench/outcomes.csv"),
    "export": ("random_player.py",),
    "picture": ("picture.png",),
    "tournament": ("tournament/standings.csv", "tournament/cross_table.png", "tournament/ratings.png"),
    "train": ("runs/footsies_v0-ppo-counter-0/report.json", "runs/footsies_v0-ppo-counter-0/report.png"),
}


class Ended(NamedTuple):
    """A command's exit status, what it showed at a terminal or printed, and its errors if they are apart."""

    status: int | None
    shown: str
    errors: str = ""


def name_of(line: str) -> str:
    """Returns the command of a line, such as ``menace train``."""
    words = line.split()
    if words[0] == "make":
        return "train"
    return " ".join(words[1:3]) if index.subcommands(words[1]) else words[1]


def one_of_each() -> list[str]:
    """Returns a line of each command: of those of README.md the last, which the next ones go on from, or the first."""
    chosen = {name_of(line): line for line in [*reversed(LINES), *README]}
    return [line for line in LINES if chosen[name_of(line)] == line]


def folder_of_a_user(folder: Path) -> Path:
    """Returns a folder like a clone of the repository, with the files that the examples of the help name."""
    folder.mkdir()
    for name in ("examples", "train.py", "Makefile", "pyproject.toml", "constraints.txt", ".venv"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "examples" / "ppo_self_play.py", folder / "ppo.py")
    moves = [{"action": {"submission": -1}, "info": {}, "status": "INACTIVE"}] * 2
    steps: list[Any] = [moves, moves]
    for number, move in enumerate((0, 1, 4, 8, 6, 2, 3)):
        applied = [move, None][:: 1 - 2 * (number % 2)]
        steps.append([{"action": {"submission": -1}, "info": {"actionApplied": one}} for one in applied])
    episode = {"configuration": {"openSpielGameString": "tic_tac_toe_proxy()"}, "info": {}, "steps": steps}
    (folder / "episode.json").write_text(json.dumps(episode))
    return folder


def shorter(line: str, at_terminal: bool) -> str:
    """Returns a line that trains less, if it trains long; what runs whole at a terminal is shorter without one."""
    whole = at_terminal and line == next(one for one in LINES if name_of(one) == name_of(line))
    for long, short in () if whole else LESS.items():
        line = line.replace(long, short)
    if line == "make train":
        return f'{line} ARGUMENTS="{SHORTER}"'
    return f"{line} {SHORTER}" if line.startswith("nashzoo train") and "--timesteps" not in line else line


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Returns the environment of a user who has just installed nashzoo; what is compiled is shared."""
    base = tmp_path_factory.getbasetemp()
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    return kept | {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(base),
        "XDG_CACHE_HOME": str(base / "cache"),
        "NUMBA_CACHE_DIR": str(base / "compiled"),
        "TERM": "xterm-256color",
        "BROWSER": "true",
    }


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Callable[[str], Path]:
    """Returns what returns a user's folder by name, made when it is first asked for."""
    base = tmp_path_factory.mktemp("users")
    first = folder_of_a_user(base / "first")
    without_terminal("nashzoo watch tictactoe_v0 random random --games 2 --save games.jsonl", first, environment)

    def folder(name: str) -> Path:
        if not (base / name).exists():
            shutil.copy(first / "games.jsonl", folder_of_a_user(base / name))
        return base / name

    return folder


def environment_for(line: str, environment: dict[str, str]) -> dict[str, str]:
    """Returns the environment, in which examples of the help find what is compiled beside the sources."""
    return {name: value for name, value in environment.items() if line in README or name != "NUMBA_CACHE_DIR"}


def at_terminal(line: str, folder: Path, environment: dict[str, str]) -> Ended:
    """Runs a line at a terminal; to who asks for a move it is the end of what is typed."""
    with spawned(line, folder, environment) as child:
        while child.expect(["Your move", pexpect.EOF]) == 0:
            child.sendeof()
        shown = child.logfile_read.text
    return Ended(status_of(child), shown)


def without_terminal(line: str, folder: Path, environment: dict[str, str]) -> Ended:
    """Runs a line whose input is empty and whose output goes into pipes."""
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout, done.stderr)


class Log:
    """Keeps what a terminal is sent."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        """Keeps a part."""
        self.text += text

    def flush(self) -> None:
        """Does nothing."""


def spawned(line: str, folder: Path, environment: dict[str, str]) -> pexpect.spawn:
    """Begins a line at a terminal of its own."""
    child = pexpect.spawn(
        "bash", ["-c", f"exec {line}" if line.startswith(("nashzoo", "python")) else line], cwd=str(folder),
        env=environment, dimensions=(24, COLUMNS), timeout=PATIENCE, encoding="utf-8", codec_errors="replace",
        preexec_fn=hear_interruptions,
    )  # fmt: skip
    child.logfile_read = Log()
    return child


def status_of(child: pexpect.spawn) -> int | None:
    """Returns the exit status of what has ended, or the negative number of a signal."""
    child.wait() if child.isalive() else child.close()
    return child.exitstatus if child.signalstatus is None else -child.signalstatus


def too_wide(shown: str, columns: int = COLUMNS) -> list[str]:
    """Returns the lines that do not fit a terminal; tyro breaks no line on usage, and make shows what it runs.

    Nor is a path broken, alone in its line.
    """
    lines = [line for line in re.split(r"[\r\n]+", ESCAPE.sub("", shown)) if cell_len(line) > columns]
    return [line for line in lines if not (line.startswith(("usage:", ".venv/bin/")) or re.fullmatch(r"\s*/\S+", line))]


@contextlib.contextmanager
def leaving_files(line: str, folder: Path) -> Iterator[None]:
    """Checks that a command leaves what it says, and that it is written in this context."""
    named = re.search(r"--(?:out|run-dir) (\S+)", line)
    made = (named[1],) if named else LEFT.get(name_of(line), ())
    if line.startswith("make"):
        made = ("runs/footsies/report.json", "runs/footsies/report.png")
    before = {name: written_at(folder / name) for name in made}
    yield
    assert all(written_at(folder / name) > before[name] for name in made), (line, made)


def written_at(path: Path) -> int:
    """Returns when a file, or the last one in a folder, was written; 0 if there is none."""
    paths = [path, *path.rglob("*")] if path.exists() else []
    return max((one.stat().st_mtime_ns for one in paths), default=0)


def check_end(ended: Ended) -> None:
    """Checks that a command did what it was asked to, without a traceback."""
    told = ended.shown + ended.errors
    assert ended.status == 0 and "Traceback" not in told, told[-3000:]


def check_display(line: str, shown: str) -> None:
    """Checks that a command with --quiet has shown progress, and one without has not."""
    name = name_of(line)
    above, *below = name.split()
    function = index.subcommands(above)[below[0]] if below else index.command(above)
    has = "quiet" in function.__annotations__ and name not in QUICK
    assert (SHOWS_PROGRESS in shown) == has, (line, shown[-2000:])


class TestAtATerminal:
    @pytest.mark.parametrize("line", LINES, ids=str)
    def test_it_runs(self, line: str, folders: Callable[[str], Path], environment: dict[str, str]) -> None:
        folder = folders("terminal, README" if line in README else "terminal, help")
        with leaving_files(line, folder):
            ended = at_terminal(shorter(line, at_terminal=True), folder, environment_for(line, environment))
        check_end(ended)
        assert too_wide(ended.shown) == []
        check_display(line, ended.shown)


class TestWithoutATerminal:
    @pytest.mark.parametrize("line", one_of_each(), ids=str)
    def test_it_runs(self, line: str, folders: Callable[[str], Path], environment: dict[str, str]) -> None:
        folder = folders("pipes, README" if line in README else "pipes, help")
        with leaving_files(line, folder):
            ended = without_terminal(shorter(line, at_terminal=False), folder, environment_for(line, environment))
        check_end(ended)
        assert "\x1b" not in ended.shown + ended.errors


def port_is_free(line: str) -> bool:
    """Returns whether nobody else listens at the port of a line."""
    named = re.search(r"--port (\d+)", line)
    with socket.socket() as asked:
        return named is None or asked.connect_ex(("127.0.0.1", int(named[1]))) != 0


@pytest.mark.parametrize("line", [line for line in SERVING if "mcp" not in line])
def test_the_browsers_server(line: str, folders: Callable[[str], Path], environment: dict[str, str]) -> None:
    if not port_is_free(line):
        line = re.sub(r"--port \d+", "--port 0", line)
    with spawned(line, folders("serving"), environment) as child:
        child.expect(r"http://[\d.]+:\d+/")
        assert b"<title>" in urllib.request.urlopen(child.match.group(0), timeout=60).read()
        child.sendintr()
        child.expect(pexpect.EOF)
        shown = child.logfile_read.text
    assert status_of(child) == 0 and "Traceback" not in shown and too_wide(shown) == [], shown
    apart = subprocess.Popen(
        shlex.split(line), cwd=folders("serving"), env=environment, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=hear_interruptions,
    )  # fmt: skip
    assert apart.stdout is not None
    address = re.search(r"http://[\d.]+:\d+/", apart.stdout.readline())
    assert address is not None
    urllib.request.urlopen(address[0], timeout=60).read()
    apart.send_signal(signal.SIGINT)
    assert apart.communicate(timeout=PATIENCE)[1].count("Traceback") == 0 and apart.returncode == 0


@pytest.mark.parametrize("line", [line for line in SERVING if "mcp" in line])
def test_the_assistants_server(line: str, folders: Callable[[str], Path], environment: dict[str, str]) -> None:
    with spawned(line, folders("serving"), environment) as child:
        child.expect("Ctrl-D ends it")
        child.sendeof()
        child.expect(pexpect.EOF)
        shown = child.logfile_read.text
    assert status_of(child) == 0 and "Traceback" not in shown and too_wide(shown) == [], shown
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}) + "\n"
    done = subprocess.run(
        shlex.split(line), cwd=folders("serving"), env=environment, input=asked, text=True, capture_output=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and json.loads(done.stdout.splitlines()[0])["id"] == 1, done.stderr


SMALL = (
    "nashzoo --help",
    "nashzoo list --help",
    "nashzoo list",
    "nashzoo solve footsies_v0",
    "nashzoo tournament footsies_v0 --agents random counter --games 100 --out narrow",
)


@pytest.mark.parametrize(
    "settings", [{"TERM": "dumb"}, {"NO_COLOR": "1"}, {"COLUMNS": "5"}], ids=lambda settings: next(iter(settings))
)
def test_other_terminals(settings: dict[str, str], folders: Callable[[str], Path], environment: dict[str, str]) -> None:
    (setting,) = settings
    for line in SMALL:
        ended = at_terminal(line, folders(setting), environment | settings)
        assert ended.status == 0 and "Traceback" not in ended.shown, ended.shown[-3000:]
        if setting == "TERM":
            assert "\x1b" not in ended.shown, (line, ended.shown)
        if setting == "NO_COLOR":
            assert not COLOUR.search(ended.shown), (line, ended.shown)
        if setting != "COLUMNS":
            assert too_wide(ended.shown) == []


INTERRUPTED = (
    "nashzoo list",
    "python -m nashzoo.app solve footsies_v0",
    "nashzoo tournament footsies_v0 --agents random counter nash",
    "nashzoo train footsies_v0 --opponent counter --timesteps 8000 --report-seconds 2",
    "python train.py footsies_v0 --opponent random --timesteps 8000 --report-seconds 2",
)


@pytest.mark.parametrize("line", INTERRUPTED)
def test_interrupted_at_any_moment(
    line: str, folders: Callable[[str], Path], environment: dict[str, str], tmp_path: Path
) -> None:
    folder, moments = folders("interrupted"), random.Random()
    begun = time.monotonic()
    assert at_terminal(line, folder, environment).status == 0
    whole = time.monotonic() - begun
    for _ in range(2):
        moment = moments.uniform(0, whole)
        user = folder_of_a_user(tmp_path / str(moment))
        with spawned(line, user, environment) as child:
            time.sleep(moment)
            child.sendintr()
            child.expect(pexpect.EOF)
            shown = child.logfile_read.text
        status = status_of(child)
        files = {Path(file) for file in re.findall(r'File "([^"]+)"', shown)}
        ours = [file for file in files if ROOT in file.parents and ".venv" not in file.parts]
        if status == -signal.SIGINT or (files and {file.name for file in ours} <= {"__main__.py", "train.py"}):
            continue  # Python itself has not begun, or looks for packages
        assert "Traceback" not in shown and status in (0, 130), (moment, shown)
        assert status == 0 or "Interrupted." in shown, (moment, shown)
        assert not [path for path in user.rglob(".unfinished-*")], moment


CELLS = (
    "!nashzoo solve footsies_v0",
    "from nashzoo.app.training.options import Options\n"
    "from nashzoo.app.training.train import train\n"
    "report = train(Options('footsies_v0', opponent='counter', timesteps=5_000, report_seconds=5))",
    "from pathlib import Path\n"
    "from nashzoo.baselines.store import solution_of\n"
    "from nashzoo.envs import make_game\n"
    "print(solution_of(make_game('bodega_brawl_v0', preset='small'), Path('brawl.safetensors')).start_value)",
    "from nashzoo.arena.tournament import tournament\n"
    "from nashzoo.envs.base.progress import progress_bar\n"
    "with progress_bar('playing') as show:\n"
    "    names = ['random', 'counter', 'nash']\n"
    "    played = tournament(make_game('footsies_v0'), dict(zip(names, names)), 1000, 0, progress=show)",
)
DISPLAYED = ("", "measuring", "states", "playing")  # at last; a command in a cell has a terminal for its output alone


def test_in_a_notebook(folders: Callable[[str], Path], environment: dict[str, str], tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    client = NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(folders("notebook"))}})
    client.execute(env=environment)
    for cell, what in zip(notebook.cells, DISPLAYED, strict=True):
        texts = {output.get("name"): output.get("text", "") for output in cell.outputs}
        told = "".join(texts.values())
        assert what in told and "Traceback" not in told and (not what or "━" in told), (cell.source, told)
        assert too_wide(told) == []
        assert "ipywidgets" not in told
