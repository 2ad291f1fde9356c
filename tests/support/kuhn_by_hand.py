"""Kuhn poker from Kuhn (1950) alone: equilibria, values and best responses by enumeration of pure strategies."""

import itertools
from collections.abc import Mapping

import numpy as np

CARDS = "012"
OWN = {
    0: [f"{card}{past}" for card in CARDS for past in ("", "pb")],
    1: [f"{card}{past}" for card in CARDS for past in "pb"],
}
Table = Mapping[str, float]  # the probability of a bet at each information set


def family(alpha: float, call: float | None = None, king: float | None = None) -> dict[str, float]:
    """Returns Kuhn's equilibria: the first player bets the lowest card with probability ``alpha``, at most 1/3."""
    first = {"0": alpha, "1": 0.0, "2": 3 * alpha if king is None else king}
    later = {"0pb": 0.0, "1pb": alpha + 1 / 3 if call is None else call, "2pb": 1.0}
    return first | later | {"0p": 1 / 3, "1p": 0.0, "2p": 1.0, "0b": 0.0, "1b": 1 / 3, "2b": 1.0}


def value(table: Table, other: Table) -> float:
    """Returns what the first player expects to win, in antes."""
    total = 0.0
    for mine, theirs in itertools.permutations(CARDS, 2):
        sign = 1 if mine > theirs else -1
        bets, called = table[mine], other[f"{theirs}b"]
        stolen, calls = other[f"{theirs}p"], table[f"{mine}pb"]
        after_bet = called * 2 * sign + (1 - called)
        after_pass = (1 - stolen) * sign + stolen * (calls * 2 * sign - (1 - calls))
        total += (bets * after_bet + (1 - bets) * after_pass) / 6
    return total


def pure(player: int, kept: Table | None = None) -> list[dict[str, float]]:
    """Returns a player's pure strategies, with some probabilities kept as they are."""
    free = [key for key in OWN[player] if key not in (kept or {})]
    return [
        dict(zip(free, bets, strict=True)) | dict(kept or {})
        for bets in itertools.product((0.0, 1.0), repeat=len(free))
    ]


def best_responses(table: Table) -> tuple[float, float]:
    """Returns the most that each player wins from a table."""
    return max(value(one, table) for one in pure(0)), max(-value(table, one) for one in pure(1))


def payoffs(player: int, kept: Table) -> np.ndarray:
    """Returns the matrix of pure strategies to the player who plays some information sets as ``kept``."""
    rows, columns = pure(player, kept), pure(1 - player)
    pairs = [[(one, other) if player == 0 else (other, one) for other in columns] for one in rows]
    return np.array([[(1 - 2 * player) * value(*pair) for pair in line] for line in pairs])


def rows(table: Table) -> dict[str, list[float]]:
    """Returns the probabilities of a pass and a bet."""
    return {key: [1 - bet, bet] for key, bet in table.items()}
