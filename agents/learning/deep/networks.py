"""Networks with one-hot inputs, and the state of networks and optimizer as arrays."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.optim.adam import adam  # torch.optim.Adam imports PyTorch's compiler, which takes two seconds

from nashzoo.baselines.policies.networks import one_thread
from nashzoo.envs.base.threads import processors, side_by_side
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.one_hot import OneHotPlaces
from nashzoo.envs.jit.compiled import Features, Ints, compiled
from nashzoo.envs.jit.numba import float32, int64, void

ILLEGAL = -1e9  # in the place of an illegal action's logit
CHUNK = 1024  # states evaluated at once; the outputs of layers fit into the processor's cache
MOMENTS = "exp_avg", "exp_avg_sq"  # of Adam: the means of gradients and of their squares
PARTS = 2  # of a batch, each with a gradient of its own; always as many, so that rounding does not depend on processors


@compiled(void(int64[:, ::1], float32[:, ::1], float32[::1], float32[:, ::1]))
def _sum_rows(places: Ints, weight: Features, bias: Features, out: Features) -> None:
    """Fills ``out`` ``[B, units]``: the bias plus the rows of the weights ``[N, units]`` at ``places`` ``[B, n]``."""
    units = out.shape[1]
    for i in range(len(places)):
        for j in range(units):
            out[i, j] = bias[j]
        for k in range(places.shape[1]):
            row = places[i, k]
            for j in range(units):
                out[i, j] += weight[row, j]


@compiled(void(int64[:, ::1], float32[:, ::1], float32[:, ::1]))
def _add_to_rows(places: Ints, gradient: Features, total: Features) -> None:
    """Adds each row of ``gradient`` ``[B, units]`` to the rows of ``total`` ``[N, units]`` at ``places`` ``[B, n]``."""
    units = total.shape[1]
    for i in range(len(places)):
        for k in range(places.shape[1]):
            row = places[i, k]
            for j in range(units):
                total[row, j] += gradient[i, j]


class _SumOfRows(torch.autograd.Function):
    """The sum of rows of weights, which is several times faster than PyTorch's ``embedding_bag``."""

    @staticmethod
    def forward(context: Any, places: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        context.save_for_backward(places)
        context.shape = weight.shape
        out = np.empty((len(places), len(bias)), np.float32)
        _sum_rows(places.numpy(), weight.detach().numpy(), bias.detach().numpy(), out)
        return torch.from_numpy(out)

    @staticmethod
    def backward(context: Any, *gradients: torch.Tensor) -> tuple[None, torch.Tensor, torch.Tensor]:
        (places,), (gradient,) = context.saved_tensors, gradients
        total = np.zeros(context.shape, np.float32)
        _add_to_rows(places.numpy(), gradient.numpy(), total)
        total[-1] = 0.0  # padding
        return None, torch.from_numpy(total), gradient.sum(dim=0)


class _RowSum(nn.Module):
    """A linear layer of one-hot observations, which are given by the indices of their ones."""

    def __init__(self, width: int, units: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width + 1, units))  # the last row is the padding
        self.bias = nn.Parameter(torch.zeros(units))

    def forward(self, places: torch.Tensor) -> torch.Tensor:
        total: torch.Tensor = _SumOfRows.apply(places, self.weight, self.bias)  # type: ignore[no-untyped-call]
        return total


class Network(nn.Module):
    """Linear layers with rectifiers between, from observations to numbers; its initial output is 0.

    Its inputs are one-hot observations, with the pairs of values of fields that the rules compare; or compact
    observations, if the rules do not define the values of their numbers.

    Args:
        hidden: Units of each hidden layer.
        outputs: Number of outputs.
        rng: Generator of the initial weights, instead of PyTorch's global one.
        views: Number of observations in an input, one after the other.

    Source: He et al. (2015), "Delving deep into rectifiers", for the initial weights.
    """

    def __init__(
        self, game: Game, hidden: Sequence[int], outputs: int, rng: np.random.Generator, views: int = 1
    ) -> None:
        super().__init__()
        self._one_hot = None if game.levels is None else OneHotPlaces(game)
        self.outputs, self._views = outputs, views
        one_hot, layers = self._one_hot, list[nn.Module]()
        if one_hot is None:
            layers.append(_linear(views * game.num_features, hidden[0], rng))
        else:
            width, ones = views * one_hot.end, views * one_hot.num_places
            first = _RowSum(width, hidden[0])
            with torch.no_grad():
                first.weight[:-1] = _normal((width, hidden[0]), np.sqrt(2.0 / ones), rng)
            layers.append(first)
        for inputs, units in itertools.pairwise(hidden):
            layers += [nn.ReLU(), _linear(inputs, units, rng)]
        last = nn.Linear(hidden[-1], outputs)
        with torch.no_grad():
            last.weight.zero_()
            last.bias.zero_()
        self.layers = nn.Sequential(*layers, nn.ReLU(), last)

    def forward(self, observations: Features) -> torch.Tensor:
        """Returns numbers ``[B, outputs]`` for observations ``[B, views * features]``."""
        numbers: torch.Tensor = self.layers(torch.from_numpy(self._seen(observations)))
        return numbers

    def _seen(self, observations: Features) -> NDArray[Any]:
        if self._one_hot is None:
            return observations
        if self._views == 1:
            return self._one_hot.places(observations)
        end, parts = self._one_hot.end, np.split(observations, self._views, axis=1)
        places = [self._one_hot.places(part) for part in parts]
        nothing = self._views * end
        return np.hstack([np.where(own == end, nothing, own + view * end) for view, own in enumerate(places)])

    def evaluated(self, observations: Features) -> NDArray[np.float32]:
        """Returns the same as an array, without gradients, computed on all processors; the result is that of one."""
        numbers = np.empty((len(observations), self.outputs), np.float32)
        chunks = range(0, len(observations), CHUNK)

        def fill(part: range) -> None:
            with torch.inference_mode(), one_thread():
                for first in part:
                    numbers[first : first + CHUNK] = self(observations[first : first + CHUNK]).numpy()

        number = min(processors(), len(chunks)) or 1  # threads; to wake one takes as long as to evaluate a chunk
        with one_thread():
            side_by_side(fill, [chunks[thread::number] for thread in range(number)])
        return numbers

    def arrays(self, name: str) -> dict[str, NDArray[np.float32]]:
        """Returns the weights by layer, not copies: writing into them changes the network."""
        return {f"{name}_{number}": weights.data.numpy() for number, weights in enumerate(self.parameters())}


