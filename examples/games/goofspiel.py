"""Goofspiel: both players bid a card of their hand at once for a prize, and the higher card wins it.

Each player has the cards 1, 2, ..., and there are as many prizes, worth 1, 2, ... points, face up. They are played in
ascending or in descending order. If both cards are equal, neither player gets the prize. The player with more points at
the end wins the game.

Source: Ross (1971), "Goofspiel: the game of pure strategy", Journal of Applied Probability 8.
"""

from typing import NamedTuple

NAME = "goofspiel_v0"


class Params(NamedTuple):
    cards: int = 4
    ascending: bool = True


class State(NamedTuple):
    hand0: int  # player 0's cards, bit k for card k + 1
    hand1: int
    lead: int  # player 0's points minus player 1's, plus the sum of all prizes


BIT_FIELDS = ("hand0", "hand1")
FIELDS = {"lead": ""}  # it is not counted from 0; people see it on the board


RANGES = {"cards": (1, 8)}


def check(state):
    cards0, cards1 = state.hand0.bit_count(), state.hand1.bit_count()
    if cards0 != cards1:
        raise ValueError(f"both players hold as many cards, not {cards0} and {cards1}")


def actions(params):
    return [f"card {k + 1}" for k in range(params.cards)]


def points(params):
    return params.cards * (params.cards + 1) // 2


def field_maxima(params):
    hand = (1 << params.cards) - 1
    return State(hand, hand, 2 * points(params))


def start(params):
    hand = (1 << params.cards) - 1
    return State(hand, hand, points(params))


def legal(state, player):
    return state.hand0 if player == 0 else state.hand1


def step(params, state, action0, action1):
    left = 0
    for k in range(params.cards):
        left += state.hand0 >> k & 1
    prize = params.cards - left + 1 if params.ascending else left
    won = (action0 > action1) - (action0 < action1)
    return State(state.hand0 & ~(1 << action0), state.hand1 & ~(1 << action1), state.lead + won * prize)


def terminal(state):
    return state.hand0 == 0


def payoff(params, state):
    if state.hand0 > 0:
        return 0
    return (state.lead > points(params)) - (state.lead < points(params))


def swap_players(params, state):
    return State(state.hand1, state.hand0, 2 * points(params) - state.lead)


def text(params, state):
    """The prize, the cards of each player, and the lead of player 0."""
    hands = [[k + 1 for k in range(params.cards) if hand >> k & 1] for hand in (state.hand0, state.hand1)]
    held = len(hands[0])
    prize = params.cards - held + 1 if params.ascending else held
    lines = [f"prize {prize}" if held else "all prizes are gone"]
    lines += [f"player {player}: cards {' '.join(map(str, hand)) or 'none'}" for player, hand in enumerate(hands)]
    return "\n".join([*lines, f"lead of player 0: {state.lead - points(params)}"])


def rules_text(params):
    order = "the lowest" if params.ascending else "the highest"
    return f"""{{Goofspiel}}. Each player has the {{card}}s 1 to {params.cards}, and there are {{prize}}s of 1 to \
{params.cards} points, one after the other, {order} first. For each, both players choose a {{card}} of their {{hand}} \
at the same time. The higher {{card}} wins the {{prize}}; of equal ones neither does. Both {{card}}s are then gone. \
Nothing is hidden. At the end, who is in the {{lead}} with points of {{prize}}s wins the game: 1 from the other. With \
equal points it is a draw, 0."""
