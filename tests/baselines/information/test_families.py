"""Random games with hidden information beside an independent route: all pure strategies, as a matrix game."""

import itertools
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

from nashzoo.baselines import TabularPolicy, best_response, evaluate, exploitability, outcomes, solve, solve_matrix
from nashzoo.baselines.information.measures import sequence_form_of
from nashzoo.envs import Game
from nashzoo.envs.core.game import BOTH, Floats

TYPES, ACTIONS, CHANCE = 2, 2, 3


class Dealt(NamedTuple):
    kind0: int
    kind1: int
    moves: int
    sign: int


class Params(NamedTuple):
    seed: int = 0


class Tables(NamedTuple):
    rewards: Floats  # to player 0, by both kinds and both actions, one after another


def drawn(params: Params) -> tuple[Floats, Floats]:
    """Returns the chances of both kinds, and the rewards, of a random game."""
    rng = np.random.default_rng(params.seed)
    chances = rng.dirichlet(np.ones(TYPES * TYPES)).reshape(TYPES, TYPES)
    return chances, rng.integers(-3, 4, (TYPES, TYPES, ACTIONS, ACTIONS)).astype(np.float64)


def deals(params: Params) -> list[tuple[Dealt, float]]:
    chances, _ = drawn(params)
    return [(Dealt(i, j, 0, 0), float(chances[i, j])) for i, j in np.ndindex(TYPES, TYPES)]


def paid(tables: Tables, state: Dealt) -> float:
    if state.moves < 2:
        return 0.0
    row = TYPES * state.kind0 + state.kind1
    return tables.rewards[row, ACTIONS * (state.sign % 2) + state.sign // 2]


class Signalling:
    """Player 0 sees its kind and sends a sign; player 1 sees its own kind and the sign, and answers."""

    NAME, ACTIONS, State, Params = "signalling_v0", ("low", "high"), Dealt, Params
    SEEN_BY: ClassVar = {"kind0": (0,), "kind1": (1,)}

    field_maxima = staticmethod(lambda: Dealt(TYPES - 1, TYPES - 1, 2, 2 * ACTIONS - 1))
    tables = staticmethod(lambda params: Tables(drawn(params)[1].reshape(TYPES * TYPES, ACTIONS * ACTIONS)))
    start = staticmethod(deals)
    turn = staticmethod(lambda state: state.moves % 2)
    step = staticmethod(
        lambda state, action: Dealt(state.kind0, state.kind1, state.moves + 1, state.sign + action * (1 + state.moves))
    )
    terminal = staticmethod(lambda state: state.moves == 2)
    payoff = staticmethod(paid)


class Guessing(Signalling):
    """Both choose at once; player 0 sees both kinds, and player 1 neither."""

    NAME = "guessing_v0"
    SEEN_BY: ClassVar = {"kind0": (0,), "kind1": (0,)}

    turn = staticmethod(lambda: BOTH)
    step = staticmethod(lambda state, action0, action1: Dealt(state.kind0, state.kind1, 2, action0 + 2 * action1))


def all_pure(game: Game) -> tuple[list[TabularPolicy], list[TabularPolicy]]:
    """Returns all pure policies of both players."""
    form = sequence_form_of(game)
    policies: tuple[list[TabularPolicy], list[TabularPolicy]] = [], []
    for player, plex in enumerate(form.treeplexes):
        ids = form.states.ids(plex.codes)
        for choices in itertools.product(range(ACTIONS), repeat=len(ids)):
            table = np.zeros((len(form.states), ACTIONS))
            table[ids, list(choices)] = 1.0
            policies[player].append(TabularPolicy(form.states, (table, None) if player == 0 else (None, table)))
    return policies


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("family", [Signalling(), Guessing()])
class TestRandomGames:
    def test_the_value_is_that_of_the_matrix_of_pure_strategies(self, family: Any, seed: int) -> None:
        game = Game(family, seed=seed)
        rows, columns = all_pure(game)
        matrix = np.array([[evaluate(game, row, column) for column in columns] for row in rows])
        solution = solve(game)
        assert solution.start_value == pytest.approx(solve_matrix(matrix).value, abs=1e-9)
        assert solution.certificate < 1e-9

    @pytest.mark.parametrize("player", [0, 1])
    def test_no_pure_strategy_is_better_than_a_best_response(self, family: Any, seed: int, player: int) -> None:
        game = Game(family, seed=seed)
        rng = np.random.default_rng(seed)
        tables = rng.dirichlet(np.ones(ACTIONS), (2, len(sequence_form_of(game).states)))
        policy = TabularPolicy(sequence_form_of(game).states, (tables[0], tables[1]))
        replies = all_pure(game)[player]
        values = [evaluate(game, *((one, policy) if player == 0 else (policy, one))) for one in replies]
        best = best_response(game, policy, player, bounds=True)
        highest = max(values) if player == 0 else -min(values)
        assert best.value.lower - 1e-12 <= highest <= best.value.upper + 1e-12
        assert best.value.upper - best.value.lower < 1e-10

    def test_nobody_wins_from_the_equilibrium(self, family: Any, seed: int) -> None:
        game = Game(family, seed=seed)
        solution = solve(game)
        policy = TabularPolicy(solution.states, solution.policies)  # type: ignore[attr-defined]
        assert exploitability(game, policy) < 1e-9
        assert exploitability(game, policy, player=1) < 1e-9

    def test_wins_draws_and_losses_are_counted(self, family: Any, seed: int) -> None:
        game = Game(family, seed=seed)
        one, other = (policies[0] for policies in all_pure(game))
        won = even = lost = 0.0
        for code, chance in zip(game.start_codes.tolist(), game.start_probabilities, strict=True):
            while not game.terminal(code):
                assert game.turn(code) in (0, 1, BOTH)
                code = game.step(code, 0, 0)
            reward = game.payoff(code)
            won, even, lost = won + chance * (reward > 0), even + chance * (reward == 0), lost + chance * (reward < 0)
        assert outcomes(game, one, other) == pytest.approx((won, even, lost))
