"""Where the 1s stand that networks are shown, against the one-hot observations."""

import numpy as np
import pytest

from nashzoo.envs import bodega_brawl_v0, footsies_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.one_hot import OneHotPlaces

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
    shown = OneHotPlaces(game)
    observations = np.stack([game.observe(code, seat) for code in codes for seat in range(2)])
    found = shown.places(observations)
    assert found.shape == (len(observations), shown.num_places)
    for row, places in zip(shown.encode(observations), found[:, : found.shape[1] - len(game.compared)], strict=True):
        assert np.flatnonzero(row).tolist() == sorted(set(places.tolist()) - {shown.end})


def test_compared_fields_have_a_place_for_each_pair_of_values() -> None:
    game = GAMES[-1]
    shown = OneHotPlaces(game)
    assert shown.end == shown.width + 11 * 11 + 5 * 5
    code = game.code(red_x=2, red_y=3, blue_x=9, blue_y=5, ball="red", turn="red")
    expected = {0: [1 * 11 + 8, 2 * 5 + 4], 1: [(11 - 9) * 11 + 11 - 2, 4 * 5 + 2]}  # blue counts from the right
    for player, (columns, rows) in expected.items():
        places = shown.places(game.observe(code, player)[None])[0]
        assert places[-2:].tolist() == [shown.width + columns, shown.width + 11 * 11 + rows]
