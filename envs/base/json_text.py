"""JSON: read with care, as it may be damaged or hostile, and written strictly."""

import json
import math
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

from nashzoo.envs.base.errors import UsageError

DEEPEST = 20  # lists and objects in one another
TOO_DEEP = "the brackets of its JSON are nested too deeply"


def json_value(text: str | bytes) -> Any:
    """Returns the value of a JSON text.

    Raises:
        UsageError: it is no JSON in UTF-8, is nested more than ``DEEPEST`` deep, has a number that no float comes near,
            such as ``NaN``, or half of a surrogate pair.

    >>> json_value('{"0": 3}')
    {'0': 3}
    """
    try:
        value = json.loads(text, parse_constant=_refuse)
        level = [value]
        for _ in range(DEEPEST + 1):
            for one in level:
                if isinstance(one, str):
                    one.encode()  # raises UnicodeEncodeError, a ValueError
                elif isinstance(one, int | float) and not abs(one) <= sys.float_info.max:
                    _refuse("a number out of range")
            level = [part for one in level for part in _parts(one)]
    except RecursionError:
        raise UsageError(TOO_DEEP) from None
    except ValueError as error:
        raise UsageError(f"it is not JSON: {error}") from None
    if level:
        raise UsageError(TOO_DEEP)
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


def finite(value: Any) -> Any:
    """Returns a value for JSON, with None in the place of numbers that are not finite.

    >>> finite({"mean": 0.5, "interval": [0.0, math.inf]})
    {'mean': 0.5, 'interval': [0.0, None]}
    """
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return value


def json_text(value: Any, indent: int | None = 2) -> str:
    """Returns a value as strict JSON; numbers that are not finite become ``null``."""
    return json.dumps(finite(value), indent=indent, allow_nan=False, default=int)
