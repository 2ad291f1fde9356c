"""Runs the study."""

import argparse
from pathlib import Path

from nashzoo.app.commands.parsing import game_of
from studies.soccer_chase import __doc__ as description
from studies.soccer_chase.field import Field
from studies.soccer_chase.pictures import draw
from studies.soccer_chase.search import game_table, search_table, slip_table
from studies.soccer_chase.tables import tables


def main() -> None:
    """Prints the tables and writes the pictures."""
    parser = argparse.ArgumentParser(
        "python -m studies.soccer_chase",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--param", nargs="*", default=[], metavar="NAME=VALUE", help="parameters of the game")
    parser.add_argument("--depths", nargs="*", type=int, default=[1, 2, 3, 4, 6, 8, 10], help="of the searches")
    parser.add_argument("--out", type=Path, default=Path("docs/images"), help="folder for the pictures (docs/images)")
    options = parser.parse_args()
    field = Field(game_of("soccer_v0", options.param))
    for table in tables(field):
        print(f"{table.markdown()}\n", flush=True)
    print(f"{search_table(field, options.depths).markdown()}\n", flush=True)
    for make in (game_table, slip_table):
        print(f"{make(field).markdown()}\n", flush=True)
    for path in draw(field, options.out):
        print(path)


if __name__ == "__main__":
    main()
