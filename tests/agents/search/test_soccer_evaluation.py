"""What states of grid soccer look like to a search, the search itself there, and perfect play."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.agents.basic.perfect import PerfectAgent
from nashzoo.agents.search.evaluation import evaluations
from nashzoo.agents.search.minimax import AlphaBetaAgent, MinimaxAgent
from nashzoo.agents.search.soccer_evaluation import EVALUATIONS, FITTED, between, through, win_moves
from nashzoo.baselines import exploitability, solve
from nashzoo.envs import soccer_v0
from nashzoo.envs.core.game import Game, Ints
from nashzoo.envs.games.soccer.rules import BLUE, RED, State
from playing import play_from
from studies import soccer_fit

SOCCER = soccer_v0.game()
SMALL = soccer_v0.game(width=11, height=5, goal_height=3)
BALLS = ("none", "red", "blue")


def points(name: str, weights: Any = "", game: Game = SOCCER, **state: Any) -> float:
    agent = MinimaxAgent(game, evaluation=name, weights=weights)
    return agent.evaluation.function(game.params, agent.evaluation.vector(), game.code(**state))


def mirrored(game: Game, code: int) -> int:
    """The same state with the players swapped."""
    s = game.state(code)
    across = int(game.options["width"]) + 1
    swapped = State(across - s.blue_x, s.blue_y, across - s.red_x, s.red_y, (0, 2, 1)[s.ball], 1 - s.turn, 0)
    return int(SOCCER.rules.encode(swapped))


def some_codes(game: Game, count: int, seed: int = 0) -> Ints:
    codes = solve(game).states.codes if game is SMALL else random_codes(seed, count)
    return np.random.default_rng(seed).permutation(codes)[:count]


def random_codes(seed: int, count: int) -> Ints:
    """States of the full field."""
    rng = np.random.default_rng(seed)
    codes = []
    while len(codes) < count:
        red, blue = (rng.integers(1, (20, 14)).tolist() for _ in range(2))
        ball = int(rng.integers(3))
        if red != blue and (ball > 0 or (10, 7) not in (tuple(red), tuple(blue))):
            codes.append(int(SOCCER.rules.encode(State(*red, *blue, ball, int(rng.integers(2)), 0))))
    return np.array(codes)


HANDMADE = (("handmade", ""),)
BOTH_GOALS = ("both_goals", ""), ("handmade", "other_goal=0.25")
CHASE = ("chase", ""), ("handmade", "blocked_room=-0.2")


@pytest.mark.parametrize(
    ("evaluations", "state", "by_hand"),
    [
        # The goals are at (20, 7) and (0, 7), the ball lies at (10, 7).
        (HANDMADE, (5, 7, 15, 7, "none"), 0.0),
        (HANDMADE, (7, 3, 18, 13, "none"), 0.5 * (10 - 5)),
        # 15 from the goal and 10 from blue, who stands in between; no penalty area
        (HANDMADE, (5, 7, 15, 7, "red"), 5 + 0.25 * 5 + 0.1 * 10 - 2),
        # 5 (4 across, 3 aside) from the goal, in its penalty area, blue left 8 behind
        (HANDMADE, (16, 10, 8, 10, "red"), 5 + 0.25 * 15 + 0.1 * 8 + 3),
        # 12 across and 5 aside from the goal, red 4 ahead and two thirds of a row off the line to it
        (HANDMADE, (8, 11, 12, 12, "blue"), -(5 + 0.25 * 7 + 0.1 * 17**0.5 - 2)),
        # in its own penalty area, 18 from the goal; blue is aside, not in between
        (HANDMADE, (2, 7, 2, 12, "red"), 5 + 0.25 * 2 + 0.1 * 5 - 1),
        (HANDMADE, (18, 12, 18, 7, "blue"), -(5 + 0.25 * 2 + 0.1 * 5 - 1)),
        # As above, less what blue, 15 from the goal on the left, is nearer to it than the length of the field
        (BOTH_GOALS, (5, 7, 15, 7, "red"), 5 + 0.25 * 5 + 0.1 * 10 - 2 - 0.25 * 5),
        (BOTH_GOALS, (16, 7, 8, 7, "blue"), -(5 + 0.25 * 12 + 0.1 * 8 - 0.25 * 16)),
        # Nobody has it: red is 13.6 from its goal, blue 19; to the ball 5 and 10
        (BOTH_GOALS, (7, 3, 18, 13, "none"), 0.5 * 5 + 0.25 * ((18**2 + 6**2) ** 0.5 - (13**2 + 4**2) ** 0.5)),
        # As for ``handmade``, with the 10 cells to blue, who is in between, against red and not for it
        (CHASE, (5, 7, 15, 7, "red"), 5 + 0.25 * 5 - 0.1 * 10 - 2),
        # Blue is behind: nothing changes.
        (CHASE, (16, 10, 8, 10, "red"), 5 + 0.25 * 15 + 0.1 * 8 + 3),
    ],
)
def test_evaluations_by_hand(evaluations: tuple[tuple[str, str], ...], state: tuple[Any, ...], by_hand: float) -> None:
    fields = dict(zip(("red_x", "red_y", "blue_x", "blue_y", "ball"), state, strict=True))
    for name, weights in evaluations:
        assert points(name, weights, **fields) == pytest.approx(by_hand)


def self_play(code: int, moves: int, **options: Any) -> list[State]:
    """The states of a game of an alpha-beta player against itself."""
    agent, states = AlphaBetaAgent(SOCCER, **options), [State(*SOCCER.state(code))]
    for _ in range(moves):
        move = int(agent.search(np.array([code])).moves[0])
        code = SOCCER.step(code, *((move, 0) if states[-1].turn == RED else (0, move)))
        states.append(State(*SOCCER.state(code)))
    return states


def test_from_the_line_up_red_takes_the_ball_and_is_chased_to_its_own_end() -> None:
    """As in the course project; there the ball is then given away."""
    states = self_play(SOCCER.code(), 60)
    taken = next(k for k, s in enumerate(states) if s.ball)
    assert (taken, states[taken].ball) == (9, 1 + RED)  # five moves from (5, 7) to (10, 7), the fastest
    chase = [
        s for s in states if s.ball == 1 + RED and s.turn == RED and (s.blue_x - s.red_x, s.blue_y) == (1, s.red_y)
    ]
    columns = [s.red_x for s in chase]
    assert columns == list(range(columns[0], 1, -1))  # a column back at a time, to the one before the goal line
    assert len(columns) >= 8
    assert states[-1].ball == 1 + BLUE


def share_of_idle_games(starts: int, **options: Any) -> float:
    """The share of games from random starts, of a player against itself, in which nobody takes the ball."""
    agent = AlphaBetaAgent(SOCCER, **options)
    codes = np.random.default_rng(0).choice(SOCCER.start_codes, starts, replace=False)
    for turn in range(SOCCER.max_cycles):
        moves = agent.search(codes).moves
        players = (moves, np.zeros_like(moves))
        after = [SOCCER.step(*map(int, row)) for row in zip(codes, *players[:: 1 - 2 * (turn % 2)], strict=True)]
        codes = np.array([code for code in after if SOCCER.state(code).ball == 0], np.int64)
    return len(codes) / starts


def test_players_take_the_ball() -> None:
    """With room to a player in the way as an advantage, a quarter of all games is left standing."""
    assert share_of_idle_games(300) < 0.05
    assert share_of_idle_games(300, evaluation="handmade") > 0.15


@pytest.mark.slow
def test_players_that_take_the_ball_are_no_easier_to_beat() -> None:
    exploitable = [exploitability(SOCCER, AlphaBetaAgent(SOCCER, evaluation=name)) for name in (None, "handmade")]
    assert exploitable == pytest.approx([0.044342173] * 2, abs=1e-9)  # the figure in docs/soccer.md


def test_in_between_is_within_a_row_of_the_line_to_the_goal() -> None:
    """The line from (5, 11) to the middle of the goal, (20, 7), is in row 9 and two thirds at x = 10."""
    rows = [y for y in range(1, 14) if between(5, 11, 20, 7, 10, y)]
    assert rows == [9, 10]
    assert not between(5, 11, 20, 7, 5, 12)
    assert not between(5, 11, 20, 7, 4, 11)


@pytest.mark.parametrize(
    ("state", "margin"),
    [
        # red holds in row 8, blue two ahead in row 5: 2 rows of room, 3 aside
        ({"red_x": 8, "red_y": 8, "blue_x": 10, "blue_y": 5, "ball": "red", "turn": "red"}, 2 - 1),
        ({"red_x": 8, "red_y": 8, "blue_x": 10, "blue_y": 5, "ball": "red", "turn": "blue"}, 2 - 2),
        # the same with blue in row 7: no room; and in row 8, straight ahead
        ({"red_x": 8, "red_y": 8, "blue_x": 10, "blue_y": 7, "ball": "red", "turn": "red"}, 0 - 1),
        ({"red_x": 8, "red_y": 8, "blue_x": 9, "blue_y": 8, "ball": "red", "turn": "red"}, 0 - 1),
        # left behind, blue must reach red's own cell, which is a row more
        ({"red_x": 12, "red_y": 7, "blue_x": 10, "blue_y": 7, "ball": "red", "turn": "blue"}, 0 + 1 - 2),
        # nobody has the ball: red is there in 2 moves, blue in 6; blue has 4 + 4 rows of room, less red's 2 moves
        ({"red_x": 8, "red_y": 7, "blue_x": 10, "blue_y": 1, "turn": "red"}, min(6 - 2 - 1, 9 - 1 - 2 - 1)),
        ({"red_x": 8, "red_y": 7, "blue_x": 15, "blue_y": 7, "turn": "red"}, min(5 - 2 - 1, 9 - 7 - 5 - 2 - 1)),
    ],
)
def test_through_by_hand(state: dict[str, Any], margin: int) -> None:
    assert through(SOCCER.params, SOCCER.code(**state), RED) == margin
    mirrored_state = mirrored(SOCCER, SOCCER.code(**state))
    assert through(SOCCER.params, mirrored_state, BLUE) == margin


def test_a_win_takes_the_moves_to_ball_and_goal() -> None:
    """Columns to the goal line, or rows to the goal mouth where these are more."""
    weights = np.zeros(len(FITTED))
    names = list(FITTED)
    weights[names.index("moves_to_goal")], weights[names.index("moves_to_ball")] = 1.0, 100.0

    def moves(**state: Any) -> float:
        return win_moves(SOCCER.params, weights, SOCCER.code(**state), RED)

    assert moves(ball="red", red_x=10, red_y=5) == 9
    assert moves(ball="red", red_x=18, red_y=13) == 13 - 9
    assert moves(ball="red", red_x=18, red_y=1) == 5 - 1
    assert moves(red_x=8, red_y=4) == 9 + 100 * 3


@pytest.mark.parametrize("game", [SOCCER, SMALL])
def test_what_one_player_gains_the_other_loses(game: Game) -> None:
    """The penalty areas differ by a column, where holders are left out for the evaluation by hand."""
    for code in some_codes(game, 500).tolist():
        s = game.state(code)
        for name, evaluation in EVALUATIONS.items():
            if name != "fitted" and {s.red_x, s.blue_x} & {4, game.options["width"] - 3}:
                continue
            weights = evaluation.vector()
            here, there = (evaluation.function(game.params, weights, c) for c in (code, mirrored(game, code)))
            assert here == pytest.approx(-there, abs=1e-9)


def test_the_fitted_evaluation_by_hand() -> None:
    """Red has left blue behind by two columns, and is through by 0; seven moves to the goal line."""
    w = FITTED
    logit = w["held"] + w["held_to_move"] + w["held_passed"] + w["held_is_through"]
    by_hand = (100 - w["moves"] - 7 * w["moves_to_goal"]) / (1 + math.exp(-logit))
    assert points("fitted", red_x=12, red_y=7, blue_x=10, ball="red", turn="red") == pytest.approx(by_hand)


def test_through_is_nearly_the_truth_on_a_small_field() -> None:
    """The rule was found on the full field; on another it holds all but as often."""
    solution = solve(SMALL)
    codes, balls, values, _ = soccer_fit.known(solution)
    right = [
        (through(SMALL.params, code, ball - 1) >= 0) == (value == 3 - 2 * ball)
        for code, ball, value in zip(codes.tolist(), balls.tolist(), values, strict=True)
        if ball > 0
    ]
    assert np.mean(right) > 0.9


@pytest.mark.parametrize("evaluation", ["handmade", "fitted", "both_goals", "chase", "none"])
@pytest.mark.parametrize("game", [SOCCER, SMALL])
def test_alphabeta_finds_what_minimax_finds(game: Game, evaluation: str) -> None:
    codes = some_codes(game, 100)
    for hurry in (True, False):
        expected = MinimaxAgent(game, evaluation=evaluation, hurry=hurry).search(codes)
        for deepening, ordering, table in itertools.product((False, True), (False, True), (0, 1 << 14)):
            options = {"deepening": deepening, "ordering": ordering, "transposition_table": table}
            found = AlphaBetaAgent(game, evaluation=evaluation, hurry=hurry, **options).search(codes)
            assert (found.moves == expected.moves).all()
            assert (found.values == expected.values).all()
            assert found.nodes.sum() < expected.nodes.sum()


def test_the_default_evaluation_depends_on_whether_the_reply_is_seen() -> None:
    assert list(evaluations(SOCCER)) == ["handmade", "fitted", "both_goals", "chase", "none"]
    assert agents.make("greedy", SOCCER).evaluation == EVALUATIONS["handmade"]
    assert AlphaBetaAgent(SOCCER, depth=1).evaluation == EVALUATIONS["handmade"]
    assert AlphaBetaAgent(SOCCER, depth=2).evaluation == MinimaxAgent(SOCCER).evaluation == EVALUATIONS["chase"]
    assert list(EVALUATIONS["fitted"].weights) == list(FITTED)
    with pytest.raises(ValueError, match="'chase' or 'none' in soccer_v0, not 'seed'"):
        agents.make("minimax", SOCCER, evaluation="seed")
    with pytest.raises(ValueError, match="there is no weight 'bal'; the weights are ball, goal, room"):
        agents.make("alphabeta", SOCCER, weights="bal=4")


def test_a_search_explains_its_choice_from_its_own_side() -> None:
    """Blue walks into the goal at once: a point, and a unit for each of the three moves that it is early."""
    agent, code = AlphaBetaAgent(SOCCER), SOCCER.code(blue_x=1, red_x=15, ball="blue", turn="blue")
    seen = SOCCER.observe(code, BLUE)
    assert agent.explain(seen, 0) == ""  # it has not chosen yet
    action = int(agent.predict(seen)[0])
    assert SOCCER.payoff(SOCCER.step(code, 0, action)) == -1
    assert agent.explain(seen, action).startswith(f"{SOCCER.actions[action]}: +1003.00 evaluation points, ")
    assert agents.make("random", SOCCER).explain(seen, action) == ""


@pytest.mark.parametrize("defence", ["perfect", "random", "greedy"])
def test_every_won_state_of_a_small_field_is_won_in_its_distance(defence: str) -> None:
    """In exactly so many moves against perfect defence, and in no more against any other."""
    solution = solve(SMALL)
    perfect = PerfectAgent(SMALL, seed=0, solution=solution)
    other = perfect if defence == "perfect" else agents.make(defence, SMALL, seed=1)
    codes, _, values, distances = soccer_fit.known(solution)
    for winner in (RED, BLUE):
        won = values == 1 - 2 * winner
        players = (perfect, other) if winner == RED else (other, perfect)
        brought, moves = play_from(SMALL, codes[won], *players, most=60)
        assert won.any()
        assert (brought == 1 - 2 * winner).all()
        assert (moves == distances[won]).all() if defence == "perfect" else (moves <= distances[won]).all()


@pytest.mark.slow
def test_the_weights_are_those_that_fit() -> None:
    solution = solve(SOCCER)
    assert soccer_fit.fit(solution) == FITTED
    codes, _, values, _ = soccer_fit.known(solution)
    looks = soccer_fit.evaluated(SOCCER, EVALUATIONS["fitted"], codes)
    limit = soccer_fit.best_limit(looks, values)
    assert ((np.abs(looks) > limit) * np.sign(looks) == values).mean() > 0.989
    assert soccer_fit.agreement_table("fitted", EVALUATIONS["fitted"], solution).row_count == 4
