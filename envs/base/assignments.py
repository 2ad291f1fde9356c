"""Values given by name, as people write them: ``rounds=3``."""

from collections.abc import Iterable
from typing import Any

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import json_value

QUOTES = "'\""


def assignments(words: Iterable[str]) -> dict[str, Any]:
    """Returns values from ``name=value`` words; numbers, lists in brackets and True/False are parsed, others stay text.

    Raises:
        UsageError: a word has no ``=``, a name is given twice, or a value that begins with a bracket is no list.

    >>> assignments(["blocks=2", "exhausted_block=free"])
    {'blocks': 2, 'exhausted_block': 'free'}
    """
    values: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UsageError(f"{word!r} should have the form name=value")
        if name in values:
            raise UsageError(f"{name} is given twice")
        values[name] = _value(value)
    return values


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.startswith("["):
        try:
            return json_value(text)
        except UsageError as error:
            raise UsageError(f"{text} begins with a bracket, but is no list such as [[0,1],[-1,0]]") from error
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in QUOTES else text
