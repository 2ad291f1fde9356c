"""Intervals of exploitability from samples: coverage, brute force over corners, linear programs, and by hand."""

import itertools
from functools import cache
from pathlib import Path
from typing import Any

import connect_four
import kuhn
import numpy as np
import pig
import pytest
from scipy.optimize import linprog
from scipy.stats import binomtest

import nim
import staked_rps
from made_games import graph
from nashzoo import agents
from nashzoo.baselines import TabularPolicy, best_response, evaluate, exploitability, exploitability_interval
from nashzoo.baselines.forms import form_of
from nashzoo.baselines.policies.tabular import table_of
from nashzoo.baselines.sampled_policies import value_interval
from nashzoo.baselines.states.indexed import numbering
from nashzoo.envs import bodega_brawl_v0, footsies_v0, roshambo_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.reachable import TooManyStatesError
from nashzoo.envs.imported.matrix import matrix_game

CONFIDENCE = 0.95
RUNS, HOLDS = 100, 95
EXACT = 1e-9
DECIMALS = 0.0051  # of the page's two decimals
NARROW = 1e-4  # points, with a million million samples at a state
WIDENED = 1e-7  # points: far more than regions are widened for rounding
BRAWL = bodega_brawl_v0.game(preset="small")
BOARD = Game(connect_four, width=3, height=2, line=3)
PENNIES = matrix_game([[1.0, -1.0], [-1.0, 1.0]])
# Its two decisions may recur, and may go on for ever.
RECURRING = graph([[[1, 2], [2, 3]], [[0, 4], [4, 3]], None, None, None], {2: 1.0, 4: -1.0})

GAMES = {
    "Footsies": footsies_v0.game(),
    "tic-tac-toe": tictactoe_v0.game(),
    "tiny Bodega Brawl": bodega_brawl_v0.game(preset="tiny"),
    "Pig": Game(pig, target=8),
    "Roshambo": roshambo_v0.game(rounds=4, recall=1),
    "stakes": Game(staked_rps),
    "Nim": Game(nim, heap=6, first="random"),
    "recurring": RECURRING,
}
LARGE = ("tic-tac-toe", "Pig")


class Counted(PolicyAgent):
    """A policy that is known by how many samples were each action.

    Args:
        game: The game.
        counts: The samples by seat and number of the state ``[2, n, actions]``.
    """

    def __init__(self, game: Game, counts: Any) -> None:
        super().__init__(game)
        self.counts = np.asarray(counts)
        self.states = numbering(game)

    def sample_counts(self, observations: Features, action_masks: Mask) -> Ints:
        codes, players = self.states_of(observations)
        counts: Ints = self.counts[players, self.states.ids(codes)]
        return counts

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        counts = self.sample_counts(observations, action_masks)
        weights = np.where(counts.any(axis=1, keepdims=True), counts, action_masks)
        frequencies: Floats = weights / weights.sum(axis=1, keepdims=True)
        return frequencies


@cache
def random_tables(game: Game, seed: int) -> tuple[Floats, Floats]:
    """Returns random probabilities of all legal actions, many of them small, of each seat."""
    rng = np.random.default_rng(seed)
    tables = [table_of(numbering(game), agents.make("random", game), seat) for seat in (0, 1)]
    tables = [table * rng.random(table.shape) ** 3 for table in tables]
    first, second = (table / table.sum(axis=1, keepdims=True) for table in tables)
    return first, second


def drawn(game: Game, tables: tuple[Floats, Floats], samples: int, seed: int, none: float = 0.0) -> Counted:
    """Returns a policy that is known by samples of tables, some of which are no action and left out."""
    rng = np.random.default_rng(seed)
    rows = (np.column_stack([(1 - none) * table, np.full(len(table), none)]) for table in tables)
    return Counted(game, [rng.multinomial(samples, row)[:, :-1] for row in rows])


