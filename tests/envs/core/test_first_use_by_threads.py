"""What threads make at its first use and share is made once, and whole when another thread finds it."""

import sys
import time
import types
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest

from nashzoo.baselines.information.traversal import traversed_form
from nashzoo.envs import footsies_v0, make_game
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.base.threads import one_at_a_time
from nashzoo.envs.core import kernels
from nashzoo.envs.core.game import BOTH, Game
from nashzoo.envs.core.joint_steps import joint_steps
from nashzoo.envs.games.footsies import rules
from nashzoo.envs.jit.generated import function_of
from nashzoo.envs.jit.numba import PLAIN
from nashzoo.envs.jit.private import undisturbed
from nashzoo.envs.rules import compiled_game
from nashzoo.envs.rules.build import build
from nashzoo.examples import kuhn

THREADS = 16
with_jit = pytest.mark.skipif(PLAIN, reason="nothing is compiled")


@pytest.fixture(autouse=True)
def switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(work: Callable[[], Any], threads: int = THREADS) -> list[Any]:
    """Returns what threads return that call a function at the same time."""
    together = Barrier(threads)
    with ThreadPoolExecutor(threads) as pool:
        return [one.result() for one in [pool.submit(lambda: (together.wait(), work())[1]) for _ in range(threads)]]


def copied(name: str) -> types.ModuleType:
    """Returns a module with the rules of Footsies, which nobody has used."""
    module = types.ModuleType(name)
    vars(module).update({key: value for key, value in vars(rules).items() if not key.startswith("__")})
    return module


def test_what_makes_something_is_called_by_one_thread_at_a_time() -> None:
    inside = 0

    @one_at_a_time
    def make() -> int:
        nonlocal inside
        inside += 1
        most = inside
        for _ in range(1000):
            most = max(most, inside)
        inside -= 1
        return most

    assert at_once(make) == [1] * THREADS


@with_jit
def test_a_game_is_packed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pack, packed = compiled_game._pack, list[int]()

    class Counted:
        compile_now = staticmethod(pack.compile_now)

        def __call__(self, *fields: Any) -> Any:
            packed.append(1)
            return pack(*fields)

    monkeypatch.setattr(compiled_game, "_pack", Counted())
    game = footsies_v0.game()

    def turn() -> int:
        turns = np.empty(1, np.int64)
        kernels.turn_all(game.compiled, game.start_codes[:1], turns)
        return int(turns[0])

    assert at_once(turn) == [BOTH] * THREADS
    assert packed == [1]


@with_jit
def test_types_are_looked_up_by_one_thread_at_a_time() -> None:
    # The lookup iterates over what Numba knows, and compilation in another thread adds to that.
    done: list[Any] = []

    def look() -> None:
        with pytest.raises(TypeError):
            kernels.count_actions(object())  # type: ignore[arg-type]
        done.append(1)

    looking = Thread(target=look)
    with undisturbed():
        looking.start()
        looking.join(0.3)
        assert done == []
    looking.join()
    assert len(done) == 1


def test_a_rules_file_is_built_once() -> None:
    module = copied("copied")
    assert len({id(built) for built in at_once(lambda: build(module))}) == 1


def test_joint_steps_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(*arguments: Any) -> Any:
        time.sleep(0.01)  # in which other threads run
        return function_of(*arguments)

    monkeypatch.setattr("nashzoo.envs.core.joint_steps.function_of", slowly)
    game = Game(copied("again"))
    assert len({id(made) for made in at_once(lambda: joint_steps(game))}) == 1


def test_a_matrix_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "pennies.csv").write_text("1,-1\n-1,1\n")
    games = at_once(lambda: make_game(str(tmp_path / "pennies.csv")))
    assert len({id(game.rules.written) for game in games}) == 1


def test_a_file_is_whole_when_another_thread_finds_it(tmp_path: Path) -> None:
    (tmp_path / "slow_to_load.py").write_text("import time\nfor _ in range(20):\n    time.sleep(0.001)\nWHOLE = True\n")
    modules = at_once(lambda: module_at(str(tmp_path / "slow_to_load.py")))
    assert all(module.WHOLE for module in modules) and len(set(map(id, modules))) == 1


def test_a_walk_for_another_policy_does_not_come_between() -> None:
    form = traversed_form(Game(kuhn))
    own, other = np.random.default_rng(0).random((2, form.treeplexes[1].num_sequences))
    right = form.gains(0, own).copy()

    class Disturbed(dict[int, Any]):
        """What is kept of walks; another thread walks whenever it is read."""

        walking = False

        def disturb(self) -> None:
            if not self.walking:
                self.walking = True
                form.gains(0, other)
                self.walking = False

        def __getitem__(self, player: int) -> Any:
            self.disturb()
            return super().__getitem__(player)

        def get(self, player: int, default: Any = None) -> Any:
            self.disturb()
            return super().get(player, default)

    object.__setattr__(form, "_last", Disturbed(form._last))
    assert np.array_equal(form.gains(0, own), right)
