"""Policies as people have them are measured like the same policy as an object, or refused by what they are."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import repeated_rps
from nashzoo import agents
from nashzoo.baselines import best_response, evaluate, exploitability, nash_conv
from nashzoo.baselines.evaluation import secured
from nashzoo.baselines.policies.outputs import answer_of, kind_of
from nashzoo.envs import bodega_brawl_v0, footsies_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import NoPolicyError, PolicyAgent
from nashzoo.envs.core.game import Game

RPS = Game(repeated_rps, rounds=1)
BODEGA = bodega_brawl_v0.game(preset="tiny")
EXACT = 1e-12
WEIGHTS = np.random.default_rng(0).normal(size=(BODEGA.num_features, BODEGA.num_actions))


def logits_of(observations: np.ndarray) -> np.ndarray:
    return np.asarray(observations, np.float64) @ WEIGHTS - 1.0


def softmax_of(observations: np.ndarray) -> np.ndarray:
    chances = np.exp(logits_of(observations))
    return chances / chances.sum(axis=-1, keepdims=True)


class AsObject(PolicyAgent):
    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        chances = softmax_of(observations) * action_masks
        return chances / chances.sum(axis=1, keepdims=True)


EXPECTED = 0.5 * nash_conv(BODEGA, AsObject(BODEGA))


def with_mask(observations: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
    chances = softmax_of(observations) * action_mask
    return chances / chances.sum(axis=-1, keepdims=True)


def one_at_a_time(observation: np.ndarray) -> np.ndarray:
    assert observation.ndim == 1
    return softmax_of(observation)


FORMS = {
    "probabilities": softmax_of,
    "logits": logits_of,
    "with masks": with_mask,
    "one observation": one_at_a_time,
    "one observation with its mask": lambda one, mask: with_mask(one, mask) if one.ndim == 1 else None,
    "a value beside": lambda seen: (logits_of(seen), seen.sum(axis=1)),
    "a value before": lambda seen: (seen.sum(axis=1, keepdims=True), logits_of(seen)),
    "an object": lambda seen: SimpleNamespace(logits=logits_of(seen), loss=None),
    "an object for one": lambda one: SimpleNamespace(probs=one_at_a_time(one)),
    "a dictionary": lambda seen: {"probs": softmax_of(seen), "value": 0.0},
    "single precision": lambda seen: logits_of(seen).astype(np.float32).astype(np.float64),
    "a list": lambda one: one_at_a_time(one).tolist(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_function_is_measured_as_the_object(form: str) -> None:
    tolerance = 1e-6 if form == "single precision" else EXACT
    assert exploitability(BODEGA, FORMS[form]) == pytest.approx(EXPECTED, abs=tolerance)


def test_a_function_plays_like_every_player() -> None:
    agent = agents.as_agent(logits_of, BODEGA, seed=1)
    action, memory = agent.predict(BODEGA.observe(int(BODEGA.start_codes[0]), 0))
    assert 0 <= action < BODEGA.num_actions and memory is None
    assert evaluate(BODEGA, agent, AsObject(BODEGA)) == pytest.approx(0.0, abs=EXACT)


def test_a_function_may_choose_actions() -> None:
    assert exploitability(RPS, lambda seen: np.zeros(len(seen), np.int64)) == 1.0
    assert exploitability(RPS, lambda one: 1 if one.ndim == 1 else None) == 1.0
    with pytest.raises(UsageError, match="chooses action 3; actions are 0 to 2"):
        exploitability(RPS, lambda seen: np.full(len(seen), 3))


def test_a_function_of_one_hot_observations() -> None:
    from nashzoo.envs.core.one_hot import OneHotEncoding

    game = footsies_v0.game()
    width = OneHotEncoding(game).width

    def wide(seen: np.ndarray) -> np.ndarray:
        return seen @ np.tile(np.arange(4.0) - 2.0, (width, 1)) / 10

    uneven = np.exp(
        (np.arange(4.0) - 2.0) * OneHotEncoding(game).encode(game.observe(game.first_decision, 0)[None]).sum() / 10
    )
    assert agents.as_agent(wide, game).action_probabilities(  # type: ignore[attr-defined]
        game.observe(game.first_decision, 0)[None], np.ones((1, 4), np.int8)
    )[0] == pytest.approx(uneven / uneven.sum(), abs=1e-6)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda seen: np.full((len(seen), 3), 0.25),
            r"returns \[0.25, 0.25, 0.25\]: logits, or probabilities that are not div",
        ),
        (
            lambda seen: np.full((len(seen), 3), [3.0, 5.0, 0.0]),
            "logits, or probabilities that are not divided by their sum",
        ),
        (lambda seen: np.full((len(seen), 3), [1.5, -0.5, 0.0]), "logits, or probabilities that are negative"),
        (lambda seen: np.full((len(seen), 3), np.nan), "answers that are no numbers, or infinite"),
        (
            lambda seen: (seen[:, :3], seen[:, :3]),
            r"returned 2 arrays of shape \(\d+, 3\): its logits must be the only",
        ),
        (lambda seen: seen[:, 0], r"takes no observations of repeated_rps_v0, arrays of shape .*must return logits or"),
        (lambda seen: "rock", "must return logits or probabilities of shape .*, not a str"),
        (
            lambda seen: np.eye(3)[0] if seen.ndim == 1 else np.eye(3)[np.ones(len(seen), int)],
            "alone, and .* in a batch",
        ),
        (lambda: 0, "takes no observations of repeated_rps_v0"),
    ],
)
def test_what_may_be_either_or_is_neither_is_refused(function: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        exploitability(RPS, function)


@pytest.mark.parametrize(
    ("later", "outputs", "message"),
    [
        (np.nan, "logits", "returned logits that are no numbers, or infinite"),
        (np.inf, None, "returned logits that are no numbers, or infinite"),
        (-np.inf, None, "returned logits that are all minus infinity"),
        (0.2, None, "returned probabilities that add up to 0.6, not 1"),
    ],
)
def test_later_answers_of_another_kind_are_refused(later: float, outputs: str | None, message: str) -> None:
    """What is said at a sample of states is not what is said everywhere."""
    number = -1.0 if "logits" in message else 1 / 3

    def changing(seen: np.ndarray) -> np.ndarray:
        return np.full((len(seen), 3), number)

    agent = agents.as_agent(changing, RPS, **({"outputs": outputs} if outputs else {}))
    number = later
    with pytest.raises(UsageError, match=message):
        exploitability(RPS, agent)


def test_what_may_be_either_can_be_said() -> None:
    def ambiguous(seen: np.ndarray) -> np.ndarray:
        return np.tile([0.5, 0.25, 0.0], (len(seen), 1))

    agent = agents.as_agent(ambiguous, RPS, outputs="logits")
    chances = np.exp([0.5, 0.25, 0.0])
    rock, paper, scissors = chances / chances.sum()
    assert exploitability(RPS, agent) == pytest.approx(max(rock - paper, rock - scissors, 0.0), abs=1e-9)
    with pytest.raises(UsageError, match="outputs must be 'logits' or 'probabilities', not 'odds'"):
        agents.as_agent(ambiguous, RPS, outputs="odds")


def test_illegal_actions_of_a_function_that_gets_masks_are_an_error() -> None:
    game = tictactoe_v0.game()
    assert exploitability(game, lambda seen: np.full((len(seen), 9), 1 / 9)) > 0
    with pytest.raises(UsageError, match="must be a distribution over the legal actions"):
        exploitability(game, lambda seen, masks: np.full((len(seen), 9), 1 / 9))


def test_a_function_that_draws_is_refused_by_what_it_does() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(NoPolicyError, match="other probabilities when it is asked again"):
        exploitability(RPS, lambda seen: rng.dirichlet(np.ones(3), len(seen)))


class TestPairs:
    def test_a_policy_for_each_seat(self) -> None:
        rock, paper = (lambda seen, k=k: np.eye(3)[np.full(len(seen), k)] for k in (0, 1))
        assert nash_conv(RPS, (rock, paper)) == nash_conv(RPS, rock, paper) == 2.0
        assert exploitability(RPS, [rock, paper], player=1) == 1.0

    def test_as_one_player(self) -> None:
        game = tictactoe_v0.game()
        pair = agents.make("perfect", game), agents.make("random", game)
        agent = agents.as_agent(pair, game)
        assert exploitability(game, agent, player=0) == 0.0
        random = exploitability(game, pair[1], player=1)
        assert exploitability(game, agent, player=1) == pytest.approx(random, abs=EXACT)
        with pytest.raises(UsageError, match="both seats of repeated_rps_v0 observe the same"):
            agents.as_agent((lambda seen: seen, lambda seen: seen), RPS)


class NotAPolicy:
    pass


class Predicts:
    def predict(self, observations: Any) -> Any:
        return 0


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (NotAPolicy(), "NotAPolicy has no action_probabilities.*a policy is an object with these, a function of"),
        (NotAPolicy, "a policy is an object; NotAPolicy is a class"),
        (Predicts(), r"Predicts has no action_probabilities.*but predict\(\), which says no probabilities"),
        ("nash", "a policy is an object, not a name"),
        (np.full((3, 4), 0.25), "a ndarray does not say what .* dictionary of rows of 4 .* such as 'blocks0=3,"),
        ([[0.5, 0.5, 0, 0]], "a list does not say what .* dictionary of rows of 4 .* such as 'blocks0=3,"),
        ([0.5, 0.5], "a float does not say what the player sees"),
        (None, "the policy is None"),
        ((None, None), "the policy is None"),
        (agents.make("bayesian", footsies_v0.game()), "bayesian chooses by more than the state"),
    ],
)
def test_the_rest_is_refused_by_what_it_is(thing: Any, message: str) -> None:
    with pytest.raises(NoPolicyError, match=message):
        exploitability(footsies_v0.game(), thing)


def test_none_is_no_policy_in_any_measure() -> None:
    """It would be a player who is free to choose, and the figure that of another question."""
    game = footsies_v0.game()
    random = agents.make("random", game)
    for measure in (
        lambda: evaluate(game, random, None),
        lambda: evaluate(game, None, random),
        lambda: best_response(game, None, 0),
        lambda: secured(game, None),
        lambda: nash_conv(game, None),
    ):
        with pytest.raises(NoPolicyError, match="the policy is None"):
            measure()


def test_an_array_is_no_player_either() -> None:
    with pytest.raises(UsageError, match="a ndarray does not say what the player sees"):
        agents.as_agent(np.full(4, 0.25), footsies_v0.game())


class TestNetworks:
    """Modules of PyTorch are logits by convention, unless all that they return are distributions."""

    @pytest.mark.slow
    def test_outputs(self) -> None:
        torch = pytest.importorskip("torch")
        linear = torch.nn.Linear(BODEGA.num_features, BODEGA.num_actions).double()
        with torch.no_grad():
            linear.weight.copy_(torch.tensor(WEIGHTS.T))
            linear.bias.fill_(-1.0)

        class Other(torch.nn.Module):  # type: ignore[misc]
            def __init__(self, form: Any) -> None:
                super().__init__()
                self.linear, self.form = linear, form

            def forward(self, seen: Any) -> Any:
                return self.form(self.linear(seen))

        forms = [
            lambda logits: logits,
            lambda logits: torch.softmax(logits, dim=1),
            lambda logits: (logits, logits.sum(dim=1)),
            lambda logits: torch.distributions.Categorical(logits=logits),
            lambda logits: torch.distributions.Categorical(probs=torch.softmax(logits, dim=1)),
            lambda logits: SimpleNamespace(logits=logits, loss=None),
        ]
        for form in forms:
            assert exploitability(BODEGA, Other(form)) == pytest.approx(EXPECTED, abs=1e-9)
        assert (
            agents.as_agent(Other(forms[1]), BODEGA).predict(BODEGA.observe(int(BODEGA.start_codes[0]), 0))[1] is None
        )


def test_names_are_believed_before_numbers() -> None:
    answer = answer_of({"logits": np.array([[0.5, 0.5]])}, (1, 2), "it")
    assert kind_of(answer, "it") == "logits"
    assert kind_of(answer_of(np.array([[0.5, 0.5]]), (1, 2), "it"), "it") == "probabilities"
