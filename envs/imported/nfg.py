"""Gambit's files of games in strategic form, ``.nfg``, read and written.

Source: "Game representation formats" in Gambit's documentation.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.exact_numbers import in_doubles, simple_fraction
from nashzoo.envs.imported.gambit import OPEN, TEXT, Words, quoted
from nashzoo.envs.imported.trees import GENERAL_SUM, check_players, distinct
from nashzoo.envs.jit.compiled import Floats


def read_nfg(text: str) -> dict[str, Any]:
    """Returns the arguments of :class:`nashzoo.envs.imported.matrix.MatrixRules` in a file.

    Payoffs may be given by strategies or by outcomes. Player 0 is the first player of the file.

    Raises:
        UsageError: it is no such file, or its game is not of two players, or its sum is not constant.
    """
    words = Words(text)
    _, players = words.header("NFG", "1")
    check_players(players)
    words.take(OPEN)
    if words.next(OPEN):
        strategies = words.listed(
            lambda what: words.take(OPEN) and words.listed(words.text, what), "the name of a strategy", 2
        )
        counts = list(map(len, strategies))
    else:
        counts, strategies = words.listed(words.whole, "the number of a player's strategies", 2), []
    if min(counts) < 1:
        raise UsageError(f"line {words.line}: each player needs a strategy")
    if words.next(TEXT):
        words.take(TEXT)
    pairs = _pairs(words)
    if len(pairs) != counts[0] * counts[1]:
        raise UsageError(f"{counts[0] * counts[1]} pairs of payoffs are wanted, and there are {len(pairs)}")
    rows, columns = map(distinct, strategies or [[str(k + 1) for k in range(count)] for count in counts])
    for number, pair in enumerate(pairs):
        if sum(pair) != sum(pairs[0]):
            column, row = divmod(number, len(rows))
            paid, first = (" and ".join(f"{float(one):g}" for one in both) for both in (pair, pairs[0]))
            raise UsageError(
                f"the sum of payoffs is not constant: {rows[row]} against {columns[column]} pays {paid}, and {rows[0]} "
                f"against {columns[0]} {first}; {GENERAL_SUM}"
            )
    total = sum(pairs[0], Fraction(0))
    payoffs = np.array([in_doubles(own - total / 2) for own, _ in pairs]).reshape(len(columns), len(rows)).T
    return {"payoffs": payoffs, "rows": rows, "columns": columns, "total": in_doubles(total)}


def _pairs(words: Words) -> list[tuple[Fraction, Fraction]]:
    """Returns both players' payoffs, those of player 0's strategies one after the other."""
    if not words.next(OPEN):
        numbers = []
        while words:
            numbers.append(words.number("a payoff"))
        if len(numbers) % 2:
            raise UsageError(f"line {words.line}: a payoff is missing: there is one for each player")
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def outcome(what: str) -> tuple[Fraction, ...]:
        words.take(OPEN)
        words.text(what)
        return tuple(words.listed(words.number, "a payoff", 2))

    words.take(OPEN)
    known = [(Fraction(0), Fraction(0)), *words.listed(outcome, "the name of an outcome")]
    pairs = []
    while words:
        line, number = words.line, words.whole("the number of an outcome")
        if not 0 <= number < len(known):
            raise UsageError(
                f"line {line}: there is no outcome {number}; they are 1 to {len(known) - 1}, and 0 pays nothing"
            )
        pairs.append(known[number])
    return pairs


def nfg(
    title: str, players: Sequence[str], rows: Sequence[str], columns: Sequence[str], payoffs: Floats, total: float = 0.0
) -> str:
    """Returns the file of a matrix game ``[rows, columns]``, with half of the sum of both payoffs added to each."""
    names = "\n".join(f"{{ {' '.join(map(quoted, own))} }}" for own in (rows, columns))
    lines = [f"NFG 1 R {quoted(title)} {{ {' '.join(map(quoted, players))} }}", "{", names, "}", ""]
    for column in payoffs.T.tolist():
        exact = (simple_fraction(one) + simple_fraction(total) / 2 for one in column)
        lines.append(" ".join(f"{own} {simple_fraction(total) - own}" for own in exact))
    return "\n".join([*lines, ""])
