"""Play back matches that were recorded, in the terminal.

Keys: space pauses and goes on, Enter next, b back, + and - faster and slower, m next match, q quits.

Example: nashzoo replay games.jsonl --match 2
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import Delay, GameOfFile, LuckAdjusted

if TYPE_CHECKING:  # the help does without them
    from nashzoo.app.shared.pace import Pace
    from nashzoo.arena.luck import Luck
    from nashzoo.arena.records import Record


def main(
    file: Annotated[Positional[Path], arg(metavar="FILE", help="Records of matches, as --save writes them.")],
    /,
    match: Annotated[int | None, arg(help="Number of the match in the file, from 1; all when left out.")] = None,
    delay: Delay = None,
    step: Annotated[bool, arg(help="Wait for Enter after every time step.")] = False,
    game: GameOfFile = None,
    luck_adjusted: LuckAdjusted = False,
) -> None:
    """Shows one match of a file, or all."""
    from nashzoo.app.matches.pages import heading
    from nashzoo.app.shared.pace import HELP, Pace
    from nashzoo.app.shared.parsing import game_in_file
    from nashzoo.arena import records
    from nashzoo.arena.luck import luck_of_record
    from nashzoo.envs.base.words import wrapped

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


def _show(record: "Record", pace: "Pace", luck: "Luck | None") -> bool:
    """Shows a match; returns whether to show the next one."""
    from nashzoo.app.matches.pages import ending, luck_text, page
    from nashzoo.app.shared.pace import BACK, QUIT, SKIP
    from nashzoo.envs.base.words import wrapped

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
