"""The searching player: its answers against what is known exactly."""

from typing import Any

import numpy as np
import pytest

import nim
import repeated_rps
from nashzoo import agents
from nashzoo.agents.search.mcts import MCTSAgent
from nashzoo.baselines import Solution, exploitability, solve
from nashzoo.envs import footsies_v0, matrix_game, tictactoe_v0
from nashzoo.envs.core.game import Floats, Game

FOOTSIES = footsies_v0.game()
TICTACTOE = tictactoe_v0.game()
SELECTIONS = ("regret_matching", "uct")


def start_strategies(game: Game, searches: int, **options: Any) -> tuple[Floats, Floats]:
    """What so many searches at the start of a game answer, for both players."""
    agent = MCTSAgent(game, **options)
    return agent.root_strategies(np.full(searches, game.start_codes[0]), np.arange(searches, dtype=np.uint64))


def start_matrix(solution: Solution) -> Floats:
    """What each joint action at the start of a simultaneous game is worth, if play is perfect from then on."""
    game, code = solution.game, int(solution.game.start_codes[0])
    matrix = np.empty((game.num_actions, game.num_actions))
    for joint in np.ndindex(matrix.shape):
        after = game.step(code, *joint)
        matrix[joint] = game.payoff(after) + (0.0 if game.terminal(after) else solution.value(after))
    return matrix


def mean_loss(solution: Solution, strategies0: Floats, strategies1: Floats) -> float:
    """What strategies ``[B, actions]`` at the start lose to the best answer, mean of both players and of all rows."""
    matrix = start_matrix(solution)
    loss0 = solution.start_value - (strategies0 @ matrix).min(axis=1)
    loss1 = (matrix @ strategies1.T).max(axis=0) - solution.start_value
    return float((loss0 + loss1).mean() / 2)


@pytest.mark.slow
def test_the_search_comes_near_the_equilibrium_of_footsies() -> None:
    """Block, Grab and Dragon Punch with 1/3 each, never Attack."""
    for strategies in start_strategies(FOOTSIES, 20, simulations=10_000):
        assert strategies.mean(axis=0) == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3], abs=0.03)
        assert np.abs(strategies - [0, 1 / 3, 1 / 3, 1 / 3]).max() < 0.1


@pytest.mark.parametrize("selection", SELECTIONS)
def test_more_simulations_lose_less(selection: str) -> None:
    solution = solve(FOOTSIES)
    losses = [
        mean_loss(solution, *start_strategies(FOOTSIES, searches, simulations=simulations, selection=selection))
        for simulations, searches in ((100, 400), (1_000, 100), (10_000, 20))
    ]
    assert losses[0] > 1.3 * losses[1]
    assert losses[1] > 1.3 * losses[2]
    assert losses[2] < 0.06


@pytest.mark.parametrize("selection", SELECTIONS)
def test_rewards_before_the_end_count(selection: str) -> None:
    """Rock, paper, scissors, three times, a point each: 1/3 each is the one optimal first throw."""
    game = Game(repeated_rps, rounds=3)
    options = {"simulations": 3_000, "selection": selection}
    for strategies in start_strategies(game, 20, **options):
        assert strategies.mean(axis=0) == pytest.approx([1 / 3] * 3, abs=0.05)
    assert mean_loss(solve(game), *start_strategies(game, 20, **options)) < 0.15


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize("heap", [1, 2, 3, 5, 6, 7, 9, 10, 11])
def test_nim_is_won_as_bouton_wins_it(heap: int, mover: int, selection: str) -> None:
    """Take what leaves a multiple of 4; who waits has action 0 alone."""
    game = Game(nim, heap=heap, first=mover)
    strategies = start_strategies(game, 10, simulations=2_000, selection=selection)
    assert strategies[mover].tolist() == np.eye(3)[[heap % 4 - 1] * 10].tolist()
    assert strategies[1 - mover].tolist() == [[1, 0, 0]] * 10


@pytest.mark.parametrize("selection", [*SELECTIONS, "flat"])
def test_answers_are_distributions(selection: str) -> None:
    for simulations in (1, 2, 50):
        for strategies in start_strategies(FOOTSIES, 50, simulations=simulations, selection=selection):
            assert (strategies >= 0).all()
            assert np.allclose(strategies.sum(axis=1), 1)


