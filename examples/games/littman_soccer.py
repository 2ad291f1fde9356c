"""Littman's soccer: two players on a grid of 4 by 5 cells move at once, one ball, one goal wins.

Each player moves north, south, east or west by a cell, or stands. Both choose at once, and chance decides whose move is
executed first. A move into the other's cell does not take place, and the other then has the ball. A player with the
ball scores by a step out of one of the two middle cells of an end: A, player 0, on the left, and B on the right. A game
ends with one goal; after each pair of moves it is declared a draw with probability ``draw``, which gives the same
values as Littman's discount factor of 0.9. The owner of the ball at the start is random.

Source: Littman (1994), "Markov games as a framework for multi-agent reinforcement learning", Proceedings of the 11th
International Conference on Machine Learning, section 4.
"""

from typing import NamedTuple

NAME = "littman_soccer_v0"
ACTIONS = ("N", "S", "E", "W", "stand")
BOTH, CHANCE = 2, 3

ROWS, COLUMNS = 4, 5
GOING_ON, A_SCORED, B_SCORED, DRAWN = range(4)


class Params(NamedTuple):
    draw: float = 0.1  # with 0 a game need not end, and optimal strategies need not exist


class State(NamedTuple):
    cell0: int  # of A: 5 times the row, from the north, plus the column, from the west
    cell1: int
    ball: int  # the player who has it
    result: int
    moves: int  # both chosen actions: 0 before the choice, else 1 + 5 * action0 + action1


UNSEEN_FIELDS = ("moves",)
FIELDS = {"cell0": "", "cell1": "", "result": ""}  # people see the board


def check_params(params):
    if not 0 < params.draw < 1:
        raise ValueError(f"draw must be a number between 0 and 1, not {params.draw!r}")


def field_maxima():
    return State(ROWS * COLUMNS - 1, ROWS * COLUMNS - 1, 1, DRAWN, 25)


def start():
    return [(State(8, 11, ball, GOING_ON, 0), 0.5) for ball in range(2)]


def turn(state):
    return CHANCE if state.moves > 0 else BOTH


def step(state, action0, action1):
    return State(state.cell0, state.cell1, state.ball, state.result, 1 + 5 * action0 + action1)


def moved(state, player, action):
    """Returns the state after one player's move."""
    if state.result != GOING_ON:
        return state
    own, other = (state.cell0, state.cell1) if player == 0 else (state.cell1, state.cell0)
    row = own // COLUMNS + (action == 1) - (action == 0)
    column = own % COLUMNS + (action == 2) - (action == 3)
    if column == (-1 if player == 0 else COLUMNS) and 1 <= row <= 2 and state.ball == player:
        return State(state.cell0, state.cell1, state.ball, A_SCORED if player == 0 else B_SCORED, state.moves)
    if not (0 <= row < ROWS and 0 <= column < COLUMNS):
        return state
    cell = COLUMNS * row + column
    if cell == other:
        return State(state.cell0, state.cell1, 1 - player, state.result, state.moves)
    if player == 0:
        return State(cell, state.cell1, state.ball, state.result, state.moves)
    return State(state.cell0, cell, state.ball, state.result, state.moves)


def chance(params, state):
    actions = ((state.moves - 1) // 5, (state.moves - 1) % 5)
    outcomes = []
    for first in range(2):
        after = moved(moved(state, first, actions[first]), 1 - first, actions[1 - first])
        over = after.result != GOING_ON
        goes_on = State(after.cell0, after.cell1, after.ball, after.result, 0)
        outcomes.append((goes_on, 0.5 if over else 0.5 * (1 - params.draw)))
        if not over:
            outcomes.append((State(after.cell0, after.cell1, after.ball, DRAWN, 0), 0.5 * params.draw))
    return outcomes


def terminal(state):
    return state.result != GOING_ON


def payoff(state):
    return 1 if state.result == A_SCORED else -1 if state.result == B_SCORED else 0


def symmetries(state):
    """North and south are the same, as the goals are in the middle."""
    upside_down = (1, 0, 2, 3, 4)
    cells = [COLUMNS * (ROWS - 1 - cell // COLUMNS) + cell % COLUMNS for cell in (state.cell0, state.cell1)]
    action0, action1 = (upside_down[action] for action in divmod(max(0, state.moves - 1), 5))
    moves = 1 + 5 * action0 + action1 if state.moves else 0
    return [(state, range(5)), (State(*cells, state.ball, state.result, moves), upside_down)]


def rules_text(params):
    return f"""{{Soccer}}, on {ROWS} rows of {COLUMNS} {{cell}}s. Player 0 is A on the board, player 1 is B, a capital \
with the {{ball}} and a small letter without; chance gives the {{ball}} at the start. Both choose at the same time: \
{{N}} goes up, {{S}} down, {{E}} to the right, {{W}} to the left, each by one {{cell}}, and {{stand}} nowhere. Chance \
decides whose choice is carried out first, each with 1/2. Who would go onto the other does not, and the other then has \
the {{ball}}. Nobody leaves the board, but for a {{goal}}: with the {{ball}} out of one of the two middle rows, player \
0 on the left, player 1 on the right. A {{goal}} wins 1 point. After each step without one, the game ends as a draw, 0 \
points, with probability {params.draw:g}. Nothing is hidden."""


def text(state):
    names = ("Ab", "aB")[state.ball]
    cells = ["."] * (ROWS * COLUMNS)
    cells[state.cell0], cells[state.cell1] = names
    rows = ["".join(cells[COLUMNS * row : COLUMNS * (row + 1)]) for row in range(ROWS)]
    return "\n".join(rows) + ("", "\nA has scored", "\nB has scored", "\na draw")[state.result]
