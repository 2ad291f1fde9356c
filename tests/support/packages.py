"""The packages in the order of their imports, the map of them in CONTRIBUTING.md, and who imports whom.

python tests/support/packages.py    # draws the map and the picture anew, from the code
"""

import ast
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
PICTURE = ROOT / "docs" / "images" / "imports.svg"
TOP_LEVEL = ("envs", "baselines", "agents", "arena", "app")

# From the lowest layer up; a file imports from its own package and from those before it. The ``__init__.py`` of some
# packages exports what stands above their other files.
PACKAGES = (
    "envs/base", "envs/jit", "envs/rules", "envs/drawing", "envs/core", "envs/text",
    "envs/games/footsies", "envs/games/roshambo", "envs/games/bodega_brawl", "envs/games/tictactoe",
    "envs/games/soccer", "envs/games",
    "envs/imported", "envs/vector", "envs/api", "envs",
    "baselines/states", "baselines/solvers", "baselines/certificate", "baselines/policies", "baselines/markov",
    "baselines/bounded", "baselines/information",
    "baselines", "baselines/__init__",
    "agents/basic", "agents/hosted", "agents/language",
    "agents/learning", "agents/learning/tabular", "agents/learning/deep", "agents/learning/information",
    "agents/bots/roshambo", "agents/search", "agents", "agents/bots", "agents/learning/menace", "agents/__init__",
    "arena", "arena/measurement",
    "app/shared", "app/matches", "app/training", "app/results", "app/bench", "app/web", "app/mcp", "app/menace",
    "app/text", "app/commands",
    "app",
    "",
)  # fmt: skip

BEGIN, END = "<!-- map -->\n", "<!-- end of the map -->\n"
WIDTH, INDENT = 118, 26  # characters of a line, and before its text


def top_down() -> list[str]:
    """Returns the packages from the top down."""
    return [package for package in reversed(PACKAGES) if package and not package.endswith("__init__")]


def package_map() -> str:
    """Returns the packages from the top down, each with what its ``__init__.py`` says it is, and its files."""
    lines = []
    for package in top_down():
        about = ast.get_docstring(ast.parse((ROOT / package / "__init__.py").read_text())) or ""
        lines += [f"{package}/".ljust(INDENT) + about.splitlines()[0]]
        line = " " * (INDENT - 1)
        for name in sorted(path.stem for path in (ROOT / package).glob("*.py") if path.name != "__init__.py"):
            if len(line) + 1 + len(name) > WIDTH:
                lines.append(line)
                line = " " * (INDENT - 1)
            line += f" {name}"
        lines += [line, ""]
    return "\n".join(["```", *lines[:-1], "```", ""])


def with_map(page: str, drawn: str) -> str:
    """Returns the text of a page with a map in the place of the one it has."""
    before, rest = page.split(BEGIN)
    return before + BEGIN + drawn + END + rest.split(END)[1]


def files() -> list[Path]:
    """Returns the files of the packages, and ``train.py``, relative to the root."""
    paths = [path for folder in TOP_LEVEL for path in (ROOT / folder).glob("**/*.py")]
    return sorted(path.relative_to(ROOT) for path in [*paths, *ROOT.glob("train.py")])


def place_of(file: Path) -> str:
    """Returns the entry of ``PACKAGES`` that a file belongs to."""
    package = file.parent.as_posix().removeprefix(".")
    front = f"{package}/__init__"
    return front if file.name == "__init__.py" and front in PACKAGES else package


@cache
def imports(file: Path) -> list[tuple[int, str, int]]:
    """Returns line, module and level (0 for absolute) of every import, also within functions and for type checkers.

    ``from a import b`` is returned as ``a.b``.
    """
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name, 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.lineno, f"{node.module or ''}.{alias.name}", node.level) for alias in node.names]
    return found


@cache
def imported(module: str) -> Path | None:
    """Returns the file that ``nashzoo.a.b.c`` comes from; None where there is none."""
    top, *parts = module.split(".")
    for place in ("/".join(parts), "/".join(parts[:-1])) if top == "nashzoo" else ():
        for file in (Path(f"{place}.py"), Path(place, "__init__.py")):
            if (ROOT / file).is_file():
                return file
    return None


def imports_between() -> Counter[tuple[str, str]]:
    """Returns how many files of a package import from another one, by the two packages."""
    known, counts = set(top_down()), Counter[tuple[str, str]]()
    for file in files():
        package = place_of(file)
        targets = {imported(module) for _, module, _ in imports(ROOT / file)}
        places = {target.parent.as_posix() for target in targets if target is not None}
        counts.update((package, target) for target in (places & known) - {package} if package in known)
    return counts


CELL, LEFT, TOP = 17, 216, 44  # units: a cell, and what is left of the first one and above it
SHADES = ("#cfe3f2", "#8fbfe0", "#4f96c8", "#006ba8")  # for 1, 2 to 3, 4 to 7, and more files
ITSELF = "#8a8678"
FAMILY = ("#ffffff", "#f4f2ec")  # the ground behind the folders of a package, in turn
HEADLINE = "Imports only go down: all marks are right of the diagonal."
CAPTION = (
    "Row: a folder. Blue, in its row: folders that it imports from; the darker, the more of its files do.",
    "Columns are in the order of the rows; grey is the folder itself. Nothing is left of it: imports go down.",
)


def picture() -> str:
    """Returns a matrix as SVG: in the row of a package a mark for each package that it imports from."""
    names = top_down()
    place = {package: number for number, package in enumerate(names)}
    size = CELL * len(names)
    width, height = LEFT + size + 10, TOP + size + 58
    shapes = [_rectangle(0, 0, width, height, FAMILY[0])]
    for number, family in enumerate(reversed(TOP_LEVEL)):
        inside = [place[package] for package in names if package.split("/")[0] == family]
        shapes.append(_rectangle(0, TOP + CELL * min(inside), width, CELL * len(inside), FAMILY[number % 2]))
    for package, number in place.items():
        x, y = LEFT + CELL * number, TOP + CELL * number
        shapes.append(f'<text x="{LEFT - 8}" y="{y + 12.5}" text-anchor="end">{package}</text>')
        shapes.append(_rectangle(x + 1, y + 1, CELL - 2, CELL - 2, ITSELF))
        shapes.append(f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{TOP + size}" stroke="#dddad2"/>')
    for (package, target), files in sorted(imports_between().items()):
        x, y = LEFT + CELL * place[target], TOP + CELL * place[package]
        title = f"{package}: {files} {'file imports' if files == 1 else 'files import'} from {target}"
        shade = SHADES[min(files.bit_length(), len(SHADES)) - 1]
        shapes.append(_rectangle(x + 1, y + 1, CELL - 2, CELL - 2, shade, title))
    shapes.append(f'<text x="8" y="24" font-size="18" font-weight="bold">{HEADLINE}</text>')
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
    PAGE.write_text(with_map(PAGE.read_text(), package_map()))
    PICTURE.write_text(picture())
