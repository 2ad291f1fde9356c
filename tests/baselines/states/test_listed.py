"""States that play can reach, what follows on them, and the order in which to solve them."""

from typing import Any

import numpy as np
import pytest

import brute_force
import graph_game
import nim
import repeated_rps
from nashzoo.baselines import ListedStates
from nashzoo.baselines.states.space import NEVER
from nashzoo.envs import footsies_v0
from nashzoo.envs.core import reachable
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.reachable import OVER, TooManyStatesError

GAMES = {
    "footsies": footsies_v0.game(),
    "footsies match": footsies_v0.game(rounds=2, blocks=1, max_turns=3),
    "nim": Game(nim, heap=12, first="random"),
    "rock-paper-scissors": Game(repeated_rps, rounds=4, recall=2),
}


@pytest.mark.parametrize("name", GAMES)
def test_states_are_those_of_a_plain_search(name: str) -> None:
    game = GAMES[name]
    states = ListedStates(game)
    assert states.codes.tolist() == brute_force.reachable(game)
    following, rewards = states.successors.by_action(game.num_actions)
    masks = zip(states.successors.legal0, states.successors.legal1, strict=True)
    for number, (code, pair) in enumerate(zip(states.codes.tolist(), masks, strict=True)):
        legal = [game.legal_actions(code, player) for player in range(2)]
        assert list(pair) == [sum(1 << action for action in actions) for actions in legal]
        for i, j in np.ndindex(game.num_actions, game.num_actions):
            if i not in legal[0] or j not in legal[1]:
                assert (following[number, i, j], rewards[number, i, j]) == (NEVER, 0.0)
                continue
            after = game.step(code, i, j)
            assert rewards[number, i, j] == game.payoff(after)
            assert following[number, i, j] == (OVER if game.terminal(after) else states.ids(after))


def test_states_that_are_too_many_are_not_listed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(nim, heap=40)
    with pytest.raises(TooManyStatesError):
        ListedStates(game, most_states=30)
    with monkeypatch.context() as patched:
        patched.setattr(reachable, "expand", None)
        for most in (20, 30):
            with pytest.raises(TooManyStatesError, match=f"more than {most} states"):
                ListedStates(game, most_states=most)
    assert len(ListedStates(game)) == len(brute_force.reachable(game))


@pytest.mark.parametrize("name", GAMES)
def test_layers_hold_every_state_once_and_lead_only_to_earlier_ones(name: str) -> None:
    states = ListedStates(GAMES[name])
    solved = np.zeros(len(states), np.bool_)
    for ids, cyclic in states.layers:
        assert not solved[ids].any()
        within = np.zeros(len(states), np.bool_)
        within[ids] = True
        after = states.successors.following[ids]
        after = after[after >= 0]
        assert (solved | within)[after].all()
        assert cyclic == within[after].any()
        solved[ids] = True
    assert solved.all()


def test_how_many_states_and_layers() -> None:
    assert len(ListedStates(Game(nim, heap=7))) == 1 + 1 + 5 * 2  # 7 and 6 left with one mover, 5 to 1 with either
    states = ListedStates(Game(repeated_rps, rounds=3, recall=1))
    assert (len(states), len(states.layers)) == (1 + 9 + 9, 3)
    assert not any(cyclic for _, cyclic in states.layers)
    assert any(cyclic for _, cyclic in ListedStates(footsies_v0.game()).layers)
    assert not any(cyclic for _, cyclic in ListedStates(footsies_v0.game(max_turns=5)).layers)


def test_layers_of_a_graph_drawn_by_hand() -> None:
    # 0 -> 1 <-> 2 -> 3 -> 4 (end), 0 -> 3, and 5, which stays where it is, is reached from 0.
    tables = [[[1, 3, 5]], [[2]], [[1], [3]], [[4]], None, [[5]]]
    layers = ListedStates(Game(graph_game, tables=tables, pays=[0.0] * 6)).layers
    assert [(ids.tolist(), cyclic) for ids, cyclic in layers] == [([3, 4], True), ([1, 2], True), ([0], False)]


def test_many_ways_lead_to_the_same_state() -> None:
    game = Game(graph_game, tables=[[[1] * 4] * 4, [[0] * 4] * 4], pays=[0.0, 0.0])
    assert [(ids.tolist(), cyclic) for ids, cyclic in ListedStates(game).layers] == [([0, 1], True)]


def test_numbers_of_codes() -> None:
    states = ListedStates(GAMES["nim"])
    numbers = np.arange(len(states))
    assert (states.ids(states.codes) == numbers).all()
    assert (states.ids(states.codes[::-1]) == numbers[::-1]).all()
    assert states.ids(int(states.codes[3])) == 3
    assert all(int(code) in states for code in states.codes)
    assert GAMES["nim"].rules.encode(nim.State(0, 1)) not in states
    assert GAMES["nim"].rules.encode(nim.State(13, 0)) not in states


@pytest.mark.parametrize("state", [nim.State(0, 1), nim.State(100, 0)])
def test_a_code_that_play_does_not_lead_to(state: nim.State) -> None:
    states = ListedStates(GAMES["nim"])
    code = GAMES["nim"].rules.encode(state)
    for codes in (code, [int(states.codes[0]), code]):
        with pytest.raises(KeyError, match=rf"does not lead to heap={state.heap}.*or is over there"):
            states.ids(codes)


def test_roots() -> None:
    game = GAMES["footsies"]
    code = game.code(blocks0=0, blocks1=0, hits0=1)
    states = ListedStates(game, [code, code])
    assert code in states
    assert int(game.start_codes[0]) not in states
    assert all(game.state(int(after)).blocks0 == 0 for after in states.codes)


@pytest.mark.parametrize(
    ("roots", "message"),
    [
        ([nim.State(0, 0)], "the game is over at the root heap=0,mover=0"),
        ([nim.State(3, 0), nim.State(0, 0)], "the game is over at the root heap=0,mover=0"),
        ([], "there must be at least one root"),
    ],
)
def test_wrong_roots(roots: list[nim.State], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ListedStates(GAMES["nim"], [GAMES["nim"].rules.encode(state) for state in roots])


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize("pay", [np.inf, -np.inf, np.nan])
def test_a_payoff_that_is_not_finite(pay: Any) -> None:
    game = Game(graph_game, tables=[[[1]], [[0, 2]], None], pays=[0.0, 0.0, pay])
    with pytest.raises(ValueError, match=r"graph_game_v0 pays a reward that is not finite after node=1"):
        ListedStates(game)
