"""The example with RLlib learns; ``make ecosystem`` runs this where RLlib is installed."""

from examples import rllib_ppo
from nashzoo import agents
from nashzoo.arena.trainer_checks import check_trainer
from nashzoo.baselines import best_response, evaluate
from nashzoo.envs import footsies_v0, tictactoe_v0
from studies import public_rllib


def test_footsies_in_parallel() -> None:
    game = footsies_v0.game()
    random = agents.make("random", game)
    most = best_response(game, random, 0).value
    assert abs(evaluate(game, random, random)) < 1e-9 < 0.7 * most < rllib_ppo.footsies() <= most + 1e-9


def test_tictactoe_in_turn_with_masks() -> None:
    game = tictactoe_v0.game()
    random = agents.make("random", game)
    assert evaluate(game, random, random) < 0.3 < 0.6 < rllib_ppo.tictactoe() < best_response(game, random, 0).value


def test_self_play_against_copies_can_be_measured() -> None:
    (finding,) = check_trainer(public_rllib.league_mended, names=["reply"], factor=0.01)
    assert len(finding.losses) == 2 and not finding.error
