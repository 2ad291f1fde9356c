"""The contract of a game as its documentation says to use it."""

import textwrap
from pathlib import Path
from typing import Any

import pytest

from nashzoo.arena import contract
from nashzoo.envs import Game

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"


def test_the_example_is_a_class_whose_game_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    _, code = (contract.__doc__ or "").split("::\n", 1)
    names: dict[str, Any] = {}
    exec(textwrap.dedent(code), names)
    assert issubclass(names["TestGoofspiel"], contract.GameContract)
    monkeypatch.chdir(EXAMPLES)
    game = names["TestGoofspiel"].game.__wrapped__(None)
    assert isinstance(game, Game) and game.options["cards"] == 3
