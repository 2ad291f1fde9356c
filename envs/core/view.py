"""How states are shown to people, and how people write them: a game's view, apart from its rules.

The view of ``envs/games/footsies.py`` is the module ``envs/games/footsies_view.py`` beside it, and likewise for every
rules file. Its pieces may also stand in the rules file itself.
"""

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any

from nashzoo.envs.core.canvas import Canvas
from nashzoo.envs.core.rules import Ints, Rules, take_over

LINE = 6  # units from a line of text to the next, where a state is drawn as its text


class View:
    """The pieces of a view, all of them optional: what the view gives, and else what stands here.

    Args:
        rules: The rules file.

    Attributes:
        WORDS: By field, the words for its numbers 0, 1, 2, ..., where people have words for them. None.
        GROUPED_BY: The names of the fields by which states are counted where all of them are reported on. None.

    Raises:
        ModuleNotFoundError: the view imports what there is not.
    """

    WORDS: Mapping[str, tuple[str, ...]] = {}
    GROUPED_BY: tuple[str, ...] = ()

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        take_over(self, _module_beside(rules), rules)

    def text(self, params: Ints, code: int) -> str:
        """Returns the state as lines of text for people. A line for each field."""
        state = self._rules.decode(code)
        return "\n".join(f"{field} {self.field_text(field, value)}" for field, value in state._asdict().items())

    def draw(self, params: Ints, code: int, canvas: Canvas) -> None:
        """Draws the state. As its text."""
        lines = self.text(params, code).splitlines()
        size = min(LINE, 100 / (len(lines) + 1))
        for number, line in enumerate(lines):
            canvas.text(50, 50 + size * (number - (len(lines) - 1) / 2), line, size)

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
