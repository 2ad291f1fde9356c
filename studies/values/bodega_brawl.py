"""Pairs in small Bodega Brawl, against backward induction in whole numbers, rounded outward."""

from functools import cache

import numpy as np

from nashzoo.baselines.states.indexed import numbering
from nashzoo.envs import bodega_brawl_v0
from studies.values import layers, policies
from studies.values.policies import Numbering
from studies.values.reference import Graph
from studies.values.trials import Trial


@cache
def graph() -> Graph:
    """Returns the reachable states."""
    return Graph(bodega_brawl_v0.game(preset="small"))


@cache
def numbers() -> Numbering:
    """Returns the library's numbers of the states, of which some are reachable."""
    return numbering(graph().game)


def softmax(rng: np.random.Generator) -> Trial:
    """Returns a pair with random logits."""
    pair = policies.softmax_pair(numbers(), rng)
    tables = [policies.rows(graph(), policy, player) for player, policy in enumerate(pair)]
    return Trial(
        graph().game,
        pair,
        policies.smallest(*tables),
        lambda: layers.value(graph(), tables[0], tables[1]),
        lambda: layers.best_response(graph(), tables[1], 0).mean_with(
            layers.best_response(graph(), tables[0], 1).negative()
        ),
    )
