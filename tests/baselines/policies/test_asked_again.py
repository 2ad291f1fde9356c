"""Exact measures refuse a policy that says something else when it is asked again."""

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from nashzoo import agents
from nashzoo.agents.search.mcts import MCTSAgent
from nashzoo.app.shared.policies import basis, rounded
from nashzoo.arena.measure import measure
from nashzoo.arena.tournament import tournament
from nashzoo.baselines import ListedStates, best_response, evaluate, exploitability, nash_conv, outcomes, weaknesses
from nashzoo.baselines.measures import tabulated
from nashzoo.baselines.policies import tabular, with_memory
from nashzoo.baselines.policies.outputs import softmax
from nashzoo.baselines.visited_states import sampled_regret
from nashzoo.envs import footsies_v0, roshambo_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import FiniteMemoryAgent, NoPolicyError, PolicyAgent, uniform_over
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.examples import kuhn

FOOTSIES = footsies_v0.game(rounds=1, blocks=1)
KUHN = Game(kuhn)  # which no other test finds among the games, as by make_game
WHERE = r"at .* gives player \d other {} when it is asked again: exact measures need a policy that depends on the state"


class Counting(PolicyAgent):
    """Prefers the first legal action, more so at each call."""

    calls = 0

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        self.calls += 1
        weights = action_masks * np.array([self.calls, *[1] * (self.game.num_actions - 1)])
        return weights / weights.sum(axis=1, keepdims=True)


class Once(PolicyAgent):
    """Plays uniformly but in one state, and there another way at the second call."""

    def __init__(self, game: Game, code: int) -> None:
        super().__init__(game)
        self.code, self.calls = code, 0

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        probabilities = uniform_over(action_masks)
        self.calls += 1
        there = self.states_of(observations)[0] == self.code
        if self.calls > 1:
            probabilities[there] = np.eye(self.game.num_actions)[0]
        return probabilities


class Fellows(PolicyAgent):
    """Plays by what else is asked with it, as batch normalization does in training mode."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        weights = action_masks * (1.0 + np.abs(observations.mean()) * np.arange(self.game.num_actions))
        return weights / weights.sum(axis=1, keepdims=True)


class Rounding(PolicyAgent):
    """Probabilities of single precision whose last bits depend on the batch."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        probabilities = uniform_over(action_masks)
        probabilities[:, 0] += 1e-7 * len(observations) % 7e-7
        single: Floats = (probabilities / probabilities.sum(axis=1, keepdims=True)).astype(np.float32)
        return single


