"""Ctrl-C at any moment of a compiled call is KeyboardInterrupt after it, and nothing else; what is kept stays whole.

Numba converts arguments and results by functions in Python, where handlers of signals run. It expects no exception
there: it would go on without a result, up to a crash. So each check runs in a process of its own.
"""

import subprocess
import sys

import pytest

from nashzoo.envs.jit.numba import PLAIN

CALLS = """
import os, random, signal, sys, threading
import numba
import numpy as np
from nashzoo import agents
from nashzoo.baselines.states.components import components
from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.core import compiled_opponent, kernels
from nashzoo.envs.core.agent import DRAWS
from nashzoo.envs.core.game import Game
from nashzoo.envs.games.footsies import rules

signal.signal(signal.SIGINT, signal.default_int_handler)  # programs in the background may ignore it
ring = np.arange(4), np.array([1, 2, 0], np.int32)
searcher = agents.make("minimax", tictactoe_v0.game(), depth=2)
footsies = footsies_v0.game()
bayesian = agents.make("bayesian", footsies)
zeros = [np.zeros((1, width)) for width in (bayesian.memory_size, DRAWS)]
asked = footsies.observe(int(footsies.start_codes[0]), 0)[None], zeros[0], np.ones((1, 6), np.int8), zeros[1]

def new_game():
    turns = np.empty(1, np.int64)
    kernels.turn_all(Game(rules).compiled, footsies.start_codes[:1], turns)
    return turns.tolist()

def new_opponent():
    compiled_opponent.pack_opponent.cache_clear()
    return bayesian.act(*asked)[0].tolist()

CALLS = {
    "arrays are returned": lambda: [part.tolist() for part in components(*ring)],
    "a function is an argument": lambda: searcher.search(searcher.game.start_codes).moves.tolist(),
    "a game is packed": new_game,
    "an opponent is packed": new_opponent,
    "an opponent is an argument": lambda: bayesian.act(*asked)[0].tolist(),
}
CALLS = {name: (call, call()) for name, call in CALLS.items()}  # which compiles what is compiled
"""

# Raises the signal as a function of Numba is called within a call: at each place, by the lines that lead there, at its
# first time and at its last, since a place comes as often as a game has functions.
EVERYWHERE = """
FOLDER = os.path.dirname(numba.__file__)

def watched(call, visit):
    count = 0
    def look(frame, event, argument):
        nonlocal count
        if event == "call" and frame.f_code.co_filename.startswith(FOLDER):
            count += 1
            visit(count, frame)
    sys.setprofile(look)
    try:
        return call()
    finally:
        sys.setprofile(None)

def lines(frame):
    while frame is not None:
        yield frame.f_code, frame.f_lineno
        frame = frame.f_back

for name, (call, right) in CALLS.items():
    first, last = {}, {}
    def note(count, frame):
        place = tuple(lines(frame))
        first.setdefault(place, count)
        last[place] = count
    assert watched(call, note) == right
    times, interrupted = {*first.values(), *last.values()}, 0
    for at in sorted(times):
        try:
            assert watched(call, lambda count, frame: count == at and signal.raise_signal(signal.SIGINT)) == right
        except KeyboardInterrupt:
            interrupted += 1
        assert call() == right, (name, at)
    print(name, interrupted == len(times), sep=": ")
"""

# Another thread interrupts calls that follow each other, as often as it can, until so many were.
AT_RANDOM = """
import _thread

MOST = 300
interrupted, ready = 0, threading.Event()

def interrupt():
    rng = random.Random(0)
    while True:
        ready.wait()
        ready.clear()
        for _ in range(rng.randrange(3000)):
            pass
        _thread.interrupt_main()

threading.Thread(target=interrupt, daemon=True).start()
while interrupted < MOST:
    try:
        ready.set()
        while True:
            for call, right in CALLS.values():
                assert call() == right
    except KeyboardInterrupt:
        interrupted += 1
print(interrupted == MOST)
"""


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
@pytest.mark.parametrize("when", [EVERYWHERE, AT_RANDOM], ids=["everywhere", "at random"])
def test_an_interruption_waits_for_the_end_of_a_compiled_call(when: str) -> None:
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", CALLS + when], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines and all(line.endswith("True") for line in lines), (lines, done.stderr)
