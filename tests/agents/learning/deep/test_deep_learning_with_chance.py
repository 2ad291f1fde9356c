"""Deep learners in games with chance: backups are expectations, they learn, and an interruption changes nothing."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import chance_game
import nim
import staked_rps
from nashzoo import agents
from nashzoo.agents.learning.deep.backups import LookAhead, back_up
from nashzoo.agents.learning.deep.deep_minimax import DeepMinimax
from nashzoo.agents.learning.deep.states import RunningGames
from nashzoo.agents.learning.deep.successors import first_decisions, represented
from nashzoo.baselines import exploitability, solve
from nashzoo.baselines.solvers.backup import backup_equilibrium
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs import bodega_brawl_v0, footsies_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.core.game import CHANCE, Game
from nashzoo.envs.jit.compiled import Floats, Ints

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "games"
ROUNDING = 1e-9
SINGLE = 1e-7  # rounding of values kept in single precision
QUICK: dict[str, Any] = {"hidden": 16, "batch_size": 64, "states": 256}
FIVE_SIGMA = 5 * np.sqrt(0.75 * 0.25 / 4000)  # of a share of 4000 stakes

PURSUIT = Game(module_at(str(EXAMPLES / "pursuit.py")), turns=3)
SMALL = Game(module_at(str(EXAMPLES / "pursuit.py")), size=2)
WHOLE = Game(module_at(str(EXAMPLES / "pursuit.py")))
SOCCER = Game(module_at(str(EXAMPLES / "littman_soccer.py")))
STAKED = Game(staked_rps)
# Chance that returns to itself half of the time, or leads on to chance, which is reached directly too.
LOOP = Game(
    chance_game,
    nodes=(((1, 2),), {1: 0.5, 2: 0.25, 3: 0.25}, {3: 0.5, 4: 0.5}, ((4,),), None),
    pays=(0.0, 1.0, -2.0, 3.0, 7.0),
)
GAMES = [
    PURSUIT, STAKED, LOOP, Game(module_at(str(EXAMPLES / "pig.py")), target=5), footsies_v0.game(), tictactoe_v0.game(),
    bodega_brawl_v0.game(preset="small"),
]  # fmt: skip


def decisions(game: Game) -> tuple[ListedStates, Ints]:
    """Returns all states, and the codes of those at which a player moves."""
    states = ListedStates(game)
    return states, states.codes[~states.successors.by_chance]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_backing_up_exact_values_where_players_move_gives_exact_values(game: Game) -> None:
    _, codes = decisions(game)
    solution = solve(game)

    def values_of(asked: Ints) -> Floats:
        assert np.isin(asked, codes).all()
        return solution.values[solution.states.ids(asked)]

    found = back_up(game, codes, values_of, 1.0)
    assert np.abs(found.values - values_of(codes)).max() < ROUNDING


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_backup_discounts_decisions_and_takes_expectations_at_chance(game: Game) -> None:
    states, codes = decisions(game)
    rng = np.random.default_rng(0)
    # A state and its mirror image must be worth the opposite: any other values would not be a function of the state.
    representatives, signs = represented(game, states.codes)
    values = signs * rng.normal(size=len(states))[states.ids(representatives)]
    found = back_up(game, codes, lambda asked: values[states.ids(asked)], 0.5)
    by_chance = states.successors.by_chance
    for _ in range(100):  # chance that can recur does so with probability 1/2
        expected, *_ = backup_equilibrium(states.successors, values, game.num_actions)
        values = np.where(by_chance, expected, values)
    wanted, *_ = backup_equilibrium(states.successors, 0.5 * values, game.num_actions)
    assert np.abs(found.values - wanted[~by_chance]).max() < ROUNDING


def test_a_value_worked_out_by_hand() -> None:
    """Node 2 is worth 0.5 (3 + 10) + 0.5 (7) = 10, as node 3 is worth 10 itself.

    Node 1 is worth x = 0.5 (1 + x) + 0.25 (-2 + 10) + 0.25 (3 + 10), so x = 11.5. Of the two the second player leaves
    the first one with less: 1 + 0.5 x = 6.75 against -2 + 0.5 * 10 = 3.
    """
    found = back_up(LOOP, np.array([0]), lambda codes: np.full(len(codes), 10.0), 0.5)
    assert found.after.codes.tolist() == [3]
    assert sorted(found.after_values[::2].tolist()) == pytest.approx([5.0, 5.0, 5.75])
    assert found.values == pytest.approx([3.0])


def test_looking_ahead_counts_moves_not_chance() -> None:
    """Two moves of a pursuit of three turns before its end show the value of the state."""
    states, codes = decisions(PURSUIT)
    late = codes[[PURSUIT.state(int(code)).turns >= 1 for code in codes]]
    solution = solve(PURSUIT)
    ahead = LookAhead(PURSUIT, lambda asked: np.full(len(asked), 0.5), 1.0, 2, len(states))
    assert np.abs(ahead(late).values - solution.values[solution.states.ids(late)]).max() < SINGLE


@pytest.mark.usefixtures("untried")
def test_chance_without_end_and_other_errors_of_rules_are_told() -> None:
    endless = Game(chance_game, nodes=(((1,),), {1: 1.0}), pays=(0.0, 1.0))
    with pytest.raises(UsageError, match=r"chance goes on and on in chance_game_v0, from node=1"):
        back_up(endless, np.array([0]), lambda codes: np.zeros(len(codes)), 1.0)
    wrong = Game(chance_game, nodes=(((1,),), {2: 0.5, 3: 0.2}, None, None), pays=(0.0, 0.0, 0.0, 1.0))
    with pytest.raises(UsageError, match=r"the probabilities of chance must sum to 1, not to 0\.7"):
        back_up(wrong, np.array([0]), lambda codes: np.zeros(len(codes)), 1.0)
    for game in (endless, wrong):
        games = RunningGames(game)
        games.extend(1, np.random.default_rng(0))
        with pytest.raises(UsageError, match="chance"):
            games.play((np.eye(4)[:1], np.eye(4)[:1]), 0.0, np.random.default_rng(0))


@pytest.mark.slow
def test_games_and_pool_hold_states_at_which_a_player_moves() -> None:
    _, codes = decisions(STAKED)
    assert sorted(first_decisions(STAKED)) == codes.tolist()
    rng = np.random.default_rng(0)
    games = RunningGames(STAKED)
    games.extend(4000, rng)
    low = np.flatnonzero([STAKED.state(code).stake == 1 for code in codes])
    for _ in range(2):  # at the start, and after a move
        assert abs((games.codes == codes[low]).mean() - 0.75) < FIVE_SIGMA
        games.play((np.full((4000, 3), 1 / 3), np.full((4000, 3), 1 / 3)), 1.0, rng)
        assert np.isin(games.codes, codes).all()
    learner = DeepMinimax(SMALL, 0, play=0.5, passes=1, **QUICK)
    learner.learn(3000)
    assert sorted(learner.arrays()["pool"]) == decisions(SMALL)[1].tolist()
    assert not any(SMALL.turn(int(code)) == CHANCE for code in learner.arrays()["games"])


@pytest.mark.slow
def test_rules_with_a_chance_that_never_decides_are_learned_bit_for_bit_as_without() -> None:
    pieces = {name: getattr(nim, name) for name in dir(nim) if not name.startswith("_")}
    with_chance = Game(SimpleNamespace(**pieces, chance=staked_rps.chance))
    assert with_chance.has_chance
    learners = [DeepMinimax(game, 3, play=0.0, **QUICK) for game in (Game(nim), with_chance)]
    for learner in learners:
        learner.learn(2000)
    one, other = (learner.arrays() for learner in learners)
    assert {name: array.tobytes() for name, array in one.items()} == {
        name: array.tobytes() for name, array in other.items()
    }


@pytest.mark.parametrize(
    ("name", "game", "timesteps", "enough"),
    [
        ("deep_minimax", SMALL, 20_000, 0.05),
        pytest.param("deep_minimax", WHOLE, 100_000, 0.02, marks=pytest.mark.slow),
        pytest.param("deep_minimax", SOCCER, 150_000, 0.05, marks=pytest.mark.slow),
        pytest.param("distilled", SMALL, 150_000, 0.05, marks=pytest.mark.slow),
    ],
    ids=["small", "pursuit", "soccer", "distilled"],
)
def test_it_comes_near_the_exact_solution(name: str, game: Game, timesteps: int, enough: float) -> None:
    learner: Any = agents.make(name, game, seed=0, total_timesteps=timesteps, states=512, batch_size=128)
    before = exploitability(game, learner)
    learner.learn(timesteps)
    assert exploitability(game, learner) < enough < before
