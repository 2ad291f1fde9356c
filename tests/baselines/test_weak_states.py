"""Where policies lose: by hand, as a sum that is the exploitability, and by linear systems of visits."""

from typing import Any

import kuhn
import numpy as np
import pig
import pytest

import brute_force
import nim
import repeated_rps
from made_games import graph
from nashzoo import agents
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.baselines import (
    ListedStates,
    TabularPolicy,
    UnprovenValueError,
    Weakness,
    best_response,
    evaluate,
    exploitability,
    solve,
    weaknesses,
)
from nashzoo.baselines.markov import likely_play
from nashzoo.baselines.policies.tabular import table_of
from nashzoo.baselines.states.indexed import numbering
from nashzoo.envs import bodega_brawl_v0, footsies_v0, roshambo_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import FiniteMemoryAgent
from nashzoo.envs.core.game import CHANCE, Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.reachable import TooManyStatesError

EXACT = 1e-12
CERTIFIED = 1e-9
LONG_PLAY = 1e-6  # of sums over a million visits

GAMES = {
    "Footsies": footsies_v0.game(),
    "tic-tac-toe": tictactoe_v0.game(),
    "tiny Bodega Brawl": bodega_brawl_v0.game(preset="tiny"),
    "small Bodega Brawl": bodega_brawl_v0.game(preset="small"),
    "Pig": Game(pig, target=8),
    "Roshambo": roshambo_v0.game(rounds=4, recall=1),
    "soccer": soccer_v0.game(width=11, height=3, goal_height=3),
}


def random_policy(game: Game, seed: int) -> TabularPolicy:
    """Returns a policy with random probabilities of all legal actions."""
    states, rng = numbering(game), np.random.default_rng(seed)
    tables = []
    for seat in (0, 1):
        table = table_of(states, RandomAgent(game), seat)
        table *= rng.random(table.shape)
        tables.append(table / table.sum(axis=1, keepdims=True))
    return TabularPolicy(states, (tables[0], tables[1]))


def listed_policy(game: Game, rows0: Any, rows1: Any) -> TabularPolicy:
    """Returns a policy with these probabilities at the states of a game, in the order of their codes."""
    return TabularPolicy(ListedStates(game), (np.array(rows0, np.float64), np.array(rows1, np.float64)))


def shares(losses: list[Weakness]) -> float:
    return sum(each.share for each in losses)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * name.startswith("small")) for name in GAMES]
)
def test_shares_add_up_to_the_exploitability(name: str) -> None:
    game = GAMES[name]
    policy = random_policy(game, 1)
    losses = weaknesses(game, policy, None)
    expected = exploitability(game, policy)
    assert expected > 0.01
    assert shares(losses) == pytest.approx(expected, abs=CERTIFIED)
    for seat in {each.seat for each in losses}:
        in_seat = exploitability(game, policy, player=seat) * (1 if game.symmetric else 1 / 2)
        assert shares([each for each in losses if each.seat == seat]) == pytest.approx(in_seat, abs=CERTIFIED)
    assert {each.seat for each in losses} == ({0} if game.symmetric else {0, 1})


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["Footsies", "tic-tac-toe"])
def test_the_shares_of_a_seat_add_up_to_its_exploitability(name: str, seat: int) -> None:
    game = GAMES[name]
    policy = random_policy(game, 1)
    losses = weaknesses(game, policy, None, player=seat)
    assert shares(losses) == pytest.approx(exploitability(game, policy, player=seat), abs=CERTIFIED)
    assert {each.seat for each in losses} == {0 if game.symmetric else seat}


@pytest.mark.parametrize(
    "name", ["Footsies", pytest.param("tic-tac-toe", marks=pytest.mark.slow), "tiny Bodega Brawl", "Pig", "Roshambo"]
)
def test_against_an_opponent_shares_add_up_to_what_a_best_response_wins_more(name: str) -> None:
    game = GAMES[name]
    policy, other = random_policy(game, 1), random_policy(game, 2)
    losses = weaknesses(game, policy, None, against=other)
    more = [best_response(game, other, 0).value - evaluate(game, policy, other)]
    if not game.symmetric:
        more.append(best_response(game, other, 1).value + evaluate(game, other, policy))
        for seat in (0, 1):
            alone = weaknesses(game, policy, None, player=seat, against=other)
            assert shares(alone) == pytest.approx(more[seat], abs=CERTIFIED)
    assert sum(more) > 0.01
    assert shares(losses) == pytest.approx(sum(more) / len(more), abs=CERTIFIED)
    assert all(each.regret > 0 and each.plays and each.punished_by == "" for each in losses)
    assert [each.share for each in losses] == sorted((each.share for each in losses), reverse=True)


