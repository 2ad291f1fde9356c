"""The words of Gambit's files, ``.efg`` and ``.nfg``, and ``.gbt``, in which one of them lies.

Gambit's own parser is not used: it has the licence of its program, refuses a tenth of the files that come with it, as
labels must be unique for it, and does not tell the lines of nodes.

Source: "Game representation formats" in Gambit's documentation.
"""

import html
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.exact_numbers import number_in

TEXT, OPEN, CLOSE, WORD = 1, 2, 3, 4  # kinds of words, groups of the pattern
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|({)|(})|([^\s{}",]+)|"', re.DOTALL)
INSIDE = re.compile(r"<(efgfile|nfgfile)>(.*?)</\1>", re.DOTALL)


class Words:
    """The words of a file in order; commas only separate them. Errors are UsageErrors with the line."""

    def __init__(self, text: str) -> None:
        self._words = [(match.lastindex, match[match.lastindex or 0], match.start()) for match in TOKEN.finditer(text)]
        self._words.append((None, "", len(text)))
        self._text, self._at, self._line, self._counted = text, 0, 1, 0

    def __bool__(self) -> bool:
        return self._at < len(self._words) - 1

    @property
    def line(self) -> int:
        """The line of the next word."""
        start = self._words[self._at][2]
        self._line += self._text.count("\n", self._counted, start)
        self._counted = max(start, self._counted)
        return self._line

    def next(self, kind: int) -> bool:
        """Returns whether the next word is of a kind."""
        return self._words[self._at][0] == kind

    def take(self, kind: int, what: str = "a list in braces") -> str:
        """Returns the next word, which must be of a kind."""
        if not self.next(kind):
            raise self.error(what)
        self._at += 1
        return self._words[self._at - 1][1]

    def error(self, wanted: str) -> UsageError:
        """Returns the error that something else is wanted here."""
        found = repr(self._words[self._at][1]) if self else "the end of the file"
        return UsageError(f"line {self.line}: {wanted} is wanted, not {found}")

    def listed(self, take: Callable[[str], Any], what: str, count: int | None = None) -> list[Any]:
        """Returns what is taken from the next words up to the end of their list."""
        found = []
        while not self.next(CLOSE):
            found.append(take(what))
        self.take(CLOSE)
        if count not in (None, len(found)):
            raise UsageError(f"line {self.line}: {what} is wanted {count} times, not {len(found)}")
        return found

    def text(self, what: str) -> str:
        """Returns a text in quotes."""
        return re.sub(r'\\(["\\])', r"\1", self.take(TEXT, f"{what} in quotes"))

    def word(self, what: str) -> str:
        """Returns a word without quotes."""
        return self.take(WORD, what)

    def number(self, what: str) -> Fraction:
        """Returns a number."""
        line, word = self.line, self.word(what)
        try:
            number = number_in(word)
        except UsageError as error:
            raise UsageError(f"line {line}: {error}") from None
        if number is None:
            raise UsageError(f"line {line}: {what} is wanted, not {word!r}")
        return number

    def whole(self, what: str) -> int:
        """Returns a whole number."""
        line, number = self.line, self.number(what)
        if number.denominator != 1:
            raise UsageError(f"line {line}: {what} is wanted, not {number}")
        return int(number)

    def header(self, *kind: str) -> tuple[str, tuple[str, ...]]:
        """Returns the title and the players of a file of this kind and version."""
        if any(self.word(one) != one for one in kind) or self.word("R") not in ("R", "D"):
            raise UsageError(f"it does not begin with {' '.join(kind)} R")
        title = self.text("the title of the game")
        self.take(OPEN)
        return title, tuple(self.listed(self.text, "the name of a player"))


def quoted(text: str) -> str:
    r"""Returns a text as a word of a file.

    >>> print(quoted('the "ace"'))
    "the \"ace\""
    """
    return '"' + re.sub(r'(["\\])', r"\\\1", " ".join(text.split())) + '"'


def inside(text: str) -> tuple[str, str]:
    """Returns the kind of the game in a ``.gbt`` file, ``".efg"`` or ``".nfg"``, and its text, with the same lines.

    Raises:
        UsageError: there is none.
    """
    match = INSIDE.search(text)
    if match is None:
        raise UsageError("it has no game in it: neither <efgfile> nor <nfgfile>")
    game = match[2]
    game = game if '"' in game else html.unescape(game)  # Gambit itself writes it as it is
    return f".{match[1][:3]}", "\n" * text.count("\n", 0, match.start(2)) + game
