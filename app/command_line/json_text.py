"""Strict JSON, in which all numbers are finite."""

import json
import math
from collections.abc import Mapping
from typing import Any


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
