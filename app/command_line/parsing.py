"""What people type on the command line: games with their parameters, and states."""

import json
from collections.abc import Iterable
from typing import Any

from nashzoo.envs import Game, make_game
from nashzoo.envs.base.errors import UsageError


def game_of(name: str, parameters: Iterable[str] = ()) -> Game:
    """Returns the game of this name, with parameters given as ``name=value``.

    Raises:
        UsageError: there is no such game, a parameter is not of this form, or its value is out of range.
        UsageTypeError: the game has no such parameter.

    >>> game_of("footsies_v0", ["rounds=3"]).options["rounds"]
    3
    """
    return make_game(name, **assignments(parameters))


def assignments(words: Iterable[str]) -> dict[str, Any]:
    """Returns what ``name=value`` words say; numbers, lists in brackets and True/False are read as such, else as text.

    Raises:
        UsageError: a word has no ``=``, a name is given twice, or what begins with a bracket is no list.

    >>> assignments(["blocks=2", "exhausted_block=free"])
    {'blocks': 2, 'exhausted_block': 'free'}
    """
    said: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UsageError(f"{word!r} should have the form name=value")
        if name in said:
            raise UsageError(f"{name} is given twice")
        said[name] = _value(value)
    return said


def _value(text: str) -> Any:
    if text in ("True", "False"):
        return text == "True"
    if text.startswith("["):
        try:
            return json.loads(text)
        except ValueError as error:
            raise UsageError(f"{text} begins with a bracket, but is no list such as [[0,1],[-1,0]]") from error
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def code_of(game: Game, state: str) -> int:
    """Returns the code of a state given as ``field=value,field=value``; fields left out are as at the start.

    Raises:
        UsageError: a field is unknown, out of its range, or not a whole number, or the game is over there.
    """
    fields = assignments(state.split(",")) if state else {}
    code = game.code(**fields)
    if game.terminal(code):
        raise UsageError(f"the game is over at {game.spell(code)}")
    return code
