"""Matrix games, played once or repeatedly."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import csv_lines
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.checks import check_whole
from nashzoo.envs.core.game import MOST_ACTIONS, Game
from nashzoo.envs.imported.exact_numbers import double_in, number_in
from nashzoo.envs.imported.graph_rules import Graph, GraphRules, Tables, graph_tables
from nashzoo.envs.imported.large_matrix import LargeMatrix, LargeMatrixError, checked_matrix, checked_names
from nashzoo.envs.rules.pieces import BOTH

MOST_ROUNDS = 10_000
LONGEST = 60  # letters of a line in an error


def matrix_game(
    payoffs: ArrayLike,
    rounds: int = 1,
    name: str = "matrix_v0",
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> Game:
    """Returns a matrix game, played once or repeatedly.

    In a repeated game players observe the round and both actions of the last one.

    Args:
        payoffs: The payoffs of player 0, who chooses rows ``[rows, columns]``, in points a round.
        rounds: The number of rounds.
        name: The name of the game.
        rows: The names of the rows.
        columns: The names of the columns.

    Raises:
        UsageError: the payoffs are no matrix of numbers that double precision holds, or there are too many rounds, or
            the actions' names are empty or not different.
        LargeMatrixError: there are more than ``MOST_ACTIONS`` rows or columns.
    """
    if np.ndim(rounds):
        raise UsageError("matrix_game takes one matrix, of player 0, as player 1 gets its negative; rounds is a number")
    return Game(MatrixRules(payoffs, rows, columns, name), rounds=rounds)


class Params(NamedTuple):
    """The parameters of a matrix game."""

    rounds: int = 1


class MatrixRules(GraphRules):
    """The rules of :func:`matrix_game`, whose parameter is the number of rounds; payoffs are less half of the total.

    Raises:
        UsageError: as there.
    """

    def __init__(
        self,
        payoffs: ArrayLike,
        rows: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        name: str = "matrix_v0",
        total: float = 0.0,
    ) -> None:
        self.Params = Params
        self._matrix = checked_matrix(payoffs)
        m, n = self._matrix.shape
        if max(m, n) > MOST_ACTIONS:
            raise LargeMatrixError(LargeMatrix(self._matrix + total / 2, rows, columns, name))
        self._rows, self._columns = checked_names(rows, m), checked_names(columns, n)
        super().__init__(name, _actions(self._rows, self._columns), self._graph_of(1), total=total)

    def __reduce__(self) -> tuple[Any, ...]:
        return MatrixRules, (self._matrix, self._rows, self._columns, self.NAME, self.total)

    def check_params(self, params: Params) -> None:
        """Raises a UsageError for a number of rounds out of its range."""
        check_whole("rounds", params.rounds, 1, MOST_ROUNDS)

    def tables(self, params: Params) -> Tables:  # type: ignore[override]  # whose games have no parameters
        """Returns the game's arrays."""
        return graph_tables(self._graph_of(params.rounds))

    def at_stake(self, params: Params, code: int) -> float:  # type: ignore[override]  # it pays in each round
        """Returns the points that a player loses who loses the most in every round that is left."""
        return float(self._left(params, code) * np.abs(self._matrix).max())

    def taken_off(self, params: Params, code: int) -> float:  # type: ignore[override]  # in each round that is left
        """Returns the sum of what was taken off from both players' payoffs in play from a state."""
        return self.total * self._left(params, code)

    def _left(self, params: Params, code: int) -> int:
        """Returns the number of rounds that are left at a state."""
        return params.rounds - -(-code // self._matrix.size)

    def text(self, code: int) -> str:
        """Returns the actions of the last round."""
        if code == 0:
            return "nothing played yet"
        m, n = self._matrix.shape
        turn, pair = divmod(code - 1, m * n)
        return f"round {turn + 1}: {self._rows[pair // n]} against {self._columns[pair % n]}"

    def rules_text(self, params: Params) -> str:
        """Returns all rules: the points of each pair of actions."""
        points = [
            f"- {{{row}}} against {{{column}}}: {self._matrix[i, j] + self.total / 2:g}"
            for i, row in enumerate(self._rows)
            for j, column in enumerate(self._columns)
        ]
        from_whom = f"and player 1 gets {self.total:g} less it," if self.total else "from player 1"
        both = "" if self._rows == self._columns else " Of an action with two names, player 0 plays the first one."
        lines = [
            f"Both players choose at the same time, and then see both, {counted(params.rounds, '{round}')} long.{both}",
            f"This is what player 0 gets {from_whom} in each, by player 0's choice and player 1's:",
        ]
        return "\n".join([*lines, *points])

    def _graph_of(self, rounds: int) -> Graph:
        m, n = self._matrix.shape
        pairs = m * n
        states = 1 + rounds * pairs  # the start; and after each round a state for each pair of actions
        over = np.arange(states) >= 1 + (rounds - 1) * pairs
        first = np.concatenate([[0], np.cumsum(np.where(over, 0, pairs))])
        rounds_before = np.concatenate([[0], 1 + np.arange(states - 1) // pairs])[~over]
        return Graph(
            turns=np.full(states, BOTH),
            legal0=np.where(over, 0, (1 << m) - 1),
            legal1=np.where(over, 0, (1 << n) - 1),
            first=first,
            following=(1 + rounds_before[:, None] * pairs + np.arange(pairs)).reshape(-1),
            probabilities=np.zeros(int(first[-1])),
            payoffs=np.concatenate([[0.0], np.tile(self._matrix.reshape(-1), rounds)]),
            starts=np.zeros(1, np.int64),
            start_probabilities=np.ones(1),
            seen=np.zeros((states, 2, 0), np.bool_),
        )


def _actions(rows: list[str], columns: list[str]) -> list[str]:
    """Returns a name for each action, with both players' names if they differ."""
    shorter, longer = sorted((rows, columns), key=len)
    if longer[: len(shorter)] == shorter:
        return longer
    names = [f"{row} / {column}" for row, column in zip(rows, columns, strict=False)]
    return names + longer[len(shorter) :]


def read_csv(path: Path) -> dict[str, Any]:
    """Returns the arguments of :class:`MatrixRules` in a CSV file, or one with tabs that is called ``.tsv``.

    A line for each row, a number for each column, with commas, semicolons or tabs between. The first line may be the
    names of the columns, and the first field of the others that of the row; see :func:`_without_names`.

    Raises:
        UsageError: it is no such table, or may be two different ones.
        OSError: it cannot be read.
    """
    lines = [[field.strip() for field in line] for line in csv_lines(path)]
    if len(lines) > 2 and len(lines[0]) == len(lines[1]) > 1 and lines[1][0] and not any(lines[1][1:]):
        lines[:2] = [["", *lines[0][1:]]]  # pandas writes the name of the columns, and below it that of the rows
    if not lines:
        raise UsageError(f"{path} is empty; a matrix has a line for each row")
    try:
        rows, columns, cells = _without_names(lines)
        payoffs: list[list[float]] = []
        for number, line in enumerate(cells, 1):
            doubles = [double_in(field) for field in line]
            if len(line) != len(cells[0]) or None in doubles:
                like_first = f"{len(cells[0])} numbers, as many as row 1" if number > 1 else "numbers"
                raise UsageError(f"row {number} must be {like_first}, not {line}")
            payoffs.append([one for one in doubles if one is not None])
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    return {"payoffs": payoffs, "rows": rows, "columns": columns}


Names = list[str] | None


def _without_names(lines: list[list[str]]) -> tuple[Names, Names, list[list[str]]]:
    """Returns the names of the rows and of the columns of a table, None for none, and the rest of it.

    Words are names. Numbers are names if the first field is empty, or if the first line is a field longer or shorter
    than the others. Else they are payoffs, unless they count from 0, or from 1, where tables have names, or the first
    line alone is of whole numbers, as of payoffs with points that pandas writes below the numbers of columns.
    """
    first, others = lines[0], lines[1:]
    across, down = first[1:], [line[0] for line in others]
    widths = {len(line) for line in others}
    ragged = len(widths) == 1 and (len(others) > 1 or all(map(_is_word, first)))
    if ragged and len(first) - 1 in widths:
        return None, across, others
    if ragged and len(first) + 1 in widths:
        return down, first, [line[1:] for line in others]
    if not first[0]:
        return down, across, [line[1:] for line in others]
    corner, words = _is_word(first[0]), [{_is_word(field) for field in fields} for fields in (down, across)]
    named_rows, named_columns = ((one or {corner}) == {True} for one in words)
    if named_rows and named_columns:
        return down, across, [line[1:] for line in others]
    doubtful = {True, False} in words or corner != (named_rows or named_columns)
    doubtful |= (named_columns or _counts(across, 0, 1)) and (named_rows or _counts(down, 0, 1))
    advice = "0.0 for 0 and 1.0 for 1" + f", and words for the columns beside {first[0]}" * corner
    if not corner:
        doubtful |= len(others) > 1 and _counts(first, 0)
        doubtful |= len(across) > 1 and _counts([first[0], *down], 0)
        below = [field for line in others for field in line]
        pandas = all("." in field for field in below) and all(field.lstrip("+-").isdigit() for field in first)
        pandas &= len(others) > 1 or any(field.endswith(".0") for field in below)
        if pandas and len(set(first)) == len(first) > 1:
            doubtful, advice = (True, f"{first[0]}.0 for {first[0]}; pandas leaves that field empty above an index")
    if not any(field.endswith("%") for line in others for field in line[1:]):
        for fields in filter(None, (down, across if others else [])):
            if all(field.endswith("%") for field in fields):
                doubtful, advice = True, f"all in percent, or none: {fields[0]} is {number_in(fields[0])}"
    if doubtful:
        line, column = (shorten(", ".join(fields), LONGEST) for fields in (first, [first[0], *down]))
        raise UsageError(
            f"its first line ({line}) or its first column ({column}) may be names or payoffs; if they are names, leave "
            f"the first field empty; if they are payoffs, write {advice}"
        )
    if named_columns:
        return None, first, others
    return ([line[0] for line in lines], None, [line[1:] for line in lines]) if named_rows else (None, None, lines)


def _counts(fields: list[str], *starts: int) -> bool:
    """Returns whether several fields are whole numbers in order, from one of ``starts``."""
    return len(fields) > 1 and any(fields == [str(start + k) for k in range(len(fields))] for start in starts)


def _is_word(text: str) -> bool:
    try:
        return number_in(text) is None
    except UsageError:
        return False
