"""The learners of OpenSpiel learn; ``make ecosystem`` runs this where what they need is installed."""

from typing import Any

import pytest

from examples.games import hidden_goofspiel, kuhn
from examples.openspiel_learners import ESCHER, NFSP, PSRO, DeepCFR, State, TurnBased
from nashzoo import agents
from nashzoo.baselines import evaluate, exploitability
from nashzoo.envs import Game

KUHN, GOOFSPIEL = Game(kuhn), Game(hidden_goofspiel, cards=3)
CLOSE = 1e-9  # points
FEW, SLACK = 4_000, 20_000  # decisions, and those of a piece


def value(state: State) -> float:
    """Returns what player 0 wins from a state if both play at random."""
    if state.is_terminal():
        return state.returns()[0]
    if state.is_chance_node():
        return sum(chance * value(state.child(outcome)) for outcome, chance in state.chance_outcomes())
    legal = state.legal_actions()
    return sum(value(state.child(action)) for action in legal) / len(legal)


@pytest.mark.parametrize("game", [KUHN, GOOFSPIEL], ids=["kuhn", "goofspiel"])
def test_the_wrapped_game_is_the_game(game: Game) -> None:
    wrapped, uniform = TurnBased(game), agents.make("random", game)
    assert value(wrapped.new_initial_state()) == pytest.approx(evaluate(game, uniform, uniform), abs=CLOSE)


def test_a_choice_is_hidden_from_the_other_player_alone() -> None:
    before = TurnBased(GOOFSPIEL).new_initial_state()
    after = [before.child(action) for action in before.legal_actions()]
    assert {state.current_player() for state in after} == {1}
    assert len({tuple(state.information_state_tensor(0)) for state in after}) == 3
    assert {tuple(state.information_state_tensor(1)) for state in after} == {tuple(before.information_state_tensor(1))}


def small(kind: Any, game: Game) -> Any:
    """Returns a learner with settings for seconds."""
    learner = kind(game, 0)
    if kind is PSRO:
        learner.EPISODES, learner.SAMPLES = 300, 50
    if kind is ESCHER:
        names = "value_batch_steps", "regret_batch_steps", "value_traversals", "regret_traversals"
        sizes = "value_batch_size", "regret_batch_size", "avg_policy_batch_size"
        vars(learner.agent.cfg).update(dict.fromkeys(names, 80) | dict.fromkeys(sizes, 32), avg_policy_batch_steps=400)
    if kind is NFSP:
        for agent in learner.agents:
            agent._min_buffer_size_to_learn, agent._learn_every = 100, 2
    return learner


@pytest.mark.parametrize("kind", [NFSP, PSRO, DeepCFR, ESCHER])
def test_play_becomes_less_exploitable(kind: Any) -> None:
    learner = small(kind, KUHN)
    learner.learn(0)
    assert learner.num_timesteps == 0
    before = exploitability(KUHN, learner.policy)
    for goal in (FEW, 2 * FEW):
        learner.learn(goal - learner.num_timesteps)
        assert goal <= learner.num_timesteps < goal + SLACK
    assert exploitability(KUHN, learner.policy) < before


@pytest.mark.parametrize("kind", [NFSP, PSRO, DeepCFR, ESCHER])
def test_they_learn_where_both_choose_at_once(kind: Any) -> None:
    learner = small(kind, GOOFSPIEL)
    learner.learn(1)
    assert 0 <= exploitability(GOOFSPIEL, learner.policy) <= 1
