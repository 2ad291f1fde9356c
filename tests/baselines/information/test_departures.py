"""Where tables of Kuhn poker depart from every equilibrium: by Kuhn's family, and by matrices of pure strategies."""

import kuhn
import numpy as np
import pytest

import kuhn_by_hand as by_hand
from nashzoo.baselines import exploitability, solve, solve_matrix
from nashzoo.baselines.information.departures import departures
from nashzoo.baselines.policies.keyed import KeyedPolicy
from nashzoo.envs import Game

KUHN = Game(kuhn)
KEY = "{card:012}{history:pb}"
VALUE = -1 / 18
EXACT = 1e-9


def found(table: dict[str, float], player: int) -> list[tuple[str, float, float, float]]:
    policy = KeyedPolicy(by_hand.rows(table), KUHN, key=KEY)
    departed = departures(KUHN, policy, player, solve(KUHN).start_estimate)
    for at in departed:
        for bounds in (at.cost, at.alone, at.lost, at.total):
            assert 0 <= bounds.upper - bounds.lower < EXACT
        assert at.total.lower - EXACT <= exploitability(KUHN, policy, player=player) <= at.total.upper + EXACT
    return [(policy.key_of(at.player, at.code), at.cost.lower, at.alone.lower, at.lost.lower) for at in departed]


def secured(player: int, kept: dict[str, float]) -> float:
    return float(solve_matrix(by_hand.payoffs(player, kept)).value)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.2, 1 / 3])
def test_no_equilibrium_departs(alpha: float) -> None:
    table = by_hand.family(alpha)
    assert by_hand.value(table, table) == pytest.approx(VALUE, abs=EXACT)
    assert found(table, 0) == found(table, 1) == []


def test_too_much_bluffing_departs_by_itself() -> None:
    ((key, cost, alone, lost), *_) = found(by_hand.family(0.5, king=1.0), 0)
    assert key == "0"
    expected = VALUE - secured(0, {"0": 0.5})
    assert (cost, alone, lost) == pytest.approx((expected, expected, expected), abs=EXACT)
    assert expected == pytest.approx(1 / 18, abs=EXACT)


def test_probabilities_of_two_equilibria_depart_together_alone() -> None:
    """With 0.2 for the lowest card the highest must be bet with 0.6; 0.3 is right only with 0.1."""
    ((key, cost, alone, _),) = found(by_hand.family(0.2, king=0.3), 0)
    assert key == "2" and alone == 0.0
    assert secured(0, {"2": 0.3}) == pytest.approx(VALUE, abs=EXACT)
    assert cost == pytest.approx(VALUE - secured(0, {"0": 0.2, "1": 0.0, "2": 0.3}), abs=EXACT)


def test_the_second_player_departs_whatever_the_first_does() -> None:
    table = by_hand.family(0.2) | {"1b": 0.6}
    assert found(table, 0) == []
    ((key, cost, alone, _),) = found(table, 1)
    expected = 1 / 18 - secured(1, {"1b": 0.6})
    assert key == "1b" and (cost, alone) == pytest.approx((expected, expected), abs=EXACT)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_everything_before_the_first_departure_is_in_an_equilibrium(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = by_hand.family(0.25) | {
        key: float(rng.random()) for key in rng.choice(list(by_hand.family(0)), 3, replace=False)
    }
    for player in range(2):
        order = sorted(by_hand.OWN[player], key=lambda key: (len(key) if player == 0 else 0, "pb".find(key[-1]), key))
        departed = found(table, player)
        best = [secured(player, {key: table[key] for key in order[:count]}) for count in range(7)]
        total = best[0] - best[-1]
        if total < EXACT:
            assert departed == []
            continue
        if player == 0:  # the order of the second player's is that of the codes
            first = next(count for count in range(7) if best[0] - best[count] > EXACT)
            assert departed[0][0] == order[first - 1]
            assert departed[0][1] == pytest.approx(best[0] - best[first], abs=EXACT)
        assert departed[-1][3] > total / 2 - EXACT
