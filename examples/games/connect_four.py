"""Connect Four on a small board: players drop stones into columns in turn; the first with enough in a line wins.

Lines are horizontal, vertical or diagonal. When the board is full, the game is a draw.

Source: Allis (1988), "A knowledge-based approach of Connect-Four", for the rules; Tromp, "John's Connect Four
Playground", for the number of positions on boards of each size.
"""

from typing import NamedTuple

NAME = "connect_four_v0"


class Params(NamedTuple):
    width: int = 4
    height: int = 4
    line: int = 4


class State(NamedTuple):
    stones0: int  # player 0's stones, bit ``column * height + row``
    stones1: int
    mover: int


BIT_FIELDS = ("stones0", "stones1")


def check_params(params):
    if min(params) < 2 or params.width * params.height > 25:
        raise ValueError(
            "width, height and line must be at least 2, and width times height at most 25, not "
            f"width={params.width}, height={params.height}, line={params.line}"
        )


def actions(params):
    return [f"column {k + 1}" for k in range(params.width)]


def field_maxima(params):
    board = (1 << params.width * params.height) - 1
    return State(board, board, 1)


def start():
    return State(0, 0, 0)


def turn(state):
    return state.mover


def legal(params, state):
    taken = state.stones0 | state.stones1
    mask = 0
    for column in range(params.width):
        if not taken >> (column * params.height + params.height - 1) & 1:
            mask |= 1 << column
    return mask


def step(params, state, action):
    taken = state.stones0 | state.stones1
    place = action * params.height
    while taken >> place & 1:
        place += 1
    if state.mover == 0:
        return State(state.stones0 | 1 << place, state.stones1, 1)
    return State(state.stones0, state.stones1 | 1 << place, 0)


def has_line(params, stones):
    for column in range(params.width):
        for row in range(params.height):
            for across, up in ((0, 1), (1, -1), (1, 0), (1, 1)):
                last_column, last_row = column + (params.line - 1) * across, row + (params.line - 1) * up
                if last_column >= params.width or not 0 <= last_row < params.height:
                    continue
                count = 0
                while count < params.line:
                    if not stones >> ((column + count * across) * params.height + row + count * up) & 1:
                        break
                    count += 1
                if count == params.line:
                    return True
    return False


def terminal(params, state):
    full = (1 << params.width * params.height) - 1
    return (state.stones0 | state.stones1) == full or payoff(params, state) != 0.0


def payoff(params, state):
    if state.mover == 1:
        return 1.0 if has_line(params, state.stones0) else 0.0
    return -1.0 if has_line(params, state.stones1) else 0.0


def mirrored(params, stones):
    """Returns stones with the columns from right to left."""
    column, image = (1 << params.height) - 1, 0
    for k in range(params.width):
        image |= (stones >> k * params.height & column) << (params.width - 1 - k) * params.height
    return image


def symmetries(params, state):
    """The mirror image of a board is the same, with the columns from right to left."""
    image = State(mirrored(params, state.stones0), mirrored(params, state.stones1), state.mover)
    return [(state, range(params.width)), (image, range(params.width)[::-1])]


def rules_text(params):
    return f"""{{Connect}} {{Four}}, on a board with {params.width} {{column}}s of {params.height} cells. The players \
choose alternately, player 0 first. A choice is the {{column}} of the player's next {{stone}}, which falls to its \
lowest empty cell; a full {{column}} cannot be chosen. The first with {params.line} own {{stone}}s next to each other \
in a line, across, upright or diagonal, wins 1 point. If the board is full before, it is a draw, 0 points. Nothing is \
hidden. The board is shown from above to below and from {{column}} 1 on: x for player 0, o for player 1, a dot for an \
empty cell."""


def text(params, state):
    rows = []
    for row in reversed(range(params.height)):
        fields = [column * params.height + row for column in range(params.width)]
        rows.append(" ".join("x" if state.stones0 >> k & 1 else "o" if state.stones1 >> k & 1 else "." for k in fields))
    return "\n".join(rows)
