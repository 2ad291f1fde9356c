"""What the core derives from declarations in a rules file, and what it says to a rules file that is not right."""

import linecache
import os
import pickle
import re
import subprocess
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import config

import graph_game
import nim
import repeated_rps
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, tictactoe_v0
from nashzoo.envs.core.rules import (
    BOTH,
    Ints,
    bits,
    compiled,
    flag,
    observing,
    one_hot,
    packing,
    parameter,
    rule,
    scaled,
    seat,
)
from nashzoo.envs.derivation.derived import source_of
from nashzoo.envs.games import bodega_brawl, footsies, soccer, tictactoe
from traces import Sheet

with_jit = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")


class Pair(NamedTuple):
    own: int
    other: int


encode, decode = packing(Pair, other=2, own=3)


def with_rules(rules: Any, *without: str, **others: Any) -> SimpleNamespace:
    """Returns rules without some pieces, and with others exchanged or added."""
    return SimpleNamespace(**{name: piece for name, piece in vars(rules).items() if name not in without} | others)


class TestPacking:
    def test_the_first_field_named_has_the_lowest_bits(self) -> None:
        assert encode(Pair(own=5, other=2)) == 0b101_10
        assert decode(0b101_10) == Pair(own=5, other=2)

    def test_arrays_are_packed_too(self) -> None:
        codes = np.arange(32)
        assert (encode(decode(codes)) == codes).all()  # type: ignore[arg-type]

    def test_each_field_needs_bits(self) -> None:
        for wrong in ({"own": 1}, {"own": 1, "other": 1, "third": 1}):
            with pytest.raises(ValueError) as error:
                packing(Pair, **wrong)
            assert str(error.value) == f"packing needs bits for the fields own, other; it is given {', '.join(wrong)}"

    @pytest.mark.parametrize(("own", "other"), [(0, 3), (32, 32)])
    def test_there_are_63_bits(self, own: int, other: int) -> None:
        with pytest.raises(ValueError) as error:
            packing(Pair, own=own, other=other)
        given = {"own": own, "other": other}
        assert str(error.value) == f"each field needs at least 1 bit, and all together at most 63, not {given}"


@compiled()
def exchanged(params: Ints, code: int) -> int:
    s = decode(code)
    return encode(Pair(s.other, s.own))


@compiled()
def more(params: Ints, s: Pair) -> int:
    return s.own - s.other


class TestObserving:
    """By hand, on pairs of numbers from 1 to 3 and with the parameters 7, 5."""

    PARAMS = np.array([7, 5], np.int64)

    def seen(self, observe: Any, own: int, other: int, player: int, numbers: int) -> list[float]:
        out = np.full(numbers, 9.0, np.float32)
        observe(self.PARAMS, encode(Pair(own, other)), player, out)
        return list(out.tolist())

    def test_every_kind_of_number(self) -> None:
        parts = (
            scaled("own", "own", 2 * parameter(1) - 3, least=1),  # up to 7, with 6 in between
            one_hot("other {}", "other", "abc", first=1),
            one_hot("{} more", "s.own - s.other", (-1, 0, 1), first=-1),
            flag("as many", "more(params, s)", 0),
            seat("seat"),
        )
        observe, decode_observation, features = observing(parts, Pair, encode, decode, exchanged)
        assert features(self.PARAMS) == (
            "own", "other a", "other b", "other c", "-1 more", "0 more", "1 more", "as many", "seat",
        )  # fmt: skip
        third = float(np.float32(2 / 6))
        assert self.seen(observe, 3, 2, 0, 9) == [third, 0, 1, 0, 0, 0, 1, 0, 0]
        assert self.seen(observe, 2, 3, 1, 9) == [third, 0, 1, 0, 0, 0, 1, 0, 1]
        assert self.seen(observe, 1, 1, 0, 9) == [0, 1, 0, 0, 0, 1, 0, 1, 0]
        for player in range(2):
            for own in range(1, 4):
                for other in range(1, 4):
                    numbers = np.array(self.seen(observe, own, other, player, 9), np.float32)
                    assert tuple(decode_observation(self.PARAMS, numbers)) == (encode(Pair(own, other)), player)

    def test_bits_and_what_is_none_of_the_values(self) -> None:
        parts = (bits("bit {}", "own", 3), flag("other is 1", "other", 1))
        observe, decode_observation, features = observing(parts, Pair, encode, decode, exchanged)
        assert features(self.PARAMS) == ("bit 0", "bit 1", "bit 2", "other is 1")
        assert self.seen(observe, 6, 1, 0, 4) == [0, 1, 1, 1]
        assert self.seen(observe, 1, 2, 1, 4) == [0, 1, 0, 1]
        # Without a seat, whoever looks is read as player 0; what is not 1 is read as the other number.
        assert tuple(decode_observation(self.PARAMS, np.array([0, 1, 1, 0], np.float32))) == (encode(Pair(6, 0)), 0)

    def test_a_parameter_is_at_least_1_where_it_is_divided_by(self) -> None:
        parts = (scaled("own", "own", parameter(0) - 7), scaled("other", "other", parameter(1)))
        observe, _, _ = observing(parts, Pair, encode, decode, exchanged)
        assert self.seen(observe, 0, 3, 0, 2) == [0, float(np.float32(3 / 5))]

    @pytest.mark.parametrize("fields", [("own",), ("own", "other", "own"), ("own", "third")])
    def test_each_field_is_shown_once(self, fields: tuple[str, ...]) -> None:
        with pytest.raises(ValueError) as error:
            observing([flag(field, field) for field in fields], Pair, encode, decode, exchanged)
        assert str(error.value) == f"an observation shows the fields own, other once each; it shows {', '.join(fields)}"

    def test_who_looks_is_known_or_does_not_matter(self) -> None:
        shown = (flag("own", "own"), flag("other", "other"))
        for parts, swap_players in ((shown, None), ((*shown, seat("a"), seat("b")), exchanged)):
            with pytest.raises(ValueError) as error:
                observing(parts, Pair, encode, decode, swap_players)
            assert str(error.value).startswith(
                "an observation shows the player's seat once: add seat(...), or give observing"
            )