def bounds_by_state(sampled: Counted) -> list[dict[int, tuple[Ints, list[Any]]]]:
    """Returns by seat and state the legal actions and the bounds of their probabilities."""
    game, states = sampled.game, sampled.states
    choices = []
    for seat in (0, 1):
        legal = {k: game.legal_actions(code, seat) for k, code in enumerate(states.codes_at(np.arange(len(states))))}
        choices.append({k: np.array(actions) for k, actions in legal.items() if len(actions) > 1})
    number = sum(2 * len(actions) for side in choices for actions in side.values())
    level = (1 - CONFIDENCE) / number
    return [
        {
            k: (
                actions,
                [
                    binomtest(int(row[a]), int(row.sum())).proportion_ci(1 - 2 * level, "exact")
                    for row in [sampled.counts[seat, k]]
                    for a in actions
                ],
            )
            for k, actions in side.items()
        }
        for seat, side in enumerate(choices)
    ]


def greedy_corners(actions: Ints, bounds: list[Any], num_actions: int) -> list[Floats]:
    """Returns the corners of a region: from the lower bounds probabilities are raised in all orders."""
    corners = set()
    for order in itertools.permutations(range(len(bounds))):
        chances = np.array([bound.low for bound in bounds])
        for place in order:
            chances[place] += min(bounds[place].high - chances[place], 1 - chances.sum())
        table = np.zeros(num_actions)
        table[actions] = chances
        corners.add(tuple(table.round(12).tolist()))
    return [np.array(corner) / sum(corner) for corner in corners]


def largest_by_brute_force(sampled: Counted) -> float:
    """Returns the largest exploitability of all policies with a corner at each state."""
    total = 0.0
    for seat, side in enumerate(bounds_by_state(sampled)):
        table = table_of(sampled.states, agents.make("random", sampled.game), seat)
        worst = -np.inf
        for corners in itertools.product(*(greedy_corners(*at, table.shape[1]) for at in side.values())):
            table[list(side)] = corners
            policy = TabularPolicy(sampled.states, (table, None) if seat == 0 else (None, table))
            worst = max(worst, best_response(sampled.game, policy, 1 - seat).value)
        total += worst / 2
    return total


@pytest.mark.parametrize("none", [0.0, 0.3])
@pytest.mark.parametrize(
    "game",
    [
        PENNIES,
        matrix_game([[2.0, -1.0, 0.0], [-1.0, 1.0, 3.0]]),
        RECURRING,
        Game(nim, heap=3, most=2, first="random"),
    ],
    ids=["pennies", "matrix", "recurring", "in turn"],
)
def test_the_largest_is_that_of_the_worst_corners(game: Game, none: float) -> None:
    sampled = drawn(game, random_tables(game, 5), 30, 3, none)
    assert exploitability_interval(game, sampled).upper == pytest.approx(largest_by_brute_force(sampled), abs=WIDENED)


@pytest.mark.parametrize("seed", range(3))
def test_the_least_of_a_matrix_is_that_of_linear_programs(seed: int) -> None:
    payoff = np.random.default_rng(seed).normal(size=(3, 4))
    game = matrix_game(payoff.tolist())
    sampled = drawn(game, random_tables(game, seed), 200, seed, 0.1)
    total = 0.0
    for seat, lost in enumerate((-payoff, payoff.T)):
        ((_, bounds),) = bounds_by_state(sampled)[seat].values()
        replies = np.column_stack([lost.T, -np.ones(lost.shape[1])])
        solved = linprog(
            [*np.zeros(len(bounds)), 1.0],
            A_ub=replies,
            b_ub=np.zeros(len(replies)),
            A_eq=[[*np.ones(len(bounds)), 0.0]],
            b_eq=[1.0],
            bounds=[*((bound.low, bound.high) for bound in bounds), (None, None)],
        )
        total += solved.fun / 2
    assert total > 0.01
    assert exploitability_interval(game, sampled).lower == pytest.approx(total, abs=WIDENED)


