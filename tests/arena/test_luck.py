"""The luck in matches: what it is, that its mean is 0, and what luck-adjusted scores are worth."""

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import kuhn
import numpy as np
import pig
import pytest

import clocked_game
import nim
import repeated_rps
import staked_rps
from nashzoo import agents
from nashzoo.arena.luck import Luck, luck_of, luck_of_record, solved
from nashzoo.arena.match import MatchResult, Z, play_match, play_seats
from nashzoo.arena.ratings import adjusted_results
from nashzoo.arena.recorder import Recorder
from nashzoo.arena.records import Record
from nashzoo.arena.tournament import tournament
from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines import evaluate, solve
from nashzoo.baselines.layered_solution import solve_layers
from nashzoo.baselines.policies.tabular import TabularPolicy, observed, tabulate
from nashzoo.baselines.states.clocked import ClockedStates
from nashzoo.baselines.states.indexed import numbering
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs import footsies_v0, make_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import FiniteMemoryAgent, PolicyAgent
from nashzoo.envs.core.game import CHANCE, Features, Floats, Game, Ints, Mask
from opponents import Always, Counting

FOOTSIES = footsies_v0.game()
NIM = Game(nim, heap=6, first="random")
STAKED = Game(staked_rps)
THROWS = Game(repeated_rps, rounds=3)
PIG = Game(pig, target=8)
TINY = make_game("bodega_brawl_v0", preset="tiny")  # whose states have an index
KUHN = Game(kuhn)
SMALL = (FOOTSIES, NIM, STAKED, THROWS, PIG, TINY, KUHN)
ROUNDING = 1e-12
STANDARD_ERRORS = 4.5


class Mistaken(PolicyAgent):
    """Plays an equilibrium, but with a probability any legal action: two such players are near an equilibrium."""

    def __init__(self, game: Game, mistakes: float) -> None:
        super().__init__(game)
        self.mistakes = mistakes
        self.nash = agents.make("nash", game)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        nash: Floats = self.nash.action_probabilities(observations, action_masks)  # type: ignore[attr-defined]
        anything = action_masks / action_masks.sum(axis=1, keepdims=True)
        return (1 - self.mistakes) * nash + self.mistakes * anything


class Alternating(FiniteMemoryAgent):
    """Plays at random, with the first legal action more often at every other decision."""

    memory_states = 2

    def remember(self, states: Ints, observations: Features) -> Ints:
        return 1 - states

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        weights = masks.astype(np.float64)
        weights[np.arange(len(masks)), masks.argmax(axis=1)] += 3 * states
        return weights / weights.sum(axis=1, keepdims=True)


class Wavy(PolicyAgent):
    """A policy with any probabilities, which depend on what is observed alone."""

    def __init__(self, game: Game, seed: int) -> None:
        super().__init__(game)
        self.waves = np.random.default_rng(seed).normal(0, 5, (game.num_features, game.num_actions))

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        weights = action_masks * (1.02 + np.sin(observations @ self.waves))
        return weights / weights.sum(axis=1, keepdims=True)


def by_variance(result: MatchResult) -> float:
    """Returns the standard error of luck-adjusted points without room for unlikely events that were not seen."""
    return result.adjusted_error - result.unseen / Z


def any_policy(game: Game, seed: int) -> PolicyAgent:
    """Returns a policy with random probabilities at every state, where nothing is hidden some of them 0."""
    if game.hides:
        return Wavy(game, seed)
    states, rng = numbering(game), np.random.default_rng(seed)
    tables = []
    for seat in (0, 1):
        masks = observed(game, states.codes_at(np.arange(len(states))), seat).masks
        weights = masks * rng.exponential(size=masks.shape) * (rng.random(masks.shape) < 0.8) + 1e-9 * masks
        tables.append(weights / weights.sum(axis=1, keepdims=True))
    return TabularPolicy(states, (tables[0], tables[1]))


def steps_from(game: Game, code: int) -> Iterator[tuple[tuple[int, int], float, Trajectory]]:
    """Yields the joint actions at a state, and the probability and the match of each outcome of chance."""
    for action0, action1 in itertools.product(game.legal_actions(code, 0), game.legal_actions(code, 1)):
        stepped = game.step(code, action0, action1)
        for after, chance in reached(game, stepped):
            played = Trajectory(game, code)
            played.follow(action0, action1, None if after == stepped else after)
            yield (action0, action1), chance, played


