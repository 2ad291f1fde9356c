"""Plain rules: functions of states in plain Python, from which the other functions of a game are derived and compiled.

A rules file without ``encode`` and ``decode`` has functions of states. Their arguments, by name, are among

- ``params``: the parameters, a ``Params``;
- ``state``: a ``State``;
- ``player``: 0 or 1;
- ``action0`` and ``action1``: the actions of the players; or ``action``: the action of the player to move;
- ``canvas``: the canvas of a drawing;
- ``after``: the next ``State``, for a view.

It has

- ``NAME``: the name of the game, such as ``"nim_v0"``;
- ``ACTIONS``: the names of the actions, or ``actions(params)``, which returns them;
- ``State``: a named tuple of whole numbers from 0 on;
- ``field_maxima(params)``: the largest value of each field, as a ``State``;
- ``start(params)``: the ``State`` in which a game starts, or a list of pairs of a state and its probability;
- ``step(params, state, action0, action1)``: the next state;
- ``terminal(params, state)``: whether the game is over;
- ``payoff(params, state)``: the reward to player 0 on entering the state, in points; player 1 gets the negative;

and may have

- ``Params``: a named tuple of whole numbers, decimal numbers and truth values, each with a default, and
  ``check_params(params)``, which raises a ``ValueError`` for invalid ones;
- ``turn(params, state)``: the player to move, 0 or 1, or ``BOTH``, 2, or ``CHANCE``, 3; without it always ``BOTH``;
- ``chance(params, state)``: the outcomes of a chance state, a list of pairs of a state and its probability;
- ``legal(params, state, player)``: the legal actions, as a tuple of truth values, or as a bit mask with bit ``a`` for
  action ``a``, which is faster; without it all are legal;
- ``swap_players(params, state)``: the same state with the players swapped, in a symmetric game;
- ``strategic_state``, ``MAX_CYCLES``, ``CROSSED``, ``check`` and ``at_stake``, see
  :class:`nashzoo.envs.core.rules.OptionalRules`;
- functions of a :class:`nashzoo.envs.core.view.View`, such as ``text(params, state)`` and
  ``draw(params, state, canvas)``;
- ``MASKED``: whether some action is illegal somewhere; computed when left out;
- ``BIT_FIELDS``: the names of fields that are observed bit by bit, such as a hand of cards;
- ``UNSEEN_FIELDS``: the names of fields that observations leave out. They must be 0 at every state at which a player
  chooses, and only differ from 0 at chance states, for example to store an action until its chance event.

An observation has every other field as a number from 0 to 1, its value divided by its largest value. In a symmetric
game player 1 observes the state with the players swapped; in other games the observation includes the player's seat.
"""

import inspect
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np
from numba import config

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.compilation.compiled import SIGNATURES, Floats, Ints
from nashzoo.envs.compilation.plain_functions import plain, plain_piece
from nashzoo.envs.derivation.codes import MOST_BITS, packing_functions
from nashzoo.envs.derivation.derived import Place, function_of

REQUIRED = {
    "NAME": "a text such as 'nim_v0'",
    "ACTIONS": "the names of the actions, such as ('left', 'right'), or a function actions(params)",
    "State": "a named tuple of whole numbers",
    "field_maxima": "a function (params) that returns the largest value of each field, as a State",
    "start": "a function (params) that returns the State in which a game starts",
    "step": "a function (params, state, action0, action1) that returns the State that follows",
    "terminal": "a function (params, state) that says whether the game is over",
    "payoff": "a function (params, state) that returns the reward to player 0, in points",
}
# The possible arguments of the functions.
TAKES = {
    "field_maxima": ("params",),
    "start": ("params",),
    "actions": ("params",),
    "check_params": ("params",),
    "step": ("params", "state", "action0", "action1", "action"),
    "turn": ("params", "state"),
    "legal": ("params", "state", "player"),
    "terminal": ("params", "state"),
    "payoff": ("params", "state"),
    "swap_players": ("params", "state"),
    "strategic_state": ("params", "state"),
    "chance": ("params", "state"),
    "check": ("params", "state"),
    "at_stake": ("params", "state"),
    "text": ("params", "state"),
    "draw": ("params", "state", "canvas"),
    "event": ("params", "state", "action0", "action1", "action", "after"),
    "shown": ("params", "state", "after"),
    "introduction": ("params", "player"),
}
KINDS = (bool, int, float)  # of parameters
BOTH, CHANCE = 2, 3  # see nashzoo.envs.core.rules
MOST_CHANCES = 1_000  # successive chance states before the first decision


