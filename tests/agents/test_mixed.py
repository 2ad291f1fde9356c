"""Several players behind one name."""

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.agents.basic.mixed import MixedAgent
from nashzoo.agents.gym_factory import gymnasium_env
from nashzoo.arena.match import play_match
from nashzoo.envs import footsies_v0, roshambo_v0
from nashzoo.envs.core.agent import DRAWS, Agent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask

GAME = roshambo_v0.game(rounds=20)


def constants(*throws: int, game: Game = GAME) -> list[Agent]:
    return [agents.make("constant", game, throw=throw) for throw in throws]


@pytest.mark.parametrize(("weights", "chances"), [(None, [1 / 3, 1 / 3, 1 / 3]), ([1, 2, 5], [1 / 8, 1 / 4, 5 / 8])])
def test_players_are_drawn_by_their_weights_and_play_the_whole_game(
    weights: list[float] | None, chances: list[float]
) -> None:
    game = roshambo_v0.game(rounds=3)
    mixed = MixedAgent(game, constants(0, 1, 2, game=game), weights)
    points = play_match(game, mixed, agents.make("constant", game), 4_000, seed=0).points
    shares = [np.mean(points == 3 * gain) for gain in (0, 1, -1)]  # Rock, Paper, Scissors against Rock
    assert sum(shares) == 1
    assert shares == pytest.approx(chances, abs=4 * 0.5 / np.sqrt(4_000))


def test_everyone_plays_as_if_alone() -> None:
    names = ("roll", "markov_k", "iocaine", "copy", "random")
    players = [agents.make(name, GAME) for name in names]
    mixed = MixedAgent(GAME, players)
    rng = np.random.default_rng(0)
    tables = 50
    memory = np.zeros((tables, mixed.memory_size))
    codes = np.full(tables, GAME.start_codes[0])
    masks = np.ones((tables, 3), np.int8)
    own: list[Floats] = []
    for _ in range(20):
        seen = np.array([GAME.observe(int(code), 0) for code in codes])
        uniforms = rng.random((tables, DRAWS))
        actions, memory = mixed.act(seen, memory, masks, uniforms)
        who = memory[:, 0].astype(int) - 1
        if not own:
            drawn = who
            own = [np.zeros((1, players[k].memory_size)) for k in who]
            uniforms[:, 1] = uniforms[:, 1] * len(names) - who  # what is left of the number that drew
        assert (who == drawn).all()
        for table in range(tables):
            row = slice(table, table + 1)
            alone, own[table] = players[who[table]].act(seen[row], own[table], masks[row], uniforms[row])
            assert alone[0] == actions[table]
        codes = np.array(
            [GAME.step(int(code), int(a), int(rng.integers(3))) for code, a in zip(codes, actions, strict=True)]
        )
    assert set(drawn.tolist()) == set(range(len(names)))


class Notes(Agent):
    """Takes down the second random number of each decision."""

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        self.noted = uniforms[:, 1].copy()
        return np.zeros(len(uniforms), np.int64), memory


def test_what_is_left_of_the_number_that_drew_is_still_uniform() -> None:
    notes = [Notes(GAME), Notes(GAME)]
    mixed = MixedAgent(GAME, notes, [1, 9])
    numbers = (np.arange(10_000) + 0.5) / 10_000
    uniforms = np.stack([numbers, numbers], axis=1)
    mixed.act(np.zeros((10_000, 7), np.float32), np.zeros((10_000, 1)), np.ones((10_000, 3), np.int8), uniforms)
    for note, many in zip(notes, (1_000, 9_000), strict=True):
        assert np.sort(note.noted) == pytest.approx((np.arange(many) + 0.5) / many)
    edge = np.array([[0.5, np.nextafter(1.0, 0.0)]])
    mixed.act(np.zeros((1, 7), np.float32), np.zeros((1, 1)), np.ones((1, 3), np.int8), edge)
    assert notes[1].noted[0] < 1


def test_weights_can_be_given_wherever_a_player_can() -> None:
    env = gymnasium_env("footsies_v0", opponent={"counter": 3, "random": 1})
    env.reset(seed=0)
    mixed = agents.as_agent({"counter": 3, "random": 1}, footsies_v0.game())
    assert isinstance(mixed, MixedAgent)
    assert mixed.chances.tolist() == [0.75, 0.25]
    assert [type(player).__name__ for player in mixed.players] == ["CounterAgent", "RandomAgent"]


def test_wrong_mixtures() -> None:
    for players, message in (({}, "needs at least one player"), ({"copy": 0}, "must be a number above 0, not 0")):
        with pytest.raises(ValueError, match=message):
            agents.as_agent(players, GAME)
    with pytest.raises(ValueError, match="2 players need as many weights, not 1"):
        MixedAgent(GAME, constants(0, 1), [1.0])
    with pytest.raises(ValueError, match=r"constant plays roshambo_v0.*, not footsies_v0"):
        MixedAgent(footsies_v0.game(), constants(0))
    with pytest.raises(TypeError, match="options are for players given by name; a mixture takes none, not throw"):
        agents.as_agent({"copy": 1}, GAME, throw=1)
