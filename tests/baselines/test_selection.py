"""One equilibrium out of many."""

import itertools
import json
from functools import cache
from math import log
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import tree_game
from command import Command
from nashzoo import agents
from nashzoo.baselines import equilibria, evaluate, select, solve, solve_matrix
from nashzoo.baselines.information import quasi_perfect
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, make_game, matrix_game, soccer_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import CHANCE
from tree_game import Node

EXACT = 1e-9
WAYS = "uniform", "pure", "sequential", "greedy"


def kuhn_entropy(alpha: float) -> float:
    """Returns the entropy of player 0's equilibria in Kuhn poker, by Kuhn's (1950) formulas: those of a jack's bet."""
    mixes = alpha, 3 * alpha, alpha + 1 / 3  # bets with the jack and the king, calls with the queen
    return -sum(p * log(p) + (1 - p) * log(1 - p) for p in mixes if 0 < p < 1)


def optimal_face(matrix: Any, value: float) -> dict[str, Any]:
    """Returns the constraints of the optimal strategies of the player of rows, for SciPy."""
    secured = {"A_ub": -matrix.T, "b_ub": np.full(matrix.shape[1], -value + 1e-11)}
    return secured | {"A_eq": np.ones((1, len(matrix))), "b_eq": [1.0]}


def test_kuhn_poker() -> None:
    game = make_game("nashzoo.examples.kuhn")
    every = equilibria(game)
    random = select(every, "uniform")
    by_hand = max(map(kuhn_entropy, np.linspace(0.0, 1 / 3, 100_001)))
    assert random.figures[0] == pytest.approx(by_hand, abs=1e-6)
    assert random.best[0] == pytest.approx(by_hand, abs=1e-6)
    assert select(every, "pure").figures == select(every, "pure").best == (1, 2)  # alpha is 0, and the queen's call 1/3
    greedy = select(every, "greedy", agents.make("random", game))
    # At random: the jack, the queen and the king win 1/6 together if alpha is 1/3, which is the most in the family.
    assert greedy.figures == pytest.approx((1 / 6, 1 / 6), abs=EXACT)
    assert greedy.best == pytest.approx((1 / 6, 1 / 6), abs=1e-6)
    sequential = select(every, "sequential")
    assert max(one.solution.certificate for one in (random, greedy, sequential)) <= EXACT
    jack, queen = (
        sequential.solution.strategies(np.array([game.code(dealt=1, card1=k, moves=1)]))[1][0] for k in (1, 2)
    )
    assert (jack[1], queen[1]) == (pytest.approx(1 / 3, abs=EXACT), 0.0)  # after a pass, in every equilibrium


def guess_the_ace(of: int) -> Game:
    """Returns the game of Miltersen and Sorensen: player 0 ends it, or player 1 wins by the right guess at a card.

    The card is the ace, or one of the others, which are guessed together.
    """
    nodes = (
        Node(0, after=(1, 2), sizes=(2, 1)),
        Node(0),
        Node(CHANCE, after=(3, 4), likely=(1 / of, 1 - 1 / of)),
        *(Node(1, views=(0, 1), after=after, sizes=(1, 2)) for after in ((5, 6), (7, 8))),
        *(Node(0, pay=pay) for pay in (-1000.0, 0.0, 0.0, -1000.0)),
    )
    return Game(tree_game, nodes=nodes)


def test_the_ace_is_not_guessed_though_nobody_lets_it_be() -> None:
    game = guess_the_ace(52)
    chosen = select(equilibria(game), "sequential")
    assert chosen.solution.start_value == 0.0 and chosen.solution.certificate <= EXACT
    row = chosen.solution.strategies(np.array([game.information_state(game.code(node=3, mover=1, view1=1), 1)]))[1][0]
    assert row.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("seed", range(10))
def test_where_nothing_is_hidden_it_is_backward_induction(seed: int) -> None:
    """Payoffs are all different, so that one action is best at each node, also at those that play does not reach."""
    rng, depth = np.random.default_rng(seed), 4
    inner = 2**depth - 1
    movers, pays = rng.integers(0, 2, inner), rng.permutation(2**depth).astype(float)
    nodes = [
        Node(int(mover), views=(k, k), after=(2 * k + 1, 2 * k + 2), sizes=(2, 1) if mover == 0 else (1, 2))
        for k, mover in enumerate(movers)
    ]
    game = Game(tree_game, nodes=(*nodes, *(Node(0, pay=pay) for pay in pays)))
    worth = np.concatenate([np.zeros(inner), pays])
    chosen = select(equilibria(game), "sequential").solution
    for node in reversed(range(inner)):
        player, after = int(movers[node]), worth[[2 * node + 1, 2 * node + 2]]
        worth[node] = after.max() if player == 0 else after.min()
        code = game.information_state(game.code(node=node, mover=player, view0=node, view1=node), player)
        assert chosen.strategies(np.array([code]))[player][0].argmax() == (after == worth[node]).argmax()
        assert chosen.strategies(np.array([code]))[player][0].max() == 1.0
    assert chosen.start_value == pytest.approx(worth[0], abs=EXACT)


def test_large_games_are_not_perturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quasi_perfect, "MOST_SEQUENCES", 25)
    with pytest.raises(UsageError, match="kuhn_v0 has 26 sequences, too many: up to 25 can be perturbed"):
        select(equilibria(make_game("nashzoo.examples.kuhn")), "sequential")


def test_by_state_every_solution_is_sequential() -> None:
    """A policy that is optimal at every state loses nothing wherever play begins."""
    game = footsies_v0.game()
    chosen = select(equilibria(game), "sequential")
    assert max(chosen.figures) <= EXACT
    for code in chosen.solution.states.codes.tolist()[::20]:
        assert (
            abs(stage_game(chosen.solution, code).losses(0) @ stage_game(chosen.solution, code).strategies[0]) <= EXACT
        )


