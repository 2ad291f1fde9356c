"""All families of pairs."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from studies.values import bodega_brawl, footsies, graphs, networks, soccer
from studies.values.trials import Trial


class Family(NamedTuple):
    """One kind of pairs.

    Attributes:
        title: Its title in the table.
        draw: Returns a random pair; the same random numbers give the same pair.
    """

    title: str
    draw: Callable[[np.random.Generator], Trial]


FAMILIES = {
    "footsies": Family("Footsies", footsies.softmax),
    "footsies-anywhere": Family("Footsies, from any state", footsies.anywhere),
    "footsies-rare": Family("Footsies, rare chances", footsies.rare),
    "bodega-brawl": Family("Bodega Brawl, small", bodega_brawl.softmax),
    "soccer": Family("soccer 11 x 3", soccer.lined_up),
    "soccer-random": Family("soccer 11 x 3, random start", soccer.random_start),
    "soccer-anywhere": Family("soccer 11 x 3, from any state", soccer.anywhere),
    "graphs": Family("random graphs", graphs.at_the_end),
    "graphs-rewards": Family("random graphs, rewards on the way", graphs.on_the_way),
    "graphs-trembles": Family("graphs of 50 to 60 nodes, trembles", graphs.trembles),
    "chance-trembles": Family("the same, with chance", graphs.trembles_by_chance),
    "networks-footsies": Family("networks, Footsies", networks.footsies),
    "networks-soccer": Family("networks, soccer 11 x 3", networks.soccer),
    "networks-field": Family("networks, the whole soccer field", networks.whole_field),
}
