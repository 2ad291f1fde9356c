"""States at which chance decides: what rules may say there, and how environments pass them."""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pig
import pytest

import chance_game
import nim
from benchmarks.random_kernel import random_play
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.agents.gym_factory import gymnasium_env
from nashzoo.arena.match import play_match
from nashzoo.baselines import evaluate, solve
from nashzoo.envs import Game, bodega_brawl_v0, tictactoe_v0
from nashzoo.envs.api.gymnasium_vector_env import GameVectorEnv
from nashzoo.envs.api.module import make_module
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.seeds import streams
from nashzoo.envs.rules.pieces import CHANCE, MAX_OUTCOMES
from nashzoo.envs.vector.both_seats import BothSeatsBatch
from nashzoo.envs.vector.game_batch import GameBatch
from opponents import Uniform
from table_games import with_rules

ERRORS = 5  # standard errors that a mean may be off

# First both choose; then two coins, the second of which pays on the way; then both choose again, or play is over.
COINS: tuple[Any, ...] = (
    ((1, 1), (1, 5)), {2: 0.25, 3: 0.75}, {4: 0.5, 5: 0.5}, {4: 0.9, 6: 0.1}, ((5, 6), (6, 0)), None, None,
)  # fmt: skip
COIN_PAYS = (0.0, 0.0, 0.5, -1.0, 0.25, 1.0, -2.0)


def coins() -> Game:
    return Game(chance_game, nodes=COINS, pays=COIN_PAYS)


def first_steps(game: Game) -> list[Callable[[], Any]]:
    """Returns the solver, and what takes the first step in each face."""
    env = make_module(game.rules).parallel_env(**game.options)  # type: ignore[arg-type]
    env.reset(seed=0)
    batch, both = GameBatch(game, 2, Uniform()), BothSeatsBatch(game, 2)
    batch.restart(np.arange(2))
    both.restart()
    return [
        lambda: solve(game),
        lambda: env.step({"player_0": 0, "player_1": 0}),
        lambda: batch.step(np.zeros(2, np.int64)),
        lambda: both.step_and_restart(np.zeros(4, np.int64)),
        lambda: play_match(game, Uniform(), Uniform(), 1, 0),
    ]


class TestRules:
    @pytest.mark.parametrize(
        "node, message",
        [
            ({1: 0.5, 2: 0.4}, "must sum to 1, not to 0.9, of chance_game_v0 at "),
            ({1: 1.0, 2: 0.0}, r"must be above 0, not \[1.0, 0.0\], of chance_game_v0 at "),
            ({1: 1.5, 2: -0.5}, r"must be above 0, not \[1.5, -0.5\], of chance_game_v0 at "),
            ({1: np.nan, 2: 0.5}, r"must be above 0, not \[nan, 0.5\], of chance_game_v0 at "),
            ({1: np.inf, 2: 0.5}, r"must be above 0, not \[inf, 0.5\], of chance_game_v0 at "),
            ({}, "from 1 to 62 outcomes, not 0, of chance_game_v0 at "),
            ({k + 1: 1 / 63 for k in range(63)}, "from 1 to 62 outcomes, not more than 62, of chance_game_v0 at "),
        ],
    )
    @pytest.mark.usefixtures("untried")
    def test_what_is_no_distribution(self, node: dict[int, float], message: str) -> None:
        """At the start, and where play comes later."""
        last = [None] * 64
        with pytest.raises(UsageError, match=message + "node=0"):
            Game(chance_game, nodes=[node, *last], pays=[0.0] * 65)
        for step in first_steps(Game(chance_game, nodes=[((65,),), *last, node], pays=[0.0] * 66)):
            with pytest.raises(UsageError, match=message + "node=65"):
                step()

    def test_as_many_outcomes_as_there_may_be(self) -> None:
        likely = {k + 1: 1 / MAX_OUTCOMES for k in range(MAX_OUTCOMES)}
        nodes = [((MAX_OUTCOMES + 1,),), *[None] * MAX_OUTCOMES, likely]
        game = Game(chance_game, nodes=nodes, pays=[0.0, *range(MAX_OUTCOMES), 0.0])
        assert solve(game).start_value == pytest.approx((MAX_OUTCOMES - 1) / 2, abs=1e-12)

    @pytest.mark.usefixtures("untried")
    def test_chance_needs_its_function(self) -> None:
        game = with_rules(Game(chance_game, nodes=[((1,),), {2: 1.0}, None], pays=[0.0] * 3), ["chance"])
        for step in first_steps(game):
            with pytest.raises(UsageError, match=r"chance of chance_game_v0 at node=1, but .* no function chance"):
                step()
        with pytest.raises(UsageError, match="turn of chance of chance_game_v0 at node=0"):
            with_rules(Game(chance_game), ["chance"])

    def test_play_begins_with_a_decision(self) -> None:
        with pytest.raises(UsageError, match="chance can end chance_game_v0 before anybody chooses, at node=2"):
            Game(chance_game, nodes=[{1: 0.5, 2: 0.5}, ((2,),), None], pays=[0.0] * 3)
        with pytest.raises(UsageError, match="chance pays in chance_game_v0 before anybody chooses, after node=0"):
            Game(chance_game, nodes=[{1: 1.0}, ((2,),), None], pays=[0.0, 1.0, 0.0])

    @pytest.mark.slow
    def test_chance_without_end_is_told(self) -> None:
        game = Game(chance_game, nodes=[((1,),), {2: 1.0}, {1: 1.0}], pays=[0.0] * 3)
        with pytest.raises(UsageError, match="chance goes on and on in chance_game_v0, from node"):
            first_steps(game)[1]()

    def test_games_that_number_their_states_have_no_chance(self) -> None:
        with pytest.raises(UsageError, match="states are numbered, and there is chance: only states of games"):
            with_rules(bodega_brawl_v0.game(preset="tiny"), chance=chance_game.chance)

    def test_nobody_acts_where_chance_decides(self) -> None:
        game = coins()
        assert game.turn(1) == CHANCE and game.outcomes(1)[0].tolist() == [2, 3]
        with pytest.raises(ValueError, match="nobody chooses at node"):
            game.step(1, 0, 0)

    @pytest.mark.parametrize("share, wrong", [(0.5, False), (0.4, True)])
    def test_symmetry_knows_chance(self, share: float, wrong: bool) -> None:
        for first in ([], [((1,),)]):  # chance at the start, and one step on
            shift = len(first)
            nodes = [*first, {1 + shift: share, 2 + shift: 1 - share}, ((3 + shift,),), ((4 + shift,),), None, None]
            game = Game(chance_game, nodes=nodes, pays=[0.0] * (3 + shift) + [1.0, -1.0])
            if wrong:
                with pytest.raises(ValueError, match=r"what may follow by chance on node.* is not as likely"):
                    with_rules(game, swap_players=(swapped, swapped_later)[shift], OBSERVATION=SEATLESS)
            else:
                assert with_rules(game, swap_players=(swapped, swapped_later)[shift], OBSERVATION=SEATLESS).symmetric