def reached(game: Game, code: int) -> list[tuple[int, float]]:
    """Returns the states to which chance leads, with their probabilities."""
    if game.terminal(code) or game.turn(code) != CHANCE:
        return [(code, 1.0)]
    outcomes = zip(*game.outcomes(code), strict=True)
    return [(after, first * then) for one, first in outcomes for after, then in reached(game, int(one))]


@pytest.mark.parametrize("game", SMALL, ids=str)
@pytest.mark.parametrize("known", [(True, True), (True, False), (False, True), (False, False)], ids=str)
def test_the_luck_of_a_step_has_the_mean_0(game: Game, known: tuple[bool, bool]) -> None:
    """Over chance and the actions of players with known probabilities, whatever the action of another is."""
    policies = any_policy(game, 1), any_policy(game, 2)
    players = [policy if one else None for policy, one in zip(policies, known, strict=True)]
    solution, states = solved(game), ListedStates(game).codes
    rng = np.random.default_rng(0)
    decisions = [code for code in states.tolist() if game.movers(code)]
    for code in rng.permutation(decisions)[:20].tolist():
        rows = {seat: tabulate(game, policies[seat], np.array([code]), seat)[0] for seat in game.movers(code)}
        movers, means = game.movers(code), dict[tuple[int, ...], float]()
        at_first = luck_of(solution, players, Trajectory(game, code)).points
        for actions, chance, played in steps_from(game, code):
            likely, given = chance, []
            for seat in movers:
                likely *= rows[seat][actions[seat]] if known[seat] else 1.0
                given += [] if known[seat] else [actions[seat]]
            luck = luck_of(solution, players, played).points - at_first
            means[tuple(given)] = means.get(tuple(given), 0.0) + likely * luck
        assert max(map(abs, means.values())) < ROUNDING


def recorded(game: Game, players: Sequence[Any], games: int, **options: Any) -> tuple[MatchResult, list[Record]]:
    """Returns the result of a match and the records of its games."""
    kept: list[Record] = []
    recorder = Recorder(game, ("one", "other"), kept.extend)
    return play_match(game, *players, games, 7, recorder=recorder, solution=solved(game), **options), kept


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_games_side_by_side_have_the_luck_of_their_trajectories(game: Game) -> None:
    policy = any_policy(game, 3)
    for players in ((policy, policy), (policy, Counting()), (Counting(), policy), (Counting(), Counting())):
        result, records = recorded(game, players, 60, max_cycles=30)
        known = [player if player is policy else None for player in players]
        lucks = [luck_of(solved(game), known, record.trajectory).points for record in records]
        assert result.luck == pytest.approx(np.array(lucks), abs=ROUNDING)
        plain = play_match(game, *players, 60, 7, 30)
        assert plain.points.tolist() == result.points.tolist() and plain.luck is None


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_luck_has_the_mean_0_whoever_plays_and_wherever_it_ends(game: Game) -> None:
    policy, alternating = any_policy(game, 4), Alternating(game)
    mixed = agents.as_agent({policy: 1, agents.make("random", game): 2}, game)
    pairs = (policy, alternating), (alternating, Counting()), (mixed, policy), (policy, Always(2)), (Always(2), policy)
    for (first, second), max_cycles in itertools.product(pairs, (None, 2)):
        result = play_match(game, first, second, 4_000, 5, max_cycles, solution=solved(game))
        assert result.luck is not None
        error = result.luck.std() / np.sqrt(result.games)
        assert abs(result.luck.mean()) <= STANDARD_ERRORS * error + ROUNDING


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_luck_adjusted_points_agree_with_exact_evaluation(game: Game) -> None:
    """Twice: of any policies, and of players near an equilibrium, whose interval is many times narrower."""
    for first, second in ((any_policy(game, 5), any_policy(game, 6)), (Mistaken(game, 0.1), Mistaken(game, 0.05))):
        result = play_match(game, first, second, 4_000, 9, solution=solved(game))
        assert (
            abs(result.adjusted_mean - evaluate(game, first, second))
            <= STANDARD_ERRORS * result.adjusted_error + ROUNDING
        )
    assert by_variance(result) < result.standard_error / 5


@pytest.mark.parametrize("game", [FOOTSIES, NIM, STAKED, PIG, KUHN, make_game("tictactoe_v0")], ids=str)
def test_between_equilibrium_strategies_all_is_luck(game: Game) -> None:
    nash = agents.make("nash", game)
    result = play_match(game, nash, nash, 200, 0, solution=solved(game))
    assert result.adjusted == pytest.approx(np.full(200, solved(game).start_value), abs=1e-7)


