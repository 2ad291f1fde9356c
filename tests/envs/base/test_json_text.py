"""JSON from outside: what is read, and what is refused."""

import json

import pytest

from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import DEEPEST, json_value


@pytest.mark.parametrize("value", [None, [], {"a": [1, -0.5, "x", True]}, "\N{COLLISION SYMBOL}", 10**300])
def test_json_is_read(value: object) -> None:
    assert json_value(json.dumps(value)) == json_value(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    "text", ["", "[", "[" * 100_000, '{"a":' * 500 + "1" + "}" * 500, "NaN", "1e999", "[-Infinity]"]
)
def test_texts_of_other_kinds_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        json_value(text)


@pytest.mark.parametrize("text", [r'"\ud800"', r'{"\ud800": 1}', r'[["\udfff"]]', "1" + "0" * 400, b"\xff"])
def test_what_has_no_use_as_a_value_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        json_value(text)


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
        (200_000 * "[", "the brackets of its JSON are nested too deeply"),
        (200_000 * '{"a":', "the brackets of its JSON are nested too deeply"),
        (b'"\xff"', "it is not JSON: 'utf-8' codec can't decode byte 0xff"),
        ("[1", "it is not JSON: Expecting ',' delimiter"),
        ("[NaN]", "it is not JSON: NaN is no number"),
        ("-Infinity", "it is not JSON: -Infinity is no number"),
    ],
    ids=range(6),
)
def test_other_text_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        json_value(text)
    assert str(refused.value).startswith(message)
