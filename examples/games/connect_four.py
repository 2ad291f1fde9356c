"""Connect Four: players drop stones into columns in turn; the first with enough in a line wins.

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
    stones: int  # by column, the lowest cell first: a bit for each stone, 1 for player 0's, and above them another 1
    mover: int


BIT_FIELDS = ("stones",)


def check_params(params):
    if min(params) < 2 or params.width * (params.height + 1) > 62:
        raise ValueError(
            "width, height and line must be at least 2, and width times height plus 1 at most 62, not "
            f"width={params.width}, height={params.height}, line={params.line}"
        )


def actions(params):
    return [f"column {k + 1}" for k in range(params.width)]


def field_maxima(params):
    return State((1 << params.width * (params.height + 1)) - 1, 1)


def start(params):
    board = 0
    for column in range(params.width):
        board |= 1 << column * (params.height + 1)
    return State(board, 0)


def turn(state):
    return state.mover


def top_of(params, board, column):
    """Returns the place of the first cell of a column that is empty; it is above the column if none is."""
    place = column * (params.height + 1) + params.height
    while not board >> place & 1:
        place -= 1
    return place


def legal(params, state):
    mask = 0
    for column in range(params.width):
        if not state.stones >> column * (params.height + 1) + params.height & 1:
            mask |= 1 << column
    return mask


def step(params, state, action):
    top = 1 << top_of(params, state.stones, action)
    board = state.stones | top << 1  # where the bit is that of player 0's stone
    if state.mover == 1:
        board ^= top
    return State(board, 1 - state.mover)


def stones_of(params, board, player):
    """Returns a bit for each stone of a player."""
    own = 0
    for column in range(params.width):
        first = column * (params.height + 1)
        taken = (1 << top_of(params, board, column)) - (1 << first)
        own |= (board if player == 0 else ~board) & taken
    return own


def has_line(params, own):
    for along in (1, params.height, params.height + 1, params.height + 2):
        ends = own  # of lines so far; between two columns there is an empty bit
        for _ in range(params.line - 1):
            ends = own & ends >> along
        if ends:
            return True
    return False


def terminal(params, state):
    return legal(params, state) == 0 or payoff(params, state) != 0.0


def payoff(params, state):
    if has_line(params, stones_of(params, state.stones, 1 - state.mover)):
        return 1.0 if state.mover == 1 else -1.0
    return 0.0


def symmetries(params, state):
    """The mirror image of a board is the same, with the columns from right to left."""
    column, image = (1 << params.height + 1) - 1, 0
    for k in range(params.width):
        image |= (state.stones >> k * (params.height + 1) & column) << (params.width - 1 - k) * (params.height + 1)
    return [(state, range(params.width)), (State(image, state.mover), range(params.width)[::-1])]


def rules_text(params):
    return f"""{{Connect}} {{Four}}, on a board with {params.width} {{column}}s of {params.height} cells. The players \
choose alternately, player 0 first. A choice is the {{column}} of the player's next {{stone}}, which falls to its \
lowest empty cell; a full {{column}} cannot be chosen. The first with {params.line} own {{stone}}s next to each other \
in a line, across, upright or diagonal, wins 1 point. If the board is full before, it is a draw, 0 points. Nothing is \
hidden. The board is shown from above to below and from {{column}} 1 on: x for player 0, o for player 1, a dot for an \
empty cell."""


def text(params, state):
    crosses, noughts = (stones_of(params, state.stones, player) for player in (0, 1))
    rows = []
    for row in reversed(range(params.height)):
        places = [column * (params.height + 1) + row for column in range(params.width)]
        rows.append(" ".join("x" if crosses >> k & 1 else "o" if noughts >> k & 1 else "." for k in places))
    return "\n".join(rows)
