"""All equilibria with hidden information: Kuhn's family, and mixtures of the pure strategies of random trees."""

import itertools

import kuhn
import leduc
import numpy as np
import pytest
from scipy.optimize import linprog

import kuhn_by_hand as by_hand
import tree_game
from nashzoo.baselines import equilibria, solve
from nashzoo.baselines.equilibrium_sets import Equilibria
from nashzoo.baselines.information.optimal_face import REACHED
from nashzoo.baselines.information_sets import InformationEquilibria
from nashzoo.baselines.policies.keyed import KeyedPolicy
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import BOTH
from tree_game import Node, pure_plans, pure_strategies, random_tree

EXACT = 3e-5
KUHN = Game(kuhn)
KEY = "{card:012}{history:pb}"


def by_key(found: Equilibria, player: int) -> dict[str, tuple[float, float, str | None]]:
    """Returns the range of the probability of a bet, and it in words, by the last letters of what a player sees."""
    keyed = KeyedPolicy(by_hand.rows(by_hand.family(0.1)), KUHN, key=KEY)
    return {
        keyed.key_of(player, one.code): (float(one.lower[1]), float(one.upper[1]), one.formulas and one.formulas[1])
        for one in found
        if one.player == player
    }


class TestKuhn:
    """Kuhn (1950): with alpha from 0 to 1/3 the first player bets the lowest card, and the highest with 3 alpha."""

    def test_the_first_player_has_a_family_with_one_parameter(self) -> None:
        found = by_key(equilibria(KUHN), 0)
        expected = {
            "0": (0, 1 / 3, "alpha"),
            "1": (0, 0, "0"),
            "2": (0, 1, "3 alpha"),
            "0pb": (0, 0, "0"),
            "1pb": (1 / 3, 2 / 3, "1/3 + alpha"),
            "2pb": (1, 1, "1"),
        }
        assert found.keys() == expected.keys()
        for key, (low, high, told) in expected.items():
            assert found[key][:2] == pytest.approx((low, high), abs=EXACT)
            assert found[key][2] in (told, None if low == high else told)

    def test_the_second_player_has_one_strategy(self) -> None:
        found = by_key(equilibria(KUHN), 1)
        expected = {"0p": 1 / 3, "0b": 0, "1p": 0, "1b": 1 / 3, "2p": 1, "2b": 1}
        assert {key: (low + high) / 2 for key, (low, high, _) in found.items()} == pytest.approx(expected, abs=EXACT)
        assert all(high - low <= EXACT and told is None for low, high, told in found.values())

    def test_it_is_told_in_words(self) -> None:
        lines = str(equilibria(KUHN)).splitlines()
        assert lines[0].startswith("kuhn_v0 has several equilibria.") and len(lines) == 7
        assert lines[2] == "  pass 1 - alpha (2/3 to 1), bet alpha (0 to 1/3)"

    def test_the_ranges_are_known_to_be_no_narrower(self) -> None:
        found = equilibria(KUHN)
        assert isinstance(found, InformationEquilibria) and not found.unique
        assert found.apart <= EXACT and found.lost <= 1e-9


def ranges(nodes: list[Node], player: int) -> dict[tuple[int, int], list[tuple[float, float]]]:
    """Returns the ranges of probabilities by mover and view, by linear programs over mixtures of pure strategies."""
    plans, columns = pure_plans(nodes)
    matrix = pure_strategies(nodes)
    payoffs = matrix if player == 0 else -matrix.T
    m, n = payoffs.shape
    best = linprog(np.eye(1, m + 1, m)[0] * -1, A_ub=np.c_[-payoffs.T, np.ones(n)], b_ub=np.zeros(n),
                   A_eq=[[1.0] * m + [0.0]], b_eq=[1.0], bounds=[(0, None)] * m + [(None, None)])  # fmt: skip
    secured = -(payoffs.T + best.fun + 1e-10)  # a multiple of a mixture is optimal if this times it is not above 0
    found = {}
    for node, fits in reached(nodes, player):
        here = node.mover, node.views[player]
        if not node.after or node.mover not in (player, BOTH) or here in found:
            continue
        found[here] = []
        for action in range(node.sizes[player]):
            chosen = fits * (plans[player][:, columns[player][here]] == action)
            ends = [
                linprog(sign * chosen, A_ub=np.r_[secured, np.ones((1, m))], b_ub=[0.0] * n + [1 / REACHED],
                        A_eq=fits[None], b_eq=[1.0])
                for sign in (1.0, -1.0)
            ]  # fmt: skip
            if all(end.status == 0 for end in ends):
                found[here].append((ends[0].fun, -ends[1].fun))
    return found


def reached(nodes: list[Node], player: int) -> list[tuple[Node, np.ndarray]]:
    """Returns the nodes, and which of a player's pure strategies lead to them as far as it is up to the player."""
    plans, columns = pure_plans(nodes)
    found, ahead = [], [(0, np.ones(len(plans[player])))]
    for place, fits in ahead:
        node = nodes[place]
        found.append((node, fits))
        for k, after in enumerate(node.after):
            here = columns[player].get((node.mover, node.views[player]))
            own = node.mover in (player, BOTH)
            acts = divmod(k, node.sizes[1])[player]
            ahead.append((after, fits * (plans[player][:, here] == acts) if own else fits))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_ranges_are_those_of_mixtures_of_pure_strategies(seed: int) -> None:
    nodes = random_tree(np.random.default_rng(seed), depth=4)
    found = equilibria(Game(tree_game, nodes=nodes))
    for player in (0, 1):
        for (mover, view), expected in ranges(nodes, player).items():
            code = found.game.code(node=0, mover=mover, **{f"view{player}": view})
            decision = found.at(code, player)
            assert decision.reached == bool(expected)
            if expected:
                ends = np.array(expected)
                assert decision.lower == pytest.approx(ends[:, 0], abs=EXACT)
                assert decision.upper == pytest.approx(ends[:, 1], abs=EXACT)


@pytest.mark.slow
def test_ranges_of_many_trees_are_those_of_mixtures() -> None:
    for seed in range(6, 30):
        test_ranges_are_those_of_mixtures_of_pure_strategies(seed)


@pytest.mark.slow
def test_equilibria_of_leduc_differ() -> None:
    """Each range has the solution of another method, which is exact to 1e-9; ranges of equal suits are equal."""
    game = Game(leduc)
    found = equilibria(game, solve(game))
    assert isinstance(found, InformationEquilibria)
    first = list(itertools.islice(found.choices(), 4))
    for one, other in itertools.pairwise(first[:2]):
        assert one.lower == pytest.approx(other.lower, abs=EXACT) and one.upper == pytest.approx(other.upper, abs=EXACT)
    assert found.apart <= EXACT and found.lost < 1e-8


def test_what_no_player_sees_is_refused() -> None:
    with pytest.raises(UsageError, match="player 1 does not choose at"):
        equilibria(KUHN).at(KUHN.code(dealt=1, card0=1), 1)
