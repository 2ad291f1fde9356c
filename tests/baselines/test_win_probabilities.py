"""Chances to win, draw and lose: counted over all games, played out, and refused where they have no meaning."""

from fractions import Fraction

import numpy as np
import pytest

import brute_force
import graph_game
import repeated_rps
import table_games
from made_games import graph
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.arena.match import play_match
from nashzoo.baselines import ListedStates, Outcomes, TabularPolicy, evaluate, outcomes, solve
from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.core.game import Game

EXACT = 1e-12
BRUTE_FORCE = 1e-8


def plain_chances(game: Game, code: int) -> tuple[Fraction, Fraction, Fraction]:
    """Returns the chances from a state when both play uniformly at random, as fractions."""
    if game.terminal(code):
        pays = game.payoff(code)
        return Fraction(pays > 0), Fraction(pays == 0), Fraction(pays < 0)
    pairs = [(i, j) for i in game.legal_actions(code, 0) for j in game.legal_actions(code, 1)]
    ways = [plain_chances(game, game.step(code, i, j)) for i, j in pairs]
    win, draw, loss = (sum(chances, Fraction(0)) / len(pairs) for chances in zip(*ways, strict=True))
    return win, draw, loss


def test_tic_tac_toe_after_three_moves_by_fractions() -> None:
    game = tictactoe_v0.game()
    code = game.code(board="x...o...x")
    expected = plain_chances(game, code)
    state = game.state(code)
    started = table_games.with_rules(game, start=lambda: state)
    found = outcomes(started, RandomAgent(started), RandomAgent(started))
    assert found == pytest.approx([float(chance) for chance in expected], abs=EXACT)
    assert all(0 < chance < 1 for chance in found)


def test_perfect_play_of_tic_tac_toe_never_loses() -> None:
    game = tictactoe_v0.game()
    solution = solve(game)
    perfect = TabularPolicy(solution.states, solution.policies)
    assert outcomes(game, perfect, perfect) == (0, 1, 0)
    assert outcomes(game, perfect, RandomAgent(game)).loss == 0
    assert outcomes(game, RandomAgent(game), perfect).win == 0


def test_random_games_that_can_go_on_for_ever() -> None:
    rng = np.random.default_rng(9)
    endless = 0
    for _ in range(60):
        game = brute_force.random_game(rng)
        states = ListedStates(game)
        codes = states.codes.tolist()
        tables = [brute_force.random_table(rng, game, codes, player) for player in range(2)]
        policies = [TabularPolicy(states, (table, table)) for table in tables]
        found = outcomes(game, policies[0], policies[1])
        pays = np.array(game.options["pays"])
        for chance, counted in zip((found.win, found.loss), (pays > 0, pays < 0), strict=True):
            other = Game(graph_game, tables=game.options["tables"], pays=counted.astype(float).tolist())
            expected = brute_force.chain(other, codes, *tables)[codes.index(0)]
            assert chance == pytest.approx(expected, abs=BRUTE_FORCE)
        assert sum(found) == pytest.approx(1, abs=EXACT) and min(found) >= 0
        endless += found.draw > 0.01 and bool((pays[-3:] != 0).all())
    assert endless > 0


def test_footsies_as_it_is_played() -> None:
    game = footsies_v0.game(max_turns=8)
    random = RandomAgent(game)
    found = outcomes(game, random, random)
    assert found.win == pytest.approx(found.loss, abs=EXACT)  # a symmetric game
    assert found.win - found.loss == pytest.approx(evaluate(game, random, random), abs=EXACT)
    played = play_match(game, random, random, 20_000, 3)
    assert found.draw == pytest.approx(played.draws / played.games, abs=4 * np.sqrt(0.25 / played.games))


def test_a_game_whose_states_are_numbered_by_its_rules() -> None:
    game = table_games.game("tiny")
    random = RandomAgent(game)
    assert outcomes(game, random, random) == pytest.approx(
        outcomes(table_games.listed(game), random, random), abs=EXACT
    )


@pytest.mark.parametrize(
    "game", [Game(repeated_rps, rounds=2), graph([[[1, 0]], [[2]], None], {1: -0.5, 2: 1.0})], ids=str
)
def test_a_game_that_pays_on_the_way(game: Game) -> None:
    with pytest.raises(ValueError, match=f"{game.name} pays before its end: there is no one payment to tell who won"):
        outcomes(game, RandomAgent(game), RandomAgent(game))


def test_the_names() -> None:
    game = graph([[[1]], None], {1: -0.5})
    assert outcomes(game, RandomAgent(game), RandomAgent(game)) == Outcomes(win=0, draw=0, loss=1)
