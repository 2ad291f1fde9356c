"""Models of Stable-Baselines3 and sb3-contrib as players, and as policies that can be measured exactly.

Models trained with one-hot observations are recognised by the width of their observations, and get such ones.
"""

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from nashzoo.envs.base.errors import MissingPackageError, UsageError

try:
    import torch
    from sb3_contrib import RecurrentPPO
    from stable_baselines3.common.base_class import BaseAlgorithm
except ImportError as error:
    raise MissingPackageError(
        "models of Stable-Baselines3 need it installed: pip install '.[train]' in nashzoo's folder"
    ) from error

from nashzoo.agents.basic.adapted import AdaptedAgent
from nashzoo.agents.learning.registry import models
from nashzoo.baselines.policies.networks import NetworkPolicy, check_spaces, tensor
from nashzoo.baselines.policies.outputs import softmax
from nashzoo.envs.core.agent import Agent, sample
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.one_hot import translated

M = TypeVar("M", bound=BaseAlgorithm)

PARTS = ("data", "policy.pth")  # of a saved model
REMOVED = "nashzoo.agents.learning.magnet", "nashzoo.agents.learning.maskable_magnet"  # modules of policies


class ModelAgent(AdaptedAgent):
    """A model without memory: PPO, A2C, MaskablePPO, DQN, QRDQN.

    Its probabilities are those of :class:`nashzoo.baselines.policies.networks.NetworkPolicy`.

    Args:
        model: The model, not copied: further training changes the player.

    Raises:
        UsageError: the model was made for another game.
        UsageTypeError: models of this kind have no action probabilities.
    """

    def __init__(self, model: BaseAlgorithm, game: Game, seed: int | None = None) -> None:
        super().__init__(NetworkPolicy(model, game), game, seed)
        self.model = model


class RecurrentModelAgent(Agent):
    """A RecurrentPPO model. It has a memory, so that it is no policy of the state alone.

    Memory: the network's two states ``[layers * width]`` each.

    Args:
        model: The model, not copied: further training changes the player.

    Raises:
        UsageError: the model was made for another game.
    """

    def __init__(self, model: RecurrentPPO, game: Game, seed: int | None = None) -> None:
        super().__init__(game, seed)
        self._encoding = check_spaces(model, game)
        self.model = model
        self._policy = cast(Any, model.policy)
        shape: tuple[int, int, int] = self._policy.lstm_hidden_state_shape
        self._layers, _, self._width = shape
        self.memory_size = 2 * self._layers * self._width

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Draws actions from the network's distribution."""
        probabilities, memory = self._step(observations, memory, masks)
        return sample(probabilities, uniforms[:, 0]), memory

    def likeliest(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Ints, Floats]:
        """Chooses the likeliest action."""
        probabilities, memory = self._step(observations, memory, masks)
        return probabilities.argmax(axis=1), memory

    def _step(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Floats, Floats]:
        num_games = len(observations)
        by_layer = memory.reshape(num_games, 2, self._layers, self._width).transpose(1, 2, 0, 3)
        self._policy.set_training_mode(False)
        with torch.no_grad():
            states = tensor(self._policy, by_layer)
            # The network too starts with zeros, so no row needs to be marked as a start.
            starts = tensor(self._policy, np.zeros(num_games))
            seen = tensor(self._policy, translated(self.game, observations, self._encoding))
            distribution, after = self._policy.get_distribution(seen, (states[0], states[1]), starts)
            logits = distribution.distribution.logits.cpu().numpy()
            later = torch.stack(after).cpu().numpy().astype(np.float64)
        return softmax(logits, masks), later.transpose(2, 0, 1, 3).reshape(memory.shape)


def wrap(model: BaseAlgorithm, game: Game, seed: int | None = None) -> Agent:
    """Returns a model as a player.

    Raises:
        UsageError: the model was made for another game.
        UsageTypeError: models of this kind cannot play here.
    """
    if isinstance(model, RecurrentPPO):
        return RecurrentModelAgent(model, game, seed)
    return ModelAgent(model, game, seed)


def load(path: str | Path, game: Game, seed: int | None = None, algorithm: str | None = None) -> Agent:
    """Returns a saved model as a player.

    Loading a model runs code from the file: load only files that you trust.

    Args:
        path: The file, as ``model.save`` wrote it.
        game: The game.
        seed: As for every player.
        algorithm: The algorithm of the model, as ``nashzoo train`` names it; read from the file when None.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: the file is no saved model, its algorithm is unknown, or it was made for another game.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    check_saved(path)
    if algorithm is None:
        algorithm = algorithm_of(path)
    if algorithm not in models():
        raise UsageError(f"there is no algorithm {algorithm!r}; the algorithms are {', '.join(models())}")
    return wrap(loaded(path, models()[algorithm].load()), game, seed)


def loaded(path: Path, kind: type[M], **options: Any) -> M:
    """Returns the model in a file, by ``kind.load``, which runs code from the file.

    Raises:
        UsageError: the file was not written by ``model.save``, or is damaged.
    """
    try:
        return kind.load(path, **options)
    except Exception as error:  # other pickles can raise anything
        cause = f"{type(error).__name__}: {error}".splitlines()[0]
        raise UsageError(f"{path} is not a model that Stable-Baselines3 saved, or is damaged: {cause}") from error


def check_saved(path: Path) -> None:
    """Checks that a file was written by ``model.save``, by its parts and their checksums.

    Raises:
        UsageError: it is another file, or damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip() or next((part for part in PARTS if part not in archive.namelist()), None)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, ValueError, EOFError, OSError) as error:
        raise UsageError(f"{path} is not a model that Stable-Baselines3 saved, or is damaged: {error}") from error
    if damaged is not None:
        raise UsageError(
            f"{path} is not a model that Stable-Baselines3 saved, or is damaged: its part {damaged} is not whole"
        )


def algorithm_of(path: str | Path) -> str:
    """Returns the algorithm of the model in a file, as :func:`load` takes it; runs no code from the file.

    Raises:
        UsageError: the file is no saved model, or the policy's class is not one of the algorithms' own.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            data = json.loads(archive.read("data"))
        module = data["policy_class"]["__module__"]
    except (zipfile.BadZipFile, KeyError, RecursionError, TypeError, ValueError) as error:
        raise UsageError(f"{path} is not a model that Stable-Baselines3 saved") from error
    if module in REMOVED:
        raise UsageError(f"{path} was trained with --magnet, by an earlier version of nashzoo, and no longer loads")
    candidates = [name for name, entry in models().items() if module in entry.modules]
    if not candidates:
        raise UsageError(f"{path} has a policy of its own from {module}; say which algorithm: {', '.join(models())}")
    return candidates[0] if "clip_range" in data else candidates[-1]  # of PPO and A2C, A2C has none
