"""Options that are given several times are gathered, or refused."""

import re
from pathlib import Path

import pytest

from command import Command, interrupt
from nashzoo.app import index
from nashzoo.app.shared import options
from nashzoo.envs.base.errors import UsageError


@pytest.mark.parametrize(
    ("line", "gathered"),
    [
        ("game --param a=1 --param b=2", "game --param a=1 b=2"),
        ("game --param a=1 b=2 --json", "game --param a=1 b=2 --json"),
        ("game --param=a=1 --json --param b=2 c=3", "game --param a=1 b=2 c=3 --json"),
        ("--param=a=1 game --param=b=2 --seed 1", "game --param a=1 b=2 --seed 1"),
        ("--seed=-1 game", "game --seed=-1"),
        ("game --held-out a --held_out b", "game --held-out a b"),
    ],
)
def test_values_of_lists_are_gathered(line: str, gathered: str) -> None:
    assert options.gathered(line.split(), ("param", "held_out")) == gathered.split()


@pytest.mark.parametrize("line", ["--port abc", "--port=abc"])
def test_a_word_that_is_no_number_is_told_with_its_option(nashzoo: Command, line: str) -> None:
    assert nashzoo.refused(f"web {line}") == "--port must be a whole number, not 'abc'"


def test_what_tyro_takes_as_a_list_is_a_list() -> None:
    lists = {name: set(options.list_options(index.command(name))) for name in index.names()}
    assert lists["train"] == {"held_out", "setting", "param"}
    assert lists["tournament"] == {"players", "agents", "param"}
    assert lists["play"] == {"param", "option", "others"}


def test_a_repeated_list_is_as_a_long_one(nashzoo: Command) -> None:
    together = nashzoo.json("solve footsies_v0 --param rounds=2 blocks=1")
    assert nashzoo.json("solve footsies_v0 --param rounds=2 --param blocks=1") == together
    assert nashzoo.json("solve footsies_v0 --param blocks=1") != together
    shown = [nashzoo.prints(f"menace show --board x...o.... {alpha}") for alpha in ("--alpha 9 3 2 1", "--alpha 9")]
    assert nashzoo.prints("menace show --alpha 9 --board x...o.... --alpha 3 2 1") == shown[0] != shown[1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("solve footsies_v0 --param rounds=3 --param rounds=2", "rounds is given twice"),
        ("exploitability footsies_v0 mcts --option simulations=1 --option simulations=2", "simulations is given twice"),
        ("train footsies_v0 --algorithm minimax_q --setting a=1 --setting a=2", "a is given twice"),
        ("watch footsies_v0 random random --seed 1 --seed 2", "--seed is given twice"),
        ("train footsies_v0 --num-envs 1 --num_envs=2", "--num_envs is given twice"),
        ("menace plot --seeds 1 --seeds 2", "--seeds is given twice"),
        ("tournament footsies_v0 --out a\0b", r"'a\x00b' is no text: it has a byte that is none, or NUL"),
        ("tournament footsies_v0 --out a\udcff", r"'a\udcff' is no text: it has a byte that is none, or NUL"),
    ],
)
def test_the_same_twice_is_refused(nashzoo: Command, line: str, message: str) -> None:
    assert nashzoo.refused(line).startswith(message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("solve footsies_v0 --lock random --seat 2", "--seat must be 0 or 1, not '2'"),
        ("exploit footsies_v0 counter --player=2", "--player must be 0 or 1, not '2'"),
        ("solve footsies_v0 --select no", "--select must be uniform or pure or sequential or greedy, not 'no'"),
    ],
)
def test_what_is_none_of_a_few_is_refused_by_naming_them(nashzoo: Command, line: str, message: str) -> None:
    assert nashzoo.refused(line) == message


def test_the_training_script_refuses_it_too() -> None:
    with pytest.raises(UsageError, match="--seed is given twice"):
        options.run(print, ["--seed", "1", "--seed", "2"], "train.py")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("solve footsies_v0 --out=", "--out is the name of a file or folder, and must not be empty"),
        ("tournament footsies_v0 --run-dir=", "--run-dir is the name of a file or folder, and must not be empty"),
        ("train footsies_v0 --run-dir=", "--run-dir is the name of a file or folder, and must not be empty"),
        ("menace plot --out a --run-dir b", "--out and --run-dir are one: give either"),
        ("train footsies_v0 --run-dir a --out b", "--run-dir and --out are one: give either"),
        ("menace show --boxes a --out b", "--boxes and --out are one: give either"),
        ("bench ./mine.py:Mine --out file.txt", "file.txt is a file, and a folder is to be written there; choose"),
        ("menace plot --out file.txt", "file.txt is a file, and a folder is to be written there; choose"),
        ("menace train --out file.txt", "file.txt is a file, and a folder is to be written there; choose"),
        ("results roshambo_v0 --out file.txt", "file.txt is a file, and a folder is to be written there; choose"),
        ("tournament roshambo_v0 --out file.txt/o", "file.txt is a file, and a folder is to be written there; choose"),
        ("train footsies_v0 --run-dir file.txt", "file.txt is a file, and a folder is to be written there; choose"),
        ("web --export file.txt/site tictactoe_v0", "file.txt is a file, and a folder is to be written there; choose"),
        ("solve footsies_v0 --out folder", "folder is a folder, and a file is to be written; choose another name"),
        ("weaknesses footsies_v0 counter --out file.txt", "--out must end in .png, .svg or .pdf, not 'file.txt'"),
        ("weaknesses footsies_v0 counter --out folder.png", "folder.png is a folder, and a file is to be written"),
        ("picture footsies_v0 --line --out folder.png", "folder.png is a folder, and a file is to be written"),
        ("web --no-browser --host=", "--host must be an address of this machine, such as 127.0.0.1, or 0.0.0.0"),
    ],
)
def test_where_results_would_go_is_looked_at_before_the_work(
    line: str, message: str, nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("folder", "folder.png"):
        (tmp_path / name).mkdir()
    (tmp_path / "file.txt").write_text("kept")
    monkeypatch.setattr("nashzoo.baselines.forms.solve", interrupt)
    before = sorted(tmp_path.rglob("*"))
    assert message in nashzoo.refused(line)
    assert sorted(tmp_path.rglob("*")) == before and (tmp_path / "file.txt").read_text() == "kept"


def test_the_many_options_of_train_stand_under_headings_and_fit_a_terminal(
    nashzoo: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = nashzoo.raw("train --help").out
    (_, *names), (_, *sections) = zip(*re.findall(r"^ (\w+ )?options +\n(.*?)\n +\n", text, re.M | re.S), strict=True)
    of = {name.strip(): re.findall(r"^  (--\w\S+)", part, re.M) for name, part in zip(names, sections, strict=True)}
    assert list(of) == ["learner", "opponent", "run", "tuning", "report"]
    assert of["run"][:2] == ["--timesteps", "--stop-at"] and "--resume" in of["run"]
    assert max(map(len, text.splitlines())) <= 80