SEATLESS = chance_game.OBSERVATION[:-1]


def swapped(code: int) -> int:
    return code if code == 0 else (code - 1 ^ 1) + 1


def swapped_later(code: int) -> int:
    return code if code < 2 else code ^ 1


class TestEnvironments:
    def parallel(self, seed: int | None, env: Any, rng: np.random.Generator) -> list[Any]:
        seen = []
        observations, infos = env.reset(seed=seed)
        seen.append((env.code, {agent: view["observation"].tolist() for agent, view in observations.items()}))
        while env.agents:
            actions = {agent: int(rng.choice(np.flatnonzero(info["action_mask"]))) for agent, info in infos.items()}
            _, rewards, over, late, infos = env.step(actions)
            seen.append((env.code, rewards, over, late))
            assert env.game.terminal(env.code) or env.game.turn(env.code) != CHANCE
        return seen

    def test_a_seed_fixes_chance(self) -> None:
        env = make_module(chance_game).parallel_env(**coins().options)
        other = make_module(chance_game).parallel_env(**coins().options)
        games = [[self.parallel(seed, e, np.random.default_rng(k)) for k, seed in enumerate((5, None, None))]
                 for e in (env, other)]  # fmt: skip
        assert games[0] == games[1]
        reached = set()
        for seed in range(40):
            env.reset(seed=seed)
            env.step({"player_0": 0, "player_1": 0})
            reached.add(env.code)
        assert reached == {4, 5, 6}

    @pytest.mark.slow
    def test_expected_returns_are_the_exact_ones(self) -> None:
        """Those of matches, PettingZoo and Gymnasium; the exact ones are checked in test_chance_solution.py."""
        game = coins()
        player = RandomAgent(game, seed=0)
        exact = evaluate(game, player, player)
        points = play_match(game, player, player, 20_000, 3).points
        assert abs(points.mean() - exact) < ERRORS * points.std() / np.sqrt(len(points))
        env, rng = make_module(chance_game).parallel_env(**game.options), np.random.default_rng(0)
        env.reset(seed=1)
        totals = []
        for _ in range(4000):
            played = self.parallel(None, env, rng)
            totals.append(sum(rewards["player_0"] for _, rewards, *_ in played[1:]))
        assert abs(np.mean(totals) - exact) < ERRORS * np.std(totals) / np.sqrt(len(totals))
        for seat in (0, 1):
            vector = GameVectorEnv(game, 64, Uniform(), player=seat)
            _, infos = vector.reset(seed=2)
            running, totals = np.zeros(64), []
            for _ in range(400):
                actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
                _, rewards, over, late, infos = vector.step(actions)
                running += rewards
                ended = over | late
                totals += running[ended].tolist()
                running[ended] = 0.0
            sign = 1 - 2 * seat
            assert abs(np.mean(totals) - sign * exact) < ERRORS * np.std(totals) / np.sqrt(len(totals))

    def test_a_game_is_cut_off_by_joint_actions_alone(self) -> None:
        nodes = [((1,),), {2: 1.0}, {0: 1.0}]
        game = Game(chance_game, nodes=nodes, pays=[1.0, 0.25, 0.5])
        env = make_module(chance_game).parallel_env(nodes=nodes, pays=[1.0, 0.25, 0.5], max_cycles=3)
        env.reset(seed=0)
        for cycle in range(3):
            _, rewards, over, late, _ = env.step({"player_0": 0, "player_1": 0})
            assert rewards == {"player_0": 1.75, "player_1": -1.75}
            assert not over["player_0"] and late["player_0"] == (cycle == 2)
        single = gymnasium_env(game, "random", max_cycles=3)
        single.reset(seed=0)
        assert [single.step(0)[1:4] for _ in range(3)] == [(1.75, False, cycle == 2) for cycle in range(3)]

    def test_a_start_by_chance(self) -> None:
        nodes = ({1: 0.25, 2: 0.75}, ((3,),), ((4,),), None, None)
        game = Game(chance_game, nodes=nodes, pays=(0.0, 0.0, 0.0, 1.0, 0.0))
        assert not game.turn_based and game.first_decision == 1
        env = make_module(chance_game).parallel_env(**game.options)
        codes = []
        for seed in range(400):
            env.reset(seed=seed)
            codes.append(env.code)
        assert 60 < codes.count(1) < 140 and codes.count(2) == 400 - codes.count(1)
        assert solve(game).start_value == pytest.approx(0.25, abs=1e-15)

    def test_starts_are_decisions(self) -> None:
        game = coins()
        batch = GameBatch(game, 200, Uniform(), starts="reachable")
        batch.seed(0)
        batch.restart(np.arange(200))
        assert set(batch.codes.tolist()) == {0, 4}
        with pytest.raises(UsageError, match=r"starts\[1\] is node=1, where chance decides; games start at a"):
            GameBatch(game, 1, Uniform(), starts=[0, 1])

    def test_random_play(self) -> None:
        game = Game(pig, target=10)
        codes = np.repeat(game.start_codes, 500)
        starts, seeds = codes.copy(), streams(0, 500)
        views = np.empty((500, game.num_features), np.float32)
        ended = random_play(game.compiled, codes, starts, seeds, 50, views)
        assert ended > 100
        for code, view in zip(codes.tolist(), views, strict=True):
            assert game.turn(code) != CHANCE and not game.terminal(code)
            assert (game.observe(code, 0) == view).all()
        again = starts.copy()
        seeds = streams(0, 500)
        assert sum(random_play(game.compiled, again, starts, seeds, n, views) for n in (20, 30)) == ended
        assert (again == codes).all()

    def test_streams_of_games_without_chance_are_what_they_were(self) -> None:
        digest = hashlib.sha256()
        for game in (tictactoe_v0.game(), Game(nim, first="random")):
            codes = np.repeat(game.start_codes[:1], 100)
            seeds = streams(7, 100)
            random_play(game.compiled, codes, codes.copy(), seeds, 40, np.empty((0, 0), np.float32))
            states = np.array([tuple(game.state(code)) for code in codes.tolist()], np.int64)
            digest.update(states.tobytes() + seeds.tobytes())
        assert digest.hexdigest() == "ff1ccf9969d5a65d6b52e195131228acb1b79158c086fec822fd53741acf48a6"


def test_the_outcomes_that_are_drawn() -> None:
    game = coins()
    drawn = np.zeros(len(COINS))
    for seed in range(4000):
        code, reward = game.resolve_chance(1, streams(seed, 1))
        drawn[code] += 1
        assert reward == {4: (0.75, -0.75), 5: (1.5,), 6: (-3.0,)}[code][0] or reward == -0.75
    expected = {4: 0.125 + 0.675, 5: 0.125, 6: 0.075}
    for code, likely in expected.items():
        assert abs(drawn[code] / 4000 - likely) < ERRORS * np.sqrt(likely * (1 - likely) / 4000)
