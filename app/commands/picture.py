"""Draw the exact solution, a state, or a match that was recorded.

Of the solution either a map over two fields, one across and one up, with the others fixed; or a line of perfect
play. Of a match all states as an animated GIF, or one of them. --board draws any state.

Example: nashzoo picture footsies_v0 --over blocks0,blocks1 --at hits0=1
"""

from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import RUN_DIR, Param, Quiet, be_quiet


def main(
    game: Annotated[
        Positional[str | None],
        arg(metavar="GAME", help="Name of the game, its module or file; with --replay if not registered."),
    ] = None,
    /,
    param: Param = (),
    at: Annotated[
        str, arg(metavar="FIELD=VALUE,...", help="State, such as board=x...o....; fields left out as at the start.")
    ] = "",
    over: Annotated[
        str | None, arg(metavar="FIELD,FIELD", help="Draw a map: the value of the state for every value of two fields.")
    ] = None,
    line: Annotated[bool, arg(help="Draw perfect play from the state to the end, board by board.")] = False,
    replay: Annotated[Path | None, arg(metavar="FILE", help="Draw a match of this file of records instead.")] = None,
    match: Annotated[int, arg(help="Number of the match in the file, from 1.")] = 1,
    move: Annotated[int | None, arg(help="Draw the state after so many moves; all, as a GIF, when left out.")] = None,
    board: Annotated[bool, arg(help="Draw the state alone, as environments render it.")] = False,
    theme: Annotated[Literal["light", "dark"], arg(help="Colours of --board.")] = "light",
    out: Annotated[Path, arg(aliases=RUN_DIR, help="File to write: .png, .svg or .pdf; for a match .gif.")] = Path(
        "picture.png"
    ),
    quiet: Quiet = False,
) -> None:
    """Draws a map, a line, a state, or a match that was recorded, and writes it to a file."""
    from nashzoo.app.matches import animation
    from nashzoo.app.matches.picture import DPI, line_figure, map_figure, perfect_line, value_map, write_board
    from nashzoo.app.shared.parsing import code_of, game_of
    from nashzoo.app.shared.solutions import solved_with
    from nashzoo.arena.pictures import need_matplotlib, write
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.base.files import PICTURES, check_file
    from nashzoo.envs.base.progress import working

    be_quiet(quiet)
    if theme != "light" and not board:
        raise UsageError("--theme is for --board; other pictures are light")
    if replay is not None:
        if param or at or over is not None or line or board:
            raise UsageError(
                "--replay draws a match of a file, which contains its game's parameters and moves; "
                "with it only --match, --move and --out are allowed, and the game if it has no registered name"
            )
        animation.main(replay, match, move, out, game)
        return
    if game is None:
        raise UsageError("name a game to draw its solution, or --replay FILE to draw a match that was recorded")
    if move is not None or match != 1:
        raise UsageError("--match and --move choose from a file of matches; name it by --replay")
    if line + (over is not None) + board != 1:
        raise UsageError(
            "ask for one picture: --over FIELD,FIELD for a map, --line for a line of perfect play, "
            "or --board for a single state"
        )
    check_file(out, PICTURES)
    chosen = game_of(game, param)
    if board:
        write_board(chosen, code_of(chosen, at), theme, out)
        print(f"written: {out}")
        return
    need_matplotlib()
    with working("solving"):
        if over is not None:
            figure = map_figure(chosen, at, value_map(chosen, at, over))
        else:
            code = code_of(chosen, at)
            figure = line_figure(chosen, perfect_line(solved_with(chosen, code), code))
    write(figure, out, DPI)
    print(f"written: {out}")
