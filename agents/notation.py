"""Players with their options in one name: ``mcts(simulations=1000)``."""

from pathlib import Path
from typing import Any

from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError

OPENING, CLOSING = "([{", ")]}"


def split_options(player: str) -> tuple[str, dict[str, Any]]:
    """Returns a player's name or file, and the options in brackets after it.

    Values are parsed by :func:`nashzoo.envs.base.assignments.assignments`.

    Raises:
        UsageError: the text in the brackets is no list of options.

    >>> split_options("mcts(simulations=1000, exploration=1.4)")
    ('mcts', {'simulations': 1000, 'exploration': 1.4})
    >>> split_options("models/ppo.zip")
    ('models/ppo.zip', {})
    """
    name, text = _parted(player.strip())
    if "(" in name and not Path(name).exists() and name.count("(") != name.count(")"):
        raise UsageError(f"{player!r} lacks a bracket; options are written as in mcts(simulations=1000)")
    try:
        return name, assignments(_words(text))
    except UsageError as error:
        raise UsageError(f"{player!r}: {error}; options are written as in mcts(simulations=1000)") from None


def _parted(player: str) -> tuple[str, str]:
    """Returns the text before the last pair of brackets and the text in it."""
    if not player.endswith(")"):
        return player, ""
    depth = 0
    for place in range(len(player) - 1, -1, -1):
        depth += (player[place] == ")") - (player[place] == "(")
        if depth == 0:
            return player[:place], player[place + 1 : -1]
    return player, ""


def _words(text: str) -> list[str]:
    """Returns the parts between commas outside brackets."""
    words, depth = [""], 0
    for letter in text:
        depth += (letter in OPENING) - (letter in CLOSING)
        if letter == "," and depth == 0:
            words.append("")
        else:
            words[-1] += letter
    return [word.strip() for word in words] if text.strip() else []
