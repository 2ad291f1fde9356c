"""Models of Stable-Baselines3 and sb3-contrib as players, and as policies that can be measured exactly."""

import contextlib
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np

try:
    import torch
    from sb3_contrib import QRDQN, MaskablePPO, RecurrentPPO
    from stable_baselines3 import A2C, DQN, PPO
    from stable_baselines3.common.base_class import BaseAlgorithm
except ImportError as error:
    raise ImportError("models of Stable-Baselines3 need it installed: pip install 'nashzoo[train]'") from error

from nashzoo.envs.agent import Agent, PositionAgent, sample, uniform_over
from nashzoo.envs.face import observation_box
from nashzoo.envs.game import Features, Floats, Game, Ints, Mask

CHUNK = 4096  # observations that go through a network at once; what its layers yield stays in the cache

ALGORITHMS: dict[str, type[BaseAlgorithm]] = {
    "ppo": PPO,
    "a2c": A2C,
    "dqn": DQN,
    "qrdqn": QRDQN,
    "maskable_ppo": MaskablePPO,
    "recurrent_ppo": RecurrentPPO,
}

# Which algorithms a policy's module belongs to; of two, the second has no clipping range.
POLICY_MODULES = {
    "stable_baselines3.common.policies": ("ppo", "a2c"),
    "stable_baselines3.dqn.policies": ("dqn",),
    "sb3_contrib.qrdqn.policies": ("qrdqn",),
    "sb3_contrib.common.maskable.policies": ("maskable_ppo",),
    "sb3_contrib.common.recurrent.policies": ("recurrent_ppo",),
}


class ModelAgent(PositionAgent):
    """A model without memory: PPO, A2C, MaskablePPO, DQN, QRDQN.

    PPO, A2C and MaskablePPO play the distribution they have learned. DQN and QRDQN play the action of the highest
    value, without the exploration of their training. Models that cannot take masks are helped: illegal actions
    are left out, and the others' probabilities scaled up to 1.

    Args:
        model: The model; it may go on learning, the player follows.
        game: The game.
        seed: As for every player.

    Raises:
        ValueError: the model was made for another game.
        TypeError: no action probabilities can be read from a model of this kind.
    """

    def __init__(self, model: BaseAlgorithm, game: Game, seed: int | None = None) -> None:
        super().__init__(game, seed)
        _check_spaces(model, game)
        if not isinstance(model, PPO | A2C | MaskablePPO | DQN | QRDQN):
            recurrent = isinstance(model, RecurrentPPO)
            why = "it remembers more than the position" if recurrent else "its policy is not known here"
            raise TypeError(f"a {type(model).__name__} model has no action probabilities by position: {why}")
        self.model = model

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]``."""
        out = np.empty(action_masks.shape)
        self.model.policy.set_training_mode(False)
        with torch.no_grad(), _one_thread():
            for first in range(0, len(observations), CHUNK):
                rows = slice(first, first + CHUNK)
                seen, masks = _tensor(self.model, observations[rows]), action_masks[rows]
                out[rows] = _legal_alone(_probabilities(self.model, seen, masks), masks)
        return out


class RecurrentModelAgent(Agent):
    """A RecurrentPPO model. It remembers, so it plays but has no probabilities by position.

    Memory: the network's two states ``[layers * width]`` each.

    Args:
        model: The model; it may go on learning, the player follows.
        game: The game.
        seed: As for every player.

    Raises:
        ValueError: the model was made for another game.
    """

    def __init__(self, model: RecurrentPPO, game: Game, seed: int | None = None) -> None:
        super().__init__(game, seed)
        _check_spaces(model, game)
        self.model = model
        self._policy = cast(Any, model.policy)
        shape: tuple[int, int, int] = self._policy.lstm_hidden_state_shape
        self._layers, _, self._width = shape
        self.memory_size = 2 * self._layers * self._width

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Draws from the distribution that the network has arrived at."""
        probabilities, memory = self._step(observations, memory, masks)
        return sample(probabilities, uniforms[:, 0]), memory

    def likeliest(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Ints, Floats]:
        """Chooses the likeliest action."""
        probabilities, memory = self._step(observations, memory, masks)
        return probabilities.argmax(axis=1), memory

    def _step(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Floats, Floats]:
        tables = len(observations)
        by_layer = memory.reshape(tables, 2, self._layers, self._width).transpose(1, 2, 0, 3)
        self._policy.set_training_mode(False)
        with torch.no_grad():
            states = _tensor(self.model, by_layer)
            # Zeros are a fresh start to the network too, so no row needs to be marked as one.
            starts = _tensor(self.model, np.zeros(tables))
            seen = _tensor(self.model, observations)
            distribution, after = self._policy.get_distribution(seen, (states[0], states[1]), starts)
            probabilities = distribution.distribution.probs.cpu().numpy().astype(np.float64)
            later = torch.stack(after).cpu().numpy().astype(np.float64)
        return _legal_alone(probabilities, masks), later.transpose(2, 0, 1, 3).reshape(memory.shape)


