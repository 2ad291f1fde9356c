"""Leduc poker: bet and bluff with six cards, two of each rank, in two rounds with a public card between them.

Each player gets a card, which the other does not see. A raise is 2 points in the first round and 4 in the second, with
at most two raises in each. A pair with the public card wins, then the higher rank; equal ranks share. Player 0 loses
0.0856 points per game.

Source: Southey et al. (2005), "Bayes' Bluff: Opponent Modelling in Poker", UAI.
"""

from typing import NamedTuple

from nashzoo.envs.drawing.canvas import fitting
from nashzoo.envs.drawing.palette import PLAYER_COLOURS
from nashzoo.envs.drawing.shapes import playing_card

NAME = "leduc_v0"
ACTIONS = ("fold", "call", "raise")
LABELS = ("Fold", "Check or call", "Raise")
FOLD, CALL, RAISE = 0, 1, 2
CHANCE = 3
CHARACTERS = {
    "Never folds": ("check", "call"),
    "Always bets": ("bet", "raise", "call"),
    "Folds to every bet": ("check", "fold"),
}


class Params(NamedTuple):
    ranks: int = 3
    suits: bool = True  # whether players see the suits, which do not matter
    raises: int = 2  # the most in a round


class State(NamedTuple):
    card0: int  # from 1 on; 0 before the deal, like the next two
    card1: int
    public: int
    paid0: int  # points
    paid1: int
    raises: int  # in this round
    mover: int
    dealing: int  # 1 before a card is dealt
    over: int  # 1 after a call in the second round, 2 and 3 when player 0 and 1 has folded
    history: int  # all actions, four values each: what the players remember


SEEN_BY = {"card0": (0,), "card1": (1,)}
BIT_FIELDS = ("history",)
UNSEEN_FIELDS = ("dealing",)
FIELDS = {"public": "the public card", "paid0": "what player 0 paid", "paid1": "what player 1 paid"}


def check_params(params):
    most = 15 if params.suits else 30
    if not 2 <= params.ranks <= most:
        raise ValueError(f"ranks must be from 2 to {most}, not {params.ranks}")
    if not 1 <= params.raises <= 4:
        raise ValueError(f"raises must be from 1 to 4, not {params.raises}")


def field_maxima(params):
    card = params.ranks * (2 if params.suits else 1)
    paid = 1 + 6 * params.raises
    return State(card, card, card, paid, paid, params.raises, 1, 1, 3, 4 ** (2 * params.raises + 4) - 1)


def start():
    return State(0, 0, 0, 1, 1, 0, 0, 1, 0, 0)


def turn(state):
    return CHANCE if state.dealing else state.mover


def rank(params, card):
    return (card + 1) // 2 if params.suits else card


def chance(params, state):
    """Deals the next card: any of those that are left, with equal probabilities."""
    s = state
    left = 2 * params.ranks - (s.card0 > 0) - (s.card1 > 0)
    outcomes = []
    for card in range(1, params.ranks * (2 if params.suits else 1) + 1):
        count = (1 if params.suits else 2) - (card == s.card0) - (card == s.card1)
        if count > 0:
            if s.card0 == 0:
                after = State(card, 0, 0, 1, 1, 0, 0, 1, 0, 0)
            elif s.card1 == 0:
                after = State(s.card0, card, 0, 1, 1, 0, 0, 0, 0, 0)
            else:
                after = State(s.card0, s.card1, card, s.paid0, s.paid1, 0, 0, 0, 0, s.history)
            outcomes.append((after, count / left))
    return outcomes


def legal(params, state):
    own, other = (state.paid0, state.paid1) if state.mover == 0 else (state.paid1, state.paid0)
    return own < other, True, state.raises < params.raises


def bet_in(state):
    """Returns what a bet costs in the round, points; a raise costs as much more."""
    return 2 if state.public == 0 else 4


def step(state, action):
    s = state
    other = s.paid1 if s.mover == 0 else s.paid0
    own = s.paid0 if s.mover == 0 else s.paid1
    history, raises, mover, dealing, over = 4 * s.history + action + 1, s.raises, 1 - s.mover, 0, 0
    if action == FOLD:
        over = 2 + s.mover
    elif action == RAISE:
        own, raises = other + bet_in(s), s.raises + 1
    else:
        own = other
        if s.raises > 0 or s.mover == 1:  # the round ends
            dealing, over, raises, mover = int(s.public == 0), int(s.public > 0), 0, 0
    paid0, paid1 = (own, other) if s.mover == 0 else (other, own)
    return State(s.card0, s.card1, s.public, paid0, paid1, raises, mover, dealing, over, history)


def terminal(state):
    return state.over > 0


def payoff(params, state):
    if state.over == 0:
        return 0
    if state.over > 1:
        return -state.paid0 if state.over == 2 else state.paid1
    own, other, public = rank(params, state.card0), rank(params, state.card1), rank(params, state.public)
    if own == other:
        return 0
    wins = own == public or (other != public and own > other)
    return state.paid1 if wins else -state.paid0


def at_stake(params):
    return 1 + 6 * params.raises  # the ante, and raises of 2 and of 4


def face(params, number):
    """Returns the name of a card; empty for 0, a card that is not dealt or not seen."""
    if number == 0:
        return ""
    name = "JQK"[rank(params, number) - 1] if params.ranks == 3 else str(rank(params, number))
    return name + "sh"[number % 2] if params.suits else name


def words(params):
    cards = range(1, params.ranks * (2 if params.suits else 1) + 1)
    return dict.fromkeys(("card0", "card1", "public"), ("none", *(face(params, number) for number in cards)))


def kinds(params):
    """The ranks."""
    return {card: [word.rstrip("sh") for word in words(params)[card]] for card in ("card0", "card1")}


