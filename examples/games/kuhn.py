"""Kuhn poker: bet and bluff with three cards, the smallest poker game. Player 0 loses 1/18 of a point per game.

Each player gets one of the cards 1, 2, 3, which the other does not see. Player 0 passes or bets 1 point; after a
pass player 1 may pass, and the higher card wins the antes, or bet; a bet is called with 1 point more, or given in to.

Source: Kuhn (1950), "Simplified Two-Person Poker", Contributions to the Theory of Games I.
"""

from typing import NamedTuple

from nashzoo.envs.drawing.canvas import fitting
from nashzoo.envs.drawing.palette import PLAYER_COLOURS
from nashzoo.envs.drawing.shapes import playing_card

NAME = "kuhn_v0"
ACTIONS = ("pass", "bet")
CHANCE = 3
CHARACTERS = {
    "Never folds": ("check", "call"),
    "Always bets": ("bet", "call"),
    "Folds to every bet": ("check", "fold"),
}
PASS, BET = 0, 1


class State(NamedTuple):
    dealt: int  # whether the players have cards
    card0: int  # 1 to 3
    card1: int
    moves: int  # made so far
    history: int  # bit k: whether move k was a bet


SEEN_BY = {"card0": (0,), "card1": (1,)}
BIT_FIELDS = ("history",)
FIELDS = {"dealt": ""}


def field_maxima():
    return State(1, 3, 3, 3, 7)


def start():
    return State(0, 0, 0, 0, 0)


def turn(state):
    return state.moves % 2 if state.dealt else CHANCE


def chance():
    return [(State(1, mine, other, 0, 0), 1 / 6) for mine in range(1, 4) for other in range(1, 4) if mine != other]


def step(state, action):
    return State(1, state.card0, state.card1, state.moves + 1, state.history | action << state.moves)


def terminal(state):
    """After two equal moves, a bet that is given in to, or a bet after a pass that is answered."""
    return state.moves == 3 or (state.moves == 2 and state.history != 0b10)


def payoff(state):
    if not terminal(state):
        return 0
    last, before = state.history >> (state.moves - 1) & 1, state.history >> (state.moves - 2) & 1
    if before == BET and last == PASS:  # given in: the player who made the last move loses the ante
        return 1 if state.moves == 2 else -1
    stake = 2 if last == BET else 1
    return stake if state.card0 > state.card1 else -stake


def at_stake():
    return 2


rules_text = """{Kuhn} {poker}. There are three {card}s, 1 to 3. Each player pays 1 point and is {dealt} one {card}, \
which the other does not see.
Player 0 {move}s first: {bet} costs 1 more point, {pass} nothing. After a {pass} player 1 can {bet} or {pass}.
The other answers a {bet}: with a {bet} of 1 point, or with a {pass}, which loses.
Otherwise the higher {card} wins. It wins what the other has paid: 2 points if both {bet}, else 1."""


def in_short():
    return [
        "Each of you pays 1 point, the ante, and gets a card that the other does not see: 1, 2 or 3.",
        "Check: pay nothing. Bet 1: pay 1 point more than the other.",
        "After a check of the first player the second can still bet. After a bet the other answers.",
        "Call 1: pay 1 point, so that both have paid 2. Fold: give up, and lose what you have paid.",
        "After a call, or two checks, the higher card wins what the other has paid.",
    ]


def words_of(history, move):
    """Returns for a move the names of a pass and of a bet, and what is told of them."""
    is_answer = move > 0 and history >> (move - 1) & 1 == BET
    return (("Fold", "Call 1"), ("folded", "called")) if is_answer else (("Check", "Bet 1"), ("checked", "bet"))


def action_label(state, action):
    return words_of(state.history, state.moves)[0][action]


def event(state, action, after):
    mover = turn(state)
    told = f"player {mover} {words_of(state.history, state.moves)[1][action]}"
    if action == PASS and state.moves > 0 and state.history >> (state.moves - 1) & 1 == BET:
        return f"{told}; player {1 - mover} took what player {mover} paid"
    low, high = sorted((after.card0, after.card1))
    return f"{told}; {high} beats {low}" if terminal(after) else told


def played(state):
    moves = ", ".join(words_of(state.history, k)[1][state.history >> k & 1] for k in range(state.moves))
    return moves or ("no move yet" if state.dealt else "before the cards are dealt")


def text(state):
    """A card that is not seen is 0."""
    return f"player 0: card {state.card0 or '?'}\nplayer 1: card {state.card1 or '?'}\n{played(state)}"


def draw(state, canvas):
    for player, number in enumerate((state.card0, state.card1)):
        x, numbers = 24 + 52 * player, range(player, state.moves, 2)
        moves = [state.history >> move & 1 for move in numbers]
        canvas.text(x, 10, f"player {player}", 6, PLAYER_COLOURS[player])
        playing_card(canvas, x, 41, str(number or ""), player, 48)
        canvas.text(x, 74, f"paid {1 + sum(moves)}", 6)
        if told := ", ".join(words_of(state.history, k)[1][move] for k, move in zip(numbers, moves, strict=True)):
            canvas.text(x, 85, told, fitting(told, 6, 34))
        if turn(state) == player and not terminal(state):
            canvas.text(x, 95, "to act", 5, PLAYER_COLOURS[player])
    canvas.text(50, 74, f"pot {2 + state.history.bit_count()}", 6)
