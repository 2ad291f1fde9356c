"""Games as arguments of compiled code."""

import subprocess
import sys

import pytest

from nashzoo.envs.jit.numba import PLAIN

# The game's functions are compiled when its memory is first read, and this can be interrupted.
INTERRUPTED = """
import numpy as np
from nashzoo.envs import footsies_v0
from nashzoo.envs.core import kernels
from nashzoo.envs.rules.compiled_game import CompiledGame

class Interrupted(CompiledGame):
    interruptions = 1

    def __getattr__(self, name):
        if name == "_meminfo" and self.interruptions:
            self.interruptions -= 1
            raise KeyboardInterrupt
        return super().__getattr__(name)

game = footsies_v0.game()
fields = {name: one for name, one in vars(game.compiled).items() if name not in ("_check", "machine_code")}
handle, turns = Interrupted(lambda code: None, **fields), np.empty(1, np.int64)
for _ in range(2):
    try:
        kernels.turn_all(handle, game.start_codes[:1], turns)
        print("turn", *turns)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_an_interruption_at_the_first_call_is_an_exception_and_the_next_call_works() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert ended.stdout.split() == ["interrupted", "turn", "2"], (ended.returncode, ended.stderr)