def written_on_states(rules: object) -> bool:
    """Returns whether the functions of a rules file take states, and not codes."""
    return not hasattr(rules, "encode") and not hasattr(rules, "decode")


def problems(rules: object) -> list[str]:
    """Returns all errors of a plain rules file, in words."""
    found = []
    for name, what in REQUIRED.items():
        if not hasattr(rules, name) and not (name == "ACTIONS" and hasattr(rules, "actions")):
            found.append(f"{name} is missing: {what}")
    for name, takes in TAKES.items():
        function = getattr(rules, name, None)
        if function is None:
            continue
        if not callable(function):
            found.append(f"{name} is {function!r}, not a function")
        elif strange := [word for word in _arguments(function) if word not in takes]:
            found.append(f"{name} takes {', '.join(strange)}; it can take {', '.join(takes)}")
        elif "action" in _arguments(function) and not hasattr(rules, "turn"):
            found.append(f"{name} takes action, but there is no turn, which says whose: take action0 and action1")
    if not re.fullmatch(r"\w+", str(getattr(rules, "NAME", "x"))):
        found.append(f"NAME is {rules.NAME!r}; it can have letters, digits and underscores, such as 'nim_v0'")  # type: ignore[attr-defined]
    for name, of in (("State", (int,)), ("Params", KINDS)):
        found += _wrong_tuple(rules, name, of)
    return found


def _wrong_tuple(rules: object, name: str, kinds: tuple[type, ...]) -> list[str]:
    """Returns the errors of a named tuple of a rules file."""
    given: Any = getattr(rules, name, None)
    if given is None:
        return []
    if not callable(given) or not hasattr(given, "_field_defaults"):
        return [f"{name} is {given!r}, not a class derived from typing.NamedTuple"]
    defaults: dict[str, Any] = given._field_defaults
    hints = {field: given.__annotations__.get(field, int) for field in given._fields}
    words = {kind.__name__: kind for kind in kinds}
    strange = [field for field, kind in hints.items() if words.get(kind, kind) not in kinds]
    found = [f"{name}.{field} must be {' or '.join(words)}, not {hints[field]}" for field in strange]
    if name == "Params":
        without = [field for field in given._fields if field not in defaults]
        found += [f"Params.{field} needs a default" for field in without]
    elif not given._fields:
        found.append("State has no field")
    return found


def _arguments(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(getattr(function, "py_func", function)).parameters)


