"""Held-out games: the same by a seed everywhere, none of them in the protocol, all of them small."""

import itertools

import pytest

from nashzoo import agents
from nashzoo.arena.measurement.held_out import held_out
from nashzoo.arena.measurement.protocol import HIDDEN, OPEN
from nashzoo.baselines import exploitability
from nashzoo.baselines.measures import states_measured

SEEDS = range(50)
MOST_STATES = 100_000
LEAST = 0.05  # exploitability of uniform play, as a share of the stake
MANY = 150  # enough for every size of soccer to be drawn


def test_a_seed_is_the_same_games_everywhere() -> None:
    assert [row.name for row in held_out(0, 6)] == [
        "nashzoo.examples.random_game:seed=3653403231,layers=8,width=35,actions=3,chance=1,reach=2",
        "footsies_v0:rounds=1,blocks=0,attacks_to_win=1,exhausted_block=free",
        "bodega_brawl_v0:preset=small,head_limit=2,legs_limit=3,total_limit=3,head_attack=1,head_dual=2,body_dual=2,legs_dual=2",
        "soccer_v0:width=13,height=5,goal_height=3",
        "nashzoo.examples.goofspiel:cards=4,ascending=False",
        "roshambo_v0:rounds=20,recall=2,payoff=[[0,-1,3],[1,0,-3],[-3,3,0]]",
    ]
    assert held_out(0, 6) == held_out(0, 9)[:6]
    assert held_out(0, 6) != held_out(1, 6)


@pytest.mark.slow
def test_no_game_is_drawn_twice_and_none_is_in_the_protocol() -> None:
    rows, known = held_out(0, MANY), [size.make() for size in OPEN.sizes]
    drawn = [row.make() for row in rows]
    assert len(set(drawn)) == MANY
    assert [row.name for row, game in zip(rows, drawn, strict=True) if game in known] == []
    fields = [game.options for game in drawn if game.name == "soccer_v0"]
    sizes = {(field["width"], field["height"], field["goal_height"]) for field in fields}
    assert sizes == {*itertools.product((11, 13, 15), (3, 5), (1, 3))} - {(11, 3, 1), (11, 5, 3)}


def test_games_with_hidden_information_are_held_out_from_those() -> None:
    rows, known = held_out(0, 12, HIDDEN), [size.make() for size in HIDDEN.sizes]
    drawn = [row.make() for row in rows]
    assert [row.title.split(",")[0] for row in rows[:4]] == ["Leduc poker", "liar's dice", "Goofspiel", "dark hex"]
    assert len({repr(game) for game in drawn}) == 12 and not [game for game in drawn if game in known]
    for row, game in zip(rows[:4], drawn, strict=False):
        assert game.hides and LEAST < exploitability(game, agents.make("random", game)) / row.stake <= 1, row.title


@pytest.mark.slow
def test_one_of_each_kind_is_drawn_all_small_with_something_to_learn() -> None:
    drawn = [held_out(seed, 6) for seed in SEEDS]
    kinds = [[row.title.split(",")[0] for row in rows] for rows in drawn]
    assert kinds == [["random game", "Footsies", "Bodega Brawl", "soccer", "Goofspiel", "Roshambo"]] * len(SEEDS)
    for row in {row.name: row for rows in drawn for row in rows}.values():
        game = row.make()
        assert states_measured(game) <= MOST_STATES, row.title
        if states_measured(game) <= MOST_STATES // 10:
            share = exploitability(game, agents.make("random", game)) / row.stake
            assert LEAST < share <= 1, row.title
