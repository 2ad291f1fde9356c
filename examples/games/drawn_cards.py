"""Kuhn's poker with cards, bets and an order of the cards drawn by the seed: which card beats which may go in circles.

Each player pays 1 point and gets a card, which the other does not see. The moves are those of Kuhn poker. There are one
or two cards of each number, and each player has a bet of its own. All that is drawn is said by the rules in words.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.examples.kuhn import (
    ACTIONS,
    BET,
    BIT_FIELDS,
    FIELDS,
    PASS,
    SEEN_BY,
    State,
    event,
    start,
    step,
    terminal,
    text,
    turn,
)

__all__ = ["ACTIONS", "BIT_FIELDS", "FIELDS", "SEEN_BY", "event", "start", "step", "terminal", "text", "turn"]

NAME = "drawn_cards_v0"


class Params(NamedTuple):
    seed: int = 0
    ranks: int = 4
    most: int = 3  # points of a bet


class Tables(NamedTuple):
    counts: np.ndarray  # [ranks]: the cards of each number
    wins: np.ndarray  # [ranks, ranks]: 1 where the row's card beats the column's, -1 where it is beaten, 0 if equal
    bets: np.ndarray  # [2]: each player's, points


RANGES = {"seed": (0, 2**32 - 1), "ranks": (2, 12), "most": (1, 100)}


def tables(params):
    rng = np.random.default_rng(params.seed)
    above = np.triu(rng.choice((-1, 1), (params.ranks, params.ranks)), 1)
    return Tables(rng.integers(1, 3, params.ranks), above - above.T, rng.integers(1, params.most + 1, 2))


def field_maxima(params):
    return State(1, params.ranks, params.ranks, 3, 7)


def chance(params, tables):
    total = 0
    for card in range(params.ranks):
        total += tables.counts[card]
    outcomes = []
    for mine in range(params.ranks):
        for other in range(params.ranks):
            left = tables.counts[other] - (mine == other)
            if left > 0:
                likely = tables.counts[mine] * left / (total * (total - 1))
                outcomes.append((State(1, mine + 1, other + 1, 0, 0), likely))
    return outcomes


def payoff(tables, state):
    if not terminal(state):
        return 0
    last, before = state.history >> (state.moves - 1) & 1, state.history >> (state.moves - 2) & 1
    if before == BET and last == PASS:  # given in: the player who made the last move loses the ante
        return 1 if state.moves == 2 else -1
    stake = 1 if last == PASS else 1 + tables.bets[0 if state.moves == 2 else 1]
    return stake * tables.wins[state.card0 - 1, state.card1 - 1]


def at_stake(tables):
    return 1 + max(tables.bets[0], tables.bets[1])


def rules_text(params, tables):
    cards = ", ".join(f"{count} with the number {card + 1}" for card, count in enumerate(tables.counts))
    beats = "\n".join(
        f"- {{card}} {card + 1} beats {', '.join(str(other + 1) for other in np.flatnonzero(row > 0)) or 'none'}."
        for card, row in enumerate(tables.wins)
    )
    first, second = tables.bets
    return f"""The {{card}}s are: {cards}. Each player pays 1 point and is {{dealt}} one {{card}}, which the other \
does not see. Which beats which:
{beats}
Player 0 {{move}}s first: {{bet}} costs {first} more, {{pass}} nothing. After a {{pass}} player 1 can {{bet}} {second} \
or {{pass}}.
The other answers a {{bet}}: with a {{bet}} of as much, or with a {{pass}}, which loses.
Otherwise the {{card}} that beats the other wins what the other player has paid; equal {{card}}s win nothing."""
