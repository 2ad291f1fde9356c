"""The page on games in words: its situations are those that its code makes."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "words.md").read_text()


def test_the_situations_of_the_page_are_made_by_its_code() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "words.md", "exec"), names)
    texts = re.findall(r"^```text\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
    plain, disguised = (text for text in texts if text.startswith("The rules"))
    assert plain == names["plain"]
    assert disguised.endswith("\n...") and names["disguised"].startswith(disguised.removesuffix("..."))