class TestDerivedFunctions:
    def test_their_text_is_known(self) -> None:
        decode: Any = tictactoe.decode
        text = source_of(getattr(decode, "py_func", decode))
        assert "return State(code & 511, code >> 9)" in text

    def test_an_error_shows_the_declaration(self) -> None:
        observe: Any = soccer.observe
        with pytest.raises(IndexError) as error:
            getattr(observe, "py_func", observe)(np.zeros(0, np.int64), 0, 0, np.zeros(22, np.float32))
        shown = [linecache.getline(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(error.tb)]
        assert any(line.startswith("observe, decode_observation, features = observing(") for line in shown)

    @with_jit
    def test_they_are_kept_on_disk(self, tmp_path: Path) -> None:
        run = [sys.executable, "-c", "from nashzoo.envs import footsies_v0; footsies_v0.game().observe(0, 0)"]
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        first, second = (
            subprocess.run(run, env=environment, capture_output=True, text=True, check=True) for _ in range(2)
        )
        assert "compiling" in first.stderr and second.stderr == ""
        assert {"footsies.observe", "footsies.decode"} <= {
            path.name.split("-")[0] for path in tmp_path.glob("**/*.nbi")
        }

    @with_jit
    def test_they_can_be_pickled(self) -> None:
        for function in (footsies.encode, footsies.observe):
            assert pickle.loads(pickle.dumps(function)) is function


class TestPieces:
    """A rules file that is not right is told what is wrong when a game is made of it."""

    def told(self, rules: Any) -> str:
        with pytest.raises(ValueError) as error:
            Game(rules)
        return str(error.value)

    def test_a_missing_piece(self) -> None:
        rules = with_rules(nim, "step", "field_maxima")
        assert self.told(rules) == "the rules of nim_v0 lack field_maxima, step; see nashzoo.envs.core.rules.Rules"

    @with_jit
    def test_a_piece_that_is_not_compiled(self) -> None:
        assert Game(with_rules(nim, payoff=lambda params, code: 2.5)).payoff(0) == 2.5  # plain Python is compiled
        rules = with_rules(nim, payoff=compiled()(lambda params, code: 0.0))
        assert self.told(rules) == "payoff in the rules of nim_v0 must be decorated with @rule"

    def test_a_piece_with_other_arguments(self) -> None:
        def payoff(code: int) -> float:
            return 0.0

        told = self.told(with_rules(nim, payoff=payoff if config.DISABLE_JIT else self.as_payoff(payoff)))
        assert told == "payoff in the rules of nim_v0 must take 2 arguments, not (code)"

    def as_payoff(self, function: Any) -> Any:
        return rule(function)

    @pytest.mark.parametrize(
        ("pieces", "message"),
        [
            ({"parameters": lambda heap=7: [heap]}, r"parameters of nim_v0 must return int64 numbers \[n\], not \[7\]"),
            ({"parameters": lambda heap=7: np.ones(3)}, r"parameters of nim_v0 must return int64 numbers \[n\], not "),
            ({"parameters": lambda heap: heap}, "every parameter of nim_v0 needs a default; heap has none"),
            ({"start": lambda params: (0, 1.0)}, r"start of nim_v0 must return codes \[S\] and probabilities \[S\]"),
            ({"start": lambda params: (np.zeros(1, np.int64), np.ones(1))}, "nim_v0 is over where it starts, at heap="),
            (
                {"field_maxima": lambda params: nim.State(100, 2)},
                r"nim_v0: the largest state State.* does not fit into its",
            ),
            (
                {"legal": lambda params, code, player: 0},
                "legal of nim_v0 must have a bit of its 3 actions and no other",
            ),
            ({"legal": lambda params, code, player: 8}, r"not 0b1000, for player 0 at heap=7,mover=0"),
            ({"MASKED": False}, "legal of nim_v0 must have every bit, as MASKED is False, of its 3 actions"),
        ],
    )
    def test_what_is_returned_at_the_start(self, pieces: dict[str, Any], message: str) -> None:
        if "legal" in pieces:
            legal = pieces["legal"]
            legal.__name__ = "legal"
            pieces = {"legal": rule(legal)}
        assert re.search(message, self.told(with_rules(nim, **pieces)))

    def test_numbers_come_together(self) -> None:
        rules = with_rules(bodega_brawl, "code_at", "num_states")
        assert self.told(rules) == (
            "the rules of bodega_brawl_v0 have index, layer_sizes but lack code_at, num_states; "
            "see nashzoo.envs.core.rules.Numbered"
        )

    def test_numbers_need_swap_players(self) -> None:
        assert self.told(with_rules(bodega_brawl, "swap_players")) == (
            "bodega_brawl_v0 numbers its states but is not symmetric: its rules lack swap_players"
        )

    def test_what_is_no_rule(self) -> None:
        def stop(params: Ints, code: int) -> int:
            return code

        with pytest.raises(ValueError) as error:
            rule(stop)
        assert str(error.value) == (
            "stop is no rule; @rule is for step, legal, turn, payoff, terminal, observe, decode_observation, "
            "swap_players, index, code_at, strategic_state, chance, and @compiled() for all else"
        )

    def test_what_is_left_out_has_defaults(self) -> None:
        game = Game(repeated_rps)
        assert game.turn(int(game.start_codes[0])) == BOTH and not game.turn_based
        assert game.max_cycles == 1000 and game.actions == repeated_rps.ACTIONS
        assert game.numbers is None and game.symmetric and not Game(nim).symmetric
        brawl = bodega_brawl_v0.game(preset="tiny")
        assert brawl.numbers is not None and brawl.numbers.num_states(brawl.params) > 0


class TestView:
    def test_stands_beside_the_rules(self) -> None:
        game = tictactoe_v0.game()
        assert game.spell(game.code(board="x...o....")) == "board=x...o...."
        game = Game(soccer)
        assert game.spell(game.code(ball="red", turn="blue")).endswith("ball=red,turn=blue,winner=none")

    def test_or_in_the_rules_file(self) -> None:
        assert Game(nim).text(0b11_1) == "|||\nplayer 1 to move"

    def test_a_game_without_one_is_shown_field_by_field(self) -> None:
        game = Game(with_rules(nim, "text", "draw"), heap=5)
        code = game.code(mover=1)
        assert game.text(code) == "heap 5\nmover 1"
        assert game.spell(code) == "heap=5,mover=1"
        assert game.view.GROUPED_BY == () and game.view.WORDS == {}
        sheet = Sheet()
        game.draw(code, sheet)
        assert sheet.points and all(min(point) >= 0 and max(point) <= 100 for point in sheet.points)

    def test_words_are_used_where_there_are_some(self) -> None:
        game = Game(with_rules(nim, "text", WORDS={"mover": ("first", "second")}), heap=5)
        code = game.code(mover="second")
        assert game.text(code) == "heap 5\nmover second" and game.spell(code) == "heap=5,mover=second"

    def test_a_drawn_text_fits_on_the_canvas(self) -> None:
        game = Game(with_rules(graph_game, text=lambda params, code: "\n".join(["line"] * 60)))
        sheet = Sheet()
        game.draw(0, sheet)
        assert all(min(point) >= 0 and max(point) <= 100 for point in sheet.points)


def test_derived_functions_do_not_depend_on_compilation() -> None:
    game = footsies_v0.game(rounds=3)
    code = game.code(blocks0=1, last1=2, round=1, lead=4)
    seen = game.observe(code, 1)
    out = np.empty_like(seen)
    plain: Any = game.rules.observe
    getattr(plain, "py_func", plain)(game.params, code, 1, out)
    assert (seen == out).all()
