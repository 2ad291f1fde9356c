"""A match in words, as the tools for language models and the environments play it."""

from typing import Any

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.app.matches.word_match import WordMatch
from nashzoo.arena.live_match import LiveMatch
from nashzoo.envs import Game, footsies_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.text.answers import AnswerError
from nashzoo.envs.text.wording import Wording


def begun(game: Game, *players: Any, **options: bool) -> WordMatch:
    return WordMatch(LiveMatch(game, players, np.random.default_rng(0)), Wording(game), **options)


def test_whoever_looks_while_the_other_player_chooses_sees_a_match_that_goes_on() -> None:
    game, seen = footsies_v0.game(), []

    class Slow:
        def __init__(self) -> None:
            self.player = agents.make("random", game, seed=0)

        def predict(self, *observed: Any) -> Any:
            seen.append((match.asked, match.described(0)["result"]))
            return self.player.predict(*observed)

    match = begun(game, None, Slow())
    assert seen == []  # who is asked chooses first
    match.choose(match.named("Action: grab"))
    assert set(seen) == {(0, None)}


@pytest.mark.parametrize("skips", [False, True])
def test_a_single_legal_action_is_asked_for_or_not(skips: bool) -> None:
    match = begun(tictactoe_v0.game(), None, None, skips=skips)
    for cell in "40821735":
        match.choose(match.named(cell))
    assert (match.asked is None) is skips
    if not skips:
        with pytest.raises(AnswerError, match="'4' is no legal action"):
            match.named("4")
        match.choose(match.named("6"))
    assert match.described(1)["result"] == "The game is over; it is a draw." and match.result(1) == "it is a draw"
    with pytest.raises(UsageError, match="the match is over; begin another"):
        match.choose(0)
