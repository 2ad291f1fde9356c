"""A rules file becomes the functions that environments and kernels call: :func:`build`.

For every function of the file that play needs, a function of the numbers of the game and the code of a state is
generated, which reads parameters, tables and state, calls the function of the file, and packs its result. It is
compiled together with what it calls, and runs as plain Python too. The step of Footsies is, without the lines that make
the numbers of a call from Python Python's::

    def step(numbers, code, action0, action1):
        params = params_of(numbers)
        tables = tables_of(numbers)
        state = decode(code)
        return encode(step_(params, tables, state, action0, action1))  # step_ is the file's function
"""

import re
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.threads import one_at_a_time
from nashzoo.envs.jit.compiled import Features, Floats, Ints
from nashzoo.envs.jit.generated import Place, function_of
from nashzoo.envs.jit.plain_functions import plain, plain_piece
from nashzoo.envs.rules.check import name_of, problems
from nashzoo.envs.rules.codes import MOST_BITS, bits_of, checked_packing, packing_functions
from nashzoo.envs.rules.observation import Part, bit_length, parts_of
from nashzoo.envs.rules.parameters import Parameters, arguments_of, as_usage_error, python_of
from nashzoo.envs.rules.pieces import BOTH, CHANCE, CHECKED, INDEX, PACKED, PIECES, ROOM, SIGNATURES
from nashzoo.envs.rules.results import listed, pairs_fault, place_in_words, state_fault

MAX_CYCLES = 1000  # joint steps of a game, if its rules have no other number
MOST_CHANCES = 1_000  # successive chance states before the first decision
COMMON = Place(__name__, __file__, 1)  # of what is the same in many files, so that it is compiled once

# By id of the file and bits of the codes; the file is kept so that no other object gets its id.
_built: dict[tuple[Any, ...], tuple[object, "BuiltRules"]] = {}
_functions: dict[tuple[Any, ...], Any] = {}  # compiled functions, by their text and the names in it


@one_at_a_time
def build(written: Any, bits: Mapping[str, int] | None = None) -> "BuiltRules":
    """Returns the rules of a file; ``bits`` are those of each field in a code, by default those of the file.

    Raises:
        UsageError: a piece is missing or invalid.
    """
    if isinstance(written, BuiltRules):
        return written
    key = (id(written), *(bits or {}).items())
    if key not in _built:
        if errors := problems(written):
            file = f" ({written.__file__})" if hasattr(written, "__file__") else ""
            raise UsageError(f"the rules of {name_of(written)}{file} are not complete:\n- " + "\n- ".join(errors))
        _built[key] = written, BuiltRules(written, bits)
    return _built[key][1]


