"""Pairs of random neural networks of 64 x 64 units, whose last layer is sharpened by 1, 10, 100 or 1000.

In the small games the library and the study use the same tables of the networks' policies. On the whole field the
library evaluates the networks themselves, and the seconds include this; there is no reference.
"""

from functools import cache
from typing import Any

import numpy as np
import torch
from torch import nn

from nashzoo.baselines import ListedStates
from nashzoo.baselines.policies.tabular import tabulate
from nashzoo.envs import Game, soccer_v0
from studies.values import footsies as in_footsies
from studies.values import policies
from studies.values import soccer as in_soccer
from studies.values.trials import Trial

UNITS = 64
SHARPNESS = 1.0, 10.0, 100.0, 1000.0


def layer(rng: np.random.Generator, inputs: int, outputs: int, factor: float = 1.0) -> nn.Linear:
    """Returns a layer with PyTorch's initialisation, but numbers from ``rng``, times a factor."""
    made = nn.Linear(inputs, outputs)
    with torch.no_grad():
        for weights in (made.weight, made.bias):
            numbers = factor * rng.uniform(-1.0, 1.0, tuple(weights.shape)) / np.sqrt(inputs)
            weights.copy_(torch.tensor(numbers, dtype=torch.float32))
    return made


def network(game: Game, rng: np.random.Generator, factor: float) -> nn.Module:
    """Returns a network from observations to logits."""
    return nn.Sequential(
        layer(rng, game.num_features, UNITS),
        nn.Tanh(),
        layer(rng, UNITS, UNITS),
        nn.Tanh(),
        layer(rng, UNITS, game.num_actions, factor),
    )


def network_pair(game: Game, rng: np.random.Generator) -> tuple[nn.Module, nn.Module]:
    """Returns two networks of the same sharpness."""
    factor = float(rng.choice(SHARPNESS))
    return network(game, rng, factor), network(game, rng, factor)


def tables(numbering: ListedStates, rng: np.random.Generator) -> tuple[Any, Any]:
    """Returns two networks as tables."""
    game = numbering.game
    pair: tuple[Any, Any] = network_pair(game, rng)
    found = (tabulate(game, net, numbering.codes, seat) for net, seat in zip(pair, policies.seats(game), strict=True))
    return policies.seated(numbering, *found)


def footsies(rng: np.random.Generator) -> Trial:
    """Returns a pair in default Footsies."""
    return in_footsies.trial(None, tables(in_footsies.numbering(), rng))


def soccer(rng: np.random.Generator) -> Trial:
    """Returns a pair in soccer on 11 x 3 cells."""
    return in_soccer.trial(in_soccer.Start.LINED_UP, tables(in_soccer.numbering(in_soccer.Start.LINED_UP), rng))


@cache
def field() -> Game:
    """Returns the whole field."""
    return soccer_v0.game()


def whole_field(rng: np.random.Generator) -> Trial:
    """Returns a pair on the whole field, without a reference."""
    return Trial(field(), network_pair(field(), rng), None, lambda: None, lambda: None)