def test_a_coin_is_bounded_as_by_clopper_and_pearson() -> None:
    sampled = Counted(PENNIES, [[[27, 3]]] * 2)
    level = (1 - CONFIDENCE) / 8  # heads and tails, from both sides, in two seats
    heads, tails = (binomtest(count, 30).proportion_ci(1 - 2 * level, "exact") for count in (27, 3))
    interval = exploitability_interval(PENNIES, sampled)
    assert interval.upper == pytest.approx(2 * heads.high - 1, abs=WIDENED)
    assert interval.lower == pytest.approx(heads.low - tails.high, abs=WIDENED) and interval.lower > 0


@pytest.mark.parametrize("confidence", [0.5, 0.999])
def test_without_samples_every_policy_is_possible(confidence: float) -> None:
    interval = exploitability_interval(PENNIES, Counted(PENNIES, np.zeros((2, 1, 2), int)), confidence)
    assert interval == pytest.approx((0, 1), abs=EXACT)


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LARGE)) for name in GAMES])
class TestGames:
    @pytest.mark.parametrize("samples", [4, 300])
    def test_it_holds_the_policy_and_the_frequencies(self, name: str, samples: int) -> None:
        game, tables = GAMES[name], random_tables(GAMES[name], 1)
        sampled = drawn(game, tables, samples, 2, 0.2)
        lower, upper = exploitability_interval(game, sampled)
        assert lower <= exploitability(game, sampled) <= upper
        assert lower <= exploitability(game, TabularPolicy(numbering(game), tables)) <= upper

    def test_with_many_samples_it_closes(self, name: str) -> None:
        game, tables = GAMES[name], random_tables(GAMES[name], 1)
        exact = exploitability(game, TabularPolicy(numbering(game), tables))
        widths = []
        for samples in (10**8, 10**12):
            lower, upper = exploitability_interval(game, drawn(game, tables, samples, 3, 0.1))
            assert lower <= exact <= upper
            widths.append(upper - lower)
        assert widths[1] < 2e-2 * widths[0] < 1e-4


def holding(game: Game, tables: tuple[Floats, Floats], samples: int, none: float) -> int:
    """Returns how many of the intervals hold the exploitability."""
    exact = exploitability(game, TabularPolicy(numbering(game), tables))
    intervals = [exploitability_interval(game, drawn(game, tables, samples, seed, none)) for seed in range(RUNS)]
    assert np.mean([upper - lower for lower, upper in intervals]) < 0.9 * max(1.0, exact)
    return sum(lower <= exact <= upper for lower, upper in intervals)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "samples", "none"),
    [("Footsies", 100, 0.0), ("Nim", 20, 0.0), ("stakes", 200, 0.2), ("recurring", 20, 0.2)],
)
def test_it_holds_in_at_least_95_of_100_runs(name: str, samples: int, none: float) -> None:
    assert holding(GAMES[name], random_tables(GAMES[name], 7), samples, none) >= HOLDS


def test_a_narrower_interval_fails_sometimes() -> None:
    tables = np.array([[0.8, 0.2]]), np.array([[0.5, 0.5]])
    exact = exploitability(PENNIES, TabularPolicy(numbering(PENNIES), tables))
    sampled = [drawn(PENNIES, tables, 50, seed) for seed in range(60)]

    def failures(confidence: float) -> int:
        intervals = (exploitability_interval(PENNIES, policy, confidence) for policy in sampled)
        return sum(not lower <= exact <= upper for lower, upper in intervals)

    assert failures(0.99) == 0 < failures(1e-9)


class Alike(Counted):
    """A policy with the same samples at all states that are the same by symmetry."""

    by_symmetry = True


def alike(game: Game, rows: Any) -> list[Any]:
    """Returns rows of each seat, in which states have the row of the canonical one, with their names of the actions."""
    if not game.has_symmetries:
        return list(rows)
    states, shared = numbering(game), [np.array(side) for side in rows]
    for k, code in enumerate(states.codes_at(np.arange(len(states))).tolist()):
        first, numbers = game.canonical(code)
        mover, place = game.turn(code), int(states.ids(np.array([first]))[0])
        columns = [*numbers, *range(len(numbers), shared[mover].shape[1])]
        shared[mover][k] = rows[mover][place][columns]
    return shared


