"""What programs do with errors: one line for wrong use, a traceback for bugs."""

import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command import Command, interrupt
from nashzoo import agents
from nashzoo.app.__main__ import started
from nashzoo.app.shared.errors import run_program
from nashzoo.app.shared.interruption import ANEW
from nashzoo.app.training.options import Options
from nashzoo.arena.match import play_match
from nashzoo.arena.tournament import tournament
from nashzoo.baselines import CertificateError
from nashzoo.envs import footsies_v0
from nashzoo.envs.base.errors import MissingPackageError, UsageError, UsageTypeError
from processes import PATIENCE

ROOT = Path(__file__).resolve().parents[2]


def test_work_that_is_done_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program("program", lambda: None) == 0
    assert capsys.readouterr() == ("", "")


SCRIPT = """
import sys
from nashzoo.app.shared.errors import run_program
sys.exit(run_program("program", lambda: {}))
"""


def run(work: str, redirection: str, **environment: str) -> tuple[int, str, str]:
    """Returns exit code, output and errors of a program in a process of its own."""
    program = shlex.join([sys.executable, "-c", SCRIPT.format(work)])
    done = subprocess.run(
        ["bash", "-c", f"{program} {redirection}"],
        capture_output=True, env={**os.environ, **environment}, timeout=PATIENCE, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_reader_that_has_gone_ends_the_program_without_a_word() -> None:
    many = "[print(line) for line in range(100_000)]"
    for work in (many, "print('all')", many.replace("print", "__import__('rich').print")):  # 'all': at the end
        assert run(work, "| true; exit ${PIPESTATUS[0]}") == (141, "", "")
    assert run("print('all')", "| head -1; exit ${PIPESTATUS[0]}") == (0, "all\n", "")


def test_closed_streams_are_empty() -> None:
    assert run("print(repr(input()) if sys.stdin.isatty() else repr(sys.stdin.read()))", "<&-") == (0, "''\n", "")
    assert run("print(1, sys.stdout.isatty()) or print(2, file=sys.stderr)", ">&- 2>&-") == (0, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no folder that is in use")
def test_a_current_folder_that_was_removed(nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for line in ("solve ./rules.py", "tournament roshambo_v0 --games 10"):
        assert nashzoo.refused(line) == "the current folder is no longer there; change to another one"
    assert nashzoo.prints("--version").startswith("nashzoo ")


def test_characters_that_the_encoding_lacks_are_replaced() -> None:
    assert run("print('1 \\u00b1 \\udcff', file=sys.stderr) or print('2 \\u00b1')", "", PYTHONIOENCODING="ascii") == (
        0, "2 ?\n", "1 ? ?\n"
    )  # fmt: skip


def test_an_interruption_has_the_shells_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    def advised() -> None:
        raise KeyboardInterrupt("Use --resume.")

    for work, advice in ((interrupt, ANEW), (advised, "Use --resume.")):
        assert run_program("program", work) == 130
        assert capsys.readouterr() == ("", f"\nInterrupted. {advice}\n")


def test_an_interruption_before_anything_is_imported_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert started(interrupt) == 130
    assert capsys.readouterr() == ("", "\nInterrupted.\n")
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert scripts == {"nashzoo": "nashzoo.app.__main__:main"}  # which imports nothing before


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda: footsies_v0.game(rounds=0), "rounds must be a whole number from 1 to 63, not 0"),
        (lambda: agents.make("counter", footsies_v0.game(), speed=1), "counter has no option speed; it has none"),
        (lambda: Path("/nowhere/to/be/found").read_text(), "/nowhere/to/be/found: No such file or directory"),
    ],
)
def test_wrong_use_is_told_in_one_line(
    work: Callable[[], Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_program("program", work) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1) and err.startswith(f"program: {message}")


@pytest.mark.parametrize(
    ("work", "error"),
    [
        (lambda: json.loads("{"), ValueError),
        (lambda: {}["missing"], KeyError),
        (lambda: None + 1, TypeError),  # type: ignore[operator]
        (lambda: footsies_v0.game().step(0, 9, 9), ValueError),
    ],
)
def test_bugs_keep_their_traceback(work: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        run_program("program", work)


def test_whoever_catches_pythons_errors_catches_those_of_use() -> None:
    assert issubclass(UsageError, ValueError) and issubclass(MissingPackageError, ImportError)
    assert issubclass(UsageTypeError, TypeError) and issubclass(UsageTypeError, ValueError)


class TestSeeds:
    GAME = footsies_v0.game()

    @pytest.mark.parametrize("seed", [-1, 1.5, True, "0"])
    @pytest.mark.parametrize(
        "use",
        [
            lambda game, seed: agents.make("random", game, seed),
            lambda game, seed: agents.as_agent({"random": 1}, game, seed),
            lambda game, seed: play_match(game, agents.make("random", game), agents.make("random", game), 2, seed),
            lambda game, seed: tournament(game, {"random": "random", "nash": "nash"}, 2, seed),
        ],
        ids=["make", "as_agent", "play_match", "tournament"],
    )
    def test_what_is_no_seed_is_refused(self, use: Callable[[Any, Any], Any], seed: Any) -> None:
        with pytest.raises(UsageError, match=f"^seed must be a whole number of at least 0, not {seed!r}$"):
            use(self.GAME, seed)

    @pytest.mark.parametrize("seed", [-1, 2**32])
    def test_training_takes_the_seeds_of_its_library(self, seed: int) -> None:
        with pytest.raises(UsageError, match=f"seed must be a whole number from 0 to 4294967295, not {seed}"):
            Options("footsies_v0", seed=seed).check()

    @pytest.mark.parametrize(
        "line",
        [
            pytest.param("train footsies_v0", marks=pytest.mark.slow),  # PyTorch takes seconds to load
            "tournament footsies_v0",
            "play footsies_v0",
            "export roshambo_v0 random",
            "menace train",
            "menace play",
        ],
    )
    def test_every_command_tells_of_a_seed_below_0_in_one_line(self, nashzoo: Command, line: str) -> None:
        assert nashzoo.refused(f"{line} --seed -1").startswith("seed must be a whole number ")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("solve bodega_brawl_v0 --param preset=[1]", "preset must be "),
        ("play footsies_v0 --against mcts --option selection=[]", "selection must be "),
        ("play tictactoe_v0 --against alphabeta --option evaluation=[]", "evaluation must be "),
        ("play tictactoe_v0 --against alphabeta --option weights=[1]", "weights must be numbers by name, not [1]"),
        ("exploitability tictactoe_v0 menace --option boxes=3", "boxes must be nashzoo.agents.learning.menace"),
        ("play tictactoe_v0 --against menace --option file=3", "file must be the path of a file of boxes, not 3"),
        ("play tictactoe_v0 --against menace --option preset=[]", "there is no preset []"),
        ("export roshambo_v0 random --out .", ". exists and is no exported player; choose another --out"),
    ],
)
def test_values_of_the_wrong_kind_are_told_in_one_line(nashzoo: Command, line: str, message: str) -> None:
    assert nashzoo.refused(line).startswith(message)


