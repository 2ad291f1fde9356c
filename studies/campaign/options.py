"""Options that repeat: their words are collected, and what is said twice is refused."""

import contextlib
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from studies.campaign.arguments import outcome
from studies.campaign.kills import PATIENCE
from studies.campaign.tally import Row

FOOTSIES = ("rounds=1", "rounds=2", "blocks=1", "blocks=2", "attacks_to_win=1", "max_turns=5")
MCTS = ("simulations=2", "simulations=3", "search_seed=1", "rollout_depth=5", "exploration=1.0")


class Command(NamedTuple):
    """A command: its line, its options of several words, and those of one."""

    line: str
    several: dict[str, tuple[str, ...]]
    one: dict[str, tuple[str, ...]]


COMMANDS = (
    Command("solve footsies_v0 --json", {"--param": FOOTSIES}, {"--at": ("blocks1=0", "blocks0=1")}),
    Command("watch footsies_v0 random bayesian --seed 1", {"--param": FOOTSIES}, {"--games": ("1", "2")}),
    Command("exploitability footsies_v0 mcts --json", {"--param": FOOTSIES, "--option": MCTS}, {}),
    Command(
        "tournament footsies_v0 --json --out points",
        {"--param": FOOTSIES, "--agents": ("random", "counter", "bayesian", "bluff")},
        {"--games": ("2", "4"), "--seed": ("0", "1")},
    ),
)


def case(rng: np.random.Generator) -> tuple[list[str], list[str] | None]:
    """Returns a random line with a repeated option, and the line that must do the same, None if none is right."""
    line, several, one = COMMANDS[rng.integers(len(COMMANDS))]
    begin = line.split()
    if one and rng.random() < 0.3:
        option = str(rng.choice(list(one)))
        return [*begin, option, str(rng.choice(one[option])), option, str(rng.choice(one[option]))], None
    option = str(rng.choice(list(several)))
    words = [str(word) for word in rng.choice(several[option], int(rng.integers(2, 5)), replace=False)]
    names = [word.partition("=")[0] for word in words]
    repeated = list(begin)
    for number, word in enumerate(words):
        repeated += [option, word] if number in (0, len(words) - 1) or rng.random() < 0.5 else [word]
    return repeated, [*begin, option, *words] if len(set(names)) == len(names) else None


def rows(lines: int, seed: int) -> Iterator[Row]:
    """Yields a row of command lines with repeated options."""
    rng, failures = np.random.default_rng(seed), list[str]()
    for _ in range(lines):
        repeated, once = case(rng)
        ends = []
        for line in (repeated, once or repeated):
            with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
                ends.append(outcome(line, PATIENCE))
        problem = ends[0].problem
        if not problem and once is None and ends[0].code != 2:
            problem = "is not refused"
        elif not problem and once and ends[0] != ends[1]:
            problem = f"does something else than {once}"
        if problem:
            failures.append(f"nashzoo {repeated}: {problem}")
    yield Row("repeated options", lines, tuple(failures))
