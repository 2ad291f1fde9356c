"""The policy of a player in recorded matches."""

from collections.abc import Iterator

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.arena.recorded_policy import RecordedPolicy
from nashzoo.arena.records import UNFINISHED, Record
from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines import Weakness, weaknesses
from nashzoo.envs import Game, footsies_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError

EXACT = 1e-12
ATTACK, BLOCK, GRAB, PUNCH = range(4)


def match(game: Game, players: tuple[str, str], *steps: tuple[int, int]) -> Record:
    played = Trajectory(game, game.first_decision)
    for step in steps:
        played.follow(*step)
    return Record(played, players, UNFINISHED)


def played_at(policy: RecordedPolicy, code: int, seat: int) -> list[float]:
    mask = np.zeros((1, policy.game.num_actions), np.int8)
    mask[0, list(policy.game.legal_actions(code, seat))] = 1
    row: list[float] = policy.action_probabilities(policy.game.observe(code, seat)[None], mask)[0].tolist()
    return row


def footsies_matches(game: Game) -> Iterator[Record]:
    yield match(game, ("ann", "bob"), (BLOCK, GRAB))
    yield match(game, ("bob", "ann"), (PUNCH, ATTACK))
    yield match(game, ("ann", "bob"), (BLOCK, BLOCK), (GRAB, GRAB))
    yield match(footsies_v0.game(rounds=2), ("ann", "bob"), (PUNCH, PUNCH))  # another game


def test_frequencies_in_both_seats_and_the_equilibrium_elsewhere() -> None:
    game = footsies_v0.game()
    policy = RecordedPolicy(game, "ann", footsies_matches(game))
    start = game.first_decision
    assert (policy.matches, policy.decisions, policy.decisions_at((start, 0))) == (3, 4, 3)
    for seat in (0, 1):
        assert played_at(policy, start, seat) == pytest.approx([1 / 3, 2 / 3, 0, 0], abs=EXACT)
    after = game.step(start, BLOCK, BLOCK)
    assert played_at(policy, after, 0) == [0, 0, 1, 0]
    other = game.step(start, GRAB, GRAB)
    assert policy.decisions_at((other, 0)) == 0
    nash = agents.make("nash", game)
    assert played_at(policy, other, 1) == played_at(RecordedPolicy(game, "bob", footsies_matches(game)), other, 1)
    assert played_at(policy, other, 1)[ATTACK] == 0.0 and nash.game == game


def test_a_mirrored_state_is_the_same_state() -> None:
    # Bob has landed a hit in seat 1; then he grabs. In seat 0 he does so, too.
    game = footsies_v0.game()
    policy = RecordedPolicy(game, "bob", [match(game, ("ann", "bob"), (GRAB, ATTACK), (BLOCK, GRAB))])
    start = game.first_decision
    assert played_at(policy, game.step(start, GRAB, ATTACK), 1) == [0, 0, 1, 0]
    assert played_at(policy, game.step(start, ATTACK, GRAB), 0) == [0, 0, 1, 0]


def test_options_may_be_left_out_of_a_name() -> None:
    game = footsies_v0.game()
    matches = [match(game, ("bluff(bluff=0.5)", "bob"), (ATTACK, GRAB))]
    for name in ("bluff", "bluff(bluff=0.5)"):
        assert RecordedPolicy(game, name, matches).decisions == 1


def test_points_are_lost_only_where_the_player_was_seen() -> None:
    # By hand: crosses begin in a corner, and noughts answer at a side, where the middle alone does not lose.
    game = tictactoe_v0.game()
    policy = RecordedPolicy(game, "ann", [match(game, ("bob", "ann"), (0, 0), (0, 1))])
    (loses,) = weaknesses(game, policy)
    assert isinstance(loses, Weakness)
    assert (loses.seat, loses.situation, loses.plays["1"]) == (1, "board=x........", 1.0)
    assert (loses.best["4"], loses.regret) == pytest.approx((1.0, 1.0), abs=EXACT)


def test_a_player_without_a_choice_is_refused() -> None:
    game = footsies_v0.game()
    with pytest.raises(UsageError, match=r"eve chose in no recorded match of footsies.*: the players are ann, bob$"):
        RecordedPolicy(game, "eve", footsies_matches(game))
    with pytest.raises(UsageError, match=r"of tictactoe_v0: there are no matches of this game$"):
        RecordedPolicy(tictactoe_v0.game(), "ann", footsies_matches(game))
