"""Rules written in plain Python, about states: what is made of them, and what is said where they are wrong."""

import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from made_games import written
from nashzoo import agents
from nashzoo.baselines import exploitability, solve
from nashzoo.envs import Game, make_game
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.core import kernels
from nashzoo.envs.jit.lazy import brief
from nashzoo.envs.jit.numba import PLAIN

with_jit = pytest.mark.skipif(PLAIN, reason="nothing is compiled")

RACE = '''"""Two runners choose at once to walk or to run; who runs while the other walks gains a step."""
from typing import NamedTuple

NAME = "race_v0"
ACTIONS = ("walk", "run")

class Params(NamedTuple):
    length: int = 2
    prize: float = 1.0
    tiring: bool = False

class State(NamedTuple):
    lead: int
    turns: int

def field_maxima(params):
    return State(2 * params.length, 5)

def start(params):
    return State(params.length, 0)

def ahead(params, state):
    return state.lead - params.length

def step(params, state, action0, action1):
    gain = action0 - action1
    if params.tiring and state.turns == 3:
        gain = 0
    return State(state.lead + gain, state.turns + 1)

def terminal(params, state):
    return state.turns == 5 or abs(ahead(params, state)) == params.length

def payoff(params, state):
    if not terminal(params, state):
        return 0
    return params.prize * ((ahead(params, state) > 0) - (ahead(params, state) < 0))
'''


@pytest.fixture
def race(tmp_path: Path) -> Callable[..., Game]:
    """Makes the game of the rules with some texts replaced, ``race((old, new))``, and with options."""

    def make(*changes: tuple[str, str], **options: Any) -> Game:
        return Game(module_at(str(written(tmp_path, RACE, *changes))), **options)

    return make


@pytest.fixture
def interpreted() -> Iterator[None]:
    """Lets rules run as plain Python, for those that a test writes would be compiled each time."""
    with brief():
        yield


class TestWhatIsMadeOfThem:
    @pytest.mark.usefixtures("interpreted")
    def test_parameters_keep_their_kinds(self, race: Callable[..., Game]) -> None:
        game = race(length=1, prize=2.5, tiring=True)
        assert game.options == {"length": 1, "prize": 2.5, "tiring": True}
        assert game.payoff(game.code(lead=2, turns=1)) == 2.5
        for options, told in (
            ({"length": 1.5}, "length must be a whole number, not 1.5"),
            ({"length": 2**63}, r"length must be a whole number from .* to 2\*\*63 - 1, not 9223372036854775808"),
            ({"length": 2**62}, "largest value of lead must be a whole number from 0 to 2"),
            ({"length": 2**60}, "cannot have length=1152921504606846976: the fields of a state need 65 bits, and"),
            ({"prize": "much"}, "prize must be a finite number, not 'much'"),
            ({"tiring": 1}, "tiring must be True or False, not 1"),
        ):
            with pytest.raises(ValueError, match=told):
                race(**options)

    @pytest.mark.usefixtures("interpreted")
    def test_fields_that_are_too_large_are_refused_before_other_functions_are_called(
        self, race: Callable[..., Game]
    ) -> None:
        endless = (
            "    return State(params.length, 0)",
            "    assert params.length < 100\n    return State(params.length, 0)",
        )
        with pytest.raises(ValueError, match="race_v0 cannot have length=1152921504606846976: the fields of a state"):
            race(endless, length=2**60)

    @pytest.mark.usefixtures("interpreted")
    def test_observations_show_every_field_and_the_seat(self, race: Callable[..., Game]) -> None:
        game = race()
        assert game.features == ("lead / 4", "turns / 5", "own seat")
        assert game.levels == (5, 6, 2)
        seen = game.observe(game.code(lead=3, turns=1), 1)
        assert seen.tolist() == pytest.approx([0.75, 0.2, 1.0])
        assert game.rules.decode_observation(game.params, seen) == (game.code(lead=3, turns=1), 1)

    @pytest.mark.usefixtures("interpreted")
    def test_no_legal_means_that_everything_is(self, race: Callable[..., Game]) -> None:
        game = race()
        assert not game.masked and game.legal_actions(int(game.start_codes[0]), 0) == (0, 1)

    @pytest.mark.usefixtures("interpreted")
    def test_legal_actions_as_truth_values_are_those_of_a_mask(self, race: Callable[..., Game]) -> None:
        by_mask = race(("def step", "def legal(state):\n    return 0b11 if state.turns < 3 else 0b01\n\ndef step"))
        listed = race(("def step", "def legal(state):\n    return [True, state.turns < 3]\n\ndef step"))
        for game in (by_mask, listed):
            assert game.masked
            assert [game.legal_actions(game.code(turns=k), 0) for k in (2, 3)] == [(0, 1), (0,)]

    @pytest.mark.usefixtures("interpreted")
    def test_what_a_player_can_still_lose(self, race: Callable[..., Game]) -> None:
        stakes = "def at_stake(params, state):\n    return params.prize * (5 - state.turns)\n\ndef step"
        for game, points in ((race(), 1.0), (race(("def step", stakes)), 3.0)):
            assert game.at_stake(game.code(turns=2)) == points

    @pytest.mark.usefixtures("interpreted")
    def test_a_game_is_pickled_by_its_file(self, race: Callable[..., Game]) -> None:
        game = race(length=3)
        assert pickle.loads(pickle.dumps(game)) == game

    @with_jit
    def test_compiled_and_interpreted_it_is_the_same_game(self, race: Callable[..., Game]) -> None:
        game = race(tiring=True)
        codes, rng = np.repeat(game.start_codes, 500), np.random.default_rng(0)
        for _ in range(4):
            actions = rng.integers(0, 2, (2, len(codes)))
            expected = [
                game.step(code, *pair) if not game.terminal(code) else code
                for code, pair in zip(codes.tolist(), actions.T.tolist(), strict=True)
            ]
            rewards, over = np.empty(len(codes)), np.empty(len(codes), np.bool_)
            going = np.array([not game.terminal(code) for code in codes.tolist()])
            after = codes.copy()
            kernels.play_all(
                game.compiled, after, *actions, kernels.NOOP, rewards, over, np.empty(len(codes), np.int64)
            )
            assert after[going].tolist() == np.array(expected)[going].tolist()
            assert rewards[going].tolist() == [game.payoff(code) for code in after[going].tolist()]
            codes = np.array(expected)

    @with_jit
    @pytest.mark.slow
    def test_what_numba_cannot_compile_runs_as_plain_python(
        self, race: Callable[..., Game], capfd: pytest.CaptureFixture[str]
    ) -> None:
        plain = race()
        words = '    gain = {"walk": 0, "run": 1}[ACTIONS[action0]] - {"walk": [0], "run": [1]}[ACTIONS[action1]][0]\n'
        game = race(("    gain = action0 - action1\n", words))
        game.compiled._meminfo  # noqa: B018  # compiles
        told = capfd.readouterr().err
        assert "runs as plain Python, which is slower, for Numba cannot compile it" in told
        start = int(game.start_codes[0])
        assert solve(game).value(start) == solve(plain).value(start)
        random = [exploitability(one, agents.make("random", one)) for one in (game, plain)]
        assert random[0] == random[1]

    @pytest.mark.slow
    def test_rules_need_no_file(self) -> None:
        """As in a notebook."""
        program = RACE + (
            "import sys\nfrom nashzoo.envs import Game\nfrom nashzoo.baselines import solve\n"
            "game = Game(sys.modules['__main__'])\nprint(solve(game).certificate < 1e-12)\n"
        )
        done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, check=True)
        assert done.stdout == "True\n"


