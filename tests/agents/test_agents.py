"""Players by name, and what stands for a player."""

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import nim
import repeated_rps
from nashzoo import agents
from nashzoo.agents import registry
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.agents.gym_factory import gymnasium_env
from nashzoo.arena.match import play_match
from nashzoo.baselines import exploitability
from nashzoo.envs import footsies_v0
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core.agent import FiniteMemoryAgent, PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask

FOOTSIES = footsies_v0.game()
GENERIC = ("manual", "random", "mcts", "nash")
TURN_BASED = (*GENERIC, "greedy", "minimax", "alphabeta", "perfect", "human")


def test_footsies_has_all_players_of_the_seed() -> None:
    assert agents.names(FOOTSIES) == ("manual", "random", "counter", "bayesian", "bluff", "markov", "mcts", "nash")
    assert registry.scripted(FOOTSIES) == ("random", "counter", "bayesian", "bluff", "markov")


class Says(PolicyAgent):
    """Plays the same probabilities everywhere."""

    row: tuple[float, ...] = (0.5, 0.5, 0.5)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        return np.tile(self.row, (len(observations), 1))


class Recalls(FiniteMemoryAgent):
    """Plays the same probabilities in its only memory state."""

    row, memory_states = (0.5, 0.5, 0.5), 1

    def remember(self, states: Ints, observations: Features) -> Ints:
        return states

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        return np.tile(self.row, (len(states), 1))


@pytest.mark.parametrize("kind", [Says, Recalls])
@pytest.mark.parametrize("row", [(0.5, 0.5, 0.5), (0.2, 0.2, 0.2), (1.5, -0.5, 0.0), (np.nan, 0.5, 0.5), (0, 0, 0)])
def test_probabilities_that_are_no_distribution_are_refused_where_they_are_played(
    kind: type[Any], row: tuple[float, ...]
) -> None:
    game = Game(repeated_rps)
    player = kind(game, 0)
    player.row = row
    start = game.observe(int(game.start_codes[0]), 1)
    env = gymnasium_env(game, player)
    env.reset(seed=0)
    for call in (
        lambda: player.predict(start),
        lambda: player.predict(start, deterministic=True),
        lambda: play_match(game, agents.make("random", game, 0), player, 3, 0),
        lambda: env.step(0),
    ):
        with pytest.raises(
            UsageError, match=rf"at round=0.* has the probabilities \[{row[0]}.*\]: they must be a dist"
        ):
            call()


def test_probabilities_of_another_shape_are_refused() -> None:
    player = Says(Game(repeated_rps), 0)
    player.row = (0.5, 0.5)
    with pytest.raises(UsageError, match=r"the probabilities of Says must have shape \(1, 3\), not \(1, 2\)"):
        player.predict(player.game.observe(0, 0))


@pytest.mark.parametrize(("rules", "players"), [(nim, TURN_BASED), (repeated_rps, GENERIC)])
def test_other_games_have_the_players_that_know_no_game(rules: Any, players: tuple[str, ...]) -> None:
    assert agents.names(Game(rules)) == players


@pytest.mark.parametrize("name", agents.names(FOOTSIES))
def test_players_can_be_pickled(name: str) -> None:
    agent = agents.make(name, FOOTSIES, seed=5)
    copy = pickle.loads(pickle.dumps(agent))
    if name != "manual":
        observations = np.tile(FOOTSIES.observe(int(FOOTSIES.start_codes[0]), 0), (30, 1))
        assert copy.predict(observations)[0].tolist() == agent.predict(observations)[0].tolist()


def test_options_and_their_defaults() -> None:
    assert agents.options("random") == {}
    assert agents.options("bayesian") == {"alpha": 1.0, "risk_threshold": 0.2, "ties": "actions", "memory": "match"}
    assert agents.options("bluff") == {"bluff": 0.2}
    assert agents.options("markov") == {"risk": 0.2}


@pytest.mark.parametrize(
    ("name", "game", "options", "message"),
    [
        ("champion", FOOTSIES, {}, "no player 'champion'; the players of footsies_v0 are manual"),
        ("counter", Game(nim), {}, "counter plays footsies_v0, not nim_v0; its players are manual, random, mcts"),
        ("bayesian", FOOTSIES, {"gamma": 1, "beta": 2}, "bayesian has no option beta, gamma; it has alpha, risk_thr"),
        ("random", FOOTSIES, {"alpha": 1.0}, "random has no option alpha; it has none"),
    ],
)
def test_wrong_names_and_options_are_told(name: str, game: Game, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageTypeError if options else UsageError, match=message):
        agents.make(name, game, **options)
    with pytest.raises(UsageError, match="no player 'champion'"):
        agents.title("champion")


