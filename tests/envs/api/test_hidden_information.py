"""Games with hidden information behind every face: what others check, and that nobody is told what it does not see."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from chance_contract import ChanceContract
from nashzoo.agents.gym_factory import gymnasium_env, gymnasium_vector_env
from nashzoo.envs import make_game
from nashzoo.envs.api.aec import GameAECEnv
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.gymnasium_vector_env import GameVectorEnv
from nashzoo.envs.api.module import make_module
from nashzoo.envs.api.parallel_env import GameParallelEnv
from nashzoo.envs.api.pettingzoo_base import AGENTS
from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.core.game import CHANCE, Features, Floats, Game, Ints, Mask
from nashzoo.envs.vector.both_seats import BothSeatsBatch
from opponents import Uniform
from traces import choose, running

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "games"
OPTIONS: dict[str, dict[str, Any]] = {
    "kuhn": {},
    "leduc": {},
    "liars_dice": {"faces": 3},
    "dark_hex": {"rows": 2, "columns": 2},
    "hidden_goofspiel": {"cards": 3},
}
MOST_GROUPS = 20  # of states that a player cannot tell apart


def path(name: str) -> str:
    return str(FOLDER / f"{name}.py")


class TestKuhn(ChanceContract):
    public = make_module(module_at(path("kuhn")))


@pytest.mark.slow
class TestLeduc(ChanceContract):
    public = make_module(module_at(path("leduc")))


@pytest.mark.slow
class TestLiarsDice(ChanceContract):
    public = make_module(module_at(path("liars_dice")))

    @pytest.fixture
    def options(self) -> dict[str, Any]:
        return {"faces": 3}


def named(name: str) -> Game:
    return make_game(path(name), **OPTIONS[name])


@pytest.fixture(params=["kuhn", "leduc", "liars_dice"])
def game(request: pytest.FixtureRequest) -> Game:
    return named(request.param)


def alike(game: Game, seat: int) -> list[list[int]]:
    """Returns lists of states that a player cannot tell apart, in which the player is to move."""
    groups = defaultdict(list)
    for code in running(game):
        if seat in game.movers(code):
            groups[game.information_state(code, seat)].append(code)
    several = [group for group in groups.values() if len(group) > 1]
    assert several, "nothing is hidden"
    return several[:: 1 + len(several) // MOST_GROUPS]


def check_alike(received: list[Any], where: str) -> None:
    for other in received[1:]:
        assert data_equivalence(received[0], other, exact=True), f"{where} tells apart what the player cannot see."


@pytest.mark.parametrize("seat", [0, 1])
class TestNothingIsBetrayed:
    @pytest.fixture(params=OPTIONS)
    def game(self, request: pytest.FixtureRequest) -> Game:
        return named(request.param)

    def test_by_the_parallel_environment(self, game: Game, seat: int) -> None:
        agent, rng = AGENTS[seat], np.random.default_rng(0)
        for group in alike(game, seat):
            received, later = [], defaultdict(list)
            own = int(rng.choice(game.legal_actions(group[0], seat)))
            for code in group:
                env = GameParallelEnv(game, starts=[code])
                observations, infos = env.reset(seed=0)
                received.append((observations[agent], infos[agent]))
                other = game.legal_actions(code, 1 - seat)[-1]
                actions = (own, other) if seat == 0 else (other, own)
                observations, rewards, *ends, infos = env.step(dict(zip(AGENTS, actions, strict=True)))
                after = game.step(code, *actions)
                if not game.terminal(after) and game.turn(after) != CHANCE:  # what is dealt and won does tell
                    told = observations[agent], rewards[agent], [end[agent] for end in ends], infos[agent]
                    later[game.information_state(after, seat)].append(told)
            check_alike(received, "parallel_env")
            for told_alike in later.values():
                check_alike(told_alike, "a step of parallel_env")

    def test_by_the_aec_environment(self, game: Game, seat: int) -> None:
        agent = AGENTS[seat]
        for group in alike(game, seat):
            received = []
            for code in group:
                env = GameAECEnv(game, starts=[code])
                env.reset(seed=0)
                if env.agent_selection != agent:  # with simultaneous moves player 0 chooses first
                    env.step(game.legal_actions(code, 0)[-1])
                assert env.agent_selection == agent
                received.append((env.observe(agent), env.last(), env.infos[agent], env.rewards[agent]))
            check_alike(received, "env")

    @pytest.mark.parametrize("render_mode", ["ansi", "svg"])
    def test_by_the_gymnasium_environment(self, game: Game, seat: int, render_mode: str) -> None:
        for group in alike(game, seat):
            received = []
            for code in group:
                env = GameEnv(game, Uniform(), player=seat, starts=[code], render_mode=render_mode)
                received.append((*env.reset(seed=0), env.action_masks(), env.render()))
            check_alike(received, "the Gymnasium environment")

    def test_by_the_vector_environment(self, game: Game, seat: int) -> None:
        for group in alike(game, seat):
            received = []
            for code in group:
                envs = GameVectorEnv(game, 2, Uniform(), player=seat, starts=[code], render_mode="ansi")
                received.append((*envs.reset(seed=0), envs.action_masks(), envs.render()))
            check_alike(received, "the Gymnasium vector environment")


class Watcher(Uniform):
    """Plays at random, and keeps what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[Features, Mask]] = []

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        self.told.append((observations.copy(), masks.copy()))
        return super().act(observations, memory, masks, uniforms)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_opponent_inside_is_told_what_its_seat_sees(game: Game, seat: int) -> None:
    opponent, rng = Watcher(), np.random.default_rng(0)
    env = GameEnv(game, opponent, player=seat)
    for seed in range(20):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, over, _, info = env.step(choose(rng, info["action_mask"]))
    hidden = [field for field, players in game.rules.SEEN_BY.items() if 1 - seat not in players]
    assert hidden and opponent.told
    for observations, masks in opponent.told:
        code, player = game.rules.decode_observation(game.params, observations[0])
        assert player == 1 - seat and game.information_state(code, player) == code
        assert all(getattr(game.state(code), field) == 0 for field in hidden)
        assert tuple(np.flatnonzero(masks[0])) == game.legal_actions(code, player)


