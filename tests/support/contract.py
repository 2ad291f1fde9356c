"""What every environment promises, as tests that a game inherits.

A game's test names its public module and the parameters to try::

    class TestFootsies(EnvironmentContract):
        public = footsies_v0

        @pytest.fixture(params=[{}, {"rounds": 3}], ids=str)
        def options(self, request):
            return request.param
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
from traces import AECGame, ParallelGame, SingleGame, arrays, choices, choose, expected_step, trace

SEEDS = range(5)
LONG = 60  # joint steps after which a game is cut off in these tests
FACES = ("parallel", "aec", "gymnasium")
MODES = ("lose", "noop", "raise")


class EnvironmentContract(RulesContract, OneHotContract, EcosystemContract):
    """The tests; a subclass sets ``public`` and may override ``options``."""

    public: Any  # a public module such as ``footsies_v0``, or ``nashzoo.envs.api.module.make_module(rules)``

    @pytest.fixture
    def options(self) -> dict[str, Any]:
        """The game's parameters; override it to try several."""
        return {}

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
            assert {"render_modes", "render_fps", "is_parallelizable"} <= env.metadata.keys(), (
                "The metadata are not complete."
            )
            for agent in AGENTS:
                assert env.observation_space(agent) is env.observation_space(agent), (
                    "observation_space makes a new space at each call."
                )
                assert env.action_space(agent) is env.action_space(agent), (
                    "action_space makes a new space at each call."
                )
                assert env.action_space(agent) == gymnasium.spaces.Discrete(game.num_actions), (
                    "The action space is not the game's actions."
                )
            assert env.action_space(AGENTS[0]) is not env.action_space(AGENTS[1]), (
                "The agents share an action space: sampling for one changes what the other samples."
            )

    def test_observations_and_states_belong_to_their_spaces(self, options: dict[str, Any]) -> None:
        parallel, aec, single = (self.make(face, options, max_cycles=LONG) for face in FACES)
        for seed in SEEDS:
            first, *rest = trace(parallel, seed, choices(seed))
            views = [first[0], *(result[0] for _, result, _ in rest)]
            pairs = [(parallel.env.observation_space(a), view[a]) for view in views for a in AGENTS]
            pairs += [(parallel.env.state_space, state) for state in (first[2], *(step[2] for step in rest))]
            _, *turns = trace(aec, seed, choices(seed))
            pairs += [(aec.env.observation_space(agent), last[0]) for (agent, last, _), _ in turns]
            first, *rest = trace(single, seed, choices(seed))
            views = [first[0], *(result[0] for _, result in rest)]
            pairs += [(single.env.observation_space, view) for view in views]
            for space, seen in pairs:
                assert space.contains(seen), f"Something outside of its space was shown: {seen}."

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
        parallel, single = self.public.parallel_env(**options), GameEnv(game, Uniform(), player="random")
        codes, seats = set(), set()
        for seed in range(20 * len(game.start_codes)):
            parallel.reset(seed=seed)
            codes.add(parallel.code)
            seats.add(single.reset(seed=seed)[1]["player"])
        assert codes == set(game.start_codes.tolist()), "Some start state never occurs."
        assert seats == {0, 1}, "The learner is always on the same side with player='random'."

    def test_what_was_returned_does_not_change_later(self, options: dict[str, Any]) -> None:
        parallel, aec, single = (self.make(face, options, max_cycles=LONG).env for face in FACES)
        for seed in SEEDS:
            rng = choices(seed)
            kept: list[Any] = []
            copies: list[Any] = []

            def keep(result: Any, kept: list[Any] = kept, copies: list[Any] = copies) -> Any:
                kept.append(result)
                copies.append(copy.deepcopy(result))
                return result

            _, infos = keep(parallel.reset(seed=seed))
            while parallel.agents:
                keep(parallel.state())
                actions = {agent: choose(rng, infos[agent]["action_mask"]) for agent in AGENTS}
                *_, infos = keep(parallel.step(actions))
            aec.reset(seed=seed)
            while not aec.terminations[AGENTS[0]] and not aec.truncations[AGENTS[0]]:
                keep((aec.rewards, aec.terminations, aec.truncations, aec.infos, aec.state()))
                *_, info = keep(aec.last())
                aec.step(choose(rng, info["action_mask"]))
            _, info = keep(single.reset(seed=seed))
            over = late = False
            while not over and not late:
                *_, over, late, info = keep(single.step(choose(rng, info["action_mask"])))
            for before, after in zip(copies, kept, strict=True):
                assert data_equivalence(before, after, exact=True), f"{before} became {after} later."

    def test_changing_what_was_returned_does_not_change_the_game(self, options: dict[str, Any]) -> None:
        game, spoilt = (self.make("parallel", options, max_cycles=LONG) for _ in range(2))
        for seed in SEEDS:
            _, *steps = trace(game, seed, choices(seed))
            observations, infos = spoilt.env.reset(seed=seed)
            for actions, result, _ in steps:
                for array in (*arrays(observations), *arrays(infos), spoilt.env.state()):
                    array[...] = 0
                observations.clear()
                infos.clear()
                observations, *rest, infos = spoilt.env.step(actions)
                assert data_equivalence((observations, *rest, infos), result, exact=True), (
                    "Changing returned arrays changed the game."
                )

    def test_changing_what_aec_showed_does_not_change_the_game(self, options: dict[str, Any]) -> None:
        game, spoilt = (self.make("aec", options, max_cycles=LONG) for _ in range(2))
        for seed in SEEDS:
            _, *steps = trace(game, seed, choices(seed))
            env = spoilt.env
            env.reset(seed=seed)
            for (agent, last, action), after in steps:
                assert agent == env.agent_selection, "Changing what was shown changed who is asked."
                shown = env.last()
                assert data_equivalence(shown, last, exact=True), "Changing what was shown changed what is shown later."
                for array in (*arrays(shown[0]), *arrays(shown[4]), env.state()):
                    array[...] = 0
                env.step(action)
                assert data_equivalence((env.rewards, env.terminations, env.truncations, env.state()), after), (
                    "Changing what was shown changed the game."
                )

    def test_rewards_sum_to_zero_and_both_end_together(self, options: dict[str, Any]) -> None:
        game = self.make("parallel", options, max_cycles=LONG)
        for seed in SEEDS:
            _, *steps = trace(game, seed, choices(seed))
            for k, (_, (_, rewards, terminations, truncations, _), _) in enumerate(steps, 1):
                assert sum(rewards.values()) == 0, f"The rewards {rewards} do not sum to 0."
                assert len(set(terminations.values())) == len(set(truncations.values())) == 1, (
                    f"The agents do not end together: {terminations}, {truncations}."
                )
                over, late = terminations[AGENTS[0]], truncations[AGENTS[0]]
                assert not (over and late), "A game is both terminated and truncated."
                assert (over or late) == (k == len(steps)), "A game goes on after its end, or stops before."

    def test_masks_are_those_of_the_rules(self, game: Game, options: dict[str, Any]) -> None:
        env = self.public.parallel_env(**options, max_cycles=LONG)
        for seed in SEEDS:
            rng = choices(seed)
            observations, infos = env.reset(seed=seed)
            while True:
                for player, agent in enumerate(AGENTS):
                    mask = infos[agent]["action_mask"]
                    legal = () if game.terminal(env.code) else game.legal_actions(env.code, player)
                    assert (mask.dtype, mask.shape) == (np.int8, (game.num_actions,)), f"A mask is {mask!r}."
                    assert tuple(np.flatnonzero(mask)) == legal, (
                        f"{agent}'s mask is {mask}, its legal actions at {game.state(env.code)} are {legal}."
                    )
                    if game.masked:
                        assert (observations[agent]["action_mask"] == mask).all(), (
                            "The masks in observation and info differ."
                        )
                    else:
                        assert isinstance(observations[agent], np.ndarray), (
                            "The observation of a game without illegal actions is not an array."
                        )
                if not env.agents:
                    break
                actions = {agent: choose(rng, infos[agent]["action_mask"]) for agent in AGENTS}
                observations, _, _, _, infos = env.step(actions)

    def test_only_who_is_asked_has_a_mask_in_aec(self, game: Game, options: dict[str, Any]) -> None:
        raw = self.public.raw_env(**options, max_cycles=LONG)
        for seed in SEEDS:
            rng = choices(seed)
            raw.reset(seed=seed)
            while not raw.terminations[AGENTS[0]] and not raw.truncations[AGENTS[0]]:
                asked = raw.agent_selection
                turn = game.turn(raw.code)
                assert turn == BOTH or AGENTS[turn] == asked, f"{asked} is asked, player {turn} is to move."
                for player, agent in enumerate(AGENTS):
                    mask = raw.infos[agent]["action_mask"]
                    legal = game.legal_actions(raw.code, player) if agent == asked else ()
                    assert tuple(np.flatnonzero(mask)) == legal, (
                        f"{agent}'s mask is {mask} when {asked} is asked, it should be {legal}."
                    )
                    if game.masked:
                        assert (raw.observe(agent)["action_mask"] == mask).all(), (
                            "The masks in observation and info differ."
                        )
                raw.step(choose(rng, raw.infos[asked]["action_mask"]))

    def test_aec_plays_like_parallel(self, game: Game, options: dict[str, Any]) -> None:
        parallel = self.make("parallel", options, max_cycles=LONG)
        aec = self.public.env(**options, max_cycles=LONG)
        for seed in SEEDS:
            first, *steps = trace(parallel, seed, choices(seed))
            views = [first[0], *(result[0] for _, result, _ in steps)]
            played = 0
            collected = dict.fromkeys(AGENTS, 0.0)
            aec.reset(seed=seed)
            for agent in aec.agent_iter():
                seen, reward, over, late, _ = aec.last()
                collected[agent] += reward
                if over or late:
                    ends = tuple(end[agent] for end in steps[-1][1][2:4])
                    assert (over, late) == ends, f"AEC ends with {(over, late)}, parallel with {ends}."
                    aec.step(None)
                    continue
                there = views[played][agent]
                if game.masked:
                    seen, there = seen["observation"], there["observation"]
                assert (seen == there).all(), f"{agent} sees other things in AEC than in parallel."
                both = game.turn(aec.unwrapped.code) == BOTH
                actions, (_, rewards, *_), state = steps[played]
                aec.step(actions[agent])
                if both and agent == AGENTS[0]:
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

    def test_state_is_what_player_0_sees(self, game: Game, options: dict[str, Any]) -> None:
        env = self.make("parallel", options, max_cycles=LONG)
        env.start(0)
        rng = choices(0)
        while not env.over:
            *_, state = env.step(rng)
            assert (state == game.observe(env.env.code, 0)).all(), "state() shows something else."

    @pytest.mark.parametrize("mode", MODES)
    @settings(
        max_examples=20,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
    )
    @given(data=st.data())
    def test_whatever_is_played(self, game: Game, options: dict[str, Any], mode: str, data: Any) -> None:
        """Legal, illegal and senseless actions, compared with the meaning of the options in plain words."""
        max_cycles = data.draw(st.integers(1, 12), "max_cycles")
        rest = {"max_cycles": max_cycles, "illegal_action": mode}
        parallel, aec = self.public.parallel_env(**options, **rest), self.public.raw_env(**options, **rest)
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
                late = not over and cycle == max_cycles
                _, rewards, *ends, _ = parallel.step(dict(zip(AGENTS, actions, strict=True)))
                got = (parallel.code, rewards[AGENTS[0]], *(end[AGENTS[0]] for end in ends))
                assert got == (following, reward, over, late), (
                    f"{actions} at {game.state(code)} in step {cycle} of {max_cycles} gave {got}."
                )
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
            got = (aec.code, *(d[AGENTS[0]] for d in (aec.rewards, aec.terminations, aec.truncations)))
            assert got == (following, reward, over, late), f"AEC gave {got} for {actions}."
            if over or late:
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

    def test_max_cycles_cuts_a_game_off(self, options: dict[str, Any]) -> None:
        whole = self.make("parallel", options, max_cycles=LONG)
        for max_cycles in (1, 2, 3):
            cut = self.make("parallel", options, max_cycles=max_cycles)
            for seed in SEEDS:
                long, short = (trace(game, seed, choices(seed)) for game in (whole, cut))
                assert len(short) == min(len(long), 1 + max_cycles), (
                    f"A game of {len(long) - 1} steps lasts {len(short) - 1} with max_cycles={max_cycles}."
                )
                assert data_equivalence(short[:-1], long[: len(short) - 1], exact=True), (
                    "max_cycles changes the game before its end."
                )
                ends, natural = (steps[len(short) - 1][1][2:4] for steps in (short, long))
                over = natural[0][AGENTS[0]]
                assert ends == (dict.fromkeys(AGENTS, over), dict.fromkeys(AGENTS, not over)), (
                    "A game that is cut off is not called truncated, or one that is over is."
                )

    @pytest.mark.parametrize("copier", [lambda game: pickle.loads(pickle.dumps(game)), copy.deepcopy])
    @pytest.mark.parametrize("face", FACES)
    def test_a_copy_goes_on_alike(self, options: dict[str, Any], face: str, copier: Any) -> None:
        game = self.make(face, options, max_cycles=LONG)
        for seed in SEEDS:
            game.start(seed)
            game.step(choices(seed))
            other = copier(game)
            rng, other_rng = choices(seed), choices(seed)
            while not game.over:
                assert data_equivalence(game.step(rng), other.step(other_rng), exact=True), (
                    "A copy made in the middle of a game plays another game."
                )
            assert other.over, "A copy made in the middle of a game ends later."
            again = [trace(one, None, choices(seed)) for one in (game, other)]
            assert data_equivalence(*again, exact=True), "A copy starts another game afterwards."

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

    def test_wrong_use_is_an_error(self, options: dict[str, Any]) -> None:
        env = self.public.parallel_env(**options, max_cycles=1)
        nothing = dict.fromkeys(AGENTS, 0)
        with pytest.raises(ValueError, match=r"no game is running: call reset\(\) first"):
            env.step(nothing)
        env.reset(seed=0)
        wrong: list[Any] = [dict.fromkeys(acting, 0) for acting in ([AGENTS[0]], [*AGENTS, "anybody"], [])]
        for actions in (*wrong, [0, 0]):
            named = f"a dictionary of an action for each of player_0, player_1, not {actions!r}"
            with pytest.raises(ValueError, match=re.escape(named)):
                env.step(actions)
        env.step(nothing)
        with pytest.raises(ValueError, match="no game is running"):
            env.step(nothing)
        raw = self.public.raw_env(**options)
        with pytest.raises(ValueError, match=r"no game is running: call reset\(\) first"):
            raw.step(0)

    def test_after_the_end_nothing_goes_on(self, game: Game, options: dict[str, Any]) -> None:
        env = self.public.parallel_env(**options, max_cycles=1)
        with pytest.raises(ValueError, match=r"no game is running: call reset\(\) first"):
            env.step({})
        env.reset(seed=0)
        env.step(dict.fromkeys(AGENTS, 0))
        assert env.step({}) == ({}, {}, {}, {}, {})
        first = game.turn(game.first_decision)
        single = GameEnv(game, Uniform(), "random" if first == BOTH else first, max_cycles=1)
        for _ in range(2):
            with pytest.raises(ResetNeeded, match=r"no game is running in environment 0: call reset\(\) first"):
                single.step(0)
            single.reset(seed=0)
            single.step(0)
        aec = self.public.raw_env(**options, max_cycles=1)
        aec.reset(seed=0)
        while not any(aec.terminations.values()) and not any(aec.truncations.values()):
            aec.step(0)
        seen = [aec.observe(agent) for agent in AGENTS]
        with pytest.raises(ValueError, match="the agents are player_0, player_1, not 'bob'"):
            aec.observe("bob")
        for _ in AGENTS:
            with pytest.raises(NoGameRunningError, match=r"^no game is running: call reset\(\) first$"):
                aec.step(0)
            aec.step(None)
        for agent, before in zip(AGENTS, seen, strict=True):
            after = aec.observe(agent)
            assert (after == before).all() if not game.masked else (after["observation"] == before["observation"]).all()
        with pytest.raises(ValueError, match=r"no game is running: call reset\(\) first"):
            aec.step(0)

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

    @pytest.mark.parametrize("end", ["rules", "illegal", "late"])
    def test_all_faces_agree_on_the_masks_of_finished_games(
        self, game: Game, options: dict[str, Any], end: str
    ) -> None:
        """Nothing is legal once the game is terminated; where it is truncated, what would be if it went on."""
        cycles = {"max_cycles": 2 if end == "late" else LONG}
        for seed in SEEDS:
            rng = choices(seed)

            def act(mask: Any, rng: np.random.Generator = rng) -> int:
                return game.num_actions if end == "illegal" else choose(rng, mask)

            parallel = self.public.parallel_env(**options, **cycles)
            _, infos = parallel.reset(seed=seed)
            while parallel.agents:
                played = {agent: act(info["action_mask"]) for agent, info in infos.items()}
                _, _, terminations, _, infos = parallel.step(played)
            shown = np.stack([info["action_mask"] for info in infos.values()])
            assert shown.any(axis=1).tolist() == [not terminations[agent] for agent in AGENTS]

            aec = self.public.raw_env(**options, **cycles)
            aec.reset(seed=seed)
            while not aec.terminations[AGENTS[0]] and not aec.truncations[AGENTS[0]]:
                aec.step(act(aec.infos[aec.agent_selection]["action_mask"]))
            mask = aec.infos[aec.agent_selection]["action_mask"]
            assert mask.any() == aec.truncations[AGENTS[0]]

            single = GameEnv(game, Uniform(), **cycles)
            _, info = single.reset(seed=seed)
            over = late = False
            while not over and not late:
                _, _, over, late, info = single.step(act(info["action_mask"]))
            assert info["action_mask"].any() == late

    @pytest.mark.parametrize("face", ["parallel_env", "raw_env"])
    def test_observations_can_be_plain_arrays(self, game: Game, options: dict[str, Any], face: str) -> None:
        plain, usual = (getattr(self.public, face)(**options, mask_in_observation=mask) for mask in (False, True))
        shown = []
        for env in (plain, usual):
            observations, infos = env.reset(seed=3) or ({agent: env.observe(agent) for agent in AGENTS}, env.infos)
            assert all(env.observation_space(agent).contains(observations[agent]) for agent in AGENTS)
            shown.append((observations, infos))
        assert isinstance(plain.observation_space(AGENTS[0]), Box)
        for agent in AGENTS:
            seen = shown[1][0][agent]
            assert (shown[0][0][agent] == (seen["observation"] if game.masked else seen)).all()
            assert (shown[0][1][agent]["action_mask"] == shown[1][1][agent]["action_mask"]).all()
        with pytest.raises(ValueError, match="mask_in_observation must be True or False, not 'no'"):
            getattr(self.public, face)(**options, mask_in_observation="no")

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