class TestWhatIsWrong:
    def test_all_that_is_missing_is_said_at_once(self) -> None:
        rules = ModuleType("empty")
        with pytest.raises(ValueError) as error:
            Game(rules)
        lines = str(error.value).splitlines()
        assert lines[0] == "the rules of empty are not complete:"
        assert [line.split(" is missing: ")[0] for line in lines[1:]] == [
            "- NAME", "- ACTIONS", "- State", "- field_maxima", "- start", "- step", "- terminal", "- payoff",
        ]  # fmt: skip
        assert "a function (params, tables, state, code) that returns the reward to player 0" in lines[-1]

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (", action0, action1):\n", ", action):\n    action0 = action1 = action\n", "step takes action, but"),
            ("    lead: int", "    lead: float", "State.lead must be int, not <class 'float'>"),
            ("    length: int = 2", "    length: int", "Params.length needs a default"),
            ("class State(NamedTuple):", "class State:", "State is <class"),
            ("def terminal(", "terminal = 5\ndef terminated(", "terminal is 5, not a function"),
            ("State(2 * params.length, 5)", "State(1 << 40, 1 << 40)", "need 82 bits, and a code has 63"),
            ("State(2 * params.length, 5)", "State(-1, 5)", "the largest value of lead must be a whole number from 0"),
            ('("walk", "run")', "tuple('a' * k for k in range(1, 64))", "from 1 to 62 actions; race_v0 has 63"),
            ("State(params.length, 0)", "[(State(2, 0), 0.5), (State(1, 0), 0.25)]", "above 0 that add up to 1"),
        ],
    )
    def test_what_cannot_be(self, race: Callable[..., Game], old: str, new: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            race((old, new))

    def test_code_that_fails_is_told_with_its_line(self, tmp_path: Path) -> None:
        path = tmp_path / "bad.py"
        for text, message in (
            ("x = 1 / 0", "line 1, in <module>: ZeroDivisionError: division by zero"),
            ("x = (", r"line 1: '\(' was never"),
        ):
            path.write_text(text)
            with pytest.raises(ValueError, match=f"^{re.escape(str(path))}, {message}"):
                make_game(str(path))
