"""Minimax and alpha-beta search: against a plain recursion, against each other, and against numbers from outside."""

import itertools
import pickle
import time
from typing import Any

import numpy as np
import pytest

import graph_game
import nim
from brute_force import reachable
from evaluations import DIGITS
from minimax_by_definition import max_or_min
from nashzoo import agents
from nashzoo.agents.search.evaluation import EVALUATE, HIGHEST, POINT, Evaluation
from nashzoo.agents.search.minimax import AlphaBetaAgent, GreedyAgent, MinimaxAgent, Results
from nashzoo.baselines import exploitability, solve
from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.compiled import Floats, Ints, compiled
from playing import play_from

TICTACTOE = tictactoe_v0.game()
TREE = (1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)  # states of tic-tac-toe after each move, A061221
PLAIN = {"deepening": False, "ordering": False, "transposition_table": 0}
SWITCHES = [
    {"deepening": deepening, "ordering": ordering, "transposition_table": table}
    for deepening, ordering, table in itertools.product((False, True), (False, True), (0, 1, 8, 1 << 12))
]


def random_graph(rng: np.random.Generator, nodes: int = 30) -> Game:
    """A game whose token goes anywhere, back as well, and which pays something on many nodes."""
    tables: list[Any] = []
    for node in range(nodes):
        moves = rng.integers(1, 5)
        targets = rng.integers(0, nodes, moves).tolist()
        table = [[target] for target in targets] if rng.random() < 0.5 else [targets]
        tables.append(None if node > 0 and rng.random() < 0.1 else table)
    pays = (rng.integers(-3, 4, nodes) / 4 * (rng.random(nodes) < 0.3)).tolist()
    return Game(graph_game, tables=tables, pays=pays)