def test_rows_of_both_seats_are_what_their_players_see(game: Game) -> None:
    batch, rng = BothSeatsBatch(game, 8), np.random.default_rng(0)
    batch.seed(0)
    batch.restart()
    for _ in range(30):
        view = batch.view()
        expected = [game.observe(code, seat) for code, seat in zip(batch.codes.tolist(), batch.seats, strict=True)]
        assert (view.observations == np.stack(expected)).all()
        batch.step_and_restart(np.array([choose(rng, mask) for mask in view.masks]))


def test_the_global_state_is_what_either_player_sees(game: Game) -> None:
    env = GameParallelEnv(game)
    observations, _ = env.reset(seed=0)
    seen = [observations[agent]["observation"] for agent in AGENTS]
    assert (env.state() == np.concatenate(seen)).all() and env.state_space.contains(env.state())


@pytest.mark.parametrize("make", [gymnasium_env, gymnasium_vector_env])
def test_regret_is_refused(game: Game, make: Any) -> None:
    with pytest.raises(ValueError, match=f"there is no regret: the players of {game.name} see a part of the state"):
        make(game, regret=True)


@pytest.mark.parametrize("make", [GameParallelEnv, GameAECEnv])
def test_who_watches_both_agents_sees_everything(game: Game, make: Any) -> None:
    env = make(game, render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == game.text(env.code) and "?" not in env.render()


@pytest.mark.parametrize("player", [0, 1])
def test_the_learner_is_shown_its_view_and_the_whole_state_at_the_end(game: Game, player: int) -> None:
    env, rng = GameEnv(game, Uniform(), player=player, render_mode="ansi"), np.random.default_rng(0)
    _, info = env.reset(seed=0)
    over = False
    while not over:
        code = int(env.batch.codes[0])
        assert env.render() == game.text(game.information_state(code, player)) and "?" in env.render()
        _, _, over, _, info = env.step(choose(rng, info["action_mask"]))
    assert env.render() == game.text(int(env.batch.codes[0])) and "?" not in env.render()


def test_pixels_are_those_of_the_view(game: Game) -> None:
    pytest.importorskip("pygame")
    for group in alike(game, 0)[:3]:
        pictures = []
        for code in group:
            env = GameEnv(game, Uniform(), starts=[code], render_mode="rgb_array")
            env.reset(seed=0)
            pictures.append(env.render())
        check_alike(pictures, "rgb_array")
        assert pictures[0].std() > 0


@pytest.mark.parametrize("seat", [0, 1])
def test_what_is_not_seen_is_written_and_read_as_a_question_mark(game: Game, seat: int) -> None:
    hidden = {field for field, players in game.rules.SEEN_BY.items() if seat not in players}
    for code in running(game)[:100]:
        view, line = game.information_state(code, seat), game.spell(game.information_state(code, seat))
        written = assignments(line.split(","))
        assert {field for field, value in written.items() if value == "?"} == hidden
        assert game.code(**written) == view and "?" not in game.spell(code)
