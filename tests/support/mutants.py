"""Faults put into the code, one at a time, each with the tests that must notice it.

python tests/support/mutants.py            # all of them
python tests/support/mutants.py stamps     # those in files with this in their path

The faults are put into a copy.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from packages import ROOT, TOP_LEVEL


class Mutant(NamedTuple):
    """A fault."""

    file: str
    old: str  # stands in the file once
    new: str
    tests: str


RULES, STAMPS = "tests/envs/rules/test_rules.py", "tests/envs/jit/test_stamps.py"
LEARNING = "tests/agents/learning"

MUTANTS = (
    Mutant("envs/rules/codes.py", "sum(bits.values()) > MOST_BITS", "sum(bits.values()) > MOST_BITS + 1", RULES),
    Mutant("envs/rules/codes.py", "{(1 << size) - 1}", "{1 << size}", RULES),
    Mutant("envs/rules/observation.py", "(state.{self.field} - {self.least})", "state.{self.field}", RULES),
    Mutant("envs/rules/observation.py", "state.{self.field} >> k & 1", "state.{self.field} >> k", RULES),
    Mutant("envs/rules/check.py", "len(by_hand) < 3", "len(by_hand) < 2", RULES),
    Mutant("envs/rules/build.py", "+ player == 1:", "== player:", RULES),
    Mutant("envs/jit/stamps.py", "yield from _parts(value.co_consts)", "pass", STAMPS),
    Mutant("envs/jit/stamps.py", "yield value.tobytes()", "pass", STAMPS),
    Mutant("envs/jit/stamps.py", "called.append(part)", "pass", STAMPS),
    Mutant("envs/jit/tables.py", "place + rows].view(np.float64)", "place + rows]",
           "tests/envs/rules/test_plain_rules.py -k kinds"),
    Mutant("agents/learning/registry.py", '"dqn", True, modules=_DQN', '"dqn", False, modules=_DQN',
           f"{LEARNING}/test_maskable_learners.py"),
    Mutant("agents/learning/registry.py", " and entry.masks == masks", "", "tests/app/test_train_settings.py"),
    Mutant("agents/learning/tabular/learner.py", "self.num_games += games", "pass",
           f"{LEARNING}/tabular/test_convergence.py"),
    Mutant("agents/learning/tabular/learner.py", "copy_into(self.tables(), arrays)", "pass",
           f"{LEARNING}/test_learner_contract.py"),
)  # fmt: skip


def notices(root: Path, mutant: Mutant) -> bool:
    """Returns whether the tests fail with this fault in the copy ``root``."""
    file = root / mutant.file
    text = file.read_text()
    file.write_text(text.replace(mutant.old, mutant.new))
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *mutant.tests.split()]
    places = {**os.environ, "PYTHONPATH": str(root / "links")}
    done = subprocess.run(words, cwd=root, env=places, capture_output=True, text=True, check=False)
    file.write_text(text)
    print(f"{'noticed' if done.returncode == 1 else 'NOT NOTICED'}: {mutant.file}: {mutant.old} -> {mutant.new}")
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    print(*(f"    {line[:150]}" for line in failed or done.stdout.splitlines()[-1:]), sep="\n", flush=True)
    return done.returncode == 1


def main() -> bool:
    """Returns whether all faults are noticed."""
    missing = [mutant for mutant in MUTANTS if (ROOT / mutant.file).read_text().count(mutant.old) != 1]
    if missing:
        sys.exit("\n".join(f"{mutant.file} has not once: {mutant.old}" for mutant in missing))
    with tempfile.TemporaryDirectory() as name:
        root = Path(name, "nashzoo")
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".*", "build", "runs"))
        (root / "links" / "nashzoo").mkdir(parents=True)
        for folder in TOP_LEVEL:  # found before the packages that are installed
            (root / "links" / "nashzoo" / folder).symlink_to(root / folder)
        chosen = [mutant for mutant in MUTANTS if all(word in mutant.file for word in sys.argv[1:])]
        return all([notices(root, mutant) for mutant in chosen])


if __name__ == "__main__":
    sys.exit(int(not main()))
