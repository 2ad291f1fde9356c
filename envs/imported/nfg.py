"""Two-player zero-sum games from Gambit's files of games in strategic form, ``.nfg``.

Source: "Game representation formats" in Gambit's documentation.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import UsageError

SAME = 1e-9  # tolerance of the sum of both players' payoffs
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}])|([^\s{}"]+)')
VERSION = ["NFG", "1", "R"]


def read_nfg(path: Path) -> dict[str, Any]:
    """Returns the arguments of :class:`nashzoo.envs.imported.matrix.MatrixRules` in a file.

    Payoffs may be given by strategies or by outcomes. Player 0 is the first player of the file.

    Raises:
        UsageError: it is no such file, or its game is not of two players and zero-sum.
        OSError: it cannot be read.
    """
    tokens = [(match[1], match[2] or match[3]) for match in TOKEN.finditer(path.read_text(encoding="utf-8"))]
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
    if isinstance(strategies[0], list):
        rows, columns = strategies
    else:
        rows, columns = ([str(k + 1) for k in range(int(count))] for count in strategies)
    if at < len(tokens) and tokens[at][0] is not None:
        at += 1  # a comment
    cells = len(rows) * len(columns)
    if at < len(tokens) and tokens[at][1] == "{":
        outcomes, at = _list(tokens, at)
        pairs = [(0.0, 0.0), *((_number(outcome[1]), _number(outcome[2])) for outcome in outcomes)]
        pairs = [pairs[int(str(word))] for _, word in tokens[at : at + cells]]
    else:
        numbers = [_number(word) for _, word in tokens[at : at + 2 * cells]]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    if len(pairs) != cells:
        raise ValueError(f"{cells} pairs of payoffs are wanted, and there are {len(pairs)}")
    payoffs = np.array(pairs).reshape(len(columns), len(rows), 2).transpose(1, 0, 2)  # the first player's vary fastest
    sums = payoffs.sum(axis=2)
    if np.abs(sums).max() > SAME:
        row, column = np.argwhere(np.abs(sums) > SAME)[0]
        raise UsageError(
            f"the game is not zero-sum: {rows[row]} against {columns[column]} pays {payoffs[row, column].tolist()}"
        )
    return {"payoffs": payoffs[:, :, 0], "rows": rows, "columns": columns}


def _list(tokens: list[tuple[str | None, str | None]], at: int) -> tuple[list[Any], int]:
    """Returns the list that begins at a token, and the index of the token after it."""
    if tokens[at][1] != "{":
        raise ValueError(f"a list in braces is wanted, not {tokens[at]}")
    items: list[Any] = []
    at += 1
    while tokens[at][1] != "}":
        if tokens[at][1] == "{":
            inner, at = _list(tokens, at)
            items.append(inner)
            continue
        quoted, word = tokens[at]
        items.append(quoted if quoted is not None else str(word).rstrip(","))
        at += 1
    return items, at + 1


def _number(word: object) -> float:
    """Returns a number, written as such or as a fraction."""
    above, _, below = str(word).rstrip(",").partition("/")
    return float(above) / float(below or 1)
