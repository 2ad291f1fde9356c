"""The player with an order of choice."""

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.baselines import evaluate
from nashzoo.envs import footsies_v0, make_game
from nashzoo.envs.base.errors import UsageError

FIRST = np.ones((1, 4))


def test_the_first_legal_action_of_the_order_is_played() -> None:
    game = footsies_v0.game()
    player = agents.as_agent("prefers(actions=dragon; GRAB)", game)
    seen = game.observe(int(game.start_codes[0]), 0)[None]
    names = [
        game.actions[int(player.action_probabilities(seen, mask)[0].argmax())]
        for mask in (FIRST, FIRST * [1, 1, 1, 0], FIRST * [1, 1, 0, 0])
    ]
    assert names == ["Dragon Punch", "Grab", "Attack"]


def test_a_name_that_an_action_has_in_some_states() -> None:
    """In Leduc poker one action is "Check" in some states and "Call 2" in others."""
    game = make_game("nashzoo.examples.leduc")
    bettor, caller, folder = (agents.as_agent(f"prefers(actions={one})", game) for one in ("bet", "check;call", "fold"))
    assert evaluate(game, bettor, folder) == pytest.approx(1.0)  # the ante
    assert evaluate(game, bettor, caller) == pytest.approx(0.0)  # to the end, with any cards


@pytest.mark.parametrize(
    ("name", "order", "said"),
    [
        ("nashzoo.examples.leduc", "chek;call", "'chek'; they are Bet 2, Bet 4, Call 2"),
        ("footsies_v0", "grb", "'grb'; they are Attack, Block, Dragon Punch, Grab"),
        ("footsies_v0", "", "''; they are Attack"),
        ("bodega_brawl_v0", "head;blub", "'blub'; they are Body Attack"),
    ],
)
def test_an_order_without_sense_is_refused(name: str, order: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        agents.as_agent(f"prefers(actions={order})", make_game(name))
