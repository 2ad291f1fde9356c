"""Policies as tables: asked at every state, checked, and played."""

import re
from typing import Any

import numpy as np
import pytest

import nim
import repeated_rps
import staked_rps
from nashzoo import agents
from nashzoo.baselines import (
    ListedStates,
    Policy,
    TabularPolicy,
    best_response,
    evaluate,
    exploitability,
    nash_conv,
    solve,
)
from nashzoo.baselines.policies.tabular import tabulate
from nashzoo.envs import bodega_brawl_v0, footsies_v0, roshambo_v0
from nashzoo.envs.core.agent import uniform_over
from nashzoo.envs.core.game import CHANCE, Game

EXACT = 1e-12

NIM = Game(nim, heap=4)
RPS = Game(repeated_rps, rounds=2)


class Says:
    """Answers every batch with the same array or function of the masks."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        return self.answer(action_masks) if callable(self.answer) else self.answer


def test_the_policy_sees_each_state_from_its_seat() -> None:
    game = footsies_v0.game(blocks=1)
    codes = ListedStates(game).codes
    for player in (0, 1):
        seen: list[Any] = []

        class Looks:
            def action_probabilities(self, observations: Any, action_masks: Any, seen: list[Any] = seen) -> Any:
                seen.append(observations.copy())
                assert (action_masks == 1).all()
                return np.full((len(observations), 4), 0.25)

        assert (tabulate(game, Looks(), codes, player) == 0.25).all()
        assert (seen[0] == np.array([game.observe(int(code), player) for code in codes])).all()


def test_masks_are_the_legal_actions() -> None:
    codes = ListedStates(NIM).codes

    def answer(masks: Any) -> Any:
        seen.append(masks.copy())
        return masks / masks.sum(axis=1, keepdims=True)

    for player in (0, 1):
        seen: list[Any] = []
        tabulate(NIM, Says(answer), codes, player)
        legal = [NIM.legal_actions(int(code), player) for code in codes]
        assert [tuple(np.flatnonzero(mask)) for mask in seen[0]] == legal


def test_numbers_of_single_precision_are_made_to_sum_to_one() -> None:
    third = np.float32(1 / 3) * np.float32(1.000002)
    table = tabulate(RPS, Says(lambda masks: np.full(masks.shape, third, np.float32)), ListedStates(RPS).codes, 0)
    assert table.dtype == np.float64
    assert table.sum(axis=1) == pytest.approx(1, abs=EXACT)


def thirds_but(row: list[float]) -> Says:
    answer = np.full((len(ListedStates(RPS)), 3), 1 / 3)
    answer[4] = row
    return Says(answer)


@pytest.mark.parametrize(
    ("game", "policy", "message"),
    [
        *(
            (RPS, thirds_but(row), rf"at round=1.*player 1 has the probabilities \[.*{row[0]}")
            for row in ([0.5] * 3, [0.2] * 3, [1.5, -0.5, 0.0], [np.nan, 0.5, 0.5], [np.inf, 0.0, 0.0], [0.0] * 3)
        ),
        (NIM, Says(lambda masks: np.full(masks.shape, 1 / 3)), "at heap=1,mover=0 player 1 .* over the legal actions"),
        *(
            (RPS, Says(np.ones(shape)), r"must have shape \(10, 3\), not")
            for shape in ((3,), (1, 3), (10, 4), (10, 3, 1))
        ),
        (RPS, "counter", r"a policy is an object, not a name; agents.make\('counter', game\) makes one"),
        (RPS, 3, "int has no action_probabilities"),
    ],
)
def test_what_is_no_policy_is_refused(game: Game, policy: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        tabulate(game, policy, ListedStates(game).codes, 1)


class TestTablePolicy:
    def test_it_is_a_policy_and_gives_back_its_table(self) -> None:
        states = ListedStates(NIM)
        legal = states.successors.legal0[:, None] >> np.arange(3) & 1
        legal1 = states.successors.legal1[:, None] >> np.arange(3) & 1
        tables = legal / legal.sum(axis=1, keepdims=True), legal1 / legal1.sum(axis=1, keepdims=True)
        policy = TabularPolicy(states, tables)
        assert isinstance(policy, Policy)
        for player in (0, 1):
            assert (tabulate(NIM, policy, states.codes, player) == tables[player]).all()

    def test_a_symmetric_game_is_played_from_either_seat_with_one_table(self) -> None:
        rng = np.random.default_rng(9)
        game = footsies_v0.game(blocks=1)
        states = ListedStates(game)
        table = rng.dirichlet(np.ones(4), len(states))
        mirrored = table[states.ids(game.swap_players(states.codes))]
        first, second = TabularPolicy(states, (table, None)), TabularPolicy(states, (None, mirrored))
        for policy in (first, second):
            assert tabulate(game, policy, states.codes, 0) == pytest.approx(table, abs=EXACT)
            assert tabulate(game, policy, states.codes, 1) == pytest.approx(mirrored, abs=EXACT)

    @pytest.mark.parametrize("player", [0, 1])
    def test_a_seat_without_a_table(self, player: int) -> None:
        states = ListedStates(NIM)
        table = np.eye(3)[np.zeros(len(states), np.int64)]
        policy = TabularPolicy(states, (table, None) if player == 0 else (None, table))
        code = int(states.codes[-1])
        policy.predict(NIM.observe(code, player))
        with pytest.raises(ValueError, match=f"this policy is for player {player} alone"):
            policy.predict(NIM.observe(code, 1 - player))

    def test_a_state_that_play_does_not_lead_to(self) -> None:
        states = ListedStates(NIM, [NIM.code(heap=2, mover=0)])
        policy = TabularPolicy(states, (np.eye(3)[np.zeros(len(states), np.int64)],) * 2)
        with pytest.raises(KeyError, match=r"play does not lead to heap=4,mover=0"):
            policy.predict(NIM.observe(NIM.code(heap=4, mover=0), 0))

    def test_it_is_played_as_often_as_it_says(self) -> None:
        states = ListedStates(RPS)
        policy = TabularPolicy(states, (np.tile([0.5, 0.3, 0.2], (len(states), 1)), None), seed=10)
        games = 4000
        start = np.tile(RPS.observe(int(RPS.start_codes[0]), 0), (games, 1))
        actions, memory = policy.predict(start)
        assert memory is None
        assert np.bincount(actions) / games == pytest.approx(np.array([0.5, 0.3, 0.2]), abs=5 * 0.5 / np.sqrt(games))
        assert policy.predict(start[0], deterministic=True)[0] == 0


def test_no_policy_is_asked_for_nothing_where_chance_decides() -> None:
    class Policies:
        def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
            assert len(observations) > 0
            return uniform_over(action_masks)

    game = Game(staked_rps)
    codes = np.array([game.start_codes[0], game.first_decision])
    assert game.turn(int(codes[0])) == CHANCE
    assert tabulate(game, Policies(), codes[:1], 0).tolist() == [[1.0, 0.0, 0.0]]
    assert tabulate(game, Policies(), codes, 0)[1] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("other", [footsies_v0.game(rounds=2), bodega_brawl_v0.game(preset="tiny")], ids=str)
def test_policies_of_another_game_are_refused(other: Game) -> None:
    game = footsies_v0.game()
    own, foreign = agents.make("random", game), agents.make("random", other)
    told = re.escape(f"random plays {other}, not {game}")
    for use in (
        lambda: evaluate(game, own, foreign),
        lambda: best_response(game, foreign, 0),
        lambda: exploitability(game, own, foreign),
        lambda: nash_conv(game, foreign),
    ):
        with pytest.raises(ValueError, match=told):
            use()
    roshambo, recalling = roshambo_v0.game(rounds=5), agents.make("habits", roshambo_v0.game(rounds=6))
    with pytest.raises(ValueError, match=r"habits plays roshambo_v0.* not roshambo_v0"):
        evaluate(roshambo, agents.make("random", roshambo), recalling)


@pytest.mark.parametrize("game", ["footsies_v0", None, footsies_v0])
def test_what_is_no_game_is_refused(game: Any) -> None:
    policy = agents.make("random", footsies_v0.game())
    for use in (
        lambda: solve(game),
        lambda: evaluate(game, policy, policy),
        lambda: best_response(game, policy, 0),
        lambda: exploitability(game, policy),
        lambda: agents.make("random", game),
    ):
        with pytest.raises(ValueError, match=r"is no game; footsies_v0\.game\(\) is one"):
            use()
