"""The rooms of the project in the order of their imports, and the map of them in CONTRIBUTING.md.

python tests/support/floors.py    # draws the map anew, from the code
"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
PACKAGES = ("envs", "baselines", "agents", "arena", "app")

# The rooms from the ground up; a file imports from its own room and from those before it. What a package hands on in
# its ``__init__.py`` stands above all that is in it.
FLOORS = (
    "envs/base", "envs/compilation", "envs/core", "envs/states", "envs/games", "envs/vector", "envs/api", "envs",
    "baselines/states", "baselines/solvers", "baselines/proof", "baselines/policies", "baselines/markov",
    "baselines", "baselines/self_play", "baselines/__init__",
    "agents/basic", "agents/hosted", "agents/exact",
    "agents/learning", "agents/learning/tabular", "agents/learning/deep",
    "agents/bots/roshambo", "agents/search", "agents", "agents/bots", "agents/learning/menace", "agents/__init__",
    "arena",
    "app/command_line", "app/commands", "app/training", "app/results", "app/menace", "app",
    "",
)  # fmt: skip

BEGIN, END = "<!-- map -->\n", "<!-- end of the map -->\n"
WIDTH = 118  # characters of a line


def floor_map(root: Path = ROOT) -> str:
    """Returns the rooms from the top down, each with what its ``__init__.py`` says it is, and its files."""
    lines = []
    for room in reversed([room for room in FLOORS if room and not room.endswith("__init__")]):
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


if __name__ == "__main__":
    PAGE.write_text(with_map(PAGE.read_text(), floor_map()))
