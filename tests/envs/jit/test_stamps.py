"""What the compiled code on disk depends on."""

import textwrap
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from nashzoo.envs.jit.plain_functions import plain
from nashzoo.envs.jit.stamps import stamp_of

MODULE = """
def plus(x):
    return x + TEN * TABLE[0]

def outer(x):
    return plus(x) * 2
"""


def outer(text: str = MODULE, kernel: bool = False, **names: Any) -> FunctionType:
    """Returns a function of a module with this text and these names."""
    names = {"__name__": "a_module", "TEN": 10, "TABLE": np.ones(2)} | names
    exec(textwrap.dedent(text), names)
    if kernel:
        names["plus"] = plain(names["plus"])
    function: FunctionType = names["outer"]
    return function


@pytest.mark.parametrize("kernel", [False, True])
@pytest.mark.parametrize(
    "changed",
    [
        {"TEN": 11},
        {"TABLE": np.zeros(2)},
        {"TABLE": np.ones(3)},
        {"text": MODULE.replace("x + TEN", "x - TEN")},
        {"text": MODULE.replace("* 2", "* 3")},
    ],
)
def test_a_change_of_anything_that_is_compiled_changes_the_stamp(changed: dict[str, Any], kernel: bool) -> None:
    assert stamp_of(outer(kernel=kernel)) == stamp_of(outer(kernel=kernel))
    assert stamp_of(outer(kernel=kernel, **changed)) != stamp_of(outer(kernel=kernel))


def test_other_changes_do_not() -> None:
    assert stamp_of(outer("# a comment\n" + MODULE, OTHER=1)) == stamp_of(outer())


def test_functions_that_call_each_other_have_one() -> None:
    text = "def outer(x):\n    return inner(x)\ndef inner(x):\n    return outer(x - 1) if x else 0\n"
    assert stamp_of(outer(text)) == stamp_of(outer(text)) != stamp_of(outer(text.replace("x - 1", "x - 2")))