class Trembling(PolicyAgent):
    """Probabilities of double precision that differ by far more than its rounding, and by less than a network's."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        weights = action_masks * (1.0 + 1e-6 * np.abs(observations.mean()) * np.arange(self.game.num_actions))
        return weights / weights.sum(axis=1, keepdims=True)


MEASURES: dict[str, Callable[[Game, Any], Any]] = {
    "exploitability": exploitability,
    "exploitability of a seat": lambda game, policy: exploitability(game, policy, player=1),
    "best response": lambda game, policy: best_response(game, policy, 1),
    "value": lambda game, policy: evaluate(game, policy, agents.make("random", game)),  # type: ignore[arg-type]
    "NashConv": nash_conv,
}
WITH_VALUES: dict[str, Callable[[Game, Any], Any]] = {
    "weaknesses": weaknesses,
    "outcomes": lambda game, policy: outcomes(game, policy, agents.make("random", game)),  # type: ignore[arg-type]
    "regret": lambda game, policy: sampled_regret(game, policy, 50, np.random.default_rng(0)),
}


@pytest.mark.parametrize("kind", [Counting, Fellows, Trembling])
@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("game", [FOOTSIES, KUHN], ids=str)
def test_every_measure_refuses_what_changes(game: Game, name: str, kind: Any) -> None:
    with pytest.raises(UsageError, match=WHERE.format("probabilities")):
        MEASURES[name](game, kind(game))


@pytest.mark.parametrize("name", WITH_VALUES)
def test_every_measure_by_values_refuses_what_changes(name: str) -> None:
    game = tictactoe_v0.game()
    with pytest.raises(UsageError, match=WHERE.format("probabilities")):
        WITH_VALUES[name](game, Counting(game))


@pytest.mark.parametrize("game", [FOOTSIES, KUHN], ids=str)
def test_tables_of_figures_leave_out_what_cannot_be_told(game: Game) -> None:
    player = Counting(game)
    assert tabulated(game, player) is player and measure(game, player).exploitability.value is None
    played = tournament(game, {"counting": player, "random": "random"}, 10, 1, exact=True)
    assert list(played.exploitability) == ["random"]


def test_one_state_is_enough_and_is_named() -> None:
    game = FOOTSIES
    code = int(ListedStates(game).codes[7])
    with pytest.raises(UsageError, match=f"at {re.escape(game.spell(code))} Once gives"):
        exploitability(game, Once(game, code))


def test_a_policy_that_is_asked_part_by_part_is_asked_again_at_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(with_memory, "FEW", 10)
    for kind in (Counting, Fellows):
        with pytest.raises(UsageError, match=WHERE.format("probabilities")):
            exploitability(FOOTSIES, kind(FOOTSIES))
    uniform = exploitability(FOOTSIES, agents.make("random", FOOTSIES))  # type: ignore[arg-type]
    monkeypatch.undo()
    assert exploitability(FOOTSIES, agents.make("random", FOOTSIES)) == uniform  # type: ignore[arg-type]


class Forgetful(FiniteMemoryAgent):
    """A memory that drifts with the calls, or probabilities that do."""

    memory_states = 2

    def __init__(self, game: Game, drifts: str) -> None:
        super().__init__(game)
        self.drifts, self.calls = drifts, 0

    def remember(self, states: Ints, observations: Features) -> Ints:
        self.calls += self.drifts == "memory states"
        return (states + self.calls) % 2

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        self.calls += self.drifts == "probabilities"
        return uniform_over(masks) if self.calls % 2 else np.eye(masks.shape[1])[states]


@pytest.mark.parametrize("drifts", ["probabilities", "memory states"])
def test_a_player_with_memory_is_asked_again_in_the_same_memory(drifts: str) -> None:
    game = roshambo_v0.game(rounds=3)
    with pytest.raises(UsageError, match=WHERE.format(drifts)):
        exploitability(game, Forgetful(game, drifts))
    assert exploitability(game, Forgetful(game, "nothing")) > 0


class Wrapped(PolicyAgent):
    """A network of PyTorch, asked as it is."""

    def __init__(self, game: Game, network: torch.nn.Module) -> None:
        super().__init__(game)
        self.network = network

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        with torch.no_grad():
            logits = self.network(torch.as_tensor(observations)).double().numpy()
        return softmax(logits, action_masks)


@pytest.mark.parametrize("layer", [torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(32)], ids=str)
def test_a_network_in_training_mode_is_refused_with_what_to_call(layer: torch.nn.Module) -> None:
    game = FOOTSIES
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(game.num_features, 32), layer, torch.nn.Linear(32, game.num_actions))
    with pytest.raises(UsageError, match=r"training mode: call eval\(\)"):
        exploitability(game, Wrapped(game, network))
    measured = exploitability(game, network)  # type: ignore[arg-type]  # is set to evaluation mode meanwhile
    network.eval()
    assert exploitability(game, Wrapped(game, network)) == pytest.approx(measured, abs=1e-6)


def test_noise_without_training_mode_is_refused_without_that_advice() -> None:
    class Noisy(torch.nn.Linear):
        def forward(self, seen: torch.Tensor) -> torch.Tensor:
            return super().forward(seen) + torch.randn(len(seen), FOOTSIES.num_actions)

    with pytest.raises(UsageError, match=WHERE.format("probabilities")) as refused:
        exploitability(FOOTSIES, Noisy(FOOTSIES.num_features, FOOTSIES.num_actions))  # type: ignore[arg-type]
    assert "eval" not in str(refused.value)


@pytest.mark.parametrize("game", [FOOTSIES, KUHN], ids=str)
def test_last_bits_of_single_precision_may_depend_on_the_batch_and_are_told(game: Game) -> None:
    player: Any = Rounding(game)
    figure = exploitability(game, player)
    assert figure > 0 and 1e-8 < player.noticed_rounding < 1e-6
    assert "exact up to rounding probabilities by " in basis(player)
    fewer = rounded(figure, player)
    assert len(fewer) < len(rounded(figure)) and float(fewer) == pytest.approx(figure, abs=1e-5)


def test_who_answers_in_double_precision_is_told_how_to_answer_in_single() -> None:
    with pytest.raises(UsageError, match="probabilities of single precision are returned as float32"):
        exploitability(FOOTSIES, Trembling(FOOTSIES))


def test_a_network_in_a_learner_may_round_as_one_in_a_policy() -> None:
    player: Any = Trembling(FOOTSIES)
    player.learner = SimpleNamespace(network=torch.nn.Linear(1, 1))
    assert exploitability(FOOTSIES, player) > 0
    assert 1e-12 < player.noticed_rounding < 1e-4


def test_a_search_is_asked_again_at_few_states() -> None:
    game, asked = FOOTSIES, 0

    class Counted(MCTSAgent):
        def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
            nonlocal asked
            asked += len(observations)
            return super().action_probabilities(observations, action_masks)

    tabulated(game, Counted(game, search_seed=0, simulations=2))
    assert asked == len(ListedStates(game)) + tabular.FEW_ROWS


def test_who_draws_its_action_itself_has_no_exact_figures() -> None:
    class Draws:
        def predict(self, observations: Any, deterministic: bool = False) -> Any:
            return np.random.default_rng().integers(2, size=len(observations)), None

    with pytest.raises(NoPolicyError):
        exploitability(FOOTSIES, agents.as_agent(Draws(), FOOTSIES))  # type: ignore[arg-type]
