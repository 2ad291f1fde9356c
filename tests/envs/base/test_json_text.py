"""JSON from outside: what is read, and what is refused."""

import json

import pytest

from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import DEEPEST, json_value


@pytest.mark.parametrize("value", [None, [], {"a": [1, -0.5, "x", True]}, "\N{COLLISION SYMBOL}", 10**300])
def test_json_is_read(value: object) -> None:
    assert json_value(json.dumps(value)) == json_value(json.dumps(value).encode()) == value


def test_so_many_brackets_are_read() -> None:
    json_value("[" * DEEPEST + "1" + "]" * DEEPEST)
    with pytest.raises(ValueError, match="nested too deeply"):
        json_value("[" * (DEEPEST + 1) + "1" + "]" * (DEEPEST + 1))


def test_options_in_deep_brackets_are_refused() -> None:
    with pytest.raises(UsageError, match="begins with a bracket, but is no list"):
        assignments(["rounds=" + "[" * 100_000])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, "the brackets of its JSON are nested too deeply") for text in (200_000 * "[", 200_000 * '{"a":')),
        *((text, "nested too deeply") for text in ("[" * 100_000, '{"a":' * 500 + "1" + "}" * 500)),
        *((text, "it is not JSON: Expecting") for text in ("", "[", "[1")),
        *((text, "it is not JSON: .*can't decode byte 0xff") for text in (b"\xff", b'"\xff"')),
        *((text, f"it is not JSON: {text.strip('[]')} is no number") for text in ("NaN", "[NaN]", "[-Infinity]")),
        *((text, "a number out of range is no number") for text in ("1e999", "1" + "0" * 400)),
        *((text, "surrogates not allowed") for text in (r'"\ud800"', r'{"\ud800": 1}', r'[["\udfff"]]')),
    ],
    ids=range(17),
)
def test_other_text_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        json_value(text)
