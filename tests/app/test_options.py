"""Options that are given several times are gathered, or refused."""

import pytest

from command import Command
from nashzoo.app import arguments, main
from nashzoo.app.commands import options
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


def test_what_tyro_takes_as_a_list_is_a_list() -> None:
    lists = {name: set(options.list_options(arguments.command(name))) for name in main.SUMMARIES}
    assert lists["train"] == {"held_out", "setting", "param"}
    assert lists["tournament"] == {"agents", "param"}
    assert lists["play"] == {"param", "option"}


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


def test_the_training_script_refuses_it_too() -> None:
    with pytest.raises(UsageError, match="--seed is given twice"):
        options.run(print, ["--seed", "1", "--seed", "2"], "train.py")
