"""JSON from outside: what is read, and what is refused."""

import json

import pytest

from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import DEEPEST, parsed_json


@pytest.mark.parametrize("value", [None, [], {"a": [1, -0.5, "x", True]}, "\N{COLLISION SYMBOL}", 10**300])
def test_json_is_read(value: object) -> None:
    assert parsed_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text", ["", "[", "[" * 100_000, '{"a":' * 500 + "1" + "}" * 500, "NaN", "1e999", "[-Infinity]"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parsed_json(text)


@pytest.mark.parametrize("text", [r'"\ud800"', r'{"\ud800": 1}', r'[["\udfff"]]', "1" + "0" * 400, b"\xff"])
def test_what_has_no_use_as_a_value_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        parsed_json(text)


def test_so_many_brackets_are_read() -> None:
    parsed_json("[" * DEEPEST + "1" + "]" * DEEPEST)
    with pytest.raises(ValueError, match="nested too deeply"):
        parsed_json("[" * (DEEPEST + 1) + "1" + "]" * (DEEPEST + 1))


def test_options_in_deep_brackets_are_refused() -> None:
    with pytest.raises(UsageError, match="begins with a bracket, but is no list"):
        assignments(["rounds=" + "[" * 100_000])