def test_rock_paper_scissors_against_one_who_throws_rock() -> None:
    # Paper wins a point, even chances win nothing: a point is lost at each of the two throws.
    game = Game(repeated_rps, rounds=2)
    even, rock = RandomAgent(game), listed_policy(game, [[1, 0, 0]] * 10, [[1, 0, 0]] * 10)
    first, *later = weaknesses(game, even, against=rock)
    assert (first.code, first.reach, first.regret) == (0, 1.0, pytest.approx(1.0))
    assert first.best == {"Rock": 0.0, "Paper": 1.0, "Scissors": 0.0}
    assert first.opponent == {"Rock": 1.0, "Paper": 0.0, "Scissors": 0.0}
    assert [each.reach for each in later] == pytest.approx([1 / 3] * 3)
    assert weaknesses(game, rock, against=even) == []


def test_against_a_player_that_remembers() -> None:
    # Its first two throws are anything, and Paper wins nothing from them; the last one is known.
    game = Game(repeated_rps, rounds=3)
    paper = listed_policy(game, *[[[0, 1, 0]] * len(ListedStates(game))] * 2)
    losses = weaknesses(game, paper, None, against=RepeatsItsFirst(game))
    assert shares(losses) == pytest.approx(1, abs=CERTIFIED)
    assert {max(each.opponent, key=each.opponent.get) for each in losses if each.opponent} == {"Paper", "Scissors"}


