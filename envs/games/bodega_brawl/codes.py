"""States of Bodega Brawl: their fields, their codes, and their closed-form index."""

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from nashzoo.envs.jit.compiled import Ints

MOST_STRIKES, MOST_ATTACKS, MOST_DUALS = 7, 3, 7  # the largest that fit into 3, 2 and 3 bits

PLAYING, WON0, WON1, DRAWN = range(4)  # bit ``p`` is set if player ``1 - p`` is beaten, and both for a draw


class State(NamedTuple):
    """A state between two turns. Both players hold equally many cards."""

    head0: int  # 0..head_limit, strikes player 0 has suffered; below each limit before the end,
    body0: int  # 0..body_limit, and below total_limit in all; always 0 in sudden death
    legs0: int  # 0..legs_limit
    head1: int
    body1: int
    legs1: int
    head_attack0: int  # 0..head_attack, attack-only cards that player 0 holds
    head_dual0: int  # 0..head_dual, cards that attack or counter
    body_attack0: int
    body_dual0: int
    legs_attack0: int
    legs_dual0: int
    head_attack1: int
    head_dual1: int
    body_attack1: int
    body_dual1: int
    legs_attack1: int
    legs_dual1: int
    sudden_death: int  # 0..1, whether both were knocked out at once and the game continues
    outcome: int  # 0..3: not over, player 0 has won, player 1 has won, a draw


def sides(s: State) -> list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """Returns for each player strikes suffered, attack-only cards and dual cards, each for head, body and legs."""
    return [(s[0:3], s[6:12:2], s[7:12:2]), (s[3:6], s[12:18:2], s[13:18:2])]


# The parts of a code from its lowest bit: the strikes of each player, the hand of each, sudden death, and the outcome.
# In a hand dual cards are lowest, which keeps ``params`` short.
BITS = {
    "head0": 3, "body0": 3, "legs0": 3,
    "head1": 3, "body1": 3, "legs1": 3,
    "head_dual0": 3, "body_dual0": 3, "legs_dual0": 3, "head_attack0": 2, "body_attack0": 2, "legs_attack0": 2,
    "head_dual1": 3, "body_dual1": 3, "legs_dual1": 3, "head_attack1": 2, "body_attack1": 2, "legs_attack1": 2,
    "sudden_death": 1, "outcome": 2,
}  # fmt: skip
STRIKE_BITS, HAND_BITS = 9, 15
STRIKES1 = STRIKE_BITS
HAND0 = 2 * STRIKE_BITS
HAND1 = HAND0 + HAND_BITS
SUDDEN_DEATH = HAND1 + HAND_BITS
OUTCOME = SUDDEN_DEATH + 1

STRIKES_MASK = (1 << STRIKE_BITS) - 1
HAND_MASK = (1 << HAND_BITS) - 1
WITHOUT_STRIKES = ~(STRIKES_MASK | STRIKES_MASK << STRIKES1)

STRIKE = (1 << 0, 1 << 3, 1 << 6)  # one strike, by region, in the strikes of a player
DUAL = (1 << 0, 1 << 3, 1 << 6)  # one card in a hand
ATTACK_ONLY = (1 << 9, 1 << 11, 1 << 13)

# Columns of ``Tables.layers``: the layer's first number, its first number in sudden death, its first hand in the list,
# and its number of hands.
FIRST, FIRST_SUDDEN, FIRST_HAND, NUM_HANDS = range(4)


class Tables(NamedTuple):
    """What follows from the parameters; regions are in the order head, body, legs."""

    limits: Ints  # [3], strikes that knock out
    total_limit: int
    attacks: Ints  # [3], attack-only cards in each player's deck
    duals: Ints  # [3], cards that attack or counter
    plays_on: bool  # whether a double knock-out leads to sudden death
    num_strikes: int  # number of combinations of strikes without a knock-out
    num_cards: int  # of a player at the start
    strike_ranks: Ints  # [512], by strikes; their number, -1 for a knock-out
    strikes: Ints  # [num_strikes], by number; the inverse
    layers: Ints  # [num_cards + 2, 4], by number of cards held
    hands: Ints  # [full hand + 1, 2], by hand: its number of cards, its number among hands with as many cards
    every_hand: Ints  # all hands, by number of cards


