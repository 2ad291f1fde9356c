"""Neural networks as policies: the probabilities of Stable-Baselines3's models and PyTorch's modules.

This module is imported only after PyTorch, which a caller with a network has loaded.
"""

import contextlib
import copy
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import nn

from nashzoo.baselines.policies.outputs import (
    LOGITS,
    OUTPUTS,
    answer_of,
    array_of,
    checked_softmax,
    greedy,
    kind_of,
    some_decisions,
)
from nashzoo.envs.api.pettingzoo_base import observation_box
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.threads import processors, side_by_side
from nashzoo.envs.base.words import in_one_line
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.checks import check_one_of
from nashzoo.envs.core.environment_encoding import Encoding, encodings, environment_encodings
from nashzoo.envs.core.game import Features, Floats, Game, Mask
from nashzoo.envs.core.one_hot import one_hot_or_none, translated

_box = lru_cache(8)(observation_box)  # to compare with
ROWS = 16  # a batch has a multiple of so many: with one to three, sums of a layer are in another order
CHUNK = 4096  # observations per forward pass; the results of its layers stay in the processor's cache


class NetworkPolicy:
    """A network, with its probabilities of actions.

    Stochastic policies of Stable-Baselines3, such as PPO's, A2C's and MaskablePPO's, play their learned distribution.
    DQN and QRDQN play the action of the highest value, without the exploration of their training. A
    module of PyTorch takes observations ``[B, features]`` and returns logits ``[B, actions]``, alone, with a value, or
    as ``logits`` of an object; or probabilities, if all that it returns at a sample of states are distributions. If a
    network does not accept masks, illegal actions are left out, and the other probabilities are normalised to 1.
    Networks for one-hot observations get these: models of Stable-Baselines3 have the width in their observation space;
    with modules of PyTorch both kinds are tried, first a compact observation.

    Logits, or the values of actions, are computed in the precision of the network's weights, which usually is single.
    On a processor their last bits do not depend on how many observations it gets at once, if the layers take multiples
    of 4 numbers or return more than 10. All else is in double precision.

    Args:
        network: A model of Stable-Baselines3, the policy of one, or a ``torch.nn.Module``; it may continue to learn.
        outputs: What a module of PyTorch returns, ``"logits"`` or ``"probabilities"``; found out when None.

    Raises:
        UsageError: the network was made for another game.
        NoPolicyError: it remembers more than the state, or no probabilities can be read from a network of this kind.
    """

    def __init__(self, network: Any, game: Game, *, outputs: str | None = None) -> None:
        model = not isinstance(network, nn.Module)
        name = getattr(network, "original_name", type(network).__name__)  # of what became TorchScript
        self.name = f"the {name} model" if model else name
        self.game = game
        self.module: Any = network.policy if model else network
        says = hasattr(self.module, "observation_space")
        self._encoding = check_spaces(network, game) if says else None
        why = None
        if any(isinstance(part, nn.RNNBase | nn.RNNCellBase) for part in self.module.modules()):
            why = "it remembers more than the state"
        elif says and not any(hasattr(self.module, way) for way in ("get_distribution", "q_net", "quantile_net")):
            why = "its policy is not known here"
        if why is not None:
            raise NoPolicyError(f"{self.name} has no action probabilities by state: {why}")
        self.outputs = LOGITS if outputs is None else check_one_of("outputs", outputs, OUTPUTS)
        start = game.observe(game.first_decision, 0)[None]
        for encoding in () if says else encodings(game):
            if self._takes(translated(game, start, encoding)):
                self._encoding = encoding
                if outputs is None:
                    seen, masks = some_decisions(game)
                    with torch.no_grad(), one_thread(), _evaluated(self.module):
                        said = self._returned(self.module, tensor(self.module, translated(game, seen, encoding)))
                    self.outputs = kind_of(answer_of(said, masks.shape, self.name), self.name, LOGITS)
                break

    def _takes(self, observations: Features) -> bool:
        """Returns whether the module accepts such observations."""
        try:
            with torch.no_grad(), _evaluated(self.module):
                self.module(tensor(self.module, observations))
        except (RuntimeError, TypeError):
            return False
        return True

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]`` at compact or one-hot observations ``[B, width]``.

        Raises:
            UsageError: the network does not accept the game's observations, or does not return logits.
        """
        out = np.empty(action_masks.shape)

        chunks = range(0, len(observations), CHUNK)
        waiting = iter(chunks)

        def answer(module: Any) -> None:
            with torch.no_grad(), one_thread():
                for first in waiting:
                    rows = np.arange(first, min(first + CHUNK, len(out)))
                    padded = np.r_[rows, np.repeat(rows[-1:], -len(rows) % ROWS)]
                    seen = translated(self.game, observations[padded], self._encoding)
                    answers = self._probabilities(module, tensor(module, seen), action_masks[padded])
                    out[rows] = answers[: len(rows)]

        with one_thread(), _evaluated(self.module):
            number = min(processors(), len(chunks)) if len(chunks) > 1 else 0
            side_by_side(answer, _copies(self.module, number) or [self.module])
        return out

    def _probabilities(self, module: Any, seen: torch.Tensor, masks: Mask) -> Floats:
        if hasattr(module, "q_net"):
            return greedy(np.where(masks, array_of(module.q_net(seen)), -np.inf))
        if hasattr(module, "quantile_net"):
            return greedy(np.where(masks, array_of(module.quantile_net(seen).mean(dim=1)), -np.inf))
        if hasattr(module, "get_distribution"):  # also with masks illegal actions are left out later
            said = module.get_distribution(seen).distribution
        else:
            said = self._returned(module, seen)
        answer = answer_of(said, masks.shape, self.name)
        return checked_softmax(answer.numbers, masks, self.name, answer.kind or self.outputs)

    def _returned(self, module: Any, seen: torch.Tensor) -> Any:
        try:
            return module(seen)
        except (RuntimeError, TypeError) as error:
            raise UsageError(
                f"{self.name} cannot take observations of {self.game.name}, a tensor of shape {tuple(seen.shape)}: "
                f"{in_one_line(error)}"
            ) from error


def check_spaces(network: Any, game: Game) -> Encoding:
    """Checks that a model or policy of Stable-Baselines3 was made for a game.

    Models of ``nashzoo train`` contain the game and its parameters; of other models the observation space is checked.

    Returns:
        The encoding of its observations; None for compact ones.

    Raises:
        UsageError: it was made for another game, or for other observations or actions.
    """
    made_for = getattr(network, "made_for", None)
    if made_for not in (None, repr(game)):
        raise UsageError(f"the model was made for {made_for}, not for {game!r}")
    encoding = _encoding_seen(network.observation_space, game)
    actions = getattr(network.action_space, "n", None)
    if actions != game.num_actions:
        raise UsageError(f"the model's actions are {network.action_space}; {game.name} has {game.num_actions}")
    return encoding


def _encoding_seen(space: Any, game: Game) -> Encoding:
    """Returns the encoding of observations of a space.

    Raises:
        UsageError: the game's observations have another space, whether they are compact or one-hot.
    """
    wanted, encoding = _box(game), one_hot_or_none(game)
    if space == wanted:
        return None
    if own := [own for own in environment_encodings(game) if own.fits(space)]:
        return own[0]
    one_hot = "" if encoding is None else f", or {_box(game, encoding)} if one-hot"
    if encoding is None or space != _box(game, encoding):
        raise UsageError(f"the model sees {space}; {game.name} with its parameters shows {wanted}{one_hot}")
    return encoding


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Limits PyTorch to the calling thread: small networks are slower on several, which wait for each other.

    Sums are then always computed in the same order, too.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _FastTanh(nn.Tanh):
    """NumPy's hyperbolic tangent: with an error of about a unit in the last place, like PyTorch's, in less time."""

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        if torch.is_grad_enabled() or not values.is_cpu or values.dtype not in (torch.float32, torch.float64):
            return super().forward(values)
        return torch.from_numpy(np.tanh(values.detach().numpy()))


@contextlib.contextmanager
def _evaluated(module: nn.Module) -> Iterator[None]:
    """Sets a network to evaluation mode, without dropout, and quickly."""
    trained = [part for part in module.modules() if part.training]
    slow: list[nn.Module] = [part for part in module.modules() if type(part) is nn.Tanh]
    if trained:
        module.eval()
    for tanh in slow:
        tanh.__class__ = _FastTanh
    try:
        yield
    finally:
        for part in trained:
            part.training = True
        for tanh in slow:
            tanh.__class__ = nn.Tanh


def _copies(module: Any, number: int) -> list[Any]:
    """Returns copies of a network for threads, as it may remember what it has answered; none if it cannot be copied.

    The distribution that it remembers after training cannot be copied with all that led to it.
    """
    last = getattr(module, "action_dist", None)
    try:
        return [copy.deepcopy(module, {id(last): copy.copy(last)}) for _ in range(number)]
    except (RuntimeError, TypeError):
        return []


def tensor(module: nn.Module, array: Floats | Features) -> torch.Tensor:
    """Returns an array as a tensor for the network."""
    weights = next(module.parameters(), torch.empty(0))
    return torch.tensor(np.ascontiguousarray(array), dtype=weights.dtype, device=weights.device)