class TestSymmetry:
    def test_states_that_share_their_samples_are_counted_once(self) -> None:
        sampled = Alike(BOARD, alike(BOARD, drawn(BOARD, random_tables(BOARD, 1), 50, 2).counts))
        boards = {"": 0, "alike": 0}
        for code in sampled.states.codes_at(np.arange(len(sampled.states))).tolist():
            choices, board = len(BOARD.legal_actions(code, BOARD.turn(code))), BOARD.text(code)
            mirrored = "\n".join(line[::-1] for line in board.splitlines())
            boards[""] += 2 * choices * (choices > 1)
            boards["alike"] += 2 * choices * (choices > 1 and board <= mirrored)
        apart = 1 - (1 - CONFIDENCE) * boards[""] / boards["alike"]
        one_by_one = exploitability_interval(BOARD, Counted(BOARD, sampled.counts), apart)
        assert exploitability_interval(BOARD, sampled) == pytest.approx(one_by_one, abs=EXACT)
        assert boards["alike"] < boards[""]

    @pytest.mark.slow
    def test_it_holds_in_at_least_95_of_100_runs(self) -> None:
        first, second = alike(BOARD, random_tables(BOARD, 3))
        exact = exploitability(BOARD, TabularPolicy(numbering(BOARD), (first, second)))
        counts = [alike(BOARD, drawn(BOARD, (first, second), 30, seed).counts) for seed in range(RUNS)]
        intervals = [exploitability_interval(BOARD, Alike(BOARD, one)) for one in counts]
        assert sum(lower <= exact <= upper for lower, upper in intervals) >= HOLDS

    def test_samples_that_are_not_the_same_are_refused(self) -> None:
        with pytest.raises(UsageError, match="differ at states that are the same by symmetry"):
            exploitability_interval(BOARD, Alike(BOARD, drawn(BOARD, random_tables(BOARD, 1), 50, 2).counts))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "game", "name", "runs", "stated", "columns"),
    [
        ("| an equilibrium |", GAMES["Footsies"], "nash", 20, 20, (16, 100, 1_000, 10_000)),
        ("| every action alike |", GAMES["Footsies"], "random", 20, 20, (16, 100, 1_000, 10_000)),
        ("| `counter` |", GAMES["Footsies"], "counter", 20, 20, (16, 100, 1_000, 10_000)),
        ("| tic-tac-toe | `perfect` |", GAMES["tic-tac-toe"], "perfect", 2, 5, (16, 100, 1_000, 10_000)),
        ("| tic-tac-toe | every action alike |", GAMES["tic-tac-toe"], "random", 2, 5, (16, 100, 1_000, 10_000)),
        ("| Bodega Brawl | an equilibrium |", BRAWL, "nash", 2, 5, (16, 1_000)),
        ("| Bodega Brawl | every action alike |", BRAWL, "random", 2, 5, (16, 1_000)),
    ],
)
def test_the_intervals_of_the_page(
    row: str, game: Game, name: str, runs: int, stated: int, columns: tuple[int, ...]
) -> None:
    """The page has means of so many runs; the first of them may be as far off as they are apart."""
    page = (Path(__file__).parents[2] / "docs" / "language_models.md").read_text()
    (line,) = (line for line in page.splitlines() if line.startswith(row))
    exact, frequencies, *intervals = (list(map(float, cell.split(" to "))) for cell in line.split("|")[-7:-1])
    policy, states = agents.make(name, game), numbering(game)
    first, second = alike(game, [table_of(states, policy, seat) for seat in (0, 1)])
    known = exploitability(game, TabularPolicy(states, (first, second)))
    assert known == pytest.approx(*exact, abs=DECIMALS)
    for samples, interval in zip((16, 100, 1_000, 10_000), intervals, strict=True):
        if samples in columns:
            counts = [alike(game, drawn(game, (first, second), samples, seed).counts) for seed in range(runs)]
            sampled = [Alike(game, one) for one in counts]
            measured = [exploitability_interval(game, counted) for counted in sampled]
            assert np.mean([lower - EXACT <= known <= upper for lower, upper in measured]) >= CONFIDENCE
            means = [(measured, interval)]
            if samples == 16:
                means.append(([exploitability(game, counted) for counted in sampled], *frequencies))
            for found, mean in means:
                apart = np.ptp(found, axis=0) * (runs < stated)
                assert (np.abs(np.mean(found, axis=0) - mean) <= DECIMALS + apart).all()


