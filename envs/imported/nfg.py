"""Two-player zero-sum games from Gambit's files of games in strategic form, ``.nfg``.

Source: "Game representation formats" in Gambit's documentation.
"""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import text_in
from nashzoo.envs.core.game import MOST_ACTIONS
from nashzoo.envs.imported.exact_numbers import in_doubles, number_in

TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}])|([^\s{}"]+)')
DEEPEST = 2  # lists in one another
VERSION = ["NFG", "1", "R"]


def read_nfg(path: Path) -> dict[str, Any]:
    """Returns the arguments of :class:`nashzoo.envs.imported.matrix.MatrixRules` in a file.

    Payoffs may be given by strategies or by outcomes. Player 0 is the first player of the file.

    Raises:
        UsageError: it is no such file, or its game is not of two players and zero-sum.
        OSError: it cannot be read.
    """
    tokens = [(match[1], match[2] or match[3]) for match in TOKEN.finditer(text_in(path))]
    try:
        return _game(tokens)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    except (IndexError, StopIteration, ValueError) as error:
        raise UsageError(f"{path} is no file of a game in strategic form: {error or 'it ends too soon'}") from None


def _game(tokens: list[tuple[str | None, str | None]]) -> dict[str, Any]:
    words = [word for _, word in tokens[:3]]
    if words[:1] != VERSION[:1] or words[1:2] != VERSION[1:2]:
        raise ValueError("it does not begin with NFG 1 R")
    lists: list[list[Any]] = []
    at = 4  # after the title
    while len(lists) < 2:
        items, at = _list(tokens, at)
        lists.append(items)
    players, strategies = lists
    if len(players) != 2:
        raise UsageError(f"two players are wanted, and the game has {len(players)}")
    if not any(isinstance(one, list) for one in strategies):  # their numbers
        strategies = [[str(k + 1) for k in range(min(int(count), MOST_ACTIONS + 1))] for count in strategies]
    rows, columns = strategies
    if at < len(tokens) and tokens[at][0] is not None:
        at += 1  # a comment
    cells = len(rows) * len(columns)
    if at < len(tokens) and tokens[at][1] == "{":
        outcomes, at = _list(tokens, at)
        known = [(Fraction(0), Fraction(0)), *((_number(outcome[1]), _number(outcome[2])) for outcome in outcomes)]
        chosen = [int(str(word)) for _, word in tokens[at:]]
        if wrong := [number for number in chosen if not 0 <= number < len(known)]:
            raise UsageError(f"there is no outcome {wrong[0]}; they are 1 to {len(outcomes)}, and 0 pays nothing")
        pairs = [known[number] for number in chosen]
    else:
        numbers = [_number(word) for _, word in tokens[at:]]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    if len(pairs) != cells:
        raise ValueError(f"{cells} pairs of payoffs are wanted, and there are {len(pairs)}")
    for number, (own, other) in enumerate(pairs):
        if own + other != 0:
            column, row = divmod(number, len(rows))
            raise UsageError(
                f"the game is not zero-sum: {rows[row]} against {columns[column]} pays {[float(own), float(other)]}"
            )
    payoffs = np.array([in_doubles(own) for own, _ in pairs])
    return {"payoffs": payoffs.reshape(len(columns), len(rows)).T, "rows": rows, "columns": columns}


def _list(tokens: list[tuple[str | None, str | None]], at: int, depth: int = 1) -> tuple[list[Any], int]:
    """Returns the list that begins at a token, and the index of the token after it."""
    if depth > DEEPEST:
        raise ValueError("its braces are nested too deeply")
    if tokens[at][1] != "{":
        raise ValueError(f"a list in braces is wanted, not {tokens[at]}")
    items: list[Any] = []
    at += 1
    while tokens[at][1] != "}":
        if tokens[at][1] == "{":
            inner, at = _list(tokens, at, depth + 1)
            items.append(inner)
            continue
        quoted, word = tokens[at]
        items.append(quoted if quoted is not None else str(word).rstrip(","))
        at += 1
    return items, at + 1


def _number(word: object) -> Fraction:
    number = number_in(str(word).rstrip(","))
    if number is None:
        raise ValueError(f"{word} is no number")
    return number
