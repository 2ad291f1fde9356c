"""The checker of solutions: bounds by hand, claims that do not hold, and a solver broken in every way."""

import contextlib
import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chance_game
import made_games
import mutations
import nim
import plain_checker
import staked_rps
import table_games
from command import Command
from mutations import INNER, MUTATIONS, Mutation
from nashzoo.app.shared import parsing
from nashzoo.baselines import ListedStates, Solution, solve
from nashzoo.baselines.certificate.checker import (
    NO_FLOATS,
    NO_INTS,
    UNDECIDED,
    CertificateError,
    Claims,
    Witness,
    certify,
    guaranteed,
    rounded_sum,
)
from nashzoo.baselines.certificate.layers import Storage, certify_layers
from nashzoo.baselines.certificate.parts import EQUILIBRIUM, Proven, Solver, prove_part
from nashzoo.baselines.equilibrium import solve_listed
from nashzoo.baselines.layered_solution import SOLVER, LayeredSolution
from nashzoo.baselines.solution import ListedSolution
from nashzoo.baselines.solvers.matrix import solve_matrix
from nashzoo.baselines.solvers.step_penalty import with_step_penalty
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.baselines.states.restricted import RestrictedStates
from nashzoo.baselines.store import game_in, save
from nashzoo.envs import registry, soccer_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats, Game, Ints
from nashzoo.envs.games.bodega_brawl import codes
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.jit.generated import function_of, source_of
from nashzoo.envs.rules import build
from nashzoo.envs.rules import codes as packing

CERTIFIED = 1e-9  # the certificate that is promised
ALMOST = 9e-10  # by which probabilities may fail to add up to 1
CLOSE = 1e-15  # relative, by how much the checker's bounds may be too wide


# With listed states: all games of this package, and one with chance.
LISTED = (
    *(game for game in mutations.GAMES if game is not mutations.brawl),
    tictactoe_v0.game,
    functools.partial(soccer_v0.game, width=11, height=3, goal_height=1),
    functools.partial(Game, staked_rps),
    lambda: table_games.listed(mutations.brawl()),
)


@functools.cache
def solved(game: Game) -> Solution:
    return solve(game)


def objection(mutation: Mutation) -> str:
    """Returns what the checker says when the solver is broken."""
    with pytest.MonkeyPatch.context() as patched:
        for where, name, function in mutation.also:
            patched.setattr(where, name, function)
        patched.setattr(mutation.where, mutation.name, mutation.broken(getattr(mutation.where, mutation.name)))
        try:
            solution = solve(mutation.game())
        except CertificateError as error:
            return str(error)
    return f"nothing; the certificate is {solution.certificate}"


