"""The scripted player of Bodega Brawl: decisions worked out by hand, and a second, slow telling of it."""

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.agents.bots.bodega_brawl import ArgmaxCounterAgent
from nashzoo.envs import bodega_brawl_v0, footsies_v0
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Mask

REGIONS = ("head", "body", "legs")
NAMES = [f"{region} {use}" for region in REGIONS for use in ("attack", "dual attack", "counter")]


class Prefers(PolicyAgent):
    """Likes actions in the given order; likes them alike where it has no order."""

    def __init__(self, game: Game, *names: str) -> None:
        super().__init__(game, 0)
        self.likes = np.array([len(names) - names.index(name) if name in names else 0 for name in NAMES])

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        weights = (1.0 + self.likes) * action_masks
        return weights / weights.sum(axis=1, keepdims=True)


class Moody(PolicyAgent):
    """Likes other actions at every state."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        taste = np.random.default_rng(1).normal(size=(self.game.num_features, self.game.num_actions))
        weights = np.exp(observations @ taste) * action_masks
        return weights / weights.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def game() -> Game:
    return bodega_brawl_v0.game()


def decision(game: Game, policy: PolicyAgent, player: int = 0, **fields: int) -> str:
    """Returns what the bot plays for certain, or "random"."""
    agent = ArgmaxCounterAgent(game, policy=policy)
    code = game.code(**fields)
    legal = game.legal_actions(code, player)
    mask = np.array([[action in legal for action in range(9)]], np.int8)
    (probabilities,) = agent.action_probabilities(game.observe(code, player)[None], mask)
    if np.allclose(probabilities, mask[0] / mask.sum()) and mask.sum() > 1:
        return "random"
    assert sorted(probabilities) == [0] * 8 + [1]
    return NAMES[int(probabilities.argmax())]


def test_the_likeliest_legal_action_counts(game: Game) -> None:
    policy = Prefers(game, "legs attack", "body attack")
    assert decision(game, policy, legs_attack0=0, legs_attack1=0) == "body counter"
    assert decision(game, Prefers(game)) == "head counter"  # all alike: the first


def test_strategies_count_as_tied_within_rounding(game: Game) -> None:
    class Rounded(PolicyAgent):
        def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
            return np.array([[0, 0, 0, 0.5 - 1e-12, 0, 0, 0.5 + 1e-12, 0, 0]])

    assert decision(game, Rounded(game)) == "body counter"


def plainly(game: Game, policy: PolicyAgent, code: int, player: int) -> dict[str, float]:
    """Returns the bot's probabilities, told a second time."""
    state = game.state(code)._asdict()
    other = 1 - player
    legal = [NAMES[action] for action in game.legal_actions(code, player)]
    likes = policy.action_probabilities(game.observe(code, other)[None], policy.legal(game.observe(code, other)[None]))
    expected = NAMES[int(likes.argmax())]
    region, use = expected.split(" ", 1)
    if use != "counter" and state[f"{region}_dual{player}"] > 0:
        return {f"{region} counter": 1.0}
    best = None
    for region in REGIONS:
        missing = getattr(game.field_maxima, f"{region}0") - state[f"{region}{other}"]
        if state["sudden_death"]:
            missing = 1
        cards = state[f"{region}_attack{player}"] + state[f"{region}_dual{player}"]
        if cards >= missing and (best is None or missing < best[0]):
            best = missing, region
    if best is None:
        return dict.fromkeys(legal, 1 / len(legal))
    use = "attack" if f"{best[1]} attack" in legal else "dual attack"
    return {f"{best[1]} {use}": 1.0}


@pytest.mark.parametrize("options", [{}, {"double_ko": "sudden_death"}, {"preset": "small"}], ids=str)
def test_like_a_second_implementation(options: dict[str, str]) -> None:
    game = bodega_brawl_v0.game(**options)
    policy = Moody(game, 0)
    agent = ArgmaxCounterAgent(game, policy=policy)
    rng = np.random.default_rng(0)
    seen, kinds = [], set()
    for _ in range(60):
        code = int(game.start_codes[0])
        while not game.terminal(code):
            seen.append(code)
            code = game.step(code, *(int(rng.choice(game.legal_actions(code, player))) for player in range(2)))
    for player in range(2):
        observations = np.stack([game.observe(code, player) for code in seen])
        table = agent.action_probabilities(observations, agent.legal(observations))
        for code, row in zip(seen, table, strict=True):
            expected = plainly(game, policy, code, player)
            assert {NAMES[action]: row[action] for action in np.flatnonzero(row)} == pytest.approx(expected)
            kinds.add(next(iter(expected)).split(" ", 1)[1] if len(expected) == 1 else "random")
    assert kinds >= {"counter", "dual attack", "random"}


def test_by_name() -> None:
    game = bodega_brawl_v0.game(preset="tiny")
    assert agents.names(game) == ("manual", "random", "argmax_counter", "mcts", "nash")
    assert agents.title("argmax_counter") == "The Counterpuncher"
    assert agents.options("argmax_counter") == {"policy": "nash"}
    agent = agents.make("argmax_counter", game, seed=1)
    assert type(agent.policy).__name__ == "NashAgent"
    expects_random = agents.make("argmax_counter", game, seed=1, policy="random")
    assert type(expects_random.policy).__name__ == "RandomAgent"
    action, _ = expects_random.predict(game.observe(int(game.start_codes[0]), 0))
    assert game.actions[action] == "Head Counter"


def test_wrong_policies_are_told() -> None:
    game = bodega_brawl_v0.game(preset="tiny")
    with pytest.raises(ValueError, match=r"^ArgmaxCounterAgent plays bodega_brawl_v0, not footsies_v0$"):
        ArgmaxCounterAgent(footsies_v0.game())
    with pytest.raises(ValueError, match="plays bodega_brawl_v0"):
        ArgmaxCounterAgent(game, policy=Moody(bodega_brawl_v0.game(), 0))
    with pytest.raises(TypeError, match=r"^the policy must choose by the state alone; manual does not$"):
        ArgmaxCounterAgent(game, policy="manual")