class TestRefusals:
    @pytest.mark.parametrize(
        ("game", "error", "message"),
        [
            (Game(kuhn), UsageError, "the players of kuhn_v0 see a part of the state each"),
            (bodega_brawl_v0.game(), TooManyStatesError, "28,823,580 states; intervals are for games of up to 20,000"),
            (matrix_game([[0.0] * 20] * 20), TooManyStatesError, "739,024,000 transitions, and 10,000,000 is the"),
        ],
        ids=["hidden", "states", "actions"],
    )
    def test_games(self, game: Game, error: type[UsageError], message: str) -> None:
        with pytest.raises(error, match=message):
            exploitability_interval(game, agents.make("llm", game, model="parrot", url="http://127.0.0.1:1"))

    def test_a_policy_without_samples(self) -> None:
        with pytest.raises(UsageError, match=r"random has no sample_counts\(observations, action_masks\)"):
            exploitability_interval(PENNIES, agents.make("random", PENNIES))  # type: ignore[arg-type]

    def test_a_policy_for_another_game(self) -> None:
        with pytest.raises(UsageError, match="plays"):
            exploitability_interval(RECURRING, Counted(PENNIES, np.ones((2, 1, 2), int)))

    @pytest.mark.parametrize(
        "counts",
        [np.ones((2, 1, 2)), -np.ones((2, 1, 2), int), np.ones((2, 1, 3), int)],
        ids=["fractions", "negative", "shape"],
    )
    def test_counts(self, counts: Any) -> None:
        with pytest.raises(UsageError, match=r"whole numbers of legal actions, of shape \(1, 2\)"):
            exploitability_interval(PENNIES, Counted(PENNIES, counts))

    def test_counts_of_illegal_actions(self) -> None:
        game = Game(nim, heap=2, first="random")
        with pytest.raises(UsageError, match="whole numbers of legal actions"):
            exploitability_interval(game, Counted(game, np.ones((2, len(numbering(game)), game.num_actions), int)))

    @pytest.mark.parametrize("confidence", [0, 1.0, 95, "high"])
    def test_confidence(self, confidence: Any) -> None:
        with pytest.raises(UsageError, match="confidence must be a number between 0 and 1, not"):
            exploitability_interval(PENNIES, Counted(PENNIES, np.ones((2, 1, 2), int)), confidence)


@pytest.mark.parametrize("name", ["Footsies", "tiny Bodega Brawl", "Roshambo", "stakes", "Nim"])
def test_without_samples_a_policy_wins_from_what_it_secures_to_what_all_can_give(name: str) -> None:
    game = GAMES[name]
    policy = agents.make("random", game)
    unseen = Counted(game, np.zeros((2, len(numbering(game)), game.num_actions), np.int64))
    for seat in (0,) if game.symmetric else (0, 1):
        lower, upper = value_interval(game, policy, unseen, [seat])
        secured = form_of(game).secured(policy, seat).value
        assert lower == pytest.approx(secured, abs=WIDENED)
        value = evaluate(game, policy, policy)
        assert upper >= (value if seat == 0 else -value) - WIDENED


@pytest.mark.parametrize("name", ["Footsies", "tiny Bodega Brawl", "Roshambo"])
def test_many_samples_leave_what_is_won_from_the_frequencies(name: str) -> None:
    game = GAMES[name]
    states, policy = numbering(game), agents.make("nash", game)
    random = agents.make("random", game)
    counts = np.round([table_of(states, random, seat) * 10**12 for seat in (0, 1)]).astype(np.int64)
    lower, upper = value_interval(game, policy, Counted(game, counts))
    both = (evaluate(game, policy, random) - evaluate(game, random, policy)) / 2
    assert both - NARROW < lower < both < upper < both + NARROW
