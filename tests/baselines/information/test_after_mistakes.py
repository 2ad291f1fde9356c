"""Beliefs and values of actions at information states to which an equilibrium never leads."""

import numpy as np
import pytest

import tree_game
from nashzoo.baselines import solve
from nashzoo.baselines.information.measures import sequence_form_of
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.envs import Game, make_game

RARE = 1e-6  # probability of a mistake


def test_a_bet_that_is_never_made_in_kuhn_poker() -> None:
    """If red never bets first, blue cannot say with which of the other two cards it did: worth of a call by hand."""
    game = make_game("nashzoo.examples.kuhn")
    form = sequence_form_of(game)
    plex = form.treeplexes[0]
    probabilities = np.ones(plex.num_sequences)
    passes = {1: 1.0, 2: 2 / 3, 3: 0.0}  # with each card, after a pass and a bet; Kuhn's (1950) family with alpha = 0
    for number, code in enumerate(plex.codes.tolist()):
        share = 1.0 if game.state(code).moves == 0 else passes[game.state(code).card0]
        probabilities[plex.first[number] : plex.first[number] + 2] = share, 1 - share
    other = solve(game)
    assert isinstance(other, InformationSolution)
    solution = InformationSolution(form, (plex.weights(probabilities), other.weights[1]))
    assert solution.certificate <= 1e-9
    for card, call in ((1, -2.0), (2, 0.0), (3, 2.0)):
        seen = game.code(dealt=1, card1=card, moves=1, history=1)
        assert solution.reached(seen, 1) == 0.0
        assert np.isnan(solution.action_values(seen, 1)).all()
        assert solution.action_values(seen, 1, mistakes=True).tolist() == pytest.approx([-1.0, call])
        assert sorted(solution.beliefs(seen, 1)[1].tolist()) == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("seed", range(30))
def test_it_is_the_limit_of_rare_mistakes(seed: int) -> None:
    game = Game(tree_game, nodes=tree_game.random_tree(np.random.default_rng(seed)))
    solution = solve(game)
    if not isinstance(solution, InformationSolution):  # a tree in which nobody chooses, or nothing is hidden
        return
    for player, plex in enumerate(solution.form.treeplexes):
        other = solution.form.treeplexes[1 - player]
        exact = np.where(solution.probabilities[1 - player] < 1e-9, 0.0, solution.probabilities[1 - player])
        solution.probabilities[1 - player][:] = exact
        solution.weights[1 - player][:] = other.weights(exact)
        trembling = other.weights((1 - RARE) * exact + RARE * other.uniform())
        weights = (solution.weights[0], trembling) if player == 0 else (trembling, solution.weights[1])
        reached = InformationSolution(solution.form, weights)  # everywhere
        totals, _ = plex.best_response(solution.form.gains(player, trembling))
        for number, code in enumerate(plex.codes.tolist()):
            expected = totals[plex.first[number] : plex.first[number + 1]] / reached.reached(code, player)
            values = solution.action_values(code, player, mistakes=True)
            assert values[list(game.legal_actions(code, player))] == pytest.approx(expected, abs=1e-3)
            (found, beliefs), (states, expected) = (one.beliefs(code, player) for one in (solution, reached))
            assert found.tolist() == states.tolist()
            assert beliefs == pytest.approx(expected, abs=1e-3)
