"""The proof of equilibria with hidden information: it agrees with the measures, and notices wrong claims."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from nashzoo.baselines import CertificateError, exploitability, solve
from nashzoo.baselines.information.checker import Claims, certify, highest_response
from nashzoo.baselines.information.measures import sequence_form_of
from nashzoo.baselines.information.program import solve_program
from nashzoo.baselines.information.regret_minimization import CFR_PLUS, RegretMinimizer, Rule
from nashzoo.baselines.information.sequence_form import SequenceForm
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.envs import Game, make_game
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Mask

GAMES = ["kuhn", "leduc", "liars_dice"]
PARAMETERS: dict[str, dict[str, int]] = {"kuhn": {}, "leduc": {"ranks": 2}, "liars_dice": {"faces": 3}}


def named(name: str) -> Game:
    return make_game(f"examples/games/{name}.py", **PARAMETERS[name])


def claimed(game: Game, tables: tuple[Floats, Floats]) -> tuple[Claims, Claims]:
    """Returns the strategies of two tables by number of the information state ``[n, actions]``."""
    claims = []
    for plex, table in zip(sequence_form_of(game).treeplexes, tables, strict=True):
        codes = np.sort(plex.codes)
        claims.append(Claims(codes, table[sequence_form_of(game).states.ids(codes)]))
    return claims[0], claims[1]


class Seeded(PolicyAgent):
    """A random policy that depends on the information state alone."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        codes, players = self.states_of(observations)
        rows = [
            np.random.default_rng([code, player]).random(action_masks.shape[1])
            for code, player in zip(codes, players, strict=True)
        ]
        weights = np.array(rows) * action_masks
        return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", GAMES)
def test_the_certificate_of_any_pair_is_what_best_responses_win(name: str) -> None:
    game = named(name)
    form, policy = sequence_form_of(game), Seeded(game)
    tables = []
    for player, at in enumerate(form.observed):
        table = np.zeros((len(form.states), game.num_actions))
        table[form.states.ids(form.treeplexes[player].codes)] = policy.action_probabilities(at.observations, at.masks)
        tables.append(table)
    gap = certify(game, claimed(game, (tables[0], tables[1])))
    assert gap == pytest.approx(2 * exploitability(game, policy), abs=1e-9)
    assert gap > 0.1


@pytest.mark.parametrize("name", GAMES)
def test_the_certificate_is_above_the_exact_gap(name: str) -> None:
    solution = solve(named(name))
    assert 0.0 < solution.certificate < 1e-10
    assert solution.verify() == solution.certificate


class TestWrongClaims:
    def claims(self) -> tuple[Game, Claims]:
        game = named("kuhn")
        return game, claimed(game, solve(game).policies)[0]

    def test_probabilities_that_are_no_distribution(self) -> None:
        game, claims = self.claims()
        halved = claims._replace(probabilities=claims.probabilities / 2)
        with pytest.raises(CertificateError, match="no strategy"):
            highest_response(game, halved, 1)

    def test_negative_probabilities_and_nan(self) -> None:
        game, claims = self.claims()
        for number in (-1.0, np.nan):
            wrong = claims.probabilities.copy()
            wrong[0] = number, 1.0 - number
            with pytest.raises(CertificateError, match="negative"):
                highest_response(game, claims._replace(probabilities=wrong), 1)

    def test_an_information_state_without_a_strategy(self) -> None:
        game, claims = self.claims()
        with pytest.raises(CertificateError, match="no strategy"):
            highest_response(game, Claims(claims.codes[1:], claims.probabilities[1:]), 1)

    def test_a_worse_strategy_has_a_larger_certificate(self) -> None:
        game, claims = self.claims()
        always = np.tile([0.0, 1.0], (len(claims.codes), 1))
        assert highest_response(game, Claims(claims.codes, always), 1) > highest_response(game, claims, 1) + 0.1


def without_chance(form: SequenceForm) -> SequenceForm:
    matrix = form.matrix.copy()
    matrix.data = np.sign(matrix.data)
    return replace(form, matrix=matrix, transposed=matrix.T.tocsr())


def with_signs_exchanged(form: SequenceForm) -> SequenceForm:
    return replace(form, matrix=-form.matrix, transposed=-form.transposed)


def with_the_highest_rewards_lost(form: SequenceForm) -> SequenceForm:
    matrix = form.matrix.copy()
    matrix.data[matrix.data == matrix.data.max()] = 0.0
    return replace(form, matrix=matrix, transposed=matrix.T.tocsr())


SOLVERS: dict[str, Callable[[SequenceForm], tuple[Floats, Floats]]] = {
    "uniform play": lambda form: tuple(plex.weights(plex.uniform()) for plex in form.treeplexes),  # type: ignore[return-value]
    "probabilities of chance forgotten": lambda form: solve_program(without_chance(form))[1],
    "signs exchanged": lambda form: solve_program(with_signs_exchanged(form))[1],
    "the highest rewards lost": lambda form: solve_program(with_the_highest_rewards_lost(form))[1],
    "too few iterations": lambda form: iterated(form, CFR_PLUS, 3),
    "regrets of the wrong sign": lambda form: iterated(with_signs_exchanged(form), CFR_PLUS, 1000),
    "nothing added up": lambda form: iterated(form, CFR_PLUS._replace(gamma=-50.0), 1000),
}


def iterated(form: SequenceForm, rule: Rule, iterations: int) -> tuple[Floats, Floats]:
    learner = RegretMinimizer(form, rule)
    learner.run(iterations)
    return learner.average()


@pytest.mark.parametrize("wrong", SOLVERS)
@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_a_solver_that_errs_has_a_large_certificate(name: str, wrong: str) -> None:
    form = sequence_form_of(make_game(f"examples/games/{name}.py"))
    assert InformationSolution(form, SOLVERS[wrong](form)).certificate > 1e-2
