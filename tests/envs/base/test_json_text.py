"""JSON of users."""

import pytest

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import json_value


def test_json_is_read() -> None:
    assert json_value('{"a": [1, 2.5, null]}') == json_value(b'{"a": [1, 2.5, null]}') == {"a": [1, 2.5, None]}


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
