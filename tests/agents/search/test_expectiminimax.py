"""Minimax and alpha-beta search with chance: against a plain recursion, the exact solution, and each other."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chance_game_in_turn
from evaluations import DIGITS
from minimax_by_definition import max_or_min
from nashzoo import agents
from nashzoo.agents.search.alphabeta_kernel import IN_A_ROW
from nashzoo.agents.search.minimax import AlphaBetaAgent, MinimaxAgent
from nashzoo.baselines import exploitability, solve
from nashzoo.envs import make_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game, Ints
from nashzoo.envs.core.reachable import reachable
from nashzoo.envs.rules.pieces import CHANCE

PIG = str(Path(__file__).resolve().parents[3] / "examples" / "games" / "pig.py")
TABLES = (0, 1, 8, 1 << 12)


def random_game(rng: np.random.Generator, nodes: int = 20) -> Game:
    """A token goes anywhere, back as well, by a player's choice or by chance, and many nodes pay something."""
    tables: list[Any] = []
    for node in range(nodes):
        targets = rng.integers(0, nodes, rng.integers(1, 4)).tolist()
        kind = rng.random()
        if node > 0 and kind < 0.1:
            tables.append(None)
        elif node > 0 and kind < 0.4:
            probabilities = rng.integers(1, 5, len(set(targets))).astype(float)
            tables.append(dict(zip(sorted(set(targets)), (probabilities / probabilities.sum()).tolist(), strict=True)))
        else:
            tables.append([[target] for target in targets] if kind < 0.7 else [targets])
    tables[nodes - 1] = None
    for node, table in enumerate(tables):  # chance does not go round and round: it leads to larger numbers
        if isinstance(table, dict) and min(table) <= node:
            tables[node] = {nodes - 1: 0.5, (node + 1) % nodes: 0.5} if node < nodes - 2 else None
    pays = (rng.integers(-3, 4, nodes) / 4 * (rng.random(nodes) < 0.3)).tolist()
    return Game(chance_game_in_turn, nodes=tables, pays=pays)


def decisions(game: Game, rng: np.random.Generator, most: int) -> Ints:
    """Some of the states at which a player moves."""
    codes = rng.permutation(reachable(game))
    return codes[[game.turn(code) != CHANCE for code in codes.tolist()]][:most]


@pytest.mark.parametrize("hurry", [False, True])
@pytest.mark.parametrize("agent", [MinimaxAgent, AlphaBetaAgent])
def test_searches_find_what_the_definition_says(agent: Any, hurry: bool) -> None:
    rng = np.random.default_rng(0)
    events = 0
    for game in [*(random_game(rng) for _ in range(12)), make_game(PIG, target=6)]:
        events += game.has_chance
        codes = decisions(game, rng, 10)
        for depth in (1, 2, 3):
            found = agent(game, depth=depth, evaluation=DIGITS, hurry=hurry).search(codes)
            for code, move, value in zip(codes.tolist(), found.moves.tolist(), found.values, strict=True):
                expected, moves = max_or_min(game, code, depth, DIGITS, hurry)
                assert value == pytest.approx(float(expected), abs=1e-4)
                assert float(moves[move]) == pytest.approx(float(expected), abs=1e-4)
    assert events > 8


@pytest.mark.parametrize("deepening", [False, True])
@pytest.mark.parametrize("table", TABLES)
def test_alphabeta_finds_what_minimax_finds(table: int, deepening: bool) -> None:
    rng = np.random.default_rng(1)
    for game in [*(random_game(rng) for _ in range(20)), make_game(PIG, target=12)]:
        codes = decisions(game, rng, 40)
        for depth, hurry in ((1, True), (3, False), (5, True)):
            options: dict[str, Any] = {"depth": depth, "evaluation": DIGITS, "hurry": hurry}
            expected = MinimaxAgent(game, **options).search(codes)
            agent = AlphaBetaAgent(game, **options, transposition_table=table, deepening=deepening)
            for _ in range(2):  # the second time with what the table has kept
                found = agent.search(codes)
                assert (found.values == expected.values).all()
                assert (found.moves == expected.moves).all()
                assert (found.depths == depth).all()


def test_pruning_and_the_table_save_work() -> None:
    game = make_game(PIG, target=12)
    codes = decisions(game, np.random.default_rng(0), 200)
    options: dict[str, Any] = {"depth": 5, "evaluation": DIGITS}
    everything = MinimaxAgent(game, **options).search(codes).nodes.sum()
    pruned = AlphaBetaAgent(game, **options, transposition_table=0, deepening=False).search(codes).nodes.sum()
    assert AlphaBetaAgent(game, **options).search(codes).nodes.sum() < pruned / 4 < pruned < everything


def test_looking_to_the_end_is_an_equilibrium() -> None:
    """The value of a coin game three moves long, and of the policy that minimax plays in it."""
    nodes = ([[1], [2]], {3: 0.5, 4: 0.5}, {5: 0.25, 6: 0.75}, [[7, 8]], None, [[4, 7]], [[8, 4]], None, None)
    pays = (0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 1.0, -1.0)
    game = Game(chance_game_in_turn, nodes=nodes, pays=pays)
    agent = MinimaxAgent(game, depth=2, hurry=False)
    # One way chance leads to the worse of 1 and -1, or to 0.5; the other way to 0.5 or to -1.
    value = max(0.5 * -1 + 0.5 * 0.5, 0.25 * 0.5 + 0.75 * -1)
    assert agent.search(game.start_codes).values[0] == 1000 * value
    assert solve(game).start_value == pytest.approx(value, abs=1e-12)
    assert exploitability(game, agent) == pytest.approx(0.0, abs=1e-12)


def test_a_die_that_is_rolled_again() -> None:
    """Chance may lead back to itself: the value is the sum of a series."""
    nodes = ([[1]], {1: 0.5, 2: 0.25, 3: 0.25}, None, None)
    game = Game(chance_game_in_turn, nodes=nodes, pays=(0.0, 0.0, 1.0, 0.5))
    for agent in (MinimaxAgent(game, hurry=False), AlphaBetaAgent(game, hurry=False)):
        assert agent.search(game.start_codes).values[0] == pytest.approx(750, abs=1e-4)


def test_too_many_chance_events_in_a_row() -> None:
    def row(events: int) -> Game:
        nodes = [[[1]], *({k + 2: 1.0} for k in range(events)), None]
        return Game(chance_game_in_turn, nodes=nodes, pays=[0.0] * (events + 1) + [1.0])

    assert MinimaxAgent(row(IN_A_ROW), hurry=False).search(np.array([0])).values[0] == 1000
    for agent in (MinimaxAgent, AlphaBetaAgent):
        with pytest.raises(UsageError, match=f"at most {IN_A_ROW} chance events .* at node={IN_A_ROW + 1}"):
            agent(row(IN_A_ROW + 1)).search(np.array([0]))


def test_time_is_kept() -> None:
    game = make_game(PIG, target=100)
    found = AlphaBetaAgent(game, depth=90, seconds=0.1, transposition_table=0).search(game.start_codes)
    assert 1 <= found.depths[0] < 90
    alone = AlphaBetaAgent(game, depth=int(found.depths[0]), transposition_table=0).search(game.start_codes)
    assert (found.moves[0], found.values[0]) == (alone.moves[0], alone.values[0])


@pytest.mark.parametrize("name", ["perfect", "human"])
def test_players_that_count_moves_refuse_chance(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} plays turn-based games without chance, not pig_v0; its players are"):
        agents.make(name, make_game(PIG, target=5))
