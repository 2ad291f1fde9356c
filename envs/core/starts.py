"""Start states other than those of the rules: exploring starts.

A learner that starts at any reachable state also learns about states to which its own play does not lead.
Source: Sutton and Barto (2018), Reinforcement Learning, section 5.3.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game, Starts
from nashzoo.envs.jit.compiled import Ints

REACHABLE = "reachable"
MAX_CODE = 2**63 - 1
DIGITS = len(str(MAX_CODE))

ChosenStarts = str | Path | Sequence[int] | Ints | None


def starts_of(game: Game, chosen: ChosenStarts) -> Starts:
    """Returns the distribution of start states.

    Args:
        game: The game.
        chosen: None for the starts of the rules; ``"reachable"`` for all reachable states at which a player chooses,
            with equal probabilities; the path of a text file with the code of a state on each line;
            or codes of states. A code that is given twice is twice as likely.

    Raises:
        UsageError: ``chosen`` is none of these; a file is missing or invalid; a state is not reachable, is terminal, or
            is a chance state; or there are no codes.
        TooManyStatesError: ``"reachable"`` states are too many to list.
    """
    if chosen is None:
        return game.starts
    if isinstance(chosen, str) and chosen == REACHABLE:
        codes = _all_reachable(game)
    elif isinstance(chosen, str | Path):
        codes = _checked(game, _read(Path(chosen)))
    else:
        codes = _checked(game, {f"starts[{k}]": code for k, code in enumerate(_listed(chosen))})
    return Starts(codes, np.arange(1, len(codes)) / len(codes))


def _all_reachable(game: Game) -> Ints:
    from nashzoo.envs.core.reachable import TooManyStatesError, by_chance, reachable

    try:
        codes = reachable(game)
    except TooManyStatesError as error:
        raise TooManyStatesError(
            f"{error}; as starts give the codes of some states, or a file of them, instead of {REACHABLE!r}"
        ) from None
    return codes[~by_chance(game, codes)]


def _listed(chosen: Any) -> list[int]:
    """Returns a sequence of codes as a list."""
    try:
        codes = np.asarray(chosen)
    except ValueError:  # lists of different lengths
        codes = np.empty((0, 0))
    if codes.ndim != 1 or (codes.size and codes.dtype.kind not in "iuO") or any(type(code) is bool for code in chosen):
        raise UsageError(
            f"starts must be None, {REACHABLE!r}, the path of a file, or a sequence of codes of states, not {chosen!r}"
        )
    return list(codes.tolist())


def _read(path: Path) -> dict[str, int]:
    """Returns the codes in a file, by their line in it."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(
            f"starts must be None, {REACHABLE!r}, the path of a file, or a sequence of codes of states; "
            f"{path} cannot be read: {error.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no text file with the code of a state on each line") from None
    codes = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not (text.isascii() and text.isdigit() and len(text) <= DIGITS):
            raise UsageError(
                f"line {number} of {path} must be the code of a state, a whole number from 0 to {MAX_CODE}, "
                f"not {text[: 2 * DIGITS]!r}"
            )
        codes[f"line {number} of {path}"] = int(text)
    return codes


def _checked(game: Game, codes: dict[str, int]) -> Ints:
    """Returns codes, given by their names in messages, as an array ``[S]``."""
    from nashzoo.envs.core.reachable import by_chance, reachable_or_none

    if not codes:
        raise UsageError(f"there must be at least one start; None is for those of {game.name}")
    for where, code in codes.items():
        if type(code) is not int or not 0 <= code <= MAX_CODE:
            raise UsageError(f"{where} must be the code of a state, a whole number from 0 to {MAX_CODE}, not {code!r}")
    states = np.fromiter(codes.values(), np.int64, len(codes))
    if (chance := by_chance(game, states)).any():
        where = list(codes)[int(chance.argmax())]
        raise UsageError(f"{where} is {game.spell(codes[where])}, where chance decides; games start at a decision")
    known, unreachable = reachable_or_none(game), np.arange(len(states))
    if known is not None:
        unreachable = np.flatnonzero(known[np.minimum(np.searchsorted(known, states), len(known) - 1)] != states)
    names = list(codes) if len(unreachable) else []
    for k in unreachable.tolist():
        code = int(states[k])
        _check_state(game, names[k], code)
        if known is not None:
            raise UsageError(f"{names[k]} is {game.spell(code)}, to which play of {game!r} does not lead")
    return states


def _check_state(game: Game, where: str, code: int) -> None:
    """Checks that a code is that of a non-terminal state, as far as the rules define possible states."""
    try:
        why = "" if game.code(**game.state(code)._asdict()) == code else "no state is packed so"
    except UsageError as error:
        why = str(error)
    if why:
        raise UsageError(f"{where} is {code}, which is no state of {game!r}: {why}")
    if game.terminal(code):
        raise UsageError(f"{where} is {game.spell(code)}, where {game.name} is over")
