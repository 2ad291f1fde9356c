"""What every environment promises, as tests that a game inherits.

A game's test names its public module and the parameters to try::

    class TestFootsies(EnvironmentContract):
        public = footsies_v0
        tried = {}, {"rounds": 3}
"""

import copy
import pickle
import re
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ecosystem_contract import EcosystemContract
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.pettingzoo_base import AGENTS
from nashzoo.envs.base.errors import NoGameRunningError, UsageError
from nashzoo.envs.core.game import BOTH, Game
from one_hot_contract import OneHotContract
from opponents import Uniform
from rules_contract import RulesContract
from traces import (
    AECGame,
    ParallelGame,
    SingleGame,
    choices,
    choose,
    expected_step,
    rest,
    spoil,
    trace,
    ways_by_chance,
)

SEEDS = range(3)
LONG = 60  # joint steps after which a game is cut off in these tests
FACES = ("parallel", "aec", "gymnasium")
NOT_RUNNING = r"^no game is running: call reset\(\) first$"
MODES = ("lose", "noop", "raise")


class EnvironmentContract(RulesContract, OneHotContract, EcosystemContract):
    """The tests; a subclass sets ``public`` and may set ``tried``, or have a fixture ``options``."""

    public: Any  # a public module such as ``footsies_v0``, or ``nashzoo.envs.api.module.make_module(rules)``
    tried: tuple[Any, ...] = ({},)  # the game's parameters

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "options" in metafunc.fixturenames and not hasattr(self, "options"):
            metafunc.parametrize("options", self.tried, ids=str)

    @pytest.fixture
    def game(self, options: dict[str, Any]) -> Game:
        return self.public.game(**options)

    def make(self, face: str, options: dict[str, Any], **rest: Any) -> Any:
        """Returns the game behind one of its faces, see ``traces.py``."""
        if face == "parallel":
            return ParallelGame(self.public.parallel_env(**options, **rest))
        if face == "aec":
            return AECGame(self.public.env(**options, **rest))
        return SingleGame(GameEnv(self.public.game(**options), Uniform(), player="random", **rest))

    def test_names_and_spaces(self, game: Game, options: dict[str, Any]) -> None:
        for env in (self.public.parallel_env(**options), self.public.raw_env(**options)):
            assert env.possible_agents == list(AGENTS), "The agents are not player_0 and player_1."
            assert env.metadata["name"] == game.name, "The environment has another name than the game."
            assert {"render_modes", "render_fps", "is_parallelizable"} <= env.metadata.keys()
            spaces = [env.action_space(agent) for agent in AGENTS]
            assert spaces == [gymnasium.spaces.Discrete(game.num_actions)] * 2
            assert spaces[0] is not spaces[1], "Sampling for one agent changes what the other samples."

    @pytest.mark.parametrize("face", FACES)
    def test_a_seed_fixes_whole_episodes(self, options: dict[str, Any], face: str) -> None:
        one, other = (self.make(face, options, max_cycles=LONG) for _ in range(2))
        for seed in SEEDS:
            # The second and third episode are not seeded: they follow from the first.
            for episode, reset_seed in enumerate((seed, None, None)):
                first, second = (trace(game, reset_seed, choices(seed)) for game in (one, other))
                assert data_equivalence(first, second, exact=True), (
                    f"Episode {episode} after reset(seed={seed}) is not the same in two environments."
                )

    def test_seeds_reach_every_start(self, game: Game, options: dict[str, Any]) -> None:
        """The starts are the states at which somebody chooses first."""
        starts = {code for first in game.start_codes.tolist() for code, _ in ways_by_chance(game, first)}
        parallel, single = self.public.parallel_env(**options), GameEnv(game, Uniform(), player="random")
        codes, seats = set(), set()
        for seed in range(20 * len(starts)):
            parallel.reset(seed=seed)
            codes.add(parallel.code)
            seats.add(single.reset(seed=seed)[1]["player"])
        assert codes == starts, "Some first state never occurs."
        assert seats == {0, 1}, "The learner is always on the same side with player='random'."

    @pytest.mark.parametrize("face", FACES)
    def test_what_was_returned_belongs_to_the_caller(self, options: dict[str, Any], face: str) -> None:
        usual, kept, spoilt = (self.make(face, options, max_cycles=LONG) for _ in range(3))

        def copied_and_spoilt(seen: Any) -> Any:
            copied = copy.deepcopy(seen)
            spoil(seen, emptied=face != "aec")
            return copied

        for seed in SEEDS:
            expected = trace(usual, seed, choices(seed))
            changed = trace(kept, seed, choices(seed), keep=lambda seen: seen)
            assert data_equivalence(changed, expected, exact=True), "What was returned changed later."
            changed = trace(spoilt, seed, choices(seed), keep=copied_and_spoilt)
            assert data_equivalence(changed, expected, exact=True), "Changing what was returned changed the game."

    def test_parallel_shows_what_the_rules_say(self, game: Game, options: dict[str, Any]) -> None:
        env = self.public.parallel_env(**options, max_cycles=LONG)
        for seed in SEEDS:
            rng = choices(seed)
            observations, infos = env.reset(seed=seed)
            over = late = False
            while True:
                for player, agent in enumerate(AGENTS):
                    seen, mask = observations[agent], infos[agent]["action_mask"]
                    assert env.observation_space(agent).contains(seen), f"{seen} is outside of its space."
                    if game.masked:
                        assert (seen["action_mask"] == mask).all(), "The masks in observation and info differ."
                        seen = seen["observation"]
                    assert (seen == game.observe(env.code, player)).all(), f"{agent} sees another state."
                    legal = () if game.terminal(env.code) else game.legal_actions(env.code, player)
                    assert (mask.dtype, mask.shape) == (np.int8, (game.num_actions,)), f"A mask is {mask!r}."
                    assert tuple(np.flatnonzero(mask)) == legal, f"{agent}'s mask is not {legal}."
                assert env.state_space.contains(env.state())
                whole = np.concatenate([game.observe(env.code, player) for player in ((0, 1) if game.hides else (0,))])
                assert (env.state() == whole).all(), "state() shows something else."
                assert bool(env.agents) == (not over and not late), "A game goes on after its end, or stops before."
                if not env.agents:
                    break
                actions = {agent: choose(rng, infos[agent]["action_mask"]) for agent in AGENTS}
                observations, rewards, terminations, truncations, infos = env.step(actions)
                assert sum(rewards.values()) == 0, f"The rewards {rewards} do not sum to 0."
                (over,), (late,) = set(terminations.values()), set(truncations.values())  # both end together
                assert not (over and late), "A game is both terminated and truncated."

    def test_aec_plays_like_parallel(self, game: Game, options: dict[str, Any]) -> None:
        """Who is not asked has no mask, and observations and rewards come when both have chosen."""
        parallel = self.make("parallel", options, max_cycles=LONG)
        aec = self.public.env(**options, max_cycles=LONG)
        for seed in SEEDS:
            first, *steps = trace(parallel, seed, choices(seed))
            views = [first[0], *(result[0] for _, result, _ in steps)]
            played, collected = 0, dict.fromkeys(AGENTS, 0.0)
            aec.reset(seed=seed)
            for agent in aec.agent_iter():
                seen, reward, over, late, _ = aec.last()
                collected[agent] += reward
                if over or late:
                    ends = tuple(end[agent] for end in steps[-1][1][2:4])
                    assert (over, late) == ends, f"AEC ends with {(over, late)}, parallel with {ends}."
                    aec.step(None)
                    continue
                code, there = aec.unwrapped.code, views[played][agent]
                turn = game.turn(code)
                assert turn == BOTH or AGENTS[turn] == agent, f"{agent} is asked, player {turn} is to move."
                for player, other in enumerate(AGENTS):
                    mask = aec.infos[other]["action_mask"]
                    legal = game.legal_actions(code, player) if other == agent else ()
                    assert tuple(np.flatnonzero(mask)) == legal, f"{other}'s mask is {mask} when {agent} is asked."
                    if game.masked:
                        assert (aec.observe(other)["action_mask"] == mask).all(), "The masks differ."
                if game.masked:
                    seen, there = seen["observation"], there["observation"]
                assert (seen == there).all(), f"{agent} sees other things in AEC than in parallel."
                actions, (_, rewards, *_), state = steps[played]
                aec.step(actions[agent])
                if turn == BOTH and agent == AGENTS[0]:
                    assert set(aec.rewards.values()) == {0.0}, "A reward came before both have chosen."
                    continue
                played += 1
                assert aec.rewards == rewards, f"AEC gives {aec.rewards}, parallel {rewards}."
                assert (aec.state() == state).all(), "The state differs between AEC and parallel."
            assert played == len(steps), "The game has other lengths in AEC and parallel."
            totals = {agent: sum(result[1][agent] for _, result, _ in steps) for agent in AGENTS}
            assert collected == totals, f"last() handed out {collected}, the game {totals}."

    @pytest.mark.parametrize("player", [0, 1])
    def test_gymnasium_plays_by_the_rules(self, game: Game, player: int) -> None:
        """Follows the learner's and the opponent's moves with the rules alone."""
        opponent = Uniform()
        env = GameEnv(game, opponent, player=player, max_cycles=LONG)

        def joint(code: int, own: int, other: int) -> int:
            return game.step(code, own, other) if player == 0 else game.step(code, other, own)

        def wait(code: int, replies: list[int]) -> tuple[int, float]:
            """Lets the opponent move until the learner is asked; returns code and the learner's reward."""
            due = 0.0
            while replies:
                assert game.turn(code) == 1 - player, "The opponent moved out of turn."
                code = joint(code, 0, replies.pop(0))
                due += game.payoff(code) * (1 - 2 * player)
            return code, due

        for seed in SEEDS:
            rng = choices(seed)
            opponent.played.clear()
            seen, info = env.reset(seed=seed)
            starts = game.start_codes.tolist()
            if len(starts) > 1:  # one of them leads here
                first = opponent.played[:1]
                starts = [c for c in starts if (game.turn(c) == 1 - player) == bool(first)]
                starts = [c for c in starts if set(first) <= set(game.legal_actions(c, 1 - player))]
            views = [(wait(code, list(opponent.played)), code) for code in starts]
            code, due = next(v for v, _ in views if (game.observe(v[0], player) == seen).all())
            assert due == 0.0 and info["player"] == player, "The learner sits elsewhere, or starts with points."
            for cycle in range(LONG):
                legal = game.legal_actions(code, player)
                assert env.observation_space.contains(seen), f"{seen} is outside of its space."
                assert tuple(np.flatnonzero(info["action_mask"])) == legal, "The learner's mask is wrong."
                assert (env.action_masks() == info["action_mask"]).all(), "The learner has two masks."
                opponent.played.clear()
                action = choose(rng, info["action_mask"])
                seen, reward, over, late, info = env.step(action)
                replies = list(opponent.played)
                both = game.turn(code) == BOTH
                code = joint(code, action, replies.pop(0) if both else 0)
                due = game.payoff(code) * (1 - 2 * player)
                code, more = wait(code, replies)
                assert reward == due + more, f"The learner got {reward} for moves that bring {due + more}."
                assert over == game.terminal(code), "The learner's game ends otherwise than the rules say."
                assert (seen == game.observe(code, player)).all(), "The learner sees another state."
                if over or late:
                    assert over or cycle + 1 >= LONG // 2, "The game was cut off too early."
                    break

    @pytest.mark.parametrize("mode", MODES)
    @settings(
        max_examples=10,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
    )
    @given(data=st.data())
    def test_whatever_is_played(self, game: Game, options: dict[str, Any], mode: str, data: Any) -> None:
        """Legal, illegal and senseless actions, compared with the meaning of the options in plain words."""
        max_cycles = data.draw(st.integers(1, 12), "max_cycles")
        limits = {"max_cycles": max_cycles, "illegal_action": mode}
        parallel, aec = self.public.parallel_env(**options, **limits), self.public.raw_env(**options, **limits)
        parallel.reset(seed=0)
        aec.reset(seed=0)
        for cycle in range(1, max_cycles + 1):
            code = parallel.code
            actions = [self.draw_action(game, code, player, data) for player in range(2)]
            turn = game.turn(code)
            expected = expected_step(game, code, *actions, mode)
            if expected is None:
                with pytest.raises(ValueError, match="legal actions are"):
                    parallel.step(dict(zip(AGENTS, actions, strict=True)))
                assert parallel.code == code and parallel.agents, "An error moved the game on."
            else:
                following, reward, over = expected
                ends = over, not over and cycle == max_cycles
                rewards = {AGENTS[0]: reward, AGENTS[1]: -reward}
                wanted = (following, rewards, *(dict.fromkeys(AGENTS, end) for end in ends))
                _, *got, _ = parallel.step(dict(zip(AGENTS, actions, strict=True)))
                assert (parallel.code, *got) == wanted, f"{actions} at {game.state(code)} gave {got}."
            if turn != BOTH and actions[1 - turn] != 0:
                return  # in AEC the idle player is not asked, and so cannot offend
            if expected is None:
                with pytest.raises(ValueError, match="legal actions are"):
                    self.play_aec(aec, actions)
                assert aec.code == code and aec.agents, "An error moved the game on."
                offender = 0 if actions[0] not in game.legal_actions(code, 0) else 1
                assert aec.agent_selection == AGENTS[offender], "The error came at another player's step."
                return
            self.play_aec(aec, actions)
            got = aec.code, aec.rewards, aec.terminations, aec.truncations
            assert got == wanted, f"AEC gave {got} for {actions}."
            if any(ends):
                return

    @staticmethod
    def draw_action(game: Game, code: int, player: int, data: Any) -> int:
        """Draws an action, two times out of three a legal one."""
        legal = st.sampled_from(game.legal_actions(code, player))
        senseless = (-1, game.num_actions, 63, 64, -(2**31), 10**9)
        anything = st.sampled_from((*range(game.num_actions), *senseless))
        return data.draw(st.one_of(legal, legal, anything), f"player {player}")

    @staticmethod
    def play_aec(env: Any, actions: list[int]) -> None:
        """Plays a joint action in an AEC environment, where only who is to be asked acts."""
        turn = env.game.turn(env.code)
        for player in range(2) if turn == BOTH else [turn]:
            assert env.agent_selection == AGENTS[player], f"{env.agent_selection} is asked out of turn."
            env.step(actions[player])

    @pytest.mark.parametrize("mode", MODES)
    def test_the_learner_may_play_anything(self, game: Game, mode: str) -> None:
        for action in (-1, game.num_actions, 64, 10**9):
            for player in range(2):
                env = GameEnv(game, Uniform(), player=player, illegal_action=mode)
                before, _ = env.reset(seed=1)
                if mode == "raise":
                    with pytest.raises(ValueError, match=f"player {player} played {action}; legal actions are"):
                        env.step(action)
                    continue
                after, reward, over, late, _ = env.step(action)
                expected = (-1.0, True, False) if mode == "lose" else (0.0, False, False)
                assert (reward, over, late) == expected, f"An illegal action gave {(reward, over, late)}."
                assert (before == after).all(), "An illegal action changed the state."

    @pytest.mark.parametrize("copier", [lambda game: pickle.loads(pickle.dumps(game)), copy.deepcopy])
    @pytest.mark.parametrize("face", FACES)
    def test_a_copy_goes_on_alike(self, options: dict[str, Any], face: str, copier: Any) -> None:
        game = self.make(face, options, max_cycles=LONG)
        for seed in SEEDS:
            game.start(seed)
            game.step(choices(seed))
            one, other = (
                [rest(played, choices(seed)), trace(played, None, choices(seed))] for played in (game, copier(game))
            )
            assert data_equivalence(one, other, exact=True), "A copy made in the middle of a game goes on otherwise."

    @pytest.mark.parametrize("face", FACES)
    def test_two_environments_are_independent(self, options: dict[str, Any], face: str) -> None:
        game, other, alone = (self.make(face, options, max_cycles=LONG) for _ in range(3))
        for seed in SEEDS:
            rng, other_rng = choices(seed), choices(seed + 100)
            mixed = [game.start(seed)]
            other.start(seed + 100)
            while not game.over:
                mixed.append(game.step(rng))
                if other.over:
                    other.start(None)
                other.step(other_rng)
            expected = trace(alone, seed, choices(seed))
            assert data_equivalence(mixed, expected, exact=True), "Another environment changed the game."

    def test_games_that_do_not_run_cannot_be_played(self, game: Game, options: dict[str, Any]) -> None:
        nothing = dict.fromkeys(AGENTS, 0)
        env = self.public.parallel_env(**options, max_cycles=1)
        for actions in ({}, nothing):
            with pytest.raises(NoGameRunningError, match=NOT_RUNNING):
                env.step(actions)
        env.reset(seed=0)
        env.step(nothing)
        with pytest.raises(NoGameRunningError, match=NOT_RUNNING):
            env.step(nothing)
        assert env.step({}) == ({}, {}, {}, {}, {})
        first = game.turn(game.first_decision)
        single = GameEnv(game, Uniform(), "random" if first == BOTH else first, max_cycles=1)
        for _ in range(2):
            with pytest.raises(ResetNeeded, match="no game is running in environment 0"):
                single.step(0)
            single.reset(seed=0)
            single.step(0)
        aec = self.public.raw_env(**options, max_cycles=1)
        with pytest.raises(NoGameRunningError, match=NOT_RUNNING):
            aec.step(0)
        aec.reset(seed=0)
        while not any(aec.terminations.values()) and not any(aec.truncations.values()):
            aec.step(0)

        def views() -> list[Any]:
            return [aec.observe(agent)["observation"] if game.masked else aec.observe(agent) for agent in AGENTS]

        before = views()
        for _ in AGENTS:
            with pytest.raises(NoGameRunningError, match=NOT_RUNNING):
                aec.step(0)
            aec.step(None)
        assert data_equivalence(views(), before, exact=True)
        with pytest.raises(NoGameRunningError, match=NOT_RUNNING):
            aec.step(0)

    def test_who_is_no_agent_is_told(self, options: dict[str, Any]) -> None:
        env, raw = self.public.parallel_env(**options), self.public.raw_env(**options)
        env.reset(seed=0)
        raw.reset(seed=0)
        wrong: list[Any] = [dict.fromkeys(acting, 0) for acting in ([AGENTS[0]], [*AGENTS, "anybody"], [])]
        for actions in (*wrong, [0, 0]):
            with pytest.raises(ValueError, match=f"for each of player_0, player_1, not {re.escape(str(actions))}"):
                env.step(actions)
        with pytest.raises(ValueError, match="'bob'"):
            raw.observe("bob")

    @pytest.mark.parametrize("mode", MODES)
    def test_what_is_no_whole_number_is_refused_before_anything_changes(
        self, game: Game, options: dict[str, Any], mode: str
    ) -> None:
        parallel = self.public.parallel_env(**options, illegal_action=mode)
        aec = self.public.raw_env(**options, illegal_action=mode)
        single = GameEnv(game, Uniform(), illegal_action=mode)
        for env in (parallel, aec, single):
            env.reset(seed=1)
        first = parallel.code, aec.code, single.batch.codes[0], aec.agent_selection
        for action in (1.7, float("nan"), float("inf"), "0", None, 2**64, np.float32(1), np.zeros(2)):
            for step in (
                lambda action: parallel.step({AGENTS[0]: 0, AGENTS[1]: action}),
                lambda action: parallel.step({AGENTS[0]: action, AGENTS[1]: 0}),
                aec.step,
                single.step,
            ):
                with pytest.raises(ValueError, match="an action is a whole number"):
                    step(action)
            assert first == (parallel.code, aec.code, single.batch.codes[0], aec.agent_selection)

    @pytest.mark.parametrize("face", FACES)
    def test_masks_of_finished_games(self, game: Game, options: dict[str, Any], face: str) -> None:
        """Nothing is legal once the game is terminated; where it is truncated, what would be if it went on."""
        for max_cycles, action in ((LONG, None), (LONG, game.num_actions), (2, None)):
            played = self.make(face, options, max_cycles=max_cycles)
            played.env = played.env.unwrapped  # env() itself refuses what is no action
            for seed in SEEDS:
                rng = choices(seed)
                played.start(seed)
                while not any(played.ended):
                    played.step(rng, action)
                terminated, _ = played.ended
                assert all(mask.any() != terminated for mask in played.masks.values())

    @pytest.mark.parametrize("face", ["parallel_env", "raw_env"])
    def test_masks_stand_in_observations_or_not(self, game: Game, options: dict[str, Any], face: str) -> None:
        plain, usual = (getattr(self.public, face)(**options, masks=masks) for masks in ("info", "observation"))
        default = getattr(self.public, face)(**options).observation_space(AGENTS[0])
        assert default == (usual if game.masked else plain).observation_space(AGENTS[0])
        shown = []
        for env in (plain, usual):
            observations, infos = env.reset(seed=3) or ({agent: env.observe(agent) for agent in AGENTS}, env.infos)
            assert all(env.observation_space(agent).contains(observations[agent]) for agent in AGENTS)
            shown.append((observations, infos))
        assert isinstance(plain.observation_space(AGENTS[0]), Box)
        for agent in AGENTS:
            seen, mask = shown[1][0][agent].values()
            assert (shown[0][0][agent] == seen).all()
            assert (shown[0][1][agent]["action_mask"] == mask).all()
            assert (shown[1][1][agent]["action_mask"] == mask).all()
        with pytest.raises(ValueError, match="masks must be"):
            getattr(self.public, face)(**options, masks=True)

    def test_wrong_options_are_errors(self, game: Game, options: dict[str, Any]) -> None:
        def single(**rest: Any) -> GameEnv:
            chosen = {name: rest.pop(name) for name in list(rest) if name not in options}
            return GameEnv(game, Uniform(), **chosen)

        for make in (self.public.parallel_env, self.public.raw_env, self.public.env, single):
            for max_cycles in (0, -1, 2.5, True, "10"):
                with pytest.raises(ValueError, match="max_cycles must be a whole number of at least 1, not"):
                    make(**options, max_cycles=max_cycles)
            with pytest.raises(ValueError, match="illegal_action must be one of lose, noop, raise, not 'win'"):
                make(**options, illegal_action="win")
            with pytest.raises(ValueError, match="render_mode must be None or one of ansi, svg, rgb_array, human"):
                make(**options, render_mode="paper")
            env = make(**options)
            for wrong in (5, [1], "seed"):
                with pytest.raises(UsageError, match=r"options of reset must be a dictionary \(there are none\), not"):
                    env.reset(options=wrong)
        with pytest.raises(UsageError, match="reset has no option 'x': there are none"):  # PettingZoo's tests give one
            single().reset(options={"x": 1})
        for player in (2, "both", None):
            with pytest.raises(ValueError, match="player must be 0, 1 or 'random', not"):
                single(player=player)
        with pytest.raises(TypeError, match=f"{game.name} has no parameter nonsense; it has"):
            self.public.parallel_env(nonsense=1)
