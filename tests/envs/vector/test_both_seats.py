"""Games in which one learner decides for both players: against the rules."""

from typing import Any

import numpy as np
import pytest

import nim
import repeated_rps
from nashzoo.envs import Game, footsies_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.core.game import BOTH, Ints, Mask
from nashzoo.envs.vector.both_seats import BothSeatsBatch

GAMES_AT_ONCE, STEPS, MAX_CYCLES = 5, 60, 7
TURN_BASED = [tictactoe_v0.game(), Game(nim, heap=9, first="random"), soccer_v0.game(width=11, height=5)]
AT_ONCE = [footsies_v0.game(), Game(repeated_rps, rounds=4)]


def some_legal(masks: Mask, rng: np.random.Generator) -> Ints:
    return (rng.random(masks.shape) * masks).argmax(axis=1)


@pytest.mark.parametrize("game", [*TURN_BASED, *AT_ONCE], ids=str)
def test_it_plays_by_the_rules(game: Game) -> None:
    rng, batch = np.random.default_rng(1), BothSeatsBatch(game, GAMES_AT_ONCE, MAX_CYCLES)
    batch.seed(3)
    batch.restart()
    view, cycles, ends = batch.view(), [0] * GAMES_AT_ONCE, 0
    for _ in range(STEPS):
        before, seats = batch.codes.copy(), batch.seats.copy()
        for row, seat in enumerate(seats):
            code = int(before[row % GAMES_AT_ONCE])
            assert (view.observations[row] == game.observe(code, seat)).all()
            assert tuple(np.flatnonzero(view.masks[row])) == game.legal_actions(code, seat)
        actions = some_legal(view.masks, rng)
        result = batch.step_and_restart(actions)
        for i in range(GAMES_AT_ONCE):
            joint = [0, 0]
            for row in range(i, batch.num_rows, GAMES_AT_ONCE):
                joint[seats[row]] = int(actions[row])
            after = game.step(int(before[i]), *joint)
            cycles[i] += 1
            over, late = game.terminal(after), cycles[i] >= MAX_CYCLES
            for row in range(i, batch.num_rows, GAMES_AT_ONCE):
                sign = 1 - 2 * seats[row]
                assert result.outcome.rewards[row] == sign * game.payoff(after)
                assert result.outcome.terminated[row] == over
                assert result.outcome.truncated[row] == (late and not over)
                assert (row in result.ended) == (over or late)
                next_seat = game.turn(after) if game.turn_based and not over else seats[row]
                assert over or batch.turned[row] == (next_seat != seats[row])
                if (over or late) and not (over and game.turn_based):
                    seen = result.last.observations[list(result.ended).index(row)]
                    assert (seen == game.observe(after, next_seat)).all()
            if over or late:
                ends, cycles[i] = ends + 1, 0
                assert batch.codes[i] in game.start_codes
            else:
                assert batch.codes[i] == after
        view = result.view
    assert ends > GAMES_AT_ONCE


def test_the_seed_decides_where_games_start() -> None:
    batch = BothSeatsBatch(Game(nim, heap=9, first="random"), 50)
    seats = []
    for seed in (4, 4, 5):
        batch.seed(seed)
        batch.restart()
        seats.append(batch.seats.tolist())
    assert seats[0] == seats[1] != seats[2]
    assert set(seats[0]) == {0, 1}


@pytest.mark.parametrize("game", [tictactoe_v0.game(), footsies_v0.game()], ids=str)
def test_one_hot_observations_are_those_of_the_compact_ones(game: Game) -> None:
    batches = [BothSeatsBatch(game, GAMES_AT_ONCE, 4, observation=kind) for kind in ("compact", "one_hot")]
    rng = np.random.default_rng(0)
    for batch in batches:
        batch.restart()
    for _ in range(8):
        actions = some_legal(batches[0].masks(), rng)
        compact, one_hot = (batch.step_and_restart(actions) for batch in batches)
        encoding = batches[1].encoding
        assert encoding is not None
        assert (encoding.encode(compact.view.observations) == one_hot.view.observations).all()
        assert (encoding.encode(compact.last.observations) == one_hot.last.observations).all()


class TestWrongUse:
    def test_illegal_actions_cannot_raise(self) -> None:
        with pytest.raises(ValueError, match="illegal_action must be one of lose, noop, not 'raise'"):
            BothSeatsBatch(tictactoe_v0.game(), 2, illegal_action="raise")

    def test_games_have_to_be_started(self) -> None:
        with pytest.raises(ValueError, match=r"a game is not running: call restart\(\) first"):
            BothSeatsBatch(tictactoe_v0.game(), 2).step_and_restart(np.zeros(2, np.int64))

    def test_there_must_be_an_action_for_each_row(self) -> None:
        batch = BothSeatsBatch(footsies_v0.game(), 2)
        batch.restart()
        with pytest.raises(ValueError, match=r"actions must have shape \(4,\), not \(2,\)"):
            batch.step_and_restart(np.zeros(2, np.int64))

    def test_an_illegal_action_loses(self) -> None:
        batch = BothSeatsBatch(tictactoe_v0.game(), 1)
        batch.restart()
        batch.step_and_restart(np.array([4]))
        assert batch.step_and_restart(np.array([4])).outcome.rewards.tolist() == [-1]

    def test_turn_at_the_end_does_not_matter(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(nim, "turn", lambda state: BOTH if state.heap == 0 else state.mover)
        batch = BothSeatsBatch(Game(nim, heap=2), 3)
        batch.seed(0)
        batch.restart()
        result = batch.step_and_restart(np.full(3, 1))
        assert result.outcome.terminated.all() and (result.outcome.rewards == 1.0).all()
        assert result.last.seats.tolist() == [0, 0, 0] and batch.seats.tolist() == [0, 0, 0]

    def test_a_game_in_turn_and_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        batch = BothSeatsBatch(tictactoe_v0.game(), 1)

        def at_once(game: Any, codes: Ints, turns: Ints) -> None:
            turns[:] = BOTH

        monkeypatch.setattr("nashzoo.envs.vector.both_seats.Kernels.turn_all", at_once)
        with pytest.raises(ValueError, match=r"the players of tictactoe_v0 move in turn at its start, but"):
            batch.restart()
