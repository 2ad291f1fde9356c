"""``nashzoo replay``: matches that were recorded, played back in the terminal."""

from collections.abc import Iterable
from pathlib import Path

from nashzoo.app.matches.pages import ending, heading, luck_text, page
from nashzoo.app.shared.pace import BACK, HELP, QUIT, SKIP, Pace
from nashzoo.app.shared.parsing import game_in_file
from nashzoo.app.shared.words import wrapped
from nashzoo.arena import records
from nashzoo.arena.luck import Luck, luck_of_record
from nashzoo.arena.records import Record


def main(
    file: Path, match: int | None, delay: float | None, step: bool, game: str | None = None, luck_adjusted: bool = False
) -> None:
    """Shows one match of a file, or all."""
    pace = Pace(delay, step)
    make = game_in_file(game)
    matches: Iterable[Record] = records.read(file, make) if match is None else [records.nth(file, match, make)]
    number = 0
    for number, record in enumerate(matches, 1):
        luck = luck_of_record(record) if luck_adjusted else None  # first, since it may print that it compiles
        print(("\n" if number > 1 else "") + heading(record.game, record.players, match or number))
        if number == 1 and pace.keys:
            print(wrapped(HELP))
        with pace:
            if not _show(record, pace, luck):
                return
    if number == 0:
        print(f"{file} holds no matches.")


def _show(record: Record, pace: Pace, luck: Luck | None) -> bool:
    """Shows a match; returns whether to show the next one."""
    last, number = len(record.trajectory.steps), 0
    while number <= last:
        print(page(record.trajectory, number, players=record.players))
        if number == last:
            print(f"\n{wrapped(ending(record))}")
            if luck is not None:
                print(wrapped(luck_text(record.game, record.points, *luck)))
            if not pace.paused:
                return True
        asked = pace.wait()
        if asked in (QUIT, SKIP):
            return asked == SKIP
        number = max(0, number - 1) if asked == BACK else number + 1
    return True