def tables_of(limits: list[int], total_limit: int, attacks: list[int], duals: list[int], plays_on: bool) -> Tables:
    """Computes the tables of the index of states."""
    strikes = itertools.product(*(range(limit) for limit in limits))
    live = sorted(_pack(counts, STRIKE) for counts in strikes if sum(counts) < total_limit)
    cards = itertools.product(*(range(count + 1) for count in (*attacks, *duals)))
    every_hand = sorted((sum(counts), _pack(counts, ATTACK_ONLY + DUAL)) for counts in cards)
    most, full = every_hand[-1]

    ranks = np.full(1 << STRIKE_BITS, -1)
    ranks[live] = range(len(live))
    layers, hands = np.zeros((most + 2, 4), np.int64), np.zeros((full + 1, 2), np.int64)
    first, first_hand = 0, 1
    for held in range(1, len(layers)):
        layer = [hand for count, hand in every_hand if count == held]
        first_sudden = first + triangle(len(layer) * len(live))
        layers[held] = first, first_sudden, first_hand, len(layer)
        for rank, hand in enumerate(layer):
            hands[hand] = held, rank
        first = first_sudden + plays_on * triangle(len(layer))
        first_hand += len(layer)
    return Tables(
        np.array(limits), total_limit, np.array(attacks), np.array(duals), plays_on, len(live), most, ranks,
        np.array(live), layers, hands, np.array([hand for _, hand in every_hand]),
    )  # fmt: skip


def _pack(counts: Iterable[int], units: Iterable[int]) -> int:
    return sum(count * unit for count, unit in zip(counts, units, strict=True))


def swap_players(code: int) -> int:
    """Returns the code of the state with the two players swapped."""
    strikes = (code & STRIKES_MASK) << STRIKES1 | code >> STRIKES1 & STRIKES_MASK
    hands = (code >> HAND0 & HAND_MASK) << HAND1 | (code >> HAND1 & HAND_MASK) << HAND0
    outcome = (code >> OUTCOME & 1) << 1 | code >> OUTCOME + 1
    return outcome << OUTCOME | (code >> SUDDEN_DEATH & 1) << SUDDEN_DEATH | hands | strikes


# The layers of the index are the numbers of cards held, fewest first. A player's hand and strikes have a number within
# the layer; the pairs (a, b) of these with a >= b are numbered in the order 00, 10 11, 20 21 22, ...


def triangle(n: int) -> int:
    """Returns the number of pairs before ``(n, 0)``."""
    return n * (n + 1) >> 1


def index(tables: Tables, code: int) -> int:
    """Returns the number of a non-terminal state, or ``~number`` for its mirror image."""
    full = len(tables.hands) - 1  # the largest hand; an invalid code must not be looked up beyond the table
    hand0 = min(code >> HAND0 & HAND_MASK, full)
    hand1 = min(code >> HAND1 & HAND_MASK, full)
    sudden = code >> SUDDEN_DEATH & 1
    per_hand = 1 if sudden else tables.num_strikes
    # No strikes, as in sudden death, have the number 0.
    a = tables.hands[hand0, 1] * per_hand + tables.strike_ranks[code & STRIKES_MASK]
    b = tables.hands[hand1, 1] * per_hand + tables.strike_ranks[code >> STRIKES1 & STRIKES_MASK]
    number = tables.layers[tables.hands[hand0, 0], sudden] + triangle(max(a, b)) + min(a, b)
    return int(number if a >= b else ~number)


def code_at(tables: Tables, number: int) -> int:
    """Returns the code of the state with this number, the inverse of ``index``."""
    layer = 1
    while layer < tables.num_cards and number >= tables.layers[layer + 1, FIRST]:
        layer += 1
    sudden = 1 if number >= tables.layers[layer, FIRST_SUDDEN] else 0
    per_hand = 1 if sudden else tables.num_strikes
    place = number - tables.layers[layer, sudden]
    a = int(np.sqrt(2.0 * place))  # off by one at most
    if triangle(a) > place:
        a -= 1
    rank0, strikes0 = a // per_hand, a % per_hand
    b = place - triangle(a)
    rank1, strikes1 = b // per_hand, b % per_hand
    hands = tables.layers[layer, FIRST_HAND]
    code = sudden << SUDDEN_DEATH | tables.every_hand[hands + rank1] << HAND1
    code |= tables.every_hand[hands + rank0] << HAND0
    return int(code | tables.strikes[strikes1] << STRIKES1 | tables.strikes[strikes0])


def layer_sizes(tables: Tables) -> Ints:
    """Returns the number of indices for each number of cards held, from one card on."""
    return np.diff(tables.layers[1:, FIRST])


def num_states(tables: Tables) -> int:
    """Returns the number of non-terminal states, mirror images included."""
    hands = tables.layers[:, NUM_HANDS]
    return int((hands**2).sum() * (tables.num_strikes**2 + tables.plays_on))
