"""Policies of OpenSpiel, held against OpenSpiel's own measures."""

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.baselines import exploitability, nash_conv
from nashzoo.envs import from_openspiel, tictactoe_v0
from nashzoo.envs.base.errors import UsageError

pyspiel = pytest.importorskip("pyspiel")


def test_policies_of_openspiel_are_measured_in_its_games() -> None:
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability as openspiels
    from open_spiel.python.games import data

    game, source = from_openspiel("kuhn_poker"), pyspiel.load_game("kuhn_poker")
    for one in (policy.UniformRandomPolicy(source), pyspiel.UniformRandomPolicy(source)):
        assert nash_conv(game, one) == pytest.approx(11 / 12, abs=1e-12)  # Lanctot et al. (2017), table 2
    assert exploitability(game, data.kuhn_nash_equilibrium(0.2)) == pytest.approx(0.0, abs=1e-12)
    mine = policy.TabularPolicy(source)
    mine.action_probability_array[:] = np.random.default_rng(1).dirichlet([1, 1], 12)
    assert nash_conv(game, mine) == pytest.approx(openspiels.nash_conv(source, mine), abs=1e-12)


@pytest.mark.parametrize("name", ["tic_tac_toe", "matrix_rps", "goofspiel(num_cards=3,imp_info=True)"])
def test_policies_of_openspiel_in_other_kinds_of_games(name: str) -> None:
    from open_spiel.python import policy

    game, source = from_openspiel(name), pyspiel.load_game(name)
    uniform = agents.make("random", game)
    mine = policy.UniformRandomPolicy(source)
    assert exploitability(game, mine) == pytest.approx(exploitability(game, uniform), abs=1e-12)


def test_policies_of_openspiel_are_refused_elsewhere() -> None:
    from open_spiel.python import policy

    one = policy.TabularPolicy(pyspiel.load_game("kuhn_poker"))
    with pytest.raises(UsageError, match="reads OpenSpiel's states; measure it in openspiel:kuhn_poker"):
        exploitability(tictactoe_v0.game(), one)
    with pytest.raises(UsageError, match=r"plays OpenSpiel's kuhn_poker\(\), not tic_tac_toe\(\)"):
        exploitability(from_openspiel("tic_tac_toe"), one)
    with pytest.raises(UsageError, match="is an object of OpenSpiel, but no policy of it"):
        exploitability(from_openspiel("kuhn_poker"), pyspiel.load_game("kuhn_poker"))