@pytest.mark.parametrize(("rollout_depth", "simulations"), [(0, 5_000), (5, 20_000)])
def test_flat_search_responds_to_uniform_play(rollout_depth: int, simulations: int) -> None:
    """A turn wins on average, against a uniformly random move: Attack -1/4, Block and Grab 0, Dragon Punch 1/4."""
    strategies = start_strategies(FOOTSIES, 50, simulations=simulations, selection="flat", rollout_depth=rollout_depth)
    for found in strategies:
        assert found.tolist() == np.eye(4)[[3] * 50].tolist()


def test_flat_search_with_the_scores_of_the_course_project_blocks() -> None:
    """Means against a uniformly random move by hand: Attack -3/8, Block 1/4, Grab -5/8, Dragon Punch 0."""
    scores = [[-1, 0, 0.5, -1], [0, -1, 1, 1], [0.5, -1, -1, -1], [1, -1, 1, -1]]
    strategies, _ = start_strategies(matrix_game(scores), 300, simulations=10_000, selection="flat")
    assert strategies.tolist() == np.eye(4)[[1] * 300].tolist()


def test_a_lifelong_search_keeps_its_trials_over_all_decisions() -> None:
    """As the course project's player: it plays the highest bound of all trials so far, in whatever state."""
    agent = MCTSAgent(FOOTSIES, 1, simulations=40, selection="flat", rollout_depth=5, lifelong=True)
    played = []
    for decision, blocks in enumerate(40 * [3, 0], 1):
        state = FOOTSIES.observe(FOOTSIES.code(blocks0=blocks), 0)
        played.append(int(agent.predict(state)[0]))
        visits, points = agent.trials if agent.trials is not None else (None, None)
        assert visits.sum() == 40 * decision
        bounds = points / visits + 1.4 * np.sqrt(np.log(visits.sum()) / visits)
        assert played[-1] == bounds.argmax()
    assert played[-20:] == 20 * [3]  # a Dragon Punch is best against uniformly random play
    with pytest.raises(TypeError, match="plays by its past, and has no policy"):
        exploitability(FOOTSIES, agent)
    with pytest.raises(ValueError, match="lifelong is for selection='flat'"):
        MCTSAgent(FOOTSIES, lifelong=True)


def test_uct_answers_with_its_visits() -> None:
    strategies, _ = start_strategies(FOOTSIES, 50, simulations=64, selection="uct")
    visits = 64 * strategies
    assert np.array_equal(visits, visits.round())
    assert (visits >= 1).all()  # every action is tried before any is tried again


def test_regret_matching_leaves_its_exploration_out() -> None:
    """With nothing but exploration every action is played alike, yet the answer is what the regrets say."""
    strategies, _ = start_strategies(FOOTSIES, 20, simulations=5_000, gamma=1.0)
    against_uniform = start_matrix(solve(FOOTSIES)).mean(axis=1)
    assert against_uniform.argmax() == 3
    assert (strategies.argmax(axis=1) == 3).all()
    assert strategies[:, 3].min() > 0.6


def test_a_finished_game_is_answered_with_action_0() -> None:
    game = Game(nim, heap=1)
    over = game.step(int(game.start_codes[0]), 0, 0)
    strategies = MCTSAgent(game).root_strategies(np.array([over]), np.zeros(1, np.uint64))
    assert [found.tolist() for found in strategies] == [[[1, 0, 0]], [[1, 0, 0]]]


