"""Goofspiel with hidden bids: both players bid a card at once for a prize, and learn only who has won it.

Each player has the cards 1, 2, ..., and there are as many prizes, worth 1, 2, ... points. They are played in
ascending, in descending or in random order. The higher card wins the prize; of equal cards neither does. The player
with more points at the end wins the game. Players remember their own bids, and who has won which prize.

Sources: Ross (1971), "Goofspiel: the game of pure strategy", Journal of Applied Probability 8; OpenSpiel's
``goofspiel``, of which this is the version with ``imp_info=True``.
"""

from typing import NamedTuple

NAME = "hidden_goofspiel_v0"
BOTH, CHANCE = 2, 3
WIDTH = 3  # bits of a card
BITS = {"bids0": 18, "bids1": 18, "won0": 6, "won1": 6, "prizes": 15}


class Params(NamedTuple):
    cards: int = 4
    ascending: bool = True
    random: bool = False  # whether chance orders the prizes


class State(NamedTuple):
    bids0: int  # player 0's cards so far, WIDTH bits each, the first lowest
    bids1: int
    won0: int  # bit k: whether player 0 has won prize number k
    won1: int
    prizes: int  # face up so far in random order, like the bids; 0 in a fixed order


SEEN_BY = {"bids0": (0,), "bids1": (1,)}
BIT_FIELDS = ("bids0", "bids1", "won0", "won1", "prizes")


def check_params(params):
    most = 5 if params.random else 6
    if not 1 <= params.cards <= most:
        raise ValueError(f"cards must be from 1 to {most}, not {params.cards}")


def actions(params):
    return [f"card {k + 1}" for k in range(params.cards)]


def field_maxima(params):
    cards = (1 << WIDTH * params.cards) - 1
    won = (1 << params.cards) - 1
    return State(cards, cards, won, won, cards if params.random else 0)


def start():
    return State(0, 0, 0, 0, 0)


def count(cards):
    """Returns how many cards there are in a row of them."""
    number = 0
    while cards >> WIDTH * number:
        number += 1
    return number


def card(cards, number):
    return cards >> WIDTH * number & (1 << WIDTH) - 1


def left(params, cards):
    """Returns the cards that are not in a row of them, bit k for card k + 1."""
    hand = (1 << params.cards) - 1
    for number in range(count(cards)):
        hand &= ~(1 << card(cards, number) - 1)
    return hand


def rounds(state):
    """Returns the number of rounds that are over, as each player sees it."""
    return max(count(state.bids0), count(state.bids1))


def turn(params, state):
    return CHANCE if params.random and count(state.prizes) == rounds(state) < params.cards else BOTH


def chance(params, state):
    """Turns the next prize face up."""
    number, prizes = count(state.prizes), left(params, state.prizes)
    return [
        (State(state.bids0, state.bids1, state.won0, state.won1, state.prizes | k + 1 << WIDTH * number),
         1 / (params.cards - number))
        for k in range(params.cards) if prizes >> k & 1
    ]  # fmt: skip


def legal(params, state, player):
    return left(params, state.bids0 if player == 0 else state.bids1)


def step(state, action0, action1):
    number = rounds(state)
    return State(
        state.bids0 | action0 + 1 << WIDTH * number,
        state.bids1 | action1 + 1 << WIDTH * number,
        state.won0 | (action0 > action1) << number,
        state.won1 | (action1 > action0) << number,
        state.prizes,
    )


def terminal(params, state):
    return rounds(state) == params.cards


def worth(params, state, number):
    if params.random:
        return card(state.prizes, number)
    return number + 1 if params.ascending else params.cards - number


def payoff(params, state):
    if rounds(state) < params.cards:
        return 0
    lead = 0
    for number in range(params.cards):
        lead += worth(params, state, number) * ((state.won0 >> number & 1) - (state.won1 >> number & 1))
    return (lead > 0) - (lead < 0)


def swap_players(state):
    return State(state.bids1, state.bids0, state.won1, state.won0, state.prizes)


def rules_text(params):
    first = "the lowest first" if params.ascending else "the highest first"
    order = "in random order" if params.random else first
    return f"""{{Goofspiel}} with hidden {{bid}}s. Each player has the {{card}}s 1 to {params.cards}, and there are \
{{prize}}s of 1 to {params.cards} points, one after the other, {order}. For each, both players {{bid}} a {{card}} at \
the same time, which is then gone. The higher one wins the {{prize}}; of equal ones neither does. A player sees who \
gets each {{prize}}, and only the own {{bid}}s. At the end, who has more points of {{prize}}s wins the game: 1 from \
the other. With equal points it is a draw, 0."""


def text(params, state):
    """The prize, the bids of each player, where they are seen, and the prizes that it has won."""
    over = rounds(state)
    lines = [f"prize {worth(params, state, over)}" if over < params.cards else "all prizes are gone"]
    for player, (bids, won) in enumerate(((state.bids0, state.won0), (state.bids1, state.won1))):
        made = [str(card(bids, number) or "?") for number in range(over)]
        prizes = [str(worth(params, state, number)) for number in range(over) if won >> number & 1]
        lines.append(f"player {player}: bids {' '.join(made) or 'none'}, prizes {' '.join(prizes) or 'none'}")
    return "\n".join(lines)
