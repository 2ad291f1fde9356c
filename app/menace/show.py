"""``nashzoo menace show``: the contents of a box."""

from pathlib import Path

import numpy as np
import rich
from rich.table import Table

from nashzoo.agents.learning.menace.boxes import NO_BOX, Boxes, Settings, load_with, shelf
from nashzoo.envs import tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import counted
from nashzoo.envs.games.tictactoe.rules import CELLS, ROWS
from nashzoo.envs.games.tictactoe.symmetry import decode
from nashzoo.envs.games.tictactoe.view import EMPTY_CELL, board_of


def main(board: str, boxes: Path | None, settings: Settings | None) -> None:
    """Prints the beads of a state's box on its board.

    Raises:
        UsageError: there is no such box, or the file has other settings.
    """
    used = Boxes(settings or Settings()) if boxes is None else load_with(boxes, settings)
    code = tictactoe_v0.game().code(board=board)
    number, _ = used.find(code)
    if number == NO_BOX:
        raise UsageError(f"{board} has one empty cell: the move is forced, so that there is no box")
    rich.print(f"box {board_of(decode(int(shelf().codes[number])))}, {counted(int(used.beads[number].sum()), 'bead')}")
    print(beads_on_board(used, code))
    rich.print(table_of_moves(used, code))
    if not used.beads[number].any():
        rich.print("The box is empty: MENACE resigns. Where it cannot, it plays as it did at first.")


def beads_on_board(boxes: Boxes, code: int) -> str:
    """Returns the board with the number of beads of every move on its cell; symmetric moves share their beads."""
    number, kinds = boxes.find(code)
    marks = board_of(decode(code))
    cells = [str(boxes.beads[number, kinds[c]]) if marks[c] == EMPTY_CELL else marks[c] for c in range(CELLS)]
    width = max(map(len, cells))
    lines = [" | ".join(cells[cell].center(width) for cell in row) for row in ROWS]
    rule = "-|-".join(["-" * width] * len(ROWS))
    return f"\n{rule}\n".join(lines)


def table_of_moves(boxes: Boxes, code: int) -> Table:
    """Returns the kinds of moves, their beads and chances."""
    number, kinds = boxes.find(code)
    policy = boxes.policy(shelf().states.ids(np.array([code])))[0]
    table = Table("cells", "beads", "chance of each")
    for kind in dict.fromkeys(kinds[kinds >= 0].tolist()):
        cells = np.flatnonzero(kinds == kind)
        table.add_row(", ".join(map(str, cells)), str(boxes.beads[number, kind]), f"{policy[cells[0]]:.4f}")
    return table