def _normal(shape: tuple[int, int], deviation: float, rng: np.random.Generator) -> torch.Tensor:
    return torch.from_numpy((deviation * rng.standard_normal(shape)).astype(np.float32))


def _linear(inputs: int, units: int, rng: np.random.Generator) -> nn.Linear:
    layer = nn.Linear(inputs, units)
    with torch.no_grad():
        layer.weight.copy_(_normal((units, inputs), np.sqrt(2.0 / inputs), rng))
        layer.bias.zero_()
    return layer


def log_softmax(logits: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Returns the logarithms of the probabilities ``[B, actions]`` of logits; of illegal actions a very low number."""
    return torch.log_softmax(logits.masked_fill(~legal, ILLEGAL), dim=1)


class Trainer:
    """Adam, with an average of the latest weights.

    Args:
        network: The network to train.
        mean: A network of the same shape, for the average.
        polyak: Factor of the average in every step.

    Sources: Kingma and Ba (2015), "Adam"; Polyak and Juditsky (1992) for the mean of weights.
    """

    def __init__(self, network: Network, mean: Network, polyak: float) -> None:
        self._parameters = list(network.parameters())
        self._new = [weights.data for weights in self._parameters]
        self._mean = [weights.data for weights in mean.parameters()]
        self._share = 1.0 - polyak
        self._steps = [torch.zeros(()) for _ in self._new]
        self._moments = {name: [torch.zeros_like(weights) for weights in self._new] for name in MOMENTS}
        for to, value in zip(self._mean, self._new, strict=True):
            to.copy_(value)

    def step(self, loss_of: Callable[[Ints], torch.Tensor], rows: Ints, learning_rate: float) -> float:
        """Makes a gradient step on the mean loss of examples; returns the loss.

        Each part of the examples has a gradient of its own, computed on any processor; they are added in order.
        """
        parts = np.array_split(rows, min(PARTS, len(rows)))
        losses, gradients = np.empty(len(parts)), list[Sequence[torch.Tensor]]([()] * len(parts))

        def differentiate(numbers: range) -> None:
            with one_thread():
                for number in numbers:
                    loss = loss_of(parts[number]) * (len(parts[number]) / len(rows))
                    gradients[number] = torch.autograd.grad(loss, self._parameters)
                    losses[number] = loss.item()

        side_by_side(differentiate, [range(len(parts))[thread :: processors()] for thread in range(processors())])
        added = [sum(others, first) for first, *others in zip(*gradients, strict=True)]
        means, squares = (self._moments[name] for name in MOMENTS)
        adam(
            self._new, added, means, squares, [], self._steps, fused=True, amsgrad=False, beta1=0.9, beta2=0.999,
            lr=learning_rate, weight_decay=0.0, eps=1e-8, maximize=False,
        )  # fmt: skip
        torch._foreach_lerp_(self._mean, self._new, self._share)
        return float(losses.sum())

    def fit(
        self,
        loss_of: Callable[[Ints], torch.Tensor],
        count: int,
        batch_size: int,
        rate: Callable[[int], float],
        fitted: int,
        rng: np.random.Generator,
    ) -> tuple[int, float]:
        """Fits to examples once each, in random order.

        Args:
            loss_of: The mean loss of the examples with the given numbers ``[batch_size]``.
            count: Number of examples; an incomplete last batch is left out.
            batch_size: Examples of each step.
            rate: The learning rate as a function of the number of fitted examples.
            fitted: Number of fitted examples so far.
            rng: Generator of the order.

        Returns:
            The new number of fitted examples, and the mean loss.
        """
        batch_size = min(batch_size, count)
        losses = []
        with one_thread():
            for rows in rng.permutation(count)[: count - count % batch_size].reshape(-1, batch_size):
                losses.append(self.step(loss_of, rows, rate(fitted)))
                fitted += len(rows)
        return fitted, float(np.mean(losses))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns the state of Adam: the number of steps, and the means of gradients and of their squares."""
        moments = {f"{name}_{k}": one.numpy() for name in MOMENTS for k, one in enumerate(self._moments[name])}
        return {"steps": np.array([float(self._steps[0])]), **moments}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Sets the state that :meth:`arrays` returned.

        Raises:
            KeyError: an array is missing.
            ValueError: an array has another shape than its weights.
        """
        for name in MOMENTS:
            for number, moment in enumerate(self._moments[name]):
                array = arrays[f"{name}_{number}"]
                if array.shape != tuple(moment.shape):
                    raise ValueError(f"{name}_{number} has the shape {array.shape}, not {tuple(moment.shape)}")
                moment.copy_(torch.tensor(array))
        for step in self._steps:
            step.fill_(float(arrays["steps"][0]))
