"""Ctrl-C and locks: the message says how to continue, and what it says is so."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command import Command, interrupt
from nashzoo.app.shared.interruption import ANEW
from nashzoo.envs.base.files import LOCK, locked
from processes import PATIENCE, hear_interruptions, said, wait_until

CONTINUES = "The same command continues; finished results are kept in out."


@pytest.mark.parametrize(
    ("line", "place", "advice"),
    [
        ("solve footsies_v0", "nashzoo.app.shared.solutions.solved_with", ANEW),
        ("exploitability footsies_v0 counter", "nashzoo.app.shared.parsing.game_of", ANEW),
        ("tournament footsies_v0 --out out", "nashzoo.arena.tournament.run_missing", CONTINUES),
        ("results tictactoe_v0 --out out", "nashzoo.arena.tasks.run_missing", CONTINUES),
        (
            "train footsies_v0 --algorithm minimax_q --run-dir out",
            "nashzoo.app.training.train.learn",
            "Go on with the same command and --resume; the run is in out.",
        ),
    ],
)
def test_an_interrupted_command_says_how_to_continue(
    nashzoo: Command, monkeypatch: pytest.MonkeyPatch, line: str, place: str, advice: str
) -> None:
    monkeypatch.setattr(place, interrupt)
    status, out, err = nashzoo(line)
    assert (status, out) == (130, ""), err
    assert err.endswith(f"\nInterrupted. {advice}\n")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a terminal sends Ctrl-C to all processes of a group")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_control_c_with_processes(tmp_path: Path, sent: signal.Signals) -> None:
    words = "tournament footsies_v0 --agents random counter bayesian mcts --processes 2 --games 4000 --out out"
    line = [sys.executable, "-m", "nashzoo.app", *words.split()]
    process = subprocess.Popen(
        line,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_interruptions,
    )
    kept = tmp_path / "out" / "results.jsonl"
    try:
        wait_until(lambda: (kept.exists() and len(kept.read_text().splitlines()) > 1) or process.poll() is not None)
        os.killpg(process.pid, sent)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, out, said(err)) == (130, "", [f"Interrupted. {CONTINUES}"])
    assert len(kept.read_text().splitlines()) > 1
    if sent == signal.SIGINT:
        again = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert "Written to" in again.stdout and (tmp_path / "out" / "standings.csv").exists()


@pytest.mark.parametrize("option", ["--out", "--run-dir"])  # two names of the folder, everywhere
@pytest.mark.parametrize(
    "line",
    [
        "tournament footsies_v0 --agents random counter --games 2",
        "results tictactoe_v0",
        "train footsies_v0 --algorithm minimax_q --timesteps 1000",
        "menace train --iterations 10",
    ],
)
def test_two_commands_do_not_work_in_one_folder_at_once(nashzoo: Command, line: str, option: str) -> None:
    with locked(Path("out")):
        message = "another command works in out; wait until it ends, or choose another folder"
        assert nashzoo.refused(f"{line} {option} out") == message
        assert os.listdir("out") == [LOCK]


@pytest.mark.parametrize("option", ["--out", "--run-dir"])
def test_a_file_has_the_same_names(nashzoo: Command, option: str) -> None:
    nashzoo.prints(f"export roshambo_v0 random {option} player.py")
    nashzoo.prints(f"picture footsies_v0 --board {option} start.svg")
    nashzoo.prints(f"solve bodega_brawl_v0 --param preset=tiny {option} tiny.solution")
    assert Path("player.py").exists() and Path("start.svg").exists()
    nashzoo.prints(f"menace train --iterations 10 {option} trained")
    for boxes in ("trained", "trained/boxes.json"):
        assert nashzoo(f"menace show {option} {boxes}") == nashzoo("menace show --boxes trained/boxes.json")


def test_advice_on_a_subcommand_names_the_whole_command(nashzoo: Command) -> None:
    code, _, told = nashzoo("menace play --gams 3")
    assert code == 2
    assert "--games INT" in told and "nashzoo menace play --help" in told and "nashzoo play" not in told
