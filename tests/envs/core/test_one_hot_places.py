"""Where the 1s of one-hot observations stand, against the one-hot observations."""

import numpy as np
import pytest

from nashzoo.envs import bodega_brawl_v0, footsies_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.one_hot import OneHotEncoding

GAMES = [
    footsies_v0.game(),
    tictactoe_v0.game(),
    bodega_brawl_v0.game(preset="small"),
    soccer_v0.game(width=11, height=5, goal_height=3),  # crosses columns and rows
]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_places_are_where_the_ones_stand(game: Game) -> None:
    codes = [int(game.start_codes[0])]
    rng = np.random.default_rng(0)
    while len(codes) < 20:
        actions = [int(rng.choice(game.legal_actions(codes[-1], player))) for player in range(2)]
        after = game.step(codes[-1], *actions)
        codes.append(int(game.start_codes[-1]) if game.terminal(after) else after)
    encoding = OneHotEncoding(game)
    observations = np.stack([game.observe(code, seat) for code in codes for seat in range(2)])
    for row, places in zip(encoding.encode(observations), encoding.places(observations), strict=True):
        assert np.flatnonzero(row).tolist() == sorted(set(places.tolist()) - {encoding.width})
