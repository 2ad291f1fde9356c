"""The rooms of the project in the order of their imports, the map of them in CONTRIBUTING.md, and who imports whom.

python tests/support/floors.py    # draws the map and the picture anew, from the code
"""

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
PICTURE = ROOT / "docs" / "images" / "imports.svg"
PACKAGES = ("envs", "baselines", "agents", "arena", "app")

# The rooms from the ground up; a file imports from its own room and from those before it. What a package hands on in
# its ``__init__.py`` stands above all that is in it.
FLOORS = (
    "envs/base", "envs/jit", "envs/rules", "envs/drawing", "envs/core",
    "envs/games/footsies", "envs/games/roshambo", "envs/games/bodega_brawl", "envs/games/tictactoe",
    "envs/games/soccer", "envs/games",
    "envs/imported", "envs/vector", "envs/api", "envs",
    "baselines/states", "baselines/solvers", "baselines/certificate", "baselines/policies", "baselines/markov",
    "baselines", "baselines/__init__",
    "agents/basic", "agents/hosted",
    "agents/learning", "agents/learning/tabular", "agents/learning/deep",
    "agents/bots/roshambo", "agents/search", "agents", "agents/bots", "agents/learning/menace", "agents/__init__",
    "arena",
    "app/commands", "app/matches", "app/training", "app/results", "app/web", "app/menace", "app",
    "",
)  # fmt: skip

BEGIN, END = "<!-- map -->\n", "<!-- end of the map -->\n"
WIDTH = 118  # characters of a line


def rooms() -> list[str]:
    """Returns the rooms from the top down."""
    return [room for room in reversed(FLOORS) if room and not room.endswith("__init__")]


def floor_map(root: Path = ROOT) -> str:
    """Returns the rooms from the top down, each with what its ``__init__.py`` says it is, and its files."""
    lines = []
    for room in rooms():
        about = ast.get_docstring(ast.parse((root / room / "__init__.py").read_text())) or ""
        lines += [f"{room}/".ljust(24) + about.splitlines()[0]]
        line = " " * 23
        for name in sorted(path.stem for path in (root / room).glob("*.py") if path.name != "__init__.py"):
            if len(line) + 1 + len(name) > WIDTH:
                lines.append(line)
                line = " " * 23
            line += f" {name}"
        lines += [line, ""]
    return "\n".join(["```", *lines[:-1], "```", ""])


def with_map(page: str, drawn: str) -> str:
    """Returns the text of a page with a map in the place of the one it has."""
    before, rest = page.split(BEGIN)
    return before + BEGIN + drawn + END + rest.split(END)[1]


def imports_between(root: Path = ROOT) -> Counter[tuple[str, str]]:
    """Returns how many files of a room import from another one, by the two rooms."""
    known, found = set(rooms()), Counter[tuple[str, str]]()
    for room in known:
        for file in (root / room).glob("*.py"):
            if file.stem == "__init__" and f"{room}/__init__" in FLOORS:
                continue  # it stands above all that is in the room
            names = set()
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.ImportFrom) and node.module:
                    names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
                elif isinstance(node, ast.Import):
                    names |= {alias.name for alias in node.names}
            targets = set()
            for name in names:
                place = name.removeprefix("nashzoo.").replace(".", "/") if name.startswith("nashzoo.") else ""
                if (root / f"{place}.py").is_file() or place not in known:  # a file, or a name in one, of its room
                    place = place.rpartition("/")[0]
                targets |= {place} & known
            found.update((room, target) for target in targets - {room})
    return found


CELL, LEFT, TOP = 17, 216, 20  # units: a cell, and what is left of the first one and above it
SHADES = ("#cfe3f2", "#8fbfe0", "#4f96c8", "#006ba8")  # for 1, 2 to 3, 4 to 7, and more files
ITSELF = "#8a8678"
FAMILY = ("#ffffff", "#f4f2ec")  # the ground behind the folders of a package, in turn
CAPTION = (
    "Row: a folder. Blue, in its row: folders that it imports from; the darker, the more of its files do.",
    "Columns are in the order of the rows; grey is the folder itself. Nothing is left of it: imports go down.",
)


def picture(root: Path = ROOT) -> str:
    """Returns a matrix as SVG: in the row of a room a mark for each room that it imports from."""
    names = rooms()
    place = {room: number for number, room in enumerate(names)}
    size = CELL * len(names)
    width, height = LEFT + size + 10, TOP + size + 58
    shapes = [_rectangle(0, 0, width, height, FAMILY[0])]
    for number, family in enumerate(reversed(PACKAGES)):
        inside = [place[room] for room in names if room.split("/")[0] == family]
        shapes.append(_rectangle(0, TOP + CELL * min(inside), width, CELL * len(inside), FAMILY[number % 2]))
    for room, number in place.items():
        x, y = LEFT + CELL * number, TOP + CELL * number
        shapes.append(f'<text x="{LEFT - 8}" y="{y + 12.5}" text-anchor="end">{room}</text>')
        shapes.append(_rectangle(x + 1, y + 1, CELL - 2, CELL - 2, ITSELF))
        shapes.append(f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{TOP + size}" stroke="#dddad2"/>')
    for (room, target), files in sorted(imports_between(root).items()):
        x, y = LEFT + CELL * place[target], TOP + CELL * place[room]
        told = f"{room}: {files} {'file imports' if files == 1 else 'files import'} from {target}"
        shade = SHADES[min(files.bit_length(), len(SHADES)) - 1]
        shapes.append(_rectangle(x + 1, y + 1, CELL - 2, CELL - 2, shade, told))
    for line, text in enumerate(CAPTION):
        shapes.append(f'<text x="8" y="{TOP + size + 24 + 18 * line}">{text}</text>')
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" fill="#22252b" '
        'font-family="Helvetica, Arial, sans-serif" font-size="11.5" aria-label="Which folder imports from which">'
    )
    return "\n".join([head, *shapes, "</svg>\n"])


def _rectangle(x: float, y: float, width: float, height: float, colour: str, title: str = "") -> str:
    place = f'x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}"'
    return f"<rect {place}><title>{title}</title></rect>" if title else f"<rect {place}/>"


if __name__ == "__main__":
    PAGE.write_text(with_map(PAGE.read_text(), floor_map()))
    PICTURE.write_text(picture())
