"""Games with chance, solved and measured: values by hand, and by value iteration in plain numpy."""

from typing import Any

import numpy as np
import pytest

import chance_game
from brute_force import matrix_value
from nashzoo import agents
from nashzoo.agents.basic.regret_env import Regret
from nashzoo.arena.match import play_match
from nashzoo.baselines import best_response, evaluate, exploitability, nash_conv, solve
from nashzoo.baselines.certificate.checker import CertificateError
from nashzoo.baselines.fictitious import fictitious_play
from nashzoo.baselines.measures import tabulated
from nashzoo.baselines.oracles import double_oracle
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.baselines.solution import ListedSolution
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import FiniteMemoryAgent
from nashzoo.envs.core.game import Features, Floats, Ints, Mask

EXACT = 1e-12
PROVEN = 1e-9
ERRORS = 5  # standard errors that a mean may be off

PENNIES, RIGGED = ((4, 5), (5, 4)), ((6, 5), (5, 4))  # nodes that pay 1, -1 and 3

# A coin decides between two matrix games: matching pennies, and the same with a 3 in the place of a 1.
COIN: tuple[Any, ...] = (((1,),), {2: 0.25, 3: 0.75}, PENNIES, RIGGED, None, None, None)
COIN_PAYS = (0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 3.0)

# Chance after chance, points on the way, and no end that is sure: play can come back from 3 to 0.
LOOP: tuple[Any, ...] = (
    ((1, 2), (2, 1)), {2: 0.5, 4: 0.3, 5: 0.2}, {3: 0.6, 5: 0.4}, ((0, 4), (5, 1)), None, None,
)  # fmt: skip
LOOP_PAYS = (0.0, 0.125, -0.25, 0.5, 1.0, -1.0)


def coin() -> Game:
    return Game(chance_game, nodes=COIN, pays=COIN_PAYS)


def loop() -> Game:
    return Game(chance_game, nodes=LOOP, pays=LOOP_PAYS)


def drawn_game(seed: int) -> Game:
    """Returns a game drawn at random: half of its nodes are chance, from which play may go anywhere."""
    rng = np.random.default_rng(seed)
    size = 14
    nodes: list[Any] = [rng.integers(1, size, (2, 3)).tolist()]
    for node in range(1, size):
        if node % 5 == 4:
            nodes.append(None)
        elif node % 2:
            targets = rng.choice(size, 3, replace=False)
            nodes.append(dict(zip(targets.tolist(), rng.dirichlet(np.ones(3)).tolist(), strict=True)))
        else:
            nodes.append(rng.integers(0, size, (3, 2)).tolist())
        if isinstance(nodes[-1], dict):  # play ends some day
            nodes[-1] = {target: 0.8 * likely for target, likely in nodes[-1].items() if target != 4}
            nodes[-1][4] = 1 - sum(nodes[-1].values())
        elif nodes[-1] is not None:
            nodes[-1][0][0] = nodes[-1][-1][-1] = node - 1 if node % 4 else 4
    pays = rng.normal(size=size).round(2).tolist()
    return Game(chance_game, nodes=nodes, pays=pays)


def iterated(game: Game, policies: tuple[Floats | None, Floats | None] = (None, None)) -> Floats:
    """Returns what the nodes are worth, by value iteration; None for a player who plays best."""
    nodes, pays = game.options["nodes"], np.array(game.options["pays"])
    values = np.zeros(len(nodes))
    for _ in range(3000):
        before = values.copy()
        after = pays + values
        for node, follows in enumerate(nodes):
            if isinstance(follows, dict):
                values[node] = sum(likely * after[target] for target, likely in follows.items())
            elif follows is not None:
                matrix = after[np.array(follows)]
                rows, columns = matrix.shape
                policy0, policy1 = policies
                if policy0 is None and policy1 is None:
                    values[node] = matrix_value(matrix)
                elif policy0 is None:
                    assert policy1 is not None
                    values[node] = (matrix @ policy1[node, :columns]).max()
                elif policy1 is None:
                    values[node] = (policy0[node, :rows] @ matrix).min()
                else:
                    values[node] = policy0[node, :rows] @ matrix @ policy1[node, :columns]
        if np.abs(values - before).max() < 1e-14:
            break
    return values