def test_classes_derived_from_position_agent_are_policies() -> None:
    class First(agents.PositionAgent):
        def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
            return np.eye(self.game.num_actions)[action_masks.argmax(axis=1)]

    agent = First(FOOTSIES, seed=0)
    assert isinstance(agent, agents.PolicyAgent) and agents.as_agent(agent, FOOTSIES) is agent
    assert 0 < exploitability(FOOTSIES, agent) <= 1


def test_random_plays_every_legal_action_alike() -> None:
    game = Game(nim, heap=2)
    agent = RandomAgent(game, seed=0)
    observations = np.tile(game.observe(int(game.start_codes[0]), 0), (4000, 1))
    counts = np.bincount(agent.predict(observations)[0], minlength=3)
    assert counts[2] == 0  # of two objects nobody takes three
    assert abs(counts[0] - 2000) < 4 * np.sqrt(4000 / 4)  # four standard deviations


class Grabber:
    """Somebody else's player."""

    def __init__(self, answer: Any = None, state: Any = None) -> None:
        self.answer, self.state, self.seen = answer, state, {}

    def predict(self, observation: Any, deterministic: bool = False) -> tuple[Any, Any]:
        self.seen = {"deterministic": deterministic}
        return np.full(len(observation), 2) if self.answer is None else self.answer, self.state


class MaskedGrabber(Grabber):
    def predict(self, observation: Any, action_masks: Any = None, **_: Any) -> tuple[Any, Any]:  # type: ignore[override]
        self.seen = {"action_masks": action_masks.tolist()}
        return action_masks.argmax(axis=1), None


def test_whatever_predicts_is_a_player() -> None:
    thing = Grabber()
    agent = agents.as_agent(thing, FOOTSIES)
    observations = np.tile(FOOTSIES.observe(int(FOOTSIES.start_codes[0]), 0), (3, 1))
    assert agent.predict(observations)[0].tolist() == [2, 2, 2]
    assert thing.seen == {"deterministic": False}
    assert agent.predict(observations[0], deterministic=True)[0] == 2
    assert thing.seen == {"deterministic": True}


def test_whatever_predicts_is_given_masks_if_it_takes_them() -> None:
    game = Game(nim, heap=2)
    thing = MaskedGrabber()
    agent = agents.as_agent(thing, game)
    assert agent.predict(game.observe(int(game.start_codes[0]), 0))[0] == 0
    assert thing.seen == {"action_masks": [[1, 1, 0]]}


def test_what_predicts_wrongly_is_told() -> None:
    observations = np.tile(FOOTSIES.observe(int(FOOTSIES.start_codes[0]), 0), (3, 1))
    with pytest.raises(ValueError, match=r"Grabber.predict must return actions of shape \(3,\), not \(2,\)"):
        agents.as_agent(Grabber(answer=[1, 1]), FOOTSIES).predict(observations)
    with pytest.raises(TypeError, match=r"Grabber.predict returned a memory"):
        agents.as_agent(Grabber(state=(1,)), FOOTSIES).predict(observations)


def test_as_agent_takes_names_and_agents() -> None:
    agent = agents.as_agent("bayesian", FOOTSIES, alpha=2.0)
    assert agent.alpha == 2.0  # type: ignore[attr-defined]
    assert agents.as_agent(agent, footsies_v0.game()) is agent


def test_as_agent_refuses_what_is_no_player_of_the_game() -> None:
    with pytest.raises(
        TypeError, match=r"a player is a name, an Agent, has predict\(\), or is a policy; 3 is none of these"
    ):
        agents.as_agent(3, FOOTSIES)
    with pytest.raises(ValueError, match=r"RandomAgent plays footsies_v0\(blocks=2\), not footsies_v0$"):
        agents.as_agent(RandomAgent(footsies_v0.game(blocks=2)), FOOTSIES)
    with pytest.raises(TypeError, match="options are for players given by name; RandomAgent takes none, not alpha"):
        agents.as_agent(RandomAgent(FOOTSIES), FOOTSIES, alpha=1.0)
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nothing\.zip"):
        agents.as_agent("nothing.zip", FOOTSIES)


@pytest.mark.slow
def test_importing_the_players_loads_nothing_heavy() -> None:
    check = (
        "import sys; from nashzoo import agents; from nashzoo.envs import footsies_v0;"
        "agents.make('bayesian', footsies_v0.game());"
        "print([m for m in ('torch', 'stable_baselines3', 'sb3_contrib', 'matplotlib', 'pygame', 'rich')"
        " if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_a_learner_that_is_named_anew_or_left_out_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    learners = dict(registry.LEARNERS)
    monkeypatch.setattr(registry, "LEARNERS", learners)
    learners["minimax_q"] = learners["minimax_q"]._replace(title="Another title")
    assert agents.title("minimax_q") == "Another title"
    del learners["minimax_q"]
    with pytest.raises(UsageError, match="there is no player 'minimax_q'"):
        agents.title("minimax_q")