@pytest.mark.parametrize("selection", SELECTIONS)
def test_answers_do_not_depend_on_threads_or_company(selection: str) -> None:
    codes = np.array([FOOTSIES.code(blocks0=i % 4, blocks1=i // 4 % 4) for i in range(64)])
    seeds = np.arange(64, dtype=np.uint64)
    options = {"simulations": 400, "selection": selection}
    expected = MCTSAgent(FOOTSIES, threads=1, **options).root_strategies(codes, seeds)
    for threads in (2, 3):
        found = MCTSAgent(FOOTSIES, threads=threads, **options).root_strategies(codes, seeds)
        assert np.array_equal(found, expected)
    one_by_one = [MCTSAgent(FOOTSIES, **options).root_strategies(codes[i : i + 1], seeds[i : i + 1]) for i in range(64)]
    assert np.array_equal(np.concatenate(one_by_one, axis=1), expected)
    assert seeds.tolist() == list(range(64)), "the seeds handed in were changed"


@pytest.mark.parametrize("empty", [0, 2, 3, 5, 7])
def test_a_forced_action_is_played_whatever_its_number(empty: int) -> None:
    board = list("xoxxoxoxo")  # drawn; crosses marked one of their cells last
    board[empty] = "."
    code = TICTACTOE.code(board="".join(board))
    agent = MCTSAgent(TICTACTOE, simulations=5, search_seed=0)
    first, _ = agent.root_strategies(np.array([code]), np.zeros(1, np.uint64))
    assert first[0].tolist() == np.eye(9)[empty].tolist()


def test_act_is_a_function_of_its_random_numbers() -> None:
    agent, other = MCTSAgent(FOOTSIES, seed=1), MCTSAgent(FOOTSIES, seed=2)
    observations = np.tile(FOOTSIES.observe(int(FOOTSIES.start_codes[0]), 0), (100, 1))
    masks, memory = np.ones((100, 4), np.int8), np.zeros((100, 0))
    uniforms = np.random.default_rng(0).random((100, 2))
    actions, _ = agent.act(observations, memory, masks, uniforms)
    assert actions.tolist() == other.act(observations, memory, masks, uniforms)[0].tolist()
    one_by_one = [agent.act(observations[i : i + 1], memory[:1], masks[:1], uniforms[i : i + 1])[0] for i in range(100)]
    assert actions.tolist() == np.concatenate(one_by_one).tolist()


def test_each_seat_gets_its_own_strategy() -> None:
    game = Game(nim, heap=7, first="random")
    for search_seed in (None, 0):
        agent = MCTSAgent(game, simulations=500, search_seed=search_seed, seed=0)
        for mover, code in enumerate(game.start_codes):
            assert agent.predict(game.observe(int(code), mover))[0] == 2
            assert agent.predict(game.observe(int(code), 1 - mover), deterministic=True)[0] == 0


def test_a_fixed_search_is_a_policy_by_state() -> None:
    observations = np.tile(FOOTSIES.observe(int(FOOTSIES.start_codes[0]), 0), (2000, 1))
    masks = np.ones((2000, 4), np.int8)
    agent = MCTSAgent(FOOTSIES, seed=0, search_seed=7)
    probabilities = agent.action_probabilities(observations, masks)
    assert (probabilities == probabilities[0]).all()
    same, other = (MCTSAgent(FOOTSIES, search_seed=seed).action_probabilities(observations, masks) for seed in (7, 8))
    assert np.array_equal(same, probabilities) and not np.array_equal(other, probabilities)
    frequencies = np.bincount(agent.predict(observations)[0], minlength=4) / 2000
    assert np.abs(frequencies - probabilities[0]).max() < 4 * np.sqrt(0.25 / 2000)  # four standard deviations
    assert (agent.predict(observations, deterministic=True)[0] == probabilities[0].argmax()).all()
    with pytest.raises(TypeError, match="with a number as its option search_seed"):
        exploitability(FOOTSIES, agents.make("mcts", FOOTSIES))  # a fresh search is none


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"simulations": 0}, "simulations must be a whole number of at least 1, not 0"),
        ({"simulations": 2.5}, r"simulations must be a whole number of at least 1, not 2\.5"),
        ({"exploration": 0}, "exploration must be a number above 0, not 0"),
        ({"selection": "best"}, "selection must be 'regret_matching' or 'uct' or 'flat', not 'best'"),
        ({"gamma": 2}, "gamma must be a number from 0 to 1, not 2"),
        ({"rollout_depth": -1}, "rollout_depth must be a whole number of at least 0, not -1"),
        ({"search_seed": -1}, "search_seed must be a whole number of at least 0, not -1"),
        ({"threads": 0}, "threads must be a whole number of at least 1, not 0"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agents.make("mcts", FOOTSIES, **options)