def moves_by_the_rules(game: Game, tables: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Returns the probability of each next state ``[n, n]`` under two tables, and the expected reward ``[n]``."""
    codes = ListedStates(game).codes.tolist()
    number = {code: k for k, code in enumerate(codes)}
    moves, earned = np.zeros((len(codes), len(codes))), np.zeros(len(codes))
    for k, code in enumerate(codes):
        if game.turn(code) == CHANCE:
            ways = zip(*(column.tolist() for column in game.outcomes(code)), strict=True)
        else:
            pairs = [(i, j) for i in game.legal_actions(code, 0) for j in game.legal_actions(code, 1)]
            ways = ((game.step(code, i, j), float(tables[0][k, i] * tables[1][k, j])) for i, j in pairs)
        for after, chance in ways:
            earned[k] += chance * game.payoff(after)
            if after in number:
                moves[k, number[after]] += chance
    return moves, earned


@pytest.mark.parametrize("game", [footsies_v0.game(blocks=1, exhausted_block="free"), Game(pig, target=4)], ids=str)
def test_reach_and_regret_by_a_linear_system(game: Game) -> None:
    policy, solution, states = random_policy(game, 2), solve(game), ListedStates(game)
    losses = weaknesses(game, policy, None)
    values = np.array([solution.value(code) for code in states.codes.tolist()])
    begin = np.zeros(len(states))
    begin[states.ids(game.start_codes)] = game.start_probabilities
    for seat in (0,) if game.symmetric else (0, 1):
        own = table_of(states, policy, seat)
        reply = table_of(states, best_response(game, policy, 1 - seat).policy, 1 - seat)
        moves, earned = moves_by_the_rules(game, (own, reply) if seat == 0 else (reply, own))
        reach = np.linalg.solve(np.eye(len(states)) - moves.T, begin) * (1 if game.symmetric else 1 / 2)
        regrets = (values - earned - moves @ values) * (1 - 2 * seat)
        in_seat = [each for each in losses if each.seat == seat]
        ids = states.ids([each.code for each in in_seat])
        assert len(in_seat) > 3
        assert [each.reach for each in in_seat] == pytest.approx(reach[ids], abs=CERTIFIED)
        assert [each.regret for each in in_seat] == pytest.approx(regrets[ids], abs=CERTIFIED)
        assert [each.share for each in in_seat] == pytest.approx(reach[ids] * regrets[ids], abs=CERTIFIED)
        others = np.setdiff1d(np.arange(len(states)), ids)
        assert reach[others] * regrets[others] == pytest.approx(np.zeros(len(others)), abs=CERTIFIED)


def test_rock_paper_scissors_twice() -> None:
    # Paper gains 1/4 of a throw. After the first throw play is where Rock, Paper or Scissors has met it.
    game = Game(repeated_rps, rounds=2)
    policy = listed_policy(game, [[0.5, 0.25, 0.25]] * 10, [[0.5, 0.25, 0.25]] * 10)
    first, *later = weaknesses(game, policy)
    thirds = pytest.approx({"Rock": 1 / 3, "Paper": 1 / 3, "Scissors": 1 / 3})
    assert (first.seat, first.code, first.situation) == (0, 0, "round=0,recalled=0")
    assert (first.reach, first.regret, first.share) == pytest.approx((1, 1 / 4, 1 / 4), abs=EXACT)
    assert first.plays == {"Rock": 0.5, "Paper": 0.25, "Scissors": 0.25}
    assert [each.reach for each in later] == pytest.approx([1 / 2, 1 / 4, 1 / 4], abs=EXACT)
    assert [each.regret for each in later] == pytest.approx([1 / 4] * 3, abs=EXACT)
    assert {game.state(each.code).recalled for each in later} == {1 + 3 * throw + 1 for throw in range(3)}
    assert all(each.best == thirds and each.punished_by == "Paper" for each in [first, *later])


def test_of_best_responses_that_which_gives_least_up() -> None:
    # By the rules: a strike to the body lands on Head Counter, and two of them knock out. So nothing is given up.
    game = bodega_brawl_v0.game(preset="small")
    losses = weaknesses(game, agents.as_agent("argmax_counter", game), None)
    assert shares(losses) == pytest.approx(1.0, abs=CERTIFIED)
    assert [each.plays["Head Counter"] for each in losses] == [1.0, 1.0]
    assert {each.punished_by for each in losses} == {"Body Dual Attack"} and min(each.share for each in losses) > 0
    soccer = soccer_v0.game(width=11, height=3, goal_height=1)
    losses = weaknesses(soccer, agents.as_agent("random", soccer), None)
    assert shares(losses) == pytest.approx(1.0, abs=CERTIFIED) and min(each.share for each in losses) > 0


def test_nim() -> None:
    # From 10 seat 0 finds one right move of three: two times of three a win, 2 points, is lost. Thrice so, if it is.
    game = Game(nim, heap=10)
    losses = weaknesses(game, RandomAgent(game))
    assert [each.seat for each in losses] == [0] * 3  # who is second has lost before
    assert [each.regret for each in losses] == pytest.approx([4 / 3] * 3, abs=EXACT)
    assert [each.reach for each in losses] == pytest.approx([1 / 2, 1 / 6, 1 / 18], abs=EXACT)
    assert losses[0].code == game.start_codes[0]
    assert losses[0].plays == pytest.approx(dict.fromkeys(game.actions, 1 / 3))
    assert losses[0].best == {"take 1": 0.0, "take 2": 1.0, "take 3": 0.0}
    assert {each.punished_by for each in losses} == {""}


def test_what_the_best_response_gives_up_is_negative() -> None:
    # Player 1 has a draw, and gives it up for a node where player 0 can win, but does not.
    game = graph([[[1, 2]], None, [[3], [4]], None, None], {3: 1.0, 4: -1.0})
    policy = listed_policy(game, [[1, 0, 0, 0], [0, 1, 0, 0]], [[1, 0, 0, 0], [1, 0, 0, 0]])
    assert weaknesses(game, policy) == [
        Weakness(
            0, 2, "node=2", 0.5, 2.0, 1.0, {"first": 0.0, "second": 1.0}, {"first": 1.0, "second": 0.0}, "", None, 1.0
        ),
        Weakness(0, 0, "node=0", 0.5, -1.0, -0.5, {}, {}, "second", None, 0.0),
    ]
    assert exploitability(game, policy) == 0.5


def test_play_that_never_ends_costs_its_value_once() -> None:
    # Player 1 chooses between node 1, where player 0 could win and waits for ever, and node 2, which pays half a point.
    game = graph([[[1, 2]], [[1], [3]], None, None], {3: 1.0, 2: 0.5})
    policy = listed_policy(game, [[1, 0, 0, 0]] * 2, [[0.5, 0.5, 0, 0], [1, 0, 0, 0]])
    waits, errs, gives = weaknesses(game, policy)
    assert (waits.seat, waits.code, waits.reach, waits.regret, waits.share) == (0, 1, 0.5, 1.0, 0.5)
    assert (errs.seat, errs.code, errs.reach, errs.regret, errs.share) == (1, 0, 0.5, 0.25, 0.125)
    assert (gives.seat, gives.code, gives.reach, gives.regret, gives.share) == (0, 0, 0.5, -0.5, -0.25)
    assert exploitability(game, policy) == pytest.approx(0.375, abs=EXACT)


def test_a_start_that_play_never_leaves() -> None:
    game = graph([[[0], [1]], None], {1: 1.0})
    (waits,) = weaknesses(game, listed_policy(game, [[1, 0, 0, 0]], [[1, 0, 0, 0]]))
    assert (waits.seat, waits.code, waits.reach, waits.regret) == (0, 0, 0.5, 1.0)


@pytest.mark.slow
def test_random_games_that_can_go_on_for_ever() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        game = brute_force.random_game(rng)
        states = ListedStates(game)
        tables = [brute_force.random_table(rng, game, states.codes.tolist(), seat) for seat in (0, 1)]
        policy, solution = TabularPolicy(states, (tables[0], tables[1])), solve(game)
        expected = exploitability(game, policy)
        losses = weaknesses(game, policy, None, solution)
        assert shares(losses) == pytest.approx(expected, abs=LONG_PLAY + solution.certificate)


@pytest.mark.parametrize("name", ["Footsies", "tic-tac-toe", "Pig"])
def test_perfect_play_has_no_weakness(name: str) -> None:
    game = GAMES[name]
    assert weaknesses(game, agents.make("nash", game)) == []  # type: ignore[arg-type]


def test_the_largest_shares_come_first() -> None:
    game = GAMES["tic-tac-toe"]
    policy, solution = random_policy(game, 4), solve(game)
    everything = weaknesses(game, policy, None, solution)
    assert [each.share for each in everything] == sorted((each.share for each in everything), reverse=True)
    assert weaknesses(game, policy, solution=solution) == everything[:10]
    assert weaknesses(game, policy, 25, solution) == everything[:25]


class RepeatsItsFirst(FiniteMemoryAgent):
    """Throws anything, but the last of three throws is its first one again."""

    memory_states = 4  # 0 before anything was thrown

    def remember(self, states: Ints, observations: Features) -> Ints:
        own = observations[:, 1:4]
        return np.where((states == 0) & own.any(axis=1), 1 + own.argmax(axis=1), states)

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        last = observations[:, :1] > 0.5
        return np.where(last, np.eye(3)[states - 1], 1 / 3)


def test_a_player_that_remembers_has_weaknesses_for_each_memory() -> None:
    # Its first two throws lead to nine pairs of a state and a memory, where the last is known.
    game = Game(repeated_rps, rounds=3)
    player = RepeatsItsFirst(game)
    losses = weaknesses(game, player, None)
    assert [each.reach for each in losses] == pytest.approx([1 / 9] * 9, abs=EXACT)
    assert [each.regret for each in losses] == pytest.approx([1] * 9, abs=EXACT)
    beaten_by = {"Rock": "Paper", "Paper": "Scissors", "Scissors": "Rock"}
    assert all(
        each.plays[throw] == (reply == each.punished_by) for each in losses for throw, reply in beaten_by.items()
    )
    assert exploitability(game, player) == pytest.approx(1, abs=CERTIFIED)


class TestRefused:
    def test_hidden_information(self) -> None:
        game = Game(kuhn)
        with pytest.raises(UsageError, match="no state has a loss of its own: the players of kuhn_v0 see a part"):
            weaknesses(game, RandomAgent(game))

    def test_games_that_are_too_large(self) -> None:
        game = bodega_brawl_v0.game()
        with pytest.raises(TooManyStatesError, match=r"has 28,\d+,\d+ states; 2,000,000 is the most"):
            weaknesses(game, RandomAgent(game))

    def test_too_many_states_that_recur_together(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(likely_play, "MOST_CONNECTED", 1)
        game = GAMES["Pig"]
        with pytest.raises(TooManyStatesError, match="play returns to too many states"):
            weaknesses(game, random_policy(game, 1))

    def test_rewards_for_ever(self) -> None:
        # Lose half a point and end, or pay a point at every round.
        game = graph([[[1], [2]], [[0], [0]], None], {1: -1.0, 2: -0.5})
        policy = listed_policy(game, [[1, 0, 0, 0]] * 2, [[1, 0, 0, 0]] * 2)
        with pytest.raises(UnprovenValueError):
            weaknesses(game, policy)