def test_the_values_of_a_game_with_a_clock_need_not_be_in_memory_with_its_successors() -> None:
    game = Game(clocked_game)
    policy = any_policy(game, 1)
    listed, clocked = (
        play_match(game, policy, policy, 100, 0, solution=solution).luck
        for solution in (solved(game), solve_layers(ClockedStates(game)))
    )
    assert listed == pytest.approx(clocked, abs=1e-9) and np.any(listed)


def test_probabilities_of_players_with_finite_memory_are_known() -> None:
    """Those at the moment: all that a round of rock-paper-scissors brings is luck, if one side's draw is."""
    result = play_match(THROWS, Alternating(THROWS), agents.make("nash", THROWS), 100, 0, solution=solved(THROWS))
    assert result.adjusted == pytest.approx(np.zeros(100), abs=ROUNDING) and result.points.any()


def test_a_player_without_a_distribution_is_refused_as_without_luck() -> None:
    class Wrong(PolicyAgent):
        def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
            return 0.0 * action_masks

    for solution in (None, solved(FOOTSIES)):
        with pytest.raises(UsageError, match=r"^at .* player 0 has the probabilities \[0.0, 0.0, 0.0, 0.0\]"):
            play_match(FOOTSIES, Wrong(FOOTSIES), Always(0), 3, 0, solution=solution)


def test_a_search_has_probabilities_if_it_finds_the_same_strategy_again() -> None:
    """Against the exact solution, whose draws are known, those of another search are left in the score."""
    nash = agents.make("nash", FOOTSIES)
    known, unknown = (
        play_match(FOOTSIES, agents.as_agent(f"mcts({options})", FOOTSIES), nash, 400, 0, solution=solved(FOOTSIES))
        for options in ("simulations=50,search_seed=0", "simulations=50")
    )
    assert by_variance(known) < by_variance(unknown) / 2 < unknown.standard_error / 4


def test_values_need_not_be_right() -> None:
    """The mean stays the same, and the interval is valid; it may only be wider."""
    solution = solve(FOOTSIES)
    policies = any_policy(FOOTSIES, 5), any_policy(FOOTSIES, 6)
    true = evaluate(FOOTSIES, *policies)
    solution._values = np.random.default_rng(0).normal(0, 3, len(solution.values))  # type: ignore[attr-defined]
    result = play_match(FOOTSIES, *policies, 4_000, 9, solution=solution)
    assert abs(result.adjusted_mean - true) <= STANDARD_ERRORS * result.adjusted_error
    assert result.adjusted_error > result.standard_error


def test_the_solution_of_a_game_with_hidden_information_has_no_values_of_states() -> None:
    random = agents.make("random", KUHN)
    with pytest.raises(UsageError, match="a state of kuhn_v0 has no value of its own"):
        play_match(KUHN, random, random, 4, 0, solution=solve(KUHN))
    assert solved(KUHN).start_value == pytest.approx(-1 / 18)  # Kuhn (1950)


def test_players_of_a_record_are_made_by_name_and_nothing_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("raise SystemExit('it was run')")
    played = Trajectory(FOOTSIES, FOOTSIES.first_decision)
    played.follow(0, 1)

    def luck(*players: str, **chosen: Any) -> Luck:
        return luck_of_record(Record(played, (players[0], players[1]), "unfinished", **chosen))

    nash, random = (agents.make(name, FOOTSIES) for name in ("nash", "random"))
    both, one, none = (luck_of(solve(FOOTSIES), two, played) for two in ((nash, random), (None, random), (None, None)))
    assert [each.known for each in (both, one, none)] == [(True, True), (False, True), (False, False)]
    assert luck("nash", "random") == both and both.points != pytest.approx(one.points)
    for stranger in (str(tmp_path / "bot.py"), f"{tmp_path / 'bot.py'}:Bot", "gone", "manual", "mcts", "nash(depth=2)"):
        assert luck(stranger, "random") == one
    inside = Trajectory(TINY, TINY.first_decision)
    inside.follow(*(TINY.legal_actions(inside.code, seat)[0] for seat in (0, 1)))
    luck_of_record(Record(inside, (f"argmax_counter(policy={tmp_path / 'bot.py'}:Bot)", "nash"), "unfinished"))
    assert luck("nash", "random", version="0.0.1") == none