class BuiltRules:
    """The rules of a file: functions of the numbers of a game and the codes of its states.

    Attributes that are not listed are those of the file.

    Args:
        written: The file, one without :func:`nashzoo.envs.rules.check.problems`.
        bits: As in :func:`build`.

    Attributes:
        bits: The bits of each field in a code, the lowest first.
        parameters: Returns the numbers of a game, from its parameters by keyword.
        params_of: Returns the parameters that are numbers, a named tuple, from the numbers of a game; for compiled code
            too, like the next three.
        tables_of: Returns the tables, in Python.
        encode: Returns the code of a state.
        decode: Returns the state of a code.
        checked_step: The same as ``step``, or -1 for a state that its code does not hold, for proofs.
        step: Like all functions in :data:`nashzoo.envs.rules.pieces.SIGNATURES`, for kernels and for Python.
        symmetric: Whether the file has ``swap_players``.
        has_chance: Whether it has ``chance``.
        hides: Whether some fields are hidden from a player.
        numbered: Whether it has a closed-form index.
        clock_shift: The number of bits of a code below those of its clock; None without one.

    Raises:
        UsageError: the fields of a state need more bits than a code has, or a piece returns an invalid value.
    """

    step: Callable[[Ints, int, int, int], int]
    checked_step: Callable[[Ints, int, int, int], int]
    legal: Callable[[Ints, int, int], int]
    turn: Callable[[Ints, int], int]
    payoff: Callable[[Ints, int], float]
    terminal: Callable[[Ints, int], bool]
    observe: Callable[[Ints, int, int, Features], None]
    decode_observation: Callable[[Ints, Features], tuple[int, int]]
    swap_players: Callable[[Ints, int], int]
    strategic_state: Callable[[Ints, int], int]
    information_state: Callable[[Ints, int, int], int]
    chance: Callable[[Ints, int, Ints, Floats], int]
    index: Callable[[Ints, int], int]
    code_at: Callable[[Ints, int], int]

    def __init__(self, written: Any, bits: Mapping[str, int] | None = None) -> None:
        self.written, self._wider = written, bits
        self.__name__: str = getattr(written, "__name__", written.NAME)
        self.__doc__ = vars(written).get("__doc__")  # its own, not that of a class of rules
        self.symmetric, self.has_chance = hasattr(written, "swap_players"), hasattr(written, "chance")
        self.numbered = hasattr(written, INDEX[0])
        self.MAX_CYCLES: int = getattr(written, "MAX_CYCLES", MAX_CYCLES)
        self.CROSSED = tuple(getattr(written, "CROSSED", ()))
        self.COMPARED = tuple(getattr(written, "COMPARED", ()))
        self._place = _place_of(written)
        self._parameters = Parameters(written, self._place)
        self.parameters = self._parameters.numbers
        self.params_of = self._parameters.names["params_of"]
        self.tables_of: Any = python_of(self._parameters.names.get("tables_of", _no_tables))
        self.signature, self.defaults = self._parameters.signature, self._parameters.defaults
        self._default_numbers = self.parameters()
        self.ACTIONS = self.actions(self._default_numbers)
        self.bits = bits or getattr(written, "BITS", None) or bits_of(self.field_maxima(self._default_numbers))
        self._below = sum([*self.bits.values()][:-1])
        self.clock_shift = self._below if hasattr(written, "CLOCK") else None
        self.encode, self.decode = (
            _shared(function, written.State) for function in packing_functions(written.State, self.bits, self._place)
        )
        packed = plain(checked_packing(self.encode, self.decode, written.State._fields, self._place))
        self._names: dict[str, Any] = {
            "encode": self.encode, "decode": self.decode, "packed": packed, "bit_length": plain(bit_length),
            **self._parameters.names,
        }  # fmt: skip
        self._write_play()
        self.MASKED: bool = getattr(written, "MASKED", hasattr(written, "legal") or self._first_decision()[1] != BOTH)
        self._write_observation()

    def __getattr__(self, name: str) -> Any:
        if name == "written":
            raise AttributeError(name)
        return getattr(self.written, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return build, (self.written, self._wider)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BuiltRules) and bool(self.written == other.written)

    def __hash__(self) -> int:
        return hash(self.NAME)

    # Functions that only Python calls.

    def call(self, function: Callable[..., Any], numbers: Ints, **arguments: Any) -> Any:
        """Returns the result of a function of the file or of its view.

        Args:
            function: The function.
            numbers: The numbers of the game.
            **arguments: What it may take; with ``code`` also ``state``, and with the actions also ``action``.
        """
        taken = arguments_of(function)
        if "code" in arguments and "state" in taken:
            arguments["state"] = self.decode(int(arguments["code"]))
        if "action" in taken and "action" not in arguments:
            turn = self.turn(numbers, arguments["code"])
            arguments["action"] = arguments["action1" if turn == 1 else "action0"]
        return self._parameters.call(function, numbers, **arguments)

    def field_maxima(self, numbers: Ints) -> Any:
        """Returns the largest value of each field of a state, as a ``State``."""
        return self.call(self.written.field_maxima, numbers)

    def holding(self, numbers: Ints, options: Mapping[str, Any]) -> "BuiltRules":
        """Returns the rules with codes that hold the states of a game: these, or without ``BITS`` wider ones.

        Raises:
            UsageError: there are ``BITS``, and a field is too large for its own; or all are for a code.
        """
        maxima, rest = self.field_maxima(numbers), {[*self.bits][-1]: MOST_BITS - self._below}
        sizes = {**self.bits, **rest}
        unfit = [field for field, most in maxima._asdict().items() if most >> sizes[field]]
        if not unfit:
            return self
        chosen = ", ".join(f"{name}={value!r}" for name, value in options.items() if value != self.defaults[name])
        cause = f"{self.NAME} cannot have {chosen}: " if chosen else f"{self.NAME}: "
        if hasattr(self.written, "BITS"):
            most = f"{getattr(maxima, unfit[0])}, and BITS in the rules hold 0 to {2 ** sizes[unfit[0]] - 1}"
            raise UsageError(f"{cause}the largest {unfit[0]} would be {most}")
        largest = map(max, maxima, self.field_maxima(self._default_numbers))
        return build(self.written, bits_of(maxima._make(largest), cause))

    def actions(self, numbers: Ints) -> tuple[str, ...]:
        """Returns the names of the actions."""
        return self._parameters.action_names(numbers)

    def start(self, numbers: Ints) -> tuple[Ints, Floats]:
        """Returns the codes of the start states ``[S]`` and their probabilities ``[S]``.

        Raises:
            UsageError: a field is out of its range.
        """
        starts, maxima = self.call(self.written.start, numbers), self.field_maxima(numbers)
        one, where = isinstance(starts, self.State), place_in_words(self.written.start)
        starts = listed(starts)
        pairs = [(starts, 1.0)] if one else starts
        if fault := state_fault(self.State, starts) if one else pairs_fault(self.State, starts, "a State, or "):
            raise UsageError(f"start of {self.NAME} must return {fault}{where}")
        columns = np.array([state for state, _ in pairs]).T
        for field, values, most in zip(self.State._fields, columns, maxima, strict=True):
            if not 0 <= values.min() <= values.max() <= most:
                outside = values[(values < 0) | (values > most)][0]
                raise UsageError(
                    f"start of {self.NAME} has {field}={outside}, and field_maxima allows 0 to {most}{where}"
                )
        columns = columns.astype(np.int64)
        codes: Ints = python_of(self.encode)(self.State(*columns))
        if not np.array_equal(python_of(self.decode)(codes), columns):
            raise UsageError(f"the codes of {self.NAME} do not hold its starts")
        return codes, np.array([probability for _, probability in pairs], np.float64)

    def check(self, numbers: Ints, state: Any) -> None:
        """Raises a UsageError for an impossible state."""
        if hasattr(self.written, "check"):
            as_usage_error(lambda: self.call(self.written.check, numbers, state=state))

    def on_codes(self, name: str) -> bool:
        """Returns whether a function of the file takes and returns codes, and not states."""
        return "code" in arguments_of(getattr(self.written, name))

    def outcomes(self, numbers: Ints, code: int) -> Any:
        """Returns what the file's ``chance`` returns."""
        return self.call(self.written.chance, numbers, code=code)

    def images(self, numbers: Ints, code: int) -> list[tuple[int, tuple[int, ...]]]:
        """Returns what the file's ``symmetries`` returns, with the codes of the states."""
        pairs = self.call(self.written.symmetries, numbers, code=code)
        return [
            (int(state if self.on_codes("symmetries") else self.encode(state)), tuple(renamed))
            for state, renamed in pairs
        ]

    def features(self, numbers: Ints) -> tuple[str, ...]:
        """Returns the meaning of each number of an observation."""
        if hasattr(self.written, "features"):
            return tuple(self.call(self.written.features, numbers))
        return tuple(name for part in self._parts for name in part.names(self._most(part, numbers)))

    def levels(self, numbers: Ints) -> tuple[int, ...] | None:
        """Returns the number of values of each number of an observation, evenly spaced from 0 to 1.

        None, and so no one-hot observations, for a file with its own ``observe`` and without ``levels``.
        """
        if hasattr(self.written, "levels"):
            return tuple(self.call(self.written.levels, numbers))
        if hasattr(self.written, "observe"):
            return None
        return tuple(count for part in self._parts for count in part.levels(self._most(part, numbers)))

    def columns(self, numbers: Ints) -> dict[str, int]:
        """Returns the positions of the fields that are one number of an observation."""
        where, at = {}, 0
        for part in () if hasattr(self.written, "observe") else self._parts:
            count = len(part.names(self._most(part, numbers)))
            if part.field is not None and count == 1:
                where[part.field] = at
            at += count
        return where

    def _most(self, part: Part, numbers: Ints) -> int:
        """Returns the largest value of a part's field, or of the expression in its place."""
        if part.most is not None:
            names = {
                name.removesuffix("_of"): python_of(read)(numbers) for name, read in self._parameters.names.items()
            }
            return int(eval(part.most, dict(vars(self.written)) | names))
        return 0 if part.field is None else int(numbers[self._maximum(part.field)])

    def layer_sizes(self, numbers: Ints) -> Ints:
        """Returns the number of states of each layer of the index ``[layers]``, the one nearest to the end first."""
        sizes: Ints = self.call(self.written.layer_sizes, numbers)
        return sizes

    def num_states(self, numbers: Ints) -> int:
        """Returns the number of non-terminal states, mirror images included."""
        return int(self.call(self.written.num_states, numbers))

    # Functions that kernels call.

    def _write_play(self) -> None:
        """Sets the functions of play, and those that a file may leave out."""
        for name, piece in PIECES.items():
            if piece.result and hasattr(self.written, name):
                self._write(name, [f"return {self._result(name, piece.result)}"])
        self._write("checked_step", [f"return {self._result('step', CHECKED)}"], "step")
        if not hasattr(self.written, "turn"):
            self._write("turn", [f"return {BOTH}"])
        if not hasattr(self.written, "strategic_state"):
            self._write("strategic_state", ["return code"])
        if not hasattr(self.written, "chance"):
            self._write("chance", ["return 0"])
        elif "outcomes" in arguments_of(self.written.chance):
            self._write("chance", [f"return {self._called('chance')}"])
        else:
            after = "after" if self.on_codes("chance") else CHECKED.format("after")
            lines = [
                "count = 0",
                f"for after, probability in {self._called('chance')}:",
                "    if count < len(outcomes):",
                f"        outcomes[count], probabilities[count] = {after}, probability",
                "    count += 1",
                "return count",
            ]
            self._write("chance", lines)
        self._write_information_state()
        self._write_legal()

    def _write_information_state(self) -> None:
        """Sets the function that hides from each player what it does not see, and all functions of a player's view."""
        hidden = getattr(self.written, "SEEN_BY", {})
        self.hides = bool(hidden) or hasattr(self.written, "information_state")
        if hasattr(self.written, "information_state"):
            return
        self._names[self.State.__name__] = self.State
        seen = (f"state.{field} * (player in {hidden.get(field, (0, 1))})" for field in self.State._fields)
        result = f"encode({self.State.__name__}({', '.join(seen)}))" if hidden else "code"
        self._write("information_state", [f"return {result}"])

    def _write_legal(self) -> None:
        # The other player is to move; compared as a sum, which is faster than with 1 - player.
        waits = [f"if {self._called('turn')} + player == 1:", "    return 1"] if hasattr(self.written, "turn") else []
        if not hasattr(self.written, "legal"):
            same = not hasattr(self.written, "actions")  # for all parameters
            count = len(self.ACTIONS) if same else f"numbers[{self._parameters.actions}]"
            self._write("legal", [*waits, f"return (1 << {count}) - 1"])
        elif isinstance(self._legal_at_start(), int | np.integer):
            self._write("legal", [*waits, f"return {self._called('legal')}"])
        else:
            lines = [
                f"legal, mask = {self._called('legal')}, 0",
                "for action in range(len(legal)):",
                "    if legal[action]:",
                "        mask |= 1 << action",
                "return mask",
            ]
            self._write("legal", [*waits, *lines])

    def _first_decision(self) -> tuple[int, int]:
        """Returns the code of the first decision, and the turn there."""
        numbers = self._default_numbers
        code = int(self.start(numbers)[0][0])
        for _ in range(MOST_CHANCES):
            turn = self.call(self.written.turn, numbers, code=code) if hasattr(self.written, "turn") else BOTH
            if turn not in (0, 1, BOTH, CHANCE):
                raise UsageError(
                    f"turn of {self.NAME} must answer 0, 1, {BOTH} or {CHANCE}, not {turn!r}, at {self.decode(code)}"
                    f"{place_in_words(self.written.turn)}"
                )
            if turn != CHANCE or not self.has_chance:
                break
            code = self._first_outcome(numbers, code)
        return code, turn

    def _first_outcome(self, numbers: Ints, code: int) -> int:
        """Returns the code of the first outcome of a chance state."""
        if "outcomes" in arguments_of(self.written.chance):
            codes = np.empty(ROOM, np.int64)
            self.call(self.written.chance, numbers, code=code, outcomes=codes, probabilities=np.empty(ROOM))
            return int(codes[0])
        outcomes = listed(self.outcomes(numbers, code))
        if not self.on_codes("chance") and (fault := pairs_fault(self.State, outcomes)):
            where = place_in_words(self.written.chance)
            raise UsageError(f"chance of {self.NAME} must return {fault}, at {self.decode(code)}{where}")
        after, _ = outcomes[0]
        return int(after if self.on_codes("chance") else self.encode(after))

    def _legal_at_start(self) -> Any:
        """Returns the result of ``legal`` for the player who moves first, which shows its type."""
        code, turn = self._first_decision()
        legal = self.call(self.written.legal, self._default_numbers, code=code, player=turn % BOTH)
        if not isinstance(legal, int | np.integer) and not np.ndim(legal):
            raise UsageError(
                f"legal of {self.NAME} must return a truth value for each action, or a bit mask, not {legal!r}, at "
                f"{self.decode(code)}{place_in_words(self.written.legal)}"
            )
        return legal

    def _write_observation(self) -> None:
        """Sets ``observe`` and ``decode_observation``."""
        if hasattr(self.written, "observe"):
            self._parts: tuple[Part, ...] = ()
            self._write("observe", [self._called("observe")])
            by_hand = f"state, player = {self._called('decode_observation')}"
            self._write("decode_observation", [by_hand, "return encode(state), player"])
            return
        self._parts = parts_of(self.written, self.symmetric)
        swap = "exchange_sides" if hasattr(self.written, "exchange_sides") else "swap_players"
        swaps = hasattr(self.written, swap)
        if swap == "exchange_sides":
            self._write(swap, [f"return {self._result(swap, PIECES['swap_players'].result)}"], "swap_players")
        filled = [line for part in self._parts for line in part.filled.splitlines()]
        read = [line for part in self._parts for line in part.read.splitlines()]
        most = [f"most_{field} = {value}" for field, value in self._maxima().items()]
        seen = "information_state(numbers, code, player)" if self.hides else "code"
        seen = f"{swap}(numbers, {seen}) if player == 1 else {seen}" if swaps else seen
        self._write("observe", [f"state = decode({seen})", "at = 0", *most, *filled])
        packed = f"code = encode({self.State.__name__}({', '.join(f'{field}_' for field in self.State._fields)}))"
        if not any(part.is_seat for part in self._parts):
            result = "return code, 0"
        elif swaps:
            result = f"return {swap}(numbers, code) if player == 1 else code, player"
        else:
            result = "return code, player"
        self._names[self.State.__name__] = self.State
        self._write("decode_observation", ["at = 0", *most, *read, packed, result])

    def _maxima(self) -> dict[str, Any]:
        """Returns the expressions of the largest values of the fields: constants, if there are no parameters."""
        if arguments_of(self.written.field_maxima):
            return {field: f"numbers[{self._maximum(field)}]" for field in self.State._fields}
        maxima: dict[str, Any] = self.written.field_maxima()._asdict()
        return maxima

    def _maximum(self, field: str) -> int:
        """Returns the place of the largest value of a field in the numbers."""
        fields: tuple[str, ...] = self.State._fields
        return self._parameters.maxima + fields.index(field)

    def _result(self, name: str, result: str) -> str:
        """Returns the expression of the result of a function of the file."""
        packs = result in (PACKED, CHECKED)
        text = ("int({})" if packs and self.on_codes(name) else result).format(self._called(name))
        if name == "payoff" and hasattr(self.written, "constant_sum"):
            text += f" - 0.5 * {self._called('constant_sum')} * {self._called('terminal')}"
        return text

    def _called(self, name: str) -> str:
        """Returns the call of a function of the file in a generated function."""
        function = getattr(self.written, name)
        self._names[f"{name}_"] = plain(function)
        return f"{name}_({', '.join(arguments_of(function))})"

    def _write(self, name: str, lines: Sequence[str], like: str = "") -> None:
        """Sets a function with these lines, compiled for the signature of the piece ``like``, its own when left out."""
        like = like or name
        called = PIECES[like].called
        text = "\n".join(lines)
        before = []
        for word in ("code", "player", "action0", "action1", "number"):
            if word in called:
                before.append(f"{word} = int({word})")  # in calls from Python the file's functions get Python's numbers
        for word in ("params", "tables"):
            if _mentions(text, word):
                before.append(f"{word} = {word}_of(numbers)")
        if _mentions(text, "state") and "code" in called and "state = " not in text:
            before.append("state = decode(code)")
        if _mentions(text, "action") and "action0" in called:
            before.append(f"action = action1 if {self._called('turn')} == 1 else action0")
            if "state" in arguments_of(self.written.turn) and "state = decode(code)" not in before:
                before.insert(-1, "state = decode(code)")
            for word in ("params", "tables"):
                if word in arguments_of(self.written.turn) and not _mentions(text, word):
                    before.insert(-1, f"{word} = {word}_of(numbers)")
        body = "\n    ".join([*before, *lines])
        names = {word: self._names[word] for word in self._names if _mentions(body, word)}
        for word in set(re.findall(r"\b[A-Za-z_]\w*\b", text)) - names.keys():
            value = getattr(self.written, word, None)  # of an expression of an observation
            if value is not None and not word.startswith("__"):
                names[word] = plain(value) if isinstance(value, FunctionType) else value
        place = self._place if names else COMMON
        key = (like, body, place, *names.items())
        try:
            known = _functions.get(key)
        except TypeError:  # a name stands for what cannot be a key
            key, known = (), None
        if known is None:
            source = f"def {name}({', '.join(['numbers', *called])}):\n    {body}\n"
            function = function_of(source, names, place)
            known = plain_piece(SIGNATURES[like], function)
            if key:
                _functions[key] = known
        self._names[name] = known
        setattr(self, name, known)


def _no_tables(numbers: Ints) -> tuple[()]:
    return ()


def _mentions(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w.]){word}\b", text) is not None


def _shared(function: Any, state: type[Any]) -> Any:
    """Returns a function that packs states, compiled; the same for the same text."""
    key = (function.source, state)
    if key not in _functions:
        _functions[key] = plain(function)
    return _functions[key]


def _place_of(written: Any) -> Place:
    """Returns the place of a rules file, or of the functions of another object."""
    names = written.step.__globals__ if not hasattr(written, "__file__") else vars(written)
    return Place(names["__name__"], names.get("__file__") or "<rules>", 1)