class Drawn:
    """A policy drawn at random, by node."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.table = np.zeros((2, len(game.options["nodes"]), game.num_actions))
        rng = np.random.default_rng(seed)
        for node, follows in enumerate(game.options["nodes"]):
            if follows is not None and not isinstance(follows, dict):
                for player in range(2):
                    count = np.shape(follows)[player]
                    self.table[player, node, :count] = rng.dirichlet(np.ones(count))

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        found = np.empty(action_masks.shape)
        for k, seen in enumerate(observations):
            code, player = self.game.rules.decode_observation(self.game.params, seen)
            assert self.game.turn(code) == 2, "A player was asked where chance decides."
            found[k] = self.table[player, code]
        return found


class TestByHand:
    def test_a_coin_between_two_matrix_games(self) -> None:
        """Matching pennies is worth 0; with a 3, p - (1 - p) = 0 gives 3 p - (1 - p) = 1 - 2 p: value 1/3."""
        solution = solve(coin())
        assert solution.value(2) == pytest.approx(0.0, abs=EXACT)
        assert solution.value(3) == pytest.approx(1 / 3, abs=EXACT)
        assert solution.start_value == pytest.approx(0.25, abs=EXACT)
        assert solution.certificate <= 1e-12 and solution.distances is None
        (first,), (second,) = solution.strategies(np.array([3]))
        assert first[:2] == pytest.approx([1 / 3, 2 / 3], abs=EXACT) == second[:2]

    def test_a_coin_that_is_tossed_until_it_shows_heads(self) -> None:
        """Each toss costs a quarter: 4/3 tosses of a coin with 3/4 heads cost 1/3."""
        nodes = (((1,),), {2: 0.75, 1: 0.25}, None)
        solution = solve(Game(chance_game, nodes=nodes, pays=(0.0, -0.25, 0.0)))
        assert solution.start_value == pytest.approx(-1 / 3, abs=EXACT)

    def test_two_dice_one_after_the_other(self) -> None:
        """What is paid on the way is the sum of two dice, 7 on average."""
        die = [1 / 6] * 6
        firsts = list(range(2, 8))
        lasts = list(range(8, 14))
        nodes: list[Any] = [((1,),), dict(zip(firsts, die, strict=True))]
        nodes += [dict(zip(lasts, die, strict=True)) for _ in firsts] + [None] * 6
        game = Game(chance_game, nodes=nodes, pays=[0.0, 0.0, *range(1, 7), *range(1, 7)])
        assert solve(game).start_value == pytest.approx(7.0, abs=EXACT)
        player = agents.make("random", game)
        assert evaluate(game, player, player) == pytest.approx(7.0, abs=EXACT)  # type: ignore[arg-type]

    def test_probabilities_count_as_shares_of_their_sum(self) -> None:
        nodes = (((1,),), {2: 0.5 + 4e-10, 3: 0.5}, None, None)
        game = Game(chance_game, nodes=nodes, pays=(0.0, 0.0, 1e6, 0.0))
        exact = 1e6 * (0.5 + 4e-10) / (1 + 4e-10)
        solution = solve(game)
        player = agents.make("random", game)
        for value in (solution.start_value, evaluate(game, player, player)):  # type: ignore[arg-type]
            assert value == pytest.approx(exact, rel=1e-14)
        bounds = evaluate(game, player, player, bounds=True)  # type: ignore[arg-type]
        assert bounds.lower <= exact <= bounds.upper


@pytest.mark.parametrize("make", [loop, *(lambda seed=seed: drawn_game(seed) for seed in range(3))])
class TestAgainstValueIteration:
    def test_equilibrium(self, make: Any) -> None:
        game = make()
        solution = solve(game)
        wanted = iterated(game)
        for code in solution.states.codes[:].tolist():
            assert solution.value(code) == pytest.approx(wanted[code], abs=PROVEN)
        assert solution.certificate <= PROVEN

    def test_measures(self, make: Any) -> None:
        game = make()
        for seed in range(3):
            one, other = Drawn(game, seed), Drawn(game, 100 + seed)
            table0, table1 = one.table[0], other.table[1]
            value = iterated(game, (table0, table1))[0]
            most, least = iterated(game, (None, table1))[0], iterated(game, (table0, None))[0]
            bounds = evaluate(game, one, other, bounds=True)
            assert evaluate(game, one, other) == pytest.approx(value, abs=PROVEN)
            assert bounds.lower - EXACT <= value <= bounds.upper + EXACT
            best0, best1 = best_response(game, other, 0), best_response(game, one, 1)
            assert best0.value == pytest.approx(most, abs=PROVEN) and best1.value == pytest.approx(-least, abs=PROVEN)
            assert evaluate(game, best0.policy, other) == pytest.approx(most, abs=PROVEN)
            assert evaluate(game, one, best1.policy) == pytest.approx(least, abs=PROVEN)
            assert nash_conv(game, one, other) == pytest.approx(most - least, abs=PROVEN)
            assert exploitability(game, one, other) == pytest.approx((most - least) / 2, abs=PROVEN)
            known = tabulated(game, one)
            assert isinstance(known, TabularPolicy)
            assert evaluate(game, known, other) == pytest.approx(value, abs=PROVEN)


class TestRest:
    def test_a_wrong_claim_is_objected_to(self) -> None:
        game = coin()
        solution = solve(game)
        with pytest.raises(CertificateError):
            ListedSolution(solution.states, solution.values + 1e-6, solution.policies, None)  # type: ignore[arg-type]
        policies = (np.eye(4)[np.zeros(len(solution.states), int)], solution.policies[1])
        with pytest.raises(CertificateError):
            ListedSolution(solution.states, np.array(solution.values), policies, None)  # type: ignore[arg-type]

    def test_chance_states_are_listed(self) -> None:
        states = ListedStates(coin())
        assert states.codes.tolist() == [0, 1, 2, 3]
        assert states.successors.by_chance.tolist() == [False, True, False, False]
        assert states.successors.chances[1].tolist() == [0.25, 0.75]
        assert states.successors.following[1, :2].tolist() == [2, 3]
        with pytest.raises(UsageError, match="where chance decides nothing follows on a joint action"):
            states.successors.by_action(4)

    def test_optimal_moves_are_not_told(self) -> None:
        with pytest.raises(UsageError, match="chance decides in chance_game_v0: no number of moves is sure"):
            solve(coin()).optimal_actions(np.array([0]))

    def test_self_play(self) -> None:
        game = loop()
        value = solve(game).start_value
        _, steps = double_oracle(game, 20)
        assert steps[-1].exploitability <= PROVEN and steps[-1].lower == pytest.approx(value, abs=PROVEN)
        _, steps = fictitious_play(game, 2000, measure_every=2000)
        assert steps[-1].lower - PROVEN <= value <= steps[-1].upper + PROVEN and steps[-1].exploitability < 0.05

    def test_regrets(self) -> None:
        regret = Regret(coin())
        codes, players = np.array([3, 3]), np.array([0, 1])
        worth = regret.action_values(codes, players)
        assert worth[:, :2] == pytest.approx(np.array([[1 / 3] * 2, [-1 / 3] * 2]), abs=EXACT)
        assert regret(np.array([0]), np.array([0]), np.array([0])) == pytest.approx(0.0, abs=EXACT)

    def test_the_equilibrium_secures_the_value_in_play(self) -> None:
        game = loop()
        solution = solve(game)
        nash = agents.make("nash", game, solution=solution)
        points = play_match(game, nash, nash, 20_000, 1).points
        assert abs(points.mean() - solution.start_value) < ERRORS * points.std() / np.sqrt(len(points))
        assert exploitability(game, nash) == pytest.approx(0.0, abs=PROVEN)  # type: ignore[arg-type]


class Alternating(FiniteMemoryAgent):
    """Plays its actions in turn, whatever it sees."""

    memory_states = 2

    def remember(self, states: Ints, observations: Features) -> Ints:
        return 1 - states

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        action = np.where(masks[:, 1] == 1, states, 0)
        rows: Floats = np.eye(masks.shape[1])[action]
        return rows


def test_who_remembers_is_measured_together_with_the_memory() -> None:
    game = loop()
    player, other = Alternating(game, 0), Drawn(game, 3)
    exact = evaluate(game, player, other)
    best = best_response(game, player, 1)
    assert -best.value <= exact
    assert evaluate(game, player, best.policy) == pytest.approx(-best.value, abs=PROVEN)
    table = TabularPolicy(ListedStates(game), (other.table[0][[0, 1, 2, 3]], other.table[1][[0, 1, 2, 3]]), 0)
    points = play_match(game, player, table, 40_000, 5).points
    assert abs(points.mean() - exact) < ERRORS * points.std() / np.sqrt(len(points))
