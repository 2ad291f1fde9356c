"""A game's view: texts and drawings of its states for people, separate from the rules.

The view of ``envs/games/footsies/rules.py`` is the module ``envs/games/footsies/view.py``, and likewise for every
rules file. Its functions may also be in the rules file itself.
"""

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import SUFFIX, is_path, module_at, place_of
from nashzoo.envs.base.words import with_suits
from nashzoo.envs.drawing.canvas import Canvas, fitting
from nashzoo.envs.drawing.palette import MUTED, check_theme
from nashzoo.envs.drawing.shapes import framed
from nashzoo.envs.jit.compiled import Ints
from nashzoo.envs.rules.build import BuiltRules
from nashzoo.envs.rules.pieces import BOTH, VIEW_PIECES, Piece

WIDTH = 86  # units, largest width of a line of text
LINE = 10  # units from a line of text to the next, in a state drawn as its text
UNKNOWN = "?"  # the value of a field that a player does not see


class View:
    """The functions and values of a view, all optional; this class has the defaults.

    Attributes:
        WORDS: By field, the words for its values 0, 1, 2, ... Default: none. The method ``words`` returns them.
        FIELDS: By field, its name for people, or empty. Default: none. The method ``field_name`` returns it.
        GROUPED_BY: The names of the fields by which a report on all states counts them. Default: none.
        LABELS: The names of the actions for people, where those of the rules are keys. Default: none.
        PLAYERS: The names of the players in :meth:`event`, such as ``("crosses", "noughts")``.
        CHARACTERS: By their titles, orders in which opponents prefer actions by the beginnings of their names.
        SHORT: The parameters that a person plays with unless others are chosen, so that a match does not take hours.
            Default: none.

    Raises:
        ModuleNotFoundError: the view imports a module that does not exist.
    """

    WORDS: Mapping[str, tuple[str, ...]] = {}
    FIELDS: Mapping[str, str] = {}
    GROUPED_BY: tuple[str, ...] = ()
    LABELS: tuple[str, ...] = ()
    PLAYERS: tuple[str, str] = ("player 0", "player 1")
    SHORT: Mapping[str, Any] = {}
    CHARACTERS: Mapping[str, Sequence[str]] = {}

    def __init__(self, rules: BuiltRules) -> None:
        self._rules = rules
        seen_by = getattr(rules, "SEEN_BY", {})
        self._hidden_from = {field: {0, 1} - set(players) for field, players in seen_by.items()}
        for file in (_module_beside(rules), rules.written):
            for name, piece in VIEW_PIECES.items():
                if hasattr(file, name):
                    value = getattr(file, name)
                    setattr(self, name, self._adapted(piece, value) if piece.takes else value)

    def _adapted(self, piece: Piece, function: Callable[..., Any] | str) -> Callable[..., Any]:
        """Returns a function of parameters and codes, as the methods of this class are, that calls one of the file."""
        rules = self._rules
        if isinstance(function, str):
            return lambda params: function

        def adapted(params: Ints, *values: Any, seats: Sequence[int] = ()) -> Any:
            arguments = dict(zip(piece.called, values, strict=True))
            if "after" in arguments:
                arguments["after"] = rules.decode(int(arguments["after"]))
            result = rules.call(function, params, **arguments)
            return int(rules.encode(result)) if isinstance(result, rules.State) else result

        return adapted

    def words(self, params: Ints) -> Mapping[str, Sequence[str]]:
        """Returns, by field, the words for its values 0, 1, 2, ... Default: ``WORDS``."""
        return self.WORDS

    def kinds(self, params: Ints) -> Mapping[str, Sequence[str]]:
        """Returns, by field, the words for its values where unequal ones count as one. Default: none."""
        return {}

    def action_label(self, params: Ints, code: int, action: int) -> str:
        """Returns the name of an action in a state, for people. Default: that of ``LABELS``, or of the rules."""
        return self.LABELS[action] if self.LABELS else self._rules.actions(params)[action]

    def why_not(self, params: Ints, code: int, action: int) -> str:
        """Returns why an action is not legal in a state, for people. Default: empty."""
        return ""

    def text(self, params: Ints, code: int, *, seats: Sequence[int] = (0, 1)) -> str:
        """Returns the state as lines of text for people. Default: a line for each field, see :meth:`field_text`."""
        return "\n".join(f"{field} {text}" for field, text in self._field_texts(params, code, seats).items())

    def event(self, params: Ints, code: int, action0: int, action1: int, after: int) -> str:
        """Describes a step and the reason of its result in one line, in the past tense. Default: the actions, by name.

        Players have their names in ``PLAYERS``; the line must stay right if one of them is replaced by "you".

        Args:
            params: The game's parameters.
            code: The state in which the players chose.
            action0: Player 0's action; ignored if it was not to move.
            action1: Player 1's action; ignored likewise.
            after: The next state, before chance events.
        """
        names, turn = self._rules.actions(params), self._rules.turn(params, code)
        played = ((0, action0), (1, action1)) if turn == BOTH else ((turn, (action0, action1)[turn]),)
        return ", ".join(f"{self.PLAYERS[player]} played {names[action]}" for player, action in played)

    def shown(self, params: Ints, code: int, after: int) -> int:
        """Returns the code of the state that shows the result of a step. Default: ``after``.

        Needed if the rules reset the board at the end of a step, such as after a goal in soccer: there the state
        before the step shows the result.

        Args:
            params: The game's parameters.
            code: The state in which the players chose.
            after: The next state.
        """
        return after

    def introduction(self, params: Ints, player: int) -> str:
        """Returns an introduction for a person: their player, and how to win. Default: the player."""
        called = "" if self.PLAYERS[player] == f"player {player}" else f", {self.PLAYERS[player]}"
        return f"You are player {player}{called}."

    def rules_text(self, params: Ints) -> str:
        """Returns the rules in words, with names and all words of the story in braces. Default: empty."""
        return ""

    def in_short(self, params: Ints) -> Sequence[str]:
        """Returns the rules as a short picture: lines with names of actions in brackets. Default: none."""
        return ()

    def legend(self, params: Ints, player: int) -> str:
        """Returns the meaning of the symbols of :meth:`text` for a person who plays. Default: empty."""
        return ""

    def draw(self, params: Ints, code: int, canvas: Canvas) -> None:
        """Draws the state. Default: its text, or its fields, on a card; what follows a colon stands on the right."""
        fields = [f"{field}: {text}" for field, text in self._field_texts(params, code, (0, 1)).items()]
        lines = self.text(params, code).splitlines() if "text" in vars(self) else fields
        high = min(LINE, 92 / (len(lines) + 1))
        top = 50 - high * len(lines) / 2
        framed(canvas, 2, top - high / 2, 96, high * (len(lines) + 1))
        size = min((fitting(line, 0.55 * high, WIDTH) for line in lines), default=high)
        for number, line in enumerate(lines):
            y = top + high * (number + 0.5)
            name, colon, value = line.partition(": ")
            if colon and not name.endswith(" "):  # no score such as 3 : 1
                canvas.text(6, y, name, size, MUTED, "start")
                canvas.text(94, y, value, size, align="end")
            else:
                canvas.text(50, y, line, size)

    def rows(self, params: Ints) -> tuple[float, float]:
        """Returns the first and the last row of the canvas that drawings need, units. Default: all."""
        return 0, 100

    def draw_action(self, params: Ints, player: int, action: int, canvas: Canvas) -> None:
        """Draws an action of a player, for its button. Default: nothing; the button has its name alone."""

    def targets(self, params: Ints, code: int) -> Mapping[int, tuple[float, float, float, float]]:
        """Returns the parts of the drawing that can be clicked, by legal action. Default: none.

        Each is left, top, width and height of a rectangle, in units of the canvas.
        """
        return {}

    def spelled(self, params: Ints, field: str, text: str) -> Mapping[str, int]:
        """Returns the fields that ``field=text`` stands for, if one text stands for several fields.

        Empty if the view does not define the field; a UsageError for invalid text. Default: always empty.
        """
        return {}

    def spell(self, params: Ints, code: int, *, seats: Sequence[int] = (0, 1)) -> str:
        """Returns a state as one line for messages. Default: its fields, see :meth:`field_text`."""
        return ",".join(f"{field}={text}" for field, text in self._field_texts(params, code, seats).items())

    def changes(self, params: Ints, before: int, after: int, seats: Sequence[int] = (0, 1)) -> str:
        """Returns the fields of the state ``after`` that differ from those of ``before``, as one line of text.

        Fields that only chance needs are left out.
        """
        old, unseen = self._rules.decode(before)._asdict(), getattr(self._rules.written, "UNSEEN_FIELDS", ())
        fields, new = self._field_texts(params, after, seats), self._rules.decode(after)._asdict()
        changed = [field for field in fields if new[field] != old[field] and field not in unseen]
        return ", ".join(f"{field}={fields[field]}" for field in changed) or "no change"

    def field_name(self, field: str) -> str:
        """Returns the name of a field for people. Default: ``blocks0`` is ``player 0's blocks``, ``goal_row`` goal row.

        It is empty for a field that people are not told of.
        """
        name, seat, fields = field[:-1], field[-1:], self._rules.State._fields
        of_a_player = seat in ("0", "1") and {f"{name}0", f"{name}1"} <= {*fields} and f"{name}2" not in fields
        default = f"{self.PLAYERS[int(seat)]}'s {name}" if of_a_player else field
        return self.FIELDS.get(field, default.replace("_", " ").strip())

    def told(self, params: Ints, before: int, after: int, seats: Sequence[int] = (0, 1)) -> str:
        """Returns what differs between two states for people, such as ``the public card is Q♥``; or the new state."""
        return self.told_fields(params, after, self.differing(before, [after]), seats)

    def differing(self, code: int, others: Sequence[int]) -> list[str]:
        """Returns the fields that differ between a state and one of others."""
        here, states = self._rules.decode(code), [self._rules.decode(other) for other in others]
        return [name for name, value in here._asdict().items() if any(getattr(one, name) != value for one in states)]

    def told_fields(
        self, params: Ints, code: int, fields: Sequence[str], seats: Sequence[int], by_kind: bool = False
    ) -> str:
        """Returns the values of fields, or their ``kinds``, in words for people; the state if nothing is told of them.

        Fields that only chance needs are left out, and those whose numbers say nothing: sets of bits.
        """
        written, texts = self._rules.written, self._field_texts(params, code, seats)
        silent = {*getattr(written, "UNSEEN_FIELDS", ()), *getattr(written, "BIT_FIELDS", ())}
        if by_kind:
            state = self._rules.decode(code)._asdict()
            texts |= {field: words[state[field]] for field, words in self.kinds(params).items()}
        names = {field: self.field_name(field) for field in fields if field not in silent}
        told = ", ".join(f"{name} is {with_suits(texts[field])}" for field, name in names.items() if name)
        return told or with_suits(self.text(params, code, seats=seats)).replace("\n", " / ")

    def _field_texts(self, params: Ints, code: int, seats: Sequence[int]) -> dict[str, str]:
        state = self._rules.decode(code)
        return {field: self.field_text(params, field, value, seats) for field, value in state._asdict().items()}

    def svg(self, params: Ints, code: int, theme: str) -> str:
        """Returns the drawing of a state as an SVG document, with its text as description.

        Raises:
            UsageError: there is no such theme.
        """
        from nashzoo.envs.drawing.svg import SVGCanvas  # which loads much of the standard library

        canvas = SVGCanvas(check_theme(theme))
        self.draw(params, code, canvas)
        return canvas.svg(self._rules.NAME, self.text(params, code))

    def numbers_of(self, params: Ints, fields: Mapping[str, int | str]) -> dict[str, Any]:
        """Returns the fields of a state as numbers; texts of the view are replaced by what they mean.

        Raises:
            UsageError: a text is not one of the view, or a field occurs twice.
        """
        numbers: dict[str, Any] = {}
        for field, value in fields.items():
            meant: Mapping[str, Any] = self._meant(params, field, value) if isinstance(value, str) else {}
            for name, number in (meant or {field: value}).items():
                if name in numbers:
                    raise UsageError(f"{name} is given twice, by itself and by {field}")
                numbers[name] = number
        return numbers

    def _meant(self, params: Ints, field: str, text: str) -> Mapping[str, int]:
        if text == UNKNOWN and self._hidden_from.get(field):
            return {field: 0}
        if field not in self.words(params):
            return self.spelled(params, field, text)
        words = self.words(params)[field]
        lower = [word.lower() for word in words]
        if text.lower() not in lower:
            raise UsageError(f"{field} must be {', '.join(words[:-1])} or {words[-1]}, not {text!r}")
        return {field: lower.index(text.lower())}

    def field_text(self, params: Ints, field: str, value: int, seats: Sequence[int] = (0, 1)) -> str:
        """Returns the value of a field as a word or number.

        It is ``UNKNOWN`` for 0 in a field that one of the players in ``seats`` does not see; with no seats, the state
        is a whole one, and 0 is 0.
        """
        if value == 0 and self._hidden_from.get(field, set()) & set(seats):
            return UNKNOWN
        words = self.words(params)
        return words[field][value] if field in words else str(value)


def _module_beside(rules: BuiltRules) -> object:
    """Returns the view's module, or None: that in the package of a module, or in the folder of a file."""
    if not isinstance(rules.written, ModuleType):
        return None
    place = place_of(rules.written)
    package, dot, module = ("", "", Path(place).stem) if is_path(place) else place.rpartition(".")
    name = "view" if module == "rules" else f"{module}_view"
    if is_path(place):
        beside = Path(place).with_name(name + SUFFIX)
        return module_at(str(beside)) if beside.is_file() else None
    return importlib.import_module(package + dot + name) if importlib.util.find_spec(package + dot + name) else None
