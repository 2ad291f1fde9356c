"""JSON that people wrote, or that may be damaged."""

import json
from typing import Any, NoReturn

from nashzoo.envs.base.errors import UsageError


def json_value(text: str | bytes) -> Any:
    """Returns the value of a JSON text.

    Raises:
        UsageError: it is no JSON in UTF-8, its brackets are nested too deeply, or a number is NaN or infinite.
    """
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise UsageError("the brackets of its JSON are nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"it is not JSON: {error}") from None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