@pytest.mark.slow
@pytest.mark.parametrize("hurry", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize("agent", [MinimaxAgent, AlphaBetaAgent])
def test_searches_find_what_the_definition_says(agent: Any, hurry: bool) -> None:
    rng = np.random.default_rng(0)
    games = [*(random_graph(rng) for _ in range(6)), Game(nim, heap=20, first="random"), TICTACTOE]
    for game in games:
        codes = rng.permutation(reachable(game))[:12]
        for depth in (1, 2, 3, 5):
            found = agent(game, depth=depth, evaluation=DIGITS, hurry=hurry).search(codes)
            for code, move, value in zip(codes.tolist(), found.moves, found.values, strict=True):
                expected, moves = max_or_min(game, code, depth, DIGITS, hurry)
                assert move == next(action for action, worth in moves.items() if worth == expected)
                assert value == pytest.approx(float(expected), abs=1e-4)


@pytest.fixture(scope="module")
def searched() -> list[tuple[Game, Ints, dict[str, Any], Results]]:
    """Games, some of their states, options, and what minimax finds."""
    rng, searches = np.random.default_rng(1), []
    for game in (*(random_graph(rng) for _ in range(12)), Game(nim, heap=30, first="random"), TICTACTOE):
        codes = rng.permutation(reachable(game))[:30]
        for depth, hurry in ((1, True), (4, False), (6, True)):
            options = {"depth": depth, "evaluation": DIGITS, "hurry": hurry}
            searches.append((game, codes, options, MinimaxAgent(game, **options).search(codes)))
    return searches


@pytest.mark.parametrize("switches", SWITCHES)
def test_alphabeta_finds_what_minimax_finds_whatever_is_switched_on(
    switches: dict[str, Any], searched: list[tuple[Game, Ints, dict[str, Any], Results]]
) -> None:
    for game, codes, options, expected in searched:
        agent = AlphaBetaAgent(game, **options, **switches)
        for _ in range(2):  # the second time with what the table has kept
            found = agent.search(codes)
            assert (found.values == expected.values).all()
            assert (found.moves == expected.moves).all()
            assert (found.depths == options["depth"]).all()


@pytest.mark.parametrize("depth", range(1, 10))
def test_minimax_looks_at_the_whole_tree(depth: int) -> None:
    found = MinimaxAgent(TICTACTOE, depth=depth).search(TICTACTOE.start_codes)
    assert found.nodes.tolist() == [sum(TREE[: depth + 1])]


def test_states_looked_at_are_added_up() -> None:
    agent = agents.make("minimax", TICTACTOE, depth=2)
    for _ in range(3):
        agent.predict(TICTACTOE.observe(int(TICTACTOE.start_codes[0]), 0))
    assert agent.nodes == 3 * (1 + 9 + 72)  # type: ignore[attr-defined]


@pytest.mark.parametrize("depth", range(1, 11))
def test_alphabeta_looks_at_the_smallest_tree_when_the_first_moves_are_best(depth: int) -> None:
    """Of a tree with b moves everywhere it is b**ceil(k / 2) + b**floor(k / 2) - 1 states after k moves.

    Knuth and Moore (1975), corollary of theorem 1. With a large heap all states look alike.
    """
    game = Game(nim, heap=100)
    least = sum(3 ** -(-k // 2) + 3 ** (k // 2) - 1 for k in range(depth + 1))
    for ordering in (False, True):
        agent = AlphaBetaAgent(game, depth=depth, **{**PLAIN, "ordering": ordering})
        assert agent.search(game.start_codes).nodes.tolist() == [least]


def test_every_switch_saves_work() -> None:
    """From scratch; deepening pays by its ordering, and the more so the deeper."""

    def nodes(**switches: Any) -> int:
        options = {"depth": 7, "evaluation": DIGITS, **PLAIN, **switches}
        codes = solve(TICTACTOE).states.codes[::100, None]
        return sum(int(AlphaBetaAgent(TICTACTOE, **options).search(code).nodes[0]) for code in codes)

    plain, ordered, remembered = nodes(), nodes(ordering=True), nodes(transposition_table=1 << 12)
    assert ordered < 0.9 * plain
    assert remembered < 0.6 * plain
    assert nodes(ordering=True, transposition_table=1 << 12) < remembered
    assert nodes(ordering=True, deepening=True) < nodes(deepening=True)


@pytest.mark.parametrize(("deepening", "most"), [(False, 13_000), (True, 25_000)])
def test_each_part_of_the_ordering_saves_work(deepening: bool, most: int) -> None:
    """Without killers it would be 17,022, with deepening 41,625; and 28,426 without history, 28,936 without memory."""
    agent = AlphaBetaAgent(TICTACTOE, depth=9, transposition_table=0, deepening=deepening)
    assert agent.search(TICTACTOE.start_codes).nodes[0] < most


def test_the_table_is_kept_between_decisions() -> None:
    agent = AlphaBetaAgent(TICTACTOE, depth=9, deepening=False)
    first, second = (int(agent.search(TICTACTOE.start_codes).nodes[0]) for _ in range(2))
    assert second == 1 + 9 < first


def test_looking_to_the_end_is_perfect() -> None:
    measured = [exploitability(TICTACTOE, AlphaBetaAgent(TICTACTOE, depth=depth)) for depth in (4, 5, 6, 9)]
    assert measured[0] > measured[1] > measured[2] == measured[3] == 0


@pytest.mark.parametrize("name", ["minimax", "alphabeta"])
def test_wins_are_as_short_as_they_can_be(name: str) -> None:
    solution = solve(TICTACTOE)
    player, perfect = agents.make(name, TICTACTOE, depth=9), agents.make("perfect", TICTACTOE, seed=0)
    for seat in (0, 1):
        codes = solution.states.codes[solution.values == 1 - 2 * seat]
        points, moves = play_from(TICTACTOE, codes, *((player, perfect) if seat == 0 else (perfect, player)), most=9)
        assert (points == 1 - 2 * seat).all()
        assert moves.tolist() == [solution.distance(code) for code in codes]


def test_without_hurry_a_win_can_be_put_off_for_ever() -> None:
    """Round and round from 0 by way of 1, or out to the end at 2; seen far ahead both win."""
    game = Game(graph_game, tables=(((1,), (2,)), ((0,),), None), pays=(0.0, 0.0, 1.0))
    for hurry, points in ((False, 0), (True, 1)):
        agent = AlphaBetaAgent(game, depth=4, hurry=hurry)
        assert play_from(game, game.start_codes, agent, agent, most=50)[0].tolist() == [points]


def test_no_evaluation_outweighs_a_win() -> None:
    """From 0 to a state that looks splendid at 1, or by way of 3 to a win at 2, or to what looks bad at 4."""
    tables = ((1,), (3,), (4,)), ((0,),), None, ((2,),), ((0,),)
    game = Game(graph_game, tables=tables, pays=(0.0, 0.0, 1.0, 0.0, 0.0))

    def looks(sign: float) -> Evaluation:
        return Evaluation(splendid, {"by": sign * 1e9})

    assert AlphaBetaAgent(game, depth=2, evaluation=looks(1.0)).search(np.array([0])).moves.tolist() == [1]
    found = MinimaxAgent(game, depth=1, evaluation=looks(1.0)).search(np.array([0]))
    assert (found.moves.tolist(), found.values.tolist()) == ([0], [HIGHEST])
    assert MinimaxAgent(game, depth=1, evaluation=looks(-1.0)).search(np.array([0])).moves.tolist() == [1]
    assert HIGHEST < POINT


@compiled(EVALUATE)
def splendid(params: Ints, weights: Floats, code: int) -> float:
    return weights[0] if code == 1 else 0.0


def test_a_finished_game_is_answered_with_action_0() -> None:
    over = TICTACTOE.code(board="xxxoo....")
    for agent in (MinimaxAgent(TICTACTOE), AlphaBetaAgent(TICTACTOE)):
        found = agent.search(np.array([over]))
        assert [column.tolist() for column in found] == [[0], [0], [0 if agent is None else found.nodes[0]], [0]]
        assert found.nodes[0] <= 1


def test_many_tables_are_searched_as_one_is() -> None:
    """In threads, with repetitions, from both seats, and also where it is the other's turn."""
    codes = np.resize(solve(TICTACTOE).states.codes, 5000)
    players = np.arange(5000) % 2
    observations = np.array([TICTACTOE.observe(int(c), int(p)) for c, p in zip(codes, players, strict=True)])
    agent, alone = AlphaBetaAgent(TICTACTOE, depth=3), MinimaxAgent(TICTACTOE, depth=3)
    masks = agent.legal(observations)
    moves = agent.predict(observations)[0]
    assert (masks[np.arange(5000), moves] == 1).all()
    for k in range(0, 5000, 250):
        assert moves[k] == alone.predict(observations[k])[0]
    waits = masks.sum(axis=1) == 1
    assert (moves[waits & (masks[:, 0] == 1)] == 0).all()
    assert agent.action_probabilities(observations, masks).argmax(axis=1).tolist() == moves.tolist()


def test_time_is_kept() -> None:
    game = Game(nim, heap=100)
    agent = AlphaBetaAgent(game, depth=90, seconds=0.2, transposition_table=0)
    began = time.perf_counter()
    found = agent.search(np.repeat(game.start_codes, 2))
    assert time.perf_counter() - began >= 0.4
    assert (found.depths >= 1).all() and (found.depths < 90).all()
    for depth, value, move in zip(found.depths, found.values, found.moves, strict=True):
        alone = AlphaBetaAgent(game, depth=int(depth)).search(game.start_codes)
        assert (value, move) == (alone.values[0], alone.moves[0])


def test_a_search_against_the_clock_is_no_policy_by_state() -> None:
    agent = agents.make("alphabeta", TICTACTOE, seconds=0.001)
    for deterministic in (False, True):
        assert agent.predict(TICTACTOE.observe(int(TICTACTOE.start_codes[0]), 0), deterministic=deterministic)[0] < 9
    with pytest.raises(NoPolicyError, match="does not always find the same move; leave seconds out"):
        exploitability(TICTACTOE, agent)


def test_copies_do_not_carry_their_tables() -> None:
    agent = AlphaBetaAgent(TICTACTOE, depth=5)
    found = agent.search(TICTACTOE.start_codes)
    sent = pickle.dumps(agent)
    assert len(sent) < 5000
    assert pickle.loads(sent).search(TICTACTOE.start_codes).moves.tolist() == found.moves.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 0}, "depth must be a whole number of at least 1, not 0"),
        ({"seconds": 0}, "seconds must be a number above 0, not 0"),
        ({"hurry": 1}, "hurry must be True or False, not 1"),
        ({"deepening": None}, "deepening must be True or False, not None"),
        ({"ordering": "yes"}, "ordering must be True or False, not 'yes'"),
        ({"transposition_table": -1}, "transposition_table must be a whole number of at least 0, not -1"),
        ({"transposition_table": 1000}, "transposition_table must be a power of two, or 0, not 1000"),
        ({"evaluation": "seed"}, "evaluation must be 'none' in tictactoe_v0, not 'seed'"),
        ({"weights": {"ball": 1}}, "there is no weight 'ball'; the weights are none"),
        ({"weights": "ball"}, "weights should have the form name=number,name=number, not 'ball'"),
        ({"evaluation": DIGITS, "weights": {"digits": 1}}, "there is no weight 'digits'; the weights are digit"),
        ({"evaluation": DIGITS, "weights": {"digit": float("inf")}}, "the weight digit must be a number, not inf"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agents.make("alphabeta", TICTACTOE, **options)


@pytest.mark.parametrize("agent", [MinimaxAgent, AlphaBetaAgent, GreedyAgent])
def test_games_of_simultaneous_moves_are_refused(agent: Any) -> None:
    with pytest.raises(ValueError, match="plays turn-based games; in footsies_v0 both players move at once"):
        agent(footsies_v0.game())
