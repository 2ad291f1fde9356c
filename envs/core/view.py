"""How states are shown to people, and how people write them: a game's view, apart from its rules.

The view of ``envs/games/footsies.py`` is the module ``envs/games/footsies_view.py`` beside it, and likewise for every
rules file. Its pieces may also stand in the rules file itself.
"""

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any

from nashzoo.envs.core.canvas import Canvas, fitting
from nashzoo.envs.core.rules import BOTH, Ints, OptionalRules, Rules, take_over

WIDTH = 96  # units, of a line of text at most
LINE = 6  # units from a line of text to the next, where a state is drawn as its text


class View:
    """The pieces of a view, all of them optional: what the view gives, and else what stands here.

    Args:
        rules: The rules file.

    Attributes:
        WORDS: By field, the words for its numbers 0, 1, 2, ..., where people have words for them. None.
        GROUPED_BY: The names of the fields by which states are counted where all of them are reported on. None.
        PLAYERS: What :meth:`event` calls the players, such as ``("crosses", "noughts")``.
        SHORT: Parameters of a game that a person plays, where they are not given otherwise, so that it does not take
            hours. None.

    Raises:
        ModuleNotFoundError: the view imports what there is not.
    """

    WORDS: Mapping[str, tuple[str, ...]] = {}
    GROUPED_BY: tuple[str, ...] = ()
    PLAYERS: tuple[str, str] = ("player 0", "player 1")
    SHORT: Mapping[str, Any] = {}

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._optional = OptionalRules(rules)
        take_over(self, _module_beside(rules), rules)

    def text(self, params: Ints, code: int) -> str:
        """Returns the state as lines of text for people. A line for each field."""
        state = self._rules.decode(code)
        return "\n".join(f"{field} {self.field_text(field, value)}" for field, value in state._asdict().items())

    def event(self, params: Ints, code: int, action0: int, action1: int, after: int) -> str:
        """Returns what happened in a step, and why, in one line of the past tense. What was played, by name.

        Players are called by ``PLAYERS``, in words that stay right where one of them is called "you".

        Args:
            params: The game's parameters.
            code: The state in which the players chose.
            action0: What player 0 played; whatever stands there is ignored where it was not to move.
            action1: What player 1 played.
            after: The state that this led to, before chance decides anything.
        """
        names, turn = self._optional.actions(params), self._optional.turn(params, code)
        played = ((0, action0), (1, action1)) if turn == BOTH else ((turn, (action0, action1)[turn]),)
        return ", ".join(f"{self.PLAYERS[player]} played {names[action]}" for player, action in played)

    def shown(self, params: Ints, code: int, after: int) -> int:
        """Returns the code of the state that shows what a step led to, where rules put everything back at its end.

        ``after`` itself.

        Args:
            params: The game's parameters.
            code: The state in which the players chose.
            after: The state that this led to.
        """
        return after

    def introduction(self, params: Ints, player: int) -> str:
        """Returns what a person who is to play needs to know: who they are, and what wins. Which player they are."""
        called = "" if self.PLAYERS[player] == f"player {player}" else f", {self.PLAYERS[player]}"
        return f"You are player {player}{called}."

    def legend(self, params: Ints, player: int) -> str:
        """Returns what the symbols of :meth:`text` mean to a person who plays. Nothing."""
        return ""

    def draw(self, params: Ints, code: int, canvas: Canvas) -> None:
        """Draws the state. As its text."""
        lines = self.text(params, code).splitlines()
        high = min(LINE, 100 / (len(lines) + 1))
        size = min((fitting(line, high, WIDTH) for line in lines), default=high)
        for number, line in enumerate(lines):
            canvas.text(50, 50 + high * (number - (len(lines) - 1) / 2), line, size)

    def targets(self, params: Ints, code: int) -> Mapping[int, tuple[float, float, float, float]]:
        """Returns which parts of the drawing stand for which legal action, where some do, to be clicked. None.

        Left, top, width and height of a rectangle by action, in units of the canvas.
        """
        return {}

    def spelled(self, params: Ints, field: str, text: str) -> Mapping[str, int]:
        """Returns the fields that ``field=text`` means, where people spell several fields as one.

        Empty where it means nothing; a UsageError for text that is wrong. It never means anything.
        """
        return {}

    def spell(self, state: Any) -> str:
        """Returns a state in one line, as it is named in messages. Its fields, with words where there are some."""
        if not self.WORDS:
            return str(state)
        return ",".join(f"{field}={self.field_text(field, value)}" for field, value in state._asdict().items())

    def field_text(self, field: str, value: int) -> str:
        """Returns how people write the value of a field."""
        return self.WORDS[field][value] if field in self.WORDS else str(value)


def _module_beside(rules: Rules) -> object:
    """Returns the view's module, or None where there is none."""
    name = f"{getattr(rules, '__name__', '')}_view"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None