class TestABrokenSolver:
    @pytest.mark.parametrize("game", mutations.GAMES, ids=lambda game: str(game())[:60])
    def test_the_checker_has_nothing_against_the_solver_as_it_is(self, game: Callable[[], Game]) -> None:
        assert 0 <= solved(game()).certificate <= CERTIFIED
        assert solved(game()).verify() <= CERTIFIED

    @pytest.mark.parametrize("name", MUTATIONS)
    def test_it_is_found_out(self, name: str) -> None:
        assert solved(MUTATIONS[name].game()).certificate <= CERTIFIED
        said = objection(MUTATIONS[name])
        assert re.search(MUTATIONS[name].says, said), said

    @pytest.mark.slow
    def test_kernels_that_only_kernels_call(self) -> None:
        # They can be exchanged where nothing is compiled, in a process of its own.
        program = (
            "import json, numba, mutations, test_checker\n"
            "assert numba.config.DISABLE_JIT\n"
            "before = [test_checker.solve(mutation.game()).certificate for mutation in mutations.INNER.values()]\n"
            "said = [test_checker.objection(mutation) for mutation in mutations.INNER.values()]\n"
            "print(json.dumps([before, said]))\n"
        )
        path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        before, said = json.loads(done.stdout)
        assert max(before) <= CERTIFIED
        for mutation, words in zip(INNER.values(), said, strict=True):
            assert re.search(mutation.says, words), words

    def test_strategies_that_do_not_hurry_show_in_the_certificate(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # A step back is as good as one forward, by the values; whoever takes it for ever wins nothing.
        game = mutations.walk_at_once()
        values = solved(game).values
        for most in ("FEW_SWEEPS", "MAX_SWEEPS"):
            monkeypatch.setattr(mutations.equilibrium, most, 1)
        states = solved(game).states
        kept = with_step_penalty(
            states.successors, states.layers, np.asarray(values), game.num_actions, 1e-12, 1e-14, 1
        )[0]
        assert (kept.argmax(axis=1) == 0).any()
        for way in ("_jumped", "_stopped", "_iterated"):
            monkeypatch.setattr(mutations.equilibrium, way, lambda *arguments: np.ones(5))
        assert solve(game).certificate == 1


@pytest.mark.slow
def test_best_responses_that_cannot_be_had_leave_a_wider_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    # Everett's kind of game (test_equilibrium.py): what the values lose by waiting is proven without a best response.
    game = mutations.graph([[[0, 1], [1, 2]], None, None], {1: 1.0})
    narrow = solve(game).certificate

    def refuse(*arguments: Any) -> Any:
        raise ArithmeticError("play lasts too long")

    monkeypatch.setattr(mutations.solution, "best_response_values", refuse)
    assert 0 < narrow <= solve(game).certificate <= 1


class TestARestrictedGame:
    """What players may not do does not count, and is no part of a strategy."""

    def test_of_listed_states(self) -> None:
        # The row 3, -1 alone is worth -1; both columns alone, 3 and 0 or -1 and 1, are worth 3 and 1.
        listed = ListedStates(mutations.once())
        row, left, right = np.array([1]), np.array([1]), np.array([2])
        for masks, value in (((row, None), -1), ((None, left), 3), ((None, right), 1), ((row, left), 3)):
            solution = solve_listed(RestrictedStates(listed, *masks))
            assert (solution.values[0], solution.certificate) == (value, 0)
            assert solution.verify() == 0
        with pytest.raises(CertificateError, match="player 0's strategy is no distribution over the legal actions"):
            ListedSolution(RestrictedStates(listed, row), *vars_of(solve(mutations.once())))

    def test_of_states_that_the_rules_number(self) -> None:
        known, game = table_games.solved(mutations.brawl()), mutations.brawl()
        same = RestrictedStates(IndexedStates(game))
        solution = solve_listed(same)
        assert solution.certificate <= CERTIFIED
        everywhere = np.arange(len(known.states))
        assert np.asarray(solution.values) == pytest.approx(known.values[everywhere], abs=CERTIFIED)
        assert same.ids(game.start_codes).tolist() == known.states.ids(game.start_codes).tolist()
        assert int(game.start_codes[0]) in same and -1 not in same


def vars_of(solution: Solution) -> Any:
    """Returns what a solution was made of, but for its states."""
    return solution.values, solution.policies, solution.distances


def guaranteed_by_both(weights: Floats, rewards: Floats, values: Floats) -> list[float]:
    """Returns lower bounds of a mixed action ``[m]`` against each reply, from ``[m, n]`` rewards and values.

    The compiled checker and the plain one have the same.
    """
    m, n = rewards.shape
    drawn = np.flatnonzero(weights)
    worths = np.array([rounded_sum(*pair) for pair in zip(rewards.flat, values.flat, strict=True)])
    mix = np.array([drawn]), np.array([weights[drawn]])
    bounds = [guaranteed(worths[None], 0, reply, n, *mix, 0, len(drawn), m) for reply in range(n)]
    plain = plain_checker.guaranteed(weights[:, None], rewards[:, :, None], values[:, :, None])
    assert bounds == plain[:, 0].tolist()
    return bounds


class TestGuaranteed:
    def test_a_draw_is_never_worth_less_than_its_bound(self) -> None:
        rng = np.random.default_rng(3)
        for _ in range(300):
            m, n = rng.integers(1, 6, 2)
            weights = rng.random(m) * 10.0 ** -rng.integers(0, 20, m) * (rng.random(m) < 0.8)
            weights[rng.integers(m)] = rng.random() + 0.1
            rewards = rng.choice([0.0, 1.0, -0.3, 1e-9], (m, n))
            values = rng.choice([0.0, -1.0, 0.7, 1 / 3, -1e-8], (m, n))
            bounds = guaranteed_by_both(weights, rewards, values)
            shares = [Fraction(float(weight)) for weight in weights]
            for reply, bound in enumerate(bounds):
                pays, follows = ([Fraction(float(x)) for x in array[:, reply]] for array in (rewards, values))
                values_after = [pay + value for pay, value in zip(pays, follows, strict=True)]
                exact = sum(share * worth for share, worth in zip(shares, values_after, strict=True)) / sum(shares)
                assert Fraction(float(bound)) <= exact
                assert float(exact - Fraction(float(bound))) <= 20 * CLOSE

    def test_one_outcome_or_worth_is_exact(self) -> None:
        sure = guaranteed_by_both(np.array([0.0, 1.0]), np.zeros((2, 2)), np.array([[5.0, 6.0], [0.1, -0.7]]))
        assert sure == [0.1, -0.7]
        same = guaranteed_by_both(np.array([0.1, 0.9]), np.zeros((2, 1)), np.full((2, 1), 0.3))
        assert same == [0.3]
        (inexact,) = guaranteed_by_both(np.ones(1), np.array([[0.1]]), np.array([[0.2]]))  # 0.1 + 0.2 > 0.3 in floats
        assert Fraction(inexact) <= Fraction(0.1) + Fraction(0.2)


def pure(actions: list[int]) -> Any:
    return np.eye(4)[actions]


def claims(game: Game, values: list[float], own: list[int], ranks: list[int], **others: Any) -> Claims:
    """Returns claims of a game in which player 0 alone moves, by these actions."""
    codes, values_after = np.arange(len(values)), np.array(values, np.float64)
    policies = pure(own), pure([0] * len(values))
    witness = Witness(values_after, values_after, (np.array(ranks), np.zeros(len(values), np.int64)))
    return Claims(codes, values_after, policies, witness, None)._replace(**others)


# A walk: at 0 and 1 player 0 goes back, stays or goes on; behind 1 it wins.
WALK = mutations.graph([[[0], [0], [1]], [[0], [1], [2]], None], {2: 1.0})
GOOD = claims(WALK, [1, 1], [2, 2], [2, 1])  # a win in two steps
TIMED = GOOD._replace(distances=np.array([2, 1]))
WIDE = Witness(np.zeros(2), np.ones(2), GOOD.witness.ranks)
SECURED = GOOD.witness._replace(secured=np.array([1, -np.inf]))


NO_DISTRIBUTION = "player 0's strategy is no distribution over the legal actions, at node=1"


class TestClaims:
    """Claims by hand."""

    @pytest.mark.parametrize("claimed", [GOOD, TIMED])
    def test_what_holds(self, claimed: Claims) -> None:
        told: list[tuple[str, int, int]] = []
        assert certify(WALK, claimed, lambda *said: told.append(said)) == 0
        assert told == [("states", 2, 2)]

    @pytest.mark.parametrize(
        ("claimed", "says"),
        [
            (claims(WALK, [1, 1], [1, 2], [9, 1]), "player 0's strategy need not end play, at node=0"),
            (claims(WALK, [1, 1], [2, 0], [9, 8]), "player 0's strategy need not end play"),
            (claims(WALK, [1, 1], [2, 2], [1, 1]), "player 0's strategy need not end play, at node=0"),
            (claims(WALK, [1, 1], [2, 2], [2, -1]), "player 0's rank is negative, at node=1"),
            (claims(WALK, [0, 0], [2, 2], [2, 1]), "player 1's strategy does not secure what is claimed, at node=1"),
            (claims(WALK, [0.5, 1], [2, 2], [2, 1]), "player 1's strategy does not secure what is claimed"),
            (claims(WALK, [1, 1.5], [2, 2], [2, 1]), "player 0's strategy does not secure what is claimed"),
            (claims(WALK, [1, np.nan], [2, 2], [2, 1]), "the value is not finite, at node=1"),
            (claims(WALK, [1, 1], [2, 3], [2, 1]), "player 0's strategy is no distribution over the legal actions"),
            (claims(WALK, [1], [2], [2]), "play leads here, but it is not part of .*, at node=1"),
            (
                claims(WALK, [1, 0.5], [2, 2], [2, 1], witness=WIDE),
                "player 0's strategy secures less than the value in",
            ),
            (GOOD._replace(values=np.array([1, 1 + 1e-11])), "the value is not between what the two strategies secure"),
            (GOOD._replace(witness=SECURED), "it is not shown what the strategies secure"),
            (GOOD._replace(codes=np.array([1, 0])), "the states are not listed in order"),
            *(
                (GOOD._replace(policies=(np.array([[0, 0, 1, 0], row]), GOOD.policies[1])), NO_DISTRIBUTION)
                for row in ([-1, 0, 2, 0], [0, 0, 2.0, 0], [np.nan, 0, 1, 0])
            ),
            *(
                (GOOD._replace(distances=np.array(wrong)), "the distance to the end is not one more than that of what")
                for wrong in ([3, 2], [3, 1], [2, UNDECIDED])
            ),
        ],
    )
    def test_what_does_not_hold(self, claimed: Claims, says: str) -> None:
        with pytest.raises(CertificateError, match=f"graph_game_v0: {says}"):
            certify(WALK, claimed)

    def test_a_win_by_a_way_that_is_longer_than_the_distance(self) -> None:
        game = mutations.graph([[[1], [2]], [[3]], [[1]], None], {3: 1.0})
        good = claims(game, [1, 1, 1], [0, 0, 0], [3, 1, 2], distances=np.array([2, 1, 2]))
        assert certify(game, good) == 0
        with pytest.raises(
            CertificateError, match="player 0's strategy does not keep the distance to the end, at node=0"
        ):
            certify(game, good._replace(policies=(pure([1, 0, 0]), pure([0, 0, 0]))))

    def test_bounds_that_enclose_too_much_are_all_that_is_proven(self) -> None:
        wide = GOOD._replace(witness=GOOD.witness._replace(secured=np.array([0.5, 0.75])))
        assert certify(WALK, wide) == pytest.approx(0.5, abs=CLOSE)

    @pytest.mark.usefixtures("untried")
    def test_rewards_that_are_not_finite(self) -> None:
        game = mutations.graph([[[1]], None], {1: np.inf})
        with pytest.raises(CertificateError, match="a reward that is not finite, at node=0"):
            certify(game, claims(game, [1], [0], [1]))

    def test_no_distance_where_players_move_at_once(self) -> None:
        game = mutations.graph([[[1, 1], [1, 1]], None], {1: 1.0})
        good = claims(game, [1], [0], [1])
        assert certify(game, good) == 0
        with pytest.raises(CertificateError, match="there is a distance where the players move at once"):
            certify(game, good._replace(distances=np.array([1])))

    def test_rewards_on_the_way_may_come_again_and_again(self) -> None:
        # Each round pays a point and takes it back, so that 1 is its own backup; but what lasts for ever may be 0.
        game = mutations.graph([[[1]], [[0]]], {0: -1.0, 1: 1.0})
        with pytest.raises(CertificateError, match="player 0's strategy need not end play"):
            certify(game, claims(game, [1, 0], [0, 0], [5, 4]))
        with pytest.raises(CertificateError, match="strategies secure, play may last too long"):
            solve(game)

    def test_what_neither_strategy_ever_leads_to_is_of_no_account(self) -> None:
        # Either player is sure of 0 by its first action; the second of both leads to a state that is not listed.
        game = mutations.graph([[[1, 1], [1, 2]], None, [[1]]], {})
        nothing = claims(game, [0], [0], [0])
        assert certify(game, nothing) == 0
        with pytest.raises(CertificateError, match="play leads here, but it is not part of the solution, at node=2"):
            certify(game, nothing._replace(policies=(pure([1]), pure([0]))))


def boundless_legal(state: Any, player: int) -> int:
    """Allows the first action; after the start also more than there are."""
    return 1 if state.node == 0 else -1 << 40 | 1


@pytest.mark.usefixtures("untried")
def test_bits_of_a_mask_beyond_the_actions_are_none() -> None:
    game = mutations.graph([[[1]], [[2]], None], {2: 1.0})
    odd = Game(made_games.with_rules(game.rules.written, legal=boundless_legal), **game.options)
    assert certify(odd, claims(odd, [1, 1], [0, 0], [2, 1])) == 0


def outcome(certified: Callable[[], float]) -> float | None:
    """Returns the certificate; None if the proof fails."""
    try:
        return certified()
    except CertificateError:
        return None


def by_both(game: Game, claimed: Claims) -> float | None:
    """Returns the certificate by the compiled checker and the plain one, None if both refuse the proof."""
    certificate = outcome(lambda: certify(game, claimed))
    assert certificate == outcome(lambda: plain_checker.certify(game, claimed))
    return certificate


def random_game(rng: np.random.Generator) -> Game:
    """Returns a game on a random graph, on which play goes up, or seldom back or nowhere; half of them have chance."""
    size, has_chance, nodes = int(rng.integers(2, 7)), rng.random() < 0.5, list[Any]()
    for node in range(size):
        least = node + 1 if rng.random() < 0.7 else 0
        if has_chance and node > 0 and rng.random() < 0.5:
            nodes.append(
                dict(zip(rng.choice(np.arange(least, size + 2), 2, False).tolist(), (0.25, 0.75), strict=True))
            )
        else:
            nodes.append(rng.integers(least, size + 2, rng.integers(1, 4, 2)).tolist())
    pays = {node: float(rng.choice([1.0, -1.0, 0.3])) for node in range(size, size + 2)}
    if has_chance:
        return Game(chance_game, nodes=[*nodes, None, None], pays=[pays.get(k, 0.0) for k in range(size + 2)])
    return mutations.graph([*nodes, None, None], pays)


def spoilt(claimed: Claims, rng: np.random.Generator) -> Claims:
    """Returns claims with one number or strategy of one state changed."""
    values, (own, other), witness, k = (
        claimed.values,
        claimed.policies,
        claimed.witness,
        int(rng.integers(len(claimed.codes))),
    )
    by = rng.choice([1e-13, -1e-13, 1e-6, -0.5, np.nan, np.inf])

    def moved(numbers: Any, to: Any) -> Any:
        return np.concatenate([numbers[:k], np.array([to], numbers.dtype), numbers[k + 1 :]])

    at_random = rng.dirichlet(np.ones(own.shape[1])) * (rng.random(own.shape[1]) < 0.6)
    return [
        claimed._replace(values=moved(values, values[k] + by)),
        claimed._replace(witness=witness._replace(secured=moved(witness.secured, witness.secured[k] + by))),
        claimed._replace(witness=witness._replace(conceded=moved(witness.conceded, witness.conceded[k] + by))),
        claimed._replace(witness=witness._replace(ranks=(moved(witness.ranks[0], 0), witness.ranks[1]))),
        claimed._replace(policies=(moved(own, np.eye(own.shape[1])[rng.integers(own.shape[1])]), other)),
        claimed._replace(policies=(own, moved(other, at_random / max(at_random.sum(), 1e-9)))),
        claimed._replace(policies=(moved(own, own[k] + by), other)),
        claimed
        if claimed.distances is None
        else claimed._replace(distances=moved(claimed.distances, rng.integers(-1, 4))),
    ][rng.integers(8)]


class TestThePlainChecker:
    """The same in NumPy proves the same, to the last bit."""

    @pytest.mark.parametrize("game", LISTED, ids=lambda game: str(game())[:60])
    def test_solutions_and_spoilt_ones(self, game: Callable[[], Game]) -> None:
        solution, rng = solved(game()), np.random.default_rng(5)
        assert isinstance(solution, ListedSolution)
        assert by_both(solution.game, solution.claims()) == solution.certificate
        outcomes = {by_both(solution.game, spoilt(solution.claims(), rng)) for _ in range(20)}
        assert None in outcomes

    @pytest.mark.slow
    def test_random_games(self) -> None:
        rng, outcomes = np.random.default_rng(7), list[float | None]()
        for _ in range(40):
            solution = solve(random_game(rng))
            assert isinstance(solution, ListedSolution)
            assert by_both(solution.game, solution.claims()) == solution.certificate
            outcomes += [by_both(solution.game, spoilt(solution.claims(), rng)) for _ in range(10)]
        assert 50 < outcomes.count(None) < 350

    @pytest.mark.parametrize("double_ko", ["draw", "sudden_death"])
    def test_a_table(self, double_ko: str) -> None:
        solution = table_games.solved(table_games.game("tiny", double_ko))
        assert plain_checker.certify_table(solution) == solution.verify() >= solution.certificate


def careless_index(tables: Any, code: int) -> int:
    """Returns the number of a state in Bodega Brawl as if the body of player 0 had not been struck an odd time."""
    return codes.index(tables, code & ~8)


ONE_STRIKE = codes.DRAWN << codes.OUTCOME | codes.STRIKE[1]  # a draw after a single strike, on the body of player 0


def uneven_payoff(code: int) -> float:
    """Returns the points of player 0 in Bodega Brawl, and a tenth of one in one draw, but not in its mirror image."""
    outcome = code >> codes.OUTCOME
    return 1.0 * (outcome == codes.WON0) - (outcome == codes.WON1) + 0.1 * (code == ONE_STRIKE)


class TestATable:
    """States that the rules number."""

    def test_a_number_must_be_that_of_the_state(self) -> None:
        game = table_games.with_rules(mutations.brawl(), index=careless_index)
        with pytest.raises(CertificateError, match="play leads here, but this is no state of the layer before"):
            solve(game)

    def test_layers_must_be_in_order(self) -> None:
        solution = table_games.solved(mutations.brawl())
        bounds = np.array([0, len(solution.states) // 2])  # a single layer
        values = np.array(solution.values.half)
        with pytest.raises(CertificateError, match="no state of the layer before"):
            certify_layers(solution.game, Storage(values), bounds, SOLVER)
        layers = solution.states.bounds // 2
        assert certify_layers(solution.game, Storage(values), layers, SOLVER) == solution.certificate

    def test_stored_values_are_proven_at_mirror_images_too(self) -> None:
        # The rules say that they are symmetric, but one draw is not; where nobody looks at mirror images this passes.
        game = table_games.with_rules(mutations.brawl(), payoff=uneven_payoff)
        states = IndexedStates(game)
        values, layers = np.zeros(len(states) // 2), states.bounds // 2
        assert certify_layers(game, Storage(values), layers, SOLVER) <= CERTIFIED
        with pytest.raises(CertificateError, match="strategy secures less than the value in one step"):
            certify_layers(game, Storage(values), layers, SOLVER, stored=True)

    def test_the_solver_has_a_copy_of_the_matrix(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def scribbling(matrix: Floats) -> Any:
            solution = solve_matrix(matrix)
            matrix[:] = 7.0
            return solution

        certificate = table_games.solved(mutations.brawl()).certificate
        monkeypatch.setattr(mutations.layered_solution, "SOLVER", Solver(scribble, scribbling))
        assert solve(mutations.brawl()).certificate == certificate


@compiled(EQUILIBRIUM.signature)
def scribble(matrix: Floats, m: int, n: int, mix0: Floats, mix1: Floats, numbers: Floats, places: Ints) -> None:
    """Makes the row player's last row the best, and plays it."""
    for j in range(n):
        matrix[(m - 1) * n + j] = 1.0
    for i in range(m):
        mix0[i] = 1.0 * (i == m - 1)
    for j in range(n):
        mix1[j] = 1.0 * (j == 0)


class TestThePartOfALayer:
    """One state, with strategies at random."""

    @pytest.mark.parametrize("size", [1.0, 1e6, 1e-300])
    def test_strategies_never_lose_more_than_is_proven(self, size: float) -> None:
        rng = np.random.default_rng(4)
        for _ in range(200):
            m, n = rng.integers(1, 5, 2).tolist()
            mixes = [rng.dirichlet(np.ones(k)) * (rng.random(k) < 0.7) for k in (m, n)]
            mixes = [mix / mix.sum() if mix.any() else np.eye(len(mix))[0] for mix in mixes]
            mixes = [mix * rng.uniform(1 - ALMOST, 1 + ALMOST) for mix in mixes]
            matrix = rng.normal(size=(m, n)) * size
            game = matrix_game(matrix)
            part = prove_part(game, answering(*mixes), NOTHING, slice(0, 1), np.inf, codes=game.start_codes)
            value = Fraction(float(part.values[0]))
            entries = np.array([[Fraction(x) for x in row] for row in matrix.tolist()])
            own, other = (np.array([Fraction(x) for x in mix.tolist()]) for mix in mixes)
            secured, conceded = (own @ entries).min() / own.sum(), (entries @ other).max() / other.sum()
            lost = max(value - secured, conceded - value)
            assert (
                max(lost, 0)
                <= Fraction(part.loss)
                <= lost + Fraction(20 * CLOSE * float(np.abs(matrix).max()) + 1e-289)
            )
            assert abs(value - (secured + conceded) / 2) <= Fraction(4 * CLOSE * float(np.abs(matrix).max()))

    @pytest.mark.usefixtures("untried")
    def test_rewards_that_are_not_finite(self) -> None:
        even = np.full(2, 0.5)
        for entry in (np.inf, -np.inf, np.nan):
            game = matrix_game(np.array([[0.0, 1.0], [entry, 0.0]]))
            with pytest.raises(CertificateError, match="there is a reward that is not finite, at node=0"):
                prove_part(game, answering(even, even), NOTHING, slice(0, 1), np.inf, codes=game.start_codes)

    def test_play_leads_to_earlier_layers(self) -> None:
        game = mutations.graph([[[1, 2]], [[2, 2]], None], {2: 1.0})
        later = Proven(np.array([1]), np.ones(1))
        for proven, says in ((later, None), (NOTHING, "this is no state of the layer before, at node=1")):
            with contextlib.nullcontext() if says is None else pytest.raises(CertificateError, match=says):
                assert prove_part(game, SOLVER, proven, slice(0, 1), 0.1, codes=game.start_codes).values == [1]

    def test_the_careful_method_is_asked_where_the_quick_one_fails(self) -> None:
        game = matrix_game(np.array([[3.0, -1.0], [-1.0, 1.0]]))  # (3 * 1 - 1 * 1) / 6
        solver = Solver(mutations.helpless, solve_matrix)
        part = prove_part(game, solver, NOTHING, slice(0, 1), CERTIFIED, codes=game.start_codes)
        assert part.values == pytest.approx([1 / 3], abs=CLOSE) and part.loss <= 20 * CLOSE

    @pytest.mark.parametrize("mix", [[0.5, 0.4], [1.5, -0.5], [np.nan, 1.0], [0.0, 0.0]])
    def test_what_is_no_distribution_guarantees_nothing(self, mix: list[float]) -> None:
        game = matrix_game(np.eye(2))
        even = np.full(2, 0.5)
        for player, mixes in enumerate([(np.array(mix), even), (even, np.array(mix))]):
            with pytest.raises(CertificateError, match=f"player {player}'s strategy is no distribution"):
                prove_part(game, answering(*mixes), NOTHING, slice(0, 1), np.inf, codes=game.start_codes)


def answering(mix0: Floats, mix1: Floats) -> Solver:
    """Returns a solver that answers every matrix with these strategies."""
    return Solver(mutations.helpless, lambda matrix: (0.0, mix0, mix1, 0.0))


def matrix_game(matrix: Floats) -> Game:
    """Returns a game of one move at once, whose last states pay the entries."""
    m, n = matrix.shape
    ends = np.arange(1, m * n + 1).reshape(m, n)
    pays = dict(zip(ends.flat, matrix.flat, strict=True))
    return mutations.graph([ends.tolist(), *[None] * (m * n)], {int(node): float(pay) for node, pay in pays.items()})


NOTHING = Proven(NO_INTS, NO_FLOATS)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Returns a file with the solution of ``mutations.brawl``."""
    save(table_games.solved(mutations.brawl()), path := tmp_path / "tiny.safetensors")
    return path


class TestCommand:
    def test_a_game(self, nashzoo: Command) -> None:
        code, out, err = nashzoo("verify footsies_v0 --param blocks=1")
        assert (code, err) == (0, "")
        assert re.search(r"footsies_v0\(.*blocks=1.*\), \d+ states: the solution holds", out)
        assert re.search(r"certificate, proven: \d\.\de-1\d", out)

    def test_a_file_says_which_game_it_solves(self, nashzoo: Command, stored: Path) -> None:
        assert game_in(stored) == mutations.brawl()
        told = nashzoo.json(f"verify {stored}")
        assert (told["holds"], told["game"]) == (True, "bodega_brawl_v0")
        assert told["states"] == solved(mutations.brawl()).num_states
        assert told["parameters"]["preset"] == "tiny"
        assert 0 <= told["certificate"] <= CERTIFIED

    @pytest.mark.parametrize("change", [1e-6, -0.5, np.nan])
    def test_a_file_that_is_wrong(self, change: float, nashzoo: Command, tmp_path: Path) -> None:
        solution = table_games.solved(mutations.brawl())
        half = solution.values.half.copy()
        half[np.flatnonzero(half)[3]] += change  # and the checksum is right
        save(LayeredSolution(solution.states, half, 0.0), path := tmp_path / "tiny.safetensors")
        code, out, err = nashzoo(f"verify {path}")
        assert (code, out) == (1, "")
        assert re.search(
            r"nashzoo: the solution does not hold: bodega_brawl_v0: player [01]'s strategy "
            r"(secures less than the value in one step|is no distribution .*), at head0=", err,
        )  # fmt: skip
        code, out, _ = nashzoo(f"verify {path} --json")
        assert (code, json.loads(out)["holds"]) == (1, False)

    def test_a_solver_that_is_broken(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        broken = MUTATIONS["nothing is forced"]
        monkeypatch.setattr(parsing, "game_of", lambda name, param: broken.game())
        monkeypatch.setattr(broken.where, broken.name, broken.broken(getattr(broken.where, broken.name)))
        code, out, err = nashzoo("verify walk")
        assert (code, out) == (1, "")
        assert "the solution does not hold: graph_game_v0: player 1's strategy does not secure what is claimed" in err

    def test_wrong_use(self, nashzoo: Command, stored: Path, tmp_path: Path) -> None:
        assert "leave out --param" in nashzoo.refused(f"verify {stored} --param preset=small")
        assert nashzoo.refused("verify none.safetensors") == "there is no file none.safetensors"
        assert nashzoo.refused("verify chess").startswith("there is no game 'chess'")
        (tmp_path / "text.safetensors").write_bytes(b"value\n")
        assert "is not a solution, or is damaged" in nashzoo(f"verify {tmp_path / 'text.safetensors'}")[2]

    def test_a_file_has_no_rules_loaded(self, nashzoo: Command, tmp_path: Path) -> None:
        from safetensors.numpy import save_file

        (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
        path = tmp_path / "evil.safetensors"
        said = json.dumps({"name": str(tmp_path / "evil.py")})
        save_file({"values": np.zeros(2)}, path, {"format": "nashzoo solution 1", "game": said})
        code, _, err = nashzoo(f"verify {path}")
        assert code == 2 and "evil.py' with a registered name, and files cannot have rules loaded" in err
        assert not (tmp_path / "ran").exists()
        assert "nashzoo: footsies_v0 is a game; --game is for" in nashzoo("verify footsies_v0 --game ./evil.py")[2]

    def test_a_file_of_a_game_that_is_not_registered(
        self, nashzoo: Command, stored: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delitem(registry._entries, "bodega_brawl_v0")
        assert "there is no game 'bodega_brawl_v0' with a registered name" in nashzoo(f"verify {stored}")[2]
        games = "nashzoo.envs.games"
        assert "footsies_v0 has no parameter double_ko" in nashzoo(f"verify {stored} --game {games}.footsies")[2]
        assert "the solution holds" in nashzoo(f"verify {stored} --game {games}.bodega_brawl")[1]

    def test_a_file_of_a_game_that_there_is_not(self, nashzoo: Command, tmp_path: Path) -> None:
        from safetensors.numpy import save_file

        path = tmp_path / "chess.safetensors"
        for said in ('{"name": "chess"}', "[]", "{}"):
            save_file({"values": np.zeros(2)}, path, {"format": "nashzoo solution 1", "game": said})
            with pytest.raises(ValueError, match=r"chess\.safetensors does not say which game it solves"):
                game_in(path)


@pytest.mark.usefixtures("untried")
def test_codes_that_hold_other_states_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An encoder that is wrong in the second field: what the code of a state holds is another one."""

    def faulty(state: Any, bits: Any, place: Any) -> tuple[Any, Any]:
        encode, decode = packing.packing_functions(state, bits, place)
        right = source_of(encode)
        wrong = right.replace("state.mover <<", "state.mover * 2 <<")
        assert wrong != right
        return function_of(wrong, {}, place), decode

    monkeypatch.setattr(build, "packing_functions", faulty)
    game = Game(made_games.with_rules(nim, NAME="unheld_v0"))
    one, third, ranks = np.ones(1), np.full((1, 3), 1 / 3), np.zeros(1, np.int64)
    claimed = Claims(game.start_codes, 0 * one, (third, np.eye(1, 3)), Witness(-one, one, (ranks, ranks)), None)
    message = "unheld_v0: step leads to a state that its code does not hold, at heap=7,mover=0"
    for proof in (certify, plain_checker.certify):
        with pytest.raises(CertificateError, match=message):
            proof(game, claimed)
    with pytest.raises(CertificateError, match=message):
        prove_part(game, SOLVER, Proven(ranks[:0], one[:0], 0), slice(0, 1), 1.0, game.start_codes)
    with pytest.raises(
        UsageError, match="step of unheld_v0 leads from heap=7,mover=0 to a state with a field out of its"
    ):
        solve(game)
