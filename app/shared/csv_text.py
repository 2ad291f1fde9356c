"""Tables as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from nashzoo.baselines.policies.keyed import decisions
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.envs.base.files import write_text
from nashzoo.envs.core.game import Game


def write_csv(path: Path, heading: Sequence[str], rows: Iterable[Sequence[object]], end: str = "\n") -> None:
    """Writes a table as CSV, never half a file; ``end`` ends its lines."""
    write_text(path, csv_text(heading, rows, end))


def csv_text(heading: Sequence[str], rows: Iterable[Sequence[object]], end: str = "\n") -> str:
    """Returns a table as CSV, with its heading in the first line."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator=end)
    writer.writerow(heading)
    writer.writerows(rows)
    return lines.getvalue()


def policy_text(game: Game, policy: TabularPolicy, seats: Sequence[int] = (0, 1)) -> str:
    """Returns a table of probabilities at every state, or information state, at which a player of some seats chooses.

    In a symmetric game it has the rows of seat 0, as which both seats observe: what is read back as a player.
    """
    table: list[list[object]] = []
    for seat, code in decisions(game):
        if seat not in seats:
            continue
        (row,) = policy.probabilities_at(np.array([code]), seat)
        seen = game.spell(code, [seat]), " ".join(game.text(code, [seat]).split())
        table += [[seat, *seen, game.actions[action], row[action]] for action in game.legal_actions(code, seat)]
    return csv_text(["player", "state", "text", "action", "probability"], table)