def wrap(model: BaseAlgorithm, game: Game, seed: int | None = None) -> Agent:
    """Returns the player that a model is.

    Raises:
        ValueError: the model was made for another game.
        TypeError: models of this kind cannot play here.
    """
    if isinstance(model, RecurrentPPO):
        return RecurrentModelAgent(model, game, seed)
    return ModelAgent(model, game, seed)


def load(path: str | Path, game: Game, seed: int | None = None, algorithm: str | None = None) -> Agent:
    """Returns the player that a saved model is.

    Loading a model runs code that whoever wrote the file put there: load none that you do not trust.

    Args:
        path: The file, as ``model.save`` wrote it.
        game: The game.
        seed: As for every player.
        algorithm: Which algorithm's model it is, a key of ``ALGORITHMS``; read from the file when None.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is no saved model, its algorithm is not known, or it was made for another game.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    if algorithm is None:
        algorithm = algorithm_of(path)
    if algorithm not in ALGORITHMS:
        raise ValueError(f"there is no algorithm {algorithm!r}; the algorithms are {', '.join(ALGORITHMS)}")
    return wrap(ALGORITHMS[algorithm].load(path), game, seed)


def algorithm_of(path: str | Path) -> str:
    """Returns which algorithm's model a file holds, a key of ``ALGORITHMS``; runs none of the file's code.

    Raises:
        ValueError: the file is no saved model, or the policy's class is not one of the algorithms' own.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            data = json.loads(archive.read("data"))
        module = data["policy_class"]["__module__"]
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a model that Stable-Baselines3 saved") from error
    if module not in POLICY_MODULES:
        raise ValueError(f"{path} has a policy of its own from {module}; say which algorithm: {', '.join(ALGORITHMS)}")
    candidates = POLICY_MODULES[module]
    return candidates[0] if "clip_range" in data else candidates[-1]


def _check_spaces(model: BaseAlgorithm, game: Game) -> None:
    wanted = observation_box(game)
    if model.observation_space != wanted:
        raise ValueError(f"the model sees {model.observation_space}; {game.name} with its parameters shows {wanted}")
    actions = getattr(model.action_space, "n", None)
    if actions != game.num_actions:
        raise ValueError(f"the model's actions are {model.action_space}; {game.name} has {game.num_actions}")


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Has networks computed on the calling thread: small ones are slower on more, which wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _tensor(model: BaseAlgorithm, array: Floats | Features) -> torch.Tensor:
    return torch.tensor(np.ascontiguousarray(array), dtype=torch.float32, device=model.device)


def _probabilities(model: Any, seen: torch.Tensor, masks: Mask) -> Floats:
    """Returns action probabilities ``[B, actions]``, perhaps some for illegal actions."""
    if isinstance(model, DQN):
        return _greedy(model.policy.q_net(seen), masks)
    if isinstance(model, QRDQN):
        return _greedy(model.policy.quantile_net(seen).mean(dim=1), masks)
    known = (seen, masks) if isinstance(model, MaskablePPO) else (seen,)
    probabilities: Floats = model.policy.get_distribution(*known).distribution.probs.cpu().numpy().astype(np.float64)
    return probabilities


def _greedy(values: torch.Tensor, masks: Mask) -> Floats:
    best = np.where(masks, values.cpu().numpy(), -np.inf).argmax(axis=1)
    chosen: Floats = np.eye(masks.shape[1])[best]
    return chosen


def _legal_alone(probabilities: Floats, masks: Mask) -> Floats:
    legal = probabilities * masks
    total = legal.sum(axis=1, keepdims=True)
    # A network may be sure of an illegal action, up to the last bit of its probabilities.
    normalised: Floats = np.where(total > 0, legal / np.where(total > 0, total, 1.0), uniform_over(masks))
    return normalised
