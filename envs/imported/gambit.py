"""The words of Gambit's files, ``.efg`` and ``.nfg``, and ``.gbt``, in which one of them lies.

Gambit's own parser is not used: it has the licence of its program, refuses a tenth of the files that come with it, as
labels must be unique for it, and does not tell the lines of nodes.

Source: "Game representation formats" in Gambit's documentation.
"""

import html
import re
from fractions import Fraction

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.exact_numbers import number_in

TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}])|([^\s{}",]+)|(")', re.DOTALL)
INSIDE = re.compile(r"<(efgfile|nfgfile)>(.*?)</\1>", re.DOTALL)


class Words:
    """The words of a file in order; commas only separate them.

    Args:
        text: The file.
    """

    def __init__(self, text: str) -> None:
        self._tokens = list(TOKEN.finditer(text))
        self._text, self._at, self._line, self._counted = text, 0, 1, 0

    def __bool__(self) -> bool:
        return self._at < len(self._tokens)

    @property
    def line(self) -> int:
        """The line of the next word, or the last one."""
        end = self._tokens[self._at].start() if self else len(self._text)
        self._line += self._text.count("\n", self._counted, end)
        self._counted = max(end, self._counted)
        return self._line

    def error(self, wanted: str) -> UsageError:
        """Returns the error that something else is wanted here."""
        found = repr(self._tokens[self._at][0]) if self else "the end of the file"
        return UsageError(f"line {self.line}: {wanted} is wanted, not {found}")

    def quoted(self) -> bool:
        """Returns whether the next word is a text in quotes."""
        return bool(self) and self._tokens[self._at][1] is not None

    @property
    def at_brace(self) -> bool:
        """Whether a list begins here."""
        return bool(self) and self._tokens[self._at][2] == "{"

    def brace(self, brace: str) -> bool:
        """Returns whether the next word is this brace, and passes over it if so."""
        found = bool(self) and self._tokens[self._at][2] == brace
        self._at += found
        return found

    def opened(self) -> None:
        """Passes over a brace that opens a list."""
        if not self.brace("{"):
            raise self.error("a list in braces")

    def text(self, what: str) -> str:
        """Returns a text in quotes."""
        if not self.quoted():
            raise self.error(f"{what} in quotes")
        self._at += 1
        return re.sub(r'\\(["\\])', r"\1", self._tokens[self._at - 1][1])

    def texts(self, what: str) -> list[str]:
        """Returns the texts of a list."""
        self.opened()
        found = []
        while not self.brace("}"):
            found.append(self.text(what))
        return found

    def word(self, what: str) -> str:
        """Returns a word without quotes."""
        if not self or self._tokens[self._at][3] is None:
            raise self.error(what)
        self._at += 1
        return self._tokens[self._at - 1][3]

    def whole(self, what: str) -> int:
        """Returns a whole number."""
        word = self.word(what)
        if not re.fullmatch(r"[+-]?\d{1,18}", word):
            self._at -= 1
            raise self.error(what)
        return int(word)

    def number(self, what: str) -> Fraction:
        """Returns a number."""
        word = self.word(what)
        try:
            number = number_in(word)
        except UsageError as error:
            raise UsageError(f"line {self.line}: {error}") from None
        if number is None:
            self._at -= 1
            raise self.error(what)
        return number

    def numbers(self, count: int) -> list[Fraction]:
        """Returns the payoffs up to the end of a list."""
        found = []
        while not self.brace("}"):
            found.append(self.number("a payoff"))
        if len(found) != count:
            raise UsageError(f"line {self.line}: {count} payoffs are wanted, one of each player, not {len(found)}")
        return found

    def header(self, kind: str, version: str) -> tuple[str, tuple[str, ...]]:
        """Returns the title and the players."""
        if [self.word(kind), self.word(version)] != [kind, version] or self.word("R") not in ("R", "D"):
            raise UsageError(f"it does not begin with {kind} {version} R")
        title = self.text("the title of the game")
        return title, tuple(self.texts("the name of a player"))


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
