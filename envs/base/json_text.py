"""JSON from outside, which may be damaged or hostile."""

import json
import sys
from typing import Any

DEEPEST = 20  # lists and objects in one another


def parsed_json(text: str | bytes) -> Any:
    """Returns the value of a JSON text.

    Raises:
        ValueError: it is no JSON, is nested more than ``DEEPEST`` deep, has a number that no float comes near, such as
            ``NaN``, or half of a surrogate pair.

    >>> parsed_json('{"0": 3}')
    {'0': 3}
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    level = [value]
    for _ in range(DEEPEST + 1):
        for one in level:
            if isinstance(one, str):
                one.encode()  # raises UnicodeEncodeError, a ValueError
            elif isinstance(one, int | float) and not abs(one) <= sys.float_info.max:
                raise ValueError("a number is out of range")
        level = [part for one in level for part in _parts(one)]
    if level:
        raise ValueError("it is nested too deeply")
    return value


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []
