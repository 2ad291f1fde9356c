"""States of Bodega Brawl: their fields, their codes, and their closed-form index."""

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from nashzoo.envs.core.rules import Ints, compiled, packing, rule

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
encode, decode = packing(
    State,
    head0=3, body0=3, legs0=3,
    head1=3, body1=3, legs1=3,
    head_dual0=3, body_dual0=3, legs_dual0=3, head_attack0=2, body_attack0=2, legs_attack0=2,
    head_dual1=3, body_dual1=3, legs_dual1=3, head_attack1=2, body_attack1=2, legs_attack1=2,
    sudden_death=1, outcome=2,
)  # fmt: skip
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

# Indices in ``params``: first limits and cards, in the order of ``RANGES``; then tables computed from them.
LIMITS, TOTAL_LIMIT, ATTACKS, DUALS = 0, 3, 4, 7
PLAYS_ON = 10  # whether a double knock-out leads to sudden death
NUM_STRIKES = 11  # number of combinations of strikes without a knock-out
NUM_CARDS = 12  # of a player at the start
HANDS_AT = 13  # start of the list of all hands, by number of cards; it comes last
STRIKE_RANKS = 14  # [512], by strikes; their number, -1 for a knock-out
STRIKES = STRIKE_RANKS + (1 << STRIKE_BITS)  # [512], by number; the inverse
LAYERS = STRIKES + (1 << STRIKE_BITS)  # [32, 4], by number of cards held, see below
MOST_CARDS = 3 * (MOST_ATTACKS + MOST_DUALS)
HANDS = LAYERS + 4 * (MOST_CARDS + 2)  # [., 2], by hand: its number of cards, its number among hands with as many cards
# A layer's first number, its first number in sudden death, its first hand in the list, its number of hands.
FIRST, FIRST_SUDDEN, FIRST_HAND, NUM_HANDS = range(4)


def with_tables(numbers: list[int], plays_on: bool) -> Ints:
    """Returns the parameters with the tables of the index of states."""
    limits, total_limit, attacks, duals = numbers[:3], numbers[TOTAL_LIMIT], numbers[ATTACKS:DUALS], numbers[DUALS:]
    strikes = itertools.product(*(range(limit) for limit in limits))
    live = sorted(_pack(counts, STRIKE) for counts in strikes if sum(counts) < total_limit)
    cards = itertools.product(*(range(count + 1) for count in (*attacks, *duals)))
    hands = sorted((sum(counts), _pack(counts, ATTACK_ONLY + DUAL)) for counts in cards)
    most, full = hands[-1]

    params = np.zeros(HANDS + 2 * (full + 1) + len(hands), np.int64)
    params[:PLAYS_ON] = numbers
    params[PLAYS_ON : HANDS_AT + 1] = plays_on, len(live), most, len(params) - len(hands)
    params[STRIKE_RANKS:STRIKES] = -1
    params[STRIKE_RANKS + np.array(live)] = range(len(live))
    params[STRIKES : STRIKES + len(live)] = live
    params[params[HANDS_AT] :] = [hand for _, hand in hands]

    layers = params[LAYERS:HANDS].reshape(-1, 4)
    first, first_hand = 0, 1
    for held in range(1, len(layers)):
        layer = [hand for count, hand in hands if count == held]
        first_sudden = first + _triangle(len(layer) * len(live))
        layers[held] = first, first_sudden, first_hand, len(layer)
        for rank, hand in enumerate(layer):
            params[HANDS + 2 * hand : HANDS + 2 * hand + 2] = held, rank
        first = first_sudden + plays_on * _triangle(len(layer))
        first_hand += len(layer)
    return params


def _pack(counts: Iterable[int], units: Iterable[int]) -> int:
    return sum(count * unit for count, unit in zip(counts, units, strict=True))


@rule
def swap_players(params: Ints, code: int) -> int:
    """Returns the code of the state with the two players swapped."""
    strikes = (code & STRIKES_MASK) << STRIKES1 | code >> STRIKES1 & STRIKES_MASK
    hands = (code >> HAND0 & HAND_MASK) << HAND1 | (code >> HAND1 & HAND_MASK) << HAND0
    outcome = (code >> OUTCOME & 1) << 1 | code >> OUTCOME + 1
    return outcome << OUTCOME | (code >> SUDDEN_DEATH & 1) << SUDDEN_DEATH | hands | strikes


# The layers of the index are the numbers of cards held, fewest first. A player's hand and strikes have a number within
# the layer; the pairs (a, b) of these with a >= b are numbered in the order 00, 10 11, 20 21 22, ...


@compiled()
def _triangle(n: int) -> int:
    """Returns the number of pairs before ``(n, 0)``."""
    return n * (n + 1) >> 1


@rule
def index(params: Ints, code: int) -> int:
    """Returns the number of a non-terminal state, or ``~number`` for its mirror image."""
    full = params[-1]  # the largest hand; an invalid code must not be looked up beyond the table
    hand0 = HANDS + 2 * min(code >> HAND0 & HAND_MASK, full)
    hand1 = HANDS + 2 * min(code >> HAND1 & HAND_MASK, full)
    sudden = code >> SUDDEN_DEATH & 1
    per_hand = 1 if sudden else params[NUM_STRIKES]
    # No strikes, as in sudden death, have the number 0.
    a = params[hand0 + 1] * per_hand + params[STRIKE_RANKS + (code & STRIKES_MASK)]
    b = params[hand1 + 1] * per_hand + params[STRIKE_RANKS + (code >> STRIKES1 & STRIKES_MASK)]
    number = params[LAYERS + 4 * params[hand0] + sudden] + _triangle(max(a, b)) + min(a, b)
    return int(number if a >= b else ~number)


@rule
def code_at(params: Ints, number: int) -> int:
    """Returns the code of the state with this number, the inverse of ``index``."""
    layer = LAYERS + 4
    while number >= params[layer + 4 + FIRST]:
        layer += 4
    sudden = 1 if number >= params[layer + FIRST_SUDDEN] else 0
    per_hand = 1 if sudden else params[NUM_STRIKES]
    place = number - params[layer + sudden]
    a = int(np.sqrt(2.0 * place))  # off by one at most
    if _triangle(a) > place:
        a -= 1
    rank0, strikes0 = divmod(a, per_hand)
    rank1, strikes1 = divmod(place - _triangle(a), per_hand)
    hands = params[HANDS_AT] + params[layer + FIRST_HAND]
    code = sudden << SUDDEN_DEATH | params[hands + rank1] << HAND1 | params[hands + rank0] << HAND0
    return int(code | params[STRIKES + strikes1] << STRIKES1 | params[STRIKES + strikes0])


def layer_sizes(params: Ints) -> Ints:
    """Returns the number of indices for each number of cards held, from one card on."""
    first = params[LAYERS + FIRST : HANDS : 4]
    return np.diff(first[1 : params[NUM_CARDS] + 2])


def num_states(params: Ints) -> int:
    """Returns the number of non-terminal states, mirror images included."""
    hands = params[LAYERS + NUM_HANDS : HANDS : 4]
    return int((hands**2).sum() * (params[NUM_STRIKES] ** 2 + params[PLAYS_ON]))