@pytest.mark.parametrize("command", ["bench nash_vi", "results", "menace plot"])
def test_runs_are_so_few_that_they_can_be_listed(nashzoo: Command, command: str) -> None:
    message = nashzoo.refused(f"{command} --seeds 99999999999 --out out")
    assert message == "seeds must be a whole number from 1 to 10000, not 99999999999" and not Path("out").exists()


@pytest.mark.parametrize("option", ["num-envs", "threads"])
def test_sizes_of_training_have_a_limit(nashzoo: Command, option: str) -> None:
    message = nashzoo.refused(f"train footsies_v0 --{option} 99999999999 --timesteps 10 --run-dir out")
    assert message.startswith(f"{option.replace('-', '_')} must be a whole number from 1 to")
    assert not Path("out").exists()


def test_too_little_memory_is_a_line() -> None:
    code, out, err = run("[0] * 10**18", "")
    assert (
        (code, out) == (2, "") and err.startswith("program: the memory is too small for this") and err.count("\n") == 1
    )


def test_a_proof_that_fails_is_a_line(nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise CertificateError("m: the value is not finite, at number=0")

    monkeypatch.setattr("nashzoo.app.shared.solutions.solve", fails)
    told = nashzoo.refused("solve tictactoe_v0")
    assert told == "there is no proven solution, and none is shown: m: the value is not finite, at number=0"


def test_a_backend_of_matplotlib_that_does_not_exist_does_not_matter() -> None:
    work = "__import__('matplotlib').use('agg')"
    assert run(work, "", MPLBACKEND="nonsense") == (0, "", "")


@pytest.mark.parametrize(
    "work",
    [
        "roshambo_v1 'a key with blanks' a-word-with-hyphens/in.a/path/that/is/longer/than/a/line and some more words",
        "it holds 'five words in a row' and \"five more words in a row\", and players' words.\n- a line\n- more",
    ],
)
def test_errors_in_a_terminal_break_between_words_but_not_in_keys(
    work: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise UsageError(work)

    assert run_program("program", refuse) == 2
    assert capsys.readouterr().err == f"program: {work}\n"  # a script reads it as it is
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run_program("program", refuse) == 2
    said = capsys.readouterr().err
    lines = said.splitlines()
    assert said.split() == f"program: {work}".split()
    assert all(len(line) <= 40 or " " not in line for line in lines)
    kept = [quoted for quoted in ("'a key with blanks'", "'five words in a row'") if quoted in work]
    assert all(any(quoted in line for line in lines) for quoted in kept)


def test_the_names_of_commands_in_a_terminal(nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    code, _, err = nashzoo.raw("check-trainr")
    assert code == 2 and max(map(len, err.splitlines())) <= 60
    assert not any(line.endswith("-") for line in err.splitlines())