def test_standard_errors_are_by_seat() -> None:
    """The number of games in each seat is fixed, so that what the seat is worth makes no points uncertain."""
    first, second = MatchResult(np.array([3.0, 5.0])), MatchResult(np.array([7.0, 9.0])).reversed()
    both = first + second
    assert both.seats.tolist() == [0, 0, 1, 1]  # type: ignore[union-attr]
    assert both.standard_error == pytest.approx(np.sqrt(2.0 / 4))  # each seat: variance 2, and a mean of half the games
    assert first.standard_error == pytest.approx(1.0)
    single = MatchResult(np.array([1.0])) + MatchResult(np.array([1.0])).reversed()
    assert single.standard_error == pytest.approx(1.0)  # as of games in one seat


def test_results_with_luck_are_added_reversed_and_packed() -> None:
    result = play_seats(NIM, any_policy(NIM, 1), any_policy(NIM, 2), 10, 0, solution=solved(NIM))
    again = MatchResult.unpacked(json.loads(json.dumps(result.packed())))
    for one, other in ((again, result), (result.reversed().reversed(), result)):
        assert one.luck is not None and other.luck is not None
        assert (one.luck.tolist(), one.points.tolist()) == (other.luck.tolist(), other.points.tolist())
        assert np.array_equal(one.seats, other.seats)
    assert result.reversed().adjusted_mean == pytest.approx(-result.adjusted_mean)
    assert (result + MatchResult(np.ones(2))).luck is None


def test_ratings_take_luck_adjusted_results_as_games_won_and_drawn() -> None:
    points = np.array([1.0, 1.0, 0.0, -1.0, 0.0])
    assert adjusted_results(points) == (2.0, 2.0)
    won, drawn = adjusted_results(points + 0.1)
    lost, again = adjusted_results(-points - 0.1)
    assert again == pytest.approx(drawn) and won + drawn + lost == pytest.approx(5)
    assert adjusted_results(np.full(3, 1.2))[0] + adjusted_results(np.full(3, 1.2))[1] / 2 == 3.0


def test_ratings_are_the_same_in_the_limit_and_more_certain() -> None:
    players = {name: name for name in ("nash", "random", "counter")}
    adjusted = tournament(FOOTSIES, players, 2_000, 0, luck_adjusted=True)
    many = tournament(FOOTSIES, players, 100_000, 1)
    for k, name in enumerate(adjusted.names):
        strength = many.ratings.strengths[many.names.index(name)]
        assert adjusted.ratings.strengths[k] == pytest.approx(strength, abs=4 * many.ratings.errors.max())
    plain = tournament(FOOTSIES, players, 2_000, 0)
    assert adjusted.ratings.errors.max() < plain.ratings.errors.min() / 3
    for pair, result in plain.results.items():
        assert adjusted.results[pair].points.tolist() == result.points.tolist()
    assert adjusted.plain_score("nash") == plain.score("nash") != adjusted.score("nash")


def saved(game: Game, first: Any, second: Any) -> float:
    """Returns how many times fewer games are needed for the same interval."""
    result = play_seats(game, first, second, 4_000, 3, solution=solved(game))
    return (result.standard_error / result.adjusted_error) ** 2


def test_players_near_an_equilibrium_need_at_least_5_times_fewer_games() -> None:
    for game in (
        FOOTSIES,
        make_game("bodega_brawl_v0", preset="small"),
        Game(pig, target=20),
    ):
        nash = agents.make("nash", game, solution=solved(game))
        assert saved(game, Mistaken(game, 0.1), nash) > 5
        assert saved(game, Mistaken(game, 0.1), Mistaken(game, 0.2)) > 5


def test_where_a_player_is_exploited_in_every_game_nothing_is_saved() -> None:
    game = make_game("tictactoe_v0")
    assert saved(game, agents.make("nash", game), agents.make("random", game)) < 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "names"),
    [(FOOTSIES, ("nash", "counter")), (FOOTSIES, ("random", "counter")), (PIG, ("nash", "random"))],
    ids=str,
)
def test_intervals_contain_the_exact_points_95_times_in_100(game: Game, names: tuple[str, str]) -> None:
    first, second = (agents.make(name, game) for name in names)
    replications, games = 2_000, 200  # in each seat
    whole = play_seats(game, first, second, 2 * replications * games, 11, solution=solved(game))
    assert whole.luck is not None
    true = (evaluate(game, first, second) - evaluate(game, second, first)) / 2
    points, luck = (part.reshape(2, replications, games) for part in (whole.points, whole.luck))
    held = 0
    for k in range(replications):
        halves = [MatchResult(points[seat, k], 0, seat, luck[seat, k]) for seat in (0, 1)]
        result = halves[0] + halves[1]
        held += abs(result.adjusted_mean - true) <= Z * result.adjusted_error
    assert 0.94 <= held / replications <= 0.96
