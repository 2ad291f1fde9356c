"""Checks of a rules file: which pieces it lacks, and which are of another kind than the table says."""

import re
from types import ModuleType
from typing import Any

from nashzoo.envs.rules.parameters import arguments_of
from nashzoo.envs.rules.pieces import INDEX, PIECES, REQUIRED, VIEW_PIECES, Piece
from nashzoo.envs.rules.results import BITS_OF_A_NUMBER, names_fault


def problems(written: object) -> list[str]:
    """Returns all errors of a rules file, in sentences."""
    errors = []
    for name, piece in PIECES.items():
        either = name == "ACTIONS" and hasattr(written, "actions")
        if piece.default == REQUIRED and not hasattr(written, name) and not either:
            errors.append(f"{name} is missing: {described(piece)}")
    for name, piece in (PIECES | VIEW_PIECES).items():
        function = getattr(written, name, None)
        if function is None or not piece.takes or (piece.or_text and isinstance(function, str)):
            continue
        if not callable(function):
            errors.append(f"{name} is {function!r}, not a function")
        elif unknown := [word for word in arguments_of(function) if word not in piece.takes]:
            errors.append(f"{name} takes {', '.join(unknown)}; it can take {', '.join(piece.takes)}")
        elif "action" in arguments_of(function) and not hasattr(written, "turn"):
            errors.append(f"{name} takes action, but there is no turn, which says whose: take action0 and action1")
    if fault := names_fault(getattr(written, "ACTIONS", ("",))):
        errors.append(f"ACTIONS must be {fault}")
    name = getattr(written, "NAME", "x")
    is_file = isinstance(written, ModuleType)  # others make games of many names
    if not isinstance(name, str) or (is_file and not re.fullmatch(r"\w+", name)):
        errors.append(f"NAME is {name!r}; it can have letters, digits and underscores, such as 'nim_v0'")
    errors += _tuple_errors(written, "State") + _tuple_errors(written, "Params")
    return [*errors, *(error for errors_of in _GROUPS for error in errors_of(written))]


def described(piece: Piece) -> str:
    """Returns what a piece is, in words."""
    if not piece.takes:
        return piece.says
    verb = "says" if piece.says.startswith("whether") else "returns"
    return f"a function ({', '.join(piece.takes)}) that {verb} {piece.says}"


def name_of(written: object) -> str:
    """Returns the name of a rules file for messages."""
    return str(getattr(written, "NAME", getattr(written, "__name__", repr(written))))


def _index_errors(written: object) -> list[str]:
    present = [name for name in INDEX if hasattr(written, name)]
    if not present:
        return []
    errors = []
    if missing := [name for name in INDEX if name not in present]:
        errors.append(f"there is {', '.join(present)}, but {', '.join(missing)} is missing")
    if not hasattr(written, "swap_players"):
        errors.append("states are numbered, but the game is not symmetric: swap_players is missing")
    if hasattr(written, "chance"):
        errors.append("states are numbered, and there is chance: only states of games without chance are numbered")
    return errors


def _observation_errors(written: object) -> list[str]:
    by_hand = [name for name in ("observe", "decode_observation", "features") if hasattr(written, name)]
    if by_hand and len(by_hand) < 3:
        return [
            f"there is {' and '.join(by_hand)}; an observation by hand has observe, decode_observation and features"
        ]
    return []


def _seen_errors(written: object) -> list[str]:
    fields, hidden = getattr(getattr(written, "State", None), "_fields", ()), getattr(written, "SEEN_BY", {})
    if not isinstance(hidden, dict):
        return [f"SEEN_BY must name the players who see a field, such as {{'card0': (0,)}}, not {hidden!r}"]
    if hidden and hasattr(written, "information_state"):
        return ["SEEN_BY and information_state both say what players see; leave one out"]
    errors = [f"SEEN_BY has {field}, which is no field of State" for field in hidden if field not in fields]
    wrong = [field for field, players in hidden.items() if not isinstance(players, tuple) or set(players) - {0, 1}]
    return errors + [f"SEEN_BY[{field!r}] must be (), (0,), (1,) or (0, 1), not {hidden[field]!r}" for field in wrong]


def _words_errors(written: object) -> list[str]:
    fields, names = getattr(getattr(written, "State", None), "_fields", ()), getattr(written, "FIELDS", {})
    players = getattr(written, "PLAYERS", ("player 0", "player 1"))
    errors = []
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        errors.append(f"FIELDS must be names of fields, such as {{'public': 'the public card'}}, not {names!r}")
    else:
        errors += [f"FIELDS has {field}, which is no field of State" for field in names if field not in fields]
    texts = isinstance(players, tuple | list) and all(isinstance(name, str) and name.strip() for name in players)
    if not texts or len(players) != 2 or players[0] == players[1]:
        errors.append(f"PLAYERS must be two different names, such as ('crosses', 'noughts'), not {players!r}")
    return errors


def _clock_errors(written: object) -> list[str]:
    clock, fields = getattr(written, "CLOCK", None), getattr(getattr(written, "State", None), "_fields", ("",))
    highest = [*getattr(written, "BITS", fields)][-1]
    if clock in (None, highest):
        return []
    return [f"CLOCK is {clock!r}; it must be the last field of State, or of BITS if there are: {highest!r}"]


def _discount_errors(written: object) -> list[str]:
    discount = getattr(written, "DISCOUNT", 1)
    way = "let chance end play after each move, with a probability of 1 less it: the value is the same"
    return [f"DISCOUNT is {discount!r}; rules have none: {way}"] * (discount != 1)


_GROUPS = _discount_errors, _index_errors, _observation_errors, _seen_errors, _words_errors, _clock_errors


def _tuple_errors(written: object, name: str) -> list[str]:
    """Returns the errors of a named tuple of a rules file; fields of a State are whole numbers."""
    of: Any = getattr(written, name, None)
    if of is None:
        return []
    if not callable(of) or not hasattr(of, "_field_defaults"):
        return [f"{name} is {of!r}, not a class derived from typing.NamedTuple"]
    defaults: dict[str, Any] = of._field_defaults
    if name == "Params":
        return [f"Params.{field} needs a default" for field in of._fields if field not in defaults]
    hints = {field: of.__annotations__.get(field, int) for field in of._fields}
    unfit = [field for field, kind in hints.items() if kind not in (int, "int")]
    errors = [f"State.{field} must be int, not {hints[field]}: {BITS_OF_A_NUMBER}" for field in unfit]
    return errors if of._fields else ["State has no field"]
