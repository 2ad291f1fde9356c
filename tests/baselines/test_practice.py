"""What one's own choices at a state lose: by hand, and by solving for the best reply in a game that begins there."""

import numpy as np
import pytest

import nim
import repeated_rps
from nashzoo.baselines import solve
from nashzoo.baselines.practice import apportioned, practice
from nashzoo.envs import bodega_brawl_v0, footsies_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game

EXACT = 1e-9
ROCK, PAPER, SCISSORS = range(3)


def test_a_single_throw_is_no_mistake_but_the_same_throw_again_is() -> None:
    # Always Rock loses a point to Paper, Rock and Paper in turn half a point to Paper, each once nothing.
    solution = solve(Game(repeated_rps, rounds=1))
    begun = practice(solution, 0, 0, [ROCK], 1.0)
    assert begun.losses == pytest.approx([0.0] * 3, abs=EXACT)
    assert (begun.regrets, begun.punished_by, begun.counting) == ([pytest.approx(1.0)], PAPER, 6)
    found = practice(solution, 0, 0, [ROCK, PAPER, SCISSORS], 1.0)
    assert found.regrets == pytest.approx([1.0, 0.5, 0.0], abs=EXACT)
    assert found.punished_by is None and not found.done
    assert found.plays == pytest.approx([1 / 3] * 3)
    for throws, regret, done in (([2, 2, 2], 0.0, True), ([3, 2, 1], 1 / 3, True), ([4, 1, 1], 0.5, False)):
        mixed = practice(solution, 0, 0, [throw for throw in range(3) for _ in range(throws[throw])], 1.0)
        assert (mixed.regrets[-1], mixed.done) == (pytest.approx(regret, abs=EXACT), done)
        assert mixed.bound == pytest.approx(0.4)


def test_earlier_choices_are_forgotten() -> None:
    solution = solve(Game(repeated_rps, rounds=1))
    found = practice(solution, 0, 0, [ROCK] * 5 + [ROCK, PAPER, SCISSORS] * 2, 1.0)
    assert found.regrets[4] == pytest.approx(1.0) and found.regrets[-1] == pytest.approx(0.0, abs=EXACT)
    assert found.done


def test_where_one_move_is_right_two_right_ones_in_succession_are_enough() -> None:
    # From 5 only taking one wins; each other move loses two points, a win less a loss.
    game = Game(nim, heap=5)
    solution, code = solve(game), int(game.start_codes[0])
    wrong = practice(solution, code, 0, [1], 1.0)
    assert (wrong.losses.tolist(), wrong.regrets, wrong.punished_by) == ([0.0, 2.0, 2.0], [2.0], None)
    once, twice = practice(solution, code, 0, [1, 0], 0.5), practice(solution, code, 0, [1, 0, 0], 0.5)
    assert (once.regrets, once.done) == ([2.0, 1.0], False)
    assert (twice.regrets, twice.done, twice.counting) == ([2.0, 1.0, 0.0], True, 2)
    assert not practice(solution, code, 0, [0], 0.5).done


def test_without_what_was_lost_the_bound_is_less_than_one_wrong_choice_of_two() -> None:
    for game, code, bound in ((Game(nim, heap=5), None, 0.8), (Game(repeated_rps, rounds=1), 0, 0.4)):
        start = int(game.start_codes[0]) if code is None else code
        assert practice(solve(game), start, 0, [0]).bound == pytest.approx(bound)


@pytest.mark.parametrize("game", [footsies_v0.game(), bodega_brawl_v0.game(preset="tiny")], ids=str)
@pytest.mark.parametrize("player", [0, 1])
def test_the_regret_by_trying_each_reply(game: Game, player: int) -> None:
    solution, rng, sign = solve(game), np.random.default_rng(player), 1 - 2 * player
    for code in rng.choice(solution.states.codes_at(np.arange(len(solution.states))), 20).tolist():
        if player in game.movers(code):
            choices = rng.choice(game.legal_actions(code, player), 5).tolist()
            found = practice(solution, code, player, choices, 1.0)
            counted = choices[-found.counting :]
            brings = {}
            for reply in game.legal_actions(code, 1 - player):
                after = [game.step(code, *((own, reply) if player == 0 else (reply, own))) for own in counted]
                brings[reply] = sign * np.mean(
                    [game.payoff(one) + (0.0 if game.terminal(one) else solution.value(one)) for one in after]
                )
            regret = sign * solution.value(code) - min(brings.values())
            assert found.regrets[-1] == pytest.approx(regret, abs=EXACT)
            if found.punished_by is not None:
                assert brings[found.punished_by] == pytest.approx(min(brings.values()), abs=EXACT)


def test_every_state_can_be_done_however_little_was_lost() -> None:
    game = footsies_v0.game()
    solution = solve(game)
    for code in [code for code in solution.states.codes.tolist() if game.movers(code) == (0, 1)][:30]:
        equilibrium = practice(solution, code, 0, [game.legal_actions(code, 0)[0]], 0.0)
        counts = apportioned(equilibrium.probabilities, equilibrium.counting)
        assert counts.sum() == equilibrium.counting
        assert np.abs(counts - equilibrium.counting * equilibrium.probabilities).max() < 1
        near = [action for action, times in zip(equilibrium.actions, counts, strict=True) for _ in range(times)]
        assert practice(solution, code, 0, near, 0.0).done


def test_refusals() -> None:
    game = Game(nim, heap=5)
    solution, code = solve(game), int(game.start_codes[0])
    with pytest.raises(UsageError, match="player 1 does not choose at"):
        practice(solution, code, 1, [0], 1.0)
    for choices in ([], [7], [0, -1]):
        with pytest.raises(UsageError, match=r"choices must be legal actions, at least one of \[0, 1, 2\]"):
            practice(solution, code, 0, choices, 1.0)