@pytest.mark.parametrize("seed", range(30))
def test_matrices_against_linear_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-1, 2, rng.integers(2, 5, 2)).astype(float)
    game, value = matrix_game(matrix.tolist()), solve_matrix(matrix).value
    every, opponent = equilibria(game), agents.make("random", game)
    chosen = {how: select(every, how, opponent if how == "greedy" else None) for how in WAYS}
    for player, (payoffs, least) in enumerate(((matrix, value), (-matrix.T, -value))):
        face, size = optimal_face(payoffs, least), len(payoffs)
        sizes = [
            len(support)
            for count in range(1, size + 1)
            for support in itertools.combinations(range(size), count)
            if linprog(np.zeros(size), **face, bounds=[(0, float(k in support)) for k in range(size)]).status == 0
        ]
        assert chosen["pure"].figures[player] == min(sizes) - 1
        most = -linprog(-payoffs.mean(axis=1), **face, bounds=(0, 1)).fun
        assert chosen["greedy"].figures[player] == pytest.approx(most, abs=EXACT)
        mix = chosen["uniform"].solution.strategies(game.start_codes)[player][0]
        # No optimal strategy rises along the slope of the entropy, which is concave.
        slope = -np.log(np.maximum(mix[:size], 1e-12))
        assert -linprog(-slope, **face, bounds=(0, 1)).fun <= slope @ mix[:size] + 1e-5
    assert max(one.solution.certificate for one in chosen.values()) <= EXACT


def won_from_random(game: Game, player: int) -> float:
    """Returns the most that perfect play wins from random moves in tic-tac-toe, by going through all of it."""

    @cache
    def value(code: int) -> float:
        if game.terminal(code):
            return 0.0
        mover = game.turn(code)
        return (max, min)[mover](worth(code, action)[0] for action in game.legal_actions(code, mover))

    def worth(code: int, action: int) -> tuple[float, int]:
        after = game.step(code, *((action, 0) if game.turn(code) == 0 else (0, action)))
        return game.payoff(after) + value(after), after

    @cache
    def won(code: int) -> float:
        if game.terminal(code):
            return 0.0
        mover = game.turn(code)
        all_after = [worth(code, action) for action in game.legal_actions(code, mover)]
        ahead = [(1 - 2 * player) * game.payoff(after) + won(after) for _, after in all_after]
        if mover != player:
            return sum(ahead) / len(ahead)
        return max(one for one, (worth_here, _) in zip(ahead, all_after, strict=True) if worth_here == value(code))

    return won(int(game.start_codes[0]))


@pytest.mark.slow
def test_tic_tac_toe_wins_most_from_random_moves() -> None:
    game = tictactoe_v0.game()
    greedy = select(equilibria(game), "greedy", agents.make("random", game))
    expected = won_from_random(game, 0), won_from_random(game, 1)
    assert greedy.figures == pytest.approx(expected, abs=EXACT)
    assert greedy.best == pytest.approx(expected, abs=EXACT)
    assert greedy.solution.certificate == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "ways"),
    [
        (footsies_v0.game(), WAYS),
        (bodega_brawl_v0.game(preset="tiny"), WAYS),
        (soccer_v0.game(width=11, height=3, goal_height=1), ("pure",)),
    ],
)
def test_what_is_selected_is_proven(game: Game, ways: tuple[str, ...]) -> None:
    every, opponent = equilibria(game, solve(game)), agents.make("random", game)
    plain = evaluate(game, agents.make("nash", game), opponent)
    for how in ways:
        chosen = select(every, how, opponent if how == "greedy" else None)
        assert chosen.solution.certificate <= EXACT
        assert chosen.solution.start_value == pytest.approx(solve(game).start_value, abs=EXACT)
        if how == "greedy":
            assert chosen.figures[0] >= plain - EXACT


def test_wrong_input(nashzoo: Command) -> None:
    every = equilibria(matrix_game([[0, 0], [0, 1]]))
    with pytest.raises(UsageError, match="uniform, pure, sequential, greedy, not 'best'"):
        select(every, "best")
    with pytest.raises(UsageError, match="an opponent is for 'greedy', which needs one"):
        select(every, "greedy")
    assert nashzoo("solve roshambo_v0 --select greedy")[2].strip().endswith("name it: --against PLAYER")
    assert "leave out --against" in nashzoo("solve roshambo_v0 --select pure --against random")[2]
    assert "alone: leave out --select" in nashzoo("solve roshambo_v0 --select pure --all")[2]


def test_the_command(nashzoo: Command) -> None:
    code, out, _ = nashzoo("solve nashzoo.examples.kuhn --select greedy --against random")
    assert (code, "red wins +0.1667 points from random, the most of any equilibrium" in out) == (0, True)
    code, out, _ = nashzoo("solve nashzoo.examples.kuhn --select pure")
    assert "red takes 1 action in addition to one at each decision; no equilibrium takes fewer" in out
    code, out, _ = nashzoo("solve roshambo_v0 --param rounds=1 --select greedy --against random")
    assert (code, "most of any equilibrium that is optimal at every state" in " ".join(out.split())) == (0, True)
    code, out, _ = nashzoo("solve nashzoo.examples.kuhn --select pure --json")
    assert json.loads(out)["selected"] == {"how": "pure", "figures": [1, 2], "best": [1, 2]}
    code, out, _ = nashzoo("solve nashzoo.examples.kuhn --select sequential")
    assert (code, "red plays optimally also where mistakes lead; it loses 0 points there at most" in out) == (0, True)