class PlainRules:
    """A plain rules file completed to :class:`nashzoo.envs.core.rules.Rules`.

    All other attributes are those of the file.

    Args:
        rules: The rules file, one without :func:`problems`.

    Raises:
        UsageError: the fields of a state need more bits than a code has.
    """

    def __init__(self, rules: Any) -> None:
        self.written = rules
        self.__name__: str = rules.__name__
        self.__doc__ = rules.__doc__
        self._params_class: Any = getattr(rules, "Params", None)
        self._bit_fields = tuple(getattr(rules, "BIT_FIELDS", ()))
        self._unseen_fields = tuple(getattr(rules, "UNSEEN_FIELDS", ()))
        self._write_parameters()
        self.ACTIONS = self.actions(self.parameters())
        self._place = Place(rules.__name__, getattr(rules, "__file__", None) or "<rules>", 1)
        bits = bits_of(self.field_maxima(self.parameters()))
        self.encode, self.decode = (plain(function) for function in packing_functions(rules.State, bits, self._place))
        self._names: dict[str, Any] = {"encode": self.encode, "decode": self.decode, "State": rules.State}
        self._names |= {"Params": self._params_class, "bit_length": plain(bit_length), "float64": np.float64}
        self._write_pieces()
        self.MASKED: bool = getattr(rules, "MASKED", hasattr(rules, "legal") or self._is_turn_based())
        self._write_observation()
        self._write_view(rules)

    def _write_view(self, rules: Any) -> None:
        """Sets the functions of a view that are in the file."""
        if hasattr(rules, "text"):
            self.text = lambda params, code: self._call("text", params, state=self.decode(int(code)))
        if hasattr(rules, "draw"):
            self.draw = lambda params, code, canvas: self._call(
                "draw", params, state=self.decode(int(code)), canvas=canvas
            )
        if hasattr(rules, "event"):
            self.event = self._event
        if hasattr(rules, "shown"):
            self.shown = lambda params, code, after: int(
                self.encode(self._call("shown", params, state=self.decode(int(code)), after=self.decode(int(after))))
            )
        if hasattr(rules, "introduction"):
            self.introduction = lambda params, player: self._call("introduction", params, player=player)

    def _event(self, params: Ints, code: int, action0: int, action1: int, after: int) -> Any:
        """Returns the result of the file's ``event``."""
        state = self.decode(int(code))
        given = {"state": state, "action0": action0, "action1": action1, "after": self.decode(int(after))}
        if "action" in _arguments(self.written.event):
            given["action"] = action1 if self._call("turn", params, state=state) == 1 else action0
        return self._call("event", params, **given)

    def __getattr__(self, name: str) -> Any:
        if name == "written":
            raise AttributeError(name)
        return getattr(self.written, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return PlainRules, (self.written,)

    def field_maxima(self, params: Ints) -> Any:
        """Returns the largest value of each field of a state, as a ``State``."""
        return self._call("field_maxima", params)

    def start(self, params: Ints) -> tuple[Ints, Floats]:
        """Returns the codes of the start states ``[S]`` and their probabilities ``[S]``."""
        found = self._call("start", params)
        pairs = [(found, 1.0)] if isinstance(found, self.written.State) else list(found)
        codes = np.array([self.encode(state) for state, _ in pairs], np.int64)
        return codes, np.array([probability for _, probability in pairs], np.float64)

    def features(self, params: Ints) -> tuple[str, ...]:
        """Returns the meaning of each number of an observation."""
        own, symmetric = [], hasattr(self.written, "swap_players")
        for field, most in self._seen_maxima(params).items():
            if field in self._bit_fields:
                own += [f"bit {bit} of {field}" for bit in range(bit_length(most))]
            else:
                own.append(f"{field} / {max(most, 1)}")
        return tuple(own if symmetric else [*own, "own seat"])

    def levels(self, params: Ints) -> tuple[int, ...]:
        """Returns the number of values of each number of an observation."""
        counts = []
        for field, most in self._seen_maxima(params).items():
            counts += [2] * bit_length(most) if field in self._bit_fields else [most + 1]
        return tuple(counts if hasattr(self.written, "swap_players") else [*counts, 2])

    def _seen_maxima(self, params: Ints) -> dict[str, int]:
        """Returns the largest values of the observed fields."""
        maxima = self.field_maxima(params)._asdict()
        return {field: int(most) for field, most in maxima.items() if field not in self._unseen_fields}

    def actions(self, params: Ints) -> tuple[str, ...]:
        """Returns the names of the actions."""
        return tuple(self._call("actions", params)) if hasattr(self.written, "actions") else tuple(self.written.ACTIONS)

    def stepped(self, params: Ints, code: int, action0: int, action1: int) -> Any:
        """Returns the state that the file's ``step`` returns, before it is packed into a code."""
        state = self.decode(code)
        given = {"state": state, "action0": action0, "action1": action1}
        if "action" in _arguments(self.written.step):
            given["action"] = action1 if self._call("turn", params, state=state) == 1 else action0
        return self._call("step", params, **given)

    def drawn(self, params: Ints, code: int) -> Any:
        """Returns the result of the file's ``chance``."""
        return self._call("chance", params, state=self.decode(code))

    def check(self, params: Ints, state: Any) -> None:
        """Raises a UsageError for an impossible state."""
        if hasattr(self.written, "check"):
            _refusing(lambda: self._call("check", params, state=state))

    def at_stake(self, params: Ints, state: Any) -> float:
        """Returns the points that a player can still lose."""
        return float(self._call("at_stake", params, state=state)) if hasattr(self.written, "at_stake") else 1.0

    def _call(self, name: str, params: Ints, **given: Any) -> Any:
        """Returns the result of a function of the file, called from Python."""
        function = getattr(self.written, name)
        given["params"] = params if self._params_class is None else self._params_class(*self._values(params))
        return function(*(given[word] for word in _arguments(function)))

    def _values(self, params: Ints) -> list[Any]:
        kinds = [type(value) for value in self._params_class._field_defaults.values()]
        return [
            float(params[k : k + 1].view(np.float64)[0]) if kind is float else kind(params[k])
            for k, kind in enumerate(kinds)
        ]

    def _write_parameters(self) -> None:
        """Sets ``parameters``, which takes the fields of ``Params`` by keyword."""
        defaults = {} if self._params_class is None else self._params_class._field_defaults

        def parameters(**options: Any) -> Ints:
            values = defaults | options
            for name, value in values.items():
                _check_parameter(name, value, type(defaults[name]))
            if hasattr(self.written, "check_params"):
                _refusing(lambda: self.written.check_params(self._params_class(**values)))
            numbers = [
                np.float64(value).view(np.int64) if type(default) is float else value
                for default, value in zip(defaults.values(), values.values(), strict=True)
            ]
            chosen = np.array(numbers, np.int64)
            return np.append(chosen, len(self.actions(chosen)))  # which compiled code needs

        keyword = inspect.Parameter.KEYWORD_ONLY
        vars(parameters)["__signature__"] = inspect.Signature(
            [inspect.Parameter(name, keyword, default=value) for name, value in defaults.items()]
        )
        self.parameters = parameters

    def _write_pieces(self) -> None:
        """Sets the compiled rules for the functions of the file."""
        returned = {
            "step": "encode({})",
            "turn": "int({})",
            "terminal": "bool({})",
            "payoff": "float({})",
            "swap_players": "encode({})",
            "strategic_state": "encode({})",
        }
        for piece, result in returned.items():
            if hasattr(self.written, piece):
                self._write(piece, [*self._mover(piece), f"return {result.format(self._called(piece))}"])
        if hasattr(self.written, "chance"):
            lines = [
                "count = 0",
                f"for after, probability in {self._called('chance')}:",
                "    if count < len(outcomes):",
                "        outcomes[count], probabilities[count] = encode(after), probability",
                "    count += 1",
                "return count",
            ]
            self._write("chance", lines)
        waits = [f"if {self._called('turn')} == 1 - player:", "    return 1"] if hasattr(self.written, "turn") else []
        if not hasattr(self.written, "legal"):
            self._write("legal", [*waits, "return (1 << params[-1]) - 1"])
        elif isinstance(self._legal_at_start(), int | np.integer):
            self._write("legal", [*waits, f"return {self._called('legal')}"])
        else:
            lines = [
                f"found, mask = {self._called('legal')}, 0",
                "for action in range(len(found)):",
                "    if found[action]:",
                "        mask |= 1 << action",
                "return mask",
            ]
            self._write("legal", [*waits, *lines])

    def _first_decision(self) -> tuple[Any, int]:
        """Returns the state of the first decision, and the turn there."""
        params = self.parameters()
        state = self.decode(int(self.start(params)[0][0]))
        for _ in range(MOST_CHANCES):
            turn = self._call("turn", params, state=state) if hasattr(self.written, "turn") else BOTH
            if turn not in (0, 1, BOTH, CHANCE):
                raise UsageError(f"turn of {self.NAME} must answer 0, 1, {BOTH} or {CHANCE}, not {turn!r}, at {state}")
            if turn != CHANCE or not hasattr(self.written, "chance"):
                break
            state = self._first_outcome(params, state)
        return state, turn

    def _first_outcome(self, params: Ints, state: Any) -> Any:
        """Returns the first outcome of a chance state."""
        outcomes = self._call("chance", params, state=state)
        try:
            (after, probability), *_ = outcomes
            float(probability), len(after)
        except (TypeError, ValueError):
            raise UsageError(
                f"chance of {self.NAME} must return a list of pairs, each of a state and its probability, "
                f"not {outcomes!r}, at {state}"
            ) from None
        return after

    def _is_turn_based(self) -> bool:
        return self._first_decision()[1] != BOTH

    def _legal_at_start(self) -> Any:
        """Returns the result of ``legal`` for the player who moves first, which shows its type."""
        state, turn = self._first_decision()
        found = self._call("legal", self.parameters(), state=state, player=turn % BOTH)
        if not isinstance(found, int | np.integer) and np.shape(found) != np.shape(self.ACTIONS):
            raise UsageError(
                f"legal of {self.NAME} must return a truth value for each of {len(self.ACTIONS)} actions, "
                f"or a bit mask, not {found!r}"
            )
        return found

    def _write_observation(self) -> None:
        """Sets ``observe`` and ``decode_observation``."""
        symmetric = hasattr(self.written, "swap_players")
        filled, read = [], []
        for field in self.written.State._fields:
            if field in self._unseen_fields:
                read.append(f"{field}_ = 0")
            elif field in self._bit_fields:
                filled += [
                    f"for k in range(bit_length(most.{field})):",
                    f"    out[at] = state.{field} >> k & 1",
                    "    at += 1",
                ]
                read += [
                    f"{field}_ = 0",
                    f"for k in range(bit_length(most.{field})):",
                    f"    {field}_ |= int(observation[at] > 0.5) << k",
                    "    at += 1",
                ]
            else:
                filled += [f"out[at] = state.{field} / max(most.{field}, 1)", "at += 1"]
                read += [f"{field}_ = int(round(observation[at] * most.{field}))", "at += 1"]
        most = ["at = 0", f"most = {self._called('field_maxima')}"]
        seen = "state = decode(swap_players(params, code) if player == 1 else code)"
        code = f"encode(State({', '.join(f'{field}_' for field in self.written.State._fields)}))"
        seat = "0" if symmetric else "int(observation[at] > 0.5)"
        self._write(
            "observe", [*([seen] if symmetric else []), *most, *filled, *([] if symmetric else ["out[at] = player"])]
        )
        self._write("decode_observation", [*most, *read, f"return {code}, {seat}"])

    def _mover(self, piece: str) -> list[str]:
        if "action" not in _arguments(getattr(self.written, piece)):
            return []
        return [f"action = action1 if {self._called('turn')} == 1 else action0"]

    def _called(self, name: str) -> str:
        """Returns the call of a function of the file in a compiled rule."""
        function = getattr(self.written, name)
        self._names[f"{name}_"] = plain(function)
        return f"{name}_({', '.join('chosen' if word == 'params' else word for word in _arguments(function))})"

    def _write(self, piece: str, lines: Sequence[str]) -> None:
        """Sets a compiled rule with these lines of text."""
        arguments = PIECES[piece]
        before = ["chosen = params" if self._params_class is None else f"chosen = Params({', '.join(self._fields())})"]
        # In calls from Python the file's functions get Python's numbers.
        before += [f"{name} = int({name})" for name in arguments if name in ("code", "player", "action0", "action1")]
        if "code" in arguments and not lines[0].startswith("state ="):
            before.append("state = decode(code)")
        # The name depends on the text, so that cached code is never that of another text.
        text = "\n    ".join([*before, *lines])
        name = f"{piece}_{zlib.crc32(text.encode()):08x}"
        function = function_of(f"def {name}({', '.join(arguments)}):\n    {text}\n", self._names, self._place)
        vars(function)["__name__"] = name
        compiled = plain_piece(piece, function)
        self._names[piece] = compiled
        setattr(self, piece, compiled)

    def _fields(self) -> list[str]:
        """Returns the expressions that read the parameters from the int64 numbers."""
        texts = {
            bool: "bool(params[{0}])",
            int: "int(params[{0}])",
            float: "float(params[{0}:{0} + 1].view(float64)[0])",
        }
        kinds = [type(value) for value in self._params_class._field_defaults.values()]
        return [texts[kind].format(k) for k, kind in enumerate(kinds)]


class _WithCompiledPieces:
    """A rules file about codes, with its plain functions compiled."""

    def __init__(self, rules: Any, pieces: Mapping[str, Any]) -> None:
        self.written = rules
        self.__name__: str = rules.__name__
        vars(self).update(pieces)

    def __getattr__(self, name: str) -> Any:
        if name == "written":
            raise AttributeError(name)
        return getattr(self.written, name)


def with_compiled_pieces(rules: Any) -> Any:
    """Returns a rules file about codes, with its plain functions compiled."""
    given = {piece: getattr(rules, piece, None) for piece in SIGNATURES}
    pieces = {
        piece: plain_piece(piece, function) for piece, function in given.items() if isinstance(function, FunctionType)
    }
    return _WithCompiledPieces(rules, pieces) if pieces and not config.DISABLE_JIT else rules


PIECES = {
    "step": ("params", "code", "action0", "action1"),
    "legal": ("params", "code", "player"),
    "observe": ("params", "code", "player", "out"),
    "decode_observation": ("params", "observation"),
    "chance": ("params", "code", "outcomes", "probabilities"),
} | dict.fromkeys(("turn", "terminal", "payoff", "swap_players", "strategic_state"), ("params", "code"))


def _check_parameter(name: str, value: Any, kind: type) -> None:
    if kind is bool or isinstance(value, bool):
        right, what = kind is bool and isinstance(value, bool), "True or False" if kind is bool else "a number"
    elif kind is int:
        right, what = isinstance(value, int | np.integer), "a whole number"
    else:
        right, what = isinstance(value, int | float) and bool(np.isfinite(value)), "a finite number"
    if not right:
        raise UsageError(f"{name} must be {what}, not {value!r}")


def _refusing(check: Callable[[], object]) -> None:
    """Calls a check of the file, and raises its error as a UsageError."""
    try:
        check()
    except ValueError as error:
        raise UsageError(str(error)) from error


def bit_length(number: int) -> int:
    """Returns the number of bits of a non-negative number."""
    bits = 0
    while number > 0:
        number >>= 1
        bits += 1
    return bits


def bits_of(maxima: Any) -> dict[str, int]:
    """Returns the number of bits of each field of a state in its code: what it needs, and a share of the rest.

    Args:
        maxima: The largest values of the fields, a ``State``, for the parameters' defaults.

    Raises:
        UsageError: they need more bits than a code has, or one is invalid.
    """
    for field, most in maxima._asdict().items():
        if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 0:
            raise UsageError(f"the largest value of {field} must be a whole number from 0 on, not {most!r}")
    needed = {field: max(1, bit_length(most)) for field, most in maxima._asdict().items()}
    left = MOST_BITS - sum(needed.values())
    if left < 0:
        raise UsageError(f"the fields of a state need {MOST_BITS - left} bits, and a code has {MOST_BITS}: {needed}")
    return {field: bits + left // len(needed) for field, bits in needed.items()}
