"""The table of pieces, and the rules that are built from a file: codes, observations, defaults and messages."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import nim
import repeated_rps
from made_games import with_rules
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.games.bodega_brawl import rules as bodega_brawl
from nashzoo.envs.jit.numba import PLAIN
from nashzoo.envs.rules.build import build
from nashzoo.envs.rules.check import problems
from nashzoo.envs.rules.observation import Part, bits, flag, one_hot, scaled, seat
from nashzoo.envs.rules.parameters import arguments_of
from nashzoo.envs.rules.pieces import BOTH, PIECES, REQUIRED, VIEW_PIECES

with_jit = pytest.mark.skipif(PLAIN, reason="nothing is compiled")

EXAMPLES = Path(__file__).parents[3] / "examples" / "games"
OURS = ["bodega_brawl", "footsies", "roshambo", "soccer", "tictactoe"]
FILES = [
    *(import_module(f"nashzoo.envs.games.{name}.{part}") for name in OURS for part in ("rules", "view")),
    *(module_at(str(path)) for path in sorted(EXAMPLES.glob("[a-z]*.py"))),
]


@pytest.mark.parametrize("written", FILES, ids=lambda written: str(written.__name__))
def test_our_files_take_what_the_table_allows(written: Any) -> None:
    for name, piece in (PIECES | VIEW_PIECES).items():
        if piece.takes and callable(getattr(written, name, None)):
            assert set(arguments_of(getattr(written, name))) <= set(piece.takes), name


@pytest.mark.parametrize("name", [name for name, piece in PIECES.items() if piece.default == REQUIRED])
def test_what_the_table_requires_is_missed(name: str) -> None:
    (error,) = problems(with_rules(nim, name))
    assert error.startswith(f"{name} is missing: ") and PIECES[name].says in error


@pytest.mark.parametrize("name", [name for name, piece in (PIECES | VIEW_PIECES).items() if piece.takes])
def test_other_arguments_than_those_of_the_table_are_refused(name: str) -> None:
    errors = problems(with_rules(nim, **{name: lambda world: None}))
    assert f"{name} takes world; it can take {', '.join((PIECES | VIEW_PIECES)[name].takes)}" in errors


def test_defaults() -> None:
    game = Game(repeated_rps)
    code = int(game.start_codes[0])
    assert game.turn(code) == BOTH and not game.turn_based and game.max_cycles == 1000
    assert game.legal_actions(code, 1) == (0, 1, 2) and not game.masked
    assert game.indexed_rules is None and game.symmetric and not Game(nim).symmetric
    assert game.rules.strategic_state(game.params, code) == code and not game.has_chance
    numbers = bodega_brawl_v0.game(preset="tiny").indexed_rules
    assert numbers is not None


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (with_rules(bodega_brawl, "code_at", "num_states"), "code_at, num_states is missing"),
        (with_rules(bodega_brawl, "swap_players"), "swap_players is missing"),
        (with_rules(nim, DISCOUNT=0.9), r"DISCOUNT is 0\.9; rules have none: let chance end play after each move"),
        (with_rules(repeated_rps, "features"), "an observation by hand has observe, decode_observation and features"),
        (with_rules(nim, FIELDS={"pile": "stones"}), "FIELDS has pile, which is no field of State"),
        (with_rules(nim, FIELDS=("heap",)), r"FIELDS must be names of fields, such as .*, not \('heap',\)"),
        (with_rules(nim, FIELDS={"heap": 1}), "FIELDS must be names of fields"),
        (with_rules(nim, PLAYERS=("Ann",)), r"PLAYERS must be two different names, .*, not \('Ann',\)"),
        (with_rules(nim, PLAYERS=("Ann", "Ann")), "PLAYERS must be two different names"),
        (with_rules(nim, start=lambda: nim.State(0, 0)), "nim_v0 is over where it starts"),
        (with_rules(nim, legal=lambda: 0), "legal of nim_v0 must have a bit of its 3 actions and no other"),
        (with_rules(nim, legal=lambda: 8), r"not 0b1000, for player 0 at heap=7,mover=0"),
        (with_rules(nim, MASKED=False), "as MASKED is False"),
        (with_rules(nim, BITS={"heap": 7}), "BITS must have the fields heap, mover"),
        (with_rules(nim, BITS={"heap": 63, "mover": 1}), "all together at most 63"),
        (with_rules(nim, BITS={"heap": 7, "mover": 0}), "each field needs at least 1 bit"),
        (with_rules(nim, OBSERVATION=(flag("own", "mover"), seat("seat"))), "each of the fields heap, mover once"),
        (with_rules(nim, OBSERVATION=nim.OBSERVATION[:-1]), "the player's seat once"),
    ],
)
def test_invalid_files(rules: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Game(rules)


def test_codes_have_the_first_field_of_bits_lowest() -> None:
    rules = build(with_rules(nim, BITS={"mover": 2, "heap": 61}))
    assert rules.encode(nim.State(heap=5, mover=2)) == 0b101_10
    assert rules.decode(0b101_10) == nim.State(heap=5, mover=2)
    codes = np.arange(32)
    assert (rules.encode(rules.decode(codes)) == codes).all()


class Pair(NamedTuple):
    own: int
    other: int


def pairs(*parts: Part) -> Game:
    """Returns a game whose state is a pair of numbers up to 7, observed by these parts."""
    rules: dict[str, Any] = {
        "NAME": "pairs_v0", "ACTIONS": ("stay", "go"), "State": Pair, "OBSERVATION": parts,
        "field_maxima": lambda: Pair(7, 3), "start": lambda: Pair(1, 1),
        "step": lambda state, action0, action1: Pair(state.own + action0, state.other + action1),
        "terminal": lambda state: state.own + state.other > 3, "payoff": lambda state: 0.0,
        "exchange_sides": lambda state: Pair(state.other, state.own),
    }  # fmt: skip
    return Game(SimpleNamespace(**rules))


def test_the_parts_of_an_observation() -> None:
    game = pairs(
        scaled("own", "own", least=1, most="6 + 1"),
        one_hot("other {}", "other", "abc", first=1),
        one_hot("{} more", "state.own - state.other", (-1, 0, 1), first=-1),
        flag("as many", "state.own - state.other", 0),
        seat("seat"),
    )
    assert game.features == (
        "own", "other a", "other b", "other c", "-1 more", "0 more", "1 more", "as many", "seat",
    )  # fmt: skip
    third = float(np.float32(2 / 6))
    assert game.observe(game.code(own=3, other=2), 0).tolist() == [third, 0, 1, 0, 0, 0, 1, 0, 0]
    assert game.observe(game.code(own=2, other=3), 1).tolist() == [third, 0, 1, 0, 0, 0, 1, 0, 1]
    for own, other, player in np.ndindex(3, 3, 2):
        code = game.code(own=own + 1, other=other + 1)
        assert tuple(game.rules.decode_observation(game.params, game.observe(code, player))) == (code, player)


def test_bits_of_a_field() -> None:
    game = pairs(bits("bit {}", "own"), flag("other is 1", "other", 1), seat("seat"))
    assert game.features == ("bit 0", "bit 1", "bit 2", "other is 1", "seat")
    assert game.observe(game.code(own=6, other=1), 0).tolist() == [0, 1, 1, 1, 0]
    assert game.observe(game.code(own=1, other=2), 1).tolist() == [0, 1, 0, 1, 1]


def test_a_game_without_a_view_is_described_field_by_field() -> None:
    game = Game(with_rules(nim, "text", "draw"), heap=5)
    code = game.code(mover=1)
    assert game.text(code) == "heap 5\nmover 1" and game.spell(code) == "heap=5,mover=1"
    named = Game(with_rules(nim, "text", WORDS={"mover": ("first", "second")}), heap=5)
    assert named.text(named.code(mover="second")) == "heap 5\nmover second"


def test_a_view_may_be_a_file_beside_that_of_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "piles_view.py").write_text("raise AssertionError('this view is of other rules')")
    monkeypatch.syspath_prepend(tmp_path / "here")
    rules = tmp_path / "piles.py"
    rules.write_text(Path(nim.__file__).read_text().replace("def text(", "def no_text("))
    (tmp_path / "piles_view.py").write_text("def text(state):\n    return 'o' * state.heap\n")
    assert Game(module_at(str(rules)), heap=5).text(4) == "oooo"


def test_words_may_depend_on_parameters() -> None:
    def words(params: nim.Params) -> dict[str, list[str]]:
        return {"heap": [f"{left} of {params.heap}" for left in range(params.heap + 1)]}

    game = Game(with_rules(nim, words=words), heap=5)
    assert game.spell(game.code(heap="3 of 5")) == "heap=3 of 5,mover=0"
    assert game.changes(game.code(heap=4), game.code(heap=3)) == "heap=3 of 5"
    with pytest.raises(ValueError, match=r"heap must be 0 of 5, .* or 5 of 5, not '3 of 6'"):
        game.code(heap="3 of 6")


@pytest.mark.slow
@with_jit
def test_functions_in_object_mode_live_as_long_as_their_game() -> None:
    """In another process: else a call of code that is no longer in memory would end this one."""
    program = (
        "import gc, numpy as np, nim, test_rules\nfrom nashzoo.envs import Game\n"
        "from nashzoo.envs.core.kernels import play\n"
        "def text_mover(state):\n    return int(repr([state.mover])[1])\n"
        "game = Game(test_rules.with_rules(nim, turn=text_mover))\n"
        "views = np.zeros((2, game.num_features), np.float32), np.zeros((2, 3), np.int8)\n"
        "code = int(game.start_codes[0])\ngame.compiled._meminfo\n"
        "from numba.core.dispatcher import Dispatcher\nDispatcher._recent.clear(); gc.collect()\n"
        "assert 'piece' in [each.__name__ for each in gc.get_objects() if isinstance(each, Dispatcher)]\n"
        "print([int(number) for number in play(game.compiled, code, 1, 0, 0, *views)][:1] == "
        "[game.step(code, 1, 0)])\n"
    )
    path = [str(Path(__file__).parent), *sys.path]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path = {path!r}\n{program}"], capture_output=True, text=True
    )
    assert done.stdout == "True\n" and "runs as plain Python" in done.stderr, done.stderr


def test_what_files_leave_out_is_compiled_once_for_all_games() -> None:
    assert build(nim).chance is build(repeated_rps).chance
    assert build(nim).information_state is build(repeated_rps).information_state


def test_functions_do_not_depend_on_compilation() -> None:
    game = footsies_v0.game(rounds=3)
    code = game.code(blocks0=1, last1=2, round=1, lead=4)
    observe: Any = game.rules.observe
    out = np.empty(game.num_features, np.float32)
    getattr(observe, "py_func", observe)(game.params, code, 1, out)
    assert (game.observe(code, 1) == out).all()