def ranks_of(params):
    return "J, Q, K" if params.ranks == 3 else f"1 to {params.ranks}"


def rules_text(params):
    suits = "; suits, ♠ (s) and ♥ (h), do not matter" * params.suits
    return f"""{{Leduc}} {{poker}}. Two {{card}}s of each rank, from low to high {ranks_of(params)}{suits}. \
Each player has {{paid}} 1 point and gets a {{card}}, which the other does not see.
In two rounds the players choose alternately, player 0 first. {{Fold}} gives up, and is legal if the other has \
{{paid}} more. {{Call}} pays as much as the other; if that is nothing, it is a {{check}}. {{Raise}} \
pays 2 more than that in the first round, 4 in the second; the first is a {{bet}}; a round has {params.raises} \
at most.
A round ends with a {{call}}, or two {{check}}s. After the first, a {{public}} {{card}} is shown.
After the second, a {{card}} of the rank of the {{public}} one wins, else the higher rank; equal ranks are a draw, 0. \
The winner gets what the other has {{paid}}."""


def in_short(params):
    return [
        f"There are two cards of each rank, from low to high {ranks_of(params)}.",
        "Each of you pays 1 point, the ante, and gets a card that the other does not see.",
        "Check: pay nothing. Bet 2: pay 2 points more than the other; in the second round, 4 points.",
        "Call 2: pay 2 points, so that both have paid the same. Fold: give up, and lose what you have paid.",
        "Raise to 5: pay until you have paid 5 points, which is 2 more than the other; in the second round, 4 more.",
        f"A round has at most 1 bet and {params.raises - 1} raise{'s' * (params.raises != 2)}.",
        "A call, or two checks, end the round. After the first round a public card is shown.",
        "After the second round a pair with the public card wins, else the higher card. Suits do not matter.",
        "The winner gets what the other has paid.",
    ]


def words_of(answers):
    """Returns the names of the actions, and what is told of them, where a raise is answered or none was made."""
    if answers:
        return (("Fold", "Call", "Raise"), ("folded", "called", "raised"))
    return (("Fold", "Check", "Bet"), ("folded", "checked", "bet"))


def action_label(state, action):
    """Returns its name, what a bet or a call adds, and what the player has paid after a raise, points."""
    name = words_of(state.raises > 0)[0][action]
    if action == RAISE:
        raised = state.raises > 0
        return f"{name} to {max(state.paid0, state.paid1) + bet_in(state)}" if raised else f"{name} {bet_in(state)}"
    return f"{name} {abs(state.paid0 - state.paid1)}" if action == CALL and state.raises > 0 else name


def why_not(params, state, action):
    return "Nobody has bet: fold is for answers." if action == FOLD else f"A round has {params.raises} raises at most."


def event(params, state, action, after):
    told = f"player {state.mover} {words_of(state.raises > 0)[1][action]}"
    if action == FOLD:
        return f"{told}; player {1 - state.mover} took what player {state.mover} paid"
    return f"{told}; {showdown(params, after)}" if after.over == 1 else told


def showdown(params, state):
    """Returns why a player wins, when the cards are shown."""
    own, other, public = (face(params, card).rstrip("sh") for card in (state.card0, state.card1, state.public))
    if own == other:
        return f"both have {own}"
    wins = payoff(params, state) > 0
    winner, loser = (own, other) if wins else (other, own)
    return f"{f'a pair of {winner}' if winner == public else winner} beats {loser}"


def made(state):
    """Returns the actions so far, in order."""
    moves, earlier = [], state.history
    while earlier:
        moves.insert(0, earlier % 4 - 1)
        earlier //= 4
    return moves


def told_moves(state):
    """Returns for each move its round, its player, and what is told of it."""
    told, number, mover, before = [], 0, 0, FOLD
    for move in made(state):
        told.append((number, mover, words_of(before == RAISE)[1][move]))
        mover = 1 - mover
        if move == CALL and (before == RAISE or mover == 0):
            number, mover = 1, 0
        before = move
    return told


def played(state):
    rounds = [
        ", ".join(f"player {player} {word}" for one, player, word in told_moves(state) if one == number)
        for number in range(2)
    ]
    return "\n".join(f"round {number}: {told}" for number, told in enumerate(rounds, 1) if told) or "no move yet"


def text(params, state):
    cards = [face(params, number) or "?" for number in (state.card0, state.card1)]
    return (
        f"player 0: card {cards[0]}, paid {state.paid0}\nplayer 1: card {cards[1]}, paid {state.paid1}\n"
        f"public card: {face(params, state.public) or 'none yet'}\n{played(state)}"
    )


def draw(params, state, canvas):
    for player, (number, paid) in enumerate(((state.card0, state.paid0), (state.card1, state.paid1))):
        x = 19 + 62 * player
        canvas.text(x, 8, f"player {player}", 6, PLAYER_COLOURS[player])
        playing_card(canvas, x, 36, face(params, number), player, 40)
        canvas.text(x, 66, f"paid {paid}", 6)
        for row in range(2):
            if told := ", ".join(word for *place, word in told_moves(state) if place == [row, player]):
                canvas.text(x, 77 + 9 * row, told, fitting(told, 5, 30))
        if turn(state) == player and not terminal(state):
            canvas.text(x, 95, "to act", 5, PLAYER_COLOURS[player])
    canvas.text(50, 66, f"pot {state.paid0 + state.paid1}", 6)
    for row in range(1 + (state.public > 0)):
        canvas.text(50, 77 + 9 * row, f"round {row + 1}", 4)
    if state.public:
        playing_card(canvas, 50, 36, face(params, state.public), None, 40)
