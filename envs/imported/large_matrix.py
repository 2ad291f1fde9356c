"""Matrix games of any size, played once: the payoffs stand in an array, or a function computes them.

A :class:`nashzoo.envs.core.game.Game` has at most ``MOST_ACTIONS`` actions. Such games as Colonel Blotto, and tables of
how characters or decks fare against each other, have thousands, but a single state: no rules are needed.
"""

import itertools
from collections.abc import Callable, Sequence
from decimal import Decimal
from numbers import Rational
from textwrap import shorten
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import counted, suggestion
from nashzoo.envs.core.game import MOST_ACTIONS
from nashzoo.envs.imported.exact_numbers import LARGEST, in_doubles
from nashzoo.envs.jit.compiled import Floats

SHOWN = 200  # letters of names in an error
EXACT = 2**53  # up to which double precision has all whole numbers

Actions = int | Sequence[Any] | None  # their number, or their names


class LargeMatrix:
    """A matrix game of any size, played once: player 0 chooses a row, player 1 a column.

    Args:
        payoffs: The payoffs of player 0 ``[m, n]``, in points; or a function of the numbers of a row and of a column.
        rows: The rows' names, or, of a function, their number.
        columns: The columns' names, or, of a function, their number.
        name: The name of the game.
        vectorized: Whether the function takes arrays, rows ``[k, 1]`` and columns ``[l]``, and returns ``[k, l]``; else
            it is called for each pair.

    Attributes:
        shape: ``(m, n)``.
        vectorized: Whether payoffs are found in an array, or by a function of arrays.

    Raises:
        UsageError: the payoffs are no matrix of numbers that double precision holds, or the names are empty or not
            different.

    >>> game = LargeMatrix(lambda i, j: i - j, rows=1_000, columns=2_000)
    >>> game.payoffs([0, 999], [3])
    array([[ -3.],
           [996.]])
    """

    def __init__(
        self,
        payoffs: ArrayLike | Callable[..., Any],
        rows: Actions = None,
        columns: Actions = None,
        name: str = "large_matrix",
        vectorized: bool = False,
    ) -> None:
        self.name = name
        self._payoff, self.vectorized = payoffs, vectorized or not callable(payoffs)
        if callable(payoffs):
            if rows is None or columns is None:
                raise UsageError("a matrix game by a function needs rows and columns: their numbers, or their names")
            m, n = (len(side) if isinstance(side, Sequence) else int(side) for side in (rows, columns))
            if min(m, n) < 1:
                raise UsageError(f"a matrix game has at least one row and one column, not {m} and {n}")
            self.shape = m, n
        else:
            self._payoff = matrix = checked_matrix(payoffs)
            self.shape = matrix.shape[0], matrix.shape[1]
        self._names = [checked_names(side, count) for side, count in zip((rows, columns), self.shape, strict=True)]

    def payoffs(self, rows: ArrayLike, columns: ArrayLike) -> Floats:
        """Returns the payoffs of player 0 ``[k, l]`` for some rows ``[k]`` and columns ``[l]``, in points.

        Raises:
            UsageError: the function returns another shape, or what is no number within 1e100.
        """
        own, other = np.asarray(rows, np.int64), np.asarray(columns, np.int64)
        if not callable(self._payoff):
            chosen: Floats = np.asarray(self._payoff)[own[:, None], other]
            return chosen
        try:
            if self.vectorized:
                found = np.asarray(self._payoff(own[:, None], other), np.float64)
            else:
                each = itertools.starmap(self._payoff, itertools.product(own.tolist(), other.tolist()))
                found = np.fromiter(each, np.float64).reshape(len(own), len(other))
        except (TypeError, ValueError) as error:
            raise UsageError(f"the payoff function of {self.name} returns no numbers: {error}") from error
        if found.shape != (len(own), len(other)):
            raise UsageError(
                f"the payoff function of {self.name} returns the shape {found.shape} for {len(own)} rows [k, 1] and "
                f"{len(other)} columns [l]; {(len(own), len(other))} is wanted, or vectorized=False"
            )
        if not (np.abs(found) <= LARGEST).all():
            raise UsageError(f"payoffs must be from {-LARGEST:g} to {LARGEST:g}, and {self.name} has others")
        return found

    def action_name(self, player: int, action: int) -> str:
        """Returns the name of a row (of player 0) or of a column (of player 1)."""
        return self._names[player][action]

    def strategy(self, player: int, probabilities: dict[str, float]) -> Floats:
        """Returns a player's mixed strategy ``[m]`` or ``[n]`` from probabilities by the names of actions; 0 if absent.

        Raises:
            UsageError: there is no such action.
        """
        mixed = np.zeros(self.shape[player])
        numbers = {name: k for k, name in enumerate(self._names[player])}
        for name, probability in probabilities.items():
            if name not in numbers:
                raise UsageError(f"player {player} has no action {name!r} in {self.name}{suggestion(name, numbers)}")
            mixed[numbers[name]] = probability
        return mixed

    def __str__(self) -> str:
        return f"{self.name} ({counted(self.shape[0], 'row')}, {counted(self.shape[1], 'column')})"


class LargeMatrixError(UsageError):
    """A matrix has too many rows or columns for a ``Game``.

    Attributes:
        game: The matrix game.
    """

    def __init__(self, game: LargeMatrix) -> None:
        super().__init__(
            f"{game}: a Game has at most {MOST_ACTIONS} of each; nashzoo solve and nashzoo exploitability take "
            "such a matrix, and nashzoo.envs.LargeMatrix is the class for it, with an environment"
        )
        self.game = game


def checked_matrix(payoffs: ArrayLike) -> Floats:
    """Returns the payoffs of player 0 as an array ``[m, n]``.

    Raises:
        UsageError: they are no matrix of numbers that double precision holds.
    """
    try:
        matrix = np.asarray(payoffs, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"payoffs must be a matrix of numbers: {error}") from None
    if matrix.ndim == 3:
        raise UsageError(f"payoffs must be one matrix, of player 0, as player 1 gets its negative, not {len(matrix)}")
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise UsageError(f"payoffs must be a matrix with rows and columns, not of the shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise UsageError(f"payoffs must be finite, not {matrix[row, column]} as in row {row}, column {column}")
    in_doubles(float(np.abs(matrix).max()))
    written = np.array(payoffs, object) if isinstance(payoffs, Sequence) else np.asarray(payoffs)
    if written.dtype.kind != "f" and (written.dtype.kind == "O" or float(np.abs(matrix).max()) >= EXACT):
        for one in written.flat:
            if type(one) is not float and isinstance(one, Rational | Decimal):
                in_doubles(one)
    return matrix


def checked_names(names: Actions, count: int) -> list[str]:
    """Returns the names of actions, ``action 0`` and so on where none are given.

    Raises:
        UsageError: they are empty, or not as many different ones as there are actions.
    """
    if names is None or isinstance(names, int):
        names = [f"action {k}" for k in range(count)]
    names = list(map(str, names))
    if not all(map(str.strip, names)):
        raise UsageError(f"an action needs a name, and one of {shorten(str(names), SHOWN)} is empty")
    if len(names) != count or len(set(names)) != count:
        raise UsageError(f"{count} actions need as many different names, not {shorten(', '.join(names), SHOWN)}")
    return names
